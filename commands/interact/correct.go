package interact

import (
	"context"
	"errors"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/task"
)

// runCorrect tries another way to do what failed.
func runCorrect(ctx context.Context, t *turn) (outcome, error) {
	if err := t.state.MayCorrect(t.Limits); err != nil {
		var limit *domain.Error
		if !errors.As(err, &limit) {
			return "", err
		}
		return t.endWithError(limit.Code, "I tried, but "+limit.Msg+": "+t.verdict.Reason)
	}
	if took, err := t.foreseen(); took || err != nil {
		return foreseenWay, err
	}
	t.skillsShown = t.skills(ctx)
	c, err := t.askForCorrection(ctx)
	switch {
	case err != nil:
		return t.endWithoutAnswer(err)
	case c.Action.LooksUp():
		return t.askWhere(c.Action)
	case (c.Undecided || c.Action.Name == "" || c.Action.EndsTask()) && t.wantsWhole():
		return t.askForFullDOM(page.ReasonPartial, conceal(describe(t.pending.Target), t.secrets()))
	case c.Strategy == reasoning.GatherInformation && (c.Action.Name == "" || c.Undecided):
		return t.ask(c.Reason, nil)
	case c.Undecided, c.Strategy == reasoning.GiveUp, c.Action.Name == action.Fail:
		return t.endTask(fail(domain.CodeGaveUp, t.endMessage(c.Reason, t.verdict.Reason)))
	}
	return t.retry(c)
}

// askForCorrection asks for a correction. What it wants to look up on the page is looked
// up as for an action (nextAction).
func (t *turn) askForCorrection(ctx context.Context) (reasoning.Correction, error) {
	printed, on := t.culprit()
	failed, err := action.Parse(printed)
	if err != nil {
		return reasoning.Correction{Undecided: true}, nil //nolint:nilerr // an erased action: nobody can know another way
	}
	before := t.beforePage()
	kind, unmet := t.unmet(failed, before)
	q := reasoning.CorrectQuestion{
		On: t.on(), Query: t.state.Query, Answers: t.state.Replies,
		Failed: failed, Target: t.elementBefore(on), Before: before, Verdict: *t.verdict,
		Observations: t.observations, Witness: t.witness, Page: t.now, Steps: t.steps(), Kind: kind, Unmet: unmet,
		Attempt: t.failedStep().Corrections() + 1, Tried: t.triedActions(), Skills: t.skillsShown, Client: t.in.Client,
		Note: conceal(t.state.Note, t.secrets()),
	}
	for {
		q.LookedUp = t.lookUps
		c, err := t.Reasoner.Correct(ctx, q)
		t.tokens = t.tokens.Plus(c.Tokens)
		t.takeNote(c.Note)
		q.Note = orElse(t.note, q.Note)
		if err != nil || !c.Action.LooksUp() || !t.lookUp(c.Action) {
			return c, err
		}
	}
}

// failedStep returns the step whose action failed.
func (t *turn) failedStep() task.Step {
	step, _, _ := t.state.ToCorrect()
	return step
}

// culprit returns the action that failed, as it was sent, with its element.
func (t *turn) culprit() (printed string, on task.Target) {
	if _, failed, ok := t.state.ToCorrect(); ok {
		return failed.Culprit()
	}
	return t.pending.Culprit()
}

// triedActions returns the actions tried so far in the failed step.
func (t *turn) triedActions() []action.Action {
	var out []action.Action
	for _, a := range t.failedStep().Attempts {
		printed, _ := a.Culprit()
		if act, err := action.Parse(printed); err == nil {
			out = append(out, act)
		}
	}
	return out
}

func (t *turn) retry(c reasoning.Correction) (outcome, error) {
	target, err := t.resolveTarget(&c.Action)
	if err != nil {
		return t.ask("I wanted to try something else, but that is not possible: "+userMessage(err)+". What should I do?", nil)
	}
	if !t.in.Client.Can(c.Action) {
		return t.ask("I would try another way, which this browser cannot do for me ("+string(c.Action.Name)+"). Can you do it, or tell me what to do?", nil)
	}
	maySubmit := t.maySubmit(c.Action)
	if j, open := t.state.UndecidedSubmit(); open && maySubmit {
		return t.askWhetherItWorked(j)
	}
	attempt := t.failedStep().Corrections() + 1
	failed, _ := t.culprit()
	c.Action = t.mask(c.Action, target)
	if err := t.state.MayDo(c.Action, target, t.Limits); err != nil {
		return t.endAtLimit(err)
	}
	c.Thought, c.Reason, c.Note = conceal(c.Thought, t.secrets()), conceal(c.Reason, t.secrets()), t.note
	err = t.do(task.IssueCorrection{
		Correction: c, RetryTarget: target, MaySubmit: maySubmit, Before: t.now.Before(), Limits: t.Limits,
		LookedUp: t.lookedUp(),
		Skills:   t.skillsShown, ErrorType: reasoning.ErrorType(t.witness),
	})
	if err != nil {
		return "", err
	}
	t.setActionAnswer("correcting", orElse(c.Thought, c.Reason), c.Action, target)
	if err := t.predict(c.Action, t.outcomeWithoutSecrets(c.Expected), c.Thought, c.By); err != nil {
		return "", err
	}
	t.answer.Correction = &Correction{
		Strategy: string(c.Strategy), Reason: c.Reason, Attempt: attempt,
		FailedAction: failed, RetryAction: c.Action.String(),
	}
	return decided, nil
}
