package interact

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/stepledger/stepledger/commands"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/reasoning"
)

// timed passes questions on until one is left without an answer because the turn's
// time to think was used up, and none after that. Nodes need not know: where nobody
// could tell they have defaults of their own, but a turn that was never thought
// through decides nothing.
type timed struct {
	next commands.Reasoner
	over *domain.Error
}

func (r *timed) Act(ctx context.Context, q reasoning.ActQuestion) (reasoning.ActAnswer, error) {
	return pass(ctx, r, r.next.Act, q)
}

func (r *timed) Verify(ctx context.Context, q reasoning.VerifyQuestion) (reasoning.Verdict, error) {
	return pass(ctx, r, r.next.Verify, q)
}

func (r *timed) Correct(ctx context.Context, q reasoning.CorrectQuestion) (reasoning.Correction, error) {
	return pass(ctx, r, r.next.Correct, q)
}

func (r *timed) Confirm(ctx context.Context, q reasoning.ConfirmQuestion) (reasoning.Verdict, error) {
	return pass(ctx, r, r.next.Confirm, q)
}

func pass[Q, A any](ctx context.Context, r *timed, ask func(context.Context, Q) (A, error), q Q) (A, error) {
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

// think walks the graph with the time a turn may think. Past it the turn ends with a
// stored error, and nothing of what it had decided: the action before it stays pending.
// A second such turn in a row ends the task, or a client that sends the same again
// would go on for ever.
func (t *turn) think(ctx context.Context) error {
	own, reasons := *t.Handler, &timed{next: t.Reasoner}
	own.Reasoner = reasons
	t.Handler = &own
	err := walk(reasoning.WithBudget(ctx, t.Limits.Thinking), t)
	if reasons.over == nil {
		return err
	}
	t.state, t.events, t.secret = t.at.State, nil, ""
	if t.wasTooComplex() {
		_, err := t.failWith(reasons.over.Code, reasons.over.Msg)
		return err
	}
	t.refuse(reasons.over.Code, reasons.over.Msg)
	return nil
}

// wasTooComplex reports whether the turn before ended so too.
func (t *turn) wasTooComplex() bool {
	last := t.at.State.Last
	var e storedError
	return last.Status == statusError && json.Unmarshal(last.Answer, &e) == nil && e.Code == domain.CodeTooComplex
}

// refuse makes an error the answer of the turn.
func (t *turn) refuse(code, message string) {
	t.status = statusError
	t.failure = &storedError{Code: code, Message: message, Details: map[string]any{
		"taskId": t.in.id, "sessionId": t.state.Session, "stepIndex": len(t.state.Steps),
	}}
}
