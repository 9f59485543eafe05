package interact

import (
	"context"
	"errors"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/task"
)

// runCorrect looks for another way to do what did not work.
func runCorrect(ctx context.Context, t *turn) (outcome, error) {
	if err := t.state.MayCorrect(t.Limits); err != nil {
		var limit *domain.Error
		if !errors.As(err, &limit) {
			return "", err
		}
		return t.failWith(limit.Code, "I tried, but "+limit.Msg+": "+t.verdict.Reason)
	}
	t.learnt = t.skills(ctx)
	c, err := t.correction(ctx)
	t.tokens = t.tokens.Plus(c.Tokens)
	switch {
	case err != nil:
		return t.unanswered(err)
	case c.Strategy == reasoning.GatherInformation && (c.Action.Name == "" || c.Undecided):
		return t.ask(c.Reason, nil)
	case c.Undecided, c.Strategy == reasoning.GiveUp, c.Action.Name == action.Fail:
		return t.give(fail(domain.CodeGaveUp, t.told(c.Reason, t.verdict.Reason)))
	}
	return t.retry(c)
}

func (t *turn) correction(ctx context.Context) (reasoning.Correction, error) {
	failed, err := action.Parse(t.pending.Action)
	if err != nil {
		return reasoning.Correction{Undecided: true}, nil //nolint:nilerr // an erased action: nobody can know another way
	}
	before := t.before()
	kind, unmet := t.unmet(failed, before)
	return t.Reasoner.Correct(ctx, reasoning.CorrectQuestion{
		On: t.on(), Query: t.state.Query, Answers: t.state.Replies,
		Failed: failed, Target: t.target(), Before: before, Verdict: *t.verdict,
		Observations: t.observations, Witness: t.witness, Page: t.now, Steps: t.steps(), Kind: kind, Unmet: unmet,
		Attempt: t.correcting().Corrections() + 1, Tried: t.tried(), Skills: t.learnt,
	})
}

// correcting is the step whose action failed.
func (t *turn) correcting() task.Step {
	step, _, _ := t.state.ToCorrect()
	return step
}

// tried are the actions of the step so far.
func (t *turn) tried() []action.Action {
	var out []action.Action
	for _, a := range t.correcting().Attempts {
		if act, err := action.Parse(a.Action); err == nil {
			out = append(out, act)
		}
	}
	return out
}

func (t *turn) retry(c reasoning.Correction) (outcome, error) {
	target, err := t.aim(&c.Action)
	if err != nil {
		return t.give(fail(domain.CodeGaveUp, "What I wanted to try instead is not possible: "+userMessage(err)))
	}
	maySubmit := t.maySubmit(c.Action)
	if j, open := t.state.UnsettledSubmit(); open && maySubmit {
		return t.askWhether(j)
	}
	attempt := t.correcting().Corrections() + 1
	c.Action = t.mask(c.Action, target)
	if err := t.state.MayDo(c.Action, target, t.Limits); err != nil {
		return t.stop(err)
	}
	c.Thought, c.Reason = conceal(c.Thought, t.secrets()), conceal(c.Reason, t.secrets())
	err = t.do(task.IssueCorrection{
		Correction: c, RetryTarget: target, MaySubmit: maySubmit, Before: t.now.Before(), Limits: t.Limits,
		Skills: reasoning.IDs(t.learnt), ErrorType: reasoning.ErrorType(t.witness),
	})
	if err != nil {
		return "", err
	}
	t.say("correcting", or(c.Thought, c.Reason), c.Action, target)
	if err := t.predict(c.Action, t.discreetly(c.Expected), c.Thought, c.By); err != nil {
		return "", err
	}
	t.answer.Correction = &Correction{
		Strategy: string(c.Strategy), Reason: c.Reason, Attempt: attempt,
		FailedAction: t.pending.Action, RetryAction: c.Action.String(),
	}
	return decided, nil
}
