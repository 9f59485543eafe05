package commands

import (
	"context"
	"errors"
	"fmt"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/eventstore"
)

// ControlTask stops, cancels and resumes tasks in the name of their own users.
type ControlTask struct {
	Log  eventstore.Log
	Keys Keys
	IDs  IDs
}

// Controlled is how a task stands after that, and where its stream and the log do.
type Controlled struct {
	Status             task.Status
	Revision, Position int64
	// Log names the log they are of.
	Log string
}

// StopTask interrupts a task. It may go on with the next request, or with ResumeTask. A turn
// that is at work is given up.
//
// It does nothing if the user has stopped the task already. It returns TASK_NOT_FOUND for a
// task of another user and TASK_COMPLETED for one that has ended.
func (c ControlTask) StopTask(ctx context.Context, tenant, user, id string) (Controlled, error) {
	return c.put(ctx, tenant, user, id, task.Stop{Tenant: tenant, User: user})
}

// CancelTask ends a task for good, with CANCELLED, as StopTask interrupts it. Cancelling
// twice is no error.
func (c ControlTask) CancelTask(ctx context.Context, tenant, user, id string) (Controlled, error) {
	return c.put(ctx, tenant, user, id, task.Cancel{Tenant: tenant, User: user})
}

// ResumeTask lets an interrupted task go on. It does nothing if the task is not interrupted.
// Its errors are those of StopTask.
func (c ControlTask) ResumeTask(ctx context.Context, tenant, user, id string) (Controlled, error) {
	return c.put(ctx, tenant, user, id, task.Resume{Tenant: tenant, User: user})
}

func (c ControlTask) put(ctx context.Context, tenant, user, id string, command task.Command) (Controlled, error) {
	key, err := c.Keys.Key(ctx, tenant, id)
	if err != nil {
		return Controlled{}, fmt.Errorf("control task %s: %w", id, err)
	}
	w := Writing{Meta: eventstore.Metadata{Tenant: tenant, Actor: user, Correlation: id, Schema: 1}, ID: RandomIDs(c.IDs)}
	at, err := Tasks.Transact(ctx, c.Log, task.Stream(id), key, w, command)
	if errors.Is(err, domain.ErrErased) {
		err = domain.Errorf(domain.Conflict, domain.CodeConflict, "this task's content was erased: nothing more can be said of it").At("taskId").Because(err)
	}
	if err != nil {
		return Controlled{}, fmt.Errorf("control task %s: %w", id, err)
	}
	return Controlled{at.State.Status, at.Revision, at.Position, at.Log}, nil
}
