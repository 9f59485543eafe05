package page

import "strconv"

// FindAgain looks on a later page for the element that had the key on the page
// of a skeleton. It goes by everything both pages tell: the name where only one
// has it, the author's anchor, the group, what the element stands between, the id
// as long as the client keeps ids, and the place on the screen where all its
// twins have kept theirs. It never guesses: where a twin may
// just as well be the one, ok is false and ambiguous is true. A found element
// may have another name ("Save" became "Saved") and always has an id. What lies
// beyond a skeleton that was cut is not found.
func FindAgain(before Skeleton, key string, now Page) (found Element, ok, ambiguous bool) {
	i := indexOf(before.Elements, key)
	if i < 0 {
		return Element{}, false, false
	}
	after := now.Skeleton().Elements
	j := pair(before.Elements, after).after[i]
	known := newMatch(before.Elements, after)
	if j >= 0 && after[j].ID != "" && known.certain(i, j) {
		return now.visible(j), true, false
	}
	return Element{}, false, known.membersA[known.familyB[i]] > 0
}

// Has reports whether an element of the skeleton has the key. The empty key is
// nobody's.
func (s Skeleton) Has(key string) bool { return indexOf(s.Elements, key) >= 0 }

func indexOf(list []Descriptor, key string) int {
	for i, d := range list {
		if d.Key == key && key != "" {
			return i
		}
	}
	return -1
}

// visible is the element behind entry n of the page's skeleton.
func (p Page) visible(n int) Element {
	for _, e := range p.Elements {
		if e.State.Hidden {
			continue
		}
		if n == 0 {
			return e
		}
		n--
	}
	return Element{}
}

// certain reports whether a pair is more than the likeliest one, by the
// landmarks of the match.
func (m *match) certain(i, j int) bool {
	if m.pairing.after[i] == j {
		return true
	}
	b, a := m.before[i], m.after[j]
	before, after := m.gaps()
	here, sameGap := before[i], before[i] == after[j]
	hold := m.idsHold()
	byID := hold && b.ID != "" && b.ID == a.ID
	if m.familyB[i] != m.familyA[j] { // another name
		role := func(d Descriptor, _ int) bool { return d.Role == b.Role }
		alone := inGap(m.before, m.familyB, before, here, role) == 1 && inGap(m.after, m.familyA, after, here, role) == 1
		return sameGap && m.membersA[m.familyB[i]] == 0 && (byID || alone)
	}
	if byID && (!counted(m.after) || m.kept(here)) {
		return true
	}
	if here == (gap{edge, edge}) && (!byID || len(m.before) != len(m.after)) {
		return false // no landmark, and something came or went
	}
	twin := func(_ Descriptor, family int) bool { return family == m.familyB[i] }
	elsewhere := hold && b.ID != a.ID && ids(m.after)[b.ID]
	return sameGap && !elsewhere &&
		inGap(m.before, m.familyB, before, here, twin) == inGap(m.after, m.familyA, after, here, twin) &&
		inGap(m.before[:i], m.familyB, before, here, twin) == inGap(m.after[:j], m.familyA, after, here, twin)
}

// kept reports whether both landmarks of a gap have their ids still: had one of
// the twins between them come or gone, a client that counts would have moved the
// second.
func (m *match) kept(g gap) bool {
	same := func(j int) bool { return m.before[m.pairing.before[j]].ID == m.after[j].ID && m.after[j].ID != "" }
	return g.next != edge && same(g.next) && (g.prev == edge || same(g.prev))
}

func inGap(list []Descriptor, families []int, gaps []gap, g gap, is func(d Descriptor, family int) bool) (n int) {
	for i, d := range list {
		if gaps[i] == g && is(d, families[i]) {
			n++
		}
	}
	return n
}

// counted reports whether the ids may be places in the document: numbers that
// only grow. Other ids are not given anew.
func counted(list []Descriptor) bool {
	last := -1
	for _, d := range list {
		n, err := strconv.Atoi(d.ID)
		if err != nil && d.ID != "" || err == nil && n <= last {
			return false
		}
		if err == nil {
			last = n
		}
	}
	return true
}
