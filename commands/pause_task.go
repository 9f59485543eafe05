package commands

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/eventstore"
)

// PauseTask pauses tasks, takes them over and hands them back.
type PauseTask struct {
	Log   eventstore.Log
	Keys  Keys
	IDs   IDs
	Clock Clock
}

// Held says who holds a task now, and where its stream and the log stand.
type Held struct {
	// Pause is nil if nobody holds the task.
	Pause *task.Pause
	// TurnOpen: a turn that began before is still at work and will be answered.
	TurnOpen           bool
	Revision, Position int64
}

// PauseTask holds a task in the name of a user of its tenant. It does nothing if the user
// holds it in the same way already. It returns TASK_NOT_FOUND for a task of another
// tenant and TASK_COMPLETED for one that has ended.
func (c PauseTask) PauseTask(ctx context.Context, tenant, by, id string, kind task.PauseKind, note string) (Held, error) {
	h, err := c.put(ctx, tenant, by, id, task.PauseTask{Tenant: tenant, By: by, Kind: kind, Note: strings.TrimSpace(note), Now: c.Clock()})
	if err != nil {
		return h, fmt.Errorf("pause task %s: %w", id, err)
	}
	return h, nil
}

// ResumeTask hands a task back, whoever holds it, with a note for whoever decides next.
// It does nothing if nobody holds it. Its errors are those of PauseTask.
func (c PauseTask) ResumeTask(ctx context.Context, tenant, by, id, note string) (Held, error) {
	h, err := c.put(ctx, tenant, by, id, task.HandBack{Tenant: tenant, By: by, Note: strings.TrimSpace(note), Now: c.Clock()})
	if err != nil {
		return h, fmt.Errorf("resume task %s: %w", id, err)
	}
	return h, nil
}

func (c PauseTask) put(ctx context.Context, tenant, by, id string, command task.Command) (Held, error) {
	key, err := c.Keys.Key(ctx, tenant, id)
	if err != nil {
		return Held{}, err
	}
	w := Writing{Meta: eventstore.Metadata{Tenant: tenant, Actor: by, Correlation: id, Schema: 1}, ID: RandomIDs(c.IDs)}
	at, err := Tasks.Transact(ctx, c.Log, task.Stream(id), key, w, command)
	if errors.Is(err, domain.ErrErased) {
		err = domain.Errorf(domain.Conflict, domain.CodeConflict, "this task's content was erased: no note can be kept with it").At("note").Because(err)
	}
	if err != nil {
		return Held{}, err
	}
	return Held{at.State.Pause, at.State.Turn.Open, at.Revision, at.Position}, nil
}
