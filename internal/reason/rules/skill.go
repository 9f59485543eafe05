package rules

import (
	"slices"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
)

// withSkill replaces a move that failed in earlier tasks by what worked then,
// if that is on the page, once. A secret is not moved to a field that shows it.
func (v *view) withSkill(m move) move {
	if m.kind != isAction {
		return m
	}
	for _, s := range v.skills {
		if !v.fits(s, m) {
			continue
		}
		e, ok := v.target(s.UseTarget)
		if !ok || !usable(e) || v.failedAt(action.Name(s.UseAction), e) || e.ID == m.on.ID || e.State.Secret != m.on.State.Secret {
			continue
		}
		m.action.Target, m.on = e.ID, e
		m.confidence, m.skills = max(m.confidence-0.05, possible), []string{s.ID}
		m.thought = "I remember that " + quoted(s.FailedTarget.Name) + " does not work here; I'll use " + quoted(label(e)) + "."
		return m
	}
	return m
}

// fits reports whether a skill is about this move of this task. Skills that
// failed more often than they helped are not used (spec: min success rate 50 %).
// Only the same kind of action can be swapped without knowing more.
func (v *view) fits(s reasoning.Skill, m move) bool {
	goal := key(s.Goal)
	shared := len(goal) - len(without(goal, asSet(v.words)))
	return s.Failures <= s.Successes &&
		s.FailedAction == string(m.action.Name) && s.UseAction == s.FailedAction &&
		(m.action.Name == action.Click || m.action.Name == action.SetValue) &&
		2*shared >= len(goal) &&
		describes(s.FailedTarget, m.on)
}

// describes reports whether a description of a skill means an element.
func describes(t reasoning.Target, e page.Element) bool {
	return t.Name != "" && slices.Equal(key(t.Name), key(label(e))) &&
		(t.Role == "" || t.Role == e.Role) &&
		(t.Group == "" || e.Group == "" || sameText(t.Group, e.Group))
}

// target finds the only element a description means.
func (v *view) target(t reasoning.Target) (page.Element, bool) {
	var hit []page.Element
	for _, e := range v.page.Elements {
		if describes(t, e) && !e.State.Hidden {
			hit = append(hit, e)
		}
	}
	if len(hit) != 1 {
		return page.Element{}, false
	}
	return hit[0], true
}
