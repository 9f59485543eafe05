package lexicon

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/stepledger/stepledger/domain/vocabulary"
)

// hits are the words of a clause that say something, in order: of those that overlap
// the first and longest.
func (r *reading) hits() []hit {
	var all []hit
	read().messages.Find(r.text, func(f vocabulary.Found[sign]) bool {
		s := f.Tag
		if s.in &= r.words.in; s.in != 0 {
			all = append(all, hit{s, f.First, f.Last, f.At, f.After, f.Length, f.Inside})
		}
		return true
	})
	all = r.withPrefixes(all)
	slices.SortStableFunc(all, func(a, b hit) int {
		if a.at != b.at {
			return a.at - b.at
		}
		return b.length - a.length
	})
	kept, end := all[:0], 0
	for i := 0; i < len(all); {
		h := all[i]
		j := i + 1
		for ; j < len(all) && all[j].at == h.at && all[j].length == h.length; j++ {
		}
		if h.at >= end {
			n := len(kept)
			kept = append(kept, all[i:j]...)
			kept = r.withoutNumbers(kept, n)
			if h.concept != notAfter && h.concept != laterAfter { // they may be the beginning of another
				end = h.after
			}
		}
		i = j
	}
	return kept
}

// withPrefixes adds what is undone by the beginning of a word: "unsaved".
func (r *reading) withPrefixes(hits []hit) []hit {
	taken := make([]bool, len(r.text.Tokens))
	for _, h := range hits {
		for i := h.first; i <= h.last; i++ {
			taken[i] = true
		}
	}
	b := read()
	for i, t := range r.text.Tokens {
		if taken[i] {
			continue
		}
		for n := 1; n <= min(len(t.Text)-shortestRest, longestPrefix); n++ {
			in := b.concepts[unPrefix][t.Text[:n]] & r.words.in
			if in == 0 {
				continue
			}
			if in &= b.beginsWithSuccess(t.Text[n:]); in != 0 {
				at := r.text.At(i)
				hits = append(hits, hit{sign{undone, in}, i, i, at, at + len(t.Text), len(t.Text), false})
			}
		}
	}
	return hits
}

// Bounds on what is taken for a word with a prefix, in bytes, and on what may be at its
// end, in letters.
const (
	longestPrefix = 10
	shortestRest  = 3
	longestEnding = 3
)

// beginsWithSuccess are the languages of the successes that a word begins with: of an
// inflected one too, "ungespeicherte".
func (b *book) beginsWithSuccess(word string) languages {
	in := b.concepts[Success][word]
	b.indexes[Success].Find(vocabulary.Read(word), func(f vocabulary.Found[languages]) bool {
		in |= f.Tag
		return true
	})
	for range longestEnding {
		_, n := utf8.DecodeLastRuneInString(word)
		if word = word[:len(word)-n]; len(word) <= shortestRest {
			break
		}
		in |= b.concepts[Success][word]
	}
	return in
}

// withoutNumbers drops a "no" that only announces a number, "order no. 5", from the
// hits from n on.
func (r *reading) withoutNumbers(hits []hit, n int) []hit {
	if !slices.ContainsFunc(hits[n:], func(h hit) bool { return h.concept == number }) {
		return hits
	}
	if r.announces(hits[n].last) {
		return hits[:n]
	}
	return slices.DeleteFunc(hits, func(h hit) bool { return h.concept == number })
}

// announces reports whether a number stands behind a word, or what has one in it:
// "No. A-4711". With its stop it is short for number whatever follows.
func (r *reading) announces(i int) bool {
	if i+1 >= len(r.text.Tokens) {
		return false
	}
	between := strings.TrimSpace(r.raw[r.text.Tokens[i].To:r.text.Tokens[i+1].From])
	next := r.text.Tokens[i+1]
	if next.Text == "º" || next.Text == "o" {
		return true
	}
	switch between {
	case "":
		return next.Text[0] >= '0' && next.Text[0] <= '9' && (next.Text != "0" || !r.zero(i+1))
	case ".", "°", "#", ".#", ". #", ".º", ".°":
		return true
	case ":":
		return strings.ContainsAny(next.Text, "0123456789")
	}
	return false
}
