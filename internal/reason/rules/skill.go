package rules

import (
	"slices"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
	val "github.com/stepledger/stepledger/domain/value"
)

// withSkill replaces a move that failed in earlier tasks by what worked then.
// It acts on what the skill singles out on this page or on nothing, does not do
// the same thing twice in a row, and moves no secret.
func (v *view) withSkill(m move) move {
	if m.kind != isAction || m.on.State.Secret {
		return m
	}
	for _, s := range v.skills {
		if !v.fits(s, m) {
			continue
		}
		a, e, ok := v.instead(s, m)
		if !ok || v.spent(a, e) {
			continue
		}
		m.action, m.on = a, e
		m.confidence, m.skills = max(m.confidence-0.05, possible), []string{s.ID}
		m.thought = remember(s, a, e)
		return m
	}
	return m
}

func remember(s reasoning.Skill, a action.Action, e page.Element) string {
	thought := "I remember that " + quoted(s.FailedTarget.Name) + " does not work here"
	switch {
	case s.FailedAction == string(action.SetValue) && a.Name == action.Click:
		return "I remember that " + quoted(s.FailedTarget.Name) + " takes nothing before it is clicked; I'll click it."
	case a.Name == action.Press:
		return thought + "; I'll press " + a.Text + "."
	}
	return thought + "; I'll use " + quoted(label(e)) + "."
}

// fits reports whether a skill is about this move of this task. Skills that
// failed more often than they helped are not used (spec: min success rate 50 %).
func (v *view) fits(s reasoning.Skill, m move) bool {
	goal := v.key(s.Goal)
	shared := len(goal) - len(without(goal, asSet(v.goal)))
	if s.Failures > s.Successes || s.FailedAction != string(m.action.Name) || 2*shared < len(goal) {
		return false
	}
	if m.action.Name == action.Press {
		return s.FailedTarget.Name == m.action.Text
	}
	return v.describes(s.FailedTarget, m.on)
}

// instead is what a skill says to do in place of a move, where that can be done
// without knowing more than role and name: the same to another element; Enter
// for a button that sends what was just entered, or a control for Enter; a click
// into the field that then takes its value.
func (v *view) instead(s reasoning.Skill, m move) (a action.Action, e page.Element, ok bool) {
	use := action.Name(s.UseAction)
	if use == action.Press {
		a = action.Action{Name: use, Text: s.UseTarget.Name}
		return a, e, a.Text == "Enter" && m.action.Name == action.Click && isSubmitWord(label(m.on)) && v.lastSet() >= 0
	}
	e, ok = v.target(s.UseTarget)
	if !ok || !usable(e) || e.State.Secret {
		return a, e, false
	}
	a = action.Action{Name: use, Target: e.ID}
	switch {
	case m.action.Name == action.Click && use == action.Click:
		return a, e, e.ID != m.on.ID
	case m.action.Name == action.Press && use == action.Click:
		return a, e, isControl(e)
	case m.action.Name == action.SetValue && use == action.Click:
		return a, e, e.ID == m.on.ID
	case m.action.Name == action.SetValue && use == action.SetValue:
		a.Text = m.action.Text
		return a, e, e.ID != m.on.ID && v.takes(e, a.Text)
	}
	return a, e, false
}

// takes reports whether a value can be entered into an element.
func (v *view) takes(e page.Element, text string) bool {
	if len(e.Options) > 0 {
		_, ok := v.optionOf(e, text)
		return ok
	}
	_, err := val.ForControl(text, e)
	return isField(e) && !e.State.Readonly && err == nil
}

// spent reports whether an action failed here, or was done since the last value
// was entered, or just now.
func (v *view) spent(a action.Action, e page.Element) bool {
	if a.Target != "" && v.failedAt(a.Name, e) {
		return true
	}
	from := min(max(v.lastSet()+1, v.cursor), max(len(v.past)-1, 0))
	on := v.deedsOn(e)
	for i := from; i < len(v.past); i++ {
		d := v.past[i]
		if d.action.Name == a.Name && (a.Target == "" && d.action.Text == a.Text || a.Target != "" && slices.Contains(on, i)) {
			return true
		}
	}
	return false
}

// describes reports whether a description of a skill means an element.
func (v *view) describes(t reasoning.Target, e page.Element) bool {
	return t.Name != "" && slices.Equal(v.key(t.Name), v.key(label(e))) &&
		(t.Role == "" || t.Role == e.Role) &&
		(t.Group == "" || e.Group == "" || sameText(t.Group, e.Group))
}

// target finds the only element a description means.
func (v *view) target(t reasoning.Target) (page.Element, bool) {
	var hit []page.Element
	for _, e := range v.page.Elements {
		if v.describes(t, e) && !e.State.Hidden {
			hit = append(hit, e)
		}
	}
	if len(hit) != 1 {
		return page.Element{}, false
	}
	return hit[0], true
}
