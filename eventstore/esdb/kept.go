package esdb

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"

	"github.com/stepledger/stepledger/eventstore"
)

// kept is what the log says of the retention of streams, up to a position.
type kept struct {
	mu      sync.Mutex
	at      int64
	streams map[string]eventstore.Kept
}

// Kept implements eventstore.Keeper. The server has no such list, so the first
// call reads through the whole log, by as many calls as that takes; later ones read
// what has come since. A limit that another tool set on the revision counts as a
// deletion.
func (s *Store) Kept(ctx context.Context, after string, limit int) ([]eventstore.Kept, error) {
	limit, err := eventstore.CheckKept(limit)
	if err != nil {
		return nil, err
	}
	s.kept.mu.Lock()
	defer s.kept.mu.Unlock()
	for more := true; more; {
		err := s.bounded(ctx, "list kept streams", func(ctx context.Context) (err error) {
			more, err = s.lookForKept(ctx)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	var out []eventstore.Kept
	for _, name := range slices.Sorted(maps.Keys(s.kept.streams)) {
		if name > after && len(out) < limit {
			out = append(out, s.kept.streams[name])
		}
	}
	return out, nil
}

// lookForKept reads a page of the log, and reports whether there is more.
func (s *Store) lookForKept(ctx context.Context) (more bool, err error) {
	type found struct {
		at     int64
		events []esdb.RecordedEvent
	}
	at, from := s.kept.at, esdb.AllPosition(esdb.Start{})
	if at > 0 {
		from = place(at)
	}
	f, err := call(ctx, s, func(ctx context.Context, c *esdb.Client) (found, error) {
		f := found{at: at}
		read, err := c.ReadAll(ctx, esdb.ReadAllOptions{From: from, Direction: esdb.Forwards}, eventstore.MaxPage)
		err = receive(read, err, func(e *esdb.RecordedEvent) bool {
			f.at = toInt(e.Position.Commit)
			if e.EventType == "$metadata" || e.EventType == "$streamDeleted" {
				f.events = append(f.events, *e)
			}
			return true
		})
		return f, err
	})
	if err != nil {
		return false, err
	}
	for _, e := range f.events {
		s.kept.note(e)
	}
	s.kept.at = f.at
	return f.at > at, nil
}

func (k *kept) note(e esdb.RecordedEvent) {
	if e.EventType == "$streamDeleted" {
		k.streams[e.StreamID] = eventstore.Kept{Stream: e.StreamID, Ended: true}
		return
	}
	name := strings.TrimPrefix(e.StreamID, "$$")
	m := decodeMetadata(e.Data)
	switch {
	case strings.HasPrefix(name, "$"):
	case m.hides() || m.Marks.DeletedBefore > 0:
		k.streams[name] = eventstore.Kept{Stream: name, Retention: eventstore.Retention{
			MaxAge: time.Duration(m.MaxAge) * time.Second, MaxCount: m.MaxCount, TruncateBefore: m.Marks.TruncateBefore,
		}}
	default:
		delete(k.streams, name)
	}
}
