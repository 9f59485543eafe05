package reactions

import (
	"context"
	"errors"
	"fmt"

	"github.com/stepledger/stepledger/commands"
	"github.com/stepledger/stepledger/domain/session"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/eventstore"
)

// Tasks finds tasks.
type Tasks interface {
	// Open returns the tasks of a session that are neither ended nor interrupted, as
	// of a log position or later. It returns Unavailable if events up to that
	// position are not known yet.
	Open(ctx context.Context, tenant, session string, asOf int64) ([]string, error)
}

// interruptArchived interrupts the open tasks of an archived session, whose requests
// are refused from then on. A running turn is abandoned: its process can neither
// append nor answer. A task that began while its session was being archived is left
// to the idle timeout.
func (d Deps) interruptArchived() Reaction {
	const name = "interrupt-archived"
	return Reaction{name, []string{session.NameSessionArchived}, func(ctx context.Context, e eventstore.Recorded) error {
		open, err := d.Tasks.Open(ctx, e.Metadata().Tenant, subject(e.Stream), e.Position)
		if err != nil {
			return fmt.Errorf("open tasks of %s: %w", e.Stream, err)
		}
		var failed error
		for _, id := range open {
			failed = errors.Join(failed, d.interrupt(ctx, id, writing(name, e, id)))
		}
		return failed
	}}
}

func (d Deps) interrupt(ctx context.Context, id string, w commands.Writing) error {
	key, err := d.Keys.Key(ctx, w.Meta.Tenant, id)
	if err != nil {
		return fmt.Errorf("interrupt task %s: %w", id, err)
	}
	_, err = commands.Tasks.Transact(ctx, d.Log, task.Stream(id), key, w, task.Interrupt{Why: "its session was archived"})
	return err
}
