package complexity

import (
	_ "embed"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/stepledger/stepledger/domain/slot"
	"github.com/stepledger/stepledger/domain/vocabulary"
)

//go:embed weights.txt
var weightFile string

var weights = readWeights(weightFile)

// readWeights reads lines of a weight, a space and the name of a feature; # begins a
// comment. A line that is none is left out; a test reads every line.
func readWeights(file string) map[string]float64 {
	out := map[string]float64{}
	for line := range strings.Lines(file) {
		number, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		if w, err := strconv.ParseFloat(number, 64); err == nil {
			out[name] = w
		}
	}
	return out
}

// feature is something a text has, how much of it, and how a person is told.
type feature struct {
	name  string
	value float64
	said  string
}

const (
	// maxRead is how many bytes of a text are read.
	maxRead = 20_000
	// wordValue is what a word counts for, and endingValue its ending. They are below
	// the others since there are so many that some fit by chance.
	wordValue, endingValue = 0.9, 0.63
	ending                 = 3
)

// features are what the model goes by: how much of everything there is, then which
// words. Amounts count by their logarithm: the tenth date says less than the second.
func features(text string) []feature {
	text = text[:min(len(text), maxRead)]
	n := float64(length(text))
	out := []feature{
		{"long", 1, ""},
		{"words", (n - 16) / 10, fmt.Sprintf("The query has %.0f words.", n)},
		{"log words", math.Log1p(n) - 2.7, ""},
	}
	counts := slot.Counts(text)
	maps.Copy(counts, marks(text))
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		if c := counts[name]; c > 0 {
			out = append(out, feature{name, math.Log1p(float64(c)), said(name, c)})
		}
	}
	return append(out, words(text)...)
}

// length is how many words a text has. Two letters of a script without spaces count as
// one.
func length(text string) int {
	wide := 0
	for _, r := range text {
		if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai) {
			wide++
		}
	}
	return len(strings.Fields(text)) + wide/2
}

// marks count what is seen without knowing a word.
func marks(text string) map[string]int {
	m := map[string]int{
		"commas": strings.Count(text, ",") + strings.Count(text, ";"), "quotes": strings.Count(text, `"`),
		"sentences": strings.Count(strings.TrimRight(text, ". "), ". "),
	}
	inName := false
	for i, w := range strings.Fields(text) {
		first, _ := utf8.DecodeRuneInString(w)
		capital := i > 0 && unicode.IsUpper(first)
		if capital && !inName {
			m["names"]++
		}
		inName = capital && !strings.HasSuffix(w, ",")
		if strings.ContainsAny(w, "0123456789") {
			m["figures"]++
		}
	}
	return m
}

var sayings = map[string]string{
	"kind date": "dates", "kind time": "times", "kind money": "amounts of money", "kind email": "e-mail addresses", "kind number": "numbers",
	"names": "names", "clauses": "clauses", "phrases": "things named", "class join": "things joined by \"and\"", "figures": "figures", "sentences": "sentences before the last",
	"class with": "conditions (\"with\")", "class under": "upper bounds", "class over": "lower bounds",
}

func said(name string, n int) string {
	if what := sayings[name]; what != "" {
		return fmt.Sprintf("The query has %d %s.", n, what)
	}
	return ""
}

// words are the different words of a text, the one it begins with, and how they end:
// comparatives and other forms of verbs are seen by it.
func words(text string) []feature {
	var out []feature
	seen := map[string]bool{}
	add := func(name string, value float64, said string) {
		if !seen[name] {
			seen[name] = true
			out = append(out, feature{name, value, said})
		}
	}
	for i, t := range vocabulary.Tokens(text) {
		w := t.Text
		if strings.ContainsAny(w, "0123456789") {
			w = fmt.Sprintf("#%d", min(len(w), 12))
		}
		said := fmt.Sprintf("The query says %q.", t.Text)
		add("word "+w, wordValue, said)
		if i == 0 {
			add("first "+w, wordValue, said)
		}
		if r := []rune(w); len(r) > ending+2 {
			add("ending "+string(r[len(r)-ending:]), endingValue, "")
		}
	}
	return out
}
