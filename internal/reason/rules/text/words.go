// Package text compares texts as people read them: by whole words, in one canonical
// wording, whatever their case, marks and apostrophes. What controls, options and error
// pages are called is compared here and nowhere else in the rules; whether a control
// holds a value is domain/value's matter.
package text

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/stepledger/stepledger/domain/vocabulary"
	"github.com/stepledger/stepledger/internal/reason/rules/lexicon"
)

// Words splits a text into whole lower-case words in one canonical wording:
// "E-mail address *", "email" and "Email:" are the same, "Preview" is not
// "prev". Everything that compares texts compares words, never substrings.
func Words(s string) []string {
	var room [128]byte // most texts are short
	var ends [32]int
	letters, past, end := room[:0], ends[:0], 0 // past is where the words end in letters
	for w, from, to := vocabulary.Next(letters, s, 0); len(w) > len(letters); w, from, to = vocabulary.Next(letters, s, to) {
		if n := len(past); n > 0 && glued(s[end:from]) {
			past = past[:n-1]
		}
		letters, past, end = w, append(past, len(w)), to
	}
	all, out, begin := string(letters), make([]string, len(past)), 0
	for i, end := range past {
		out[i], begin = all[begin:end], end
	}
	return canonical(out)
}

// glued reports apostrophes: O'Brien and O’Brien are one word.
func glued(between string) bool { return between != "" && strings.Trim(between, "'’") == "" }

// phrases are other wordings for the same thing that hold on any site, by
// their first word: left becomes right. Longer ones come first.
var phrases = sync.OnceValue(func() map[string][][2][]string {
	out := map[string][][2][]string{}
	for _, line := range lexicon.List("en", lexicon.Same) {
		from, to, _ := strings.Cut(line, " = ")
		ws := strings.Fields(from)
		out[ws[0]] = append(out[ws[0]], [2][]string{ws, strings.Fields(to)})
	}
	for _, list := range out {
		slices.SortStableFunc(list, func(a, b [2][]string) int { return len(b[0]) - len(a[0]) })
	}
	return out
})

func canonical(ws []string) []string {
	phrases := phrases()
	if !slices.ContainsFunc(ws, func(w string) bool { return phrases[w] != nil }) {
		return ws
	}
	var out []string
next:
	for i := 0; i < len(ws); {
		for _, p := range phrases[ws[i]] {
			if hasPrefix(ws[i:], p[0]) {
				out = append(out, p[1]...)
				i += len(p[0])
				continue next
			}
		}
		out = append(out, ws[i])
		i++
	}
	return out
}

func hasPrefix(ws, prefix []string) bool {
	return len(ws) >= len(prefix) && slices.Equal(ws[:len(prefix)], prefix)
}

// Fillers carry no meaning of their own, neither in a label nor in a task.
var Fillers = Set("a an the this that your my our his her their its please to of in on at for with and or it me")

// labelNoise is what forms add to a label.
var labelNoise = Set("required optional enter field input here")

// Set are the words of a list.
func Set(list string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(list) {
		m[w] = true
	}
	return m
}

// Without are the words not in any of the sets.
func Without(ws []string, sets ...map[string]bool) []string {
	return slices.DeleteFunc(slices.Clone(ws), func(w string) bool {
		return slices.ContainsFunc(sets, func(s map[string]bool) bool { return s[w] })
	})
}

// Key is the meaning-bearing words of a text, in order, singular. Where a script has no
// spaces, they end where another script begins.
func Key(s string) []string {
	ws := Words(s)
	if slices.ContainsFunc(ws, unspaced) {
		return keyOf(ws)
	}
	k := ws[:0]
	for _, w := range ws {
		if !Fillers[w] {
			k = append(k, singular(w))
		}
	}
	if len(k) == 0 { // a control named "The" or "To" still has a name, and nothing was written over
		k = ws
		for i, w := range k {
			k[i] = singular(w)
		}
	}
	return k
}

// keyOf is the key of words of which some end where another script begins.
func keyOf(ws []string) []string {
	k := Without(ws, Fillers)
	if len(k) == 0 {
		k = ws
	}
	out := make([]string, 0, len(k))
	for _, w := range k {
		for _, run := range runs(w) {
			out = append(out, singular(run))
		}
	}
	return out
}

