package rules

import (
	"errors"
	"slices"

	"github.com/stepledger/stepledger/domain/page"
	val "github.com/stepledger/stepledger/domain/value"
)

func (v *view) textField(p part, f field) slot {
	list, name := v.entryFields(), v.words(f.name)
	takes := func(page.Element) bool { return true }
	sought := func(e page.Element) bool { return subset(name, v.words(label(e))) }
	if slices.ContainsFunc(v.searchFields(), sought) {
		list = v.fillable()
		takes = func(e page.Element) bool { return canEnter(e) && (!v.isSearch(e) || sought(e)) }
	}
	s := v.pick(list, when(takes, v.nameScore(f.name, p.object)))
	if !s.found() && len(s.choices) == 0 && isName(f.name) {
		s.choices = v.partNames(list, takes)
		if e, ok := v.choice(s.choices); ok {
			return slot{on: e, confidence: likely}
		}
	}
	return s
}

// when is a score for the elements that something holds of.
func when(holds func(page.Element) bool, score func(page.Element) float64) func(page.Element) float64 {
	return func(e page.Element) float64 {
		if !holds(e) {
			return 0
		}
		return score(e)
	}
}

// selectWith finds a select that has the option, by its name if one is given.
func (v *view) selectWith(p part, f field) slot {
	has := func(e page.Element) bool {
		if !isField(e) || len(e.Options) == 0 || v.late() {
			return false
		}
		_, ok := v.optionOf(e, f.value)
		return ok
	}
	if f.name == "" {
		return v.pick(v.fillable(), when(has, func(page.Element) float64 { return likely }))
	}
	return v.pick(v.fillable(), when(has, v.nameScore(f.name, p.object)))
}

// optionOf is the option a person means by a text, that can be chosen: the one it is
// the same as, or the only one whose label holds all words that mean something.
func optionOf(e page.Element, text string) (page.Option, bool) { return (&view{}).optionOf(e, text) }

func (v *view) optionOf(e page.Element, text string) (page.Option, bool) {
	if len(e.Options) == 0 {
		return page.Option{}, false
	}
	o, err := val.Choose(text, e)
	var no *val.Refused
	if err == nil || !errors.As(err, &no) || no.Why != val.NoOption {
		return o, err == nil
	}
	var holding []page.Option
	for _, o := range e.Options {
		if subset(v.key(text), v.key(o.Label)) {
			holding = append(holding, o)
		}
	}
	if len(holding) != 1 || holding[0].Disabled {
		return page.Option{}, false
	}
	return holding[0], true
}

// radio finds the radio button by its own name and, if given, its group's.
func (v *view) radio(p part, f field) slot {
	value, group := v.key(f.value), v.labelKey(f.name)
	called := func(e page.Element) bool { return e.Role == "radio" && slices.Equal(v.key(label(e)), value) }
	return v.pick(v.fillable(), when(called, func(e page.Element) float64 {
		switch {
		case f.name == "" && f.kind == option, e.Group != "" && subset(group, v.labelKey(e.Group)):
			return sure
		case e.Group == "": // not every client tells groups
			return possible
		}
		return 0
	}))
}

// openOption finds the option of a list that a click has opened.
func (v *view) openOption(_ part, f field) slot {
	value := v.key(f.value)
	called := func(e page.Element) bool { return offeredRoles[e.Role] && slices.Equal(v.key(label(e)), value) }
	return v.pick(v.fillable(), when(called, func(page.Element) float64 { return likely }))
}

func (v *view) tickbox(p part, f field) slot {
	want := v.key(f.name)
	return v.pick(v.fillable(), when(isTick, func(e page.Element) float64 {
		switch have := v.key(label(e)); {
		case slices.Equal(want, have):
			return sure
		case subset(want, have):
			return possible
		}
		return 0
	}))
}
