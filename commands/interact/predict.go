package interact

import (
	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/task"
)

// predict puts on record what the pending action should bring about. Of menus
// and navigations that is known (spec §4.9.1); of all else only what the
// reasoner says. What the step after it needs is the reasoner's word in any case.
func (t *turn) predict(a action.Action, predicted page.Outcome, thought, by string) error {
	on, _ := t.now.ByID(a.Target)
	kind := action.KindOf(a, on, nil)
	outcome := predicted
	if fixed, ok := page.ExpectedOf(kind, or(predicted.Description, thought)); ok {
		fixed.NextGoal = predicted.NextGoal
		outcome = fixed
	}
	if outcome.Description != "" {
		t.answer.ExpectedOutcome = &outcome
	}
	return t.do(task.PredictOutcome{Kind: kind, Outcome: outcome, By: by})
}

// unmet compares what a failed action should have brought about with what is.
func (t *turn) unmet(failed action.Action, before page.Before) (kind page.ActionKind, unmet []page.Check) {
	target := t.target()
	kind = action.KindOf(failed, target, t.observations)
	for _, c := range page.Checks(t.pending.Expected, kind, before, target, t.now) {
		if c.Held == page.False {
			unmet = append(unmet, c)
		}
	}
	if g := t.pending.Expected.NextGoal; g != nil {
		if c := g.Check(t.now); c.Held == page.False {
			unmet = append(unmet, c)
		}
	}
	return kind, unmet
}
