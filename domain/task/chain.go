package task

import (
	"slices"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/instruction"
	"github.com/stepledger/stepledger/domain/reasoning"
)

// ChainItem is an action of a chain, in the order of execution.
type ChainItem struct {
	Action      string `json:"action"`
	Description string `json:"description,omitempty"`
	// CanFail: the chain goes on if the action fails.
	CanFail bool   `json:"canFail,omitempty"`
	Target  Target `json:"target,omitzero"`
	// Retried: the action failed in an earlier chain and is tried for the last time.
	Retried bool `json:"retried,omitempty"`
	// For is the step of the task, read as a program, that the action belongs to.
	For instruction.Progress `json:"for,omitzero"`
}

// Link is an action of an attempt that is a chain, and what became of it.
type Link struct {
	ChainItem
	Fate Fate `json:"fate,omitempty"`
	// Outcome is the verdict on this action, "" if there is none.
	Outcome reasoning.Outcome `json:"outcome,omitempty"`
	Reason  string            `json:"reason,omitempty"`
}

// Fate is what a client reported of an action of a chain; "" until it has.
type Fate string

// The fates.
const (
	Executed    Fate = "executed"
	NotExecuted Fate = "not executed"
	Broken      Fate = "failed"
)

// IsChain reports whether the attempt is several actions at once.
func (a Attempt) IsChain() bool { return len(a.Chain) > 0 }

// Stopped reports whether the chain is known to have stopped.
func (a Attempt) Stopped() bool {
	return slices.ContainsFunc(a.Chain, func(l Link) bool { return l.Fate != "" })
}

// Done returns the indices of the actions a verdict is about: those executed, or all
// if no stop was reported.
func (a Attempt) Done() []int {
	var out []int
	for i, l := range a.Chain {
		if l.Fate == Executed || !a.Stopped() {
			out = append(out, i)
		}
	}
	return out
}

// Culprit returns the action that a failed verdict is about, with its element: the
// first of a chain that failed by the verdict or by the client's report, the attempt's
// own otherwise.
func (a Attempt) Culprit() (printed string, on Target) {
	for _, failed := range []func(Link) bool{
		func(l Link) bool { return l.Outcome == reasoning.Failed },
		func(l Link) bool { return l.Fate == Broken },
	} {
		if i := slices.IndexFunc(a.Chain, failed); i >= 0 {
			return a.Chain[i].Action, a.Chain[i].Target
		}
	}
	return a.Action, a.Target
}

// StopChain records that the pending chain was executed in part. Stop is the event to
// append without turn, step and total.
type StopChain struct{ Stop ChainPartiallyFailed }

func (StopChain) isTaskCommand() {}

func stopChain(c StopChain, s State) ([]Event, error) {
	step, a, pending := s.Pending()
	e := c.Stop
	e.Turn, e.StepIndex, e.Total = s.Turn.Number, step.Index, len(a.Chain)
	outside := func(i int) bool { return i < 0 || i >= e.Total }
	switch {
	case !pending || !a.IsChain() || a.Stopped():
		return nil, domain.Errorf(domain.Conflict, domain.CodeConflict, "there is no chain that could stop")
	case slices.ContainsFunc(e.Executed, outside), e.Failed >= e.Total, slices.Contains(e.Executed, e.Failed):
		return nil, domain.Errorf(domain.Conflict, domain.CodeConflict, "the chain cannot have stopped like that")
	}
	return []Event{e}, nil
}

func chainStopped(s State, e ChainPartiallyFailed) State {
	if e.Recovery != recoverySkip && e.Recovery != recoveryNothing {
		s.ConsecutiveSuccesses, s.FinishNeedsProof = 0, true
	}
	return s.withAttempt(e.StepIndex, func(a *Attempt) {
		a.Chain = slices.Clone(a.Chain)
		for i := range a.Chain {
			switch {
			case slices.Contains(e.Executed, i):
				a.Chain[i].Fate = Executed
			case i == e.Failed:
				a.Chain[i].Fate, a.Chain[i].Reason = Broken, e.Error
			default:
				a.Chain[i].Fate = NotExecuted
			}
		}
	})
}

// Recoveries as domain/chain names them.
const (
	recoverySkip    = "skip"
	recoveryNothing = "nothing"
)

// checkChain refuses what is no chain: fewer than two actions, one that may submit, or
// one that cannot be read.
func (e ActionGenerated) checkChain() error {
	if len(e.Chain) == 0 {
		return nil
	}
	unreadable := func(i ChainItem) bool { _, err := action.Parse(i.Action); return err != nil }
	if len(e.Chain) < 2 || e.MaySubmit || e.Chain[0].Action != e.Action || slices.ContainsFunc(e.Chain, unreadable) {
		return domain.Errorf(domain.Conflict, domain.CodeConflict, "these actions are no chain")
	}
	return nil
}

func links(items []ChainItem) []Link {
	var out []Link
	for _, i := range items {
		out = append(out, Link{ChainItem: i})
	}
	return out
}

// withItems adds the verdicts on a chain's actions.
func (a *Attempt) withItems(items []reasoning.ItemVerdict) {
	a.Chain = slices.Clone(a.Chain)
	for _, v := range items {
		if v.Index >= 0 && v.Index < len(a.Chain) {
			a.Chain[v.Index].Outcome, a.Chain[v.Index].Reason = v.Outcome, v.Reason
		}
	}
}
