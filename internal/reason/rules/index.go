package rules

import (
	"context"
	"slices"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
)

// index has what a question asks of the page over and over, each found out once:
// the words of a text, which elements are described alike, where an element stands,
// what was done to it. Without it every part of a task would cut every label of the
// page into words again. Its slices are shared and not to be written to.
type index struct {
	splits, keys, labelKeys map[string][]string
	// alike counts the elements of the page by what page.Describe says of them;
	// done are the deeds by what they were done to, as indices in past.
	alike map[string]int
	done  map[string][]int
	// first and last are where on the page an id stands.
	first, last map[string]int
	fields      []page.Element // what can be filled in or chosen
	repeats     *[]page.Element
	names       *nameFields
	slots       map[slotAsked]slot
	complaint   *string
	replied     []string
}

// slotAsked is what a slot was looked for by; a reply may choose another one.
type slotAsked struct {
	field
	object  string
	replies int
}

// nameFields counts the usable fields for a name, and for its two parts.
type nameFields struct{ whole, first, last int }

// late reports that the time for the question is over: loops end then, whatever
// they have found, and the answer is thrown away.
func late(ctx context.Context) bool { return ctx != nil && ctx.Err() != nil }

func (v *view) late() bool { return late(v.ctx) }

// words, key and labelKey are the functions of these names, remembered.
func (v *view) words(s string) []string    { return remembered(&v.index.splits, s, words) }
func (v *view) key(s string) []string      { return remembered(&v.index.keys, s, key) }
func (v *view) labelKey(s string) []string { return remembered(&v.index.labelKeys, s, labelKey) }

func remembered(m *map[string][]string, s string, of func(string) []string) []string {
	ws, ok := (*m)[s]
	if !ok {
		if *m == nil {
			*m = map[string][]string{}
		}
		ws = slices.Clip(of(s))
		(*m)[s] = ws
	}
	return ws
}

// isSearch is isSearch by the words the index has.
func (v *view) isSearch(e page.Element) bool {
	return e.Role == "searchbox" || e.Type == "search" ||
		slices.ContainsFunc(v.words(label(e)), func(w string) bool { return searchWords[w] })
}

// fillable are the fields, boxes, radios and options that can be used now, in page
// order.
func (v *view) fillable() []page.Element {
	if v.index.fields == nil {
		v.index.fields = make([]page.Element, 0, 16)
		for _, e := range v.page.Elements {
			if usable(e) && (isField(e) || isTick(e) || offered[e.Role]) {
				v.index.fields = append(v.index.fields, e)
			}
		}
	}
	return v.index.fields
}

// offered are the roles of what an open list offers.
var offered = set("option menuitemradio menuitem")

// deedsOn are the indices of the deeds done to an element. Ids shift, so the
// description counts; of several that look alike the id has to tell.
func (v *view) deedsOn(e page.Element) []int {
	x := &v.index
	if len(v.past) == 0 {
		return nil
	}
	if x.done == nil {
		x.done = map[string][]int{}
		for i, d := range v.past {
			x.done[d.target] = append(x.done[d.target], i)
		}
	}
	described := page.Describe(e)
	done := x.done[described]
	if len(done) == 0 || v.alike(described) < 2 {
		return done
	}
	var own []int
	for _, i := range done {
		if v.past[i].action.Target == e.ID {
			own = append(own, i)
		}
	}
	return own
}

// alike is how many elements of the page are described so.
func (v *view) alike(described string) int {
	if v.index.alike == nil {
		v.index.alike = make(map[string]int, len(v.page.Elements))
		for _, e := range v.page.Elements {
			v.index.alike[page.Describe(e)]++
		}
	}
	return v.index.alike[described]
}

// wasEntered reports whether a value was entered into an element.
func (v *view) wasEntered(e page.Element) bool {
	return slices.ContainsFunc(v.deedsOn(e), func(i int) bool {
		return !v.past[i].failed && v.past[i].action.Name == action.SetValue
	})
}

// didOn reports whether the deed at i was done to this element.
func (v *view) didOn(i int, e page.Element) bool { return slices.Contains(v.deedsOn(e), i) }

// at is where the first element with an id stands, -1 if none has it; order is
// where the last one stands.
func (v *view) at(id string) int {
	v.places()
	if i, ok := v.index.first[id]; ok {
		return i
	}
	return -1
}

func (v *view) order(id string) int {
	v.places()
	return v.index.last[id]
}

func (v *view) places() {
	if v.index.first != nil {
		return
	}
	v.index.first, v.index.last = make(map[string]int, len(v.page.Elements)), make(map[string]int, len(v.page.Elements))
	for i, e := range v.page.Elements {
		if _, ok := v.index.first[e.ID]; !ok {
			v.index.first[e.ID] = i
		}
		v.index.last[e.ID] = i
	}
}
