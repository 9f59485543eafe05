package interact

import (
	"context"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/secret"
	"github.com/stepledger/stepledger/domain/task"
)

// runObserve finds what is known of the page's site, and compares the page with the one
// the pending action was decided on.
// Without a page the action stays undecided: the client sends its report again with
// the page.
func runObserve(ctx context.Context, t *turn) (outcome, error) {
	if err := t.findKnowledge(ctx); err != nil {
		return "", err
	}
	if t.pageUnknown {
		return t.askForFullDOM("this domHash is not known; send the page", "")
	}
	j, open := t.state.UnderJudgement()
	if step, a, pending := t.state.Pending(); !open && pending {
		j, open = task.Judgement{Attempt: a, Step: step.Index}, true
	}
	if !open {
		t.witness = t.in.Witness
		return nothingPending, nil
	}
	t.pending, t.witness = j, t.reportSince(j)
	if before := t.beforePage(); !before.Missing() { // else everything would look new
		t.observations = page.Observe(before, t.now, t.witness)
	}
	return actionPending, nil
}

// beforePage is the page the pending action was decided on; zero if it is no longer
// known.
func (t *turn) beforePage() page.Before {
	if t.pending.Before == nil {
		return page.Before{}
	}
	return t.pending.Before.MapText(secret.New(t.secrets()...).Cut)
}

// observationTexts are the observations as they may be stored: a page may show what
// was typed into a secret field.
func (t *turn) observationTexts() []string { return concealAll(texts(t.observations), t.secrets()) }

func texts(observations []page.Observation) []string {
	out := make([]string, len(observations))
	for i, o := range observations {
		out[i] = o.Text
	}
	return out
}
