package reasoning_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/domain/reasoning"
)

// words counts the words of a text as its tokens.
func words(s string) int { return len(strings.Fields(s)) }

func chunk(id, text string) reasoning.Chunk {
	return reasoning.Chunk{ID: id, Title: "Title", Text: text}
}

// Given more than a question shows, when it is shown, then the best pieces are, in clean
// lines and within the bounds; and what is shown once is shown again as it is.
func TestShown(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("word ", 1_500)
	for name, tt := range map[string]struct {
		chunks []reasoning.Chunk
		ids    string
		words  int
	}{
		"little":                   {[]reasoning.Chunk{chunk("a", "one two"), chunk("b", "three")}, "a b", 3},
		"nothing":                  {nil, "", 0},
		"no text":                  {[]reasoning.Chunk{chunk("a", " \n\u200b\n"), chunk("b", "three")}, "b", 1},
		"one that is too long":     {[]reasoning.Chunk{chunk("a", long), chunk("b", "three")}, "a b", reasoning.MaxChunkTokens + 1},
		"too many":                 {[]reasoning.Chunk{chunk("a", "1"), chunk("b", "1"), chunk("c", "1"), chunk("d", "1"), chunk("e", "1"), chunk("f", "1"), chunk("g", "1"), chunk("h", "1"), chunk("i", "1")}, "a b c d e f g h", 8},
		"too long together":        {[]reasoning.Chunk{chunk("a", long), chunk("b", long), chunk("c", long), chunk("d", long)}, "a b c", reasoning.MaxKnownTokens - 3},
		"one word without an end":  {[]reasoning.Chunk{chunk("a", strings.Repeat("x", 1<<20))}, "a", 1},
		"lines that show nothing":  {[]reasoning.Chunk{chunk("a", strings.Repeat("\n", 1<<20)+"late")}, "", 0},
		"text in another alphabet": {[]reasoning.Chunk{chunk("a", strings.Repeat("слово ", 1_500))}, "a", reasoning.MaxChunkTokens},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := reasoning.Shown(tt.chunks, words)
			var ids []string
			n := 0
			for _, c := range got {
				ids, n = append(ids, c.ID), n+words(c.Text)
			}
			if strings.Join(ids, " ") != tt.ids || n != tt.words {
				t.Errorf("%q with %d words, want %q with %d", ids, n, tt.ids, tt.words)
			}
			if diff := cmp.Diff(got, reasoning.Shown(got, words)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestShown_KeepsLinesAndCutsTitles(t *testing.T) {
	t.Parallel()
	got := reasoning.Shown([]reasoning.Chunk{{ID: "a", Title: "T\u202e\nitle " + strings.Repeat("x", 500), Section: "A\t› B", Text: "first  line\r\n\r\n  second\u200b line\n"}}, words)
	if len(got) != 1 || got[0].Text != "first line\nsecond line" || got[0].Section != "A › B" || !strings.HasPrefix(got[0].Title, "T itle x") || len(got[0].Title) > 200 {
		t.Errorf("%+v", got)
	}
}

func TestTogether(t *testing.T) {
	t.Parallel()
	a, b, c := chunk("a", "1"), chunk("b", "2"), chunk("c", "3")
	fresh := []reasoning.Chunk{c, a}
	if diff := cmp.Diff([]reasoning.Chunk{c, a, b}, reasoning.Together(fresh, []reasoning.Chunk{a, b})); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]reasoning.Chunk{c, a}, fresh); diff != "" {
		t.Error(diff)
	}
}

func TestCitationsOf(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 2, 9, 30, 0, 0, time.FixedZone("", 3600))
	got := reasoning.CitationsOf([]reasoning.Chunk{{ID: "v.2", Document: "d", Version: "v", Title: "Wards", Section: "Names", Page: 3, At: at, Public: true, Text: "Rivers."}})
	want := []reasoning.Citation{{DocumentID: "d", VersionID: "v", ChunkID: "v.2", Document: "Wards", Section: "Names", Page: 3, At: at.UTC(), Public: true}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	other := want[0]
	if other.Page = 4; !want[0].Equal(got[0]) || want[0].Equal(other) {
		t.Error("another page is another place")
	}
}
