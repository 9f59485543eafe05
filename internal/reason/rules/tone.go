//nolint:misspell // words of many languages
package rules

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/stepledger/stepledger/domain/vocabulary"
)

// tone is what a message is about, by the words it uses.
type tone int

const (
	plain tone = iota
	bad
	good
	busy
	mixed // good and bad words: nobody can tell without understanding it
)

// toneOf reads a message in the languages of the lists. A text without any of
// their words is plain: whoever goes by it has to go by something else as well.
func toneOf(text string) tone {
	text = apart(text)
	isBad, isGood := badWords.In(text), goodWords.In(text)
	denied := isGood && (noWords.In(text) || zero.MatchString(text))
	switch {
	case errorWords.In(text), denied && len(words(text)) <= fewWords:
		return bad
	case isGood && (isBad || denied):
		return mixed
	case isBad && waitWords.In(text): // "please" alone is bad in many languages
		return busy
	case isBad:
		return bad
	case busyWords.In(text), trailsOff(text):
		return busy
	case isGood:
		return good
	}
	return plain
}

// zero is how a message counts what was not done: "0 of 2 updated".
var zero = regexp.MustCompile(`(^|[\s(])0\s*(/|\s\pL)`)

// apart puts a space where a page has run two texts together: "roomSaving".
func apart(text string) string {
	var b strings.Builder
	var last rune
	for _, r := range text {
		if unicode.IsUpper(r) && unicode.IsLower(last) {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
		last = r
	}
	return b.String()
}

// trailsOff reports a short text that ends in dots: "Saving…".
func trailsOff(text string) bool {
	text = strings.TrimSpace(text)
	return (strings.HasSuffix(text, "…") || strings.HasSuffix(text, "...")) && len(words(text)) <= 3
}

// fewWords is the length up to which a "not" is about the whole of a message.
const fewWords = 8

// Words for an error, which no kind word beside them makes good.
var errorWords = vocabulary.List{
	"error", "errors", "went wrong", "problem", "oops", "sorry", "failed", "failure", "fehler-", "problem", "leider", "entschuldigung", "erreur-", "problème-", "désolé-", "problema-", "lo sentimos", "erro", "erros", "desculpe", "lamentamos", "errore", "errori", "spiacenti", "fout", "fouten", "probleem", "helaas",
	"błąd", "błęd-", "przepraszamy", "niestety", "chyba", "bohužel", "fejl", "feil", "fel", "tyvärr", "beklager", "virhe-", "pahoittelemme", "ошибк-", "проблем-", "к сожалению", "помилк-", "на жаль", "hata", "hatası", "sorun-", "üzgünüz", "エラー", "問題が", "申し訳", "错误", "問題", "问题", "抱歉", "오류", "문제", "죄송", "خطأ", "مشكلة", "عذراً", "שגיאה", "בעיה", "त्रुटि", "समस्या", "क्षमा", "ผิดพลาด", "ขออภัย", "lỗi", "xin lỗi", "kesalahan", "maaf", "hiba", "sajnos", "eroare", "problemă", "σφάλμα", "πρόβλημα",
}

// What pages say when something was refused or went wrong. Whole phrases where a
// word alone says little.
var badWords = vocabulary.List{
	// English
	"error", "errors", "went wrong", "failed", "failure", "fails", "could not", "couldn t", "cannot", "can t", "unable to", "invalid", "not valid", "incorrect", "wrong",
	"please enter", "please fill", "please choose", "please select", "please specify", "please provide", "please complete", "please check", "please accept", "is required", "are required", "required field",
	"fill in", "fill out", "must be", "must have", "must not", "must contain", "must accept", "try again", "not available", "unavailable", "not allowed", "not permitted", "denied", "forbidden", "expired",
	"already taken", "just taken", "exceeds", "exceed", "already exists", "already registered", "already in use", "already voted", "sold out", "out of stock", "too short", "too long", "too many", "does not match", "do not match", "don t match",
	"not sent", "not saved", "rejected", "declined", "does not look", "doesn t look", "at least one", "not enough", "offline", "timed out", "sign in to", "log in to", "not supported", "unreachable", "not delivered", "not respond", "jammed", "blocked", "is full", "already on", "look off", "looks off", "not reachable", "limit reached", "reached the limit", "permission", "not authorised", "not authorized", "needs at least", "missing", "has ended", "have ended", "is over", "no longer", "closed for", "too early", "too late",
	// German
	"fehler-", "fehlgeschlagen", "nicht möglich", "konnte nicht", "konnten nicht", "kann nicht", "können nicht", "ungültig-", "falsch-", "bitte geben", "bitte wählen", "bitte füllen", "bitte prüfen", "bitte ausfüllen", "bitte eingeben", "pflichtfeld",
	"erforderlich", "erneut versuchen", "erneut", "später noch einmal", "nicht erreichbar", "nicht verfügbar", "ausverkauft", "abgelehnt", "abgelaufen", "bereits vergeben", "bereits registriert", "bereits vorhanden", "existiert bereits", "übersteigt", "überschreitet", "zu kurz", "zu lang", "stimmt nicht", "stimmen nicht", "nicht gespeichert", "nicht gesendet", "muss", "müssen", "berechtigung", "nicht erlaubt", "höchstens", "mindestens", "fehlt", "fehlen", "beendet", "nicht bekannt", "zu viele", "gesperrt",
	// French
	"erreur-", "échec", "échoué-", "impossible", "invalide-", "incorrect-", "veuillez", "obligatoire-", "requis-", "réessayer", "réessayez", "indisponible-", "épuisé-", "refusé-", "expiré-", "déjà utilisé-", "déjà pris-", "existe déjà", "dépasse", "déjà existant-", "trop court-", "trop long-", "ne correspond-", "n a pas pu", "n ont pas pu", "n est pas valide", "avant de", "doit être", "merci de", "autorisation", "pas autorisé-", "limite atteinte", "au moins", "manque", "manquant-",
	// Spanish
	"falló", "fallo", "fallid-", "no se pudo", "no se pudieron", "no se ha podido", "no pudimos", "no hemos podido", "inválid-", "no es válid-", "no válid-", "incorrect-", "introduce", "introduzca", "escribe un-", "elige un-", "selecciona un-", "rellena", "completa los", "por favor", "obligatori-", "requerid-", "inténtalo", "inténtelo", "intente", "intenta", "vuelve a intentar-", "no disponible", "no está disponible", "agotad-", "rechazad-", "caducad-", "ya existe", "excede", "supera", "ya está en uso", "demasiado", "no coincide-", "debe", "debes", "falta", "faltan", "permiso", "no tienes", "no puedes", "límite", "al menos", "ha terminado",
	// Portuguese
	"erro", "erros", "falhou", "falha", "não foi possível", "não é possível", "não foi", "inválid-", "incorret-", "obrigatóri-", "tente novamente", "tente de novo", "tentar de novo", "indisponível", "esgotad-", "recusad-", "expirad-", "expirou", "já existe", "excede", "ultrapassa", "já está em uso", "não enviad-", "muito curt-", "não corresponde-", "preencha", "informe", "escolha um-", "selecione um-", "deve", "pelo menos", "terminou", "faltam",
	// Italian
	"errore", "errori", "fallit-", "impossibile", "non valid-", "non corrett-", "inserisci", "compila", "obbligatori-", "riprova", "non disponibil-", "esaurit-", "rifiutat-", "scadut-", "già in uso", "già esistente", "supera", "troppo cort-", "non corrispond-", "seleziona un-", "scegli un-", "per favore", "almeno", "serve", "manca", "mancano", "errat-", "riprovate", "compilate", "scegliete", "inserite", "selezionate un-", "troppi", "bloccat-", "non riuscit-",
	// Dutch
	"fout", "fouten", "mislukt", "kan niet", "kon niet", "konden niet", "ongeldig-", "onjuist-", "vul", "verplicht-", "probeer-", "niet beschikbaar", "uitverkocht", "geweigerd", "verlopen", "al in gebruik", "bestaat al", "overschrijdt", "te kort", "kies een", "niet verzonden", "niet opgeslagen", "komt niet overeen", "moet", "minstens", "ontbreekt", "afgelopen", "geen geldige", "te veel", "geblokkeerd",
	// Polish
	"błąd", "błęd-", "nie udało", "nie powiodł-", "niepoprawn-", "nieprawidłow-", "nie można", "podaj", "wypełnij", "wybierz", "wymagan-", "spróbuj", "niedostępn-", "wyprzedan-", "odrzucon-", "wygasł-", "już istnieje", "przekracza", "zajęt-", "za krótk-", "nie zgadza-", "nie pasuj-", "musi", "proszę", "brak", "co najmniej", "brakuje",
	// Czech, Slovak
	"chyba", "chyby", "selhal-", "neplatn-", "nepodařil-", "zadejte", "vyplňte", "vyberte", "povinn-", "zkuste", "nelze", "nedostupn-", "vyprodán-", "neúspěšn-", "neplatné", "vyplnte", "zadajte", "skúste",
	// Swedish, Danish, Norwegian, Finnish
	"fel", "felaktig-", "misslyck-", "ogiltig-", "kunde inte", "kan inte", "fyll i", "ange", "krävs", "försök igen", "slutsåld", "finns redan", "findes allerede", "finnes allerede", "on jo olemassa", "överskrider", "fejl", "feil", "mislyk-", "ugyldig-", "kunne ikke", "kan ikke", "udfyld", "fyll ut", "påkræv-", "påkrev-", "prøv igen", "prøv igjen", "udsolgt", "utsolgt", "virhe-", "epäonnistu-", "virheelli-", "täytä", "pakollinen", "yritä uudelleen", "ei voitu", "ei voi",
	// Russian, Ukrainian
	"ошибк-", "не удалось", "невозможно", "неверн-", "некорректн-", "недействительн-", "введите", "заполните", "выберите", "укажите", "обязательн-", "попробуйте", "повторите", "недоступн-", "распродан-", "отклон-", "истек-", "истёк-", "уже существует", "уже зарегистрирован-", "уже занят-", "уже є", "превышает", "перевищує", "уже голосовал-", "слишком", "не совпада-", "нельзя", "не сохран-", "не отправ-", "нужно", "необходимо", "нет прав", "нет доступа", "лимит-", "хотя бы", "не менее", "не хватает", "запрещен-", "запрещён-", "помилк-", "не вдалося", "невірн-", "введіть", "заповніть", "оберіть", "обов язков-", "спробуйте", "неможливо",
	// Turkish
	"hata", "hatası", "hatalı", "başarısız", "geçersiz", "yanlış", "lütfen", "zorunlu-", "gerekli-", "tekrar dene-", "kullanılamıyor", "tükendi", "reddedildi", "süresi dol-", "zaten", "çok kısa", "aşıyor", "eşleşmiyor", "yapılamadı", "edilemedi", "gönderilemedi", "kaydedilemedi", "alınamadı", "eklenemedi", "olmalı-", "yetkiniz", "izniniz", "en az", "eksik",
	// Japanese, Chinese, Korean
	"エラー", "失敗", "できません", "できなかった", "無効", "正しく", "間違", "入力してください", "選択してください", "選んでください", "必須", "もう一度", "再度", "利用できません", "売り切れ", "満室", "満席", "期限切れ", "既に", "すでに", "短すぎ", "超えて", "一致しません", "ログインが必要", "してください", "必要です", "ご確認ください", "権限", "少なくとも", "未入力", "未選択", "終了しました",
	"错误", "失败", "无法", "不能", "无效", "不正确", "请输入", "请填写", "请选择", "请先", "必填", "重试", "稍后再试", "不可用", "售罄", "已售完", "拒绝", "过期", "已存在", "已被", "太短", "超过", "超出", "不一致", "不匹配", "出错", "异常", "不足", "权限", "没有权限", "至少", "缺少", "已结束", "錯誤", "失敗", "無法", "請輸入", "請選擇", "請填寫",
	"오류", "실패", "수 없습니다", "잘못", "유효하지", "입력해", "입력하", "선택해", "선택하", "필수", "다시 시도", "품절", "거부", "만료", "이미", "너무 짧", "초과", "일치하지", "못했습니다", "확인해 주세요", "해야 합니다", "해 주세요", "하세요", "권한", "최소", "누락", "종료되었",
	// Arabic, Hebrew, Hindi, Thai
	"خطأ", "فشل", "تعذّر", "تعذر", "غير صحيح", "غير صحيحة", "غير صالح", "غير صالحة", "يرجى", "الرجاء", "مطلوب", "مطلوبة", "حاول", "غير متاح", "غير متوفر", "نفد", "نفدت", "مرفوض", "انتهت صلاحية", "مستخدم بالفعل", "قصير جداً", "لا يتطابق", "لا يمكن", "مغلق", "مغلقة", "لم يتم", "يجب", "على الأقل", "ناقص",
	"שגיאה", "נכשל", "נכשלה", "לא תקין", "לא תקינה", "אנא", "חובה", "נסה שוב", "נסו שוב", "לא ניתן", "אזל",
	"त्रुटि", "विफल", "असफल", "अमान्य", "गलत", "कृपया", "आवश्यक", "अनिवार्य", "पुनः प्रयास", "फिर से", "उपलब्ध नहीं", "समाप्त", "नहीं हो सक-", "नहीं किया जा", "पहले से",
	"ผิดพลาด", "ล้มเหลว", "ไม่สามารถ", "ไม่ถูกต้อง", "กรุณา", "โปรด", "จำเป็น", "ลองใหม่", "หมดแล้ว",
	// Vietnamese, Indonesian, Hungarian, Romanian, Greek
	"lỗi", "thất bại", "không thể", "không hợp lệ", "vui lòng", "bắt buộc", "thử lại", "hết hàng", "kesalahan", "gagal", "tidak dapat", "tidak valid", "harap", "silakan isi", "wajib", "coba lagi", "habis",
	"hiba", "hibás", "sikertelen", "nem sikerült", "érvénytelen", "kérjük", "kötelező", "próbálja", "elfogyott", "eroare", "eșuat", "nevalid", "nu s a putut", "vă rugăm", "obligatoriu", "încercați", "σφάλμα", "απέτυχε", "άκυρ-", "παρακαλ-", "υποχρεωτικ-", "δοκιμάστε", "δεν ήταν δυνατ-",
}

// Words that turn what was done into what was not.
var noWords = vocabulary.List{
	"not", "no", "never", "nothing", "didn t", "wasn t", "isn t", "hasn t", "nicht", "kein-", "nie", "pas", "aucun-", "jamais", "ne", "n", "nada", "nunca", "ningún", "ninguna", "não", "nenhum-", "non", "nessun-", "mai", "niet", "geen", "inte", "ingen", "ikke", "ei", "ni", "ne", "není", "žádn-", "nie", "żadn-", "brak",
	"не", "нет", "ни", "нельзя", "ні", "değil", "yok", "hiç", "ない", "ません", "なし", "不", "没", "未", "無", "沒", "안", "못", "없", "아니", "لا", "لم", "لن", "ليس", "לא", "אין", "नहीं", "मत", "ไม่", "không", "chưa", "tidak", "belum", "nem", "nincs", "nu", "δεν", "μη",
}

// What pages say when something was done.
var goodWords = vocabulary.List{
	// English
	"saved", "success", "successful", "successfully", "sent", "added", "created", "updated", "deleted", "removed", "thank you", "thanks", "confirmed", "completed", "complete", "submitted", "received", "copied", "subscribed", "registered", "booked", "archived", "published", "uploaded", "applied", "joined", "ordered", "order placed", "moved", "restored", "reset", "unsubscribed", "enabled", "disabled", "activated", "signed in", "logged in", "accepted", "posted", "shared", "downloaded", "imported", "changed", "renamed", "paid",
	// German
	"gespeichert", "erfolgreich-", "gesendet", "hinzugefügt", "erstellt", "aktualisiert", "gelöscht", "entfernt", "danke", "vielen dank", "bestätigt", "abgeschlossen", "eingegangen", "erhalten", "kopiert", "angemeldet", "registriert", "gebucht", "veröffentlicht", "übernommen", "geändert", "verschickt", "versendet", "archiviert", "aktiviert", "deaktiviert", "bestellt", "reserviert",
	// French
	"enregistré-", "succès", "envoyé-", "ajouté-", "créé-", "mis à jour", "mise à jour", "supprimé-", "merci", "confirmé-", "terminé-", "reçu-", "copié-", "inscrit-", "inscription confirmée", "réservé-", "publié-", "modifié-", "archivé-", "activé-", "désactivé-", "validé-",
	// Spanish
	"guardad-", "éxito", "enviad-", "añadid-", "agregad-", "cread-", "actualizad-", "eliminad-", "borrad-", "gracias", "confirmad-", "completad-", "recibid-", "copiad-", "suscrit-", "reservad-", "publicad-", "modificad-", "archivad-", "activad-", "desactivad-", "registrad-", "quitad-", "movid-",
	// Portuguese
	"salvo", "salva", "salvos", "salvas", "sucesso", "enviad-", "adicionad-", "criad-", "atualizad-", "excluíd-", "removid-", "obrigado", "obrigada", "concluíd-", "recebid-", "inscrit-", "alterad-", "arquivad-", "ativad-", "desativad-",
	// Italian
	"salvat-", "successo", "inviat-", "aggiunt-", "creat-", "aggiornat-", "eliminat-", "rimoss-", "grazie", "confermat-", "completat-", "ricevut-", "iscritt-", "prenotat-", "pubblicat-", "modificat-", "archiviat-", "attivat-", "disattivat-",
	// Dutch
	"opgeslagen", "gelukt", "verzonden", "toegevoegd", "aangemaakt", "bijgewerkt", "verwijderd", "bedankt", "bevestigd", "voltooid", "ontvangen", "gekopieerd", "ingeschreven", "geboekt", "gereserveerd", "gewijzigd", "gepubliceerd",
	// Polish, Czech, Slovak
	"zapisan-", "pomyśln-", "wysłan-", "dodan-", "utworzon-", "zaktualizowan-", "usunięt-", "dziękuj-", "potwierdzon-", "zakończon-", "skopiowan-", "zarezerwowan-", "opublikowan-", "zmienion-", "przyjęt-", "uložen-", "úspěšn-", "odeslán-", "přidán-", "vytvořen-", "aktualizován-", "smazán-", "odstraněn-", "děkujeme", "potvrzen-", "dokončen-", "zkopírován-",
	// Swedish, Danish, Norwegian, Finnish
	"sparad-", "sparat", "skickat", "skickad-", "tillagd", "lagts till", "skapad-", "uppdaterad-", "borttag-", "raderad-", "tack", "bekräftad-", "klart", "kopierad-", "bokad-", "gemt", "sendt", "tilføjet", "oprettet", "opdateret", "slettet", "fjernet", "bekræftet", "kopieret", "lagret", "lagt til", "opprettet", "oppdatert", "bekreftet", "kopiert", "takk", "tallennettu", "lähetetty", "lisätty", "luotu", "päivitetty", "poistettu", "kiitos", "vahvistettu", "valmis", "kopioitu",
	// Russian, Ukrainian
	"сохранен-", "сохранён-", "успешн-", "отправлен-", "добавлен-", "создан-", "обновлен-", "обновлён-", "удален-", "удалён-", "спасибо", "подтвержден-", "подтверждён-", "принят-", "скопирован-", "забронирован-", "опубликован-", "получен-", "готово", "изменен-", "изменён-", "оформлен-", "учтен", "учтён", "збережен-", "успішн-", "надіслан-", "додан-", "створен-", "оновлен-", "видален-", "дякуємо", "підтверджен-", "скопійован-",
	// Turkish
	"kaydedildi", "başarıyla", "gönderildi", "eklendi", "oluşturuldu", "güncellendi", "silindi", "teşekkür-", "onaylandı", "tamamlandı", "alındı", "kopyalandı", "yapıldı", "yayınlandı", "kaldırıldı", "değiştirildi",
	// Japanese, Chinese, Korean
	"保存しました", "保存され", "成功", "送信しました", "送信され", "追加しました", "追加され", "登録しました", "登録され", "更新しました", "更新され", "削除しました", "削除され", "ありがとう", "完了", "確定しました", "確定され", "コピーしました", "予約しました", "受け付け", "公開しました", "承りました", "変更しました",
	"已保存", "已发送", "已添加", "已加入", "已创建", "已更新", "已删除", "谢谢", "感谢", "已确认", "已完成", "已提交", "已复制", "已订阅", "已预订", "已发布", "已收到", "已修改", "已儲存", "已送出", "已新增", "已刪除", "謝謝",
	"저장되었", "저장했", "저장됨", "성공", "전송되었", "전송했", "보냈습니다", "추가되었", "추가했", "생성되었", "업데이트되었", "삭제되었", "삭제했", "감사합니다", "확인되었", "완료", "접수", "복사되었", "복사했", "예약되었", "등록되었", "변경되었", "담았습니다", "담겼습니다",
	// Arabic, Hebrew, Hindi, Thai
	"تم", "تمت", "بنجاح", "شكراً", "شكرا", "وصل", "وصلت", "نجح", "נשמר", "נשמרה", "נשלח", "נשלחה", "נוסף", "נוספה", "נמחק", "תודה", "אושר", "הושלם", "בהצלחה", "הועתק",
	"सहेजा गया", "सहेजा", "सफल", "सफलतापूर्वक", "भेजा गया", "भेज दिया", "जोड़ा गया", "जोड़ दिया", "धन्यवाद", "हटाया गया", "हटा दिया", "पूर्ण", "पुष्टि", "हो गया", "हो गई", "บันทึกแล้ว", "สำเร็จ", "ส่งแล้ว", "เพิ่มแล้ว", "ขอบคุณ", "ลบแล้ว",
	// Vietnamese, Indonesian, Hungarian, Romanian, Greek
	"đã lưu", "thành công", "đã gửi", "đã thêm", "đã xóa", "cảm ơn", "hoàn tất", "tersimpan", "disimpan", "berhasil", "terkirim", "ditambahkan", "dihapus", "terima kasih", "selesai", "disalin",
	"elmentve", "sikeresen", "elküldve", "hozzáadva", "törölve", "köszönjük", "megerősítve", "salvat", "trimis", "adăugat", "șters", "mulțumim", "confirmat", "αποθηκεύτηκ-", "επιτυχ-", "στάλθηκ-", "προστέθηκ-", "διαγράφηκ-", "ευχαριστ-",
}

// What pages say while something is under way.
var busyWords = vocabulary.List{
	"loading", "please wait", "saving", "sending", "processing", "searching", "submitting", "uploading", "downloading", "connecting", "verifying", "just a moment", "one moment", "in progress", "pending",
	"wird geladen", "laden", "lädt", "bitte warten", "wird gespeichert", "wird gesendet", "werden gesucht", "wird gesucht", "wird verarbeitet", "einen moment",
	"chargement", "patientez", "en cours", "cargando", "espere", "enviando", "guardando", "procesando", "buscando", "carregando", "aguarde", "salvando", "processando", "caricamento", "attendere", "invio in corso", "salvataggio", "bezig", "even geduld",
	"ładowanie", "wczytywanie", "proszę czekać", "trwa", "wysyłanie", "zapisywanie", "načítání", "čekejte", "laddar", "vänta", "indlæser", "vent venligst", "laster", "ladataan", "odota",
	"загрузка", "загружа-", "подождите", "отправка", "отправляем", "сохранение", "сохраняем", "ищем", "обработка", "завантаження", "зачекайте",
	"yükleniyor", "bekleyin", "gönderiliyor", "kaydediliyor", "işleniyor", "aranıyor",
	"読み込み中", "お待ちください", "送信中", "保存中", "処理中", "検索中", "確認中", "加载中", "请稍候", "请稍等", "正在", "提交中", "处理中", "保存中", "載入中", "로딩", "불러오는 중", "처리 중", "전송 중", "저장 중", "잠시만", "검색 중",
	"جارٍ", "جاري", "انتظر", "טוען", "רגע", "लोड हो", "प्रतीक्षा", "भेजा जा रहा", "กำลัง", "đang", "memuat", "tunggu", "betöltés", "se încarcă", "φόρτωση",
}

// What asks to wait, with the please of its language before it.
var waitWords = vocabulary.List{
	"please wait", "bitte warten", "veuillez patienter", "veuillez attendre", "por favor espere", "por favor espera", "por favor aguarde", "per favore attendi", "per favore attendere", "proszę czekać", "proszę poczekać",
	"lütfen bekleyin", "lütfen bekleyiniz", "يرجى الانتظار", "الرجاء الانتظار", "אנא המתן", "אנא המתינו", "कृपया प्रतीक्षा", "กรุณารอ", "โปรดรอ", "vui lòng chờ", "vui lòng đợi", "harap tunggu", "kérjük várjon", "vă rugăm așteptați", "vă rugăm să așteptați", "παρακαλώ περιμένετε",
}

// What controls are called that close what is open.
var closeWords = vocabulary.List{
	"close", "cancel", "dismiss", "discard", "hide", "got it", "not now", "no thanks", "skip", "back", "collapse", "less", "accept", "reject", "decline", "continue without",
	"schließen", "abbrechen", "verwerfen", "ausblenden", "später", "nein danke", "zurück", "einklappen", "weniger", "akzeptieren", "ablehnen", "fermer", "annuler", "masquer", "plus tard", "non merci", "retour", "refuser", "accepter", "sans accepter",
	"cerrar", "cancelar", "descartar", "ocultar", "volver", "rechazar", "aceptar", "fechar", "voltar", "recusar", "aceitar", "dispensar", "chiudi", "annulla", "nascondi", "indietro", "rifiuta", "accetta", "sluiten", "annuleren", "verbergen", "terug", "weigeren", "accepteren",
	"zamknij", "anuluj", "ukryj", "wstecz", "odrzuć", "akceptuj", "zavřít", "zrušit", "stäng", "avbryt", "luk", "annuller", "lukk", "sulje", "peruuta", "закрыть", "отмена", "отменить", "скрыть", "назад", "отклонить", "принять", "закрити", "скасувати",
	"kapat", "iptal", "vazgeç", "gizle", "geri", "reddet", "kabul et", "閉じる", "キャンセル", "戻る", "取消", "关闭", "關閉", "返回", "拒绝", "接受", "닫기", "취소", "뒤로", "거부", "동의", "إغلاق", "إلغاء", "رجوع", "رفض", "قبول", "סגור", "ביטול", "बंद करें", "रद्द करें", "वापस जाएँ", "वापस जाएं", "vrátit se", "vrátiť sa", "zpět", "ปิด", "ยกเลิก", "đóng", "hủy", "tutup", "batal", "bezárás", "mégse", "închide", "anulează", "κλείσιμο", "ακύρωση",
}

// What controls are called that empty a form or take a filter back.
var clearWords = vocabulary.List{
	"clear", "reset", "remove filter", "remove filters", "start over", "leeren", "zurücksetzen", "löschen", "effacer", "réinitialiser", "vider", "limpiar", "borrar", "restablecer", "limpar", "redefinir", "cancella", "azzera", "ripristina", "wissen", "wyczyść", "resetuj", "vymazat", "rensa", "ryd", "nullstill", "tyhjennä",
	"очистить", "сбросить", "очистити", "temizle", "sıfırla", "クリア", "リセット", "消去", "清空", "清除", "重置", "지우기", "초기화", "مسح", "إعادة تعيين", "נקה", "साफ़", "ล้าง", "xóa", "hapus", "törlés", "șterge", "καθαρισμός",
}

// What controls are called that stand for all of a list.
var wholeWords = vocabulary.List{
	"all", "everything", "everyone", "everybody", "jeden", "tout le monde", "todo el mundo", "iedereen", "wszystkich", "hver", "jokainen", "herkesi", "みんな", "大家", "모두", "alle", "alles", "tout", "tous", "toutes", "todo", "todos", "todas", "tudo", "tutto", "tutti", "tutte", "wszystkie", "wszystko", "vše", "všechny", "alla", "kaikki", "все", "всё", "всі", "tümü", "tümünü", "hepsi", "hepsini", "すべて", "全て", "全部", "全选", "全選", "全体", "모두", "전체", "الكل", "كل", "הכל", "सभी", "ทั้งหมด", "tất cả", "semua", "összes", "toate", "όλα",
	"sämtliche", "gesamt-", "ensemble", "entier", "por completo", "alles selecteren", "wszystkich", "všech", "všetky", "všetko", "samtliga", "samtlige", "allt", "koko", "весь", "вся", "всех", "всю", "усі", "усе", "всіх", "tüm", "bütün", "herkes", "一括", "全員", "全件", "所有", "整個", "全數", "일괄", "전부", "모든", "جميع", "همه", "تمام", "כל", "सब", "सारे", "सारी", "समस्त", "ทุก", "toàn bộ", "mọi", "seluruh", "mindet", "minden", "toți", "όλες", "όλους", "όλοι", "ολ-", "sve", "svi", "sva", "всички", "kõik", "visi", "visas",
}

// What controls are called that sort or narrow a list: they have to bring a
// change of it.
var narrowWords = vocabulary.List{
	"sort", "order by", "sort by", "filter", "only", "show", "per page", "view", "sortieren", "sortierung", "filtern", "nur", "anzeigen", "trier", "tri", "filtrer", "seulement", "uniquement", "afficher", "ordenar", "orden", "filtrar", "solo", "sólo", "mostrar", "apenas", "somente", "ordina", "filtra", "mostra", "sorteren", "sorteer", "filteren", "alleen", "toon", "sortuj", "filtruj", "tylko", "pokaż", "seřadit", "jen", "pouze", "sortera", "endast", "sorter", "kun", "vain", "järjestä",
	"сортировка", "сортировать", "фильтр", "только", "показать", "сортувати", "тільки", "sırala", "sıralama", "filtre", "filtrele", "sadece", "yalnızca", "göster", "並び順", "並べ替え", "絞り込", "のみ", "だけ", "排序", "筛选", "篩選", "仅", "只", "정렬", "필터", "만 보기", "보기", "ترتيب", "تصفية", "فقط", "عرض", "מיון", "סינון", "רק", "क्रम", "फ़िल्टर", "केवल", "เรียง", "กรอง", "เฉพาะ", "sắp xếp", "lọc", "chỉ", "urutkan", "saring", "hanya", "rendezés", "szűrés", "csak", "sortare", "filtrare", "doar", "ταξινόμηση", "μόνο",
}

// What controls are called whose work leaves nothing to read: colours, sizes,
// sound, the clipboard, paper, the place on the page.
var tracelessWords = vocabulary.List{
	"theme", "appearance", "dark", "light mode", "bold", "italic", "rotate", "flip", "drehen", "pivoter", "girar", "ruota", "draaien", "obróć", "повернуть", "döndür", "回転", "旋转", "회전", "letters", "larger", "smaller", "contrast", "font", "text size", "zoom", "colour", "color", "copy", "print", "play", "pause", "mute", "volume", "full screen", "fullscreen", "scroll", "top", "share",
	"dunkel-", "hell-", "kontrast", "schrift-", "farbe", "kopieren", "drucken", "abspielen", "stumm", "nach oben", "vollbild", "teilen", "thème", "sombre", "contraste", "taille du texte", "couleur", "copier", "imprimer", "lecture", "muet", "haut de page", "plein écran", "partager",
	"tema", "oscuro", "tamaño", "copiar", "imprimir", "reproducir", "silenciar", "arriba", "pantalla completa", "compartir", "escuro", "tamanho", "reproduzir", "silenciar", "topo", "tela cheia", "compartilhar", "scuro", "dimensione", "copia", "stampa", "riproduci", "muto", "condividi", "thema", "donker", "kopiëren", "afdrukken", "afspelen", "dempen", "delen",
	"motyw", "ciemny", "kopiuj", "drukuj", "odtwórz", "wycisz", "udostępnij", "тема", "тёмн-", "темн-", "шрифт", "скопировать", "печать", "воспроизвести", "звук", "наверх", "поделиться", "tema", "koyu", "yazı boyutu", "kopyala", "yazdır", "oynat", "sessiz", "paylaş",
	"ダーク", "テーマ", "文字", "コピー", "印刷", "再生", "一時停止", "ミュート", "拡大", "縮小", "共有", "深色", "主题", "字体", "字号", "复制", "打印", "播放", "暂停", "静音", "分享", "放大", "缩小", "다크", "테마", "글자", "복사", "인쇄", "재생", "음소거", "공유", "확대", "축소", "الوضع الليلي", "نسخ", "طباعة", "تشغيل", "كتم", "مشاركة", "תצוגה", "העתק", "הדפס", "डार्क", "थीम", "कॉपी", "प्रिंट", "चलाएं",
}

// What controls are called that start and stop what plays. Their own word for it
// comes before the sound does.
var mediaWords = vocabulary.List{
	"start", "stop", "resume", "starten", "stoppen", "démarrer", "arrêter", "iniciar", "detener", "parar", "avvia", "ferma", "uruchom", "zatrzymaj", "запустить", "остановить", "başlat", "durdur", "開始", "停止", "开始", "시작", "정지",
	"play", "pause", "mute", "unmute", "record", "abspielen", "wiedergabe", "pausieren", "stumm", "lecture", "lire", "muet", "reproducir", "silenciar", "reproduzir", "riproduci", "muto", "afspelen", "dempen", "odtwórz", "wycisz", "přehrát", "spela", "afspil", "spill av", "toista", "воспроизвести", "слушать", "звук", "відтворити", "oynat", "duraklat", "sessiz",
	"再生", "一時停止", "ミュート", "播放", "暂停", "静音", "暫停", "재생", "일시정지", "음소거", "تشغيل", "إيقاف", "كتم", "נגן", "השהה", "चलाएं", "เล่น", "phát", "putar", "lejátszás", "redare", "αναπαραγωγή",
}

// What controls are called whose work has to reach a server to be of use: what the
// page shows of it by itself may be taken back.
var keepWords = vocabulary.List{
	"like", "unlike", "follow", "unfollow", "following", "favorite", "favourite", "favorites", "favourites", "wishlist", "wish list", "bookmark", "subscribe", "watch", "star", "save", "vote", "upvote", "join", "notify", "notifications", "remind", "post", "publish", "comment", "reply", "send", "archive", "delete",
	"gefällt", "folgen", "favorit-", "merken", "gemerkt", "merkliste", "wunschliste", "lesezeichen", "abonnieren", "speichern", "beobachten", "senden", "veröffentlichen", "archivieren", "löschen", "aime", "suivre", "favori", "favoris", "liste d envies", "s abonner", "enregistrer", "sauvegarder", "publier", "envoyer", "archiver", "supprimer",
	"me gusta", "seguir", "favorit-", "lista de deseos", "suscribir-", "guardar", "publicar", "enviar", "archivar", "eliminar", "curtir", "salvar", "inscrever-", "arquivar", "excluir", "mi piace", "segui", "preferit-", "lista dei desideri", "iscriviti", "salva", "pubblica", "invia", "archivia", "elimina", "vind ik leuk", "volgen", "favoriet-", "verlanglijst", "abonneren", "opslaan", "bewaren", "plaatsen", "versturen", "verwijderen",
	"lubię", "obserwuj", "ulubion-", "zapisz", "subskrybuj", "opublikuj", "wyślij", "usuń", "sledovat", "oblíben-", "uložit", "odeslat", "smazat", "gilla", "följ", "favorit-", "spara", "prenumerera", "publicera", "skicka", "radera", "synes godt om", "følg", "gem", "lagre", "tykkää", "seuraa", "suosikk-", "tallenna", "lähetä", "poista",
	"нравится", "лайк-", "подписаться", "избранн-", "сохранить", "опубликовать", "отправить", "удалить", "архив-", "подобається", "підписатися", "обран-", "зберегти", "надіслати", "видалити", "beğen", "takip", "favori", "favorilere", "kaydet", "abone", "yayınla", "gönder", "sil",
	"いいね", "フォロー", "お気に入り", "保存", "登録", "投稿", "送信", "削除", "点赞", "赞", "关注", "收藏", "订阅", "发布", "发送", "删除", "喜歡", "追蹤", "最愛", "儲存", "좋아요", "팔로우", "즐겨찾기", "찜", "구독", "저장", "게시", "보내기", "삭제", "إعجاب", "متابعة", "المفضلة", "اشترك", "حفظ", "نشر", "إرسال", "حذف", "אהבתי", "עקוב", "מועדפים", "שמור", "פרסם", "שלח", "מחק",
	"पसंद", "फ़ॉलो", "सहेजें", "भेजें", "हटाएँ", "ถูกใจ", "ติดตาม", "บันทึก", "ส่ง", "ลบ", "thích", "theo dõi", "lưu", "gửi", "xóa", "suka", "ikuti", "favorit", "simpan", "kirim", "hapus", "tetszik", "követ-", "kedvenc-", "mentés", "küldés", "törlés", "apreciază", "urmărește", "salvează", "trimite", "șterge", "μου αρέσει", "ακολουθ-", "αγαπημέν-", "αποθήκευση", "αποστολή", "διαγραφή",
}

// What controls are called that search.
var seekWords = vocabulary.List{
	"search", "find", "look up", "suche", "suchen", "finden", "rechercher", "recherche", "chercher", "trouver", "buscar", "búsqueda", "encontrar", "pesquisar", "procurar", "cerca", "trova", "zoek", "zoeken", "vind", "szukaj", "znajdź", "wyszukaj", "hledat", "vyhledat", "hľadať", "sök", "søg", "søk", "finn", "haku", "hae", "etsi",
	"искать", "найти", "поиск", "шукати", "знайти", "пошук", "ara", "bul", "検索", "探す", "搜索", "查找", "搜尋", "查詢", "查询", "검색", "찾기", "بحث", "ابحث", "חיפוש", "חפש", "खोज-", "खोजें", "ค้นหา", "tìm", "tìm kiếm", "cari", "keresés", "kereső", "căutare", "caută", "αναζήτηση", "جستجو", "sorgula", "track", "look it up", "verfolgen", "abfragen", "consulter", "consultar", "verifica", "sprawdź", "проверить", "перевірити", "追跡", "追踪", "조회", "استعلام", "tra cứu",
}

// keepSigns stand for such words.
const keepSigns = "♡♥❤☆★👍👎🔖"

// What buttons are called that send what was entered.
var sendWords = vocabulary.List{
	"save", "submit", "send", "create", "subscribe", "log in", "sign in", "register", "sign up", "confirm", "apply", "continue", "next", "finish", "update", "order", "book", "pay", "publish", "post", "request", "reserve", "place bid", "donate",
	"speichern", "abonnieren", "anwenden", "absenden", "senden", "anlegen", "erstellen", "registrieren", "bestätigen", "weiter", "fertigstellen", "abschicken", "abschließen", "bestellen", "buchen", "bezahlen", "beantragen", "einreichen", "anmelden", "übernehmen", "enregistrer", "envoyer", "appliquer", "s abonner", "se connecter", "valider", "confirmer", "continuer", "suivant", "commander", "réserver", "payer", "s inscrire", "créer", "publier",
	"guardar", "enviar", "aplicar", "suscribirse", "crear", "registrar-", "confirmar", "continuar", "siguiente", "finalizar", "pedir", "reservar", "pagar", "publicar", "solicitar", "salvar", "criar", "cadastrar", "próximo", "avançar", "concluir", "comprar", "salva", "invia", "applica", "iscriviti", "accedi", "crea", "registrati", "conferma", "continua", "avanti", "ordina", "prenota", "paga", "pubblica", "richiedi", "opslaan", "toepassen", "inschrijven", "abonneren", "versturen", "verzenden", "aanmaken", "registreren", "bevestigen", "doorgaan", "volgende", "bestellen", "boeken", "betalen", "aanvragen",
	"zapisz", "wyślij", "utwórz", "zarejestruj", "potwierdź", "dalej", "zamów", "zarezerwuj", "zapłać", "złóż", "uložit", "odeslat", "vytvořit", "registrovat", "potvrdit", "pokračovat", "další", "objednat", "zaplatit", "spara", "anmäl", "tillämpa", "skicka", "skapa", "registrera", "bekräfta", "fortsätt", "nästa", "slutför", "beställ", "boka", "betala", "ansök", "gem", "tilmeld", "anvend", "indsend", "opret", "bekræft", "næste", "bestil", "lagre", "send inn", "opprett", "bekreft", "neste", "bestill", "tallenna", "lähetä", "luo", "vahvista", "jatka", "seuraava", "tilaa", "varaa", "maksa",
	"сохранить", "применить", "подписаться", "отправить", "создать", "зарегистрироваться", "подтвердить", "продолжить", "далее", "заказать", "забронировать", "оплатить", "зберегти", "надіслати", "створити", "зареєструватися", "підтвердити", "далі", "замовити", "оплатити", "kaydet", "uygula", "abone ol", "gönder", "oluştur", "kayıt ol", "kaydol", "onayla", "devam", "ileri", "tamamla", "sipariş", "rezervasyon", "öde", "başvur",
	"保存", "送信", "作成", "登録", "確認", "次へ", "進む", "完了", "注文", "予約する", "支払", "申し込", "提交", "发送", "创建", "注册", "确认", "下一步", "下单", "预订", "支付", "申请", "儲存", "送出", "建立", "確定", "저장", "보내기", "제출", "만들기", "가입", "확인", "다음", "주문", "예약하기", "결제", "신청", "حفظ", "إرسال", "إنشاء", "تسجيل", "تأكيد", "متابعة", "التالي", "اطلب", "احجز", "ادفع", "שמור", "שלח", "צור", "אישור", "המשך", "הבא", "הזמן", "שלם",
	"सहेजें", "भेजें", "जमा करें", "पंजीकरण", "पुष्टि", "आगे", "บันทึก", "ส่ง", "สร้าง", "ยืนยัน", "ถัดไป", "สั่งซื้อ", "จอง", "lưu", "gửi", "tạo", "đăng ký", "xác nhận", "tiếp tục", "đặt hàng", "thanh toán", "simpan", "kirim", "buat", "daftar", "konfirmasi", "lanjut", "pesan", "bayar", "mentés", "küldés", "létrehozás", "regisztráció", "megerősítés", "tovább", "megrendelés", "foglalás", "fizetés", "salvează", "trimite", "creează", "confirmă", "continuă", "comandă", "αποθήκευση", "αποστολή", "υποβολή", "εγγραφή", "επιβεβαίωση", "συνέχεια", "παραγγελία", "πληρωμή", "ثبت", "ارسال", "ذخیره", "تایید", "ادامه", "بعدی", "پرداخت",
}

// What controls are called that go on, to the next step of a form or the next page.
var nextWords = vocabulary.List{
	"next", "weiter", "nächste-", "suivant-", "siguiente", "próxim-", "avanti", "successiv-", "prossim-", "volgende", "następn-", "další", "ďalš-", "nästa", "næste", "neste", "seuraava", "следующ-", "наступн-", "sonraki", "ileri", "次", "下一", "다음", "التالي", "التالية", "הבא", "הבאה", "अगला", "अगली", "ถัดไป", "tiếp", "berikutnya", "következő", "următor-", "επόμεν-",
}

// What controls are called that move one of several up or down, and earlier or later.
var (
	upWords = vocabulary.List{
		"up", "higher", "earlier", "hoch", "nach oben", "aufwärts", "vorziehen", "monter", "vers le haut", "plus haut", "subir", "arriba", "para cima", "acima", "su", "sopra", "in alto", "omhoog", "w górę", "wyżej", "nahoru", "výš", "hore", "upp", "uppåt", "flytta upp", "op", "opp", "ylös", "выше", "вверх", "вгору", "вище", "yukarı", "上へ", "上に", "上げる", "上移", "위로", "لأعلى", "أعلى", "למעלה", "ऊपर", "ขึ้น", "lên", "naik", "fel", "felfelé", "sus", "πάνω", "بالا",
	}
	downWords = vocabulary.List{
		"down", "lower", "later", "runter", "nach unten", "abwärts", "descendre", "vers le bas", "plus bas", "bajar", "abajo", "para baixo", "abaixo", "giù", "sotto", "in basso", "omlaag", "w dół", "niżej", "dolů", "níž", "dole", "ner", "nedåt", "ned", "alas", "ниже", "вниз", "нижче", "aşağı", "下へ", "下に", "下げる", "下移", "아래로", "لأسفل", "أسفل", "למטה", "नीचे", "ลง", "xuống", "turun", "le", "lefelé", "jos", "κάτω", "پایین",
	}
)

// What controls are called that tell more of something.
var tellWords = vocabulary.List{
	"details", "detail", "more", "info", "information", "help", "about", "hint", "tip", "show", "view", "read", "explain", "why", "what", "preview", "answer",
	"einzelheiten", "mehr", "hilfe", "anzeigen", "hinweis", "erklär-", "détail-", "plus", "aide", "voir", "afficher", "détalles", "detalle-", "más", "ver", "ayuda", "detalhe-", "mais", "ajuda", "dettagli-", "altro", "vedi", "mostra", "aiuto", "meer", "bekijk", "toon", "uitleg", "szczegóły", "więcej", "pokaż", "pomoc", "podrobnost-", "více", "zobrazit", "detalj-", "mer", "visa", "vis", "mere", "hjælp", "hjälp", "lisä-", "tiedot", "näytä",
	"подробн-", "ещё", "еще", "показать", "справка", "детальн-", "більше", "показати", "detay-", "daha", "göster", "yardım", "詳細", "もっと", "説明", "ヘルプ", "表示", "详情", "更多", "详细", "帮助", "查看", "說明", "상세", "자세히", "더보기", "도움말", "보기", "تفاصيل", "المزيد", "عرض", "مساعدة", "פרטים", "עוד", "הצג", "विवरण", "और", "दिखाएँ", "मदद", "รายละเอียด", "ดู", "chi tiết", "xem", "selengkapnya", "bantuan", "lihat", "részlet-", "mutat-", "detali-", "arată", "λεπτομέρει-", "δείτε", "جزئیات",
}

// What controls are called that bring a file.
var fileWords = vocabulary.List{
	"download", "herunterladen", "télécharger", "descargar", "baixar", "descarregar", "transferir", "scarica", "downloaden", "pobierz", "stáhnout", "stiahnuť", "ladda ner", "last ned", "hent", "lataa", "скачать", "загрузить", "завантажити", "indir", "ダウンロード", "下载", "下載", "다운로드", "내려받기", "تحميل", "تنزيل", "הורד", "डाउनलोड", "ดาวน์โหลด", "tải xuống", "tải về", "unduh", "letöltés", "descarcă", "λήψη", "دانلود",
}

// What controls are called that take back what was done.
var undoWords = vocabulary.List{
	"undo", "restore", "rückgängig", "wiederherstellen", "annuler la suppression", "rétablir", "deshacer", "restaurar", "desfazer", "ripristina", "ongedaan", "herstellen", "cofnij", "przywróć", "zpět", "ångra", "fortryd", "angre", "kumoa", "отменить", "вернуть", "восстановить", "скасувати", "відновити", "geri al", "元に戻す", "撤销", "恢复", "실행 취소", "되돌리기", "تراجع", "בטל", "पूर्ववत", "เลิกทำ", "hoàn tác", "urungkan", "visszavonás", "anulează", "αναίρεση",
	"bring back", "put back", "revert", "recover", "zurückholen", "zurücknehmen", "remettre", "récupérer", "recuperar", "revertir", "reverter", "recupera", "annulla operazione", "terugzetten", "terughalen", "odzyskaj", "vrátit", "obnovit", "vrátiť", "obnoviť", "återställ", "gendan", "gjenopprett", "palauta", "верни", "вернуть назад", "повернути", "geri yükle", "geri getir", "取り消す", "取り消し", "復元", "戻す", "还原", "復原", "撤回", "撤銷", "복구", "복원", "실행취소", "استعادة", "استرجاع", "بازگردانی", "واگرد", "שחזר", "החזר", "वापस", "बहाल", "กู้คืน", "khôi phục", "kembalikan", "pulihkan", "visszaállítás", "visszahoz-", "restabilește", "recuperează", "επαναφορά", "poništi", "vrati", "отмени", "възстанови",
}

// What the heading of a page says that only lets in who is known.
var signInWords = vocabulary.List{
	"log in", "login", "sign in", "signin", "anmelden", "anmeldung", "einloggen", "connexion", "se connecter", "identifiez vous", "iniciar sesión", "inicia sesión", "entrar", "iniciar sessão", "accedi", "accesso", "inloggen", "aanmelden", "zaloguj", "logowanie", "přihlášení", "přihlásit", "logga in", "log ind", "logg inn", "kirjaudu", "войти", "вход", "войдите", "увійти", "вхід", "giriş yap", "giriş", "oturum aç", "ログイン", "登录", "登入", "登錄", "로그인", "تسجيل الدخول", "התחברות", "כניסה", "लॉग इन", "เข้าสู่ระบบ", "đăng nhập", "masuk", "bejelentkezés", "autentificare", "σύνδεση",
}

// What the heading of a page says that is not there.
var noPageWords = vocabulary.List{
	"not found", "has moved", "no longer exists", "does not exist", "doesn t exist", "removed", "gone", "denied", "can t find", "cannot find", "nicht gefunden", "existiert nicht", "entfernt", "verweigert", "introuvable", "n existe pas", "supprimée", "refusé", "no encontrad-", "no existe", "denegado", "não encontrad-", "não existe", "negado", "non trovat-", "non esiste", "rimoss-", "negato", "niet gevonden", "bestaat niet", "geweigerd", "nie znaleziono", "nie istnieje", "odmowa", "nenalezen-", "hittades inte", "finns inte", "ikke fundet", "ikke funnet", "ei löydy", "не найден-", "не существует", "запрещ-", "не знайден-", "не існує", "bulunamadı", "engellendi", "見つかりません", "存在しません", "未找到", "不存在", "找不到", "찾을 수 없", "존재하지", "غير موجود-", "لم يتم العثور", "לא נמצא", "नहीं मिला", "ไม่พบ", "không tìm thấy", "tidak ditemukan", "nem található", "nu a fost găsit-", "δεν βρέθηκε",
}

// What links are called that lead to one's own account, where whoever is not known
// is asked who it is.
var accountWords = vocabulary.List{
	"account", "profile", "konto", "compte", "cuenta", "conta", "mitt konto", "rekening", "účet", "tili", "аккаунт", "кабинет", "кабінет", "hesap", "hesabım", "マイページ", "アカウント", "账户", "账号", "帳戶", "계정", "마이페이지", "حساب", "حسابي", "חשבון", "खाता", "บัญชี", "tài khoản", "akun", "fiók", "cont", "λογαριασμός",
}

// What controls and pages are called that let somebody in.
var loginWords = vocabulary.List{
	"login", "log in", "sign in", "signin", "anmelden", "einloggen", "connexion", "se connecter", "iniciar sesión", "acceder", "entrar", "accedi", "accesso", "inloggen", "aanmelden", "zaloguj", "logowanie", "přihlásit", "logga in", "log ind", "logg inn", "kirjaudu", "войти", "вход", "увійти", "giriş", "oturum aç", "ログイン", "登录", "登錄", "登入", "로그인", "تسجيل الدخول", "דخول", "כניסה", "התחבר", "लॉग इन", "เข้าสู่ระบบ", "đăng nhập", "masuk", "bejelentkezés", "autentificare", "σύνδεση", "register", "sign up", "registrieren", "s inscrire", "registrarse", "kaydol", "регистрация", "会員登録", "注册", "회원가입",
}
