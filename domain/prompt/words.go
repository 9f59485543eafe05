package prompt

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/stepledger/stepledger/domain/page"
)

// maxTerms bounds the words of a task that are looked for, maxWords those of one text
// that are compared with them.
const (
	maxTerms = 200
	maxWords = 60
)

// words returns the words of a text in lower case and without a plural s. In scripts
// without spaces each character is a word. A sign is one only in a text that has
// nothing else: "»", "×".
func words(s string) []string {
	s = strings.ToLower(page.Clean(s))
	out := split(s, isWordRune)
	if len(out) == 0 {
		out = split(s, func(r rune) bool { return !unicode.IsSpace(r) })
	}
	return out
}

// split cuts a text into words of the runes that belong accepts.
func split(s string, belongs func(rune) bool) []string {
	var out []string
	for _, w := range strings.FieldsFunc(s, func(r rune) bool { return !belongs(r) }) {
		if len(out) >= maxWords*4 {
			break
		}
		if !spaceless(firstRune(w)) {
			out = append(out, singular(w))
			continue
		}
		for _, r := range w {
			out = append(out, string(r))
		}
	}
	return out
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

func spaceless(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai)
}

// singular removes a plural s, so that "a patient" is found in "Patients".
func singular(w string) string {
	if len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") {
		return w[:len(w)-1]
	}
	return w
}

// query is a task, prepared to compare elements with.
type query struct {
	terms map[string]int // word to its number
	said  string         // all words in order, each with a space before and after
	signs string         // the task itself, for names that are no words
}

func newQuery(task string) query {
	q := query{terms: map[string]int{}, signs: task}
	var said strings.Builder
	for _, w := range split(strings.ToLower(page.Clean(task)), isWordRune) {
		said.WriteString(" " + w)
		if _, known := q.terms[w]; !known && len(q.terms) < maxTerms {
			q.terms[w] = len(q.terms)
		}
	}
	q.said = said.String() + " "
	return q
}

// quotes reports whether the task contains these words in order.
func (q query) quotes(name []string) bool {
	if len(name) == 0 {
		return false
	}
	if isWordRune(firstRune(name[0])) {
		return strings.Contains(q.said, " "+strings.Join(name, " ")+" ")
	}
	return strings.Contains(q.signs, strings.Join(name, " "))
}
