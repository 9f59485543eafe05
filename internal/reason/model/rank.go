package model

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/stepledger/stepledger/domain/page"
)

// Weights of an element's relevance: a word it shares with the task counts
// most, then what the user is in the middle of, then what can be filled in or
// pressed. Links are the bulk of large pages and the first to go.
const (
	forWord    = 10
	forState   = 6 // focused or marked invalid
	forField   = 3
	forControl = 2
)

// relevant chooses elements until their lines fill the budget in bytes, those
// nearest to the task first, and gives them back in document order. left is
// how many did not fit.
func relevant(elements []page.Element, task string, line func(page.Element) string, budget int) (chosen []string, left int) {
	wanted := words(task)
	type ranked struct{ index, score int }
	order := make([]ranked, len(elements))
	for i, e := range elements {
		order[i] = ranked{i, score(e, wanted)}
	}
	slices.SortStableFunc(order, func(a, b ranked) int { return cmp.Compare(b.score, a.score) })
	lines := make([]string, len(elements))
	for _, r := range order {
		l := line(elements[r.index])
		if len(l)+1 > budget {
			left++
			continue
		}
		budget -= len(l) + 1
		lines[r.index] = l
	}
	return slices.DeleteFunc(lines, func(l string) bool { return l == "" }), left
}

func score(e page.Element, wanted map[string]bool) int {
	n := 0
	seen := map[string]bool{}
	for w := range words(e.Name + " " + e.Placeholder + " " + e.Value + " " + e.Group + " " + e.Anchor) {
		if wanted[w] && !seen[w] {
			seen[w] = true
			n += forWord
		}
	}
	if e.State.Focused || e.State.Invalid {
		n += forState
	}
	switch shortRole(e.Role) {
	case "inp", "sel", "chk", "radio", "switch", "slider":
		n += forField
	case "btn", "tab", "menu", "opt":
		n += forControl
	}
	return n
}

// words are the distinct lower-case words of a text; a character of a script
// without spaces is a word of its own.
func words(s string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if !unicode.In([]rune(w)[0], unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai) {
			out[w] = true
			continue
		}
		for _, r := range w {
			out[string(r)] = true
		}
	}
	return out
}
