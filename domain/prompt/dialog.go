package prompt

import (
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/page"
)

// front is what lies open over a page: it comes first, and behind it what it covers.
type front struct {
	open bool
	name string
	// elements is how many of the flow's elements are in it, lines how many lines of
	// the text after them.
	elements, lines int
}

// openDialog returns the layer that is open over the page and the numbers of the layers
// in it: the last one that is a dialog, or that covers elements, with what it stands in. A layer of which
// nothing can be used is not open, and one that is all of the page covers nothing.
func openDialog(p page.Page, es []page.Element) (l page.Layer, in map[int]bool) {
	for n := len(p.Layers); n >= 1; n-- {
		in = layersIn(p, n)
		if !isOpen(p.Layers[n-1], in, es) {
			continue
		}
		for m := 1; m < n; m++ { // a shade with the dialog in it, or a dialog with a list in it
			around := layersIn(p, m)
			if around[n] && isOpen(p.Layers[m-1], around, es) && !coversRest(in, around, es) {
				l = p.Layers[m-1]
				if l.Name == "" {
					l.Name = p.Layers[n-1].Name
				}
				return l, around
			}
		}
		return p.Layers[n-1], in
	}
	return page.Layer{}, nil
}

// coversRest reports that a layer covers most of what else is in the one around it, as a
// question over a dialog does. A list in a dialog may cover a little of it.
func coversRest(in, around map[int]bool, es []page.Element) bool {
	rest, covered := 0, 0
	for i := range es {
		if e := &es[i]; around[e.Layer] && !in[e.Layer] {
			rest++
			if e.State.Occluded {
				covered++
			}
		}
	}
	return 2*covered > rest
}

// layersIn returns the layer with a number and those that stand in it.
func layersIn(p page.Page, n int) map[int]bool {
	in := map[int]bool{n: true}
	l := p.Layers[n-1]
	for i, other := range p.Layers {
		if i >= n && l.TextTo > 0 && l.TextFrom <= other.TextFrom && other.TextTo <= l.TextTo {
			in[i+1] = true
		}
	}
	return in
}

func isOpen(l page.Layer, in map[int]bool, es []page.Element) bool {
	usable, members, covered := 0, 0, 0
	for i := range es {
		switch e := &es[i]; {
		case in[e.Layer] && !e.State.Occluded:
			usable++
			members++
		case in[e.Layer]:
			members++
		case e.State.Occluded:
			covered++
		}
	}
	if members == len(es) && members > 0 {
		return false
	}
	says := l.TextTo > l.TextFrom && members == 0 && l.Modal
	return (usable > 0 || says) && (l.Role != "" || l.Modal || covered > 0)
}

// dialogFirst takes a page apart into what is open over it and what that covers.
func dialogFirst(p page.Page, es []page.Element, l page.Layer, in map[int]bool) flow {
	from, to := max(0, min(l.TextFrom, len(p.Text))), min(l.TextTo, len(p.Text))
	if to < from {
		to = from
	}
	var over, under []page.Element
	for _, e := range es {
		if in[e.Layer] {
			if e.TextTo > 0 {
				e.TextFrom, e.TextTo = max(0, e.TextFrom-from), max(0, min(e.TextTo, to)-from)
			}
			over = append(over, e)
			continue
		}
		e.TextFrom, e.TextTo = without(e.TextFrom, from, to), without(e.TextTo, from, to)
		under = append(under, e)
	}
	name := l.Name
	inside := flowOf(p.Text[from:to], over)
	if name == "" {
		name, _, _ = strings.Cut(strings.TrimSpace(p.Text[from:to]), "\n")
	}
	return inside.before(flowOf(p.Text[:from]+"\n"+p.Text[to:], under), name)
}

// without returns a place of the text once the part from one place to another is a line
// break.
func without(at, from, to int) int {
	switch {
	case at >= to && to > 0 && at > from:
		return at - (to - from) + 1
	case at > from:
		return from
	}
	return at
}

// before joins two flows.
func (f flow) before(under flow, name string) flow {
	n := len(f.elements)
	out := flow{
		elements: slices.Concat(f.elements, under.elements),
		texts:    slices.Concat(f.texts[:n], [][]string{slices.Concat(f.texts[n], under.texts[0])}, under.texts[1:]),
		heads:    slices.Concat(f.heads[:n], []int{len(f.texts[n]) + under.heads[0]}, under.heads[1:]),
		placed:   f.placed || under.placed,
		front:    front{open: true, name: name, elements: n, lines: len(f.texts[n])},
	}
	out.dropFrontName()
	return out
}

// dropFrontName leaves out the first line of a dialog that only says its name, which
// stands above it.
func (f *flow) dropFrontName() {
	lines := f.texts[0]
	if len(lines) == 0 || !strings.EqualFold(lines[0], page.Clean(f.front.name)) || f.front.elements == 0 && f.front.lines == 0 {
		return
	}
	f.texts[0] = lines[1:]
	f.heads[0] = max(0, f.heads[0]-1)
	if f.front.elements == 0 {
		f.front.lines--
	}
}

// takeFront takes all of what is open over the page, as far as two thirds of the room
// allow.
func (s *selection) takeFront() {
	if !s.front.open {
		return
	}
	least := s.room / 3
	for i := range s.front.elements {
		s.add(i, s.room-least)
	}
	for i := 0; i <= s.front.elements; i++ {
		for n := range s.texts[i] {
			if s.room > least && (i < s.front.elements || n < s.front.lines) {
				s.takeLine(i, n)
			}
		}
	}
}
