package task

import (
	"time"

	"github.com/stepledger/stepledger/domain/reasoning"
)

// The events by which a task ends, is held and goes on.

// FinishBlocked: the agent said that the task is done without a proof, or after
// failures. It has to be confirmed first (spec: finish validation).
type FinishBlocked struct {
	Turn    int    `json:"turn"`
	Message string `json:"claim,omitzero" sealed:"true"`
}

// TaskCompleted: the goal is reached. Proof shows it.
type TaskCompleted struct {
	Turn       int             `json:"turn"`
	Confidence float64         `json:"confidence"`
	Message    string          `json:"message,omitzero" sealed:"true"`
	Proof      reasoning.Proof `json:"proof,omitzero" sealed:"true"`
}

// TaskFailed: the task ended without reaching its goal. Code is one of the HTTP
// contract's or of limits.go.
type TaskFailed struct {
	Turn    int    `json:"turn"`
	Code    string `json:"code"`
	Message string `json:"message,omitzero" sealed:"true"`
}

// TaskInterrupted: nobody continued the task, or its user, whose id By is, stopped it.
type TaskInterrupted struct {
	Why string `json:"why"`
	By  string `json:"by,omitzero"`
}

// TaskResumed: an interrupted task continues, with a turn or because its user says so; Turn
// is then that of its newest turn.
type TaskResumed struct {
	Turn int `json:"turn"`
}

// TaskPaused: somebody holds the task. No turn is claimed until it is handed back; the
// turn that is open ends as usual. By is a user's id.
type TaskPaused struct {
	By   string    `json:"by"`
	Kind PauseKind `json:"kind"`
	At   time.Time `json:"at"`
	Note string    `json:"note,omitzero" sealed:"true"`
}

// TaskHandedBack: a paused task may go on. The note is for whoever decides next: the
// next turn tells it as the user's words.
type TaskHandedBack struct {
	By   string    `json:"by"`
	At   time.Time `json:"at"`
	Note string    `json:"note,omitzero" sealed:"true"`
	// Secrets are those in the note, new or known.
	Secrets []string `json:"secrets,omitzero" sealed:"true"`
}

// TaskErased: the key of the task's personal text is gone, and with it the text of every
// event before this one. Nothing comes after it. Whoever follows the log forgets the task
// with it. Erasure is the id of what it is part of.
type TaskErased struct {
	Erasure string `json:"erasure"`
}

func (FinishBlocked) isTaskEvent()   {}
func (TaskCompleted) isTaskEvent()   {}
func (TaskFailed) isTaskEvent()      {}
func (TaskInterrupted) isTaskEvent() {}
func (TaskResumed) isTaskEvent()     {}
func (TaskPaused) isTaskEvent()      {}
func (TaskHandedBack) isTaskEvent()  {}
func (TaskErased) isTaskEvent()      {}
