package tail_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/eventstore/memory"
	"github.com/stepledger/stepledger/eventstore/postgres"
	"github.com/stepledger/stepledger/eventstore/storetest"
	"github.com/stepledger/stepledger/eventstore/tail"
	"github.com/stepledger/stepledger/internal/pgtest"
)

// patience bounds every wait of these tests.
const patience = 30 * time.Second

// never is longer than any test.
const never = time.Hour

// A tail is the store it stands before.
func TestStore(t *testing.T) {
	t.Parallel()
	t.Run("memory", func(t *testing.T) {
		t.Parallel()
		storetest.Run(t, storetest.Subject{
			Name: "memory", Lacks: []storetest.Feature{storetest.Durable},
			Open: func(t testing.TB) eventstore.Store { return before(t, memory.New(memory.Options{}), tail.Options{}) },
		})
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		storetest.Run(t, storetest.Subject{
			Name: "postgres", Open: func(t testing.TB) eventstore.Store { return before(t, inPostgres(t), tail.Options{}) },
			Log: logURL, Dial: dial,
		})
	})
}

func TestMain(m *testing.M) { storetest.Main(m, dial) }

func dial(ctx context.Context, url string) (eventstore.Store, func(), error) {
	s, err := postgres.Open(ctx, url, postgres.Options{})
	if err != nil {
		return nil, nil, err
	}
	behind := tail.New(s, tail.Options{})
	return behind, func() { behind.Close(); s.Close() }, nil
}

func logURL(t testing.TB) string {
	t.Helper()
	return pgtest.Database(t, "log", postgres.Migrate)
}

