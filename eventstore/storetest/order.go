package storetest

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/eventstore"
)

func testOrder(t *testing.T, s suite) {
	store, in := sampleLog(t, s)
	for _, limit := range []int{0, 1, 7} {
		t.Run(fmt.Sprintf("by %d", limit), func(t *testing.T) {
			t.Parallel()
			got, scanned := readOn(t, store, 0, limit, eventstore.Filter{})
			wantIDs(t, got, in.all...)
			if scanned != in.last.Position {
				t.Errorf("scanned is %d, want the head %d", scanned, in.last.Position)
			}
			wantInPlace(t, got)
		})
	}
	t.Run("a stream shows the places its events have in the log", func(t *testing.T) {
		t.Parallel()
		all, _ := readOn(t, store, 0, 0, eventstore.Filter{})
		of := make(map[string][]eventstore.Recorded)
		for _, e := range all {
			of[e.Stream] = append(of[e.Stream], e)
		}
		for stream, want := range of {
			if diff := cmp.Diff(want, mustRead(t, store, stream, eventstore.ReadOptions{}).Events); diff != "" {
				t.Errorf("%s (-in the log +in the stream):\n%s", stream, diff)
			}
		}
	})
}

// wantInPlace wants positions that ascend and revisions that count from 0.
func wantInPlace(t testing.TB, all []eventstore.Recorded) {
	t.Helper()
	position, next := int64(0), make(map[string]int64)
	for _, e := range all {
		if e.Position <= position || e.Revision != next[e.Stream] {
			t.Fatalf("%s came at revision %d and position %d, after position %d, when revision %d was next",
				e.Stream, e.Revision, e.Position, position, next[e.Stream])
		}
		position = e.Position
		next[e.Stream]++
	}
}

func testFollow(t *testing.T, s suite) {
	tasks := eventstore.Filter{Categories: []string{"task"}}
	for name, read := range map[string]struct {
		f    eventstore.Filter
		with func(context.Context, eventstore.Store, eventstore.Filter, int) ([]eventstore.Recorded, error)
	}{
		"one at a time":            {eventstore.Filter{}, polling(1)},
		"by pages":                 {eventstore.Filter{}, polling(0)},
		"by pages of a category":   {tasks, polling(7)},
		"subscribed":               {eventstore.Filter{}, subscribed},
		"subscribed to categories": {tasks, subscribed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := s.Open(t)
			readWhileMany(t, s, read.f, read.with)
		})
	}
}

// readWhileMany lets many write while readers follow. What each is handed has to be
// the log as it is in the end: no event late, lost, doubled or out of its place.
func readWhileMany(t *testing.T, s eventstore.Store, f eventstore.Filter,
	read func(context.Context, eventstore.Store, eventstore.Filter, int) ([]eventstore.Recorded, error),
) {
	const writers, each, readers = 8, 40, 3
	ctx := bounded(t)
	expected := 0
	for w := range writers {
		if f.Matches(eventstore.Recorded{Stream: writersStream(w, 0)}) {
			expected += each
		}
	}
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := range each {
				if _, err := s.Append(ctx, writersStream(w, i), eventstore.Any, events(1+i%5)); err != nil {
					t.Errorf("append: %v", err)
					return
				}
			}
		})
	}
	seen := make([][]eventstore.Recorded, readers)
	for r := range readers {
		wg.Go(func() {
			var err error
			if seen[r], err = read(ctx, s, f, expected*3); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	all, _ := readOn(t, s, 0, 0, f)
	if len(all) != expected*3 {
		t.Errorf("%d events in the log, want %d", len(all), expected*3)
	}
	wantInPlace(t, all)
	for _, got := range seen {
		if diff := cmp.Diff(all, got); diff != "" {
			t.Fatalf("a reader (-in the end +was handed):\n%s", diff)
		}
	}
}

// writersStream is where a writer's append goes: streams of two categories.
func writersStream(writer, i int) string {
	return fmt.Sprintf("%s-%d-%d", []string{"task", "usage"}[writer%2], writer, i%4)
}

// polling reads on by pages until it has seen n events.
func polling(limit int) func(context.Context, eventstore.Store, eventstore.Filter, int) ([]eventstore.Recorded, error) {
	return func(ctx context.Context, s eventstore.Store, f eventstore.Filter, n int) (seen []eventstore.Recorded, err error) {
		for after := int64(0); len(seen) < n; {
			if err := s.Wait(ctx, after); err != nil {
				return nil, fmt.Errorf("after %d of %d events: %w", len(seen), n, err)
			}
			p, err := s.ReadAll(ctx, after, limit, f)
			if err != nil {
				return nil, err
			}
			seen, after = append(seen, p.Events...), p.Scanned
		}
		return seen, nil
	}
}

// subscribed is handed n events by a subscription.
func subscribed(ctx context.Context, s eventstore.Store, f eventstore.Filter, n int) (seen []eventstore.Recorded, err error) {
	for p, err := range s.Subscribe(ctx, 0, f) {
		if err != nil {
			return nil, fmt.Errorf("after %d of %d events: %w", len(seen), n, err)
		}
		if seen = append(seen, p.Events...); len(seen) >= n {
			break
		}
	}
	return seen, nil
}
