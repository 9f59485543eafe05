package vocabulary

import (
	"bytes"
	"math/bits"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Secret reports whether a text is a name for a secret: a password, a one-time code,
// a token, a card number. It knows labels ("Card number") and identifiers
// ("card_number", "cardNumber"). A text longer than a label is an instruction and not
// a name.
//
// Personal data that is not secret is not meant: a passport number, a date of birth,
// a postal code. "PIN code" is, although an Indian address has one: there only the
// field's autocomplete can tell.
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

// SecretEntries returns the words Secret looks for and those that make them harmless,
// in the notation of secret_words.go. It serves readers in other languages, such as
// the browser script.
func SecretEntries() (names, notMeant []string) { return secretEntries(), harmlessEntries() }

// longestName is the longest name, in characters.
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

// secretEntry is a word or phrase to look for among words with spaces around them.
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

// entries are matched together. The letter pairs of each are kept apart for a fast
// check, since every field of a page is checked by each of its names.
type entries struct {
	list []secretEntry
	// by are the entries by one of their pairs, each list in order.
	by [64][]paired
}

// paired is an entry with its pairs.
type paired struct {
	pairs uint64
	at    int
}

func entriesOf(list []string) *entries {
	es := &entries{}
	var common [64]int
	for _, s := range list {
		e := entryOf(s)
		es.list = append(es.list, e)
		for set := pairsOf(e.text); set != 0; set &= set - 1 {
			common[bits.TrailingZeros64(set)]++
		}
	}
	for i, e := range es.list {
		pairs := pairsOf(e.text)
		rarest := bits.TrailingZeros64(pairs)
		for set := pairs; set != 0; set &= set - 1 {
			if bit := bits.TrailingZeros64(set); common[bit] < common[rarest] {
				rarest = bit
			}
		}
		es.by[rarest] = append(es.by[rarest], paired{pairs, i})
	}
	return es
}

// in returns the first entry among the words, nil if there is none.
func (es *entries) in(words []byte, pairs uint64) *secretEntry {
	first := len(es.list)
	for set := pairs; set != 0; set &= set - 1 {
		for _, p := range es.by[bits.TrailingZeros64(set)] {
			if p.pairs&^pairs != 0 || p.at >= first {
				continue
			}
			if e := &es.list[p.at]; bytes.Equal(words, e.text) || !e.whole && bytes.Contains(words, e.text) {
				first = p.at
			}
		}
	}
	if first == len(es.list) {
		return nil
	}
	return &es.list[first]
}

// cut removes the entry's first occurrence from words.
func (e *secretEntry) cut(words []byte) []byte {
	before, after, _ := bytes.Cut(words, e.text)
	return append(append(before[:len(before):len(before)], ' '), after...)
}

// pairsOf returns the set of hashed pairs of neighbouring bytes in s.
func pairsOf(s []byte) (set uint64) {
	for i := 1; i < len(s); i++ {
		set |= 1 << ((uint(s[i-1])*31 + uint(s[i])) % 64)
	}
	return set
}
