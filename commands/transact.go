package commands

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/codec"
	"github.com/stepledger/stepledger/domain/session"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/eventstore"
)

// Aggregate is a decider with the stored form of its events.
type Aggregate[S, C, E any] struct {
	domain.Decider[S, C, E]
	Codec *codec.Registry[E]
	// passOver leaves events of a newer version out of the state.
	passOver bool
}

// PassingOver is the aggregate for what is right whatever a newer version has stored: to
// erase, and to look. Everybody else decides nothing on a state that is not all known, and
// gets a domain.Newer.
func (a Aggregate[S, C, E]) PassingOver() Aggregate[S, C, E] {
	a.passOver = true
	return a
}

// The aggregates.
var (
	Tasks    = Aggregate[task.State, task.Command, task.Event]{Decider: task.Decider, Codec: task.Codec}
	Sessions = Aggregate[session.State, session.Command, session.Event]{Decider: session.Decider, Codec: session.Codec}
)

// Version is a state with the revision of the last event folded into it and that
// event's position in the log, and which log and epoch that is.
type Version[S any] struct {
	State    S
	Revision int64
	Position int64
	Log      string
}

// Writing is the envelope and ids of events to write. ID returns the id of the i-th
// event; a repeated writing returns the same ids.
type Writing struct {
	Meta eventstore.Metadata
	ID   func(i int) string
}

// Start is a stream's version before its first event.
func (a Aggregate[S, C, E]) Start() Version[S] {
	return Version[S]{State: a.Initial(), Revision: eventstore.NoRevision}
}

// Load folds the events of a stream after a known version, or all of them where that
// is of a log that was put back to an earlier state since. Key opens sealed text; it
// may be nil for an aggregate without any.
func (a Aggregate[S, C, E]) Load(
	ctx context.Context, log eventstore.Log, stream string, key domain.Sealer, from Version[S],
) (Version[S], error) {
	v := from
	for {
		slice, err := log.ReadStream(ctx, stream, eventstore.ReadOptions{From: v.Revision + 1})
		if err != nil {
			return v, fmt.Errorf("load %s: %w", stream, err)
		}
		if v.Revision > slice.Head || v.Revision >= 0 && v.Log != "" && v.Log != slice.Log {
			v = a.Start()
			continue
		}
		v.Log = slice.Log
		if v, err = a.fold(v, slice.Events, key); err != nil {
			return v, fmt.Errorf("load %s: %w", stream, err)
		}
		if !slice.More {
			return v, nil
		}
	}
}

func (a Aggregate[S, C, E]) fold(v Version[S], events []eventstore.Recorded, key domain.Sealer) (Version[S], error) {
	for _, r := range events {
		e, err := a.Codec.Decode(r.Type, r.Data, r.ID, key)
		if a.passOver && domain.IsNewer(err) {
			v.Revision, v.Position = r.Revision, r.Position
			continue
		}
		if err != nil {
			return v, fmt.Errorf("revision %d: %w", r.Revision, err)
		}
		v = Version[S]{a.Evolve(v.State, e), r.Revision, r.Position, v.Log}
	}
	return v, nil
}

// Appender is what events are appended to.
type Appender interface {
	Append(ctx context.Context, stream string, expected int64, events []eventstore.Proposed) (eventstore.Receipt, error)
}

// Append appends events at exactly a version and returns the version after them.
// Without events it returns the version unchanged.
func (a Aggregate[S, C, E]) Append(
	ctx context.Context, log Appender, stream string, key domain.Sealer, at Version[S], w Writing, events []E,
) (Version[S], error) {
	if len(events) == 0 {
		return at, nil
	}
	proposed, err := a.Propose(key, w, events)
	if err != nil {
		return at, fmt.Errorf("append to %s: %w", stream, err)
	}
	receipt, err := log.Append(ctx, stream, at.Revision, proposed)
	if err != nil {
		return at, fmt.Errorf("append to %s: %w", stream, err)
	}
	// A state that was read in another epoch stays of that one, so that it is read again.
	return Version[S]{a.Fold(at.State, events...), receipt.Revision, receipt.Position, cmp.Or(at.Log, receipt.Log)}, nil
}

// Propose returns events as they are appended.
func (a Aggregate[S, C, E]) Propose(key domain.Sealer, w Writing, events []E) ([]eventstore.Proposed, error) {
	proposed := make([]eventstore.Proposed, len(events))
	for i, e := range events {
		id := w.ID(i)
		name, data, err := a.Codec.Encode(e, id, key)
		if err != nil {
			return nil, err
		}
		proposed[i] = eventstore.Proposed{ID: id, Type: name, Data: data, Meta: w.Meta.Encode()}
	}
	return proposed, nil
}

// maxConflicts bounds how often Transact retries after losing to another writer. A
// stream has few writers: a client and a scheduler.
const maxConflicts = 8

// Transact is the one loop of the write side: load, decide, append, and again if
// another writer was first. Only the decision is repeated; it is a plain function
// over values.
func (a Aggregate[S, C, E]) Transact(
	ctx context.Context, log eventstore.Log, stream string, key domain.Sealer, w Writing, command C,
) (Version[S], error) {
	v := a.Start()
	for try := 0; ; try++ {
		var err error
		if v, err = a.Load(ctx, log, stream, key, v); err != nil {
			return v, err
		}
		events, err := a.Decide(command, v.State)
		if err != nil {
			return v, err
		}
		after, err := a.Append(ctx, log, stream, key, v, w, events)
		if err == nil || !LostRace(err) || try == maxConflicts {
			return after, err
		}
	}
}

// LostRace reports whether an append failed because another writer was first. Ids are
// derived from decisions, so two writers who decide at the same version may also
// collide in an event's id.
func LostRace(err error) bool {
	var taken *eventstore.IDConflictError
	return eventstore.IsWrongRevision(err) || errors.As(err, &taken)
}

// RandomIDs returns fresh ids for a writing that is not repeated.
func RandomIDs(draw IDs) func(int) string {
	ids := map[int]string{}
	return func(i int) string {
		if ids[i] == "" {
			ids[i] = draw()
		}
		return ids[i]
	}
}
