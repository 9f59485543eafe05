package interact

import (
	"context"

	"github.com/stepledger/stepledger/domain/page"
)

// runObserve compares the page with the one the pending action was decided on.
func runObserve(_ context.Context, t *turn) (outcome, error) {
	step, attempt, ok := t.state.Pending()
	if !ok {
		return nothingPending, nil
	}
	t.pending, t.pendingStep = attempt, step.Index
	if attempt.Before != nil {
		t.observations = page.Observe(*attempt.Before, t.now, t.in.Witness)
	}
	return actionPending, nil
}

func texts(observations []page.Observation) []string {
	out := make([]string, len(observations))
	for i, o := range observations {
		out[i] = o.Text
	}
	return out
}
