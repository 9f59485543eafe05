package rules

import (
	"errors"
	"slices"

	"github.com/stepledger/stepledger/domain/page"
	val "github.com/stepledger/stepledger/domain/value"
)

func (v *view) textField(p part, f field) slot {
	var list []page.Element
	for _, e := range v.page.Elements {
		searching := isSearch(e) && !subset(words(f.name), words(label(e)))
		if isField(e) && usable(e) && !e.State.Readonly && !searching {
			list = append(list, e)
		}
	}
	s := v.pick(list, func(e page.Element) float64 { return nameScore(f.name, p.object, e) })
	if !s.found() && len(s.choices) == 0 && isName(f.name) {
		s.choices = partNames(list)
		if e, ok := v.choice(s.choices); ok {
			return slot{on: e, confidence: likely}
		}
	}
	return s
}

// selectWith finds a select that has the option, by its name if one is given.
func (v *view) selectWith(p part, f field) slot {
	var list []page.Element
	for _, e := range v.page.Elements {
		_, has := optionOf(e, f.value)
		if isField(e) && usable(e) && has {
			list = append(list, e)
		}
	}
	return v.pick(list, func(e page.Element) float64 {
		if f.name == "" {
			return likely
		}
		return nameScore(f.name, p.object, e)
	})
}

// optionOf is the option a person means by a text, that can be chosen: the one it is
// the same as, or the only one whose label holds all words that mean something.
func optionOf(e page.Element, text string) (page.Option, bool) {
	o, err := val.Choose(text, e)
	var no *val.Refused
	if err == nil || !errors.As(err, &no) || no.Why != val.NoOption {
		return o, err == nil
	}
	var holding []page.Option
	for _, o := range e.Options {
		if subset(key(text), key(o.Label)) {
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
	var list []page.Element
	for _, e := range v.page.Elements {
		if e.Role == "radio" && usable(e) && slices.Equal(key(label(e)), key(f.value)) {
			list = append(list, e)
		}
	}
	return v.pick(list, func(e page.Element) float64 {
		switch {
		case f.name == "" && f.kind == option, e.Group != "" && subset(labelKey(f.name), labelKey(e.Group)):
			return sure
		case e.Group == "": // not every client tells groups
			return possible
		}
		return 0
	})
}

// openOption finds the option of a list that a click has opened.
func (v *view) openOption(_ part, f field) slot {
	var list []page.Element
	for _, e := range v.page.Elements {
		if (e.Role == "option" || e.Role == "menuitemradio" || e.Role == "menuitem") && usable(e) && slices.Equal(key(label(e)), key(f.value)) {
			list = append(list, e)
		}
	}
	return v.pick(list, func(page.Element) float64 { return likely })
}

func (v *view) tickbox(p part, f field) slot {
	var list []page.Element
	for _, e := range v.page.Elements {
		if isTick(e) && usable(e) {
			list = append(list, e)
		}
	}
	return v.pick(list, func(e page.Element) float64 {
		want, have := key(f.name), key(label(e))
		switch {
		case slices.Equal(want, have):
			return sure
		case subset(want, have):
			return possible
		}
		return 0
	})
}
