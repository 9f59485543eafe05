package interact

import (
	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/task"
)

// predict records the expected outcome of the pending action. For menus and
// navigations it is fixed (spec §4.9.1), otherwise it is the reasoner's. The next
// goal is always the reasoner's.
func (t *turn) predict(a action.Action, predicted page.Outcome, thought, by string) error {
	on, _ := t.now.ByID(a.Target)
	kind := action.KindOf(a, on, nil)
	outcome := predicted
	if fixed, ok := page.ExpectedOf(kind, orElse(predicted.Description, thought)); ok {
		fixed.NextGoal = predicted.NextGoal
		outcome = fixed
	}
	if outcome.Description != "" || outcome.NextGoal != nil {
		t.answer.ExpectedOutcome = &outcome
	}
	return t.do(task.PredictOutcome{Kind: kind, Outcome: outcome, By: by})
}

// unmet returns the checks of the failed action's expected outcome that do not hold.
func (t *turn) unmet(failed action.Action, before page.Before) (kind page.ActionKind, unmet []page.Check) {
	_, on := t.culprit()
	target := t.elementBefore(on)
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
