// Package tasks is the read model of tasks: one row per task with its present state.
// Readers find a task from TaskStarted on, with everything that happened before. It
// belongs to one user of one tenant and does not exist for anybody else.
package tasks

import (
	"time"

	"github.com/stepledger/stepledger/domain"
)

// Statuses of a task. Active has begun but has no action to execute: it was
// just started, resumed, or waits for the user's answer.
const (
	Active      = "active"
	Executing   = "executing"
	Correcting  = "correcting"
	Completed   = "completed"
	Failed      = "failed"
	Interrupted = "interrupted"
)

// Paused chooses, in a Search, the tasks that somebody holds. It is no status of its own:
// such a task has the one it was paused in.
const Paused = "paused"

// View is a task as readers see it.
type View struct {
	TaskID    string `db:"task_id"`
	SessionID string `db:"session_id"`
	Tenant    string `db:"tenant"`
	User      string `db:"user_id"`
	// URL is where the task began, PageURL where it was seen last.
	URL     string `db:"url"`
	PageURL string `db:"page_url"`
	Query   string `db:"query"`
	Status  string `db:"status"`
	// CurrentStepIndex is the index of the newest step, 0 before the first.
	CurrentStepIndex int `db:"current_step_index"`
	// Steps and Corrections count the actions generated and corrections issued.
	Steps       int `db:"steps"`
	Corrections int `db:"corrections"`
	// Message is the final message to the user, or the open question.
	Message string `db:"message"`
	// Code says why a failed task failed.
	Code      string    `db:"code"`
	CreatedAt time.Time `db:"created_at"`
	UpdatedAt time.Time `db:"updated_at"`
	// EndedAt is nil while the task is not completed or failed.
	EndedAt *time.Time `db:"ended_at"`
	// PausedAt is since when somebody holds the task, nil if nobody does: PausedBy is the
	// user's id, PausedKind pause or takeover.
	PausedAt   *time.Time `db:"paused_at"`
	PausedBy   string     `db:"paused_by"`
	PausedKind string     `db:"paused_kind"`
	// Revision and Position are those of the newest event in the row.
	Revision int64 `db:"revision"`
	Position int64 `db:"position"`
}

// NotFound is the error for a task that does not exist for the caller.
func NotFound() *domain.Error {
	return domain.Errorf(domain.NotFound, domain.CodeTaskNotFound, "there is no such task")
}
