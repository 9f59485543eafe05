package rules

import (
	"context"

	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/internal/reason/rules/act"
	"github.com/stepledger/stepledger/internal/reason/rules/correct"
	"github.com/stepledger/stepledger/internal/reason/rules/do"
)

// Reasoner answers by rules. Its zero value is ready and safe for concurrent use.
type Reasoner struct{}

// Act gives the next action of the task, or the question to put to the user,
// or is Undecided. For a client that takes chains it gives the fields of a form
// together. Its error is that of a context that ended before it had one:
// there is nothing else outside to fail.
func (Reasoner) Act(ctx context.Context, q reasoning.ActQuestion) (reasoning.ActAnswer, error) {
	m := act.NewView(ctx, q).Next()
	if err := ctx.Err(); err != nil {
		return reasoning.ActAnswer{}, err
	}
	a := m.Answer()
	if m.Kind == do.IsAction && !m.Action.OnServer() && !q.Client.Can(m.Action) {
		return reasoning.ActAnswer{Undecided: true, By: a.By, Reason: "The next step is one that this browser cannot do (" + string(m.Action.Name) + ")."}, nil
	}
	a.Next = further(ctx, q, m)
	return a, ctx.Err()
}

// Correct gives the way out after a failed verdict; package correct says which. Its
// error is that of a context that ended before.
func (Reasoner) Correct(ctx context.Context, q reasoning.CorrectQuestion) (reasoning.Correction, error) {
	return correct.Correct(ctx, q)
}
