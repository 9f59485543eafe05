package task

import (
	"time"

	"github.com/stepledger/stepledger/domain"
)

// Limits bound a task. The zero value is not usable; see DefaultLimits.
type Limits struct {
	// MaxSteps is how many actions a task may have (spec §4.4: 50).
	MaxSteps int
	// MaxCorrections is how many corrections one step may have.
	MaxCorrections int
	// MaxConsecutiveFailures is how many failed verdicts in a row end a task.
	MaxConsecutiveFailures int
	// MaxIdle is how many good verdicts in a row may bring nothing new: no part of
	// the task, and no page that means anything the task had not seen (velocity).
	MaxIdle int
	// MaxRepeats is how often the same action may be done, in a row, on a page that
	// stays what it means; MaxRounds how often the same few may be done in turn.
	MaxRepeats, MaxRounds int
	// MaxLooks is how often the page is looked at again, with growing waits, for what
	// an action came to, before somebody is asked.
	MaxLooks int
	// MaxQuestions is how many turns in a row may end with a question, to the user or
	// for the page.
	MaxQuestions int
	// Lease is how long a claim holds without a sign of its owner's death. It is
	// above every model timeout.
	Lease time.Duration
	// Thinking is how long rules may work on the answers of one turn, models and
	// databases apart. An ordinary page takes some milliseconds, the worst that is
	// taken in a second: past it a turn ends with TOO_COMPLEX. Zero is no bound.
	Thinking time.Duration
}

// DefaultLimits are the documented ones.
var DefaultLimits = Limits{
	MaxSteps: 50, MaxCorrections: 3, MaxConsecutiveFailures: 5,
	MaxIdle: 5, MaxRepeats: 4, MaxRounds: 2, MaxLooks: 3, MaxQuestions: 10, Lease: 120 * time.Second,
	Thinking: 5 * time.Second,
}

// MayGoOn says whether the limits allow one more step; the error names the limit
// that does not, in words for the user.
func (s State) MayGoOn(l Limits) error {
	switch {
	case len(s.Steps) >= l.MaxSteps:
		return domain.Errorf(domain.Invalid, domain.CodeMaxSteps, "the task was not finished within %d steps", l.MaxSteps)
	case s.Idle >= l.MaxIdle:
		return domain.Errorf(domain.Invalid, domain.CodeVelocity,
			"my last %d steps worked, but they only led to what I had already seen", s.Idle)
	}
	return s.withinFailures(l)
}

// MayCorrect says whether the limits allow one more correction of the step that
// failed; the error names the limit that does not.
func (s State) MayCorrect(l Limits) error {
	if err := s.withinFailures(l); err != nil {
		return err
	}
	if step, _, _ := s.ToCorrect(); step.Corrections() >= l.MaxCorrections {
		return domain.Errorf(domain.Invalid, domain.CodeMaxRetries,
			"the same step did not work in %d attempts", step.Corrections()+1)
	}
	return nil
}

func (s State) withinFailures(l Limits) error {
	if s.ConsecutiveFailures < l.MaxConsecutiveFailures {
		return nil
	}
	return domain.Errorf(domain.Invalid, domain.CodeMaxFailures, "%d actions in a row did not work", s.ConsecutiveFailures)
}

// MayAsk says whether the limits allow one more question; the error is in words for
// the user.
func (s State) MayAsk(l Limits) error {
	if s.Waiting < l.MaxQuestions {
		return nil
	}
	return domain.Errorf(domain.Invalid, domain.CodeNoReply, "I have asked %d times and could not go on with what came back", s.Waiting)
}
