package task

import "time"

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
	MaxIdle: 5, MaxRepeats: 4, MaxRounds: 2, Lease: 120 * time.Second,
	Thinking: 5 * time.Second,
}

// Codes of failed tasks, beside those of the HTTP contract.
const (
	CodeMaxSteps      = "MAX_STEPS_EXCEEDED"
	CodeMaxRetries    = "MAX_RETRIES_EXCEEDED"
	CodeMaxFailures   = "CONSECUTIVE_FAILURES_EXCEEDED"
	CodeVelocity      = "VELOCITY"
	CodeLoop          = "LOOP_DETECTED"
	CodeGaveUp        = "GAVE_UP"
	CodeLLM           = "LLM_ERROR"
	CodeTaskCompleted = "TASK_COMPLETED"
	CodeConflict      = "RESOURCE_CONFLICT"
	CodeTaskNotFound  = "TASK_NOT_FOUND"
)
