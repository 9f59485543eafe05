package rules

import (
	"context"
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
)

// MaxAttempts is how many corrections of one step the rules try.
const MaxAttempts = 3

// Correct gives the way out after a failed verdict: the same element found
// again, what covers it closed, another element that serves the same end, the
// other way to send a form, or a question to the user (GatherInformation, with
// the question as Reason and no action). It never repeats an action already tried. Out of
// attempts it answers FAIL; out of ideas before that it is Undecided, with FAIL
// for a graph that has no one else to ask. Its error is that of a context that ended
// before.
func (Reasoner) Correct(ctx context.Context, q reasoning.CorrectQuestion) (reasoning.Correction, error) {
	m := mishapOf(ctx, q)
	if q.Attempt > MaxAttempts {
		return m.giveUp(), nil
	}
	for _, remedy := range remedies {
		c, ok := remedy(m)
		if err := ctx.Err(); err != nil {
			return reasoning.Correction{}, err
		}
		if ok {
			c.By = By
			return c, nil
		}
	}
	c := m.giveUp()
	c.Undecided = true // another reasoner may have an idea
	return c, nil
}

// remedies in the order they are considered.
var remedies = []func(*mishap) (reasoning.Correction, bool){
	(*mishap).refresh,
	(*mishap).findAgain,
	(*mishap).uncover,
	(*mishap).untilEnabled,
	(*mishap).intoView,
	(*mishap).openedMenu,
	(*mishap).complaint,
	(*mishap).refused,
	(*mishap).otherOption,
	(*mishap).nextBest,
	(*mishap).enterKey,
	(*mishap).focusFirst,
}

// mishap is a failed action with the task as it stands after it.
type mishap struct {
	q    reasoning.CorrectQuestion
	view *view
}

func mishapOf(ctx context.Context, q reasoning.CorrectQuestion) *mishap {
	steps := slices.Clone(q.Steps)
	index := 0
	if n := len(steps); n > 0 {
		index = steps[n-1].Index
	}
	fail := func(a action.Action, target string) {
		steps = append(steps, reasoning.Step{Index: index, Action: a, Target: target, Verified: true})
	}
	for _, a := range q.Tried {
		e, _ := q.Page.ByID(a.Target)
		fail(a, page.Describe(e))
	}
	fail(q.Failed, page.Describe(q.Target))
	return &mishap{q: q, view: newView(ctx, reasoning.ActQuestion{
		Query: q.Query, Answers: q.Answers, Page: q.Page, Steps: steps, LastObservations: q.Observations, Skills: q.Skills,
	})}
}

// tried compares values entered into a secret field by the field alone: no
// record says what they were.
func (m *mishap) tried(a action.Action) bool {
	e, _ := m.q.Page.ByID(a.Target)
	return slices.ContainsFunc(append(m.q.Tried[:len(m.q.Tried):len(m.q.Tried)], m.q.Failed), func(t action.Action) bool {
		return t == a || e.State.Secret && t.Name == a.Name && t.Target == a.Target
	})
}

// propose is a correction unless its action was tried already or is not valid.
func (m *mishap) propose(s reasoning.Strategy, a action.Action, reason, thought string) (reasoning.Correction, bool) {
	if m.tried(a) || a.Validate() != nil {
		return reasoning.Correction{}, false
	}
	return reasoning.Correction{Strategy: s, Action: a, Reason: reason, Thought: thought}, true
}

// clear proposes what only takes away what is in the way.
func (m *mishap) clear(s reasoning.Strategy, a action.Action, reason, thought string) (reasoning.Correction, bool) {
	c, ok := m.propose(s, a, reason, thought)
	c.Clears = true
	return c, ok
}

func no() (reasoning.Correction, bool) { return reasoning.Correction{}, false }

// same is the failed element as it is on the page now.
func (m *mishap) same() (page.Element, bool) {
	t := m.q.Target
	if m.q.Before.Skeleton.Has(t.Key) {
		e, ok, _ := page.FindAgain(m.q.Before.Skeleton, t.Key, m.q.Page)
		return e, ok && sameText(e.Name, t.Name) && e.Role == t.Role
	}
	if e, ok := m.q.Page.ByID(m.q.Failed.Target); ok && e.Role == t.Role && sameText(e.Name, t.Name) {
		return e, true
	}
	if t.Name == "" {
		return page.Element{}, false
	}
	e, ok, _ := page.Find(m.q.Page, t.Sought())
	return e, ok && sameText(e.Name, t.Name) && e.Role == t.Role
}

