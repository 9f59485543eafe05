package postgres

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stepledger/stepledger/eventstore"
)

// follower reads the log by a subscription, through whatever trouble, until it is
// stopped.
type follower struct {
	stop context.CancelFunc
	done sync.WaitGroup

	mu   sync.Mutex
	seen []eventstore.Recorded
}

func startFollower(t testing.TB, s *Store) *follower {
	ctx, stop := context.WithCancel(t.Context())
	f := &follower{stop: stop}
	t.Cleanup(f.end)
	f.done.Go(func() {
		for p, err := range s.Subscribe(ctx, 0, eventstore.Filter{}) {
			var unavailable *eventstore.UnavailableError
			if err != nil && !errors.As(err, &unavailable) && ctx.Err() == nil {
				t.Errorf("the subscription ended: %v", err)
			}
			f.mu.Lock()
			f.seen = append(f.seen, p.Events...)
			f.mu.Unlock()
		}
	})
	return f
}

func (f *follower) end() {
	f.stop()
	f.done.Wait()
}

// wantAll waits until the follower has been handed as many events as the log has,
// and wants them to be those of the log in its order.
func (f *follower) wantAll(t testing.TB, s eventstore.Feed) {
	t.Helper()
	all := readOn(t, s, 0)
	eventually(t, "the follower has been handed all events", func() bool {
		f.mu.Lock()
		defer f.mu.Unlock()
		return len(f.seen) >= len(all)
	})
	f.mu.Lock()
	defer f.mu.Unlock()
	for i, e := range f.seen {
		if i >= len(all) || e.ID != all[i].ID || e.Position != all[i].Position {
			t.Fatalf("event %d of the follower is %s at %d, not the one of the log", i, e.ID, e.Position)
		}
	}
}

// readOn reads the log from a position to its end.
func readOn(t testing.TB, s eventstore.Feed, after int64) (all []eventstore.Recorded) {
	t.Helper()
	for {
		p, err := s.ReadAll(bounded(t), after, 0, eventstore.Filter{})
		if err != nil {
			t.Fatal(err)
		}
		if p.Scanned == after {
			return all
		}
		all, after = append(all, p.Events...), p.Scanned
	}
}

func TestConnectionsCut(t *testing.T) {
	t.Parallel()
	address := database(t)
	p, beside := newProxy(t, address), open(t, address, Options{})
	s := open(t, p.url, Options{Timeout: patience})
	st, f := startStorm(s, 8), startFollower(t, s)
	for range 30 {
		st.goOn(t, 1+rand.Int64N(20))
		p.cut()
	}
	st.goOn(t, 20)
	st.end()
	if len(st.unknown) > 0 {
		t.Errorf("%d events were given up, though the server was there", len(st.unknown))
	}
	wantOnce(t, beside, st.acked)
	f.wantAll(t, beside)
}

func TestBlackHole(t *testing.T) {
	t.Parallel()
	const timeout = time.Second
	for name, what := range map[string]hold{"nothing comes through": everything, "no answer comes back": answers} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProxy(t, database(t))
			s := open(t, p.url, Options{Timeout: timeout})
			before, in := events(3), events(2)
			mustAppend(t, s, "task-1", eventstore.NoStream, before...)
			f := startFollower(t, s)
			p.stall(what)
			var calls sync.WaitGroup
			for name, call := range everyCall(s, in) {
				for range 3 {
					calls.Go(func() {
						began := time.Now()
						wantUnavailable(t, call(bounded(t)))
						if took := time.Since(began); took > patience/2 {
							t.Errorf("%s answered after %v, the timeout is %v", name, took, timeout)
						}
					})
				}
			}
			calls.Wait()
			p.resume()
			for name, call := range everyCall(s, in) {
				eventually(t, name+" works again by itself", func() bool { return call(bounded(t)) == nil })
			}
			wantOnce(t, s, append(before, in...)) // though repeated, and perhaps there all the time
			f.wantAll(t, s)
		})
	}
}

// everyCall is one of each that goes to the server.
func everyCall(s *Store, in []eventstore.Proposed) map[string]func(context.Context) error {
	return map[string]func(context.Context) error{
		"Append": func(ctx context.Context) error { _, err := s.Append(ctx, "task-2", eventstore.Any, in); return err },
		"ReadStream": func(ctx context.Context) error {
			_, err := s.ReadStream(ctx, "task-1", eventstore.ReadOptions{})
			return err
		},
		"ReadAll": func(ctx context.Context) error { _, err := s.ReadAll(ctx, 0, 0, eventstore.Filter{}); return err },
		"Head":    func(ctx context.Context) error { _, err := s.Head(ctx); return err },
		"SetRetention": func(ctx context.Context) error {
			return s.SetRetention(ctx, "task-3", eventstore.Retention{MaxCount: 1})
		},
		"Delete":    func(ctx context.Context) error { return s.Delete(ctx, "task-3", eventstore.Any) },
		"Tombstone": func(ctx context.Context) error { return s.Tombstone(ctx, "task-4", eventstore.Any) },
	}
}

// The connection that listens may be dead without anyone being told.
func TestDeafListener(t *testing.T) {
	t.Parallel()
	address := database(t)
	p, writer := newProxy(t, address), open(t, address, Options{})
	s := open(t, p.url, Options{PollFloor: 20 * time.Millisecond})
	f := startFollower(t, s)
	p.stall(listeners)
	for range 5 {
		mustAppend(t, writer, "task-1", eventstore.Any, events(2)...)
		f.wantAll(t, writer)
	}
}
