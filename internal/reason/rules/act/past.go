package act

import (
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
	secrets "github.com/stepledger/stepledger/domain/secret"
	val "github.com/stepledger/stepledger/domain/value"
	"github.com/stepledger/stepledger/domain/vocabulary"
	"github.com/stepledger/stepledger/internal/reason/rules/text"
)

// pastStep is a step that was taken, reduced to what matters for the next one.
type pastStep struct {
	index  int
	action action.Action
	target string // the element, by page.Describe
	role   string
	name   string
	failed bool
	retry  bool // a correction of the step before
}

// pastStepsOf reads a step. One where a skill replaced an action that used to fail is
// read as if it had failed and been corrected, so that the task goes on after it.
func pastStepsOf(s reasoning.Step) []pastStep {
	step := pastStepOf(s)
	if s.Instead.Action == "" {
		return []pastStep{step}
	}
	a := action.Action{Name: action.Name(s.Instead.Action), Text: s.Action.Text}
	t := s.Instead.Target
	if a.Name == action.Press {
		a.Text, t = t.Name, reasoning.Target{}
	}
	spared := pastStepOf(reasoning.Step{
		Index: s.Index, Action: a, Verified: true, Target: page.Describe(page.Element{Role: t.Role, Name: t.Name}),
	})
	step.retry = true
	return []pastStep{spared, step}
}

func pastStepOf(s reasoning.Step) pastStep {
	step := pastStep{
		index: s.Index, action: s.Action, target: s.Target,
		failed: s.Verified && !s.Succeeded,
		retry:  s.Correction != "",
	}
	role, rest, ok := strings.Cut(s.Target, ` "`)
	if ok {
		step.role, step.name = role, strings.TrimSuffix(rest, `"`)
	}
	return step
}

// sets reports whether the step gave a field a value.
func (s pastStep) sets() bool {
	return s.action.Name == action.SetValue || s.action.Name == action.Click && (s.role == "radio" || s.role == "option" || page.IsBoxRole(s.role))
}

// lastSet is the index of the last past step of this part that set a field, -1 if
// none.
func lastSet(v *View) int {
	for i := len(v.past) - 1; i >= v.cursor; i-- {
		if !v.past[i].failed && v.past[i].sets() {
			return i
		}
	}
	return -1
}

// failedAt reports whether an action on an element failed and nothing happened since
// that could make it work now: a value entered or, once, a correction that removed an
// obstacle.
func failedAt(v *View, name action.Name, e page.Element) bool {
	on := stepsOn(v, e)
	if len(on) == 0 {
		return false
	}
	failures, cleared := 0, false
	for i, set := len(v.past)-1, lastSet(v); i > set; i-- {
		step := v.past[i]
		switch {
		case step.failed && step.action.Name == name && slices.Contains(on, i):
			failures++
		case failures == 0 && !step.failed && step.retry && step.clears():
			cleared = true
		}
	}
	return failures > 1 || failures == 1 && !cleared
}

// clears reports whether the step only removed an obstacle: it waited, scrolled, or
// closed what covered the page.
func (s pastStep) clears() bool {
	switch s.action.Name {
	case action.Wait, action.Scroll:
		return true
	case action.Press:
		return s.action.Text == "Escape"
	case action.Click:
		return dismisses(s.name)
	}
	return false
}

// replaces reports whether the step is a correction that did what the other one was
// for, and did not only remove an obstacle.
func (s pastStep) replaces(other pastStep) bool { return s.retry && (!s.clears() || other.clears()) }

// clicked reports whether an element was clicked successfully in this part.
func clicked(v *View, e page.Element) bool {
	return slices.ContainsFunc(stepsOn(v, e), func(i int) bool {
		return i >= v.cursor && !v.past[i].failed && v.past[i].action.Name == action.Click
	})
}

// timesEntered counts how often a value was entered into a field. For a secret field
// every entry counts, since values are not on record.
func timesEntered(v *View, e page.Element, text string) (n int) {
	for _, i := range stepsOn(v, e) {
		step := v.past[i]
		n += count(step.action.Name == action.SetValue && (e.State.Secret || val.Compare(text, step.action.Text, e) == val.Same))
	}
	return n
}

// wasSet reports whether a value was entered into some field, on this page or before.
// A name of two words may have gone into two fields.
func (v *View) wasSet(f field) bool {
	if slices.ContainsFunc(v.past[v.cursor:], func(step pastStep) bool { return !step.failed && step.sets() && step.gave(f) }) {
		return true
	}
	ws := strings.Fields(f.value)
	return isName(f.name) && len(ws) == 2 && v.wasSet(field{name: "first name", value: ws[0]}) && v.wasSet(field{name: "last name", value: ws[1]})
}

// gave reports whether the step entered or chose this value.
func (s pastStep) gave(f field) bool {
	switch {
	case s.action.Name == action.SetValue && s.action.Text == secrets.Mask: // what was entered is not on record
		return text.Subset(text.LabelKey(f.name), text.LabelKey(s.name)) || text.Subset(text.LabelKey(s.name), text.LabelKey(f.name))
	case s.action.Name == action.SetValue:
		return val.Given(f.value, s.action.Text) ||
			(s.role == "combobox" || s.role == "listbox") && text.Subset(text.Key(f.value), text.Key(s.action.Text))
	case f.kind == tick:
		return text.Subset(text.Key(f.name), text.Key(s.name))
	}
	return slices.Equal(text.Key(s.name), text.Key(f.value))
}

func isSecret(name string) bool { return vocabulary.Secret(name) }
