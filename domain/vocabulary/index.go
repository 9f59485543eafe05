package vocabulary

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Index finds the words of many lists in one pass over a text, in time linear in its
// length. The zero value is empty and ready. Searching is safe for concurrent use;
// filling is not.
type Index[T any] struct {
	phrases map[string][]entry[T] // by their first word
	stems   map[string][]entry[T] // beginnings of one word
	longest int                   // of the stems, in bytes
	inside  map[rune][]entry[T]   // of scripts without spaces, by their first letter
}

type entry[T any] struct {
	word   string
	begins bool // it is the beginning of a word, or ends with one
	tag    T
}

// Found is a match: the words of the text that it covers, and how many of its bytes
// agree. After is where it ends, for Rest.
type Found[T any] struct {
	Tag         T
	First, Last int // indexes of Text.Tokens
	At, After   int
	Length      int
	Inside      bool // of a script without spaces: it may stand inside a word
}

// Add adds a word in the notation of List.
func (x *Index[T]) Add(word string, tag T) {
	stem, begins := strings.CutSuffix(Fold(word), "-")
	e := entry[T]{stem, begins, tag}
	switch first, _, more := strings.Cut(stem, " "); {
	case stem == "":
	case anywhere(stem):
		r, _ := utf8.DecodeRuneInString(stem)
		x.inside = add(x.inside, r, e)
	case begins && !more:
		x.stems = add(x.stems, stem, e)
		x.longest = max(x.longest, len(stem))
	default:
		x.phrases = add(x.phrases, first, e)
	}
}

func add[K comparable, T any](m map[K][]entry[T], key K, e entry[T]) map[K][]entry[T] {
	if m == nil {
		m = map[K][]entry[T]{}
	}
	m[key] = append(m[key], e)
	return m
}

// Find calls found for every match in the text, ordered by where they begin, until it
// returns false.
func (x *Index[T]) Find(t Text, found func(Found[T]) bool) {
	for i, w := range t.Tokens {
		if !x.at(t, i, w.Text, found) {
			return
		}
	}
}

func (x *Index[T]) at(t Text, i int, w string, found func(Found[T]) bool) bool {
	from := t.starts[i]
	rest := t.padded[from:]
	for _, e := range x.phrases[w] {
		if n := len(e.word); strings.HasPrefix(rest, e.word) && (e.begins || rest[n] == ' ') {
			last := t.tokenAt(from + n - 1)
			if !found(Found[T]{e.tag, i, last, from, t.starts[last] + len(t.Tokens[last].Text), n, false}) {
				return false
			}
		}
	}
	for n := 1; n <= min(len(w), x.longest); n++ {
		if n < len(w) && !utf8.RuneStart(w[n]) {
			continue
		}
		for _, e := range x.stems[w[:n]] {
			if !found(Found[T]{e.tag, i, i, from, from + len(w), n, false}) {
				return false
			}
		}
	}
	return x.insideOf(t, i, w, found)
}

// insideOf matches words of scripts without spaces at every letter of a word.
func (x *Index[T]) insideOf(t Text, i int, w string, found func(Found[T]) bool) bool {
	for at, r := range w {
		if r < unicode.MaxLatin1 || len(x.inside) == 0 {
			continue
		}
		from := t.starts[i] + at
		for _, e := range x.inside[r] {
			if n := len(e.word); strings.HasPrefix(t.padded[from:], e.word) {
				if !found(Found[T]{e.tag, i, t.tokenAt(from + n - 1), from, from + n, n, true}) {
					return false
				}
			}
		}
	}
	return true
}

// At returns where word i begins.
func (t Text) At(i int) int { return t.starts[i] }

// Whole reports whether a match covers the whole text.
func (t Text) Whole(first, last int) bool { return first == 0 && last == len(t.Tokens)-1 }

// Between returns the words between two positions of a text, separated by single
// spaces.
func (t Text) Between(from, to int) string {
	return t.padded[max(0, from):max(0, from, min(to, len(t.padded)))]
}

func anywhere(w string) bool { return strings.ContainsFunc(w, unspaced) }

// unspaced reports letters of scripts in which words have no boundaries.
func unspaced(r rune) bool {
	return r > unicode.MaxLatin1 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai)
}
