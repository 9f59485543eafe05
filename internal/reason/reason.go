// Package reason is the chain of rules, which cost nothing and never guess, and a
// model, if one is configured, that answers the questions of the interact graph.
//
// Verdicts and corrections are asked of the rules first and of the model if the rules
// do not know. Actions are asked of the model first. If the model fails, the rules'
// answer counts and is signed by them; if they do not know either, the error is
// LLM_ERROR with a message for the user. Its kind is Unavailable if trying again may
// help; otherwise the graph uses its conservative default. Tokens used are returned
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

// Verify asks the rules, and the model if they do not know (spec: tiered
// verification). If the rules know that a final action worked but not whether the
// task is done, the model is asked only for that. Without a page before nobody is
// asked. If what the rules miss may still come, the page is looked at again first,
// which costs no tokens, and the model is asked after the last look. After an
// undecided answer of the model, later looks do without it.
func (c Chain) Verify(ctx context.Context, q reasoning.VerifyQuestion) (reasoning.Verdict, error) {
	if q.Before.Missing() {
		return reasoning.Verdict{Undecided: true, Tier: 1, Confidence: 0.5, Reason: "I do not know what the page was like before."}, nil
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

// completed combines the rules' verdict with the model's answer to whether the task
// is done.
func completed(v, byModel reasoning.Verdict) reasoning.Verdict {
	v.Tier, v.By, v.TokensSaved = byModel.Tier, byModel.By, byModel.TokensSaved
	v.Tokens, v.SubTaskCompleted = v.Tokens.Plus(byModel.Tokens), byModel.SubTaskCompleted
	if byModel.GoalAchieved() {
		v.TaskCompleted, v.Proof = true, byModel.Proof
		v.Reason += " " + byModel.Reason
	}
	return v
}

// Confirm asks the rules, and the model if they do not know.
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

// Correct asks the rules, and the model if they do not know. If the model gives two
// unusable answers, the rules' answer counts, which is to give up.
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

// unavailable returns the error for the user: err itself if it is one, or else a
// general one with err as its cause.
func unavailable(err error) error {
	var e *domain.Error
	if errors.As(err, &e) && (e.Code == domain.CodeLLM || e.Kind == domain.Limited) {
		return err
	}
	return domain.Errorf(domain.Unavailable, domain.CodeLLM, "The assistant is not available at the moment. Please try again.").Because(err)
}
