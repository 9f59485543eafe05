package knowledge_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/stepledger/stepledger/domain/knowledge"
	"github.com/stepledger/stepledger/internal/costtest"
)

func heading(level int, text string) knowledge.Block {
	return knowledge.Block{Kind: knowledge.Heading, Level: level, Text: text}
}

func paragraph(text string) knowledge.Block {
	return knowledge.Block{Kind: knowledge.Paragraph, Text: text}
}

// words is a paragraph of n sentences of about ten tokens.
func words(n int) string {
	return strings.TrimSpace(strings.Repeat("The order is sent within two working days. ", n))
}

func TestTokens(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, "a": 1, "abcd": 1, "abcde": 2, "返品は三日": 4, "คืนเงิน": 5, "返品 ok": 3, "naïve été": 3,
	} {
		if got := knowledge.Tokens(text); got != want {
			t.Errorf("Tokens(%q) = %d, want %d", text, got, want)
		}
	}
}

func TestSplit_SmallSectionsShareAChunkWithTheirHeadings(t *testing.T) {
	got := knowledge.Split(knowledge.Extracted{Title: "Handbook", Blocks: []knowledge.Block{
		heading(1, "Handbook"), paragraph("What we sell."),
		heading(2, "Returns"), paragraph("Within 30 days."),
		heading(2, "Gift cards"), paragraph("Never expire."),
	}})
	want := []knowledge.Chunk{{
		Path: []string{"Handbook"}, From: 0, To: 76,
		Text: "What we sell.\n\n## Returns\n\nWithin 30 days.\n\n## Gift cards\n\nNever expire.",
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestSplit_LargeSectionsAreToldByTheirPathAndOverlapByASentence(t *testing.T) {
	long := "First of all. " + words(60) + " Last of all."
	got := knowledge.Split(knowledge.Extracted{Title: "Handbook", Blocks: []knowledge.Block{
		heading(1, "Shipping"), heading(2, "Abroad"), paragraph(long), heading(2, "Home"), paragraph("Free."),
	}})
	if len(got) < 3 {
		t.Fatalf("%d chunks", len(got))
	}
	if got[0].From != 0 || !strings.HasPrefix(got[0].Text, "First of all.") {
		t.Errorf("the first chunk begins at %d with %.20q", got[0].From, got[0].Text)
	}
	for i, c := range got[:len(got)-1] {
		if want := []string{"Handbook", "Shipping", "Abroad"}; !cmp.Equal(c.Path, want) {
			t.Errorf("chunk %d is under %q, want %q", i, c.Path, want)
		}
		if n := knowledge.Tokens(c.Text); n < knowledge.ChunkMin-50 || n > knowledge.ChunkMax {
			t.Errorf("chunk %d has %d tokens", i, n)
		}
		if i > 0 && c.From >= got[i-1].To {
			t.Errorf("chunk %d begins at %d, where the one before it has ended (%d)", i, c.From, got[i-1].To)
		}
	}
	last := got[len(got)-1]
	if diff := cmp.Diff([]string{"Handbook", "Shipping", "Home"}, last.Path); diff != "" || last.Text != "Free." {
		t.Errorf("the last chunk says %q under\n%s", last.Text, diff)
	}
}

func TestSplit_PiecesOfATableHaveItsHeader(t *testing.T) {
	header := "| City | Days |\n| --- | --- |"
	table := header + strings.Repeat("\n| Amsterdam, and places around it | 2 |", 200)
	got := knowledge.Split(knowledge.Extracted{Blocks: []knowledge.Block{{Kind: knowledge.Table, Text: table, Page: 3}}})
	rows := 0
	for i, c := range got {
		if !strings.HasPrefix(c.Text, header+"\n| Amsterdam") || strings.Count(c.Text, header) != 1 {
			t.Errorf("chunk %d begins with %.60q", i, c.Text)
		}
		if n := knowledge.Tokens(c.Text); n > knowledge.ChunkMax {
			t.Errorf("chunk %d has %d tokens", i, n)
		}
		if c.Page != 3 {
			t.Errorf("chunk %d is on page %d", i, c.Page)
		}
		for _, line := range strings.Split(c.Text, "\n")[2:] {
			if line != "| Amsterdam, and places around it | 2 |" {
				t.Errorf("chunk %d has a torn row %q", i, line)
			}
			rows++
		}
	}
	if rows != 200 {
		t.Errorf("%d rows, want 200", rows)
	}
}

func TestSplit_CodeIsTornAtLinesAndOnlyIfFarTooLong(t *testing.T) {
	line := "if err := do(something); err != nil { return err }\n"
	whole := strings.Repeat(line, 60)
	got := knowledge.Split(knowledge.Extracted{Blocks: []knowledge.Block{
		paragraph(words(30)), {Kind: knowledge.Code, Text: whole}, paragraph(words(30)),
	}})
	found := false
	for _, c := range got {
		found = found || strings.Contains(c.Text, strings.TrimSpace(whole))
	}
	if !found {
		t.Errorf("code of %d tokens was torn", knowledge.Tokens(whole))
	}
	for i, c := range knowledge.Split(knowledge.Extracted{Blocks: []knowledge.Block{{Kind: knowledge.Code, Text: strings.Repeat(line, 400)}}}) {
		if rest := strings.ReplaceAll(c.Text+"\n", line, ""); rest != "" || knowledge.Tokens(c.Text) > knowledge.ChunkMax {
			t.Errorf("chunk %d has %d tokens and the torn line %q", i, knowledge.Tokens(c.Text), rest)
		}
	}
}

func TestSplit_AHeadingWithNothingUnderItIsText(t *testing.T) {
	got := knowledge.Split(knowledge.Extracted{Title: "T", Blocks: []knowledge.Block{heading(1, "Alone")}})
	want := []knowledge.Chunk{{Path: []string{"T"}, To: 5, Text: "# Alone"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestSplit_SentencesOfOtherScripts(t *testing.T) {
	text := strings.Repeat("返品は到着から三十日以内に受け付けます。", 60)
	for i, c := range knowledge.Split(knowledge.Extracted{Blocks: []knowledge.Block{paragraph(text)}}) {
		if !strings.HasSuffix(c.Text, "。") || !strings.HasPrefix(c.Text, "返") {
			t.Errorf("chunk %d is torn in a sentence: %q … %q", i, c.Text[:9], c.Text[len(c.Text)-9:])
		}
	}
}

// documents are of all kinds of blocks in all sizes.
func documents() *rapid.Generator[knowledge.Extracted] {
	piece := rapid.SampledFrom([]string{
		"word ", "Sentence. ", "e.g. 3.5 items! ", "返品", "。", "\n", "\n\n", "| a | b |\n", "| --- | --- |\n",
		strings.Repeat("x", 700), strings.Repeat(" ", 300), words(12) + " ", strings.Repeat("line of code\n", 40), "é", "\u00a0", strings.Repeat("ก", 90),
	})
	block := rapid.Custom(func(t *rapid.T) knowledge.Block {
		kind := rapid.SampledFrom([]knowledge.BlockKind{knowledge.Heading, knowledge.Heading, knowledge.Paragraph, knowledge.Paragraph, knowledge.Table, knowledge.Code}).Draw(t, "kind")
		b := knowledge.Block{Kind: kind, Page: rapid.IntRange(0, 3).Draw(t, "page")}
		most := 20
		if kind == knowledge.Heading {
			b.Level = rapid.IntRange(-1, 12).Draw(t, "level")
			most = 3
		}
		b.Text = strings.Join(rapid.SliceOfN(piece, 0, most).Draw(t, "text"), "")
		return b
	})
	return rapid.Custom(func(t *rapid.T) knowledge.Extracted {
		return knowledge.Extracted{
			Title:  rapid.SampledFrom([]string{"", "Title", "word"}).Draw(t, "title"),
			Blocks: rapid.SliceOfN(block, 0, 30).Draw(t, "blocks"),
		}
	})
}

func TestSplit_CoversEverythingInOrderAndWithinBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := documents().Draw(t, "document")
		text, chunks := e.Content(), knowledge.Split(e)
		if again := knowledge.Split(e); !cmp.Equal(chunks, again) {
			t.Fatal("the same document gave other chunks")
		}
		told := make([]bool, len(text))
		from := 0
		for i, c := range chunks {
			if c.Ord != i || c.From < from || c.To <= c.From || c.To > len(text) {
				t.Fatalf("chunk %d is number %d, from %d to %d; the one before it began at %d", i, c.Ord, c.From, c.To, from)
			}
			from = c.From
			for at := c.From; at < c.To; at++ {
				told[at] = true
			}
			if n := knowledge.Tokens(c.Text); n > knowledge.ChunkMost || n == 0 {
				t.Fatalf("chunk %d has %d tokens", i, n)
			}
			if n := knowledge.Tokens(c.Text); n > knowledge.ChunkMax && !ofCodeOrRow(e, c) {
				t.Fatalf("chunk %d has %d tokens and no code or table", i, n)
			}
			if !utf8.ValidString(c.Text) {
				t.Fatalf("chunk %d is torn in a character", i)
			}
			checkWords(t, text[c.From:c.To], c)
		}
		for at := range text {
			if !told[at] && strings.TrimSpace(text[at:at+1]) != "" && utf8.RuneStart(text[at]) && !strings.HasPrefix(text[at:], "\u00a0") {
				t.Fatalf("nothing tells %.20q at %d", text[at:], at)
			}
		}
	})
}

// ofCodeOrRow reports whether a chunk lies where code or a table is.
func ofCodeOrRow(e knowledge.Extracted, c knowledge.Chunk) bool {
	at := 0
	for _, b := range e.Blocks {
		if (b.Kind == knowledge.Code || b.Kind == knowledge.Table) && at < c.To && at+len(b.Text) > c.From {
			return true
		}
		at += len(b.Text) + 2
	}
	return false
}

// checkWords checks that what stands where a chunk is from is in its text or its path.
func checkWords(t *rapid.T, place string, c knowledge.Chunk) {
	squeeze := func(s string) string {
		return strings.Map(func(r rune) rune {
			if strings.ContainsRune(" \n\u00a0#", r) {
				return -1
			}
			return r
		}, strings.ToLower(s))
	}
	rest := squeeze(place)
	for _, name := range c.Path {
		rest = strings.Replace(rest, squeeze(name), "", 1)
	}
	if said := squeeze(c.Text); !strings.HasSuffix(said, rest) && !strings.HasSuffix(squeeze(place), said) && !strings.HasSuffix(said, squeeze(place)) {
		t.Fatalf("the chunk says %q, where it is from stands %q", c.Text, place)
	}
}

func TestSplit_CostsWhatItReads(t *testing.T) {
	for name, block := range map[string]knowledge.Block{
		"sentences": paragraph("One sentence. "), "characters": paragraph("x"), "spaces": paragraph("a  "), "marks": paragraph("."),
		"rows": {Kind: knowledge.Table, Text: "| a | b |\n"}, "lines": {Kind: knowledge.Code, Text: "a\n"},
	} {
		t.Run(name, func(t *testing.T) {
			costtest.Grows(t, 150_000, func(size int) func() {
				b := block
				b.Text = costtest.Repeated(block.Text, size)
				return func() { knowledge.Split(knowledge.Extracted{Blocks: []knowledge.Block{b}}) }
			})
		})
	}
	for name, levels := range map[string][]int{"flat": {1}, "nested": {1, 2, 3, 4, 5, 6, 7, 8, 9}} {
		t.Run(name, func(t *testing.T) {
			costtest.Grows(t, 10_000, func(size int) func() {
				e := knowledge.Extracted{}
				for i := range size {
					e.Blocks = append(e.Blocks, heading(levels[i%len(levels)], "Heading"), paragraph("Text."))
				}
				return func() { knowledge.Split(e) }
			})
		})
	}
}
