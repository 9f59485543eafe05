package main

import (
	"fmt"
	"io"
	"slices"
)

// largePage is from how many elements on a page counts as large: its prompt
// cannot hold them all.
const largePage = 200

// corpusSum is the report in numbers.
type corpusSum struct {
	pages          int
	unread         []corpusPage
	total          corpusPage
	median         float64 // of the reductions
	largest        int     // prompt, in tokens
	large          int     // pages of largePage elements and more
	worst          corpusPage
	asked, located int // on large pages
}

func summarise(pages []corpusPage) corpusSum {
	var s corpusSum
	var reductions []float64
	for _, c := range pages {
		s.pages++
		if c.err != nil {
			s.unread = append(s.unread, c)
			continue
		}
		t := &s.total
		t.bytes, t.elements, t.raw, t.tree = t.bytes+c.bytes, t.elements+c.elements, t.raw+c.raw, t.tree+c.tree
		t.prompt, t.queries, t.found = t.prompt+c.prompt, t.queries+c.queries, t.found+c.found
		reductions = append(reductions, c.reduction())
		s.largest = max(s.largest, c.most)
		if c.elements < largePage || c.queries == 0 {
			continue
		}
		if s.large == 0 || share(c.found, c.queries) < share(s.worst.found, s.worst.queries) {
			s.worst = c
		}
		s.large, s.asked, s.located = s.large+1, s.asked+c.queries, s.located+c.found
	}
	if len(reductions) > 0 {
		slices.Sort(reductions)
		s.median = reductions[len(reductions)/2]
	}
	return s
}

func share(of, all int) float64 { return float64(of) / float64(max(all, 1)) }

func (s corpusSum) print(w io.Writer) error {
	t := s.total
	for _, c := range s.unread {
		_, _ = fmt.Fprintf(w, "%s cannot be read: %v\n", c.name, c.err)
	}
	_, err := fmt.Fprintf(w, `
%d pages, %d of them cannot be read: %d bytes, %d elements
tokens: %d of HTML, %d of interactive trees, %d of prompts; the largest prompt has %d with its legend
reduction against HTML: median %.2f %%, of all together %.1f %%
elements found by their name: %d of %d (%.1f %%); on the %d pages of %d elements and more %d of %d (%.1f %%)
`,
		s.pages, len(s.unread), t.bytes, t.elements, t.raw, t.tree, t.prompt, s.largest,
		100*s.median, 100*t.reduction(),
		t.found, t.queries, 100*share(t.found, t.queries), s.large, largePage, s.located, s.asked, 100*share(s.located, s.asked))
	if err == nil && s.large > 0 {
		_, err = fmt.Fprintf(w, "the worst of these is %s with %.1f %%\n", s.worst.name, 100*share(s.worst.found, s.worst.queries))
	}
	return err
}
