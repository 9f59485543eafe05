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
	// MaxIdle is how many successes in a row may find nothing new: no completed part,
	// and no page whose meaning is new to the task (velocity).
	MaxIdle int
	// MaxRepeats is how often the same action may be repeated on a page whose meaning
	// does not change; MaxRounds how often the same few actions may be.
	MaxRepeats, MaxRounds int
	// MaxLooks is how often to look at the page again for an effect, with growing
	// waits, before asking somebody.
	MaxLooks int
	// MaxQuestions is how many turns in a row may end with a question to the user or
	// for the page.
	MaxQuestions int
	// MaxTokens is how many tokens the model calls of a task may use, prompts and
	// answers; zero is no limit.
	MaxTokens int64
	// Lease is how long a claim holds if its owner is not known to be dead. It is
	// longer than every model timeout.
	Lease time.Duration
	// Thinking is how long rules may work on one turn, without the time of models and
	// databases. An ordinary page takes some milliseconds, the largest accepted one a
	// second. Past the limit a turn ends with TOO_COMPLEX. Zero means no limit.
	Thinking time.Duration
}

// DefaultLimits are the documented defaults.
var DefaultLimits = Limits{
	MaxSteps: 50, MaxCorrections: 3, MaxConsecutiveFailures: 5,
	MaxTokens: 1_000_000, MaxIdle: 5, MaxRepeats: 4, MaxRounds: 2, MaxLooks: 3, MaxQuestions: 10, Lease: 120 * time.Second,
	Thinking: 5 * time.Second,
}

// MayGoOn returns an error with a message for the user if a limit forbids another
// step.
func (s State) MayGoOn(l Limits) error {
	switch {
	case len(s.Steps) >= l.MaxSteps:
		return domain.Errorf(domain.Invalid, domain.CodeMaxSteps, "the task was not finished within %d steps", l.MaxSteps)
	case l.MaxTokens > 0 && s.Tokens >= l.MaxTokens:
		return domain.Errorf(domain.Invalid, domain.CodeMaxTokens, "the task was not finished within what it may cost (%d tokens)", l.MaxTokens)
	case s.Idle >= l.MaxIdle:
		return domain.Errorf(domain.Invalid, domain.CodeVelocity,
			"my last %d steps worked, but they only led to what I had already seen", s.Idle)
	}
	return s.withinFailures(l)
}

// MayCorrect returns an error if a limit forbids another correction of the failed
// step.
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

// MayAsk returns an error with a message for the user if a limit forbids another
// question.
func (s State) MayAsk(l Limits) error {
	if s.Waiting < l.MaxQuestions {
		return nil
	}
	return domain.Errorf(domain.Invalid, domain.CodeNoReply, "I asked you %d times and still could not go on", s.Waiting)
}
