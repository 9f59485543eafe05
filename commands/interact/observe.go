package interact

import (
	"context"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/secret"
	"github.com/stepledger/stepledger/domain/task"
)

// runObserve compares the page with the one the pending action was decided on.
// What came of the action stays open where there is no page: the client sends
// its report again, with the page.
func runObserve(_ context.Context, t *turn) (outcome, error) {
	if t.unseen {
		return t.needFullDOM("no page is known by this domHash; send the page itself", "")
	}
	j, open := t.state.UnderJudgement()
	if step, a, pending := t.state.Pending(); !open && pending {
		j, open = task.Judgement{Attempt: a, Step: step.Index}, true
	}
	if !open {
		t.witness = t.in.Witness
		return nothingPending, nil
	}
	t.pending, t.witness = j, t.heard(j)
	if before := t.before(); !before.Missing() { // else everything would look new
		t.observations = page.Observe(before, t.now, t.witness)
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
