package reasoning_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
)

func TestReadReply(t *testing.T) {
	t.Parallel()
	for want, replies := range map[page.Truth][]string{
		page.True: {
			"yes", "Yes.", "YES!", "yep", "ok", "Sure", "yes, it did", "it did", "It was.", "saved", "it worked", "Yes, it was saved", "  yes\n", "it did, yes",
			"ja", "Ja, hat geklappt", "hat funktioniert", "doch", "oui", "oui, c’est bon", "sí", "si", "Sí, se guardó", "sim", "sì, fatto", "ja hoor", "tak", "ano", "kyllä", "ja, det gick bra",
			"да", "Да, сохранилось", "сработало", "так", "evet", "はい", "はい、保存されました", "できました", "是", "是的，成功了", "对", "成功了", "네", "네, 됐어요", "예", "نعم", "כן", "हाँ", "ใช่", "vâng", "có", "ya", "igen", "da", "ναι", "بله",
		},
		page.False: {
			"no", "No.", "NOPE", "no, it failed", "it did not", "It didn't.", "it didn’t work", "not saved", "failed", "try again", "no, try again", "retry",
			"nein", "Nein, nochmal", "hat nicht geklappt", "nicht gespeichert", "non", "non, ça n’a pas marché", "pas enregistré", "no, no se guardó", "não", "não funcionou", "nee", "is niet gelukt", "nie", "ne", "nej", "nei", "ei", "ei toiminut",
			"нет", "не сработало", "hayır", "いいえ", "いいえ、できませんでした", "できませんでした", "失敗しました", "不是", "没有", "没有成功", "失败了", "아니요", "안 됐어요", "لا", "לא", "नहीं", "ไม่", "không", "tidak", "nem", "nu", "όχι", "خیر",
		},
		page.Unknown: {
			"", " ", "?", "…", "👍", "Jas", "use the other button", "what do you mean", "the second one", "wait",
			"not sure", "I don't know", "no idea", "I can't see it", "weiß nicht", "keine Ahnung", "je ne sais pas", "no sé", "não sei", "non so", "nie wiem", "nevím", "vet inte", "не знаю", "bilmiyorum", "わかりません", "不知道", "모르겠어요",
			"not yet", "noch nicht", "pas encore", "todavía no", "ainda não", "nog niet", "ещё нет", "henüz değil", "まだです", "还没有", "아직 안 됐어요", "chưa", "belum",
			"yes and no", "yes, but it failed", "yes, do not press again", "no problem, it worked", "ja nein", "да нет",
			"it is still loading", "it was rejected", "it has an error", "it did nothing", "I have not looked", "ich habe nicht geschaut", "je n’ai pas regardé", "fungerar nu", "nicht da", "ist da",
			"是错误", "总是这样", "对话框还在", "但是", "네트워크 오류", "예약 화면이에요",
			"yes please do also add the second patient named Kim to the list", strings.Repeat("no ", 9),
		},
	} {
		for _, r := range replies {
			if got := reasoning.ReadReply(r); got != want {
				t.Errorf("%q: %v, want %v", r, got, want)
			}
		}
	}
}

// Case, spaces and marks around it change nothing.
func TestReadReply_asItIsWritten(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"yes", "no", "ja", "да", "は い", "не сработало", "not yet"})).Draw(t, "reply")
		want := reasoning.ReadReply(text)
		for _, same := range []string{" " + text + "\n", text + ".", "“" + text + "”", text + " !"} {
			if got := reasoning.ReadReply(same); got != want {
				t.Fatalf("%q: %v, %q: %v", text, want, same, got)
			}
		}
	})
}
