//nolint:misspell // words of many languages
package rules

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestToneOf(t *testing.T) {
	t.Parallel()
	for want, texts := range map[tone][]string{
		bad: {
			"Email is not valid", "Something went wrong", "Could not save your changes", "This name is already taken", "Not saved", "No changes were saved", "Please choose a date",
			"Sorry, your order was not received", "Die Änderungen wurden nicht gespeichert", "Fehler beim Speichern", "Bitte füllen Sie dieses Feld aus", "Lütfen bir tarih seçin", "Por favor, elige una fecha", "Vui lòng nhập tên", "Παρακαλώ συμπληρώστε το όνομα",
			"Une erreur est survenue", "Le message n'a pas été envoyé", "Ce champ est obligatoire", "No se pudo guardar", "El mensaje no fue enviado", "Não foi possível salvar",
			"Impossibile inviare il messaggio", "Non salvato", "Ongeldig e-mailadres", "Nie udało się zapisać", "Neplatný e-mail", "Kunde inte spara", "Kunne ikke gemme",
			"Не удалось сохранить", "Сообщение не отправлено", "Не вдалося зберегти", "Kaydedilemedi", "Mesaj gönderilemedi", "保存できませんでした", "メールアドレスを入力してください",
			"保存失败", "저장하지 못했습니다", "حدث خطأ", "لم يتم الحفظ", "אירעה שגיאה", "सहेजा नहीं गया", "เกิดข้อผิดพลาด", "Không thể lưu", "Gagal menyimpan", "Nem sikerült a mentés", "Παρουσιάστηκε σφάλμα",
		},
		good: {
			"Saved", "Your changes have been saved", "Thank you for your order!", "Message sent", "Added to cart", "Gespeichert", "Ihre Nachricht wurde gesendet", "Vielen Dank",
			"Enregistré", "Votre message a été envoyé", "Cambios guardados", "¡Gracias!", "Salvo com sucesso", "Messaggio inviato", "Opgeslagen", "Zapisano", "Úspěšně uloženo",
			"Sparat", "Lagret", "Tallennettu", "Сохранено", "Сообщение отправлено", "Збережено", "Kaydedildi", "保存しました", "已保存", "저장되었습니다", "تم الحفظ بنجاح", "נשמר בהצלחה",
			"सफलतापूर्वक सहेजा गया", "บันทึกแล้ว", "Đã lưu", "Berhasil disimpan", "Sikeresen elmentve", "Αποθηκεύτηκε",
		},
		busy: {
			"Saving…", "Please wait", "Loading...", "roomSaving", "Wird gespeichert", "Bitte warten", "Chargement", "Enviando…", "Carregando", "Attendere", "Even geduld", "Proszę czekać", "Lütfen bekleyin", "Por favor, espere", "Veuillez patienter", "يرجى الانتظار", "Vui lòng chờ", "กรุณารอสักครู่", "Kérjük, várjon", "Παρακαλώ περιμένετε",
			"Загрузка…", "Yükleniyor…", "読み込み中", "正在提交", "처리 중", "جارٍ التحميل", "Đang lưu", "Hang on…",
		},
		mixed: {
			"Saved your draft, but the picture is too long to be kept", "3 entries were added, 2 others of your list are not valid", "The order was received; we have not yet charged the card of yours for it",
		},
		plain: {"", "Twelve people look at this page", "Not for children", "42", "Unsaved", "Herzlich willkommen", "Bonjour", "Привет", "こんにちは", "Nonsense", "Wait for me", "See more of the lighthouse…"},
	} {
		for _, text := range texts {
			if got := toneOf(text); got != want {
				t.Errorf("%q is %d, want %d", text, got, want)
			}
		}
	}
}

// Neither case nor what stands around a word changes what it says.
func TestToneOf_WholeWords(t *testing.T) {
	t.Parallel()
	frame := rapid.SampledFrom([]string{"", " ", "✓ ", "– ", "\u00a0", "(", ")", "!"})
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.SampledFrom([]string{"Saved", "SAVED", "Not saved", "GESPEICHERT", "ОШИБКА", "已保存"}).Draw(rt, "text")
		framed := frame.Draw(rt, "before") + text + frame.Draw(rt, "after")
		if got, want := toneOf(framed), toneOf(text); got != want {
			rt.Fatalf("%q is %d, %q is %d", framed, got, text, want)
		}
	})
}

// Scripts without spaces have words all the same.
func TestRuns(t *testing.T) {
	t.Parallel()
	for in, want := range map[string][]string{
		"remove": {"remove"}, "b3": {"b3"}, "火曜11時": {"火曜", "11", "時"}, "ホテル港南を予約": {"ホテル", "港南", "を", "予約"},
		"lukasとのトーク": {"lukas", "との", "トーク"}, "上移太极拳": {"上移太极拳"}, "データー": {"データー"}, "2월": {"2", "월"},
	} {
		if got := runs(in); !slices.Equal(got, want) {
			t.Errorf("%q is %q, want %q", in, got, want)
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		word := rapid.String().Draw(rt, "word")
		if got := strings.Join(runs(word), ""); got != word {
			rt.Fatalf("%q became %q", word, got)
		}
	})
}
