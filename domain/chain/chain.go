// Package chain decides about several actions that are handed to the client
// together: which of those proposed may be done in one go without looking in
// between, and how to go on after the client stopped on the way. It is plain
// functions over values.
//
// Safe means: a wrong one of them does no harm that a look at the end would not
// show as well. In doubt a chain ends; what it leaves out is done one by one.
package chain

import (
	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
)

// MaxItems is how long a chain gets: one that stops is looked at as a whole, and
// forms with more fields are rare.
const MaxItems = 10

// Candidate is an action proposed for a chain.
type Candidate struct {
	Action action.Action
	// Description is for the user: Type the patient's name.
	Description string
	// CanFail: the chain goes on without it.
	CanFail bool
}

// Item is an action of a chain, and the element it is for as it was when the
// chain was decided.
type Item struct {
	Candidate
	// Index is the item's place in its chain, from 0: what the client reports.
	Index int
	// Key and Target find the element again on a later page.
	Key    string
	Target page.Sought
	// Retried: it failed before, and is tried for the second and last time.
	Retried bool
}

// Chain is several actions to be done in order. One of a single item is an
// action like any other.
type Chain []Item

// Longest is the longest chain that is safe on a page, from the first candidate
// on, and why it is no longer. It is empty where not even the first may be part
// of a chain; that one can still be done alone.
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

// End says why a chain ends where it does: before candidate At, by the rule. No
// rule means that all candidates are in it.
type End struct {
	At   int
	Rule Rule
}

func (e End) String() string { return e.Rule.why() }
