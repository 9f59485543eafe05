package projections_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/projections"
	"github.com/stepledger/stepledger/projections/projtest"
)

// doubled is the next version of tally: twice the totals, and one more column.
func doubled() projections.Projection {
	p := tally()
	p.Version = 2
	p.Tables = `create table tally (stream text primary key, total bigint not null, last bigint not null, events int not null default 0)`
	p.Apply = func(b *projections.Batch, e eventstore.Recorded, s domain.Sealer) error {
		if err := addUp(b, e, s); err != nil {
			return err
		}
		b.Queue(`update tally set total = total + last, events = events + 1 where stream = @stream`, pgx.NamedArgs{"stream": e.Stream})
		return nil
	}
	return p
}

func TestVersion_RaisedSwapsUnderLiveWrites(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	for i := range 50 {
		put(e, fmt.Sprintf("number-%d", i), 1)
	}
	e.CatchUp(tally())

	ctx, stop := context.WithCancel(t.Context())
	var working sync.WaitGroup
	working.Go(func() { // a client
		pace := time.NewTicker(time.Millisecond)
		defer pace.Stop()
		for ctx.Err() == nil {
			put(e, "number-0", 1)
			<-pace.C
		}
	})
	seen := make(chan int, 1)
	working.Go(func() { // a reader: never an empty or partial table, never an error
		for ctx.Err() == nil {
			var streams int
			if err := e.Pool.QueryRow(t.Context(), `select count(*) from read.tally where total > 0`).Scan(&streams); err != nil || streams != 50 {
				t.Errorf("a reader saw %d of 50 streams, %v", streams, err)
				return
			}
			select {
			case seen <- streams:
			default:
			}
		}
	})
	<-seen
	c := e.Config(doubled())
	c.PageSize = 20
	running(t, c)
	projtest.Eventually(t, "the new version is live", func() bool {
		return e.Count(`select version from read.checkpoint where live`) == 2
	})
	stop()
	working.Wait()
	projtest.Eventually(t, "it has caught up", func() bool { return int64(position(e, "tally")) == head(e) })
	if got, want := totals(t, e)["number-0"], 2*(int(head(e))-49); got != want {
		t.Errorf("total %d, want %d", got, want)
	}
	if n := e.Count(`select count(*) from pg_namespace where nspname like 'read_%'`); n != 1 {
		t.Errorf("%d sets of tables are left, want one", n)
	}
}

func TestVersion_NewColumnsAreNullUntilTheSwap(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	put(e, "number-a", 1)
	e.CatchUp(tally())
	r := projections.NewRunner(e.Config(doubled()))
	if err := r.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := e.Count(`select count(*) from read.tally where total = 1 and events is null`); n != 1 {
		t.Error("want the old row with null in the new column")
	}
	if s, err := r.Health(t.Context()); err != nil || !s[0].Building || s[0].Version != 1 {
		t.Errorf("health: %+v, %v; want version 1, building", s, err)
	}
	if err := r.CatchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := e.Count(`select count(*) from read.tally where total = 2 and events = 1`); n != 1 {
		t.Error("want the new row after the swap")
	}
}

func TestVersion_WhatOthersBuiltOnTheViewsSurvives(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	put(e, "number-a", 1)
	e.CatchUp(tally())
	if _, err := e.Pool.Exec(t.Context(), `create view finance as select sum(total)::integer as total from read.tally`); err != nil {
		t.Fatal(err)
	}
	e.CatchUp(doubled())
	if got := e.Count(`select total from finance`); got != 2 {
		t.Errorf("a view upon the view gives %d after the swap, want 2", got)
	}
}

func TestVersion_AnOlderProgramStandsBy(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	put(e, "number-a", 1)
	e.CatchUp(doubled())
	old := projections.NewRunner(e.Config(tally()))
	var newer *projections.NewerError
	if err := old.CatchUp(t.Context()); !errors.As(err, &newer) || newer.Tables != 2 || newer.ThisProgram != 1 {
		t.Errorf("got %v; want that the tables are newer", err)
	}
	if got := totals(t, e)["number-a"]; got != 2 {
		t.Errorf("total %d; the older program must not touch the tables", got)
	}
	if err := old.Rebuild(t.Context(), "tally"); err != nil {
		t.Fatal(err)
	}
	if n := e.Count(`select count(*) from read.tally where total = 1 and events is null`); n != 1 {
		t.Error("want the older program's row after a rebuild by it")
	}
}

func TestRebuild_WhileAnotherRunnerIsAtWork(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	for range 100 {
		put(e, "number-a", 1)
	}
	c := e.Config(tally())
	c.PageSize = 3
	running(t, c)
	for range 3 {
		put(e, "number-a", 1)
		if err := projections.NewRunner(c).Rebuild(t.Context(), "tally"); err != nil {
			t.Fatal(err)
		}
		put(e, "number-a", 1)
	}
	projtest.Eventually(t, "the runner goes on with the new tables", func() bool { return int64(position(e, "tally")) == head(e) })
	if diff := cmp.Diff(map[string]int{"number-a": 106}, totals(t, e)); diff != "" {
		t.Errorf("totals (-want +got):\n%s", diff)
	}
}

func TestRebuild_InterruptedIsFinishedByTheNextStart(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	put(e, "number-a", 1, 2, 3)
	e.CatchUp(tally())
	ctx, interrupt := context.WithCancel(t.Context())
	c := e.Config(tally())
	c.Feed, c.PageSize = interrupting{e.Store, interrupt}, 1
	if err := projections.NewRunner(c).Rebuild(ctx, "tally"); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v; want it interrupted", err)
	}
	if n := e.Count(`select count(*) from read.checkpoint where not live`); n != 1 {
		t.Fatalf("%d rebuilds are under way, want one", n)
	}
	e.CatchUp(tally())
	if n := e.Count(`select count(*) from read.checkpoint where not live`); n != 0 {
		t.Errorf("%d rebuilds are under way, want none", n)
	}
	if diff := cmp.Diff(map[string]int{"number-a": 6}, totals(t, e)); diff != "" {
		t.Errorf("totals (-want +got):\n%s", diff)
	}
}

// interrupting interrupts its reader after two events.
type interrupting struct {
	eventstore.Feed
	interrupt context.CancelFunc
}

func (f interrupting) ReadAll(ctx context.Context, after int64, limit int, filter eventstore.Filter) (eventstore.Page, error) {
	if after >= 2 {
		f.interrupt()
		return eventstore.Page{}, ctx.Err()
	}
	return f.Feed.ReadAll(ctx, after, limit, filter)
}
