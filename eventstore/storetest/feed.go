package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/eventstore"
)

func testReadAll(t *testing.T, s suite) {
	store := s.open(t)
	var all []eventstore.Proposed
	streams := []string{"task-1", "usage-1", "task-2", "session"}
	of := make(map[string][]eventstore.Proposed) // by category and by type
	var last eventstore.Receipt
	for i := range 40 {
		stream, in := streams[i%len(streams)], events(3)
		last = mustAppend(t, store, stream, eventstore.Any, in...)
		all = append(all, in...)
		for _, e := range in {
			of[e.Type] = append(of[e.Type], e)
			of[eventstore.Category(stream)] = append(of[eventstore.Category(stream)], e)
			of[eventstore.Category(stream)+e.Type] = append(of[eventstore.Category(stream)+e.Type], e)
		}
	}
	first, second := "test.happened0.v1", "test.happened1.v1"
	for name, c := range map[string]struct {
		f    eventstore.Filter
		want []eventstore.Proposed
	}{
		"everything":               {eventstore.Filter{}, all},
		"a category":               {eventstore.Filter{Categories: []string{"task"}}, of["task"]},
		"a category without dash":  {eventstore.Filter{Categories: []string{"session"}}, of["session"]},
		"all categories":           {eventstore.Filter{Categories: []string{"task", "usage", "session"}}, all},
		"a type":                   {eventstore.Filter{Types: []string{first}}, of[first]},
		"a type in a category":     {eventstore.Filter{Types: []string{second}, Categories: []string{"usage"}}, of["usage"+second]},
		"a stream is not category": {eventstore.Filter{Categories: []string{"task-1"}}, nil},
		"nothing at all":           {eventstore.Filter{Types: []string{"test.never.v1"}}, nil},
	} {
		for _, limit := range []int{0, 1, 7} {
			t.Run(fmt.Sprintf("%s, by %d", name, limit), func(t *testing.T) {
				t.Parallel()
				got, scanned := readOn(t, store, 0, limit, c.f)
				wantIDs(t, got, c.want...)
				if scanned != last.Position {
					t.Errorf("scanned is %d, want the head %d", scanned, last.Position)
				}
			})
		}
	}
	t.Run("a reader resumes after any position", func(t *testing.T) {
		t.Parallel()
		whole, _ := readOn(t, store, 0, 0, eventstore.Filter{})
		for i, e := range whole {
			rest, _ := readOn(t, store, e.Position, 50, eventstore.Filter{})
			if diff := cmp.Diff(recordedIDs(whole[i+1:]), recordedIDs(rest)); diff != "" {
				t.Fatalf("after %d (-want +got):\n%s", e.Position, diff)
			}
		}
	})
	t.Run("head and id", func(t *testing.T) {
		t.Parallel()
		head, err := store.Head(t.Context())
		if err != nil || head != last.Position {
			t.Errorf("head is %d, %v, want %d", head, err, last.Position)
		}
		id, err := store.ID(t.Context())
		again, _ := store.ID(t.Context())
		if err != nil || id == "" || id != again {
			t.Errorf("id is %q, then %q, %v", id, again, err)
		}
	})
	t.Run("beyond the head is nothing", func(t *testing.T) {
		t.Parallel()
		for _, after := range []int64{last.Position, last.Position + 7, 1<<63 - 1} {
			p, err := store.ReadAll(t.Context(), after, 10, eventstore.Filter{})
			if err != nil || len(p.Events) != 0 || p.Scanned != after {
				t.Errorf("after %d: %+v, %v", after, p, err)
			}
		}
	})
	t.Run("bad questions are refused", func(t *testing.T) {
		t.Parallel()
		_, negative := store.ReadAll(t.Context(), -1, 10, eventstore.Filter{})
		_, large := store.ReadAll(t.Context(), 0, eventstore.MaxPage+1, eventstore.Filter{})
		_, name := store.ReadAll(t.Context(), 0, 1, eventstore.Filter{Types: []string{"a\x00"}})
		for _, err := range []error{negative, large, name} {
			wantInvalid(t, err)
		}
	})
}

func testFollow(t *testing.T, s suite) {
	s.each(t, map[string]func(*testing.T, eventstore.Store){
		"readers see every event once, in order, while many write": func(t *testing.T, s eventstore.Store) {
			const writers, each, readers = 8, 30, 3
			ctx := bounded(t)
			var wg sync.WaitGroup
			for w := range writers {
				wg.Go(func() {
					for i := range each {
						stream := fmt.Sprintf("task-%d-%d", w, i%4)
						if _, err := s.Append(ctx, stream, eventstore.Any, events(1+i%2)); err != nil {
							t.Errorf("append: %v", err)
							return
						}
					}
				})
			}
			for range readers {
				wg.Go(func() {
					if err := follow(ctx, s, writers*each*3/2); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
		},
	})
}

// follow reads on until it has seen n events, and checks that each comes in its
// place.
func follow(ctx context.Context, s eventstore.Feed, n int) error {
	var after, position int64
	next := make(map[string]int64)
	for seen := 0; seen < n; {
		if err := s.Wait(ctx, after); err != nil {
			return fmt.Errorf("after %d of %d events: %w", seen, n, err)
		}
		p, err := s.ReadAll(ctx, after, 10, eventstore.Filter{})
		if err != nil {
			return err
		}
		for _, e := range p.Events {
			if e.Position <= position || e.Position > p.Scanned || e.Revision != next[e.Stream] {
				return fmt.Errorf("%s came at revision %d and position %d, after position %d, when revision %d was next",
					e.Stream, e.Revision, e.Position, position, next[e.Stream])
			}
			position = e.Position
			next[e.Stream]++
		}
		seen += len(p.Events)
		after = p.Scanned
	}
	return nil
}

func testWait(t *testing.T, s suite) {
	s.each(t, map[string]func(*testing.T, eventstore.Store){
		"returns at once when there is something": func(t *testing.T, s eventstore.Store) {
			mustAppend(t, s, "task-1", eventstore.Any, events(1)...)
			if err := s.Wait(bounded(t), 0); err != nil {
				t.Error(err)
			}
		},
		"returns by itself when nothing comes": func(t *testing.T, s eventstore.Store) {
			if err := s.Wait(bounded(t), 0); err != nil {
				t.Error(err)
			}
		},
		"ends with its context": func(t *testing.T, s eventstore.Store) {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if err := s.Wait(ctx, 0); !errors.Is(err, context.Canceled) {
				t.Errorf("error is %v", err)
			}
			ctx, cancel = context.WithTimeout(t.Context(), time.Millisecond)
			defer cancel()
			for {
				if err := s.Wait(ctx, 1<<40); err != nil {
					if !errors.Is(err, context.DeadlineExceeded) {
						t.Errorf("error is %v", err)
					}
					return
				}
			}
		},
	})
}
