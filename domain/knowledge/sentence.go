package knowledge

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// span is a place in a text, in bytes.
type span struct{ from, to int }

const (
	// ends close a sentence when a space, or the end, follows; endsDense always do.
	ends      = ".!?…؟۔।॥"
	endsDense = "。！？｡"
	// closers may follow the mark that ends a sentence, and belong to it.
	closers = "\"'”’»)]}」』）】*_"
)

// sentences returns where the sentences of a paragraph are, in order and without the
// space between them. A line break ends one too. What looks like an abbreviation, the
// number of an item or an initial does not.
func sentences(s string) []span {
	var found []span
	start := 0
	add := func(end int) {
		from, to := start, end
		for from < to && isSpaceAt(s, from) {
			from++
		}
		for to > from && isSpaceAt(s, to-1) {
			to--
		}
		if to > from {
			found = append(found, span{from, to})
		}
		start = end
	}
	word := 0 // where the word that is read began
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		next := i + size
		switch {
		case r == '\n':
			add(next)
		case strings.ContainsRune(endsDense, r):
			next = skipClosers(s, next)
			add(next)
		case strings.ContainsRune(ends, r):
			after := skipClosers(s, next)
			if endsHere(s, word, i, after) {
				add(after)
				next = after
			}
		}
		if unicode.IsSpace(r) {
			word = next
		}
		i = next
	}
	add(len(s))
	return found
}

// isSpaceAt reports ASCII white space; other spaces stay part of what they are in.
func isSpaceAt(s string, i int) bool {
	return s[i] == ' ' || s[i] == '\n' || s[i] == '\t' || s[i] == '\r'
}

func skipClosers(s string, i int) int {
	for i < len(s) {
		r, size := utf8.DecodeRuneInString(s[i:])
		if !strings.ContainsRune(closers, r) {
			break
		}
		i += size
	}
	return i
}

// endsHere reports whether the mark at i ends a sentence: a space follows and after it
// nothing that goes on in lower case, and the word before is no initial and no number
// of one or two characters.
func endsHere(s string, word, i, after int) bool {
	if after < len(s) && !isSpaceAt(s, after) {
		return false
	}
	if s[i] == '.' && utf8.RuneCountInString(s[word:i]) <= 2 {
		return false
	}
	rest := after
	for rest < len(s) && isSpaceAt(s, rest) {
		rest++
	}
	r, _ := utf8.DecodeRuneInString(s[rest:])
	return rest == len(s) || !unicode.IsLower(r)
}

// cut divides a text into pieces that cost at most most, at spaces where there are any,
// never inside a character.
func cut(s string, at span, most int) []span {
	var pieces []span
	for from := at.from; from < at.to; {
		end, space, spent := from, 0, 0
		for end < at.to {
			r, size := utf8.DecodeRuneInString(s[end:at.to])
			if spent += costOf(r); spent > most && end > from {
				break
			}
			if unicode.IsSpace(r) {
				space = end
			}
			end += size
		}
		if end < at.to && space > from {
			end = space
		}
		pieces = append(pieces, span{from, end})
		for from = end; from < at.to && isSpaceAt(s, from); {
			from++
		}
	}
	return pieces
}
