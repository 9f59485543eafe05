package projections_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/projections"
	"github.com/stepledger/stepledger/projections/calibration"
	"github.com/stepledger/stepledger/projections/kpi"
	"github.com/stepledger/stepledger/projections/projtest"
	"github.com/stepledger/stepledger/projections/sessions"
	"github.com/stepledger/stepledger/projections/skills"
	"github.com/stepledger/stepledger/projections/tasks"
	"github.com/stepledger/stepledger/projections/usage"
)

// all are the read models; what follows holds for each of them.
var all = []projections.Projection{tasks.Projection, sessions.Projection, usage.Projection, skills.Projection, calibration.Projection, kpi.Projection}

func dumps(e *projtest.Env) map[string]string {
	out := map[string]string{}
	for _, p := range all {
		out[p.Name] = e.Dump(p)
	}
	return out
}

func TestRebuild_GivesTheSameTables(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	for seed := range uint64(5) { // caught up with in five goes
		e.Story(seed, 120)
		e.CatchUp(all...)
	}
	if n := e.Count(`select (select count(*) from read.task) * (select count(*) from read.message)
		* (select count(*) from read.call) * (select count(*) from read.skill)
		* (select count(*) from read.checkpoint_score where retry_verdict <> '' and ended_at is not null)
		* (select count(*) from read.action_confidence where recovery <> '' and actions > 1)`); n == 0 {
		t.Fatal("the story leaves a table empty: it proves nothing")
	}
	if n := e.Count(`select count(*) from read.parked`); n != 0 {
		t.Fatalf("%d events are parked", n)
	}
	before := dumps(e)
	r := projections.NewRunner(e.Config(all...))
	for _, p := range all {
		if err := r.Rebuild(t.Context(), p.Name); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(before, dumps(e)); diff != "" {
		t.Errorf("tables before and after the rebuild (-before +after):\n%s", diff)
	}
	if n := e.Count(`select count(*) from pg_namespace where nspname like 'read_%'`); n != len(all) {
		t.Errorf("%d schemas are left, want one for each of %d projections", n, len(all))
	}
}

func TestRunner_StoppedAnywhereAndResumed(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	e.Story(1, 150)
	head, err := e.Store.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	e.CatchUp(all...)
	want := dumps(e)

	again := projtest.New(t)
	again.Store, again.Keys = e.Store, e.Keys
	for at := int64(1); at <= head; at += 7 {
		c := again.Config(all...)
		c.Feed, c.PageSize = everyEvent{e.Store, at}, 3
		if err := projections.NewRunner(c).CatchUp(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	again.CatchUp(all...)
	if diff := cmp.Diff(want, dumps(again)); diff != "" {
		t.Errorf("tables of a runner never stopped and of one often stopped (-never +often):\n%s", diff)
	}
}

// everyEvent is the log up to a position, read one page after the other
// without regard to what the filter leaves out.
type everyEvent struct {
	eventstore.Feed
	head int64
}

func (f everyEvent) ReadAll(ctx context.Context, after int64, limit int, filter eventstore.Filter) (eventstore.Page, error) {
	limit = min(limit, int(f.head-after))
	if limit <= 0 {
		return eventstore.Page{Scanned: after}, nil
	}
	page, err := f.Feed.ReadAll(ctx, after, limit, eventstore.Filter{})
	var kept []eventstore.Recorded
	for _, e := range page.Events {
		if filter.Matches(e) {
			kept = append(kept, e)
		}
	}
	page.Events = kept
	return page, err
}

// crashing is a database whose transactions end at random as if the process
// had been killed before, or right after, the commit.
type crashing struct {
	projections.DB
	rng     *rand.Rand
	crashes atomic.Int64
	slots   chan struct{}
}

var errKilled = errors.New("killed")

func (c *crashing) Begin(ctx context.Context) (pgx.Tx, error) {
	tx, err := c.DB.Begin(ctx)
	c.slots <- struct{}{}
	fate := c.rng.IntN(4)
	<-c.slots
	return &crashingTx{tx, fate, &c.crashes}, err
}

type crashingTx struct {
	pgx.Tx
	fate    int
	crashes *atomic.Int64
}

func (t *crashingTx) Commit(ctx context.Context) error {
	switch t.fate {
	case 0: // nothing of it happened
		t.crashes.Add(1)
		_ = t.Tx.Rollback(ctx)
		return errKilled
	case 1: // all of it happened, and nobody was told
		t.crashes.Add(1)
		_ = t.Tx.Commit(ctx)
		return errKilled
	}
	return t.Tx.Commit(ctx)
}

func TestRunner_KilledAroundCommits(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	e.Story(2, 120)
	e.CatchUp(all...)
	want := dumps(e)

	again := projtest.New(t)
	again.Store, again.Keys = e.Store, e.Keys
	db := &crashing{DB: again.Pool, rng: rand.New(rand.NewPCG(3, 3)), slots: make(chan struct{}, 1)}
	for {
		c := again.Config(all...)
		c.DB, c.PageSize = db, 10
		err := projections.NewRunner(c).CatchUp(t.Context())
		if err == nil {
			break
		}
		if !errors.Is(err, errKilled) {
			t.Fatal(err)
		}
	}
	if db.crashes.Load() < 20 {
		t.Errorf("only %d crashes: that proves little", db.crashes.Load())
	}
	if diff := cmp.Diff(want, dumps(again)); diff != "" {
		t.Errorf("tables of a runner that lived and of one often killed (-lived +killed):\n%s", diff)
	}
}

// repeating hands out every event three times over.
type repeating struct{ eventstore.Feed }

func (f repeating) ReadAll(ctx context.Context, after int64, limit int, filter eventstore.Filter) (eventstore.Page, error) {
	return f.Feed.ReadAll(ctx, max(0, after-2*int64(limit)), 3*limit, filter)
}

func TestRunner_AppliesTwiceWhatItIsGivenTwice_Once(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	e.Story(4, 150)
	e.CatchUp(all...)
	want := dumps(e)

	again := projtest.New(t)
	again.Store, again.Keys = e.Store, e.Keys
	c := again.Config(all...)
	c.Feed, c.PageSize = repeating{e.Store}, 7
	if err := projections.NewRunner(c).CatchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, dumps(again)); diff != "" {
		t.Errorf("tables of events given once and thrice (-once +thrice):\n%s", diff)
	}
}
