package instruction

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestRead(t *testing.T) {
	t.Parallel()
	got := Read(`Enter "Agustina" into the text field, and frobnicate`)
	want := []Step{
		{
			Act: Enter, Verb: "enter",
			Value:  Value{Literal: Literal{Text: "Agustina", Quoted: true}},
			Target: Reference{Kind: "text-field", Noun: "text field"},
			Holes:  []Hole{{NoTarget, "and frobnicate", 38, 52}},
		},
	}
	if diff := cmp.Diff(want, got.Steps); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if unread, all := got.UnreadWords(); unread != 2 || all != 8 || got.Complete() {
		t.Errorf("%d of %d words are unread", unread, all)
	}
}

// A language is its file and nothing else.
func TestRead_otherLanguage(t *testing.T) {
	t.Parallel()
	g := readGrammar("german", `
capitals: nouns
article: der, die, das, den, dem
courtesy: bitte
joint: und
then: dann, und dann
position 1: ersten, erste
kind button: knopf/knöpfe
kind text-field: textfeld/textfelder
relation under: unter
relation in: in, im
condition if: wenn
becomes exists: erscheint

[click]
verb: klicke auf, klicke
TARGET

[enter]
verb: schreibe
VALUE in|ins TARGET
`)
	got := g.read("Bitte schreibe „Anna“ ins erste Textfeld und klicke auf den Knopf Weiter unter dem Textfeld, dann klicke auf Fertig wenn der Knopf erscheint und hüpfe")
	const want = `enter "Anna" -> #1 text-field
click -> button "Weiter" under(text-field)
click -> "Fertig" if exists (button) ?condition "und hüpfe"
`
	if got.String() != want {
		t.Errorf("read as\n%s", got)
	}
}

func TestRead_long(t *testing.T) {
	t.Parallel()
	query := strings.Repeat("click the button, ", maxRead)
	p := Read(query)
	unread, all := p.UnreadWords()
	if last := p.Steps[len(p.Steps)-1].Holes; all != 3*maxRead || unread < all/2 || len(last) != 1 || last[0].To != len(query) {
		t.Errorf("of %d words %d are unread; the last holes are %d", all, unread, len(last))
	}
	if err := conserved(query[:2*maxRead]); err != nil {
		t.Error("what is too long loses words")
	}
}

func TestRead_forms(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Form{
		"42": Number, "-3.5": Number, "1,200": Number, "2024-05-06": Date, "12/24/2025": Date, "24.12.2025": Date, "March 3": Date, "3rd of May 2025": Date, "May 4, 2025": Date,
		"5:30": Time, "5pm": Time, "5:30 AM": Time, "$4.50": Money, "20 euros": Money, "a.b@c.de": Email, "https://x.y/a,b?c=1": Address, "www.x.org": Address, "example.com/a": Address,
		"report.pdf": File, "3d-model.zip": File, "[4,9]": Text, "Ada": Text, "1-2": Text,
	} {
		steps := Read("enter " + text + " into the field").Steps
		if len(steps) != 1 || steps[0].Value.Literal != (Literal{Text: text, Form: want}) || len(steps[0].Holes) > 0 {
			t.Errorf("%s: %v", text, steps)
		}
	}
}

// What a person wrote in quotes arrives as it was written, whatever it contains.
func TestRead_quotedIsVerbatim(t *testing.T) {
	t.Parallel()
	quotes := rapid.SampledFrom([][2]string{{`"`, `"`}, {"“", "”"}, {"«", "»"}, {"'", "'"}, {"‘", "’"}})
	rapid.Check(t, func(rt *rapid.T) {
		q := quotes.Draw(rt, "quotes")
		text := rapid.StringMatching(`[a-zA-Z0-9.,:;!?() äß日-]{1,30}`).Draw(rt, "text")
		steps := Read("enter " + q[0] + text + q[1] + " into the second text field, then click " + q[0] + text + q[1]).Steps
		if len(steps) != 2 || steps[0].Value.Literal.Text != text || !steps[0].Value.Literal.Quoted || steps[0].Target.Position != 2 || steps[1].Target.Name.Text != text {
			rt.Fatalf("%q is read as\n%v", text, steps)
		}
	})
}

