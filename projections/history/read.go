package history

import (
	"context"
	"encoding/json"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/secret"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/eventstore"
)

func (r Reader) events(ctx context.Context, tenant, id string, from int64, limit int) (Events, error) {
	out := Events{TaskID: domain.NormalUUID(id), Events: []Event{}}
	h, err := r.read(ctx, tenant, out.TaskID)
	if err != nil {
		return Events{}, err
	}
	out.Head = h.head
	for _, recorded := range h.events {
		if recorded.Revision < from {
			continue
		}
		if len(out.Events) == limit {
			out.More = true
			break
		}
		e, err := decode(recorded, h.key)
		if err != nil {
			return Events{}, err
		}
		out.Events = append(out.Events, mask(e, h.secrets))
	}
	return out, nil
}

func (r Reader) stateAt(ctx context.Context, tenant, id string, revision int64) (State, error) {
	id = domain.NormalUUID(id)
	h, err := r.read(ctx, tenant, id)
	if err != nil {
		return State{}, err
	}
	if revision == Latest {
		revision = h.head
	}
	folded, at := task.Initial(), Event{Revision: eventstore.NoRevision}
	for _, recorded := range h.events {
		if recorded.Revision > revision {
			break
		}
		if at, err = decode(recorded, h.key); err != nil {
			return State{}, err
		}
		folded = task.Evolve(folded, task.RedactForReaders(at.Data, h.secrets))
	}
	return view(id, revision, h.head, at, folded)
}

// stream is a task's stream with its secrets.
type stream struct {
	events  []eventstore.Recorded
	head    int64
	key     domain.Sealer
	secrets *secret.Set
}

func (r Reader) read(ctx context.Context, tenant, id string) (h stream, err error) {
	if h.key, err = r.open(ctx, tenant, id); err != nil {
		return h, err
	}
	for more := true; more; {
		from := int64(0)
		if n := len(h.events); n > 0 {
			from = h.events[n-1].Revision + 1
		}
		slice, err := r.Log.ReadStream(ctx, task.Stream(id), eventstore.ReadOptions{From: from})
		if err != nil {
			return h, err
		}
		h.head, h.events = slice.Head, append(h.events, slice.Events...)
		more = slice.More && len(slice.Events) > 0
	}
	values, err := secretsIn(h.events, h.key)
	h.secrets = secret.New(values...)
	return h, err
}

func view(id string, revision, head int64, at Event, folded task.State) (State, error) {
	if at.Revision != revision {
		return State{}, domain.Errorf(domain.NotFound, domain.CodeTaskNotFound,
			"the task has no revision %d; its newest is %d", revision, head).At("revision")
	}
	b, err := json.Marshal(folded)
	return State{id, at.Revision, at.Position, at.Type, at.RecordedAt, head, b}, err
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

func decode(r eventstore.Recorded, key domain.Sealer) (Event, error) {
	data, err := task.Codec.Decode(r.Type, r.Data, r.ID, key)
	if err != nil {
		return Event{}, err
	}
	m := r.Metadata()
	return Event{
		ID: r.ID, Type: r.Type, Revision: r.Revision, Position: r.Position, RecordedAt: r.RecordedAt,
		Tenant: m.Tenant, Actor: m.Actor, Correlation: m.Correlation, Causation: m.Causation, Schema: m.Schema,
		Data: data,
	}, nil
}
