package vocabulary

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Secret reports whether a text is a name people give to what must be kept to
// oneself: a password, a one-time code, a token, the number of a card. It knows
// labels ("Card number") and the names programmers use ("card_number",
// "cardNumber"). A text longer than a label is an instruction that mentions one,
// and no name.
//
// What is personal and no secret is not meant: a passport's number, a date of
// birth, a postal code. "PIN code" is: where it is that of an Indian address, only
// the field's autocomplete can tell.
func Secret(name string) bool {
	if name == "" || len(name) > utf8.UTFMax*longestName {
		return false
	}
	var buf [96]byte
	words, short := appendName(buf[:0], name)
	if !short {
		return false
	}
	pairs := pairsOf(words)
	for e := harmless.in(words, pairs); e != nil; e = harmless.in(words, pairs) {
		words = e.cut(words)
	}
	return secretNames.in(words, pairs) != nil
}

// SecretEntries are the words Secret goes by and those that make such a word
// harmless, in the notation of secret_words.go: for readers in other languages
// of programming.
func SecretEntries() (names, notMeant []string) { return secretEntries(), harmlessEntries() }

// longestName is how long a name may be, in characters.
const longestName = 60

// appendName appends s in lower case with one space between words and around
// them, camelCase and snake_case taken apart, without the marks of letters that
// are written in two characters. Short is false for what is longer than a name.
func appendName(dst []byte, s string) (words []byte, short bool) {
	dst = append(dst, ' ')
	last, n := ' ', 0
	for _, r := range s {
		if n++; n > longestName {
			return dst, false
		}
		switch {
		case r >= 0x300 && r <= 0x36f: // combining marks of Latin, Greek and Cyrillic
			continue
		case between(r):
			r = ' '
		case unicode.IsUpper(r) && unicode.IsLower(last):
			dst = append(dst, ' ')
		}
		if r != ' ' || last != ' ' {
			dst = utf8.AppendRune(dst, unicode.ToLower(r))
		}
		last = r
	}
	if last != ' ' {
		dst = append(dst, ' ')
	}
	return dst, true
}

// secretEntry is a word or phrase as it is looked for among words with spaces around
// them.
type secretEntry struct {
	text  []byte
	whole bool // the name is this and nothing else
}

// entryOf reads the notation: "pin" is a word, "hasł-" begins one, "-wort" ends
// one, "-wort-" stands anywhere, "=pass" is the whole name. In scripts without
// spaces all stand anywhere.
func entryOf(s string) secretEntry {
	text, whole := strings.CutPrefix(s, "=")
	text, infix := strings.CutPrefix(text, "-")
	text, prefix := strings.CutSuffix(text, "-")
	if !anywhere(text) {
		if !infix {
			text = " " + text
		}
		if !prefix {
			text += " "
		}
	}
	return secretEntry{[]byte(text), whole}
}

// entries are looked for together. The pairs of letters of each stand apart from
// the rest: every field of a page is asked about, by each of its names.
type entries struct {
	pairs []uint64
	list  []secretEntry
}

func entriesOf(list []string) (es entries) {
	for _, s := range list {
		e := entryOf(s)
		es.list, es.pairs = append(es.list, e), append(es.pairs, pairsOf(e.text))
	}
	return es
}

// in is the first entry among the words, nil if there is none.
func (es *entries) in(words []byte, pairs uint64) *secretEntry {
	for i, p := range es.pairs {
		if p&^pairs != 0 {
			continue
		}
		if e := &es.list[i]; bytes.Equal(words, e.text) || !e.whole && bytes.Contains(words, e.text) {
			return e
		}
	}
	return nil
}

// cut is words without the entry's first occurrence.
func (e *secretEntry) cut(words []byte) []byte {
	before, after, _ := bytes.Cut(words, e.text)
	return append(append(before[:len(before):len(before)], ' '), after...)
}

// pairsOf is the set of the pairs of neighbouring bytes in s, by a hash of them.
func pairsOf(s []byte) (set uint64) {
	for i := 1; i < len(s); i++ {
		set |= 1 << ((uint(s[i-1])*31 + uint(s[i])) % 64)
	}
	return set
}
