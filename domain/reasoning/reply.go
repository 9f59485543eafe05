package reasoning

import (
	"slices"
	"strings"
	"unicode"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/vocabulary"
)

// Replies to the question whether something worked. A plain yes or no is a separate
// word; in scripts without spaces it is between punctuation.
var (
	noWords = []string{
		"no", "nope", "nah", "nein", "nö", "non", "não", "nao", "nee", "nie", "nej", "nei", "нет", "ні", "hayır", "いいえ", "不", "不是", "不对", "不對", "不行", "没", "没有", "沒有", "否",
		"아니", "아니요", "아니오", "لا", "לא", "नहीं", "ไม่", "ไม่ใช่", "không", "tidak", "nem", "όχι", "خیر",
	}
	yesWords = []string{
		"yes", "yep", "yeah", "yup", "ok", "okay", "sure", "correct", "right", "ja", "jawohl", "doch", "jo", "oui", "sí", "sim", "sì", "ano", "kyllä", "joo", "да", "так", "evet",
		"はい", "是", "是的", "对", "對", "对的", "예", "네", "نعم", "כן", "हाँ", "हां", "ใช่", "vâng", "có", "igen", "ναι", "بله",
	}
	// These are other words in other languages, and count at the beginning only.
	noAtFirst  = []string{"ne", "nu", "ei"}
	yesAtFirst = []string{"si", "tak", "ya", "da"}
	// Said by themselves.
	wholeYes = []string{"it did", "it was", "it is", "it has"}
	wholeNo  = []string{"it did not", "it didn t", "it was not", "it wasn t", "it is not", "it isn t", "it has not", "it hasn t"}
	notWords = vocabulary.List{
		"not", "isn t", "wasn t", "didn t", "doesn t", "hasn t", "never", "nicht", "pas", "niet", "inte", "ikke", "не", "değil", "ません", "ない", "没", "沒", "不", "안",
	}
	doneWords = vocabulary.List{
		"work", "worked", "works", "save", "saved", "done", "send", "sent", "placed", "confirmed", "funktioniert", "geklappt", "gespeichert", "gesendet", "marché", "marche", "enregistré", "envoyé",
		"gelukt", "gewerkt", "opgeslagen", "fungerade", "sparades", "virkede", "gemt", "fungerte", "lagret", "toimi", "сработал-", "сохран-", "отправ-", "çalıştı", "kaydedildi",
		"でき", "保存", "成功", "됐", "되었",
	}
	failedWords = vocabulary.List{"fail", "failed", "again", "retry", "nochmal", "失敗", "失败", "실패"}
	againWords  = vocabulary.List{"again", "retry", "nochmal", "noch einmal", "encore", "otra vez", "de nuevo", "ancora", "opnieuw", "ещё раз", "еще раз", "もう一度", "再"}
	unsureWords = vocabulary.List{
		"not sure", "unsure", "don t know", "no idea", "can t tell", "cannot tell", "can t see", "cannot see", "weiß nicht", "keine ahnung", "unsicher", "ne sais pas", "sais pas", "no sé", "no lo sé",
		"não sei", "non so", "non lo so", "weet ik niet", "weet niet", "nie wiem", "nevím", "vet inte", "ved ikke", "vet ikke", "en tiedä", "не знаю", "bilmiyorum", "わかりません", "分かりません", "不知道", "모르", "لا أعرف",
		// It may still come.
		"not yet", "noch nicht", "pas encore", "todavía no", "aún no", "ainda não", "non ancora", "nog niet", "jeszcze nie", "ještě ne", "inte än", "ikke endnu", "ikke ennå", "ei vielä",
		"ещё нет", "еще нет", "пока нет", "henüz değil", "まだ", "还没", "還沒", "아직", "ليس بعد", "עדיין לא", "अभी नहीं", "ยังไม่", "chưa", "belum", "még nem", "încă nu", "όχι ακόμα", "هنوز",
	}
)

// maxReply is the most words of a plain yes or no. A longer reply says more, which
// the reasoner has to read.
const maxReply = 8

// ReadReply reads a reply to "did it work?": True for a yes, False for a no or a
// request to try again, Unknown for anything else, including both and "not yet". It
// is careful, since a no taken for a yes ends an unfinished task and a yes taken for
// a no repeats it.
func ReadReply(text string) page.Truth {
	words := strings.FieldsFunc(strings.ToLower(page.Clean(text)), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) })
	if len(words) == 0 || len(words) > maxReply || unsureWords.In(text) {
		return page.Unknown
	}
	switch whole := strings.Join(words, " "); {
	case slices.Contains(wholeYes, whole):
		return page.True
	case slices.Contains(wholeNo, whole):
		return page.False
	}
	has := func(list, atFirst []string) bool {
		return slices.Contains(atFirst, words[0]) || slices.ContainsFunc(words, func(w string) bool { return slices.Contains(list, w) })
	}
	said := reply{
		yes: has(yesWords, yesAtFirst), no: has(noWords, noAtFirst),
		not: notWords.In(text), done: doneWords.In(text), failed: failedWords.In(text),
	}
	return said.truth()
}

// Declines reports whether a reply to "should I try again?" is a plain no without a
// request for another try.
func Declines(text string) bool {
	return ReadReply(text) == page.False && (!againWords.In(text) || notWords.In(text))
}

// reply is which words a reply contains.
type reply struct{ yes, no, not, done, failed bool }

func (r reply) truth() page.Truth {
	switch {
	case r.yes && (r.no || r.not || r.failed):
		return page.Unknown
	case r.yes:
		return page.True
	case r.no && r.done && !r.not: // no problem, it worked
		return page.Unknown
	case r.no:
		return page.False
	case r.done && r.failed, r.not && !r.done: // I have not looked
		return page.Unknown
	case r.not, r.failed:
		return page.False
	case r.done:
		return page.True
	}
	return page.Unknown
}
