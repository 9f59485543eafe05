package prompt

import "unicode"

// Tokens estimates how many tokens a text is for a model. It counts runs of
// characters of one class, as tokenizers cut them: a word is a token and a bit more
// for its length, a single space belongs to the word after it, digits and signs go
// two or three to a token, and scripts with large alphabets take about one a
// character.
//
// For 181 samples of real pages (prose in several scripts, HTML, elements as rendered
// here) it gives 0.8 to 1.6 times the larger count of two public tokenizers (o200k
// and Gemma's), 1.1 times on average. It takes encoded data (base64) for half of what
// it is, and rows of numbers for three quarters.
func Tokens(s string) int {
	quarters, length := 0, 0
	var run class
	var last rune
	for _, r := range s {
		c := classOf(r)
		if c != run || isHump(last, r) {
			quarters += run.cost(length)
			run, length = c, 0
		}
		length++
		last = r
	}
	return (quarters + run.cost(length) + 3) / 4
}

// isHump reports where a word begins inside camelCase.
func isHump(last, r rune) bool { return last >= 'a' && last <= 'z' && r >= 'A' && r <= 'Z' }

// class is a class of characters that tokenizers treat alike.
type class byte

const (
	letter class = iota + 1 // Latin and Cyrillic
	digit
	space
	newline
	sign // of ASCII
	han  // and Hangul
	kana
	script // other letters
	symbol // emoji and the rest
)

func classOf(r rune) class {
	switch {
	case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z':
		return letter
	case r >= '0' && r <= '9':
		return digit
	case r == ' ', r == '\t':
		return space
	case r == '\n', r == '\r':
		return newline
	case r < 0x80:
		return sign
	case r >= 0xc0 && r < 0x250, r >= 0x400 && r < 0x530:
		return letter
	case unicode.In(r, unicode.Han, unicode.Hangul):
		return han
	case unicode.In(r, unicode.Hiragana, unicode.Katakana):
		return kana
	case unicode.IsLetter(r), unicode.IsMark(r), unicode.IsDigit(r):
		return script
	}
	return symbol
}

// cost is the cost of a run of n characters, in quarters of a token.
func (c class) cost(n int) int {
	switch c {
	case letter:
		return 4 + (n-1)/4*2
	case digit:
		return 4 + (n-1)*3
	case sign, script:
		return 4 + (n-1)*2
	case newline:
		return 4
	case space:
		if n > 1 {
			return 4
		}
	case han:
		return n * 3
	case kana:
		return n * 2
	case symbol:
		return n * 8
	}
	return 0
}