// findAgain repeats the action where the element is now: ids shift.
func (m *mishap) findAgain() (reasoning.Correction, bool) {
	e, ok := m.same()
	if !ok || e.ID == m.q.Failed.Target || !usable(e) || e.State.Secret {
		return no() // the record of a secret does not hold it; nextBest takes it from the task
	}
	a := m.q.Failed
	a.Target = e.ID
	return m.propose(reasoning.AlternativeSelector, a,
		page.Describe(e)+" is at another place of the page now.",
		"The page has changed; I'll use "+quoted(label(e))+" where it is now.")
}

func (m *mishap) uncover() (reasoning.Correction, bool) {
	e, ok := m.same()
	if !ok || !e.State.Occluded && !m.reported(codeOccluded) {
		return no()
	}
	const reason = "Something lies over the element."
	if mv, ok := m.view.uncover(); ok {
		if c, ok := m.clear(reasoning.AlternativeTool, mv.action, reason, mv.thought); ok {
			return c, ok
		}
	}
	if c, ok := m.clear(reasoning.AlternativeTool, action.Action{Name: action.Press, Text: "Escape"}, reason, "Something covers the page; I'll close it first."); ok {
		return c, ok
	}
	return m.clear(reasoning.ScrollIntoView, action.Action{Name: action.Scroll, Target: e.ID}, reason, "I'll bring "+quoted(label(e))+" into view.")
}

func (m *mishap) untilEnabled() (reasoning.Correction, bool) {
	e, ok := m.same()
	if !ok || !e.State.Disabled && !m.reported(codeDisabled) {
		return no()
	}
	for _, seconds := range []float64{1, 2, 4} {
		a := action.Action{Name: action.Wait, Seconds: seconds}
		if c, ok := m.propose(reasoning.RetryWithDelay, a, page.Describe(e)+" cannot be used yet.", quoted(label(e))+" cannot be used yet; I'll wait a moment."); ok {
			return c, ok
		}
	}
	return no()
}

// openedMenu prefers an item of the list the click has opened over any other
// control of the page (spec §4.9.1).
func (m *mishap) openedMenu() (reasoning.Correction, bool) {
	now, _ := m.same()
	if m.q.Failed.Name != action.Click || !opensList(m.q.Target) && !opensList(now) {
		return no()
	}
	m.view.page.Elements = slices.Clone(m.q.Page.Elements)
	for i, e := range m.view.page.Elements {
		if isControl(e) && e.Role != "menuitem" && e.Role != "option" && e.Role != "menuitemradio" {
			m.view.page.Elements[i].State.Disabled = true
		}
	}
	m.view.index.forgetUse()
	mv := m.view.next()
	m.view.page = m.q.Page
	m.view.index.forgetUse()
	if mv.kind != isAction || mv.on.Role != "menuitem" && mv.on.Role != "option" && mv.on.Role != "menuitemradio" {
		return no()
	}
	return m.propose(reasoning.AlternativeSelector, mv.action, "The click opened a list; its item is what is needed.", mv.thought)
}

// complaint answers an error of the page: with the value of the task for the
// field it is about, else with a question. An error that is about no field is
// the user's to decide; sending the form again could do the thing twice.
func (m *mishap) complaint() (reasoning.Correction, bool) {
	says := m.view.complaint()
	if says == "" && m.q.Verdict.Rule == errorRule {
		says = m.q.Verdict.Reason // it was said in words, or is gone again
	}
	if says == "" || m.q.Failed.Name == action.SetValue || m.q.Verdict.Rule == clientErrorRule {
		return no()
	}
	if c, ok := m.knownValue(says); ok {
		return c, true
	}
	question := "The page says: " + quoted(says) + " How should I go on?"
	for _, e := range m.q.Page.Elements {
		if isField(e) && usable(e) && (e.State.Invalid || about(says, e)) {
			question = "The page says: " + quoted(says) + " What should I enter for " + quoted(label(e)) + "?"
			break
		}
	}
	return gather(question), true
}

