package rules

import (
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
	secrets "github.com/stepledger/stepledger/domain/secret"
	val "github.com/stepledger/stepledger/domain/value"
	"github.com/stepledger/stepledger/domain/vocabulary"
)

// deed is a step taken, as far as it matters for the next one.
type deed struct {
	index  int
	action action.Action
	target string // page.Describe of the element
	role   string
	name   string
	failed bool
	retry  bool // came out of a correction
}

// deedsOf is a step as what happened. One that a skill spared its failure reads
// like the correction it would have been: whatever goes on after that, goes on
// after this.
func deedsOf(s reasoning.Step) []deed {
	d := deedOf(s)
	if s.Instead.Action == "" {
		return []deed{d}
	}
	a := action.Action{Name: action.Name(s.Instead.Action), Text: s.Action.Text}
	t := s.Instead.Target
	if a.Name == action.Press {
		a.Text, t = t.Name, reasoning.Target{}
	}
	spared := deedOf(reasoning.Step{
		Index: s.Index, Action: a, Verified: true, Target: page.Describe(page.Element{Role: t.Role, Name: t.Name}),
	})
	d.retry = true
	return []deed{spared, d}
}

func deedOf(s reasoning.Step) deed {
	d := deed{
		index: s.Index, action: s.Action, target: s.Target,
		failed: s.Verified && !s.Succeeded,
		retry:  s.Correction != "",
	}
	role, rest, ok := strings.Cut(s.Target, ` "`)
	if ok {
		d.role, d.name = role, strings.TrimSuffix(rest, `"`)
	}
	return d
}

// sets reports whether the deed gave a field a value.
func (d deed) sets() bool {
	return d.action.Name == action.SetValue || d.action.Name == action.Click && (d.role == "radio" || d.role == "option" || tickRoles[d.role])
}

// lastSet is the index in past of the last deed that set a field, -1 if none.
func (v *view) lastSet() int {
	for i := len(v.past) - 1; i >= v.cursor; i-- {
		if !v.past[i].failed && v.past[i].sets() {
			return i
		}
	}
	return -1
}

// failedAt reports whether an action on an element failed before and nothing
// has happened since that could make it work now: a value entered, or, once,
// a correction that took an obstacle away.
func (v *view) failedAt(name action.Name, e page.Element) bool {
	on := v.deedsOn(e)
	if len(on) == 0 {
		return false
	}
	failures, cleared := 0, false
	for i, set := len(v.past)-1, v.lastSet(); i > set; i-- {
		d := v.past[i]
		switch {
		case d.failed && d.action.Name == name && slices.Contains(on, i):
			failures++
		case failures == 0 && !d.failed && d.retry && d.clears():
			cleared = true
		}
	}
	return failures > 1 || failures == 1 && !cleared
}

// clears reports whether the deed only took an obstacle away: it waited,
// scrolled, or closed what lay over the page.
func (d deed) clears() bool {
	switch d.action.Name {
	case action.Wait, action.Scroll:
		return true
	case action.Press:
		return d.action.Text == "Escape"
	case action.Click:
		return dismisses(d.name)
	}
	return false
}

// replaces reports a correction that was to do what the other deed was for, and not
// only to take something out of its way.
func (d deed) replaces(other deed) bool { return d.retry && (!d.clears() || other.clears()) }

// clicked reports whether an element was clicked with success in this part.
func (v *view) clicked(e page.Element) bool {
	return slices.ContainsFunc(v.deedsOn(e), func(i int) bool {
		return i >= v.cursor && !v.past[i].failed && v.past[i].action.Name == action.Click
	})
}

// tries counts how often a value was entered into a field. Of secret fields no
// record says what was entered.
func (v *view) tries(e page.Element, text string) (n int) {
	for _, i := range v.deedsOn(e) {
		d := v.past[i]
		n += count(d.action.Name == action.SetValue && (e.State.Secret || val.Compare(text, d.action.Text, e) == val.Same))
	}
	return n
}

// wasSet reports whether a value went into some field, this page's or one
// before; a name of two words may have gone into two fields.
func (v *view) wasSet(f field) bool {
	if slices.ContainsFunc(v.past[v.cursor:], func(d deed) bool { return !d.failed && d.sets() && d.gave(f) }) {
		return true
	}
	ws := strings.Fields(f.value)
	return isName(f.name) && len(ws) == 2 && v.wasSet(field{name: "first name", value: ws[0]}) && v.wasSet(field{name: "last name", value: ws[1]})
}

// gave reports whether the deed entered or chose this value.
func (d deed) gave(f field) bool {
	switch {
	case d.action.Name == action.SetValue && d.action.Text == secrets.Mask: // the record hides what was entered
		return subset(labelKey(f.name), labelKey(d.name)) || subset(labelKey(d.name), labelKey(f.name))
	case d.action.Name == action.SetValue:
		return val.Given(f.value, d.action.Text) ||
			(d.role == "combobox" || d.role == "listbox") && subset(key(f.value), key(d.action.Text))
	case f.kind == tick:
		return subset(key(f.name), key(d.name))
	}
	return slices.Equal(key(d.name), key(f.value))
}

func isSecret(name string) bool { return vocabulary.Secret(name) }