func inPostgres(t testing.TB) *postgres.Store {
	t.Helper()
	s, err := postgres.Open(t.Context(), logURL(t), postgres.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func before(t testing.TB, s eventstore.Store, o tail.Options) *tail.Tail {
	t.Helper()
	behind := tail.New(s, o)
	t.Cleanup(behind.Close)
	return behind
}

func bounded(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

func events(n int, kind string) []eventstore.Proposed {
	out := make([]eventstore.Proposed, n)
	for i := range out {
		out[i] = eventstore.Proposed{ID: uuid.NewString(), Type: kind, Data: []byte(`{"a":1}`)}
	}
	return out
}

func mustAppend(t testing.TB, s eventstore.Log, stream string, in ...eventstore.Proposed) eventstore.Receipt {
	t.Helper()
	r, err := s.Append(t.Context(), stream, eventstore.Any, in)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// follower follows with a filter until it has passed a position, and falls behind at
// times.
func follower(ctx context.Context, s eventstore.Feed, f eventstore.Filter, until *atomic.Int64, seed uint64) (seen []string, err error) {
	random := rand.New(rand.NewPCG(seed, seed))
	for after := int64(0); ; {
		p, err := s.ReadAll(ctx, after, 1+random.IntN(20), f)
		if err != nil {
			return seen, err
		}
		for _, e := range p.Events {
			seen = append(seen, e.ID)
		}
		atEnd := p.End || p.Scanned == after
		after = p.Scanned
		if goal := until.Load(); goal > 0 && after >= goal {
			return seen, nil
		}
		switch {
		case random.IntN(20) == 0:
			time.Sleep(time.Duration(random.IntN(10)) * time.Millisecond)
		case atEnd:
			if err := s.Wait(ctx, after); err != nil {
				return seen, err
			}
		}
	}
}

// Whatever the window holds, and however far behind it a follower is, it sees what the
// store has, each event once and in order.
func TestTail_EachFollowerSeesTheLog(t *testing.T) {
	t.Parallel()
	stores := map[string]func(testing.TB) eventstore.Store{
		"memory":   func(testing.TB) eventstore.Store { return memory.New(memory.Options{}) },
		"postgres": func(t testing.TB) eventstore.Store { return inPostgres(t) },
	}
	filters := []eventstore.Filter{
		{}, {}, {Categories: []string{"task"}}, {Types: []string{"b"}}, {Categories: []string{"usage"}, Types: []string{"a"}}, {Types: []string{"c"}},
	}
	for name, open := range stores {
		for bytes := range 4 {
			t.Run(fmt.Sprint(name, bytes), func(t *testing.T) {
				t.Parallel()
				ctx, s := bounded(t), open(t)
				behind := before(t, s, tail.Options{
					Every: time.Millisecond, Bytes: 1 + bytes*bytes*2000, Age: time.Duration(1+30*bytes) * time.Millisecond, Rouse: 20 * time.Millisecond,
				})
				mustAppend(t, s, "task-0", events(30, "a")...)
				var until atomic.Int64
				var following, writing sync.WaitGroup
				for i, f := range filters {
					following.Go(func() {
						seen, err := follower(ctx, behind, f, &until, uint64(i))
						if err != nil {
							t.Errorf("follower %d: %v", i, err)
						}
						if diff := cmp.Diff(all(t, s, f), seen); diff != "" {
							t.Errorf("follower %d (-in the store +seen):\n%s", i, diff)
						}
					})
				}
				for w := range 4 {
					writing.Go(func() {
						for i := range 60 {
							category, kind := []string{"task", "usage"}[(i+w)%2], string("ab"[i%2])
							if _, err := s.Append(ctx, fmt.Sprintf("%s-%d", category, w), eventstore.Any, events(1+i%7, kind)); err != nil {
								t.Error(err)
							}
						}
					})
				}
				writing.Wait()
				until.Store(mustAppend(t, s, "task-9", events(1, "b")...).Position)
				following.Wait()
			})
		}
	}
}

// all are the events that a filter lets through.
func all(t testing.TB, s eventstore.Feed, f eventstore.Filter) (ids []string) {
	t.Helper()
	for after := int64(0); ; {
		p, err := s.ReadAll(t.Context(), after, 0, f)
		if err != nil {
			t.Error(err)
			return nil
		}
		for _, e := range p.Events {
			ids = append(ids, e.ID)
		}
		if p.Scanned == after {
			return ids
		}
		after = p.Scanned
	}
}

// watched is a store of which reads of the log are counted, that can fail them, and come
// to another server.
type watched struct {
	eventstore.Store
	server     atomic.Pointer[memory.Store]
	reads      atomic.Int64
	down       atomic.Bool
	generation atomic.Int64
}

func newWatched() *watched {
	s := &watched{}
	s.comeTo(memory.New(memory.Options{PollFloor: never}))
	s.Store = s.server.Load()
	return s
}

func (s *watched) comeTo(server *memory.Store) {
	s.server.Store(server)
	s.generation.Add(1)
}

func (s *watched) Generation() int64 { return s.generation.Load() }

func (s *watched) ReadAll(ctx context.Context, after int64, limit int, f eventstore.Filter) (eventstore.Page, error) {
	s.reads.Add(1)
	if s.down.Load() {
		return eventstore.Page{}, &eventstore.UnavailableError{Op: "read", Cause: errors.New("down")}
	}
	return s.server.Load().ReadAll(ctx, after, limit, f)
}

func (s *watched) Head(ctx context.Context) (int64, error) { return s.server.Load().Head(ctx) }

func (s *watched) Append(ctx context.Context, stream string, expected int64, events []eventstore.Proposed) (eventstore.Receipt, error) {
	return s.server.Load().Append(ctx, stream, expected, events)
}

// many is how many followers share a tail.
const many = 12

// startFollowers gives what each of many followers sees.
func startFollowers(ctx context.Context, s eventstore.Store) []chan eventstore.Recorded {
	got := make([]chan eventstore.Recorded, many)
	for i := range got {
		got[i] = make(chan eventstore.Recorded, 100)
		go func() {
			defer close(got[i])
			for p, err := range s.Subscribe(ctx, 0, eventstore.Filter{}) {
				if err != nil {
					continue
				}
				for _, e := range p.Events {
					got[i] <- e
				}
			}
		}()
	}
	return got
}

func take(ctx context.Context, t testing.TB, from <-chan eventstore.Recorded) (e eventstore.Recorded) {
	t.Helper()
	select {
	case e = <-from:
	case <-ctx.Done():
		t.Fatal("an event does not come")
	}
	return e
}

// What comes is read once for all.
func TestTail_OneReadForAll(t *testing.T) {
	t.Parallel()
	ctx, s := bounded(t), newWatched()
	behind := before(t, s, tail.Options{Every: time.Nanosecond, Age: never, Rouse: never})
	got := startFollowers(ctx, behind)
	const warmup, rounds = 5, 50
	var began int64
	for i := range warmup + rounds {
		if i == warmup {
			began = s.reads.Load()
		}
		want := events(1, "a")
		mustAppend(t, s, "task-1", want...)
		for _, from := range got {
			if e := take(ctx, t, from); e.ID != want[0].ID {
				t.Fatalf("event %s came, want %s", e.ID, want[0].ID)
			}
		}
	}
	// A read that is under way when an event is appended may miss it.
	if n := s.reads.Load() - began; n > 2*rounds {
		t.Errorf("%d reads of the store for %d events and %d followers", n, rounds, many)
	}
}

// Whoever needs a position does not wait for the next read.
func TestTail_Hurry(t *testing.T) {
	t.Parallel()
	ctx, s := bounded(t), newWatched()
	behind := before(t, s, tail.Options{Every: never})
	got := startFollowers(ctx, behind)
	for i := range 5 {
		at := mustAppend(t, s, "task-1", events(1, "a")...).Position
		if i > 0 { // the first comes by itself: it is there when they begin, or after a pause
			behind.Hurry(at)
		}
		for _, from := range got {
			for e := take(ctx, t, from); e.Position < at; e = take(ctx, t, from) {
			}
		}
	}
}

// Where the store is out of reach followers are told so, and go on when it is back.
func TestTail_Outage(t *testing.T) {
	t.Parallel()
	ctx, s := bounded(t), newWatched()
	behind := before(t, s, tail.Options{Every: time.Millisecond})
	mustAppend(t, s, "task-1", events(1, "a")...)
	told, seen := make(chan error), make(chan eventstore.Recorded)
	go func() {
		for p, err := range behind.Subscribe(ctx, 0, eventstore.Filter{}) {
			if err != nil {
				told <- err
			}
			for _, e := range p.Events {
				seen <- e
			}
		}
	}()
	take(ctx, t, seen)
	s.down.Store(true)
	at := mustAppend(t, s, "task-1", events(1, "a")...).Position
	select {
	case err := <-told:
		if away := (*eventstore.UnavailableError)(nil); !errors.As(err, &away) {
			t.Errorf("the follower was told %v", err)
		}
	case <-ctx.Done():
		t.Fatal("the follower is not told")
	}
	s.down.Store(false)
	for {
		select {
		case err := <-told:
			t.Logf("told of what was under way: %v", err)
		case e := <-seen:
			if e.Position != at {
				t.Errorf("position %d came, want %d", e.Position, at)
			}
			return
		case <-ctx.Done():
			t.Fatal("the follower does not go on")
		}
	}
}

// Another server may have other events at the positions in the window.
func TestTail_AnotherServer(t *testing.T) {
	t.Parallel()
	ctx, s := bounded(t), newWatched()
	behind := before(t, s, tail.Options{Every: time.Nanosecond, Age: never})
	got := startFollowers(ctx, behind)
	for range 3 {
		mustAppend(t, s, "task-1", events(1, "a")...)
		for _, from := range got {
			take(ctx, t, from)
		}
	}
	s.comeTo(memory.New(memory.Options{PollFloor: never}))
	other := mustAppend(t, s, "task-1", events(2, "a")...)
	p, err := behind.ReadAll(ctx, 0, 0, eventstore.Filter{})
	if err != nil || p.Scanned != other.Position || len(p.Events) != 2 {
		t.Errorf("%d events up to %d, %v, want those of the other server", len(p.Events), p.Scanned, err)
	}
}