// knownValue enters what the task gives for the field an error is about.
func (m *mishap) knownValue(says string) (reasoning.Correction, bool) {
	for _, p := range m.view.in.parts {
		found, _, _ := m.view.slots(p)
		for _, s := range found {
			if !about(says, s.on) || m.view.holds(s) {
				continue
			}
			mv := m.view.fill(s)
			if c, ok := m.propose(reasoning.AlternativeTool, mv.action, "The page says: "+quoted(says), mv.thought); ok && mv.kind == isAction {
				return c, true
			}
		}
	}
	return no()
}

func gather(question string) reasoning.Correction {
	return reasoning.Correction{Strategy: reasoning.GatherInformation, Reason: question, Thought: "I have to ask you something.", By: By}
}

// about reports whether a message names a field.
func about(message string, e page.Element) bool {
	k := labelKey(label(e))
	return subset(k, labelKey(message))
}

// otherOption chooses in a select by the value where the text was refused, and
// the other way round.
func (m *mishap) otherOption() (reasoning.Correction, bool) {
	e, ok := m.same()
	if !ok || m.q.Failed.Name != action.SetValue || len(e.Options) == 0 {
		return no()
	}
	o, ok := optionOf(e, m.q.Failed.Text)
	if !ok {
		var have []string
		for _, o := range e.Options {
			if !o.Disabled {
				have = append(have, o.Label)
			}
		}
		have = have[:min(len(have), 10)]
		return gather(quoted(label(e)) + " has no option " + quoted(m.q.Failed.Text) +
			". Which one should I select: " + strings.Join(have, ", ") + "?"), true
	}
	for _, text := range []string{o.Value, o.Label} {
		if again, _ := optionOf(e, text); again != o {
			continue // what one option is called is the value of another
		}
		a := action.Action{Name: action.SetValue, Target: e.ID, Text: text}
		if c, ok := m.propose(reasoning.AlternativeTool, a, "The option was not selected by that name.", "I'll select "+quoted(o.Label)+" in another way."); ok {
			return c, ok
		}
	}
	return no()
}

// nextBest is what the rules would do had they known that this fails.
func (m *mishap) nextBest() (reasoning.Correction, bool) {
	mv := m.view.next()
	switch mv.kind {
	case isAction:
		if mv.ends() {
			return no()
		}
		s := reasoning.AlternativeSelector
		if mv.action.Name != m.q.Failed.Name {
			s = reasoning.AlternativeTool
		}
		c, ok := m.propose(s, mv.action, page.Describe(m.q.Target)+" did not do it.", mv.thought)
		c.SkillsUsed = mv.skills
		return c, ok
	case isQuestion:
		return gather(mv.question), true
	}
	return no()
}

func (m *mishap) enterKey() (reasoning.Correction, bool) {
	if m.q.Failed.Name != action.Click || !isSubmitWord(label(m.q.Target)) || m.view.lastSet() < 0 {
		return no()
	}
	return m.propose(reasoning.AlternativeTool, action.Action{Name: action.Press, Text: "Enter"},
		page.Describe(m.q.Target)+" did not react.", "The button does not react; I'll press Enter instead.")
}

// focusFirst clicks into a field that did not take a value: some open only then.
func (m *mishap) focusFirst() (reasoning.Correction, bool) {
	e, ok := m.same()
	if !ok || m.q.Failed.Name != action.SetValue || !usable(e) {
		return no()
	}
	return m.propose(reasoning.AlternativeTool, action.Action{Name: action.Click, Target: e.ID},
		page.Describe(e)+" did not take the value.", "I'll click into "+quoted(label(e))+" first.")
}

func (m *mishap) giveUp() reasoning.Correction {
	reason := "I tried what I could think of: " + m.q.Verdict.Reason
	if m.q.Verdict.Reason == "" {
		reason = "I tried what I could think of, and " + page.Describe(m.q.Target) + " still does not work."
	}
	return reasoning.Correction{
		Strategy: reasoning.GiveUp, Reason: reason, By: By,
		Action:  action.Action{Name: action.Fail, Text: page.Cut(page.Clean(reason), action.MaxText)},
		Thought: "I cannot get any further on my own.",
	}
}
