package page

// maxShift is by how many pixels an unmoved element may differ: a new scrollbar
// shifts centred content.
const maxShift = 8

// byScreen pairs twins that all kept their positions on the screen, on a page without
// landmarks. With landmarks the neighbours say more, since another row may have moved
// into a place.
func (m *match) byScreen() {
	places := make(map[int][2][]int, len(m.membersB)) // of a family: its indexes before and after
	for i, f := range m.familyB {
		p := places[f]
		p[0] = append(p[0], i)
		places[f] = p
	}
	for j, f := range m.familyA {
		p := places[f]
		p[1] = append(p[1], j)
		places[f] = p
	}
	for _, p := range places {
		if !m.samePositions(p[0], p[1]) {
			continue
		}
		for n, i := range p[0] {
			m.link(i, p[1][n])
		}
	}
}

func (m *match) samePositions(before, after []int) bool {
	if len(before) != len(after) {
		return false
	}
	for n, i := range before {
		if b, a := m.before[i].At, m.after[after[n]].At; b == ([2]int{}) || !near(b, a) {
			return false
		}
	}
	return true
}

func near(a, b [2]int) bool {
	return max(a[0]-b[0], b[0]-a[0], a[1]-b[1], b[1]-a[1]) <= maxShift
}
