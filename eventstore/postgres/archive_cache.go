package postgres

import (
	"bytes"
	linked "container/list"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"sort"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/eventstore/archive"
)

// How much of the archive is remembered, in bytes: segments as they are stored, whose streams are read one after the
// other when somebody looks at a task, and events in the order of the log, for those who follow it from far behind.
const (
	rememberedSegments = 32 << 20
	rememberedEvents   = 32 << 20
	rememberedIDs      = 8 << 20
)

// perID is what an id takes that is remembered, roughly.
const perID = 80

// A follower that is far behind reads segments that reach over each other, each a piece at a time: so many events of
// all together, and no fewer of one. A stream that went on for a year makes a segment reach over hundreds of others.
const (
	aheadEvents  = 40_000
	leastOfAhead = 50
)

// fetches is how many segments are fetched at the same time for one page.
const fetches = 4

// remembered keeps what was used last, up to so many bytes.
type remembered[V any] struct {
	mu    sync.Mutex
	limit int64
	bytes int64
	order linked.List // of *entry, the last used in front
	byKey map[string]*linked.Element
}

type entry[V any] struct {
	key   string
	value V
	bytes int64
}

func newRemembered[V any](limit int64) *remembered[V] {
	return &remembered[V]{limit: limit, byKey: make(map[string]*linked.Element)}
}

func (r *remembered[V]) get(key string) (v V, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e, ok := r.byKey[key]
	if !ok {
		return v, false
	}
	r.order.MoveToFront(e)
	return e.Value.(*entry[V]).value, true
}

func (r *remembered[V]) put(key string, v V, bytes int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e, ok := r.byKey[key]; ok {
		r.drop(e)
	}
	r.byKey[key] = r.order.PushFront(&entry[V]{key, v, bytes})
	r.bytes += bytes
	for r.bytes > r.limit && r.order.Len() > 1 {
		r.drop(r.order.Back())
	}
}

func (r *remembered[V]) drop(e *linked.Element) {
	x := r.order.Remove(e).(*entry[V])
	delete(r.byKey, x.key)
	r.bytes -= x.bytes
}

var (
	errNoArchive = errors.New("this process was given no archive; it has to have the one that the others have")
	errChecksum  = errors.New("it is not what was written there: its checksum is another; put it back from a copy of the archive")
)

// segment gives a segment whose checksum is that of the index.
func (s *Store) segment(ctx context.Context, op string, index Segment) (*archive.Segment, error) {
	if segment, ok := s.segments.get(index.Object); ok {
		return segment, nil
	}
	segment, err := s.fetch(ctx, op, index)
	if err == nil {
		s.segments.put(index.Object, segment, index.Bytes)
	}
	return segment, err
}

func (s *Store) fetch(ctx context.Context, op string, index Segment) (*archive.Segment, error) {
	if s.o.Archive == nil {
		return nil, archiveError(op, index.Object, errNoArchive)
	}
	content, err := s.o.Archive.Get(ctx, index.Object)
	if err != nil {
		return nil, archiveTrouble(ctx, op, index.Object, err)
	}
	sum := sha256.Sum256(content)
	if !bytes.Equal(sum[:], index.SHA256) {
		return nil, archiveError(op, index.Object, errChecksum)
	}
	segment, err := archive.Parse(content)
	if err != nil {
		return nil, archiveError(op, index.Object, err)
	}
	if segment.Rows() != int64(index.Events) {
		return nil, archiveError(op, index.Object, fmt.Errorf("%w: %d of %d", errOtherEvents, segment.Rows(), index.Events))
	}
	return segment, nil
}

// piece are the events of a segment after a position, up to another, in the order of positions.
type piece struct {
	after, upto int64
	events      []eventstore.Recorded
}

// between gives the events of segments after a position (exclusive) up to another, in any order.
func (s *Store) between(ctx context.Context, op string, segments []Segment, after, upto int64) ([]eventstore.Recorded, error) {
	parts := make([][]eventstore.Recorded, len(segments))
	share := max(leastOfAhead, aheadEvents/max(1, len(segments)))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(fetches)
	for i, index := range segments {
		group.Go(func() (err error) {
			parts[i], err = s.betweenIn(ctx, op, index, after, min(upto, index.LastPosition), share)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return slices.Concat(parts...), nil
}

// betweenIn gives the events of one segment, which it remembers with those that come next.
func (s *Store) betweenIn(ctx context.Context, op string, index Segment, after, upto int64, share int) ([]eventstore.Recorded, error) {
	if p, ok := s.pieces.get(index.Object); ok && p.after <= after && p.upto >= upto {
		return p.cut(after, upto), nil
	}
	segment, err := s.segment(ctx, op, index)
	if err != nil {
		return nil, err
	}
	for ; ; share *= 2 {
		events, last, err := segment.After(after, share)
		if err != nil {
			return nil, archiveError(op, index.Object, err)
		}
		p := piece{after: after, upto: index.LastPosition, events: events}
		if !last {
			p.upto = events[len(events)-1].Position
		}
		if p.upto >= upto {
			s.pieces.put(index.Object, p, p.bytes())
			return p.cut(after, upto), nil
		}
	}
}

func (p piece) cut(after, upto int64) []eventstore.Recorded {
	behind := func(position int64) int {
		return sort.Search(len(p.events), func(i int) bool { return p.events[i].Position > position })
	}
	from, to := behind(after), behind(upto)
	if from == to {
		return nil // and does not keep the others
	}
	return p.events[from:to]
}

// perEvent is what an event takes beside its payload, roughly.
const perEvent = 250

func (p piece) bytes() (n int64) {
	for _, e := range p.events {
		n += int64(len(e.Data) + len(e.Meta) + perEvent)
	}
	return n
}
