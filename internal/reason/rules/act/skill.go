package act

import (
	"slices"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
	val "github.com/stepledger/stepledger/domain/value"
	"github.com/stepledger/stepledger/internal/reason/rules/do"
	"github.com/stepledger/stepledger/internal/reason/rules/text"
)

// withSkill replaces a move that failed in earlier tasks by what worked then. It needs
// exactly one matching element on this page, does not repeat itself, and moves no
// secret.
func withSkill(v *View, m Move) Move {
	if m.Kind != do.IsAction || m.On.State.Secret {
		return m
	}
	for _, s := range v.skills {
		if !skillFits(v, s, m) {
			continue
		}
		a, e, ok := skillMove(v, s, m)
		if !ok || usedUp(v, a, e) {
			continue
		}
		m.Action, m.On = a, e
		m.Confidence, m.Skills = max(m.Confidence-0.05, possible), []string{s.ID}
		m.Thought = remember(s, a, e)
		return m
	}
	return m
}

func remember(s reasoning.Skill, a action.Action, e page.Element) string {
	thought := "I remember that " + text.Quoted(s.FailedTarget.Name) + " does not work here"
	switch {
	case s.FailedAction == string(action.SetValue) && a.Name == action.Click:
		return "I remember that " + text.Quoted(s.FailedTarget.Name) + " takes nothing before it is clicked; I'll click it."
	case a.Name == action.Press:
		return thought + "; I'll press " + a.Text + "."
	}
	return thought + "; I'll use " + text.Quoted(e.Label()) + "."
}

// skillFits reports whether a skill is about this move of this task. Skills that
// failed more often than they helped are not used.
func skillFits(v *View, s reasoning.Skill, m Move) bool {
	goal := v.key(s.Goal)
	shared := len(goal) - len(text.Without(goal, text.SetOf(v.goal)))
	if s.Failures > s.Successes || s.FailedAction != string(m.Action.Name) || 2*shared < len(goal) {
		return false
	}
	if m.Action.Name == action.Press {
		return s.FailedTarget.Name == m.Action.Text
	}
	return describes(v, s.FailedTarget, m.On)
}

// skillMove is what a skill does in place of m: the same on another element, Enter for
// a button that sends what was just entered or a control for Enter, or a click into
// the field that takes its value after that.
func skillMove(v *View, s reasoning.Skill, m Move) (a action.Action, e page.Element, ok bool) {
	use := action.Name(s.UseAction)
	if use == action.Press {
		a = action.Action{Name: use, Text: s.UseTarget.Name}
		return a, e, a.Text == "Enter" && m.Action.Name == action.Click && SendsForm(m.On.Label()) && lastSet(v) >= 0
	}
	e, ok = skillTarget(v, s.UseTarget)
	if !ok || !e.Usable() || e.State.Secret {
		return a, e, false
	}
	a = action.Action{Name: use, Target: e.ID}
	switch {
	case m.Action.Name == action.Click && use == action.Click:
		return a, e, e.ID != m.On.ID
	case m.Action.Name == action.Press && use == action.Click:
		return a, e, e.IsControl()
	case m.Action.Name == action.SetValue && use == action.Click:
		return a, e, e.ID == m.On.ID
	case m.Action.Name == action.SetValue && use == action.SetValue:
		a.Text = m.Action.Text
		return a, e, e.ID != m.On.ID && takesValue(v, e, a.Text)
	}
	return a, e, false
}

// takesValue reports whether a value can be entered into an element.
func takesValue(v *View, e page.Element, text string) bool {
	if len(e.Options) > 0 {
		_, ok := optionOf(v, e, text)
		return ok
	}
	_, err := val.ForControl(text, e)
	return e.IsField() && !e.State.Readonly && err == nil
}

// usedUp reports whether an action failed here, or was done since the last value was
// entered, or just now.
func usedUp(v *View, a action.Action, e page.Element) bool {
	if a.Target != "" && failedAt(v, a.Name, e) {
		return true
	}
	from := min(max(lastSet(v)+1, v.cursor), max(len(v.past)-1, 0))
	on := stepsOn(v, e)
	for i := from; i < len(v.past); i++ {
		step := v.past[i]
		if step.action.Name == a.Name && (a.Target == "" && step.action.Text == a.Text || a.Target != "" && slices.Contains(on, i)) {
			return true
		}
	}
	return false
}

// describes reports whether a skill's description of an element fits e.
func describes(v *View, t reasoning.Target, e page.Element) bool {
	return t.Name != "" && slices.Equal(v.key(t.Name), v.key(e.Label())) &&
		(t.Role == "" || t.Role == e.Role) &&
		(t.Group == "" || e.Group == "" || text.Same(t.Group, e.Group))
}

// skillTarget finds the only element a description fits.
func skillTarget(v *View, t reasoning.Target) (page.Element, bool) {
	var hit []page.Element
	for _, e := range v.page.Elements {
		if describes(v, t, e) && !e.State.Hidden {
			hit = append(hit, e)
		}
	}
	if len(hit) != 1 {
		return page.Element{}, false
	}
	return hit[0], true
}
