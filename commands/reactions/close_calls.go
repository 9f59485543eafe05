package reactions

import (
	"context"
	"fmt"

	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/eventstore"
)

// Calls closes model calls.
type Calls interface {
	// Close bills every call of a task, up to a turn, that has no bill: with the bill
	// kept with its answer, or else by estimate.
	Close(ctx context.Context, tenant, task string, turn int, why string) error
}

// closeCalls bills the calls of an abandoned turn, which nobody waits for any more.
// If an answer still comes, its bill corrects the estimate. Later turns are left
// alone, since their calls may be under way.
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
