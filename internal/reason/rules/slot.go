package rules

import (
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/page"
)

// slot is the place on the page for a value of the task.
type slot struct {
	field field
	on    page.Element
	// choices are set instead when several places fit equally well.
	choices    []page.Element
	confidence float64
}

func (s slot) found() bool { return s.on.ID != "" }

// slots finds the place for every field of a form, in page order; fields
// without a place on this page are returned apart.
func (v *view) slots(p part) (found, unsure []slot, absent []field) {
	for _, f := range v.spread(p) {
		if v.late() {
			break
		}
		switch s := v.locate(p, f); {
		case s.found():
			found = append(found, s)
		case len(s.choices) > 0:
			unsure = append(unsure, s)
		default:
			absent = append(absent, f)
		}
	}
	slices.SortStableFunc(found, func(a, b slot) int { return v.order(a.on.ID) - v.order(b.on.ID) })
	return found, unsure, absent
}

// spread adapts the fields of a task to those of the page: a full name to a
// first and a last one, and the value to be repeated where a form wants it
// confirmed.
func (v *view) spread(p part) []field {
	var out []field
	repeats := v.repeats()
	for _, f := range p.fields {
		if first, last, ok := v.twoNames(f); ok {
			out = append(out, first, last)
			continue
		}
		out = append(out, f)
		if f.kind != typed {
			continue
		}
		for _, e := range repeats {
			if slices.Equal(without(v.labelKey(label(e)), repeatWords), v.labelKey(f.name)) {
				out = append(out, field{name: label(e), value: f.value})
			}
		}
	}
	return out
}

// repeats are the fields in which something is to be entered once more.
func (v *view) repeats() (out []page.Element) {
	if v.index.repeats == nil {
		for _, e := range v.page.Elements {
			if isField(e) && isRepeat(v.labelKey(label(e))) {
				out = append(out, e)
			}
		}
		v.index.repeats = &out
	}
	return *v.index.repeats
}

// twoNames splits "Allan Smith" where the page asks for first and last name. A
// name of one word, or of three, is not split: that would be a guess.
func (v *view) twoNames(f field) (first, last field, ok bool) {
	ws := strings.Fields(f.value)
	if f.kind != typed || !isName(f.name) || len(ws) != 2 {
		return first, last, false
	}
	n := v.nameFields()
	return field{name: "first name", value: ws[0]}, field{name: "last name", value: ws[1]}, n.whole == 0 && n.first == 1 && n.last == 1
}

func (v *view) nameFields() nameFields {
	if v.index.names != nil {
		return *v.index.names
	}
	var n nameFields
	for _, e := range v.fillable() {
		if k := v.labelKey(label(e)); isField(e) && len(k) == 1 {
			n.whole += count(k[0] == "name")
			n.first += count(k[0] == "firstname")
			n.last += count(k[0] == "lastname")
		}
	}
	v.index.names = &n
	return n
}

// locate finds the place for one value.
func (v *view) locate(p part, f field) slot {
	asked := slotAsked{f, p.action, p.object, len(v.replies)}
	s, ok := v.index.slots[asked]
	if !ok {
		if v.index.slots == nil {
			v.index.slots = map[slotAsked]slot{}
		}
		s = v.find(p, f)
		v.index.slots[asked] = s
	}
	return s
}

func (v *view) find(p part, f field) slot {
	for _, find := range finders[f.kind] {
		if s := find(v, p, f); s.found() || len(s.choices) > 0 {
			s.field = f
			return s
		}
	}
	return slot{field: f}
}

var finders = map[fieldKind][]func(*view, part, field) slot{
	typed:  {(*view).textField, (*view).radio, (*view).drawnList, (*view).onlyField},
	option: {(*view).selectWith, (*view).radio, (*view).openOption, (*view).textField, (*view).drawnList, (*view).choiceControl},
	tick:   {(*view).tickbox},
}

// pick makes a slot of the best candidates: one is the place, of several the
// user's reply may choose.
func (v *view) pick(list []page.Element, score func(page.Element) float64) slot {
	f := v.best(list, score, never)
	if e, ok := f.one(); ok {
		return slot{on: e, confidence: f.score}
	}
	return slot{choices: f.all}
}
