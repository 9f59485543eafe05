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
	entries     []page.Element // the fields for data
	searches    []page.Element // those for looking things up
	clickables  []page.Element // what can be clicked
	controls    []page.Element // those of them with a label
	drawn       []page.Element // the drop-downs that are a button beside their label
	repeats     *[]page.Element
	names       *nameFields
	slots       map[slotAsked]slot
	complaint   *string
	// made tells the fields of the form in which a thing is made, by the thing.
	made map[string]func(page.Element) bool
	// writable are the forms and dialogs with a field in which something can be entered.
	writable map[formID]bool
	// consent tells the layers that ask about cookies, 0 for the page itself.
	consent map[int]bool
	top     *int            // the number of the dialog on top
	goal    map[string]bool // the task's words
	replied []string
	given   int // how often a value was compared with one of a reply
}

// slotAsked is what a slot was looked for by; a reply may choose another one.
type slotAsked struct {
	field
	action  string
	object  string
	replies int
}

// formID tells the forms of a page and its dialogs apart.
type formID struct{ layer, form int }

// forgetUse drops what depends on which elements can be used now.
func (x *index) forgetUse() {
	x.fields, x.clickables, x.controls, x.drawn, x.names, x.slots = nil, nil, nil, nil, nil, nil
	x.entries, x.searches, x.made, x.writable, x.top = nil, nil, nil, nil, nil
}

// nameFields counts the usable fields for a name, and for its two parts.
type nameFields struct{ whole, first, last int }

// late reports that the time for the question is over: loops end then, whatever
// they have found, and the answer is thrown away.
func late(ctx context.Context) bool { return ctx != nil && ctx.Err() != nil }

func (v *view) late() bool { return late(v.ctx) }

// inGoal reports whether the task has all of these words.
func (v *view) inGoal(ws []string) bool {
	if v.index.goal == nil {
		v.index.goal = asSet(v.goal)
	}
	return within(ws, v.index.goal)
}

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
	return v.kept(&v.index.fields, func(e page.Element) bool { return isField(e) || isTick(e) || offeredRoles[e.Role] })
}

// entryFields are the fields for data, searchFields those for looking things up.
func (v *view) entryFields() []page.Element {
	return v.kept(&v.index.entries, func(e page.Element) bool { return canEnter(e) && !v.isSearch(e) })
}

func (v *view) searchFields() []page.Element {
	return v.kept(&v.index.searches, func(e page.Element) bool { return canEnter(e) && v.isSearch(e) })
}

func canEnter(e page.Element) bool { return isField(e) && !e.State.Readonly }

// clickable are what can be clicked now.
func (v *view) clickable() []page.Element { return v.kept(&v.index.clickables, isClickable) }

// drawnLists are the drop-downs that are a button beside their label.
func (v *view) drawnLists() []page.Element {
	return v.kept(&v.index.drawn, func(e page.Element) bool { return !isField(e) && isPicked(e) })
}

// kept are the usable elements of one kind, found out once.
func (v *view) kept(list *[]page.Element, is func(page.Element) bool) []page.Element {
	if *list == nil {
		*list = make([]page.Element, 0, 16)
		for _, e := range v.page.Elements {
			if usable(e) && is(e) {
				*list = append(*list, e)
			}
		}
	}
	return *list
}

// offeredRoles are those of what an open list offers.
var offeredRoles = set("option menuitemradio menuitem")

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
