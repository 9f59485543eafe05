package reactions

import (
	"context"
	"fmt"

	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/eventstore"
)

// Calls closes model calls.
type Calls interface {
	// Close gives a bill to every call of a task, up to a turn, that has none:
	// the bill kept with its answer where there is one, else an estimate.
	Close(ctx context.Context, tenant, task string, turn int, why string) error
}

// closeCalls closes the calls of a turn that was given up. Whoever made them is
// gone, or may not answer any more, so nobody waits for them. Where an answer
// comes in the end its bill corrects the estimate. Later turns are left alone:
// their calls may be under way.
func (d Deps) closeCalls() Reaction {
	const name = "close-calls"
	return Reaction{name, []string{task.NameTurnAbandoned}, func(ctx context.Context, e eventstore.Recorded) error {
		event, err := task.Codec.Decode(e.Type, e.Data, e.ID, nil)
		if err != nil {
			return fmt.Errorf("read %s of %s: %w", e.Type, e.Stream, err)
		}
		abandoned, ok := event.(task.TurnAbandoned)
		if !ok {
			return fmt.Errorf("%s of %s is no turn that was given up", e.Type, e.Stream)
		}
		return d.Calls.Close(ctx, e.Metadata().Tenant, subject(e.Stream), abandoned.Turn, "the turn that made the call was given up")
	}}
}
