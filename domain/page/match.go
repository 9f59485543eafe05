package page

import "strings"

// pairing pairs the elements of two pages: after[i] is the index in the second list,
// -1 if the element disappeared, and before is the inverse.
type pairing struct{ after, before []int }

// pair finds the elements of one skeleton in the other, from the strongest evidence
// to the weakest: a family with one member on either side, same id in the same
// family, twins by their neighbours, same id and role (the name changed: "Save"
// became "Saved"), same role at the same place (the client renumbered as well). Ids
// count only while the client keeps them. Each element is paired once.
func pair(before, after []Descriptor) pairing { return newMatch(before, after).pairAll() }

// pairAll pairs what is left of a match.
func (m *match) pairAll() pairing {
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

// match compares two skeletons. Families are numbered alike on both sides.
type match struct {
	pairing
	before, after      []Descriptor
	familyB, familyA   []int // family of every element
	membersB, membersA []int // how many a family has
}

// newMatch pairs the landmarks: families with one member on either side or, if there
// is none, twins that kept their position on the screen.
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

// idsHold reports whether ids still mean the same elements, as far as the landmarks
// tell. A client that counts elements reassigns ids when one is inserted or removed:
// then a landmark has an id that was another's, or its own id is another's now. In 41
// of 271 real steps an id moved like this.
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

// idSign is an id within a family, or -1 with a link's role and target.
type idSign struct {
	id     string
	family int
	rest   string
}

// byID pairs elements of the same sign.
func (m *match) byID(sign func(d Descriptor, family int) idSign) {
	bySign(m.pairing,
		func(i int) (idSign, bool) { return sign(m.before[i], m.familyB[i]), m.before[i].ID != "" },
		func(j int) (idSign, bool) { return sign(m.after[j], m.familyA[j]), m.after[j].ID != "" },
		func(here, there int) bool { return here == 1 && there == 1 })
}

// bySign pairs unpaired elements of the same sign in their order, if take accepts how
// many have it on either side.
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

// countUnpaired counts the elements without a partner.
func countUnpaired(list []int) (n int) {
	for _, partner := range list {
		if partner < 0 {
			n++
		}
	}
	return n
}

// byPlace pairs two unpaired elements of the same role that follow the same paired
// neighbour and have the same link target. If their names have nothing in common, all
// around them must be as before: else it is another part of the page, or another page.
func (m *match) byPlace() {
	same := m.samePlaces()
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
		if a := m.after[j]; b.Role == a.Role && target(b.Href) == target(a.Href) && (same[i] || namesRelated(b.Name, a.Name)) {
			m.link(i, j)
		}
	}
}

// maxReplaced is how many elements in a row may all get other names and be the same.
const maxReplaced = 3

// samePlaces returns which elements are unpaired ones in a row that as many stand in the
// place of, between the same neighbours.
func (m *match) samePlaces() []bool {
	same := make([]bool, len(m.before))
	for i := 0; i < len(m.before); i++ {
		if m.pairing.after[i] >= 0 {
			continue
		}
		end := i
		for end < len(m.before) && m.pairing.after[end] < 0 {
			end++
		}
		from, to := 0, len(m.after)
		if i > 0 {
			from = m.pairing.after[i-1] + 1
		}
		if end < len(m.before) {
			to = m.pairing.after[end]
		}
		if n := end - i; n <= maxReplaced && to-from == n {
			for ; i < end; i++ {
				same[i] = true
			}
		}
		i = end
	}
	return same
}

// namesRelated reports two names of which one has a word, or the beginning or end of one,
// of the other: Save and Saved, Follow and Unfollow. A name that says nothing may be any.
func namesRelated(a, b string) bool {
	as, bs := strings.Fields(strings.ToLower(a)), strings.Fields(strings.ToLower(b))
	if len(as) == 0 || len(bs) == 0 {
		return true
	}
	for _, x := range as {
		for _, y := range bs {
			if short := min(len(x), len(y)); x == y || short >= 3 && (strings.Contains(x, y) || strings.Contains(y, x)) {
				return true
			}
		}
	}
	return false
}

// target is a link's address without query and fragment, whose session and tracking
// tokens change with every load.
func target(href string) string {
	if i := strings.IndexAny(href, "?#"); i >= 0 {
		href = href[:i]
	}
	return sessionless(href)
}

// sessionless removes the session id that old servers append to a path. Other path
// parameters are kept.
func sessionless(path string) string {
	if i := strings.IndexByte(path, ';'); i >= 0 && strings.HasPrefix(strings.ToLower(path[i:]), ";jsessionid=") {
		return path[:i]
	}
	return path
}
