// Package memory keeps the log in the memory of one process, for tests and as the
// shortest implementation of the port. It keeps every promise of package eventstore
// except durability: nothing survives the process.
//
// All calls take one lock and copy what goes in and out. Nothing is ever removed, or
// moved to an archive, so it is not for long-running processes.
package memory

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/stepledger/stepledger/eventstore"
)

// Options of a Store. The zero value is ready to use.
type Options struct {
	// Now is the clock behind RecordedAt and MaxAge. nil means time.Now.
	Now func() time.Time
	// PollFloor is the longest time Wait goes on without news. 0 means 250 ms.
	PollFloor time.Duration
}

// Store is an eventstore.Store in memory. It is safe for concurrent use.
type Store struct {
	id        string
	now       func() time.Time
	pollFloor time.Duration

	mu      sync.Mutex
	epochs  []eventstore.Epoch
	log     []eventstore.Recorded // position p is at p-1
	streams map[string]*stream
	moved   chan struct{} // closed at the next append
}

type stream struct {
	positions     []int64          // by revision
	byID          map[string]int64 // positions
	retention     eventstore.Retention
	deletedBefore int64
	ended         bool
}

func (s *stream) head() int64 { return int64(len(s.positions)) - 1 }

var _ eventstore.Store = (*Store)(nil)

// New returns an empty log with an id of its own.
func New(o Options) *Store {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.PollFloor <= 0 {
		o.PollFloor = 250 * time.Millisecond
	}
	return &Store{
		id:        uuid.NewString(),
		now:       o.Now,
		pollFloor: o.PollFloor,
		epochs:    []eventstore.Epoch{{Number: 1}},
		streams:   make(map[string]*stream),
		moved:     make(chan struct{}),
	}
}

// Append implements eventstore.Log.
func (s *Store) Append(ctx context.Context, name string, expected int64, events []eventstore.Proposed) (eventstore.Receipt, error) {
	if err := eventstore.CheckAppend(name, expected, events); err != nil {
		return eventstore.Receipt{}, err
	}
	if err := ctx.Err(); err != nil {
		return eventstore.Receipt{}, fmt.Errorf("append %s: %w", name, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.stream(name)
	found := eventstore.Found{Head: st.head(), Ended: st.ended, Known: make(map[string]eventstore.Recorded)}
	for _, e := range events {
		if p, ok := st.byID[e.ID]; ok {
			found.Known[e.ID] = s.log[p-1]
		}
	}
	receipt, isNew, err := eventstore.Judge(name, expected, events, found)
	if err != nil {
		return eventstore.Receipt{}, err
	}
	if isNew {
		s.add(name, st, events)
		close(s.moved)
		s.moved = make(chan struct{})
		receipt = eventstore.Receipt{Revision: st.head(), Position: int64(len(s.log))}
	}
	receipt.Log = s.name()
	return receipt, nil
}

func (s *Store) stream(name string) *stream {
	st := s.streams[name]
	if st == nil {
		st = &stream{byID: make(map[string]int64)}
		s.streams[name] = st
	}
	return st
}

func (s *Store) add(name string, st *stream, events []eventstore.Proposed) {
	at := s.now().UTC().Truncate(time.Microsecond)
	for _, e := range events {
		position := int64(len(s.log)) + 1
		st.positions = append(st.positions, position)
		st.byID[e.ID] = position
		s.log = append(s.log, clone(eventstore.Recorded{
			ID: e.ID, Stream: name, Type: e.Type,
			Revision: st.head(), Position: position, RecordedAt: at,
			Data: e.Data, Meta: e.Meta,
		}))
	}
}

// clone keeps callers from reaching into the log through shared bytes.
func clone(e eventstore.Recorded) eventstore.Recorded {
	e.Data = append([]byte(nil), e.Data...)
	e.Meta = append([]byte(nil), e.Meta...)
	return e
}
