package act

import (
	"slices"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/internal/reason/rules/text"
)

func textFieldSlot(v *View, p part, f field) slot {
	list, name := entryFields(v), v.words(f.name)
	takes := func(page.Element) bool { return true }
	sought := func(e page.Element) bool { return text.Subset(name, v.words(e.Label())) }
	if slices.ContainsFunc(searchFields(v), sought) {
		list = fillable(v)
		takes = func(e page.Element) bool { return canEnter(e) && (!isSearch(v, e) || sought(e)) }
	}
	s := pickSlot(v, list, when(takes, nameScore(v, f.name, p.object)))
	if !s.found() && len(s.choices) == 0 && isName(f.name) {
		s.choices = partNames(v, list, takes)
		if e, ok := chosenInReply(v, s.choices); ok {
			return slot{on: e, confidence: likely}
		}
	}
	return s
}

// when scores only the elements for which holds is true; others get 0.
func when(holds func(page.Element) bool, score func(page.Element) float64) func(page.Element) float64 {
	return func(e page.Element) float64 {
		if !holds(e) {
			return 0
		}
		return score(e)
	}
}

// selectSlot finds a select that has the option, by the name of the field if one is
// given.
func selectSlot(v *View, p part, f field) slot {
	has := func(e page.Element) bool {
		if !e.IsField() || len(e.Options) == 0 || v.late() {
			return false
		}
		_, ok := optionOf(v, e, f.value)
		return ok
	}
	if f.name == "" {
		return pickSlot(v, fillable(v), when(has, func(page.Element) float64 { return likely }))
	}
	return pickSlot(v, fillable(v), when(has, nameScore(v, f.name, p.object)))
}

// optionOf is text.OptionOf with remembered words.
func optionOf(v *View, e page.Element, said string) (page.Option, bool) {
	return text.OptionOf(e, said, v.key)
}

// radioSlot finds the radio button by its own name and, if given, that of its group.
func radioSlot(v *View, p part, f field) slot {
	value, group := v.key(f.value), v.labelKey(f.name)
	called := func(e page.Element) bool { return e.Role == "radio" && slices.Equal(v.key(e.Label()), value) }
	return pickSlot(v, fillable(v), when(called, func(e page.Element) float64 {
		switch {
		case f.name == "" && f.kind == option, e.Group != "" && text.Subset(group, v.labelKey(e.Group)):
			return sure
		case e.Group == "": // not every client sends groups
			return possible
		}
		return 0
	}))
}

// openOptionSlot finds an option of a list that a click has opened.
func openOptionSlot(v *View, _ part, f field) slot {
	value := v.key(f.value)
	called := func(e page.Element) bool { return offeredRoles[e.Role] && slices.Equal(v.key(e.Label()), value) }
	return pickSlot(v, fillable(v), when(called, func(page.Element) float64 { return likely }))
}

func tickboxSlot(v *View, p part, f field) slot {
	want := v.key(f.name)
	return pickSlot(v, fillable(v), when(page.Element.IsTick, func(e page.Element) float64 {
		switch have := v.key(e.Label()); {
		case slices.Equal(want, have):
			return sure
		case text.Subset(want, have):
			return possible
		}
		return 0
	}))
}
