package page

import "strings"

// pairing says which element of the page before is which on the page after:
// after[i] is the index in the second list, -1 for an element that is gone, and
// before the same the other way round.
type pairing struct{ after, before []int }

// pair finds the elements of one skeleton in the other, from the surest sign
// to the weakest: same id within the same family of twins, same key, same id
// and role (the name changed: "Save" became "Saved"), same role at the same
// place (the client renumbered as well). An element is used once.
func pair(before, after []Descriptor) pairing {
	p := pairing{after: unpaired(len(before)), before: unpaired(len(after))}
	p.by(before, after, func(d *Descriptor) sign { return sign{d.ID, family(d.Key)} })
	p.by(before, after, func(d *Descriptor) sign { return sign{d.Key} })
	p.by(before, after, func(d *Descriptor) sign { return sign{d.ID, d.Role, target(d.Href)} })
	p.byPlace(before, after)
	return p
}

func unpaired(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = -1
	}
	return list
}

// sign is what an element is recognised by; without its first part it is none.
type sign [3]string

// by pairs what has the same sign on both sides. A sign that occurs twice on
// the second side is nobody's.
func (p pairing) by(before, after []Descriptor, signOf func(*Descriptor) sign) {
	index := make(map[sign]int, len(after))
	for j := range after {
		s := signOf(&after[j])
		if p.before[j] >= 0 || s[0] == "" {
			continue
		}
		if _, twice := index[s]; twice {
			index[s] = -1
		} else {
			index[s] = j
		}
	}
	for i := range before {
		if p.after[i] >= 0 {
			continue
		}
		if j, ok := index[signOf(&before[i])]; ok && j >= 0 && p.before[j] < 0 {
			p.after[i], p.before[j] = j, i
		}
	}
}

// byPlace pairs two leftovers of the same role that follow the same paired
// neighbour and lead to the same place.
func (p pairing) byPlace(before, after []Descriptor) {
	for i := range before {
		if p.after[i] >= 0 {
			continue
		}
		j := 0
		if i > 0 {
			if p.after[i-1] < 0 {
				continue
			}
			j = p.after[i-1] + 1
		}
		if j >= len(after) || p.before[j] >= 0 {
			continue
		}
		b, a := before[i], after[j]
		if b.Role == a.Role && target(b.Href) == target(a.Href) {
			p.after[i], p.before[j] = j, i
		}
	}
}

// target is where a link leads, without query and fragment: those carry
// session and tracking tokens that change with every load.
func target(href string) string {
	if i := strings.IndexAny(href, "?#"); i >= 0 {
		return href[:i]
	}
	return href
}
