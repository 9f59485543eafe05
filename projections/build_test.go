package projections_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/projections"
	"github.com/stepledger/stepledger/projections/projtest"
)

var errOutOfReach = errors.New("the events are out of reach")

// withoutOld is a feed that cannot read events up to a position, which a build
// needs and live tables do not.
type withoutOld struct {
	eventstore.Feed
	old    int64
	mended atomic.Bool
	failed atomic.Int64 // reads
	broken atomic.Int64 // waits for news that were broken off
}

func (f *withoutOld) ReadAll(ctx context.Context, after int64, limit int, filter eventstore.Filter) (eventstore.Page, error) {
	if after < f.old && !f.mended.Load() {
		f.failed.Add(1)
		return eventstore.Page{}, errOutOfReach
	}
	return f.Feed.ReadAll(ctx, after, limit, filter)
}

func (f *withoutOld) Wait(ctx context.Context, after int64) error {
	err := f.Feed.Wait(ctx, after)
	if err != nil && !f.mended.Load() {
		f.broken.Add(1)
	}
	return err
}

// halfBuilt leaves tables of the next rebuild beside the live ones of tally.
func halfBuilt(t *testing.T, e *projtest.Env) {
	t.Helper()
	ctx, interrupt := context.WithCancel(t.Context())
	c := e.Config(tally())
	c.Feed, c.PageSize = interrupting{e.Store, interrupt}, 1
	if err := projections.NewRunner(c).Rebuild(ctx, "tally"); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v; want it interrupted", err)
	}
}

func generations(e *projtest.Env) (tables, checkpoints int) {
	return e.Count(`select count(*) from pg_namespace where nspname like 'read_tally_%'`), e.Count(`select count(*) from read.checkpoint`)
}

func TestRunner_ABuildThatFailsForEverLeavesTheLiveTablesAlone(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	put(e, "number-a", 1, 2, 3)
	e.CatchUp(tally())
	halfBuilt(t, e)
	f := &withoutOld{Feed: e.Store, old: 3}
	c := e.Config(tally())
	c.Feed = f
	r := running(t, c)
	for n := range 5 {
		failed := f.failed.Load()
		projtest.Eventually(t, "the build fails again", func() bool { return f.failed.Load() > failed })
		put(e, "number-a", n)
		projtest.Eventually(t, "the live tables have the event", func() bool { return int64(position(e, "tally")) == head(e) })
	}
	if n := f.broken.Load(); n != 0 {
		t.Errorf("the live tables were stopped %d times", n)
	}
	s, err := r.Health(t.Context())
	if err != nil || !s[0].Building || !errors.Is(s[0].Err, errOutOfReach) || !strings.Contains(s[0].Fault().Error(), "build new tables") {
		t.Errorf("health: %+v, %v; want a build that fails", s, err)
	}
	f.mended.Store(true)
	projtest.Eventually(t, "the build is done", func() bool {
		s, err := r.Health(t.Context())
		return err == nil && s[0].OK() && !s[0].Building
	})
	put(e, "number-a", 5)
	projtest.Eventually(t, "the new tables are followed", func() bool { return int64(position(e, "tally")) == head(e) })
	if diff := cmp.Diff(map[string]int{"number-a": 21}, totals(t, e)); diff != "" {
		t.Errorf("totals (-want +got):\n%s", diff)
	}
}

func TestCatchUp_ABuildThatFailsLeavesTheLiveTablesAlone(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	put(e, "number-a", 1, 2, 3)
	e.CatchUp(tally())
	halfBuilt(t, e)
	for range 100 {
		put(e, "number-a", 1)
	}
	c := e.Config(tally())
	c.Feed, c.PageSize = &withoutOld{Feed: e.Store, old: 3}, 1
	if err := projections.NewRunner(c).CatchUp(t.Context()); !errors.Is(err, errOutOfReach) {
		t.Errorf("got %v; want what the build met", err)
	}
	if int64(position(e, "tally")) != head(e) {
		t.Errorf("the live tables are at %d of %d", position(e, "tally"), head(e))
	}
}

func TestRunner_LiveTablesThatFailLeaveTheBuildAlone(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	const events = 50
	for range events {
		put(e, "number-a", 1)
	}
	e.CatchUp(tally())
	halfBuilt(t, e)
	c := e.Config(tally())
	c.Feed, c.PageSize, c.MaxBackoff = &withoutNew{e.Store, events}, 1, time.Hour
	r := running(t, c)
	projtest.Eventually(t, "the build is swapped in", func() bool {
		s, err := r.Health(t.Context())
		return err == nil && !s[0].Building
	})
}

// withoutNew is a feed that cannot be read from a position on.
type withoutNew struct {
	eventstore.Feed
	from int64
}

func (f *withoutNew) ReadAll(ctx context.Context, after int64, limit int, filter eventstore.Filter) (eventstore.Page, error) {
	if after >= f.from {
		return eventstore.Page{}, errOutOfReach
	}
	return f.Feed.ReadAll(ctx, after, limit, filter)
}

func TestRebuild_ThatFailsLeavesNothing(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		change func(*projections.Projection, *projections.Config)
	}{
		{"an event that cannot be applied", func(p *projections.Projection, _ *projections.Config) {
			p.OnPoison = projections.Stop
			p.Apply = func(b *projections.Batch, ev eventstore.Recorded, s domain.Sealer) error {
				if ev.Position == 2 {
					return errUnreadable
				}
				return addUp(b, ev, s)
			}
		}},
		{"a log that cannot be read", func(_ *projections.Projection, c *projections.Config) {
			c.Feed = &withoutOld{Feed: c.Feed, old: 3}
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := projtest.New(t)
			put(e, "number-a", 1, 2, 3)
			e.CatchUp(tally())
			before := e.Dump(tally())
			c, p := e.Config(), tally()
			tt.change(&p, &c)
			c.Projections, c.PageSize = []projections.Projection{p}, 1
			if err := projections.NewRunner(c).Rebuild(t.Context(), "tally"); err == nil {
				t.Fatal("want an error")
			}
			if tables, checkpoints := generations(e); tables != 1 || checkpoints != 1 {
				t.Errorf("%d sets of tables and %d checkpoints are left, want the live ones", tables, checkpoints)
			}
			if diff := cmp.Diff(before, e.Dump(tally())); diff != "" {
				t.Errorf("the live tables changed (-before +after):\n%s", diff)
			}
		})
	}
}

func TestRebuild_ThatFailsKeepsTablesThatAreDue(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	put(e, "number-a", 1, 2, 3)
	e.CatchUp(tally())
	c := e.Config(doubled())
	c.Feed = &withoutOld{Feed: e.Store, old: 3}
	if err := projections.NewRunner(c).Rebuild(t.Context(), "tally"); !errors.Is(err, errOutOfReach) {
		t.Fatalf("got %v; want what the build met", err)
	}
	if n := e.Count(`select count(*) from read.checkpoint where not live and version = 2`); n != 1 {
		t.Errorf("%d sets of tables are being built; want those of the next version, for the runner at work", n)
	}
}
