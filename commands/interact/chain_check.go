package interact

import (
	"fmt"
	"slices"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/task"
)

// checkChainReport refuses a report on a chain that was never sent: an index beyond its
// end, another length, an action that is not in it. A report on a chain may be
// repeated until another action is sent.
func (in incoming) checkChainReport() error {
	p := in.Witness.Chain
	if p == nil {
		return nil
	}
	last := lastSent(in.at.State)
	n := max(1, len(last.Chain))
	switch {
	case p.LastExecuted >= n:
		return impossible("lastExecutedActionIndex", "the last answer had %d actions, counted from 0", n)
	case p.Total != 0 && p.Total != n:
		return impossible("chainPartialState.totalActionsInChain", "the last answer had %d actions", n)
	}
	for i, printed := range p.Executed {
		known := func(l task.Link) bool { return sameAction(l.Action, printed) }
		if last.IsChain() && !slices.ContainsFunc(last.Chain, known) {
			return impossible(fmt.Sprintf("chainPartialState.executedActions[%d]", i), "this was not in the last answer")
		}
	}
	return nil
}

func impossible(field, format string, args ...any) error {
	return domain.Errorf(domain.Invalid, domain.CodeValidation, format, args...).At(field)
}

// sameAction compares two printed actions; clients write ids with and without quotes.
func sameAction(a, b string) bool {
	x, errX := action.Parse(a)
	y, errY := action.Parse(b)
	return a == b || errX == nil && errY == nil && x == y
}

// lastSent returns the newest attempt that was sent to the client.
func lastSent(s task.State) task.Attempt {
	for _, step := range slices.Backward(s.Steps) {
		a := step.Attempts[len(step.Attempts)-1]
		if !(action.Action{Name: a.Kind}).OnServer() {
			return a
		}
	}
	return task.Attempt{}
}
