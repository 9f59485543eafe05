package page

// gap is the nearest paired elements before and after an element, by their index on
// the second page; edge if there is none.
type gap struct{ prev, next int }

const edge = -1

// gaps returns the gap of every element of both pages.
func (p pairing) gaps() (before, after []gap) {
	before, after = make([]gap, len(p.after)), make([]gap, len(p.before))
	between(before, func(i int) int { return p.after[i] })
	between(after, func(j int) int {
		if p.before[j] < 0 {
			return edge
		}
		return j
	})
	return before, after
}

// between fills in the gaps of one page. landmark returns an element's index on the
// second page, or edge if it is not paired.
func between(gaps []gap, landmark func(int) int) {
	last := edge
	for i := range gaps {
		gaps[i].prev = last
		if l := landmark(i); l != edge {
			last = l
		}
	}
	last = edge
	for i := len(gaps) - 1; i >= 0; i-- {
		gaps[i].next = last
		if l := landmark(i); l != edge {
			last = l
		}
	}
}

// twinSign is what twins are paired by.
type twinSign struct {
	gap
	family int
	state  string
}

// byGap pairs twins by their gaps. If a gap holds as many as before, they are the
// same ones in order; otherwise those of the same value, then those next to the same
// landmark, then the rest in order.
func (m *match) byGap() {
	if countUnpaired(m.pairing.before) == 0 || countUnpaired(m.pairing.after) == 0 {
		return
	}
	before, after := m.gaps()
	even := func(here, there int) bool { return here == there }
	always := func(int, int) bool { return true }
	for _, pass := range [...]struct {
		sign func(Descriptor, gap) twinSign
		take func(here, there int) bool
	}{
		{func(_ Descriptor, g gap) twinSign { return twinSign{gap: g} }, even},
		{func(d Descriptor, g gap) twinSign { return twinSign{gap: g, state: d.Checked + d.Value} }, always},
		{func(_ Descriptor, g gap) twinSign { return twinSign{gap: gap{g.prev, edge}} }, always},
		{func(_ Descriptor, g gap) twinSign { return twinSign{gap: gap{edge, g.next}} }, always},
		{func(Descriptor, gap) twinSign { return twinSign{} }, always},
	} {
		sign := func(d Descriptor, g gap, family int) (twinSign, bool) {
			s := pass.sign(d, g)
			s.family = family
			return s, true
		}
		bySign(m.pairing,
			func(i int) (twinSign, bool) { return sign(m.before[i], before[i], m.familyB[i]) },
			func(j int) (twinSign, bool) { return sign(m.after[j], after[j], m.familyA[j]) }, pass.take)
	}
}
