package page

import (
	"unicode"
	"unicode/utf8"
)

// WordsHash is a hash of the words a page shows, without numbers: a clock and a counter
// tick, and the month of a calendar is another one though its days have the same names.
// It is short: equal pages matter, and nobody gains by a collision.
func WordsHash(p Page) string {
	f := newFingerprint()
	for _, text := range append([]string{p.Title, p.Text}, p.Headings...) {
		f.words(text)
	}
	return f.sum()[:16]
}

// words writes the words of a text, a space after each, and the end of a line.
func (f *fingerprint) words(text string) {
	begin := -1 // where the word at i begins
	for i, r := range text {
		ascii := r < utf8.RuneSelf
		switch in := ascii && r|0x20 >= 'a' && r|0x20 <= 'z' || !ascii && (unicode.IsLetter(r) || unicode.IsMark(r)); {
		case in && begin < 0:
			begin = i
		case !in && begin >= 0:
			f.raw(text[begin:i])
			f.raw(" ")
			begin = -1
		}
	}
	if begin >= 0 {
		f.raw(text[begin:])
		f.raw(" ")
	}
	f.raw("\n")
}
