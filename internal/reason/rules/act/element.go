package act

import (
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/internal/reason/rules/text"
)

// containerRoles are roles of elements that hold others and are not clicked
// themselves.
var containerRoles = text.Set("region dialog alertdialog form navigation main banner contentinfo complementary search list table grid treegrid tree " +
	"rowgroup tablist tabpanel toolbar menu menubar radiogroup group alert status log document application feed marquee timer progressbar separator")

// isClickable reports whether an element can be clicked: controls and whatever else
// the page made clickable, except containers and fields.
func isClickable(e page.Element) bool {
	return e.IsControl() || !e.IsField() && !e.IsTick() && !containerRoles[e.Role]
}

// aside is what to take off the score of an element that is no control, or whose name
// was guessed.
func aside(e page.Element) float64 {
	less := 0.0
	switch {
	case e.IsControl():
	case e.IsField() || e.IsTick():
		less = 0.05
	default:
		less = 0.1
	}
	if e.NameGuessed {
		less += 0.05
	}
	return less
}

// usableControls are the clickable elements that can be used now and have a label, in
// document order.
func usableControls(v *View) []page.Element {
	return keptElements(v, &v.index.controls, func(e page.Element) bool { return isClickable(e) && e.Label() != "" })
}

// best keeps the elements with the highest positive score.
func best(list []page.Element, score func(page.Element) float64) (top []page.Element, high float64) {
	var at []int
	for i, e := range list {
		switch s := score(e); {
		case s <= 0 || s < high:
		case s > high:
			at, high = append(at[:0], i), s
		default:
			at = append(at, i)
		}
	}
	for _, i := range at {
		if top == nil {
			top = make([]page.Element, 0, len(at))
		}
		top = append(top, list[i])
	}
	return top, high
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}
