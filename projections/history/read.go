package history

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/secret"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/eventstore"
)

func (r Reader) events(ctx context.Context, tenant, id string, f Filter) (Events, error) {
	h, err := r.read(ctx, tenant, id)
	if err != nil {
		return Events{}, err
	}
	costly, err := r.turnsThatCost(ctx, h.id, f.MinCost)
	if err != nil {
		return Events{}, err
	}
	out := Events{TaskID: h.id, Events: []Event{}, Head: h.head}
	turn := 0
	for _, recorded := range h.events {
		if turn, err = turnAt(recorded, turn); err != nil {
			return Events{}, err
		}
		if !f.mayMatch(recorded, turn, costly) {
			continue
		}
		e, err := h.decode(recorded)
		if err != nil {
			return Events{}, err
		}
		e.Turn = turn
		wanted, err := f.matches(e)
		if err != nil {
			return Events{}, err
		}
		if !wanted {
			continue
		}
		if len(out.Events) == f.Limit {
			out.More = true
			break
		}
		out.Events = append(out.Events, e)
	}
	return out, nil
}

func (r Reader) stateAt(ctx context.Context, tenant, id string, revision int64) (State, error) {
	h, err := r.read(ctx, tenant, id)
	if err != nil {
		return State{}, err
	}
	if revision == Latest {
		revision = h.head
	}
	return h.stateAt(revision)
}

func (r Reader) stateAtTime(ctx context.Context, tenant, id string, at time.Time) (State, error) {
	h, err := r.read(ctx, tenant, id)
	if err != nil {
		return State{}, err
	}
	for _, e := range slices.Backward(h.events) {
		if !e.RecordedAt.After(at) {
			return h.stateAt(e.Revision)
		}
	}
	return State{}, domain.Errorf(domain.NotFound, domain.CodeTaskNotFound,
		"the task began later, at %s", h.events[0].RecordedAt.UTC().Format(time.RFC3339Nano)).At("at")
}

func (h stream) stateAt(revision int64) (State, error) {
	if err := h.has(revision); err != nil {
		return State{}, err
	}
	var folded task.State
	var last Event
	err := h.fold(revision, func(at Event, _, after task.State) error {
		last, folded = at, after
		return nil
	})
	if err != nil {
		return State{}, err
	}
	b, err := json.Marshal(folded)
	return State{h.id, last.Revision, last.Position, last.Type, last.RecordedAt, h.head, b}, err
}

// stream is a task's stream with its secrets.
type stream struct {
	id      string
	events  []eventstore.Recorded
	head    int64
	key     domain.Sealer
	secrets *secret.Set
	// opened are events that are decoded already, by revision.
	opened map[int64]task.Event
}

func (r Reader) read(ctx context.Context, tenant, id string) (h stream, err error) {
	id = domain.NormalUUID(id)
	h.id = id
	if h.key, err = r.open(ctx, tenant, id); err != nil {
		return h, err
	}
	if h.events, h.head, err = r.readAll(ctx, task.Stream(id)); err != nil {
		return h, err
	}
	values, opened, err := secretsIn(h.events, h.key)
	h.secrets, h.opened = secret.New(values...), opened
	return h, err
}

// readAll reads a whole stream.
func (r Reader) readAll(ctx context.Context, name string) (events []eventstore.Recorded, head int64, err error) {
	for from, more := int64(0), true; more; {
		slice, err := r.Log.ReadStream(ctx, name, eventstore.ReadOptions{From: from})
		if err != nil {
			return nil, 0, err
		}
		events, head = append(events, slice.Events...), slice.Head
		if more = slice.More && len(slice.Events) > 0; more {
			from = events[len(events)-1].Revision + 1
		}
	}
	return events, head, nil
}

// has returns the error for a revision the task does not have, or not any more.
func (h stream) has(revision int64) error {
	if revision < h.events[0].Revision || revision > h.head {
		return domain.Errorf(domain.NotFound, domain.CodeTaskNotFound,
			"the task has no revision %d; its newest is %d", revision, h.head).At("revision")
	}
	return nil
}

// fold calls each for every event up to a revision, decoded and without secrets, with
// the states before and after it.
func (h stream) fold(to int64, each func(at Event, before, after task.State) error) error {
	state := task.Initial()
	for _, recorded := range h.events {
		if recorded.Revision > to {
			break
		}
		at, err := h.decode(recorded)
		if err != nil {
			return err
		}
		after := task.Evolve(state, at.Data)
		if err := each(at, state, after); err != nil {
			return err
		}
		state = after
	}
	return nil
}

// open checks that the task is the tenant's, by its first event, and returns its key.
func (r Reader) open(ctx context.Context, tenant, id string) (domain.Sealer, error) {
	if !domain.ValidUUID(id) {
		return nil, NotFound().At("taskId")
	}
	slice, err := r.Log.ReadStream(ctx, task.Stream(id), eventstore.ReadOptions{Limit: 1})
	if err != nil {
		return nil, err
	}
	if len(slice.Events) == 0 || slice.Events[0].Metadata().Tenant != tenant {
		return nil, NotFound()
	}
	return r.Keys.Key(ctx, tenant, id)
}

// decode opens an event and removes secrets from it. Glance is the same without what is
// large and stored apart.
func (h stream) decode(r eventstore.Recorded) (Event, error) { return h.open(r, task.Codec.Decode) }

func (h stream) glance(r eventstore.Recorded) (Event, error) { return h.open(r, task.Codec.Glance) }

type decoder func(name string, data []byte, eventID string, s domain.Sealer) (task.Event, error)

func (h stream) open(r eventstore.Recorded, decode decoder) (Event, error) {
	data, opened := h.opened[r.Revision]
	if !opened {
		var err error
		if data, err = decode(r.Type, r.Data, r.ID, h.key); err != nil {
			return Event{}, err
		}
	}
	m := r.Metadata()
	return Event{
		ID: r.ID, Type: r.Type, Revision: r.Revision, Position: r.Position, RecordedAt: r.RecordedAt,
		Tenant: m.Tenant, Actor: m.Actor, Correlation: m.Correlation, Causation: m.Causation, Schema: m.Schema,
		Importance: ImportanceOf(data), Data: task.RedactForReaders(data, h.secrets),
	}, nil
}
