package rules

import (
	"slices"

	"github.com/stepledger/stepledger/domain/page"
)

var (
	fieldRoles   = set("textbox searchbox combobox spinbutton listbox slider date")
	tickRoles    = set("checkbox switch menuitemcheckbox")
	controlRoles = set("button link menuitem tab option treeitem menuitemradio")
)

func isField(e page.Element) bool {
	return fieldRoles[e.Role] || e.Tag == "textarea" || e.Tag == "select"
}

func isTick(e page.Element) bool { return tickRoles[e.Role] || e.Role == "radio" }

func isControl(e page.Element) bool { return controlRoles[e.Role] }

// containerRoles are those of what holds other things and is not clicked itself.
var containerRoles = set("region dialog alertdialog form navigation main banner contentinfo complementary search list table grid treegrid tree " +
	"rowgroup tablist tabpanel toolbar menu menubar radiogroup group alert status log document application feed marquee timer progressbar separator")

// isClickable reports what can be clicked: controls, and whatever else the client
// or the page made so, containers apart.
func isClickable(e page.Element) bool {
	return isControl(e) || !isField(e) && !isTick(e) && !containerRoles[e.Role]
}

// aside is by how much an element is less likely to be the one that is meant than
// a control with a name to read.
func aside(e page.Element) float64 {
	less := 0.0
	switch {
	case isControl(e):
	case isField(e) || isTick(e):
		less = 0.05
	default:
		less = 0.1
	}
	if e.NameGuessed {
		less += 0.05
	}
	return less
}

// usable reports whether a person could act on the element now.
func usable(e page.Element) bool {
	return e.ID != "" && !e.State.Hidden && !e.State.Disabled && !e.State.Occluded
}

// label is what a person reads beside the element.
func label(e page.Element) string {
	if e.Name != "" {
		return e.Name
	}
	return e.Placeholder
}

var searchWords = set("search find lookup filter query keyword")

// isSearch reports whether a field is for looking things up, not for entering
// data: a task's "name" never belongs in there.
func isSearch(e page.Element) bool {
	return e.Role == "searchbox" || e.Type == "search" ||
		slices.ContainsFunc(words(label(e)), func(w string) bool { return searchWords[w] })
}

// usableControls are what can be clicked now, in document order.
func (v *view) usableControls() []page.Element {
	return v.kept(&v.index.controls, func(e page.Element) bool { return isClickable(e) && label(e) != "" })
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