// What is given with a command belongs to it, with its label, wherever it stands.
func TestRead_givenWithCommand(t *testing.T) {
	t.Parallel()
	label := rapid.SampledFrom([]string{"reason", "lot number", "due date", "blood pressure"})
	said := rapid.StringMatching(`[a-z][a-z,.]{0,8}[a-z]`)
	rapid.Check(t, func(rt *rapid.T) {
		a, b, first, second := label.Draw(rt, "a"), label.Draw(rt, "b"), said.Draw(rt, "first"), said.Draw(rt, "second")
		given := "with the " + a + ` "` + first + `" and ` + b + ` set to "` + second + `"`
		want := []Value{{Label: a, Literal: Literal{Text: first, Quoted: true}}, {Label: b, Literal: Literal{Text: second, Quoted: true}}}
		for _, query := range []string{"Add a new visit for Ada " + given, "Add a new visit " + given + " for Ada"} {
			p := Read(query)
			if len(p.Steps) != 1 || !p.Complete() || p.Steps[0].Act != Command || len(p.Steps[0].Target.Where) != 1 || len(p.Steps[0].With) != 2 {
				rt.Fatalf("%s is read as\n%s", query, p)
			}
			for i := range want {
				want[i].Literal.Form = p.Steps[0].With[i].Literal.Form // "a.py" is a file
			}
			if diff := cmp.Diff(want, p.Steps[0].With); diff != "" {
				rt.Fatalf("%s (-want +got)\n%s", query, diff)
			}
		}
	})
}

// Whatever is written: every letter is in exactly one word, every unread word in
// exactly one hole, no hole has another word, and reading again says the same.
func TestRead_losesNothing(t *testing.T) {
	t.Parallel()
	all := instructions(t)
	pieces := strings.Fields(strings.Join(all, " "))
	word := rapid.OneOf(rapid.SampledFrom(pieces), rapid.SampledFrom([]string{",", ".", "\n", "'", `"`, "’s", ":", "1.", "-", "[1", "😀", "\xff", "by clicking", "if there is", "so that it is inside"}), rapid.String())
	rapid.Check(t, func(rt *rapid.T) {
		query := strings.Join(rapid.SliceOfN(word, 0, 40).Draw(rt, "words"), " ")
		if err := conserved(query); err != nil {
			rt.Fatal(err)
		}
	})
	for _, query := range all {
		if err := conserved(query); err != nil {
			t.Error(err)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, line := range instructions(f) {
		f.Add(line)
	}
	f.Add(strings.Repeat("click the button in ", 1000))
	f.Fuzz(func(t *testing.T, query string) {
		if err := conserved(query); err != nil {
			t.Error(err)
		}
	})
}

func conserved(query string) error {
	p := Read(query)
	if again := Read(query); !reflect.DeepEqual(p, again) || p.String() != again.String() {
		return fmt.Errorf("%q is read in two ways", query)
	}
	at := 0
	for _, w := range append(p.Words, Word{From: len(query), To: len(query), As: Small}) {
		if w.From < at {
			return fmt.Errorf("%q: the word at %d begins in the one before", query, w.From)
		}
		for _, r := range query[at:w.From] {
			if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsSymbol(r) && r != '`' {
				return fmt.Errorf("%q: %q before %d is in no word", query, query[at:w.From], w.From)
			}
		}
		at = w.To
	}
	var holes []Hole
	for _, s := range p.Steps {
		if s.How != nil {
			holes = append(holes, s.How.Holes...)
		}
		holes = append(holes, s.Holes...)
	}
	for _, h := range holes {
		if query[h.From:h.To] != h.Text || h.Of == "" {
			return fmt.Errorf("%q: the hole %+v is not what stands there", query, h)
		}
	}
	for _, w := range p.Words {
		n := 0
		for _, h := range holes {
			if w.From < h.To && h.From < w.To {
				n++
			}
		}
		if w.As == Unread && n != 1 || w.As != Unread && n != 0 {
			return fmt.Errorf("%q: %q, read as %q, is in %d holes:\n%s", query, query[w.From:w.To], w.As, n, p)
		}
	}
	return nil
}
