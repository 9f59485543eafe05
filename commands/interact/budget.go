package interact

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/stepledger/stepledger/commands"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/reasoning"
)

// budgetReasoner passes questions on until one fails because the turn's time to think
// is used up; it then answers every later question with that error. The turn decides
// nothing in this case, whatever the nodes do by default.
type budgetReasoner struct {
	next commands.Reasoner
	over *domain.Error
}

func (r *budgetReasoner) Act(ctx context.Context, q reasoning.ActQuestion) (reasoning.ActAnswer, error) {
	return askWithinBudget(ctx, r, r.next.Act, q)
}

func (r *budgetReasoner) Verify(ctx context.Context, q reasoning.VerifyQuestion) (reasoning.Verdict, error) {
	return askWithinBudget(ctx, r, r.next.Verify, q)
}

func (r *budgetReasoner) Correct(ctx context.Context, q reasoning.CorrectQuestion) (reasoning.Correction, error) {
	return askWithinBudget(ctx, r, r.next.Correct, q)
}

func (r *budgetReasoner) Confirm(ctx context.Context, q reasoning.ConfirmQuestion) (reasoning.Verdict, error) {
	return askWithinBudget(ctx, r, r.next.Confirm, q)
}

func askWithinBudget[Q, A any](ctx context.Context, r *budgetReasoner, ask func(context.Context, Q) (A, error), q Q) (A, error) {
	if r.over != nil {
		var none A
		return none, r.over
	}
	a, err := ask(ctx, q)
	if e, ok := errors.AsType[*domain.Error](err); ok && e.Code == domain.CodeTooComplex {
		r.over = e
	}
	return a, err
}

// decideWithinBudget walks the graph within the turn's time to think. If the time
// runs out, the turn ends with a stored error and without any decision, so the
// previous action stays pending. A second such turn in a row ends the task, since the
// client would otherwise send the same page again and again.
func (t *turn) decideWithinBudget(ctx context.Context) error {
	own, reasons := *t.Handler, &budgetReasoner{next: t.Reasoner}
	own.Reasoner = reasons
	t.Handler = &own
	err := walk(reasoning.WithBudget(ctx, t.Limits.Thinking), t)
	if reasons.over == nil {
		return err
	}
	t.state, t.events, t.secret = t.at.State, nil, ""
	if t.wasTooComplex() {
		_, err := t.endWithError(reasons.over.Code, reasons.over.Msg)
		return err
	}
	t.answerError(reasons.over.Code, reasons.over.Msg)
	return nil
}

// wasTooComplex reports whether the previous turn also ran out of time.
func (t *turn) wasTooComplex() bool {
	last := t.at.State.Last
	var e storedError
	return last.Status == statusError && json.Unmarshal(last.Answer, &e) == nil && e.Code == domain.CodeTooComplex
}

// answerError makes an error the answer of the turn.
func (t *turn) answerError(code, message string) {
	t.status = statusError
	t.failure = &storedError{Code: code, Message: message, Details: map[string]any{
		"taskId": t.in.id, "sessionId": t.state.Session, "stepIndex": len(t.state.Steps),
	}}
}
