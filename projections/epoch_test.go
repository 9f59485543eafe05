package projections_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/projections"
	"github.com/stepledger/stepledger/projections/projtest"
)

// restored is a log in the place of another: with its name or with one of a later
// epoch, which goes on with what the other had up to past.
type restored struct {
	eventstore.Store
	was, id string
	past    int64
}

func (r restored) ID(context.Context) (string, error) { return r.id, nil }

func (r restored) Past(ctx context.Context, id string) (int64, error) {
	switch id {
	case r.id:
		return r.Head(ctx)
	case r.was:
		return r.past, nil
	}
	return 0, nil
}

func (r restored) ReadAll(ctx context.Context, after int64, limit int, f eventstore.Filter) (eventstore.Page, error) {
	page, err := r.Store.ReadAll(ctx, after, limit, f)
	page.Log = r.id
	return page, err
}

// switched is a log that another is put in the place of, under those who follow it.
type switched struct {
	eventstore.Feed
	now atomic.Pointer[eventstore.Feed]
}

func (s *switched) feed() eventstore.Feed {
	if now := s.now.Load(); now != nil {
		return *now
	}
	return s.Feed
}

func (s *switched) ID(ctx context.Context) (string, error)   { return s.feed().ID(ctx) }
func (s *switched) Head(ctx context.Context) (int64, error)  { return s.feed().Head(ctx) }
func (s *switched) Wait(ctx context.Context, at int64) error { return s.feed().Wait(ctx, at) }
func (s *switched) Past(ctx context.Context, id string) (int64, error) {
	return s.feed().Past(ctx, id)
}

func (s *switched) ReadAll(ctx context.Context, after int64, limit int, f eventstore.Filter) (eventstore.Page, error) {
	return s.feed().ReadAll(ctx, after, limit, f)
}

func live(e *projtest.Env) (generation int64, logID string) {
	e.T.Helper()
	err := e.Pool.QueryRow(e.T.Context(), `select generation, log_id from read.checkpoint where projection = 'tally' and live`).Scan(&generation, &logID)
	if err != nil {
		e.T.Fatal(err)
	}
	return generation, logID
}

// A failover that has lost nothing costs no rebuild, and keeps what is put aside.
func TestEpoch_TablesGoOn(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	put(e, "number-a", 1, 2)
	put(e, "number-b", 13)
	e.CatchUp(tally())
	before, first := live(e)
	var ids []string
	for range 2 {
		id, err := e.Store.BeginEpoch(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
		put(e, "number-a", 4)
		e.CatchUp(tally())
	}
	after, id := live(e)
	if after != before || id != ids[1] {
		t.Errorf("the tables are generation %d of log %s, were %d; want the same of %s", after, id, before, ids[1])
	}
	if got := totals(t, e)["number-a"]; got != 11 {
		t.Errorf("the total is %d, want 11", got)
	}
	if n := e.Count(`select count(*) from read.parked`); n != 1 {
		t.Errorf("%d events are put aside, want 1", n)
	}
	for was, position := range map[string]int{first: 3, ids[0]: 4} {
		var at int
		if err := e.Pool.QueryRow(t.Context(), `select position from read.past where was = $1 and log_id = $2`, was, id).Scan(&at); err != nil || at != position {
			t.Errorf("of %s the past is %d, %v; want %d", was, at, err, position)
		}
	}
}

// Tables that hold what is not in the log any more are built anew, whether the log
// says that it was put back or only ends too early.
func TestEpoch_TablesAheadAreBuiltAnew(t *testing.T) {
	t.Parallel()
	for name, rename := range map[string]func(id string) string{
		"another epoch":  func(id string) string { return id + ".2.0123456789abcdef" },
		"the same epoch": func(id string) string { return id },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := projtest.New(t)
			put(e, "number-a", 1, 2, 100, 1000)
			e.CatchUp(tally())
			id, err := e.Store.ID(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			back := projtest.WithoutDatabase(t)
			put(back, "number-a", 1, 2, 3)
			c := e.Config(tally())
			c.Feed = restored{back.Store, id, rename(id), 2}
			r := projections.NewRunner(c)
			if s, err := r.Health(t.Context()); err != nil || !s[0].Ahead || s[0].OK() {
				t.Errorf("health says %+v, %v", s, err)
			}
			if err := r.CatchUp(t.Context()); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(map[string]int{"number-a": 6}, totals(t, e)); diff != "" {
				t.Errorf("totals (-want +got):\n%s", diff)
			}
			if s, err := r.Health(t.Context()); err != nil || !s[0].OK() {
				t.Errorf("afterwards health says %+v, %v", s, err)
			}
		})
	}
}

// A runner that was at work all the time finds out by the next page it is given.
func TestEpoch_UnderARunner(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	put(e, "number-a", 1, 2, 100)
	id, err := e.Store.ID(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c := e.Config(tally())
	feed := &switched{Feed: e.Store}
	c.Feed = feed
	r := running(t, c)
	projtest.Eventually(t, "it has caught up", func() bool { return position(e, "tally") == 3 })
	back := projtest.WithoutDatabase(t)
	put(back, "number-a", 1, 2, 3, 4, 5) // further than before, by other ways
	var other eventstore.Feed = restored{back.Store, id, id + ".2.0123456789abcdef", 2}
	feed.now.Store(&other)
	projtest.Eventually(t, "the tables are of the log as it is", func() bool { return totals(t, e)["number-a"] == 15 })
	projtest.Eventually(t, "all is well", func() bool {
		s, err := r.Health(t.Context())
		return err == nil && s[0].OK() && s[0].Lag == 0
	})
}
