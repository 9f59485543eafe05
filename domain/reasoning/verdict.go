package reasoning

import (
	"math"
	"strings"

	"github.com/stepledger/stepledger/domain/page"
)

// Outcome is what a verdict says of an action.
type Outcome string

// The outcomes. Undecided is never done: nothing that may submit is repeated and
// no task ends on it.
const (
	Succeeded Outcome = "succeeded"
	Failed    Outcome = "failed"
	Undecided Outcome = "undecided"
)

// Missing says what an undecided verdict waits for, in words for the user.
type Missing string

// What a verdict can wait for.
const (
	MissingAnswer Missing = "no answer from the server yet"
	MissingRest   Missing = "the page is busy"
	MissingEffect Missing = "nothing has happened yet"
	MissingSign   Missing = "nothing on the page speaks of it"
)

// MayCome reports whether what is missing may come by itself, so that looking again
// helps and asking a model does not.
func (m Missing) MayCome() bool { return m == MissingAnswer || m == MissingRest || m == MissingEffect }

// Verdict is the judgement on an action. Confidence is the probability that
// the action succeeded. Tier is who spoke: 1 rules without tokens, 2 a light
// model call, 3 a full one. Rule is the id
// of the rule of tier 1 that spoke, Veto that of the veto that held its success back.
type Verdict struct {
	// Undecided: the one asked does not know; Missing says for want of what.
	Undecided bool
	Missing   Missing
	// Deferred: whoever decides the next action judges this one in the same answer.
	Deferred bool
	// NoEffect: it failed because nothing came of the action so far, which a slow
	// page or server may still change.
	NoEffect        bool
	ActionSucceeded bool
	TaskCompleted   bool
	// SubTaskCompleted is nil where the task has no parts.
	SubTaskCompleted *bool
	// NextGoalMet says whether what the next step needs is there; nil where
	// nothing was predicted or the page cannot tell.
	NextGoalMet *bool
	// Degraded: a model judged that stood in for the one that should have.
	Degraded    bool
	Confidence  float64
	Reason      string
	Proof       Proof
	Tier        int
	TokensSaved int
	Rule        string
	Veto        string
	By          string
	Tokens      Tokens
	// Items are the verdicts on the actions of a chain, where they can be told apart.
	Items []ItemVerdict
}

// Outcome follows from the confidence, unless nobody knows.
func (v Verdict) Outcome() Outcome {
	switch {
	case v.Undecided:
		return Undecided
	case v.Confidence >= v.threshold():
		return Succeeded
	case v.Confidence < FailureThreshold:
		return Failed
	}
	return Undecided
}

// GoalAchieved reports whether the task is done, surely enough.
func (v Verdict) GoalAchieved() bool { return v.TaskCompleted && v.Outcome() == Succeeded }

// threshold is the confidence that is enough.
func (v Verdict) threshold() float64 {
	if v.Degraded {
		return DegradedThreshold
	}
	return SuccessThreshold
}

// Sanitised gives the verdict a usable confidence, and everything that follows
// from it. Sane is false when the confidence was no probability.
func (v Verdict) Sanitised() (clean Verdict, sane bool) {
	v.Confidence, sane = Probability(v.Confidence)
	if v.Undecided && (v.Confidence < FailureThreshold || v.Confidence >= v.threshold()) {
		v.Confidence = FailureThreshold
	}
	outcome := v.Outcome()
	v.ActionSucceeded = outcome == Succeeded
	v.Undecided = outcome == Undecided
	if v.TaskCompleted = v.TaskCompleted && v.ActionSucceeded; !v.Undecided {
		v.Missing = ""
	} else if v.Missing == "" {
		v.Missing = MissingSign
	}
	return v, sane
}

// Probability is a confidence that can be gone by: one that is no number, or not
// between 0 and 1, becomes 0.5 (spec §4.10.1), and is not sane.
func Probability(confidence float64) (p float64, sane bool) {
	if math.IsNaN(confidence) || confidence < 0 || confidence > 1 {
		return 0.5, false
	}
	return confidence, true
}

// Patience is how often to look again before a verdict by which nothing happened
// is believed.
type Patience struct {
	// Looks is how often was looked since the action, MaxLooks how often at most.
	Looks, MaxLooks int
	// MaySubmit: doing the action twice may do harm. Silent: in every report since
	// the client said that no request was made and nothing moved.
	MaySubmit, SawNoEffect bool
}

// lookOnce is how often an action that can be repeated without harm is waited for.
const lookOnce = 1

// WithPatience is the verdict as it may be acted on: that nothing happened is not known
// before somebody has looked again, and of an action that may submit only where the
// client has seen that nothing was sent.
func (v Verdict) WithPatience(p Patience) Verdict {
	if !v.NoEffect || v.Outcome() != Failed {
		return v
	}
	looks := min(lookOnce, p.MaxLooks)
	if p.MaySubmit {
		looks = p.MaxLooks
	}
	switch {
	case p.Looks < looks:
		v.Missing = MissingEffect
	case p.MaySubmit && !p.SawNoEffect:
		v.Missing = MissingSign
	default:
		return v
	}
	v.Undecided = true
	v, _ = v.Sanitised()
	return v
}

// nextGoalMissing is the confidence of an action after which something the next
// step requires is missing: the cap of the specification, and a failure.
const nextGoalMissing = page.NextGoalCap - 0.01

// LookAhead is the verdict with the next goal looked for on the page (spec:
// look-ahead verification). A required one that is missing caps the confidence
// below 0.5, so that the action counts as failed; one that is not required is only
// told. Of a task that is complete nothing more is needed.
func (v Verdict) LookAhead(goal *page.NextGoal, now page.Page) Verdict {
	if goal == nil || v.Outcome() == Undecided || v.GoalAchieved() {
		return v
	}
	check := goal.Check(now)
	if check.Held == page.Unknown {
		return v
	}
	met := check.Held == page.True
	v.NextGoalMet = &met
	if met || v.Outcome() != Succeeded {
		return v
	}
	v.Reason = strings.TrimSpace(v.Reason + " What comes next is not there: " + goal.Description + ".")
	if goal.Required {
		v.Confidence = min(v.Confidence, nextGoalMissing)
		v.ActionSucceeded = false
	}
	return v
}
