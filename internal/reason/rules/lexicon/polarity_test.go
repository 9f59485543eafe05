//nolint:misspell // words of many languages
package lexicon_test

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/stepledger/stepledger/internal/reason/rules/lexicon"
)

// messages are what pages of a language say, by what it comes to.
type messages struct{ succeeded, failed, pending, neither, question, mixed []string }

var spoken = map[string]messages{
	"en": {
		succeeded: []string{
			"Saved", "Your changes have been saved", "Thank you for your order!", "Message sent", "Added to cart",
			"Order no. 4711 confirmed", "Order No 4711 confirmed", "Order no: 4711 confirmed", "ORDER NO. 4711 CONFIRMED", "Ticket no. A-4711 booked", "No. 5 saved", "Nos. 5 and 6 saved", "Invoice No. #12 sent",
			"No problem, saved", "All set — no further action needed", "Saved. No errors found.", "Saved without errors", "Imported with 0 errors, 14 records added", "Errors: 0. Saved: 14", "3 saved, 0 failed",
			"No charge was made. Booking confirmed", "Your order has been received and will be shipped tomorrow", "Thank you, we will get back to you", "Saved! Want to add another?", "Nothing left to do. Saved.",
			`File "failed tests.txt" uploaded`, "‘Not saved’ was deleted", "Version 2.0 published", "Changes were saved at 10:00", "Customer N. Smith added", "Mai Linh added", "Not only saved but also sent",
			"Deleted 3 of 3", "Saved: no conflicts", "Saved (no changes)", "Saved. Changes will not be visible until published.", "Your changes have been saved. You can't undo this.", "Booking no. 12-A confirmed", "Confirmation No: QX12 — booked",
			"Item added to your cart. No shipping costs!", "All 5 files uploaded, none failed", "There were no errors and your file was uploaded", "You have been unsubscribed", "Seat reserved until 5 pm", "3 segment(s) changed",
			"The order was received; we have not yet charged the card of yours for it",
		},
		failed: []string{
			"Email is not valid", "Something went wrong", "Could not save your changes", "Could not be saved", "This name is already taken", "Not saved", "No changes were saved", "Nothing was saved", "0 of 2 updated", "0 segment(s) changed", "Saved: 0",
			"Your order was not confirmed", "Your changes were never saved", "None of your changes have been saved", "Unable to confirm order no. 12", "Order no. 4711 was not confirmed", "Payment declined", "Please choose a date",
			"Sorry, your order was not received", "Couldn’t be sent", "Error: not saved", "Without success", "Not sent yet", "Neither saved nor sent", "Hasn't been saved", "Your changes haven’t been saved", "Will not be saved", "No items deleted", "The changes you made to the shipping address on this page were not saved", "Subscribed: no",
		},
		pending: []string{
			"Saving…", "Please wait", "Loading...", "roomSaving", "Hang on…", "Unsaved changes", "You have unsaved edits", "Unsaved", "Not yet saved", "Your message will be sent when you are online", "To be confirmed",
			"Your comment is being saved", "If saved, it will show up here", "Once confirmed, it will be shipped", "We have sent a link if the account exists", "Make sure your changes are saved", "Changes can be saved until noon", "Unconfirmed address", "Your card will be charged once the order is confirmed", "Ready to be sent", "Unsent message", "Incomplete profile", "Unpublished",
		},
		neither: []string{
			"", "Twelve people look at this page", "Not for children", "42", "Nothing failed", "0 errors", "No errors", "No problem", "Failed: 0", "No unsaved changes", "If an error occurs, call us", "This action cannot be undone", "Nonsense", "Wait for me", "See more of the lighthouse…", "Save your changes?", "No. 12", "no",
		},
		question: []string{"Has it been saved?", "Do you want to discard unsaved changes?", "Delete saved card?", "Was your order confirmed?"},
		mixed:    []string{"Saved your draft, but the picture is too long to be kept", "3 entries were added, 2 others of your list are not valid"},
	},
	"de": {
		succeeded: []string{"Gespeichert", "Ihre Nachricht wurde gesendet", "Vielen Dank", "Bestellung Nr. 3 bestätigt", "Bestellung Nr. 4711 wurde nicht nur bestätigt, sondern auch bezahlt", "Ohne Fehler gespeichert", "Keine Fehler. Alles gespeichert.", "Fehlerfrei importiert", "Ihre Bestellung ist eingegangen und wird bearbeitet", "Datei „Fehler.txt“ gelöscht"},
		failed:    []string{"nicht gespeichert", "Die Änderungen wurden nicht gespeichert", "Ihre Nachricht konnte leider nicht gesendet werden", "Fehler beim Speichern", "Bitte füllen Sie dieses Feld aus", "Keine Änderungen gespeichert", "Bestellung Nr. 3 wurde nicht bestätigt", "Es wurde nichts gespeichert"},
		pending:   []string{"Wird gespeichert", "Bitte warten", "Ungespeicherte Änderungen", "Noch nicht gespeichert", "Ihre Nachricht wird gesendet, sobald Sie online sind", "Die Bestellung soll noch bestätigt werden", "Wenn gespeichert, erscheint es hier", "Unbestätigte Adresse"},
		neither:   []string{"Herzlich willkommen", "Keine Fehler", "0 Fehler", "Kein Problem", "Änderungen speichern?", "Das kann nicht rückgängig gemacht werden"},
		question:  []string{"Wurde gespeichert?", "Gespeicherte Karte gelöscht?"},
	},
	"fr": {
		succeeded: []string{"Enregistré", "Votre message a été envoyé", "Commande n° 12 confirmée", "Commande nº 12 confirmée", "Commande no 12 confirmée", "COMMANDE N°12 CONFIRMÉE", "Enregistré sans erreur", "Aucun problème, c'est enregistré", "Fichier « erreur.log » supprimé", "Facture n. 7 envoyée"},
		failed:    []string{"Une erreur est survenue", "Le message n'a pas été envoyé", "Ce champ est obligatoire", "Aucun élément enregistré", "Votre commande n° 12 n'a pas été confirmée", "Non enregistré", "Rien n'a été enregistré", "Sans succès"},
		pending:   []string{"Chargement", "Veuillez patienter", "Votre message sera envoyé dès que vous serez en ligne", "Pas encore enregistré", "Enregistrement en cours", "Une fois confirmée, la commande part"},
		neither:   []string{"Bonjour", "Aucune erreur", "0 erreur", "Enregistrer les modifications ?"},
		question:  []string{"Enregistré ?"},
	},
	"es": {
		succeeded: []string{"Cambios guardados", "¡Gracias!", "Pedido núm. 8 confirmado", "Pedido no. 14 enviado", "Pedido N.º 14 enviado", "Guardado sin errores", "Se ha guardado", "Sin problemas: guardado"},
		failed:    []string{"No se pudo guardar", "El mensaje no fue enviado", "Por favor, elige una fecha", "Nada fue guardado", "Pedido núm. 8 no confirmado", "Ningún cambio guardado"},
		pending:   []string{"Enviando…", "Por favor, espere", "Su mensaje será enviado cuando se conecte", "Aún no guardado", "Sin conexión: será enviado después"},
		neither:   []string{"Sin errores", "0 errores", "¿Guardar los cambios?"},
		question:  []string{"¿Guardado?"},
	},
	"pt": {
		succeeded: []string{"Salvo com sucesso", "Pedido n.º 8 confirmado", "Encomenda nº 12 enviada", "Guardado sem erros", "Obrigado!"},
		failed:    []string{"Não foi possível salvar", "Não foi salvo", "Nenhuma alteração salva", "Pedido nº 8 não confirmado"},
		pending:   []string{"Carregando", "Ainda não salvo", "A mensagem será enviada quando estiver online"},
		neither:   []string{"Sem erros", "0 erros", "Salvar alterações?"},
	},
	"it": {
		succeeded: []string{"Messaggio inviato", "Ordine n. 7 confermato", "Salvato senza errori", "Mai Rossi: messaggio inviato", "Nessun errore, salvato"},
		failed:    []string{"Impossibile inviare il messaggio", "Non salvato", "Non è stato salvato", "Nessuna modifica salvata", "Ordine n. 7 non confermato"},
		pending:   []string{"Attendere", "Salvataggio in corso", "Non ancora salvato", "Il messaggio verrà inviato quando torni online"},
		neither:   []string{"Nessun errore", "0 errori", "Salvare le modifiche?"},
	},
	"nl": {
		succeeded: []string{"Opgeslagen", "Bestelling nr. 5 bevestigd", "Opgeslagen zonder fouten", "Bedankt!"},
		failed:    []string{"Ongeldig e-mailadres", "Niet opgeslagen", "Er is niets opgeslagen", "Bestelling nr. 5 is niet bevestigd"},
		pending:   []string{"Even geduld", "Nog niet opgeslagen", "Je bericht wordt verzonden zodra je online bent", "Onbevestigde bestelling"},
		neither:   []string{"Geen fouten", "0 fouten", "Wijzigingen opslaan?"},
	},
	"pl": {
		succeeded: []string{"Zapisano", "Zamówienie nr 5 potwierdzone", "Zapisano bez błędów", "Udało się"},
		failed:    []string{"Nie udało się zapisać", "Nie zapisano", "Zamówienie nr 5 nie zostało potwierdzone"},
		pending:   []string{"Proszę czekać", "Niezapisane zmiany", "Jeszcze nie zapisano", "Wiadomość zostanie wysłana, gdy będziesz online"},
		neither:   []string{"Bez błędów", "0 błędów", "Zapisać zmiany?"},
	},
	"cs": {
		succeeded: []string{"Úspěšně uloženo", "Objednávka č. 8 potvrzena", "Uloženo bez chyby"},
		failed:    []string{"Neplatný e-mail", "Nic nebylo uloženo", "Nepodařilo se uložit", "Uložení se nezdařilo"},
		pending:   []string{"Neuložené změny", "Načítání", "Zpráva bude odeslána"},
		neither:   []string{"Bez chyby", "Uložit změny?"},
	},
	"sv": {
		succeeded: []string{"Sparat", "Ändringarna sparades", "Beställning nr 4 bekräftad"},
		failed:    []string{"Kunde inte spara", "Ändringarna sparades inte", "Inget sparat", "Inte sparat"},
		pending:   []string{"Osparade ändringar", "Ännu inte sparat", "Meddelandet kommer att bli skickat", "Laddar"},
		neither:   []string{"Inga fel", "0 fel", "Spara ändringar?"},
	},
	"da": {
		succeeded: []string{"Gemt", "Ordre nr. 12 er bekræftet", "Gemt uden fejl"},
		failed:    []string{"Kunne ikke gemme", "Blev ikke gemt", "Intet gemt"},
		pending:   []string{"Endnu ikke gemt", "Ugemte ændringer", "Beskeden vil blive sendt"},
		neither:   []string{"Ingen fejl"},
	},
	"nb": {
		succeeded: []string{"Lagret", "Bestilling nr. 4 bekreftet", "Lagret uten feil"},
		failed:    []string{"Kunne ikke lagre", "Ikke lagret", "Ingenting… ikke sendt"},
		pending:   []string{"Ulagrede endringer", "Meldingen vil bli sendt"},
		neither:   []string{"Ingen feil"},
	},
	"fi": {
		succeeded: []string{"Tallennettu", "Tilaus nro 5 vahvistettu", "Tallennettu ilman virheitä"},
		failed:    []string{"Muutoksia ei tallennettu", "Tallennus epäonnistui", "Ei onnistunut"},
		pending:   []string{"Tallentamattomia muutoksia", "Ladataan"},
		neither:   []string{"Ei virheitä"},
	},
	"ru": {
		succeeded: []string{"Сохранено", "Сообщение отправлено", "Заказ № 5 оформлен", "Сохранено без ошибок"},
		failed:    []string{"Не удалось сохранить", "Сообщение не отправлено", "Изменения не сохранены", "Ничего не сохранено"},
		pending:   []string{"Загрузка…", "Несохранённые изменения", "Ещё не сохранено", "Сообщение будет отправлено, когда вы будете в сети"},
		neither:   []string{"Привет", "Без ошибок", "Нет ошибок", "0 ошибок", "Сохранить изменения?", "Это действие нельзя отменить"},
		question:  []string{"Сохранено?"},
	},
	"uk": {
		succeeded: []string{"Збережено", "Замовлення № 5 підтверджено"},
		failed:    []string{"Не вдалося зберегти", "Не збережено"},
		pending:   []string{"Незбережені зміни", "Повідомлення буде надіслано"},
		neither:   []string{"Немає помилок", "Без помилок"},
	},
	"tr": {
		succeeded: []string{"Kaydedildi", "Sipariş no: 12 onaylandı", "Sorunsuz kaydedildi", "SİPARİŞİNİZ ALINDI"},
		failed:    []string{"Kaydedilemedi", "Mesaj gönderilemedi", "Lütfen bir tarih seçin", "Başarısız"},
		pending:   []string{"Yükleniyor…", "Lütfen bekleyin", "Kaydedilmemiş değişiklikler"},
		neither:   []string{"Değişiklikler saklansın mı?"},
		question:  []string{"Kaydedildi mi?"},
	},
	"ja": {
		succeeded: []string{"保存しました", "保存されています", "注文番号 12 の登録が完了しました", "ありがとうございます", "「エラー.txt」を削除しました"},
		failed:    []string{"保存できませんでした", "保存されませんでした", "メールアドレスを入力してください", "エラーが発生しました"},
		pending:   []string{"読み込み中", "保存されます", "未保存の変更があります", "完了すると通知されます"},
		neither:   []string{"こんにちは", "問題ありません", "エラーはありません", "変更を保存しますか？"},
		question:  []string{"保存しましたか？"},
	},
	"zh": {
		succeeded: []string{"已保存", "订单 12 已提交", "保存成功", "没有错误，已保存"},
		failed:    []string{"保存失败", "保存未成功", "没有保存成功", "请输入姓名"},
		pending:   []string{"正在提交", "您有未保存的更改", "尚未提交"},
		neither:   []string{"没有错误", "无错误", "保存更改？"},
		question:  []string{"已保存？"},
	},
	"ko": {
		succeeded: []string{"저장되었습니다", "주문 번호 12 접수되었습니다"},
		failed:    []string{"저장하지 못했습니다", "오류가 발생했습니다", "성공하지 못했습니다"},
		pending:   []string{"처리 중", "저장되지 않은 변경 사항"},
		neither:   []string{"오류가 없습니다", "문제 없습니다", "저장하시겠습니까?"},
	},
	"ar": {
		succeeded: []string{"تم الحفظ بنجاح", "تم تأكيد الطلب رقم 5"},
		failed:    []string{"حدث خطأ", "لم يتم الحفظ", "تم رفض الطلب"},
		pending:   []string{"جارٍ التحميل", "تغييرات غير محفوظة", "يرجى الانتظار"},
		neither:   []string{"لا خطأ", "بدون خطأ"},
	},
	"he": {
		succeeded: []string{"נשמר בהצלחה", "הזמנה מס׳ 5 אושרה"},
		failed:    []string{"אירעה שגיאה", "לא נשמר"},
		pending:   []string{"אנא המתן", "עדיין לא נשמר"},
		neither:   []string{"אין שגיאה", "ללא שגיאה"},
	},
	"hi": {
		succeeded: []string{"सफलतापूर्वक सहेजा गया", "ऑर्डर संख्या 5 की पुष्टि हो गई"},
		failed:    []string{"सहेजा नहीं गया", "त्रुटि हुई", "असफल"},
		pending:   []string{"सहेजा जाएगा", "सहेजा जा रहा है"},
		neither:   []string{"कोई त्रुटि नहीं"},
	},
	"th": {
		succeeded: []string{"บันทึกแล้ว", "บันทึกเรียบร้อยแล้ว"},
		failed:    []string{"เกิดข้อผิดพลาด", "ไม่สำเร็จ"},
		pending:   []string{"กรุณารอสักครู่", "ยังไม่ได้บันทึก"},
		neither:   []string{"ไม่มีข้อผิดพลาด"},
	},
	"vi": {
		succeeded: []string{"Đã lưu", "Tin nhắn đã được gửi", "Đơn hàng số 5 đã xác nhận, thành công"},
		failed:    []string{"Không thể lưu", "Không thành công", "Vui lòng nhập tên"},
		pending:   []string{"Đang lưu", "Chưa lưu", "Vui lòng chờ"},
		neither:   []string{"Không có lỗi", "Chưa có sản phẩm."},
	},
	"id": {
		succeeded: []string{"Berhasil disimpan", "Pesanan no. 4 dikonfirmasi", "Disimpan tanpa kesalahan"},
		failed:    []string{"Gagal menyimpan", "Tidak disimpan"},
		pending:   []string{"Pesan akan dikirim", "Perubahan belum disimpan"},
		neither:   []string{"Tidak ada kesalahan"},
	},
	"hu": {
		succeeded: []string{"Sikeresen elmentve", "A 12. számú rendelés megerősítve"},
		failed:    []string{"Nem sikerült a mentés", "Nem lett elmentve"},
		pending:   []string{"Kérjük, várjon", "Még nem mentve", "Nem mentett változások"},
		neither:   []string{"Nincs hiba", "0 hiba"},
	},
	"ro": {
		succeeded: []string{"Salvat cu succes", "Comanda nr. 5 confirmată"},
		failed:    []string{"Nu a fost salvat", "Nu s-a putut salva"},
		pending:   []string{"Mesajul va fi trimis", "Încă nu a fost salvat", "Se salvează"},
		neither:   []string{"Nicio eroare", "Fără eroare"},
	},
	"el": {
		succeeded: []string{"Αποθηκεύτηκε", "Η παραγγελία αρ. 5 επιβεβαιώθηκε"},
		failed:    []string{"Παρουσιάστηκε σφάλμα", "Δεν αποθηκεύτηκε", "Παρακαλώ συμπληρώστε το όνομα"},
		pending:   []string{"Φόρτωση", "Παρακαλώ περιμένετε", "Μη αποθηκευμένες αλλαγές"},
		neither:   []string{"Κανένα σφάλμα", "Χωρίς σφάλμα"},
	},
	"fa": {
		succeeded: []string{"با موفقیت ذخیره شد"},
		failed:    []string{"ذخیره نشد", "خطا"},
		pending:   []string{"تغییرات ذخیره نشده", "در حال ارسال"},
		neither:   []string{"بدون خطا"},
	},
	"sk": {
		succeeded: []string{"Uložené", "Objednávka č. 8 potvrdená"},
		failed:    []string{"Nič nebolo uložené", "Nepodarilo sa uložiť"},
		pending:   []string{"Neuložené zmeny", "Načítava sa"},
	},
	"hr": {
		succeeded: []string{"Uspješno spremljeno", "Narudžba br. 8 potvrđena"},
		failed:    []string{"Nije spremljeno", "Došlo je do pogreške"},
		pending:   []string{"Nespremljene promjene", "Molimo pričekajte"},
	},
	"bg": {
		succeeded: []string{"Успешно запазено", "Поръчката е потвърдена"},
		failed:    []string{"Не е запазено", "Възникна грешка"},
		pending:   []string{"Незапазени промени", "Моля, изчакайте"},
	},
}

