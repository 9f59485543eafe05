package lexicon_test

import (
	"testing"

	"github.com/stepledger/stepledger/internal/costtest"
	"github.com/stepledger/stepledger/internal/reason/rules/lexicon"
)

// TestPolarity_Cost: what it costs to read a message grows no faster than it, whatever
// it repeats and in whatever language.
func TestPolarity_Cost(t *testing.T) {
	t.Parallel()
	for _, piece := range []string{
		"saved ", "not ", "not saved ", "could not be saved ", "saved, ", "saved. ", "saved: ", "saved - ", "(", "file(s) ", "?", "! ", ". ", "no. ", "no. 5 ", "0 ", "0 errors ", "errors: 0 ",
		"“", "'", "'a' ", "\"a ", "un", "unsaved ", "ununsaved", "please wait ", "if saved ", "until ", "and ", "error ", "a", "a ", "A", "aB", "1.", "saved\n",
		"保存", "保存しました", "保存されません", "ません", "ない", "保存されませんでした。", "保存されます", "已保存", "未", "没有", "不", "エラー", "저장", "저장되었습니다", "않", "บันทึก", "ไม่",
		"gespeichert ", "nicht gespeichert ", "kein Fehler ", "не ", "сохранено ", "ошибка ", "لم ", "تم الحفظ ", "नहीं ", "not yet ", "0 of 2 updated ", "½", "̇", "İ",
	} {
		for _, words := range []lexicon.Words{lexicon.For("en"), lexicon.For("")} {
			costtest.Grows(t, 4_000, func(size int) func() {
				text := costtest.Repeated(piece, size)
				return func() {
					words.Polarity(text)
					words.Reports(text)
					words.Complains(text)
					words.In(lexicon.Send, text)
					words.Is(lexicon.ErrorPage, text)
					lexicon.Guess(text)
				}
			})
		}
	}
}

// FuzzPolarity_Cost looks for texts that cost far more to read than their size.
func FuzzPolarity_Cost(f *testing.F) {
	for _, piece := range []string{"not saved ", "保存されません", "“a", "0 errors: no. 5"} {
		f.Add("", piece)
	}
	f.Fuzz(func(t *testing.T, before, piece string) {
		if len(before)+len(piece) > 1_000 {
			return
		}
		words := lexicon.For("")
		costtest.Within(t, 20, func() { words.Polarity(costtest.Repeated("not saved. ", 16_000)) }, func() {
			words.Polarity(before + costtest.Repeated(piece, 16_000))
		})
	})
}
