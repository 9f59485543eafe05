package page

import (
	"slices"
	"strconv"
)

// FindAgain is Compare and one Find. To find several elements, use a Comparison.
func FindAgain(before Skeleton, key string, now Page) (found Element, ok, ambiguous bool) {
	return Compare(before, now).Find(key)
}

// Comparison compares a skeleton with a later page, to find elements again.
type Comparison struct {
	now    Page
	shown  []int // the elements of now behind the entries of its skeleton
	likely []int // for every element before its likeliest one after, or -1
	known  *match
	// What certain asks of the landmarks.
	gapsBefore, gapsAfter []gap
	idsHold, counted      bool
	idsAfter              map[string]bool
}

// Compare prepares finding elements of a skeleton on a later page.
func Compare(before Skeleton, now Page) *Comparison {
	after := now.Skeleton().Elements
	known := newMatch(before.Elements, after)
	all := *known
	all.pairing = pairing{slices.Clone(known.pairing.after), slices.Clone(known.pairing.before)}
	c := &Comparison{
		now: now, likely: all.pairAll().after, known: known,
		counted: counted(after), idsAfter: ids(after),
	}
	c.gapsBefore, c.gapsAfter = c.known.gaps()
	c.idsHold = c.known.idsHold()
	for i := range now.Elements {
		if !now.Elements[i].State.Hidden {
			c.shown = append(c.shown, i)
		}
	}
	return c
}

// Find returns the element on the later page that had the key on the skeleton's page.
// It uses everything both pages know: a name only one element has, the author's
// anchor, the group, the neighbouring elements, the id as long as the client keeps
// ids, and the position on the screen if all twins kept theirs. It never guesses: if
// a twin may just as well be the one, ok is false and ambiguous is true. The found
// element may have another name ("Save" became "Saved") and always has an id.
// Elements beyond a cut skeleton are not found.
func (c *Comparison) Find(key string) (found Element, ok, ambiguous bool) {
	i := indexOf(c.known.before, key)
	if i < 0 {
		return Element{}, false, false
	}
	if j := c.likely[i]; j >= 0 && c.known.after[j].ID != "" && c.certain(i, j) {
		return c.now.Elements[c.shown[j]], true, false
	}
	return Element{}, false, c.known.membersA[c.known.familyB[i]] > 0
}

// Has reports whether an element of the skeleton has the key. No element has the
// empty key.
func (s Skeleton) Has(key string) bool { return indexOf(s.Elements, key) >= 0 }

func indexOf(list []Descriptor, key string) int {
	for i := range list {
		if list[i].Key == key && key != "" {
			return i
		}
	}
	return -1
}

// certain reports whether a pair is certain by its landmarks, and not only the
// likeliest.
func (c *Comparison) certain(i, j int) bool {
	m := c.known
	if m.pairing.after[i] == j {
		return true
	}
	b, a := m.before[i], m.after[j]
	before, after := c.gapsBefore, c.gapsAfter
	here, sameGap := before[i], before[i] == after[j]
	byID := c.idsHold && b.ID != "" && b.ID == a.ID
	if m.familyB[i] != m.familyA[j] { // another name
		role := func(d Descriptor, _ int) bool { return d.Role == b.Role }
		alone := inGap(m.before, m.familyB, before, here, role) == 1 && inGap(m.after, m.familyA, after, here, role) == 1
		return sameGap && m.membersA[m.familyB[i]] == 0 && (byID || alone)
	}
	if byID && (!c.counted || m.kept(here)) {
		return true
	}
	if here == (gap{edge, edge}) && (!byID || len(m.before) != len(m.after)) {
		return false // no landmark, and something came or went
	}
	twin := func(_ Descriptor, family int) bool { return family == m.familyB[i] }
	idTaken := c.idsHold && b.ID != a.ID && c.idsAfter[b.ID]
	return sameGap && !idTaken &&
		inGap(m.before, m.familyB, before, here, twin) == inGap(m.after, m.familyA, after, here, twin) &&
		inGap(m.before[:i], m.familyB, before, here, twin) == inGap(m.after[:j], m.familyA, after, here, twin)
}

// kept reports whether both landmarks of a gap have kept their ids. If a twin between
// them had come or gone, a client that counts elements would have given the second
// landmark another id.
func (m *match) kept(g gap) bool {
	same := func(j int) bool { return m.before[m.pairing.before[j]].ID == m.after[j].ID && m.after[j].ID != "" }
	return g.next != edge && same(g.next) && (g.prev == edge || same(g.prev))
}

func inGap(list []Descriptor, families []int, gaps []gap, g gap, is func(d Descriptor, family int) bool) (n int) {
	for i := range list {
		if gaps[i] == g && is(list[i], families[i]) {
			n++
		}
	}
	return n
}

// counted reports whether the ids may be positions in the document: numbers that only
// grow. Other ids are not reassigned.
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
