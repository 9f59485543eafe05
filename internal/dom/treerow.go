package dom

import (
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/page"
)

// nearby is how many elements besides its control make up a tree's row.
const nearby = 3

// treeRows gives elements of a tree the names of what is in a row with them, since a
// tree has no rows. For controls of the same name that is what is at the same height
// or, without boxes, what precedes each of them. If it could as well be what follows,
// they have no row.
func treeRows(es []page.Element) {
	type sign struct{ role, name string }
	alike := map[sign][]int{}
	for i := range es {
		if e := &es[i]; !e.State.Hidden && e.Name != "" {
			s := sign{e.Role, e.Name}
			alike[s] = append(alike[s], i)
		}
	}
	alone := func(i int) bool { return len(alike[sign{es[i].Role, es[i].Name}]) == 1 }
	for _, of := range alike {
		if len(of) < 2 || slices.ContainsFunc(of, func(i int) bool { return es[i].Row != "" }) {
			continue
		}
		if es[of[0]].Box != nil {
			for _, i := range of {
				es[i].Row = besideBox(es, i, alone)
			}
			continue
		}
		before, last := namesBefore(es, 0, of[0], alone)
		if after, role := namesAfter(es, of[len(of)-1], alone); before == "" || after && role == last {
			continue
		}
		from := 0
		for _, i := range of {
			es[i].Row, _ = namesBefore(es, from, i, alone)
			from = i + 1
		}
	}
}

// besideBox returns the names of the nearest elements at the same height.
func besideBox(es []page.Element, at int, alone func(int) bool) string {
	var names []string
	for i := max(0, at-2*nearby); i < min(len(es), at+2*nearby) && len(names) < nearby; i++ {
		if i != at && alone(i) && es[i].Box != nil && sameHeight(*es[i].Box, *es[at].Box) {
			names = append(names, es[i].Name)
		}
	}
	return page.Cut(strings.Join(names, " "), maxRow)
}

func sameHeight(a, b page.Rect) bool {
	middle := b.Y + b.H/2
	return a.Y <= middle && middle <= a.Y+a.H
}

// namesBefore returns the names of the last elements before one, and the role of the
// nearest.
func namesBefore(es []page.Element, from, to int, alone func(int) bool) (names, role string) {
	var list []string
	for i := to - 1; i >= from && len(list) < nearby; i-- {
		if alone(i) {
			list = append([]string{es[i].Name}, list...)
			if role == "" {
				role = es[i].Role
			}
		}
	}
	return page.Cut(strings.Join(list, " "), maxRow), role
}

// namesAfter reports whether anything follows, and the role of the nearest.
func namesAfter(es []page.Element, from int, alone func(int) bool) (found bool, role string) {
	for i := from + 1; i < len(es) && i <= from+nearby; i++ {
		if alone(i) {
			return true, es[i].Role
		}
	}
	return false, ""
}
