// Package reason is the chain of rules, which cost nothing and never guess, and a
// model, if one is configured, that answers the questions of the interact graph.
//
// With a model, the model decides: it acts, corrects, and says when the task is done.
// The rules keep what needs no judgement: verdicts on actions they are certain of, an
// element found again where it is now, a disabled one waited for. If the model fails,
// the rules' answer counts and is signed by them; if they do not know either, the error
// is LLM_ERROR with a message for the user. Its kind is Unavailable if trying again may
// help; otherwise the graph uses its conservative default. Tokens used are returned
// with an error too. Without a model the rules answer everything.
//
// It keeps no state and does no I/O of its own.
package reason

import (
	"context"
	"errors"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/reasoning"
)

// Reasoner answers the questions of the graph. An Undecided answer is valid; an error
// means that nobody could answer.
type Reasoner interface {
	Act(ctx context.Context, q reasoning.ActQuestion) (reasoning.ActAnswer, error)
	Verify(ctx context.Context, q reasoning.VerifyQuestion) (reasoning.Verdict, error)
	Correct(ctx context.Context, q reasoning.CorrectQuestion) (reasoning.Correction, error)
	Confirm(ctx context.Context, q reasoning.ConfirmQuestion) (reasoning.Verdict, error)
}

// Chain asks rules and model. Model is nil if none is configured.
type Chain struct {
	Rules, Model Reasoner
}

var _ Reasoner = Chain{}

// Act asks the model, and the rules where there is none or it failed or does
// not know.
func (c Chain) Act(ctx context.Context, q reasoning.ActQuestion) (reasoning.ActAnswer, error) {
	if c.Model == nil {
		return c.Rules.Act(ctx, q)
	}
	answer, failed := c.Model.Act(ctx, q)
	if failed == nil && !answer.Undecided {
		return answer, nil
	}
	byRules, err := c.Rules.Act(ctx, q)
	rulesKnow := err == nil && !byRules.Undecided
	switch {
	case !rulesKnow && failed != nil:
		return reasoning.ActAnswer{Tokens: answer.Tokens}, unavailable(failed)
	case !rulesKnow:
		answer.Seeks = byRules.Seeks
		return answer, nil // both are at a loss: the model's words are better
	}
	byRules.Tokens = byRules.Tokens.Plus(answer.Tokens)
	return byRules, nil
}

// Verify asks the rules whether the action worked, and the model if they do not know
// (spec: tiered verification). Whether the task is done is only asked after an action
// the model called final. If the rules know that it worked but not whether that was
// all, the model is asked only for that. Without a page before nobody is asked. If what
// the rules miss may still come, the page is looked at again first, which costs no
// tokens, and the model is asked after the last look, or before if nothing more may come
// and the action is no submission, which is not looked at again then. After an undecided
// answer of the model, later looks do without it. If the question may be deferred to
// the one for the next action, it is, unless the task may be done.
func (c Chain) Verify(ctx context.Context, q reasoning.VerifyQuestion) (reasoning.Verdict, error) {
	if q.Before.Missing() {
		return reasoning.Verdict{Undecided: true, Tier: 1, Confidence: 0.5, Reason: "I do not know what the page was like before."}, nil
	}
	q.ActionOnly = c.Model != nil && !q.Final
	v, err := c.Rules.Verify(ctx, q)
	decided := err == nil && v.Outcome() != reasoning.Undecided
	if err == nil && !decided && q.MayLook && (v.Missing.MayCome() || q.Looks > 0 && (q.MaySubmit || q.ModelAsked)) {
		return v, nil
	}
	wasThatAll := q.Final && v.ActionSucceeded && !v.TaskCompleted
	if c.Model == nil || decided && !wasThatAll {
		return v, err
	}
	if _, shown := q.ExpectedShown(); q.MayDefer && !q.Final && !shown {
		v.Deferred = true
		return v, nil
	}
	byModel, failed := c.Model.Verify(ctx, q)
	byModel, _ = byModel.Sanitised()
	byModel.TaskCompleted = byModel.TaskCompleted && q.Final
	switch {
	case failed != nil && decided:
		v.Tokens = v.Tokens.Plus(byModel.Tokens)
		return v, nil
	case failed != nil:
		return reasoning.Verdict{Tokens: byModel.Tokens}, unavailable(failed)
	case decided:
		return completed(v, byModel), nil
	}
	return byModel, nil
}

// completed combines the rules' verdict with the model's answer to whether the task
// is done.
func completed(v, byModel reasoning.Verdict) reasoning.Verdict {
	v.Tier, v.By, v.TokensSaved = byModel.Tier, byModel.By, byModel.TokensSaved
	v.Tokens, v.SubTaskCompleted = v.Tokens.Plus(byModel.Tokens), byModel.SubTaskCompleted
	if byModel.GoalAchieved() {
		v.TaskCompleted, v.Proof = true, byModel.Proof
		if byModel.Reason != "" {
			v.Reason = byModel.Reason // it speaks of the task, the rules' of the action
		}
	}
	return v
}

// Confirm asks the model, and the rules if there is none or it failed.
func (c Chain) Confirm(ctx context.Context, q reasoning.ConfirmQuestion) (reasoning.Verdict, error) {
	if c.Model == nil {
		return c.Rules.Confirm(ctx, q)
	}
	byModel, failed := c.Model.Confirm(ctx, q)
	if failed == nil {
		byModel, _ = byModel.Sanitised()
		return byModel, nil
	}
	v, err := c.Rules.Confirm(ctx, q)
	v.Tokens = v.Tokens.Plus(byModel.Tokens)
	if err != nil || v.Outcome() == reasoning.Undecided {
		return reasoning.Verdict{Tokens: v.Tokens}, unavailable(failed)
	}
	return v, nil
}

// Correct asks the rules for a correction that needs no judgement, then the model, and
// the rules for any other one if there is no model or it failed. If the model gives two
// unusable answers, the rules' answer counts, or else the user is asked.
func (c Chain) Correct(ctx context.Context, q reasoning.CorrectQuestion) (reasoning.Correction, error) {
	if c.Model == nil {
		return c.Rules.Correct(ctx, q)
	}
	harmless := q
	harmless.Harmless = true
	if v, err := c.Rules.Correct(ctx, harmless); err == nil && !v.Undecided && v.Strategy != reasoning.GiveUp {
		return v, nil
	}
	byModel, failed := c.Model.Correct(ctx, q)
	if failed == nil && !byModel.Undecided {
		return byModel, nil
	}
	v, err := c.Rules.Correct(ctx, q)
	v.Tokens = v.Tokens.Plus(byModel.Tokens)
	rulesKnow := err == nil && !v.Undecided
	if !rulesKnow && errors.Is(failed, reasoning.ErrUnusable) {
		return reasoning.Correction{
			Undecided: true, Strategy: reasoning.GatherInformation, Tokens: v.Tokens, By: v.By,
			Reason: "The last step did not work, and I do not know another way. What should I do?",
		}, nil
	}
	if rulesKnow || failed == nil || err == nil && domain.KindOf(unavailable(failed)) == domain.Internal {
		return v, err // if neither knows, the rules' reason is the nearer one
	}
	return reasoning.Correction{Tokens: v.Tokens}, unavailable(failed)
}

// unavailable returns the error for the user: err itself if it is one, or else a
// general one with err as its cause.
func unavailable(err error) error {
	var e *domain.Error
	if errors.As(err, &e) && (e.Code == domain.CodeLLM || e.Kind == domain.Limited) {
		return err
	}
	return domain.Errorf(domain.Unavailable, domain.CodeLLM, "The assistant is not available at the moment. Please try again.").Because(err)
}
