package page

import (
	"math"
	"strings"
)

// Sought describes an element without its id. Empty fields and a nil XY are unknown.
type Sought struct {
	Role, Name, Group string
	XY                *Point
}

// Sought returns the description to find the element on another page.
func (e Element) Sought() Sought {
	return Sought{Role: e.Role, Name: e.Name, Group: e.Group, XY: e.XY}
}

// Weights and thresholds of a ghost match (spec §2.5.6). Text and role together
// suffice, and role and place; neither alone does.
const (
	ghostText      = 0.4
	ghostRole      = 0.3
	ghostPlace     = 0.3
	ghostThreshold = 0.5
	ghostRadius    = 50 // CSS pixels
)

// Find looks for an operable element by its description alone; with a page before,
// use FindAgain. Among equally good ones the group decides. It never guesses: if two
// remain, ok is false and ambiguous is true.
func Find(p Page, s Sought) (found Element, ok, ambiguous bool) {
	best := ghostThreshold
	var candidates []Element
	for _, e := range p.Elements {
		if e.ID == "" || e.State.Hidden {
			continue
		}
		score := ghostScore(e, s)
		switch {
		case score < best-1e-9:
		case score > best+1e-9:
			best, candidates = score, append(candidates[:0], e)
		default:
			candidates = append(candidates, e)
		}
	}
	candidates = narrow(candidates, s.Group != "", func(e Element) bool { return SameText(e.Group, s.Group) })
	switch len(candidates) {
	case 0:
		return Element{}, false, false
	case 1:
		return candidates[0], true, false
	}
	return Element{}, false, true
}

func ghostScore(e Element, s Sought) float64 {
	score := 0.0
	if s.Name != "" && SameText(e.Name, s.Name) {
		score += ghostText
	}
	if s.Role != "" && e.Role == s.Role {
		score += ghostRole
	}
	if s.XY != nil && e.XY != nil && math.Hypot(e.XY.X-s.XY.X, e.XY.Y-s.XY.Y) <= ghostRadius {
		score += ghostPlace
	}
	return score
}

// narrow keeps the elements that pass, or all if none does or the property is not
// known.
func narrow(list []Element, known bool, pass func(Element) bool) []Element {
	if !known || len(list) < 2 {
		return list
	}
	var kept []Element
	for _, e := range list {
		if pass(e) {
			kept = append(kept, e)
		}
	}
	if len(kept) == 0 {
		return list
	}
	return kept
}

// SameText compares texts as a person would, ignoring case, spacing and a colon or
// asterisk after a label.
func SameText(a, b string) bool {
	trim := func(s string) string { return strings.TrimRight(Clean(s), " :*") }
	return a == b || strings.EqualFold(trim(a), trim(b))
}
