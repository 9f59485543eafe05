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
	var room [128]byte // most texts are short
	var ends [32]int
	var out []Token
	letters, past := room[:0], ends[:0] // past is where the words end in letters
	for w, from, to := Next(letters, s, 0); len(w) > len(letters); w, from, to = Next(letters, s, to) {
		letters, past, out = w, append(past, len(w)), append(out, Token{From: from, To: to})
	}
	all, begin := string(letters), 0
	for i, end := range past {
		out[i].Text, begin = all[begin:end], end
	}
	return out
}

// Next appends the first word of s from byte at on to letters, and returns where it
// begins and ends in s. It appends nothing if there is none. Words one after the other
// are those of Tokens, each from where the one before it ends.
func Next(letters []byte, s string, at int) (word []byte, from, to int) {
	none, last := len(letters), rune(0)
	var n int // bytes of the character at i
	for i := at; i < len(s); i += n {
		r := rune(s[i])
		n = 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(s[i:])
		} else if kind := ascii[r]; kind != betweenWords {
			switch {
			case len(letters) == none:
				from = i
			case kind == capital && unicode.IsLower(last):
				return letters, from, i
			}
			letters, last = append(letters, s[i]|kind), r
			continue
		}
		outside := between(r)
		if len(letters) > none && (outside || unicode.IsUpper(r) && unicode.IsLower(last)) {
			return letters, from, i
		}
		last = r
		if outside {
			continue
		}
		if len(letters) == none {
			from = i
		}
		switch r {
		case dotAbove:
		case 'İ', 'ı':
			letters = append(letters, 'i')
		default:
			letters = utf8.AppendRune(letters, unicode.ToLower(r))
		}
	}
	return letters, from, len(s)
}

// The kinds of ASCII characters. The bit of a capital makes it a small letter.
const (
	betweenWords = 0xff
	capital      = 'a' - 'A'
	inWord       = 0
)

var ascii = func() (kinds [utf8.RuneSelf]uint8) {
	for r := range rune(utf8.RuneSelf) {
		switch {
		case between(r):
			kinds[r] = betweenWords
		case unicode.IsUpper(r):
			kinds[r] = capital
		default:
			kinds[r] = inWord
		}
	}
	return kinds
}()

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
