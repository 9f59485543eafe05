// Package chain decides about several actions that are sent to the client together:
// which of the proposed ones are safe to run without looking at the page in between,
// and how to continue after the client stopped part of the way. It consists of plain
// functions over values.
//
// Safe means that a wrong action does no harm that a look at the end would not show
// as well. A chain ends before an action that is not clearly safe.
package chain

import (
	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/instruction"
	"github.com/stepledger/stepledger/domain/page"
)

// MaxItems bounds a chain: one that stops is judged as a whole, and forms with more
// fields are rare.
const MaxItems = 10

// Candidate is an action proposed for a chain.
type Candidate struct {
	Action action.Action
	// Description is for the user: Type the patient's name.
	Description string
	// CanFail: the chain continues if the action fails.
	CanFail bool
	// For is the step of the task, read as a program, that the action belongs to.
	For instruction.Progress
}

// Item is an action of a chain, with its element as it was when the chain was
// decided.
type Item struct {
	Candidate
	// Index is the item's position in its chain, from 0, as the client reports it.
	Index int
	// Key and Target find the element again on a later page.
	Key    string
	Target page.Sought
	// Retried: it failed before and is tried for the second and last time.
	Retried bool
}

// Chain is several actions to be done in order. A chain of one item is an ordinary
// action.
type Chain []Item

// Longest returns the longest safe chain of the first candidates, and why it ends
// there. It is empty if not even the first candidate may be part of a chain; that one
// can still be done alone.
func Longest(candidates []Candidate, p page.Page) (Chain, End) {
	var c Chain
	for i, candidate := range candidates {
		if len(c) == MaxItems {
			return c, End{i, RuleLength}
		}
		e, _ := p.ByID(candidate.Action.Target)
		if rule := objection(c, candidate.Action, e, p); rule != "" {
			return c, End{i, rule}
		}
		c = append(c, Item{Candidate: candidate, Index: i, Key: e.Key, Target: e.Sought()})
	}
	return c, End{At: len(candidates)}
}

// End says why a chain ends before candidate At. Without a Rule all candidates are in
// it.
type End struct {
	At   int
	Rule Rule
}

func (e End) String() string { return e.Rule.why() }
