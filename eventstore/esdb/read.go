package esdb

import (
	"context"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"

	"github.com/stepledger/stepledger/eventstore"
)

// ReadStream implements eventstore.Log.
func (s *Store) ReadStream(ctx context.Context, stream string, o eventstore.ReadOptions) (eventstore.Slice, error) {
	o, err := eventstore.CheckRead(stream, o)
	if err != nil {
		return eventstore.Slice{}, err
	}
	var out eventstore.Slice
	err = s.bounded(ctx, "read "+stream, func(ctx context.Context) (err error) {
		switch {
		case o.Direction == eventstore.Forwards:
			out, err = s.readForwards(ctx, stream, o)
		case o.From == eventstore.End:
			out, err = s.readFromEnd(ctx, stream, o)
		default:
			out, err = s.readBackwards(ctx, stream, o)
		}
		return err
	})
	if err == nil {
		out.Log, err = s.name(ctx)
	}
	return out, err
}

func (s *Store) readForwards(ctx context.Context, stream string, o eventstore.ReadOptions) (eventstore.Slice, error) {
	out, err := s.slice(ctx, stream, esdb.Revision(uint64(o.From)), esdb.Forwards, o.Limit)
	if n := len(out.Events); err == nil && n > 0 && !out.More {
		newest := out.Events[n-1]
		out.Head, out.Position = newest.Revision, newest.Position
		return out, nil
	}
	return s.withHead(ctx, stream, out, err)
}

func (s *Store) readFromEnd(ctx context.Context, stream string, o eventstore.ReadOptions) (eventstore.Slice, error) {
	out, err := s.slice(ctx, stream, esdb.End{}, esdb.Backwards, o.Limit)
	if err == nil && len(out.Events) > 0 {
		newest := out.Events[0]
		out.Head, out.Position = newest.Revision, newest.Position
		return out, nil
	}
	return s.withHead(ctx, stream, out, err)
}

func (s *Store) readBackwards(ctx context.Context, stream string, o eventstore.ReadOptions) (eventstore.Slice, error) {
	at, err := s.headOf(ctx, stream)
	if err != nil || at.ended || at.revision == eventstore.NoRevision {
		return eventstore.Slice{Head: at.revision, Position: at.position}, err
	}
	from := esdb.Revision(uint64(min(o.From, at.revision)))
	out, err := s.slice(ctx, stream, from, esdb.Backwards, o.Limit)
	out.Head, out.Position = at.revision, at.position
	return out, err
}

// slice reads a page, without the head. One event more than asked for tells
// whether there is more.
func (s *Store) slice(ctx context.Context, stream string, from esdb.StreamPosition, d esdb.Direction, limit int) (eventstore.Slice, error) {
	events, err := s.readStream(ctx, stream, from, d, limit+1)
	if err != nil {
		return eventstore.Slice{}, err
	}
	more := len(events) > limit
	return eventstore.Slice{Events: events[:min(len(events), limit)], More: more}, nil
}

// withHead adds the head to what a read gave, which may be that there is no such
// stream, or none any more.
func (s *Store) withHead(ctx context.Context, stream string, out eventstore.Slice, err error) (eventstore.Slice, error) {
	var at head
	switch {
	case isMissing(err):
		return eventstore.Slice{Head: eventstore.NoRevision}, nil
	case isDeleted(err):
		at, err = s.endedHead(ctx, stream)
	case err == nil:
		at, err = s.headOf(ctx, stream)
	}
	out.Head, out.Position = at.revision, at.position
	return out, err
}
