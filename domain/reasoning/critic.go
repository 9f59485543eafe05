package reasoning

import (
	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
)

const (
	// CriticBelow is the confidence below which an action is criticised before it is
	// sent (spec: critic loop, 0.85).
	CriticBelow = 0.85
	// MaxCritiques bounds the critiques of one action. After the last one it is sent
	// in any case: the page will show whether it was right.
	MaxCritiques = 3
)

// CriticCause is why an action is criticised.
type CriticCause string

// The causes. If several apply, the first one counts.
const (
	// HighRisk: the action ends the task or types a value.
	HighRisk CriticCause = "high_risk"
	// AfterFailure: the action before it failed.
	AfterFailure CriticCause = "after_failure"
	// LowConfidence: whoever decided it is not sure.
	LowConfidence CriticCause = "low_confidence"
)

// NeedsCritic reports whether and why an action is criticised before it is sent. A
// confidence that is not a probability counts as low. What changes nothing by itself, a
// look or a key that only moves, is not worth a critique: the page shows what came of it.
func NeedsCritic(a action.Action, confidence float64, afterFailure bool) (why CriticCause, needed bool) {
	switch {
	case a.EndsTask(), a.Name == action.SetValue:
		return HighRisk, true
	case a.Name.LooksOnly(), a.MovesOnly():
		return "", false
	case afterFailure:
		return AfterFailure, true
	case !(confidence >= CriticBelow && confidence <= 1):
		return LowConfidence, true
	}
	return "", false
}

// CritiqueQuestion asks whether an action makes sense before it is sent.
type CritiqueQuestion struct {
	On         On
	Query      string
	Answers    []string
	Action     action.Action
	Target     page.Element // zero if the action is for none
	Thought    string
	Confidence float64
	Page       page.Page
	Steps      []Step
	Why        CriticCause
	// Attempt counts the critiques of this action from 1. Objections are those to
	// earlier proposals.
	Attempt    int
	Objections []string
}

// Critique is the answer. The Reason of an objection is meant for whoever proposes
// the next action. Rule is the rule that objected, "" for a model.
type Critique struct {
	Undecided bool
	Approved  bool
	Rule      string
	Reason    string
	By        string
	Tokens    Tokens
}

// Sends reports whether the action is sent after its critique; otherwise another one
// is proposed. An error, a critic who does not know and a last objection let it pass
// (spec: fail-open).
func (c Critique) Sends(err error, attempt int) bool {
	return err != nil || c.Undecided || c.Approved || attempt >= MaxCritiques
}
