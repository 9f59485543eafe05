package slot

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is a word of a text as a person writes it: "allan@example.com", "10,000" and
// "full-size" are one each.
type token struct {
	text       string // as it stands
	low        string // in lower case
	start, end int
	class      class
	broken     bool // something ends before it: a sentence, a clause, a bracket
	capital    bool
	digits     int
	kind       Kind // what it is by its form alone; Phrase if nothing special
	next       int  // one behind the last token of the thing that begins here
	money      bool // a currency stands at it
}

// tokenize cuts a text at spaces and at punctuation that is no part of a word.
func tokenize(s string) []token {
	var out []token
	broken := true
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if !isWord(r) {
			broken = broken || breaks(s, i, r)
			i += n
			continue
		}
		end := wordEnd(s, i)
		out = append(out, newToken(s, i, end, broken))
		broken = false
		i = end
		if rest := s[i:]; strings.HasPrefix(rest, "'s") || strings.HasPrefix(rest, "’s") {
			i += len(rest) - len(strings.TrimLeft(rest, "'’")) + 1
			broken = true // "the manager's name": what follows is something else
		}
	}
	return out
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }

// breaks reports whether a mark ends what stood before it.
func breaks(s string, at int, r rune) bool {
	switch r {
	case ' ', '\t', '\u00a0', '$', '€', '£', '#', '+', '&', '*', '/', '%', '~', '@':
		return false
	case '-':
		return at > 0 && s[at-1] == ' '
	}
	return true
}

// wordEnd is where the word that begins at i ends. Marks between two letters or digits
// belong to it, but for a comma between letters.
func wordEnd(s string, i int) int {
	last := rune(0)
	for i < len(s) {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case isWord(r):
			if last != 0 && wide(r) != wide(last) {
				return i // a script without spaces begins or ends here
			}
		case last == 0 || !joins(r, last, s[i+n:]):
			return i
		}
		last = r
		i += n
	}
	return i
}

// joins reports whether a mark holds the letter before and what follows together.
func joins(r, before rune, rest string) bool {
	after, _ := utf8.DecodeRuneInString(rest)
	if !isWord(after) || !isWord(before) {
		return false
	}
	switch r {
	case '-', '.', '@', '_', ':', '/':
		return r != ':' || unicode.IsDigit(before) && unicode.IsDigit(after)
	case '\'', '’':
		return after != 's' || wordAt(rest[1:])
	case ',':
		return unicode.IsDigit(before) && unicode.IsDigit(after)
	}
	return false
}

func wordAt(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return isWord(r)
}

// wide reports whether a letter is of a script that puts no spaces between words.
func wide(r rune) bool {
	return r >= 0x0e00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Hangul)
}

func newToken(s string, start, end int, broken bool) token {
	t := token{text: s[start:end], start: start, end: end, broken: broken}
	t.low = strings.ToLower(t.text)
	first, _ := utf8.DecodeRuneInString(t.text)
	for i, r := range t.text {
		if unicode.IsDigit(r) {
			t.digits++
		}
		if unicode.IsUpper(r) && (i == 0 || unicode.IsLower(first)) {
			t.capital = true // iPhone too
		}
	}
	before, _ := utf8.DecodeLastRuneInString(s[:start])
	after, _ := utf8.DecodeRuneInString(s[end:])
	t.money = strings.ContainsRune("$€£¥₹", before) || strings.ContainsRune("€£¥₹", after)
	return t
}
