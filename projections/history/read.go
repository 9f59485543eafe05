package history

import (
	"context"
	"encoding/json"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/eventstore"
)

func (r Reader) events(ctx context.Context, tenant, id string, from int64, limit int) (Events, error) {
	out := Events{TaskID: domain.NormalUUID(id), Events: []Event{}}
	key, err := r.open(ctx, tenant, out.TaskID)
	if err != nil {
		return Events{}, err
	}
	slice, err := r.Log.ReadStream(ctx, task.Stream(out.TaskID), eventstore.ReadOptions{From: from, Limit: limit})
	if err != nil {
		return Events{}, err
	}
	out.Head, out.More = slice.Head, slice.More
	for _, recorded := range slice.Events {
		e, err := decode(recorded, key)
		if err != nil {
			return Events{}, err
		}
		out.Events = append(out.Events, e)
	}
	return out, nil
}

func (r Reader) stateAt(ctx context.Context, tenant, id string, revision int64) (State, error) {
	id = domain.NormalUUID(id)
	key, err := r.open(ctx, tenant, id)
	if err != nil {
		return State{}, err
	}
	folded, at := task.Initial(), Event{Revision: eventstore.NoRevision}
	for from := int64(0); ; {
		slice, err := r.Log.ReadStream(ctx, task.Stream(id), eventstore.ReadOptions{From: from})
		if err != nil {
			return State{}, err
		}
		if revision == Latest {
			revision = slice.Head
		}
		for _, recorded := range slice.Events {
			if recorded.Revision > revision {
				break
			}
			if at, err = decode(recorded, key); err != nil {
				return State{}, err
			}
			folded = task.Evolve(folded, at.Data)
		}
		n := len(slice.Events)
		if n == 0 || !slice.More || slice.Events[n-1].Revision >= revision {
			return view(id, revision, slice.Head, at, folded)
		}
		from = slice.Events[n-1].Revision + 1
	}
}

func view(id string, revision, head int64, at Event, folded task.State) (State, error) {
	if at.Revision != revision {
		return State{}, domain.Errorf(domain.NotFound, "TASK_NOT_FOUND",
			"the task has no revision %d; its newest is %d", revision, head).At("revision")
	}
	b, err := json.Marshal(folded)
	return State{id, at.Revision, at.Position, at.Type, at.RecordedAt, head, b}, err
}

// open checks that the task is the tenant's and gives its key. The first event
// says whose it is.
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
		Data: mask(data),
	}, nil
}
