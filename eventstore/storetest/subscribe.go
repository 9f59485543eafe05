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

func testSubscribe(t *testing.T, s suite) {
	s.each(t, map[string]func(*testing.T, eventstore.Store){
		"catches up, then follows": func(t *testing.T, s eventstore.Store) {
			old, fresh := events(5), events(7)
			mustAppend(t, s, "task-1", eventstore.Any, old...)
			got := make(chan eventstore.Recorded, 100)
			ctx, stop := context.WithCancel(bounded(t))
			defer stop()
			go collect(ctx, s, 0, eventstore.Filter{}, got)
			wantIDs(t, take(ctx, t, got, 5), old...)
			for i, e := range fresh {
				mustAppend(t, s, fmt.Sprintf("task-%d", i), eventstore.Any, e)
			}
			wantIDs(t, take(ctx, t, got, 7), fresh...)
		},
		"starts after a position and passes on what the filter lets through": func(t *testing.T, s eventstore.Store) {
			in := events(9)
			first := mustAppend(t, s, "task-1", eventstore.Any, in[:3]...)
			mustAppend(t, s, "usage-1", eventstore.Any, in[3:6]...)
			got := make(chan eventstore.Recorded, 100)
			ctx, stop := context.WithCancel(bounded(t))
			defer stop()
			go collect(ctx, s, first.Position-1, eventstore.Filter{Categories: []string{"task"}}, got)
			wantIDs(t, take(ctx, t, got, 1), in[2])
			mustAppend(t, s, "usage-1", eventstore.Any, in[6])
			mustAppend(t, s, "task-2", eventstore.Any, in[7:]...)
			wantIDs(t, take(ctx, t, got, 2), in[7:]...)
		},
		"resumes from any page without a loss or a repeat": func(t *testing.T, s eventstore.Store) {
			in := events(25)
			for i, e := range in {
				mustAppend(t, s, fmt.Sprintf("task-%d", i%3), eventstore.Any, e)
			}
			var all []eventstore.Recorded
			for at := int64(0); len(all) < len(in); {
				for p, err := range s.Subscribe(bounded(t), at, eventstore.Filter{}) {
					if err != nil {
						t.Fatal(err)
					}
					if len(p.Events) > 0 { // take one, and break off as a crash would
						all = append(all, p.Events[0])
						at = p.Events[0].Position
						break
					}
					at = p.Scanned
				}
			}
			wantIDs(t, all, in...)
		},
		"ends with its context": func(t *testing.T, s eventstore.Store) {
			ctx, stop := context.WithCancel(t.Context())
			stop()
			wantEnded(t, func(yield func(error) bool) {
				s.Subscribe(ctx, 0, eventstore.Filter{})(func(_ eventstore.Page, err error) bool { return yield(err) })
			})
			wantEnded(t, func(yield func(error) bool) {
				s.SubscribeStream(ctx, "task-1", 0)(func(_ eventstore.Slice, err error) bool { return yield(err) })
			})
		},
		"a bad question is told once": func(t *testing.T, s eventstore.Store) {
			n := 0
			for _, err := range s.Subscribe(bounded(t), -1, eventstore.Filter{}) {
				wantInvalid(t, err)
				n++
			}
			for _, err := range s.SubscribeStream(bounded(t), "$all", 0) {
				wantInvalid(t, err)
				n++
			}
			if n != 2 {
				t.Errorf("%d pairs, want 2", n)
			}
		},
		"a stream is followed from a revision, also before it is there": func(t *testing.T, s eventstore.Store) {
			ctx, stop := context.WithCancel(bounded(t))
			defer stop()
			got := make(chan eventstore.Recorded, 100)
			go collectStream(ctx, s, "task-1", 1, got)
			in := events(4)
			mustAppend(t, s, "task-1", eventstore.NoStream, in[0])
			mustAppend(t, s, "task-2", eventstore.NoStream, events(2)...)
			mustAppend(t, s, "task-1", 0, in[1])
			wantIDs(t, take(ctx, t, got, 1), in[1])
			mustAppend(t, s, "task-1", 1, in[2:]...)
			wantIDs(t, take(ctx, t, got, 2), in[2:]...)
		},
		"a stream's subscription goes on behind what retention hides": func(t *testing.T, s eventstore.Store) {
			in := events(6)
			mustAppend(t, s, "task-1", eventstore.NoStream, in[:5]...)
			keep(t, s, eventstore.Retention{TruncateBefore: 3})
			ctx, stop := context.WithCancel(bounded(t))
			defer stop()
			got := make(chan eventstore.Recorded, 100)
			go collectStream(ctx, s, "task-1", 0, got)
			wantIDs(t, take(ctx, t, got, 2), in[3:5]...)
			mustAppend(t, s, "task-1", 4, in[5])
			wantIDs(t, take(ctx, t, got, 1), in[5])
		},
	})
}

