package storetest

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/anishathalye/porcupine"

	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/eventstore/memory"
)

// broken is a store with a fault.
type broken struct {
	eventstore.Store
	append func(ctx context.Context, stream string, expected int64, events []eventstore.Proposed) (eventstore.Receipt, error)
	read   func(ctx context.Context, stream string, o eventstore.ReadOptions) (eventstore.Slice, error)
}

func (b broken) Append(ctx context.Context, stream string, expected int64, events []eventstore.Proposed) (eventstore.Receipt, error) {
	if b.append != nil {
		return b.append(ctx, stream, expected, events)
	}
	return b.Store.Append(ctx, stream, expected, events)
}

func (b broken) ReadStream(ctx context.Context, stream string, o eventstore.ReadOptions) (eventstore.Slice, error) {
	if b.read != nil {
		return b.read(ctx, stream, o)
	}
	return b.Store.ReadStream(ctx, stream, o)
}

// The checker is worth something only if it sees what is wrong with these.
func TestLinearizable_seesFaults(t *testing.T) {
	t.Parallel()
	for name, breakIt := range map[string]func(eventstore.Store) broken{
		"it does not look at the expected revision": func(s eventstore.Store) broken {
			return broken{Store: s, append: func(ctx context.Context, stream string, _ int64, events []eventstore.Proposed) (eventstore.Receipt, error) {
				return s.Append(ctx, stream, eventstore.Any, events)
			}}
		},
		"it looks at the revision first and appends then": func(s eventstore.Store) broken {
			return broken{Store: s, append: func(ctx context.Context, stream string, expected int64, events []eventstore.Proposed) (eventstore.Receipt, error) {
				slice, err := s.ReadStream(ctx, stream, eventstore.ReadOptions{})
				if err != nil {
					return eventstore.Receipt{}, err
				}
				if expected != eventstore.Any && expected != slice.Head {
					return s.Append(ctx, stream, expected, events)
				}
				runtime.Gosched()
				return s.Append(ctx, stream, eventstore.Any, events)
			}}
		},
		"it acknowledges before it appends": func(s eventstore.Store) broken {
			var mu sync.Mutex
			pending := map[string][]func(){}
			return broken{Store: s, append: func(ctx context.Context, stream string, expected int64, events []eventstore.Proposed) (eventstore.Receipt, error) {
				mu.Lock()
				defer mu.Unlock()
				for _, do := range pending[stream] {
					do()
				}
				pending[stream] = nil
				slice, err := s.ReadStream(ctx, stream, eventstore.ReadOptions{})
				if err != nil || expected != eventstore.Any && expected != slice.Head {
					return s.Append(ctx, stream, expected, events)
				}
				for _, e := range slice.Events {
					if e.ID == events[0].ID {
						return s.Append(ctx, stream, expected, events)
					}
				}
				pending[stream] = append(pending[stream], func() { _, _ = s.Append(context.Background(), stream, slice.Head, events) })
				return eventstore.Receipt{Revision: slice.Head + int64(len(events))}, nil
			}}
		},
		"it answers from a copy that lags behind": func(s eventstore.Store) broken {
			var mu sync.Mutex
			copies := map[string]eventstore.Slice{}
			return broken{Store: s, read: func(ctx context.Context, stream string, o eventstore.ReadOptions) (eventstore.Slice, error) {
				fresh, err := s.ReadStream(ctx, stream, o)
				mu.Lock()
				defer mu.Unlock()
				old, ok := copies[stream]
				copies[stream] = fresh
				if !ok || err != nil {
					return fresh, err
				}
				return old, nil
			}}
		},
		"it loses an append now and then": func(s eventstore.Store) broken {
			var mu sync.Mutex
			n := 0
			return broken{Store: s, append: func(ctx context.Context, stream string, expected int64, events []eventstore.Proposed) (eventstore.Receipt, error) {
				mu.Lock()
				n++
				lose := n%10 == 0
				mu.Unlock()
				slice, err := s.ReadStream(ctx, stream, eventstore.ReadOptions{})
				if err == nil && lose && expected == slice.Head {
					return eventstore.Receipt{Revision: slice.Head + int64(len(events))}, nil
				}
				return s.Append(ctx, stream, expected, events)
			}}
		},
		"it appends a repeat once more": func(s eventstore.Store) broken {
			return broken{Store: s, append: func(ctx context.Context, stream string, expected int64, events []eventstore.Proposed) (eventstore.Receipt, error) {
				r, err := s.Append(ctx, stream, expected, events)
				if slice, readErr := s.ReadStream(ctx, stream, eventstore.ReadOptions{}); err == nil && readErr == nil && r.Revision < slice.Head {
					r.Revision = slice.Head + 1
				}
				return r, err
			}}
		},
		"it makes an append twice that it gave up": func(s eventstore.Store) broken {
			var n atomic.Int64
			return broken{Store: s, append: func(ctx context.Context, stream string, expected int64, events []eventstore.Proposed) (eventstore.Receipt, error) {
				r, err := s.Append(ctx, stream, expected, events)
				if err != nil || n.Add(1)%10 > 0 {
					return r, err
				}
				for i := range events {
					events[i].ID = "1" + events[i].ID[1:] // or it would be known as a repeat
				}
				if _, err = s.Append(ctx, stream, r.Revision, events); err != nil {
					return eventstore.Receipt{}, err
				}
				return eventstore.Receipt{}, &eventstore.UnavailableError{Op: "append", Cause: errGivenUp}
			}}
		},
		"it shows an append that it gave up and did not make": func(s eventstore.Store) broken {
			var mu sync.Mutex
			var n int
			shown := map[string][]eventstore.Recorded{}
			return broken{Store: s, append: func(ctx context.Context, stream string, expected int64, events []eventstore.Proposed) (eventstore.Receipt, error) {
				mu.Lock()
				defer mu.Unlock()
				if n++; n%10 > 0 || len(shown[stream]) > 0 {
					return s.Append(ctx, stream, expected, events)
				}
				shown[stream] = []eventstore.Recorded{{ID: events[0].ID}}
				return eventstore.Receipt{}, &eventstore.UnavailableError{Op: "append", Cause: errGivenUp}
			}, read: func(ctx context.Context, stream string, o eventstore.ReadOptions) (eventstore.Slice, error) {
				mu.Lock()
				defer mu.Unlock()
				slice, err := s.ReadStream(ctx, stream, o)
				slice.Events = append(slice.Events, shown[stream]...)
				slice.Head += int64(len(shown[stream]))
				shown[stream] = nil
				return slice, err
			}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// Not every history shows a fault.
			for range 20 {
				h := &history{each: linearCalls}
				err := h.record(bounded(t), []eventstore.Store{breakIt(memory.New(memory.Options{}))})
				if err != nil {
					t.Fatal(err)
				}
				switch result, _ := h.check(); result {
				case porcupine.Illegal:
					return
				case porcupine.Unknown:
					t.Fatalf("the checker needs more than %v", checkTime)
				}
			}
			t.Error("20 histories were found to be in order")
		})
	}
}
