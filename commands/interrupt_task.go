package commands

import (
	"context"
	"fmt"
	"time"

	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/eventstore"
)

// InterruptTask marks a task nobody has asked for in a long time.
type InterruptTask struct {
	Log  eventstore.Log
	Keys Keys
	IDs  IDs
}

// InterruptTask interrupts an active task on which no claim was good at a time
// or later. One that was claimed since, has ended or is interrupted already is
// left alone: the caller's list may be old.
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
