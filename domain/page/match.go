package page

import "strings"

// pairing says which element of the page before is which on the page after:
// after[i] is the index in the second list, -1 for an element that is gone, and
// before the same the other way round.
type pairing struct{ after, before []int }

// pair finds the elements of one skeleton in the other, from the surest sign
// to the weakest: a family with one member on either side, same id within the
// same family of twins, twins by what they stand between, same id and role (the
// name changed: "Save" became "Saved"), same role at the same place (the client
// renumbered as well). Ids count only while the client keeps them. An element is
// used once.
func pair(before, after []Descriptor) pairing {
	m := newMatch(before, after)
	hold := m.idsHold()
	if hold {
		m.byID(func(d Descriptor, family int) idSign { return idSign{d.ID, family, ""} })
	}
	m.byGap()
	if hold {
		m.byID(func(d Descriptor, _ int) idSign { return idSign{d.ID, -1, d.Role + "\x00" + target(d.Href)} })
	}
	m.byPlace()
	return m.pairing
}

// match is two skeletons under comparison. A family is numbered alike on both
// sides.
type match struct {
	pairing
	before, after      []Descriptor
	familyB, familyA   []int // family of every element
	membersB, membersA []int // how many a family has
}

// newMatch pairs the landmarks: families with one member on either side, which
// nobody can mistake; where there is none, twins that have kept their places on
// the screen.
func newMatch(before, after []Descriptor) *match {
	m := &match{
		pairing: pairing{after: unpaired(len(before)), before: unpaired(len(after))},
		before:  before, after: after,
		familyB: make([]int, len(before)), familyA: make([]int, len(after)),
	}
	numbers := make(map[string]int, len(before)+len(after)/4)
	number := func(d Descriptor) int {
		f := family(d.Key)
		n, ok := numbers[f]
		if !ok {
			n = len(numbers)
			numbers[f] = n
			m.membersB, m.membersA = append(m.membersB, 0), append(m.membersA, 0)
		}
		return n
	}
	where := make([]int, 0, len(after))
	for j, d := range after {
		f := number(d)
		m.familyA[j] = f
		m.membersA[f]++
		if f == len(where) {
			where = append(where, j)
		}
	}
	for i, d := range before {
		m.familyB[i] = number(d)
		m.membersB[m.familyB[i]]++
	}
	alone := true
	for i, f := range m.familyB {
		if m.membersB[f] == 1 && m.membersA[f] == 1 {
			m.link(i, where[f])
			alone = false
		}
	}
	if alone {
		m.byScreen()
	}
	return m
}

func unpaired(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = -1
	}
	return list
}

func (p pairing) link(i, j int) { p.after[i], p.before[j] = j, i }

// idsHold reports whether an id still means the element it meant, as far as the
// landmarks tell. A client that counts elements anew gives ids away when
// something is inserted or removed: a landmark has the id that was another's, or
// its own is another's now. Of 271 real steps 41 moved an id in this way.
func (m *match) idsHold() bool {
	var was, is map[string]bool
	for i, j := range m.pairing.after {
		if j < 0 || m.before[i].ID == m.after[j].ID {
			continue
		}
		if was == nil {
			was, is = ids(m.before), ids(m.after)
		}
		if is[m.before[i].ID] || was[m.after[j].ID] {
			return false
		}
	}
	return true
}

func ids(list []Descriptor) map[string]bool {
	set := make(map[string]bool, len(list))
	for _, d := range list {
		if d.ID != "" {
			set[d.ID] = true
		}
	}
	return set
}

// idSign is an id within a family, or -1 and role and target of a link.
type idSign struct {
	id     string
	family int
	rest   string
}

// byID pairs what has the same id and whatever else the sign is made of.
func (m *match) byID(sign func(d Descriptor, family int) idSign) {
	bySign(m.pairing,
		func(i int) (idSign, bool) { return sign(m.before[i], m.familyB[i]), m.before[i].ID != "" },
		func(j int) (idSign, bool) { return sign(m.after[j], m.familyA[j]), m.after[j].ID != "" },
		func(here, there int) bool { return here == 1 && there == 1 })
}

// bySign pairs leftovers that have the same sign, in their order, where take
// says so of how many have it here and there.
func bySign[S comparable](p pairing, before, after func(int) (S, bool), take func(here, there int) bool) {
	free := countUnpaired(p.before)
	if free == 0 || countUnpaired(p.after) == 0 {
		return
	}
	type slot struct{ here, there, left, first, last int }
	slots := make([]slot, 0, free)
	index := make(map[S]int, free)
	next := make([]int, len(p.before))
	for j, i := range p.before {
		if i >= 0 {
			continue
		}
		s, known := after(j)
		if !known {
			continue
		}
		n, ok := index[s]
		if ok {
			next[slots[n].last] = j
		} else {
			n = len(slots)
			index[s] = n
			slots = append(slots, slot{first: j, left: -1})
		}
		slots[n].last = j
		slots[n].there++
	}
	type claim struct{ element, slot int }
	var claims []claim
	for i, j := range p.after {
		if j >= 0 {
			continue
		}
		if s, known := before(i); !known {
			continue
		} else if n, ok := index[s]; ok {
			claims = append(claims, claim{i, n})
			slots[n].here++
		}
	}
	for _, c := range claims {
		s := &slots[c.slot]
		if s.left < 0 {
			s.left = 0
			if take(s.here, s.there) {
				s.left = s.there
			}
		}
		if s.left > 0 {
			p.link(c.element, s.first)
			s.first = next[s.first]
			s.left--
		}
	}
}

// countUnpaired counts those without a partner.
func countUnpaired(list []int) (n int) {
	for _, partner := range list {
		if partner < 0 {
			n++
		}
	}
	return n
}

// byPlace pairs two leftovers of the same role that follow the same paired
// neighbour and lead to the same place.
func (m *match) byPlace() {
	for i, b := range m.before {
		if m.pairing.after[i] >= 0 {
			continue
		}
		j := 0
		if i > 0 {
			if m.pairing.after[i-1] < 0 {
				continue
			}
			j = m.pairing.after[i-1] + 1
		}
		if j >= len(m.after) || m.pairing.before[j] >= 0 {
			continue
		}
		if a := m.after[j]; b.Role == a.Role && target(b.Href) == target(a.Href) {
			m.link(i, j)
		}
	}
}

// target is where a link leads, without query and fragment: those carry
// session and tracking tokens that change with every load.
func target(href string) string {
	if i := strings.IndexAny(href, "?#"); i >= 0 {
		href = href[:i]
	}
	return sessionless(href)
}

// sessionless is a path without the session that old servers put at its end.
// Other path parameters say what is shown.
func sessionless(path string) string {
	if i := strings.IndexByte(path, ';'); i >= 0 && strings.HasPrefix(strings.ToLower(path[i:]), ";jsessionid=") {
		return path[:i]
	}
	return path
}
