package replay

import (
	"context"
	"fmt"
	"time"

	"github.com/stepledger/stepledger/domain/task"
)

// Found is the first revision of a task at which a predicate holds.
type Found struct {
	TaskID string `json:"taskId"`
	// Holds: there is such a revision. The fields after it are of its event.
	Holds      bool      `json:"holds"`
	Revision   int64     `json:"revision"`
	EventID    string    `json:"eventId,omitempty"`
	Event      string    `json:"event,omitempty"`
	Turn       int       `json:"turn,omitempty"`
	RecordedAt time.Time `json:"recordedAt,omitzero"`
	// Events is how many events the task has; the stream is folded once.
	Events int `json:"events"`
}

// Bisect returns the first revision of a task at which a predicate holds. The stream is
// folded once, from its beginning, so that the answer is right for predicates that turn
// true and false again, too.
func (s Source) Bisect(ctx context.Context, tenant, id string, p Predicate) (Found, error) {
	out := Found{TaskID: id, Revision: -1}
	recorded, key, err := s.read(ctx, tenant, id)
	if err != nil {
		return out, fmt.Errorf("bisect task %s: %w", id, err)
	}
	out.Events = len(recorded)
	state := task.Initial()
	for _, r := range recorded {
		e, err := task.Codec.Decode(r.Type, r.Data, r.ID, key)
		if err != nil {
			return out, fmt.Errorf("bisect task %s: %w", id, err)
		}
		if state = task.Evolve(state, e); p.Holds(state) {
			out.Holds, out.Revision, out.EventID, out.Event, out.Turn, out.RecordedAt = true, r.Revision, r.ID, r.Type, state.Turn.Number, r.RecordedAt
			return out, nil
		}
	}
	return out, nil
}
