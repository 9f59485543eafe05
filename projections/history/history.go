// Package history folds one task's stream on request, so that engineers see every
// event as it was, the state at any revision or time, which event set each of its
// fields, and the timeline: turn by turn what was seen, judged, decided and paid. It
// has no tables and writes nothing.
//
// What a model call cost comes from the task's ledger stream, so the sums of a
// timeline are those of the ledger, to the last digit.
//
// Sealed text is opened, and shows as erased if its key is gone. Values of secret
// fields are masked, also for engineers, and also where a text was stored before a
// value became known as secret.
//
// Everything about a task is read in one go, which takes as long as the task has
// events. What was looked at last may be held for a minute, see Opened; nothing else is
// kept from one question to the next.
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

// Reader reads histories. If the log is unreachable it returns an Unavailable error,
// see projections.Unavailable.
type Reader struct {
	Log  eventstore.Log
	Keys projections.Keys
	// Content has pages, prompts and answers; only Page and Call ask it.
	Content Content
	// ReadModels are those that Graph draws the rows of.
	ReadModels []ReadModel
	// Opened, if there is one, holds what was looked at last.
	Opened *Opened
}

// Content is the store of what is too large for the log. Get returns domain.ErrErased
// if the subject's key was dropped, and a NotFound error for what is not kept any more.
type Content interface {
	Get(ctx context.Context, tenant, subject, ref string) ([]byte, error)
}

// Event is an event of a task, decoded and without secrets.
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
	// Schema is the version of the payload.
	Schema int `json:"schema,omitempty"`
	// Turn is the one the event belongs to: what happens between two turns belongs to
	// the earlier one.
	Turn       int        `json:"turn,omitempty"`
	Importance Importance `json:"importance,omitempty"`
	Data       task.Event `json:"data"`
}

// Events is a part of a task's history.
type Events struct {
	TaskID string  `json:"taskId"`
	Events []Event `json:"events"`
	// Head is the revision of the newest event there is.
	Head int64 `json:"head"`
	More bool  `json:"more"`
	// Log names the log they were read from.
	Log string `json:"-"`
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
	// Log names the log it was read from.
	Log string `json:"-"`
}

// Latest asks StateAt for the newest state.
const Latest int64 = -1

// Page sizes of Events.
const (
	DefaultLimit = 100
	MaxLimit     = 1000
)

// Events returns the events a filter chooses, oldest first. It returns TASK_NOT_FOUND
// for a task of another tenant.
func (r Reader) Events(ctx context.Context, tenant, id string, f Filter) (Events, error) {
	if f.Limit <= 0 {
		f.Limit = DefaultLimit
	}
	f.Limit = min(f.Limit, MaxLimit)
	out, err := r.events(ctx, tenant, id, f)
	if err != nil {
		return Events{}, fmt.Errorf("events of task %s: %w", id, projections.Unavailable(err))
	}
	return out, nil
}

// At returns the events at some revisions, by revision; those that are not there are left
// out. It returns TASK_NOT_FOUND for a task of another tenant.
func (r Reader) At(ctx context.Context, tenant, id string, revisions []int64) (map[int64]Event, error) {
	out, err := r.at(ctx, tenant, id, revisions)
	if err != nil {
		return nil, fmt.Errorf("events of task %s: %w", id, projections.Unavailable(err))
	}
	return out, nil
}

// StateAt returns the state after the event at a revision. It returns a NotFound
// error if there is no such revision, or if the task is another tenant's.
func (r Reader) StateAt(ctx context.Context, tenant, id string, revision int64) (State, error) {
	s, err := r.stateAt(ctx, tenant, id, revision)
	if err != nil {
		return State{}, fmt.Errorf("state of task %s at %d: %w", id, revision, projections.Unavailable(err))
	}
	return s, nil
}

// StateAtTime returns the state after the last event that was recorded at or before a
// time. It returns a NotFound error if the task began later, or is another tenant's.
func (r Reader) StateAtTime(ctx context.Context, tenant, id string, at time.Time) (State, error) {
	s, err := r.stateAtTime(ctx, tenant, id, at)
	if err != nil {
		return State{}, fmt.Errorf("state of task %s at %s: %w", id, at.Format(time.RFC3339Nano), projections.Unavailable(err))
	}
	return s, nil
}

// NotFound is the error for a task that does not exist for the caller.
func NotFound() *domain.Error {
	return domain.Errorf(domain.NotFound, domain.CodeTaskNotFound, "there is no such task")
}
