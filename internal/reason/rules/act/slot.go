package act

import (
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/internal/reason/rules/text"
)

// slot is the field, or the choice of fields, for a value of the task.
type slot struct {
	field field
	on    page.Element
	// choices are set instead when several fields fit equally well.
	choices    []page.Element
	confidence float64
}

func (s slot) found() bool { return s.on.ID != "" }

// slots finds the field for every value of a form, in page order; values without a
// field on this page are returned apart.
func slots(v *View, p part) (found, unsure []slot, absent []field) {
	for _, f := range spread(v, p) {
		if v.late() {
			break
		}
		switch s := locateSlot(v, p, f); {
		case s.found():
			found = append(found, s)
		case len(s.choices) > 0:
			unsure = append(unsure, s)
		default:
			absent = append(absent, f)
		}
	}
	slices.SortStableFunc(found, func(a, b slot) int { return lastPlace(v, a.on.ID) - lastPlace(v, b.on.ID) })
	return found, unsure, absent
}

// spread adapts the values of a task to the fields of the page: a full name becomes a
// first and a last name, and a value is repeated for a field that confirms it.
func spread(v *View, p part) []field {
	var out []field
	repeats := repeats(v)
	for _, f := range p.fields {
		if first, last, ok := twoNames(v, f); ok {
			out = append(out, first, last)
			continue
		}
		out = append(out, f)
		if f.kind != typed {
			continue
		}
		for _, e := range repeats {
			if slices.Equal(text.Without(v.labelKey(e.Label()), repeatWords), v.labelKey(f.name)) {
				out = append(out, field{name: e.Label(), value: f.value})
			}
		}
	}
	return out
}

// repeats are the fields in which something is to be entered once more.
func repeats(v *View) (out []page.Element) {
	if v.index.repeats == nil {
		for _, e := range v.page.Elements {
			if e.IsField() && isRepeat(v.labelKey(e.Label())) {
				out = append(out, e)
			}
		}
		v.index.repeats = &out
	}
	return *v.index.repeats
}

// twoNames splits "Allan Smith" where the page asks for first and last name. A name of
// one word, or of three, is not split: that would be a guess.
func twoNames(v *View, f field) (first, last field, ok bool) {
	ws := strings.Fields(f.value)
	if f.kind != typed || !isName(f.name) || len(ws) != 2 {
		return first, last, false
	}
	n := countNameFields(v)
	return field{name: "first name", value: ws[0]}, field{name: "last name", value: ws[1]}, n.whole == 0 && n.first == 1 && n.last == 1
}

func countNameFields(v *View) nameFields {
	if v.index.names != nil {
		return *v.index.names
	}
	var n nameFields
	for _, e := range fillable(v) {
		if k := v.labelKey(e.Label()); e.IsField() && len(k) == 1 {
			n.whole += count(slices.Equal(k, nameKey))
			n.first += count(slices.Equal(k, firstNameKey))
			n.last += count(slices.Equal(k, lastNameKey))
		}
	}
	v.index.names = &n
	return n
}

// locateSlot finds the field for one value.
func locateSlot(v *View, p part, f field) slot {
	asked := slotAsked{f, p.action, p.object, len(v.replies)}
	s, ok := v.index.slots[asked]
	if !ok {
		if v.index.slots == nil {
			v.index.slots = map[slotAsked]slot{}
		}
		s = findSlot(v, p, f)
		v.index.slots[asked] = s
	}
	return s
}

func findSlot(v *View, p part, f field) slot {
	for _, find := range finders[f.kind] {
		if s := find(v, p, f); s.found() || len(s.choices) > 0 {
			s.field = f
			return s
		}
	}
	return slot{field: f}
}

var finders = map[fieldKind][]func(*View, part, field) slot{
	typed:  {textFieldSlot, radioSlot, drawnListSlot, onlyFieldSlot},
	option: {selectSlot, radioSlot, openOptionSlot, textFieldSlot, drawnListSlot, choiceControlSlot},
	tick:   {tickboxSlot},
}

// pickSlot makes a slot of the best candidates: if there are several, the user's reply
// may choose.
func pickSlot(v *View, list []page.Element, score func(page.Element) float64) slot {
	f := bestFit(v, list, score, never)
	if e, ok := f.one(); ok {
		return slot{on: e, confidence: f.score}
	}
	return slot{choices: f.all}
}
