package memory

import (
	"context"
	"iter"
	"time"

	"github.com/stepledger/stepledger/eventstore"
)

// ReadStream implements eventstore.Log.
func (s *Store) ReadStream(ctx context.Context, name string, o eventstore.ReadOptions) (eventstore.Slice, error) {
	o, err := eventstore.CheckRead(name, o)
	if err != nil {
		return eventstore.Slice{}, err
	}
	if err := ctx.Err(); err != nil {
		return eventstore.Slice{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	out := eventstore.Slice{Head: eventstore.NoRevision, Log: s.name()}
	st := s.streams[name]
	if st == nil || st.head() < 0 {
		return out, nil
	}
	out.Head = st.head()
	out.Position = st.positions[out.Head]
	from, step := o.From, int64(1)
	if o.Direction == eventstore.Backwards {
		step = -1
		if from == eventstore.End || from > out.Head {
			from = out.Head
		}
	}
	for r := from; r >= 0 && r <= out.Head; r += step {
		e := s.log[st.positions[r]-1]
		if s.isHidden(st, e) {
			continue
		}
		if len(out.Events) == o.Limit {
			out.More = true
			break
		}
		out.Events = append(out.Events, clone(e))
	}
	return out, nil
}

// isHidden applies a stream's retention as of now.
func (s *Store) isHidden(st *stream, e eventstore.Recorded) bool {
	r := st.retention
	return e.Revision < max(r.TruncateBefore, st.deletedBefore) ||
		r.MaxCount > 0 && e.Revision <= st.head()-r.MaxCount ||
		r.MaxAge > 0 && e.RecordedAt.Before(s.now().Add(-r.MaxAge))
}

// name is the id of the present epoch. The caller has the lock.
func (s *Store) name() string { return s.epochs[len(s.epochs)-1].ID(s.id) }

// ID implements eventstore.Feed.
func (s *Store) ID(ctx context.Context) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.name(), ctx.Err()
}

// Past implements eventstore.Feed.
func (s *Store) Past(ctx context.Context, id string) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return eventstore.PastOf(s.id, s.epochs, int64(len(s.log)), id), ctx.Err()
}

// Head implements eventstore.Feed.
func (s *Store) Head(ctx context.Context) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return int64(len(s.log)), ctx.Err()
}

// ReadAll implements eventstore.Feed.
func (s *Store) ReadAll(ctx context.Context, after int64, limit int, f eventstore.Filter) (eventstore.Page, error) {
	limit, err := eventstore.CheckReadAll(after, limit, f)
	if err != nil {
		return eventstore.Page{}, err
	}
	if err := ctx.Err(); err != nil {
		return eventstore.Page{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	out := eventstore.Page{Scanned: after, Log: s.name()}
	for p := after; p < int64(len(s.log)) && len(out.Events) < limit; p++ {
		e := s.log[p]
		if f.Matches(e) && !s.isHidden(s.streams[e.Stream], e) {
			out.Events = append(out.Events, clone(e))
		}
		out.Scanned = e.Position
	}
	out.End = out.Scanned >= int64(len(s.log))
	return out, nil
}

// Wait implements eventstore.Feed.
func (s *Store) Wait(ctx context.Context, after int64) error {
	s.mu.Lock()
	head, moved := int64(len(s.log)), s.moved
	s.mu.Unlock()
	if err := ctx.Err(); err != nil || head > after {
		return err
	}
	floor := time.NewTimer(s.pollFloor)
	defer floor.Stop()
	select {
	case <-moved:
	case <-floor.C:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// Subscribe implements eventstore.Subscriber.
func (s *Store) Subscribe(ctx context.Context, after int64, f eventstore.Filter) iter.Seq2[eventstore.Page, error] {
	return eventstore.Follow(ctx, s, after, f)
}

// SubscribeStream implements eventstore.Subscriber.
func (s *Store) SubscribeStream(ctx context.Context, name string, from int64) iter.Seq2[eventstore.Slice, error] {
	return eventstore.FollowStream(ctx, s, name, from)
}
