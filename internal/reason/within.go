package reason

import (
	"context"

	"github.com/stepledger/stepledger/domain/reasoning"
)

// Within is a reasoner whose time counts against the turn's time to think
// (reasoning.WithBudget). Past it every answer is the error TOO_COMPLEX. The reasoner
// has to obey its context.
type Within struct{ Reasoner }

// Act answers within the budget.
func (w Within) Act(ctx context.Context, q reasoning.ActQuestion) (reasoning.ActAnswer, error) {
	ctx, done := reasoning.Think(ctx)
	answer, err := w.Reasoner.Act(ctx, q)
	return answer, done(err)
}

// Verify answers within the budget.
func (w Within) Verify(ctx context.Context, q reasoning.VerifyQuestion) (reasoning.Verdict, error) {
	ctx, done := reasoning.Think(ctx)
	v, err := w.Reasoner.Verify(ctx, q)
	return v, done(err)
}

// Correct answers within the budget.
func (w Within) Correct(ctx context.Context, q reasoning.CorrectQuestion) (reasoning.Correction, error) {
	ctx, done := reasoning.Think(ctx)
	c, err := w.Reasoner.Correct(ctx, q)
	return c, done(err)
}

// Confirm answers within the budget.
func (w Within) Confirm(ctx context.Context, q reasoning.ConfirmQuestion) (reasoning.Verdict, error) {
	ctx, done := reasoning.Think(ctx)
	v, err := w.Reasoner.Confirm(ctx, q)
	return v, done(err)
}
