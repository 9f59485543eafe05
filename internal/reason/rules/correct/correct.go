// Package correct finds what to do after an action has failed, without a model: the
// element where it is now, what covers it closed, a wait until it can be used, another
// element that serves the same end, the other way to send a form, or a question to the
// user.
//
// It never repeats an action that was tried, never sends again what may have been sent,
// and gives up after three attempts.
package correct

import (
	"context"
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/internal/reason/rules/act"
	"github.com/stepledger/stepledger/internal/reason/rules/do"
	"github.com/stepledger/stepledger/internal/reason/rules/text"
	"github.com/stepledger/stepledger/internal/reason/rules/verdict"
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
func Correct(ctx context.Context, q reasoning.CorrectQuestion) (reasoning.Correction, error) {
	f := failureOf(ctx, q)
	if q.Attempt > MaxAttempts {
		if c, ok := f.lookedInVain(); ok {
			return c, nil
		}
		return f.giveUp(), nil
	}
	for _, r := range remedies {
		if q.Harmless && !r.harmless {
			continue
		}
		c, ok := r.try(f)
		if err := ctx.Err(); err != nil {
			return reasoning.Correction{}, err
		}
		if ok {
			c.By = reasoning.ByRules
			return c, nil
		}
	}
	if c, ok := f.lookedInVain(); ok {
		return c, nil
	}
	c := f.giveUp()
	c.Undecided = true // another reasoner may have an idea
	return c, nil
}

// remedies in the order they are considered.
var remedies = []struct {
	try func(*failure) (reasoning.Correction, bool)
	// harmless: it is the same action where or when it can be done, which needs no
	// judgement.
	harmless bool
}{
	{try: (*failure).refresh},
	{try: (*failure).findAgain, harmless: true},
	{try: (*failure).uncover},
	{try: (*failure).untilEnabled, harmless: true},
	{try: (*failure).intoView},
	{try: (*failure).openedMenu},
	{try: (*failure).complaint},
	{try: (*failure).refused},
	{try: (*failure).otherOption},
	{try: (*failure).nextBest},
	{try: (*failure).enterKey},
	{try: (*failure).focusFirst},
}

// failure is a failed action with the task as it stands after it.
type failure struct {
	q    reasoning.CorrectQuestion
	view *act.View
}

func failureOf(ctx context.Context, q reasoning.CorrectQuestion) *failure {
	steps := slices.Clone(q.Steps)
	index := 0
	if n := len(steps); n > 0 {
		index = steps[n-1].Index
	}
	fail := func(a action.Action, on page.Element) {
		s := reasoning.Step{Index: index, Action: a, Target: page.Describe(on), Key: on.Key, Verified: true}
		if n := len(q.Steps); n > 0 {
			s.For = q.Steps[n-1].For
		}
		steps = append(steps, s)
	}
	for _, a := range q.Tried {
		e, _ := q.Page.ByID(a.Target)
		fail(a, e)
	}
	fail(q.Failed, q.Target)
	return &failure{q: q, view: act.NewView(ctx, reasoning.ActQuestion{
		Query: q.Query, Answers: q.Answers, Page: q.Page, Steps: steps, LastObservations: q.Observations, Skills: q.Skills,
	})}
}

// tried compares values entered into a secret field by the field alone: no
// record says what they were.
func (f *failure) tried(a action.Action) bool {
	e, _ := f.q.Page.ByID(a.Target)
	return slices.ContainsFunc(append(f.q.Tried[:len(f.q.Tried):len(f.q.Tried)], f.q.Failed), func(t action.Action) bool {
		return t == a || e.State.Secret && t.Name == a.Name && t.Target == a.Target
	})
}

// propose is a correction unless its action was tried already or is not valid.
func (f *failure) propose(s reasoning.Strategy, a action.Action, reason, thought string) (reasoning.Correction, bool) {
	if f.tried(a) || a.Validate() != nil {
		return reasoning.Correction{}, false
	}
	return reasoning.Correction{Strategy: s, Action: a, Reason: reason, Thought: thought}, true
}

// clear proposes what only takes away what is in the way.
func (f *failure) clear(s reasoning.Strategy, a action.Action, reason, thought string) (reasoning.Correction, bool) {
	c, ok := f.propose(s, a, reason, thought)
	c.Clears = true
	return c, ok
}

func no() (reasoning.Correction, bool) { return reasoning.Correction{}, false }

// same is the failed element as it is on the page now.
func (f *failure) same() (page.Element, bool) {
	t := f.q.Target
	if f.q.Before.Skeleton.Has(t.Key) {
		e, ok, _ := page.FindAgain(f.q.Before.Skeleton, t.Key, f.q.Page)
		return e, ok && text.Same(e.Name, t.Name) && e.Role == t.Role
	}
	if e, ok := f.q.Page.ByID(f.q.Failed.Target); ok && e.Role == t.Role && text.Same(e.Name, t.Name) {
		return e, true
	}
	if t.Name == "" {
		return page.Element{}, false
	}
	e, ok, _ := page.Find(f.q.Page, t.Sought())
	return e, ok && text.Same(e.Name, t.Name) && e.Role == t.Role
}

// findAgain repeats the action where the element is now: ids shift.
func (f *failure) findAgain() (reasoning.Correction, bool) {
	e, ok := f.same()
	if !ok || e.ID == f.q.Failed.Target || !e.Usable() || e.State.Secret {
		return no() // the record of a secret does not hold it; nextBest takes it from the task
	}
	a := f.q.Failed
	a.Target = e.ID
	return f.propose(reasoning.AlternativeSelector, a,
		page.Describe(e)+" is at another place of the page now.",
		"The page has changed; I'll use "+text.Quoted(e.Label())+" where it is now.")
}

func (f *failure) uncover() (reasoning.Correction, bool) {
	e, ok := f.same()
	if !ok || !e.State.Occluded && !f.reported(page.CodeOccluded) {
		return no()
	}
	const reason = "Something lies over the element."
	if mv, ok := f.view.Uncover(); ok {
		if c, ok := f.clear(reasoning.AlternativeTool, mv.Action, reason, mv.Thought); ok {
			return c, ok
		}
	}
	if c, ok := f.clear(reasoning.AlternativeTool, action.Action{Name: action.Press, Text: "Escape"}, reason, "Something covers the page; I'll close it first."); ok {
		return c, ok
	}
	return f.clear(reasoning.ScrollIntoView, action.Action{Name: action.Scroll, Target: e.ID}, reason, "I'll bring "+text.Quoted(e.Label())+" into view.")
}

func (f *failure) untilEnabled() (reasoning.Correction, bool) {
	e, ok := f.same()
	if !ok || !e.State.Disabled && !f.reported(page.CodeDisabled) {
		return no()
	}
	for _, seconds := range []float64{1, 2, 4} {
		a := action.Action{Name: action.Wait, Seconds: seconds}
		if c, ok := f.propose(reasoning.RetryWithDelay, a, page.Describe(e)+" cannot be used yet.", text.Quoted(e.Label())+" cannot be used yet; I'll wait a moment."); ok {
			return c, ok
		}
	}
	return no()
}

// openedMenu prefers an item of the list the click has opened over any other
// control of the page (spec §4.9.1).
func (f *failure) openedMenu() (reasoning.Correction, bool) {
	now, _ := f.same()
	if f.q.Failed.Name != action.Click || !f.q.Target.OpensList() && !now.OpensList() {
		return no()
	}
	item := func(e page.Element) bool {
		return e.Role == "menuitem" || e.Role == "option" || e.Role == "menuitemradio"
	}
	mv := f.view.NextAmong(func(e page.Element) bool { return !e.IsControl() || item(e) })
	if mv.Kind != do.IsAction || !item(mv.On) {
		return no()
	}
	return f.propose(reasoning.AlternativeSelector, mv.Action, "The click opened a list; its item is what is needed.", mv.Thought)
}

// complaint answers an error of the page: with the value of the task for the
// field it is about, else with a question. An error that is about no field is
// the user's to decide; sending the form again could do the thing twice.
func (f *failure) complaint() (reasoning.Correction, bool) {
	says := f.view.Complaint()
	if says == "" && verdict.IsPageError(f.q.Verdict.Rule) {
		says = f.q.Verdict.Reason // it was said in words, or is gone again
	}
	if says == "" || f.q.Failed.Name == action.SetValue || verdict.IsClientError(f.q.Verdict.Rule) {
		return no()
	}
	if c, ok := f.knownValue(says); ok {
		return c, true
	}
	question := "The page says: " + text.Quoted(says) + " How should I go on?"
	for _, e := range f.q.Page.Elements {
		if e.IsField() && e.Usable() && (e.State.Invalid || text.Names(says, e)) {
			question = "The page says: " + text.Quoted(says) + " What should I enter for " + text.Quoted(e.Label()) + "?"
			break
		}
	}
	return gather(question), true
}

// knownValue enters what the task gives for the field an error is about.
func (f *failure) knownValue(says string) (reasoning.Correction, bool) {
	for _, mv := range f.view.FillsFor(says) {
		if c, ok := f.propose(reasoning.AlternativeTool, mv.Action, "The page says: "+text.Quoted(says), mv.Thought); ok {
			return c, true
		}
	}
	return no()
}

func gather(question string) reasoning.Correction {
	return reasoning.Correction{Strategy: reasoning.GatherInformation, Reason: question, Thought: "I have to ask you something.", By: reasoning.ByRules}
}

// otherOption chooses in a select by the value where the text was refused, and
// the other way round.
func (f *failure) otherOption() (reasoning.Correction, bool) {
	e, ok := f.same()
	if !ok || f.q.Failed.Name != action.SetValue || len(e.Options) == 0 {
		return no()
	}
	o, ok := text.OptionOf(e, f.q.Failed.Text, text.Key)
	if !ok {
		var have []string
		for _, o := range e.Options {
			if !o.Disabled {
				have = append(have, o.Label)
			}
		}
		have = have[:min(len(have), 10)]
		return gather(text.Quoted(e.Label()) + " has no option " + text.Quoted(f.q.Failed.Text) +
			". Which one should I select: " + strings.Join(have, ", ") + "?"), true
	}
	for _, name := range []string{o.Value, o.Label} {
		if again, _ := text.OptionOf(e, name, text.Key); again != o {
			continue // what one option is called is the value of another
		}
		a := action.Action{Name: action.SetValue, Target: e.ID, Text: name}
		if c, ok := f.propose(reasoning.AlternativeTool, a, "The option was not selected by that name.", "I'll select "+text.Quoted(o.Label)+" in another way."); ok {
			return c, ok
		}
	}
	return no()
}

// nextBest is what the rules would do had they known that this fails.
func (f *failure) nextBest() (reasoning.Correction, bool) {
	mv := f.view.Next()
	switch mv.Kind {
	case do.IsAction:
		if mv.Ends() {
			return no()
		}
		s := reasoning.AlternativeSelector
		if mv.Action.Name != f.q.Failed.Name {
			s = reasoning.AlternativeTool
		}
		c, ok := f.propose(s, mv.Action, page.Describe(f.q.Target)+" did not do it.", mv.Thought)
		c.SkillsUsed, c.For = mv.Skills, mv.For
		return c, ok
	case do.IsQuestion:
		return gather(mv.Question), true
	}
	return no()
}

// lookedInVain asks, where the action was only a look for something: that it led nowhere
// is no failure of the task.
func (f *failure) lookedInVain() (reasoning.Correction, bool) {
	n := len(f.q.Steps)
	if n == 0 || f.q.Steps[n-1].For.Step == 0 || f.q.Steps[n-1].For.Completes {
		return no()
	}
	if mv := f.view.Next(); mv.Kind == do.IsUnknown && mv.Reason != "" {
		return gather(mv.Reason), true
	}
	return gather("I looked for it and did not find it. How should I go on?"), true
}

func (f *failure) enterKey() (reasoning.Correction, bool) {
	if f.q.Failed.Name != action.Click || !act.SendsForm(f.q.Target.Label()) || !f.view.HasEntered() {
		return no()
	}
	return f.propose(reasoning.AlternativeTool, action.Action{Name: action.Press, Text: "Enter"},
		page.Describe(f.q.Target)+" did not react.", "The button does not react; I'll press Enter instead.")
}

// focusFirst clicks into a field that did not take a value: some open only then.
func (f *failure) focusFirst() (reasoning.Correction, bool) {
	e, ok := f.same()
	if !ok || f.q.Failed.Name != action.SetValue || !e.Usable() {
		return no()
	}
	return f.propose(reasoning.AlternativeTool, action.Action{Name: action.Click, Target: e.ID},
		page.Describe(e)+" did not take the value.", "I'll click into "+text.Quoted(e.Label())+" first.")
}

func (f *failure) giveUp() reasoning.Correction {
	reason := "I tried what I could think of: " + f.q.Verdict.Reason
	if f.q.Verdict.Reason == "" {
		reason = "I tried what I could think of, and " + page.Describe(f.q.Target) + " still does not work."
	}
	return reasoning.Correction{
		Strategy: reasoning.GiveUp, Reason: reason, By: reasoning.ByRules,
		Action:  action.Action{Name: action.Fail, Text: page.Cut(page.Clean(reason), action.MaxText)},
		Thought: "I cannot get any further on my own.",
	}
}