func testSlowReader(t *testing.T, s suite) {
	const writers, each, size = 8, 25, 100
	for name, follow := range map[string]func(ctx context.Context, s eventstore.Store, to chan<- eventstore.Recorded){
		"of the log": func(ctx context.Context, s eventstore.Store, to chan<- eventstore.Recorded) {
			collect(ctx, s, 0, eventstore.Filter{Categories: []string{"task"}}, to)
		},
		"of a stream": func(ctx context.Context, s eventstore.Store, to chan<- eventstore.Recorded) {
			collectStream(ctx, s, "task-0", 0, to)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := s.Open(t)
			ctx, stop := context.WithCancel(bounded(t))
			defer stop()
			first := events(1)
			mustAppend(t, s, "task-0", eventstore.NoStream, first...)
			got := make(chan eventstore.Recorded) // without room: the reader stands still
			go follow(ctx, s, got)
			wantIDs(t, take(ctx, t, got, 1), first...)
			var writing sync.WaitGroup
			for range writers {
				writing.Go(func() {
					for range each {
						if _, err := s.Append(ctx, "task-0", eventstore.Any, events(size)); err != nil {
							t.Errorf("append: %v", err)
							return
						}
					}
				})
			}
			writing.Wait() // though nobody has taken anything since
			if t.Failed() {
				return
			}
			rest := take(ctx, t, got, writers*each*size)
			all, _ := readOn(t, s, 0, 0, eventstore.Filter{})
			if diff := cmp.Diff(recordedIDs(all[1:]), recordedIDs(rest)); diff != "" {
				t.Errorf("events (-in the log +were handed):\n%s", diff)
			}
		})
	}
}

// collect passes on what a subscription gives until ctx ends.
func collect(ctx context.Context, s eventstore.Subscriber, after int64, f eventstore.Filter, to chan<- eventstore.Recorded) {
	defer close(to)
	for p, err := range s.Subscribe(ctx, after, f) {
		if err != nil {
			return
		}
		if !passOn(ctx, p.Events, to) {
			return
		}
	}
}

func collectStream(ctx context.Context, s eventstore.Subscriber, stream string, from int64, to chan<- eventstore.Recorded) {
	defer close(to)
	for slice, err := range s.SubscribeStream(ctx, stream, from) {
		if err != nil {
			return
		}
		if !passOn(ctx, slice.Events, to) {
			return
		}
	}
}

func passOn(ctx context.Context, events []eventstore.Recorded, to chan<- eventstore.Recorded) bool {
	for _, e := range events {
		select {
		case to <- e:
		case <-ctx.Done():
			return false
		}
	}
	return true
}

// take waits for n events.
func take(ctx context.Context, t testing.TB, from <-chan eventstore.Recorded, n int) (out []eventstore.Recorded) {
	t.Helper()
	for len(out) < n {
		select {
		case e, ok := <-from:
			if !ok {
				t.Fatalf("the subscription ended after %d of %d events", len(out), n)
			}
			out = append(out, e)
		case <-ctx.Done():
			t.Fatalf("%d of %d events came", len(out), n)
		}
	}
	return out
}

// wantEnded wants one pair, which says that the context has ended.
func wantEnded(t testing.TB, seq func(yield func(error) bool)) {
	t.Helper()
	var all []error
	for err := range seq {
		all = append(all, err)
	}
	if len(all) != 1 || !errors.Is(all[0], context.Canceled) {
		t.Errorf("pairs with %v, want one that says the context was cancelled", all)
	}
}