// Every message is read alike on a page in its language and on one whose language is
// not known: no "no" of one language is heard in another.
func TestPolarity(t *testing.T) {
	t.Parallel()
	for language, m := range spoken {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			for want, texts := range map[lexicon.Polarity][]string{
				lexicon.Succeeded: m.succeeded, lexicon.Failed: m.failed, lexicon.Pending: m.pending,
				lexicon.Neither: m.neither, lexicon.Question: m.question, lexicon.Mixed: m.mixed,
			} {
				for _, text := range texts {
					for _, page := range []string{language, ""} {
						if got := lexicon.For(page).Polarity(text); got != want {
							t.Errorf("%q on a page in %q: %s, want %s", text, page, got, want)
						}
					}
				}
			}
		})
	}
}

// A page is read by the words of its own language and of English, and of other scripts.
func TestPolarity_OfThePagesLanguage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		page, text string
		want       lexicon.Polarity
	}{
		{"de", "Saved", lexicon.Succeeded}, {"de", "Gespeichert", lexicon.Succeeded}, {"fr", "Gespeichert", lexicon.Neither},
		{"en", "保存しました", lexicon.Succeeded}, {"de", "Сохранено", lexicon.Succeeded},
		{"de", "Fel", lexicon.Neither}, {"sv", "Fel", lexicon.Failed}, {"xx", "Gespeichert", lexicon.Succeeded},
	} {
		if got := lexicon.For(c.page).Polarity(c.text); got != c.want {
			t.Errorf("%q on a page in %q: %s, want %s", c.text, c.page, got, c.want)
		}
	}
}

