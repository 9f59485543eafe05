package reasoning

import (
	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
)

const (
	// CriticBelow is the confidence under which an action is looked at twice
	// before it is sent (spec: critic loop, 0.85).
	CriticBelow = 0.85
	// MaxCritiques is how often one action is criticised. The last time it is sent
	// whatever is said of it: the page shows whether it was right.
	MaxCritiques = 3
)

// CriticCause is why an action is criticised.
type CriticCause string

// The causes, of several the first.
const (
	// HighRisk: it ends the task, or puts a value somewhere.
	HighRisk CriticCause = "high_risk"
	// AfterFailure: what was done before it did not work.
	AfterFailure CriticCause = "after_failure"
	// LowConfidence: whoever decided it is not sure.
	LowConfidence CriticCause = "low_confidence"
)

// NeedsCritic says whether an action is looked at once more before it is sent,
// and why. A confidence that is no probability is a low one.
func NeedsCritic(a action.Action, confidence float64, afterFailure bool) (why CriticCause, needed bool) {
	switch {
	case a.EndsTask(), a.Name == action.SetValue:
		return HighRisk, true
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
	// Attempt counts the critiques of this action from 1; Objections are those to
	// what was proposed before.
	Attempt    int
	Objections []string
}

// Critique is the answer. An objection has a Reason that whoever proposes the
// next action can use. Rule names the rule that spoke, "" for a model.
type Critique struct {
	Undecided bool
	Approved  bool
	Rule      string
	Reason    string
	By        string
	Tokens    Tokens
}

// Sends reports whether an action is sent after its critique; else another one is
// proposed, with the objection in view. Critics only hold up: an error, a critic
// who does not know and one who never is content let the action pass (spec:
// fail-open).
func (c Critique) Sends(err error, attempt int) bool {
	return err != nil || c.Undecided || c.Approved || attempt >= MaxCritiques
}