// LabelKey is the key of a form label.
func LabelKey(s string) []string {
	k := Key(s)
	if c := Without(k, labelNoise); len(c) > 0 {
		return c
	}
	return k
}

func singular(w string) string {
	switch {
	case len(w) > 4 && strings.HasSuffix(w, "ies"):
		return w[:len(w)-3] + "y"
	case len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us") && !strings.HasSuffix(w, "is"):
		return w[:len(w)-1]
	}
	return w
}

// Subset reports whether every word of a is in b.
func Subset(a, b []string) bool {
	for _, w := range a {
		if !slices.Contains(b, w) {
			return false
		}
	}
	return len(a) > 0
}

// Same compares texts as a person reads them: case and spacing aside. It looks no
// further than they are the same.
func Same(a, b string) bool {
	a, b = strings.TrimLeftFunc(a, unicode.IsSpace), strings.TrimLeftFunc(b, unicode.IsSpace)
	for a != "" && b != "" {
		x, n := utf8.DecodeRuneInString(a)
		y, m := utf8.DecodeRuneInString(b)
		switch {
		case unicode.IsSpace(x) && unicode.IsSpace(y):
			a, b = strings.TrimLeftFunc(a, unicode.IsSpace), strings.TrimLeftFunc(b, unicode.IsSpace)
		case sameLetter(x, y):
			a, b = a[n:], b[m:]
		default:
			return false
		}
	}
	return strings.TrimLeftFunc(a+b, unicode.IsSpace) == ""
}

// sameLetter compares characters but for their case.
func sameLetter(x, y rune) bool {
	if x == y {
		return true
	}
	for r := unicode.SimpleFold(x); r != x; r = unicode.SimpleFold(r) {
		if r == y {
			return true
		}
	}
	return false
}

// Digits are those of a text, of any script.
func Digits(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return r
		}
		return -1
	}, s)
}

// Shows reports whether a text holds a value as whole words, in order.
func Shows(text, value string) bool {
	v := Words(value)
	return len(v) > 0 && Contains(Words(text), v)
}

// Contains reports whether words stand in others, in order.
func Contains(t, v []string) bool {
	for i := 0; i+len(v) <= len(t); i++ {
		if slices.Equal(t[i:i+len(v)], v) {
			return true
		}
	}
	return false
}

// unspaced reports a word with letters of a script that is written without spaces.
func unspaced(w string) bool {
	for i := range len(w) {
		if w[i] >= utf8.RuneSelf {
			return strings.ContainsFunc(w[i:], func(r rune) bool { return scriptOf(r) > 1 })
		}
	}
	return false
}

// runs splits a word of East Asian letters where one script follows another:
// 火曜11時 is 火曜, 11 and 時.
func runs(w string) []string {
	if !unspaced(w) {
		return []string{w}
	}
	var out []string
	from, last := 0, -1
	for i, r := range w {
		script := scriptOf(r)
		if last >= 0 && script != last {
			out = append(out, w[from:i])
			from = i
		}
		last = script
	}
	return append(out, w[from:])
}

// scriptOf numbers the scripts that are written without spaces, after digits and all
// others.
func scriptOf(r rune) int {
	switch {
	case unicode.IsDigit(r):
		return 0
	case unicode.Is(unicode.Han, r):
		return 2
	case unicode.Is(unicode.Hiragana, r):
		return 3
	case unicode.Is(unicode.Katakana, r), r == 'ー':
		return 4
	case unicode.Is(unicode.Hangul, r):
		return 5
	}
	return 1
}

// SetOf is a set of words.
func SetOf(ws []string) map[string]bool {
	m := make(map[string]bool, len(ws))
	for _, w := range ws {
		m[w] = true
	}
	return m
}

// Within reports whether every word is in the set, and there are any.
func Within(ws []string, set map[string]bool) bool {
	return len(ws) > 0 && !slices.ContainsFunc(ws, func(w string) bool { return !set[w] })
}

// Apart are the words of a that are not among those of b.
func Apart(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(w string) bool { return slices.Contains(b, w) })
}
