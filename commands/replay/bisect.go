package replay

import (
	"context"
	"fmt"
	"time"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/eventstore"
)

// Found is the first revision of a task at which a predicate holds.
type Found struct {
	TaskID string `json:"taskId"`
	// File is that of an exported task.
	File string `json:"file,omitempty"`
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
	recorded, key, err := s.read(ctx, tenant, id)
	if err != nil {
		return Found{}, fmt.Errorf("bisect task %s: %w", id, err)
	}
	return bisect(id, recorded, key, p)
}

// Bisect does the same on an exported task.
func (x Export) Bisect(p Predicate) (Found, error) {
	recorded := make([]eventstore.Recorded, len(x.Events))
	for i, e := range x.Events {
		recorded[i] = eventstore.Recorded{ID: e.ID, Type: e.Type, Revision: e.Revision, RecordedAt: e.RecordedAt, Data: e.Data}
	}
	return bisect(x.TaskID, recorded, nil, p)
}

func bisect(id string, recorded []eventstore.Recorded, key domain.Sealer, p Predicate) (Found, error) {
	out := Found{TaskID: id, Revision: -1, Events: len(recorded)}
	state := task.Initial()
	for _, r := range recorded {
		e, err := task.Codec.Decode(r.Type, r.Data, r.ID, key)
		if domain.IsNewer(err) {
			e, err = task.Unknown{Name: r.Type}, nil // as whoever looks at the state is shown it
		}
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
