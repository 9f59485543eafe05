package knowledge

import "strings"

// alike is the share of words two chunks have in common from which one says the same of the
// same part of a page at another time.
const alike = 0.5

// Compare says what a later state of a page has that its earlier ones, old, have not, and
// which of their chunks that takes the place of: those under the same headings that share
// half of their words with a new one. A chunk is new if no old one has its text. Chunks keep their order and
// are numbered anew.
func Compare(old map[ChunkRef]Chunk, now []Chunk) (fresh []Chunk, superseded []ChunkRef) {
	known := map[string]bool{}
	byHeading := map[string][]ChunkRef{}
	for ref, c := range old {
		known[c.Text] = true
		byHeading[c.Heading()] = append(byHeading[c.Heading()], ref)
	}
	still := map[string]bool{}
	for _, c := range now {
		still[c.Text] = true
	}
	gone := map[ChunkRef]bool{}
	for _, c := range now {
		if known[c.Text] {
			continue
		}
		c.Ord = len(fresh)
		fresh = append(fresh, c)
		words := wordsOf(c.Text)
		for _, ref := range byHeading[c.Heading()] {
			if !still[old[ref].Text] && likeness(words, wordsOf(old[ref].Text)) >= alike {
				gone[ref] = true
			}
		}
	}
	for ref := range gone {
		superseded = append(superseded, ref)
	}
	sortRefs(superseded)
	return fresh, superseded
}

func wordsOf(text string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(strings.ToLower(text)) {
		out[w] = true
	}
	return out
}

// likeness is the share of the words of the smaller set that are in the other.
func likeness(a, b map[string]bool) float64 {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(a) == 0 {
		return 0
	}
	both := 0
	for w := range a {
		if b[w] {
			both++
		}
	}
	return float64(both) / float64(len(a))
}
