package vocabulary_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/stepledger/stepledger/domain/vocabulary"
)

func TestTokens(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"": nil, " ": nil, "Save as…": {"save", "as"}, "roomSaving": {"room", "saving"}, "PDF": {"pdf"}, "O'Brien's": {"o", "brien", "s"}, "İPTAL": {"iptal"}, "ALINDI": {"alindi"}, "alındı": {"alindi"},
		"n°12": {"n", "12"}, "保存しました": {"保存しました"}, "a\xffb": {"a", "b"}, "x\u0301y": {"x\u0301y"},
	} {
		var got []string
		for _, w := range vocabulary.Tokens(text) {
			got = append(got, w.Text)
			if w.From >= w.To || w.To > len(text) {
				t.Errorf("%q: %q stands from %d to %d", text, w.Text, w.From, w.To)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}

func TestIndex_Find(t *testing.T) {
	t.Parallel()
	var x vocabulary.Index[string]
	for _, w := range []string{"place order", "place", "lösch-", "não enviad-", "保存", "수 없습니다", "x"} {
		x.Add(w, w)
	}
	for text, want := range map[string][]string{
		"Place order!": {"place order 0-1", "place 0-0"}, "Place the order": {"place 0-0"}, "Konto löschen": {"lösch- 1-1"}, "Löschung": {"lösch- 0-0"}, "Auslöschen": nil,
		"não enviados": {"não enviad- 0-1"}, "自動保存する": {"保存 0-0"}, "저장할 수 없습니다": {"수 없습니다 1-2"}, "저장할수 없습니다": {"수 없습니다 0-1"}, "": nil, "x x": {"x 0-0", "x 1-1"},
	} {
		var got []string
		read := vocabulary.Read(text)
		x.Find(read, func(f vocabulary.Found[string]) bool {
			got = append(got, f.Tag+" "+string(rune('0'+f.First))+"-"+string(rune('0'+f.Last)))
			return true
		})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}

// An index finds what a list is in, whatever the text.
func TestIndex_agreesWithList(t *testing.T) {
	t.Parallel()
	words := rapid.SampledFrom([]string{"pay", "place order", "lösch-", "no encontrad-", "削除", "수 없", "e mail", "a"})
	pieces := rapid.SampledFrom([]string{"pay", "place", "order", "Löschen", "löschen", "no", "encontrada", "削除", "を削除する", "할수", "수", "없습니다", "e-mail", "A", " ", ", ", "\xff"})
	rapid.Check(t, func(rt *rapid.T) {
		list := vocabulary.List(rapid.SliceOfN(words, 0, 4).Draw(rt, "list"))
		text := strings.Join(rapid.SliceOfN(pieces, 0, 8).Draw(rt, "text"), rapid.SampledFrom([]string{"", " "}).Draw(rt, "between"))
		var x vocabulary.Index[bool]
		for _, w := range list {
			x.Add(w, true)
		}
		found := false
		x.Find(vocabulary.Read(text), func(vocabulary.Found[bool]) bool { found = true; return false })
		if found != list.In(text) {
			rt.Fatalf("%q in %q: the index says %v", list, text, found)
		}
	})
}
