package page

// gap is what an element stands between: the nearest elements before and after
// it that are paired already, by their index on the second page; edge where
// there is none.
type gap struct{ prev, next int }

const edge = -1

// gaps gives the gap of every element of both pages.
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

// between fills in the gaps of one page; landmark says what an element is known
// as, edge if it is not paired.
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

// byGap pairs twins by what they stand between: as many in the gap as before
// are the same ones in the same order; of others those that hold the same, then
// those after the same landmark, before the same one, and in order.
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
