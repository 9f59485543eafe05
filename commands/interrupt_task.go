package commands

import (
	"context"
	"fmt"
	"time"

	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/eventstore"
)

// InterruptTask interrupts tasks that nobody continues.
type InterruptTask struct {
	Log  eventstore.Log
	Keys Keys
	IDs  IDs
}

// InterruptTask interrupts an active task whose last claim expired before a time. It
// does nothing if the task was claimed since, has ended or is interrupted, so the
// caller's list may be old.
func (c InterruptTask) InterruptTask(ctx context.Context, tenant, id, why string, before time.Time) error {
	key, err := c.Keys.Key(ctx, tenant, id)
	if err != nil {
		return fmt.Errorf("interrupt task %s: %w", id, err)
	}
	w := Writing{
		Meta: eventstore.Metadata{Tenant: tenant, Actor: "system", Correlation: id, Schema: 1},
		ID:   RandomIDs(c.IDs),
	}
	_, err = Tasks.Transact(ctx, c.Log, task.Stream(id), key, w, task.Interrupt{Why: why, Before: before})
	return err
}
