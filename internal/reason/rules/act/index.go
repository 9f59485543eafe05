package act

import (
	"context"
	"slices"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/internal/reason/rules/text"
)

// index remembers what is asked about the page many times: the words of a text, which
// elements are described alike, where an element is, what was done to it. Without it
// every part of a task would split every label of the page again. Its slices are
// shared and must not be written to.
type index struct {
	splits, keys, labelKeys map[string][]string
	// alike counts the elements of the page by what page.Describe says of them;
	// done are indices in past by the description of the element.
	alike map[string]int
	done  map[string][]int
	// first and last are the places of an id on the page.
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
	// made says whether a field belongs to the form that creates a thing, by the thing.
	made map[string]func(page.Element) bool
	// writable are the forms and dialogs with a field to enter something.
	writable map[formID]bool
	// consent says which layers ask about cookies, 0 for the page itself.
	consent map[int]bool
	top     *int            // the number of the dialog on top
	goal    map[string]bool // the task's words
	replied []string
	given   int // how often a value was compared with one of a reply
}

// slotAsked is the key of a slot that was looked for; a new reply may lead to another
// slot.
type slotAsked struct {
	field
	action  string
	object  string
	replies int
}

// formID identifies a form of the page or of a dialog.
type formID struct{ layer, form int }

// forgetUse drops what depends on which elements can be used.
func (x *index) forgetUse() {
	x.fields, x.clickables, x.controls, x.drawn, x.names, x.slots = nil, nil, nil, nil, nil, nil
	x.entries, x.searches, x.made, x.writable, x.top = nil, nil, nil, nil, nil
}

// nameFields counts the usable fields for a whole name, a first and a last one.
type nameFields struct{ whole, first, last int }

// late reports whether the time for the question is over. Loops stop then; the answer
// is thrown away.
func late(ctx context.Context) bool { return ctx != nil && ctx.Err() != nil }

func (v *View) late() bool { return late(v.ctx) }

// inGoal reports whether the task has all of these words.
func inGoal(v *View, ws []string) bool {
	if v.index.goal == nil {
		v.index.goal = text.SetOf(v.goal)
	}
	return text.Within(ws, v.index.goal)
}

// words, key and labelKey are text.Words, text.Key and text.LabelKey with a memory.
func (v *View) words(s string) []string { return remembered(&v.index.splits, s, text.Words) }

func (v *View) key(s string) []string { return remembered(&v.index.keys, s, text.Key) }

func (v *View) labelKey(s string) []string { return remembered(&v.index.labelKeys, s, text.LabelKey) }

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

// isSearch is text.IsSearch with remembered words.
func isSearch(v *View, e page.Element) bool {
	return e.Role == "searchbox" || e.Type == "search" ||
		slices.ContainsFunc(v.words(e.Label()), func(w string) bool { return text.SearchWords[w] })
}

// fillable are the fields, boxes, radio buttons and options that can be used now, in
// page order.
func fillable(v *View) []page.Element {
	return keptElements(v, &v.index.fields, func(e page.Element) bool { return e.IsField() || e.IsTick() || offeredRoles[e.Role] })
}

// entryFields are the fields for data, searchFields those for looking things up.
func entryFields(v *View) []page.Element {
	return keptElements(v, &v.index.entries, func(e page.Element) bool { return canEnter(e) && !isSearch(v, e) })
}

func searchFields(v *View) []page.Element {
	return keptElements(v, &v.index.searches, func(e page.Element) bool { return canEnter(e) && isSearch(v, e) })
}

func canEnter(e page.Element) bool { return e.IsField() && !e.State.Readonly }

// clickable are the elements that can be clicked now.
func clickable(v *View) []page.Element { return keptElements(v, &v.index.clickables, isClickable) }

// drawnLists are the drop-downs that are a button beside their label.
func drawnLists(v *View) []page.Element {
	return keptElements(v, &v.index.drawn, func(e page.Element) bool { return !e.IsField() && isPicked(e) })
}

// keptElements returns the usable elements of one kind, found once.
func keptElements(v *View, list *[]page.Element, is func(page.Element) bool) []page.Element {
	if *list == nil {
		var at []int // elements are large, and there may be thousands
		for i := range v.page.Elements {
			if e := &v.page.Elements[i]; e.Usable() && is(*e) {
				at = append(at, i)
			}
		}
		*list = make([]page.Element, len(at))
		for to, i := range at {
			(*list)[to] = v.page.Elements[i]
		}
	}
	return *list
}

// offeredRoles are the roles of the options of an open list.
var offeredRoles = text.Set("option menuitemradio menuitem")

// stepsOn returns the indices of the past steps on an element. Ids change, so they are
// found by description; of several that look alike the id decides.
func stepsOn(v *View, e page.Element) []int {
	x := &v.index
	if len(v.past) == 0 {
		return nil
	}
	if x.done == nil {
		x.done = map[string][]int{}
		for i, step := range v.past {
			x.done[step.target] = append(x.done[step.target], i)
		}
	}
	described := page.Describe(e)
	done := x.done[described]
	if len(done) == 0 || alike(v, described) < 2 {
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

// alike counts the elements of the page with that description.
func alike(v *View, described string) int {
	if v.index.alike == nil {
		v.index.alike = make(map[string]int, len(v.page.Elements))
		for _, e := range v.page.Elements {
			v.index.alike[page.Describe(e)]++
		}
	}
	return v.index.alike[described]
}

// wasEntered reports whether a value was entered into an element.
func wasEntered(v *View, e page.Element) bool {
	return slices.ContainsFunc(stepsOn(v, e), func(i int) bool {
		return !v.past[i].failed && v.past[i].action.Name == action.SetValue
	})
}

// doneTo reports whether past step i was on this element.
func doneTo(v *View, i int, e page.Element) bool { return slices.Contains(stepsOn(v, e), i) }

// firstPlace is the index of the first element with an id, -1 if none has it;
// lastPlace is that of the last one.
func firstPlace(v *View, id string) int {
	indexPlaces(v)
	if i, ok := v.index.first[id]; ok {
		return i
	}
	return -1
}

func lastPlace(v *View, id string) int {
	indexPlaces(v)
	return v.index.last[id]
}

func indexPlaces(v *View) {
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
