// Package reason is the chain of those who answer the questions of the
// interact graph: rules, which cost nothing and never guess, and a model,
// where one is configured.
//
// Verdicts and corrections are asked of the rules first and of the model where
// the rules do not know; actions the other way round, since a model that is
// configured is there to act. When the model fails, what the rules say counts,
// signed by them; where they do not know either, the error is LLM_ERROR with a
// sentence for the user. Its kind is Unavailable where trying again may help;
// else the graph takes its conservative default. Tokens that were used come
// with an error too.
//
// It keeps no state and does no I/O of its own.
package reason

import (
	"context"
	"errors"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/reasoning"
)

// Reasoner answers the questions of the graph. An answer that is Undecided is
// an honest one; an error is trouble.
type Reasoner interface {
	Act(ctx context.Context, q reasoning.ActQuestion) (reasoning.ActAnswer, error)
	Verify(ctx context.Context, q reasoning.VerifyQuestion) (reasoning.Verdict, error)
	Correct(ctx context.Context, q reasoning.CorrectQuestion) (reasoning.Correction, error)
	Confirm(ctx context.Context, q reasoning.ConfirmQuestion) (reasoning.Verdict, error)
}

// Chain asks one after the other. Model nil means that none is configured.
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

// Verify asks the rules, and the model where they do not know (spec: tiered
// verification). Of an action that should have completed the task the rules may
// know that it worked and not whether that was all: then the model is asked for
// that, and its word on the rest does not count. Without a page before there is
// nothing to judge by: nobody is asked. What the rules wait for may come by itself:
// a look at the page costs no tokens, and the model is asked after the last one. What
// a model could not tell either is looked at again without it.
func (c Chain) Verify(ctx context.Context, q reasoning.VerifyQuestion) (reasoning.Verdict, error) {
	if q.Before.Missing() {
		return reasoning.Verdict{Undecided: true, Tier: 1, Confidence: 0.5, Reason: "what the page was like before is not known"}, nil
	}
	v, err := c.Rules.Verify(ctx, q)
	decided := err == nil && v.Outcome() != reasoning.Undecided
	if err == nil && !decided && q.MayLook && (v.Missing.MayCome() || q.Looks > 0) {
		return v, nil
	}
	wasThatAll := q.Final && v.ActionSucceeded && !v.TaskCompleted
	if c.Model == nil || decided && !wasThatAll {
		return v, err
	}
	byModel, failed := c.Model.Verify(ctx, q)
	byModel, _ = byModel.Sanitised()
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

// completed is a verdict of the rules with the model's answer to whether the
// task is done.
func completed(v, byModel reasoning.Verdict) reasoning.Verdict {
	v.Tier, v.By, v.TokensSaved = byModel.Tier, byModel.By, byModel.TokensSaved
	v.Tokens, v.SubTaskCompleted = v.Tokens.Plus(byModel.Tokens), byModel.SubTaskCompleted
	if byModel.GoalAchieved() {
		v.TaskCompleted, v.Proof = true, byModel.Proof
		v.Reason += " " + byModel.Reason
	}
	return v
}

// Confirm asks the rules, and the model where they do not know.
func (c Chain) Confirm(ctx context.Context, q reasoning.ConfirmQuestion) (reasoning.Verdict, error) {
	v, err := c.Rules.Confirm(ctx, q)
	if c.Model == nil || err == nil && v.Outcome() != reasoning.Undecided {
		return v, err
	}
	byModel, failed := c.Model.Confirm(ctx, q)
	if failed != nil {
		return reasoning.Verdict{Tokens: byModel.Tokens}, unavailable(failed)
	}
	byModel, _ = byModel.Sanitised()
	return byModel, nil
}

// Correct asks the rules, and the model where they do not know. What a model has
// answered twice in vain leaves the rules' word, which is to give up.
func (c Chain) Correct(ctx context.Context, q reasoning.CorrectQuestion) (reasoning.Correction, error) {
	v, err := c.Rules.Correct(ctx, q)
	if c.Model == nil || err == nil && !v.Undecided {
		return v, err
	}
	byModel, failed := c.Model.Correct(ctx, q)
	v.Tokens = v.Tokens.Plus(byModel.Tokens)
	switch {
	case failed == nil && !byModel.Undecided:
		return byModel, nil
	case failed == nil || err == nil && domain.KindOf(unavailable(failed)) == domain.Internal:
		return v, err // neither knows: the rules' reason is the nearer one
	}
	return reasoning.Correction{Tokens: byModel.Tokens}, unavailable(failed)
}

// unavailable is the error for the user. One that already speaks to them
// stays; anything else becomes the cause.
func unavailable(err error) error {
	var e *domain.Error
	if errors.As(err, &e) && (e.Code == domain.CodeLLM || e.Kind == domain.Limited) {
		return err
	}
	return domain.Errorf(domain.Unavailable, domain.CodeLLM, "The assistant is not available at the moment. Please try again.").Because(err)
}
