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
	// Open are the tasks of a session that have neither ended nor are interrupted,
	// as of a log position or later. The error is Unavailable while it is not
	// known what happened up to there.
	Open(ctx context.Context, tenant, session string, asOf int64) ([]string, error)
}

// interruptArchived interrupts what was going on in a session that is archived:
// no request of its tasks is taken any more, so a task left open would look alive
// until nobody had asked for it long enough. A turn under way is given up; its
// process can neither append nor answer. A task that began while its session was
// being archived is left to the time when nobody has asked for it.
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
