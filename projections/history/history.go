// Package history is the live projection: it reads one task's stream and folds
// it at the moment it is asked, so an engineer sees every event as it was and
// the state at any revision. It has no tables and writes nothing.
//
// Sealed text is opened, and shows as erased where its key is gone. What was
// typed into secret fields is masked, also for engineers.
package history

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/projections"
)

// Reader reads histories. A log it cannot reach is an Unavailable error, see
// projections.Unavailable.
type Reader struct {
	Log  eventstore.Log
	Keys projections.Keys
}

// Event is one event of a task with its payload decoded and secrets masked.
type Event struct {
	ID          string    `json:"id"`
	Type        string    `json:"type"`
	Revision    int64     `json:"revision"`
	Position    int64     `json:"position"`
	RecordedAt  time.Time `json:"recordedAt"`
	Tenant      string    `json:"tenant,omitempty"`
	Actor       string    `json:"actor,omitempty"`
	Correlation string    `json:"correlation,omitempty"`
	Causation   string    `json:"causation,omitempty"`
	// Schema is the version of the payload's shape.
	Schema int        `json:"schema,omitempty"`
	Data   task.Event `json:"data"`
}

// Events is a part of a task's history.
type Events struct {
	TaskID string  `json:"taskId"`
	Events []Event `json:"events"`
	// Head is the revision of the newest event there is.
	Head int64 `json:"head"`
	More bool  `json:"more"`
}

// State is a task's state right after the event at Revision.
type State struct {
	TaskID     string    `json:"taskId"`
	Revision   int64     `json:"revision"`
	Position   int64     `json:"position"`
	Type       string    `json:"type"`
	RecordedAt time.Time `json:"recordedAt"`
	// Head is the revision of the newest event there is.
	Head int64 `json:"head"`
	// State is task.State as JSON.
	State json.RawMessage `json:"state"`
}

// Latest asks StateAt for the newest state.
const Latest int64 = -1

// Page sizes of Events.
const (
	DefaultLimit = 100
	MaxLimit     = 1000
)

// Events reads at most limit events (0: DefaultLimit) from a revision on. A
// task of another tenant does not exist: TASK_NOT_FOUND.
func (r Reader) Events(ctx context.Context, tenant, id string, from int64, limit int) (Events, error) {
	if limit <= 0 {
		limit = DefaultLimit
	}
	out, err := r.events(ctx, tenant, id, max(from, 0), min(limit, MaxLimit))
	if err != nil {
		return Events{}, fmt.Errorf("events of task %s: %w", id, projections.Unavailable(err))
	}
	return out, nil
}

// StateAt folds the history up to and including a revision. A revision that
// does not exist, like a task of another tenant, is a NotFound error.
func (r Reader) StateAt(ctx context.Context, tenant, id string, revision int64) (State, error) {
	s, err := r.stateAt(ctx, tenant, id, revision)
	if err != nil {
		return State{}, fmt.Errorf("state of task %s at %d: %w", id, revision, projections.Unavailable(err))
	}
	return s, nil
}

// NotFound is the error for a task that does not exist for the caller.
func NotFound() *domain.Error {
	return domain.Errorf(domain.NotFound, domain.CodeTaskNotFound, "there is no such task")
}
