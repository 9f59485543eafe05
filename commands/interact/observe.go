package interact

import (
	"context"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/secret"
)

// runObserve compares the page with the one the pending action was decided on.
// What came of the action stays open where there is no page: the client sends
// its report again, with the page.
func runObserve(_ context.Context, t *turn) (outcome, error) {
	if t.unseen {
		return t.needFullDOM("no page is known by this domHash; send the page itself", ""), nil
	}
	_, attempt, ok := t.state.Pending()
	if !ok {
		return nothingPending, nil
	}
	t.pending = attempt
	if before := t.before(); !before.Missing() { // else everything would look new
		t.observations = page.Observe(before, t.now, t.in.Witness)
	}
	return actionPending, nil
}

// before is the page the pending action was decided on, zero if that is not known
// any more.
func (t *turn) before() page.Before {
	if t.pending.Before == nil {
		return page.Before{}
	}
	return t.pending.Before.MapText(secret.New(t.secrets()...).Cut)
}

// seen are the lines of what was observed, as they may be kept: a page may show
// what was typed into a secret field.
func (t *turn) seen() []string { return concealAll(texts(t.observations), t.secrets()) }

func texts(observations []page.Observation) []string {
	out := make([]string, len(observations))
	for i, o := range observations {
		out[i] = o.Text
	}
	return out
}
