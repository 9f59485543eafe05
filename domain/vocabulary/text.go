package vocabulary

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Token is a word of a text: letters, digits and marks in lower case, at the bytes
// From to To.
type Token struct {
	Text     string
	From, To int
}

// Text is a text cut into words, ready to be searched.
type Text struct {
	Tokens []Token
	padded string // the words between single spaces, with one at either end
	starts []int  // where each word begins in padded
}

// Read cuts a text into words. A capital after a small letter begins a word, since
// pages run texts together: "roomSaving".
func Read(s string) Text {
	t := Text{Tokens: Tokens(s)}
	var b strings.Builder
	b.Grow(len(s) + 2)
	b.WriteByte(' ')
	t.starts = make([]int, len(t.Tokens))
	for i, w := range t.Tokens {
		t.starts[i] = b.Len()
		b.WriteString(w.Text)
		b.WriteByte(' ')
	}
	t.padded = b.String()
	return t
}

// dotAbove follows the i in the lower case of a Turkish İ. The lists do not contain
// it.
const dotAbove = '\u0307'

// Tokens returns the words of a text as Read cuts them.
func Tokens(s string) []Token {
	var out []Token
	Scan(s, func(word []byte, from, to int) { out = append(out, Token{string(word), from, to}) })
	return out
}

// Scan calls found for every word of a text with its position. The word is valid only
// until found returns.
func Scan(s string, found func(word []byte, from, to int)) {
	w := make([]byte, 0, 32)
	from, last := 0, rune(0)
	for i, r := range s {
		outside := between(r)
		if len(w) > 0 && (outside || unicode.IsUpper(r) && unicode.IsLower(last)) {
			found(w, from, i)
			w = w[:0]
		}
		last = r
		if outside {
			continue
		}
		if len(w) == 0 {
			from = i
		}
		switch r {
		case dotAbove:
		case 'İ', 'ı':
			w = append(w, 'i')
		default:
			w = utf8.AppendRune(w, unicode.ToLower(r))
		}
	}
	if len(w) > 0 {
		found(w, from, len(s))
	}
}

// Fold returns a word in the form texts are compared in: lower case, with one letter
// i, since which one a capital I stands for depends on the language.
func Fold(word string) string {
	word = strings.ToLower(word)
	if strings.ContainsAny(word, "ı\u0307") {
		word = strings.NewReplacer("ı", "i", string(dotAbove), "").Replace(word)
	}
	return word
}

func between(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) }

// tokenAt returns the word at byte at of padded, or the one before it.
func (t Text) tokenAt(at int) int {
	i, found := slices.BinarySearch(t.starts, at)
	if found {
		return i
	}
	return i - 1
}