// Neither case nor what stands around a message changes what it says, nor does a name
// that it quotes.
func TestPolarity_Framed(t *testing.T) {
	t.Parallel()
	frame := rapid.SampledFrom([]string{"", " ", "✓ ", "– ", "\u00a0", "(", ")", "!", "“Not saved” was asked. ", "Mai. "})
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.SampledFrom([]string{"Saved", "SAVED", "Not saved", "GESPEICHERT", "ОШИБКА", "已保存", "Order no. 5 confirmed"}).Draw(rt, "text")
		framed := frame.Draw(rt, "before") + text + rapid.SampledFrom([]string{"", " ", "!", ".", " 🎉"}).Draw(rt, "after")
		if got, want := lexicon.For("").Polarity(framed), lexicon.For("").Polarity(text); got != want && !strings.Contains(framed, "Not saved") {
			rt.Fatalf("%q: %s, %q: %s", framed, got, text, want)
		}
	})
}

func TestDenies(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"No seats left": true, "Order no. 5": false, "Nothing found": true, "No errors": false, "Commande n° 12": false, "Keine Treffer": true, "Mai": false, "ikke": true,
		"Could not be saved": false, "Saved": false, "": false, "予約できない": true, "問題ありません": false, "채팅할 수 없어요": true, "chưa thấy": true,
	} {
		if got := lexicon.For("").Denies(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestComplains(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"Could not be saved": true, "Error": true, "Not saved": true, "Sold out": false, "Please accept our cookies": false, "No errors": false, "If it failed, call us": false, "Unsaved changes": false,
		"Konnte nicht gespeichert werden": true, "Saved": false,
	} {
		if got := lexicon.For("").Complains(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// The worst texts are long clauses full of hits, quotes and stops: no text takes longer
// than its length allows, and no message longer than is read of it.
func TestPolarity_OfLongTexts(t *testing.T) {
	t.Parallel()
	for name, piece := range map[string]string{
		"hits": "not saved if failed ", "quotes": "'a “b \"", "stops": "no. a: ", "one word": "unsaved", "apostrophes": "n'", "a script without spaces": "未保存されません", "marks": "?!", "spaces": ". ",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := strings.Repeat(piece, 4<<20/len(piece))
			start := time.Now()
			lexicon.For("").Polarity(text)
			lexicon.For("").In(lexicon.Close, text[:1<<16])
			lexicon.Guess(text)
			if took := time.Since(start); took > 5*time.Second {
				t.Errorf("it took %s", took)
			}
		})
	}
}

func FuzzPolarity(f *testing.F) {
	for language, m := range spoken {
		for _, texts := range [][]string{m.succeeded, m.failed, m.pending, m.neither} {
			for _, text := range texts {
				f.Add(language, text)
			}
		}
	}
	f.Add("en", "No.")
	f.Add("", "'\"“„«no. 0:0 0º n°\xff…?")
	f.Fuzz(func(t *testing.T, language, text string) {
		w := lexicon.For(lexicon.Language(language))
		start := time.Now()
		first := w.Polarity(text)
		if took := time.Since(start); took > time.Second+time.Duration(len(text))*20*time.Microsecond {
			t.Errorf("%d bytes took %s", len(text), took)
		}
		if w.Polarity(text) != first {
			t.Error("the same text says something else the second time")
		}
		w.Denies(text)
		w.Complains(text)
		lexicon.Guess(text)
	})
}
