package projections_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/projections"
	"github.com/stepledger/stepledger/projections/projtest"
	"github.com/stepledger/stepledger/projections/sessions"
)

func TestRunner_FollowsTheLog(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	put(e, "number-a", 1, 2)
	running(t, e.Config(tally()))
	projtest.Eventually(t, "the backlog is applied", func() bool { return position(e, "tally") == 2 })
	put(e, "number-b", 3)
	projtest.Eventually(t, "what comes later is applied", func() bool { return position(e, "tally") == 3 })
	if diff := cmp.Diff(map[string]int{"number-a": 3, "number-b": 3}, totals(t, e)); diff != "" {
		t.Errorf("totals (-want +got):\n%s", diff)
	}
}

func TestRunner_CheckpointMovesOverWhatIsFilteredOut(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	put(e, "number-a", 1)
	for range 30 {
		put(e, "noise-a", 1, 2, 3)
	}
	e.CatchUp(tally())
	if at := position(e, "tally"); int64(at) != head(e) {
		t.Errorf("the checkpoint is at %d, the log at %d", at, head(e))
	}
}

func TestRunner_OfTwoOneWorks(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	const events = 400
	for range 2 {
		c := e.Config(tally())
		c.PageSize = 5
		running(t, c)
	}
	for range events {
		put(e, "number-a", 1)
	}
	projtest.Eventually(t, "everything is applied", func() bool { return position(e, "tally") == events })
	if got := totals(t, e)["number-a"]; got != events {
		t.Errorf("total %d, want %d", got, events)
	}
}

// overtaken is a feed whose first reader has its page, and then sees another
// do the work before it can.
type overtaken struct {
	eventstore.Feed
	once     sync.Once
	overtake func()
}

func (f *overtaken) ReadAll(ctx context.Context, after int64, limit int, filter eventstore.Filter) (eventstore.Page, error) {
	page, err := f.Feed.ReadAll(ctx, after, limit, filter)
	f.once.Do(f.overtake)
	return page, err
}

func TestRunner_WhoLosesTheCheckpointHasDoneNothing(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	put(e, "number-a", 1, 2, 3)
	c := e.Config(tally())
	c.Feed = &overtaken{Feed: e.Store, overtake: func() {
		e.CatchUp(tally())
		put(e, "number-a", 4)
	}}
	if err := projections.NewRunner(c).CatchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := totals(t, e)["number-a"]; got != 10 {
		t.Errorf("total %d, want each number once: 10", got)
	}
}

func TestRunner_PreparedBySeveralAtOnce(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	var g errgroup.Group
	for range 8 {
		g.Go(func() error { return projections.NewRunner(e.Config(all...)).Prepare(t.Context()) })
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	if n := e.Count(`select count(*) from read.checkpoint`); n != len(all) {
		t.Errorf("%d sets of tables for %d projections", n, len(all))
	}
}

func TestRunner_TakesOverFromOneThatDied(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	put(e, "number-a", 1)
	ctx, die := context.WithCancel(t.Context())
	done := make(chan struct{})
	first := projections.NewRunner(e.Config(tally()))
	go func() { defer close(done); first.Run(ctx) }()
	running(t, e.Config(tally()))
	projtest.Eventually(t, "one is at work", func() bool { return position(e, "tally") == 1 })
	die()
	<-done
	put(e, "number-a", 2)
	projtest.Eventually(t, "the other goes on", func() bool { return position(e, "tally") == 2 })
	if got := totals(t, e)["number-a"]; got != 3 {
		t.Errorf("total %d, want 3", got)
	}
}

func TestRunner_AnotherLogMeansARebuild(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	put(e, "number-a", 1, 2, 3)
	e.CatchUp(tally())

	other := projtest.WithoutDatabase(t)
	put(other, "number-b", 7)
	c := e.Config(tally())
	c.Feed = renamed{other.Store}
	if err := projections.NewRunner(c).CatchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]int{"number-b": 7}, totals(t, e)); diff != "" {
		t.Errorf("totals of the other log (-want +got):\n%s", diff)
	}
}

type renamed struct{ eventstore.Feed }

func (renamed) ID(context.Context) (string, error) { return "moved to another store", nil }

func (renamed) Past(_ context.Context, id string) (int64, error) {
	if id == "moved to another store" {
		return math.MaxInt64, nil
	}
	return 0, nil
}

func (f renamed) ReadAll(ctx context.Context, after int64, limit int, filter eventstore.Filter) (eventstore.Page, error) {
	page, err := f.Feed.ReadAll(ctx, after, limit, filter)
	page.Log = "moved to another store"
	return page, err
}

func TestRunner_TroubleWithKeysIsNoPoison(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	k := e.Task(e.Session(), "https://a.example/", "q").Turn("https://a.example/").Complete("done")
	broken := errors.New("no connection")
	e.Keys.Break(broken)
	r := running(t, e.Config(sessions.Projection))
	projtest.Eventually(t, "the trouble shows", func() bool {
		s, err := r.Health(t.Context())
		return err == nil && errors.Is(s[0].Err, broken)
	})
	e.Keys.Break(nil)
	projtest.Eventually(t, "it is over", func() bool {
		s, err := r.Health(t.Context())
		return err == nil && s[0].OK() && s[0].Lag == 0
	})
	m, err := sessions.Queries{DB: e.Pool}.Messages(t.Context(), k.Tenant, k.User, k.Session, sessions.MessageFilter{})
	if err != nil || m.Total != 2 {
		t.Errorf("got %+v, %v; want two messages", m, err)
	}
}

func TestPark_AKeyThatCannotBeOpenedHidesOnlyItsStream(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	const url = "https://a.example/"
	bad := e.Task(e.Session(), url, "q").Turn(url).Complete("done")
	good := e.Task(e.Session(), url, "q").Turn(url).Complete("done")
	e.Keys.Spoil(bad.ID)
	e.CatchUp(sessions.Projection)
	q := sessions.Queries{DB: e.Pool}
	total := func(k *projtest.Task) int {
		m, err := q.Messages(t.Context(), k.Tenant, k.User, k.Session, sessions.MessageFilter{})
		if err != nil && domain.KindOf(err) != domain.NotFound {
			t.Fatal(err)
		}
		return m.Total
	}
	if total(good) != 2 || total(bad) != 0 {
		t.Errorf("%d and %d messages; want two of the other task, none of the one whose key is bad", total(good), total(bad))
	}
	r := projections.NewRunner(e.Config(sessions.Projection))
	parked, err := r.Parked(t.Context(), projections.ParkedFilter{Projection: "sessions"})
	if err != nil || len(parked) == 0 || !strings.Contains(parked[0].Error, domain.ErrBadKey.Error()) {
		t.Errorf("parked: %+v, %v; want it for its key", parked, err)
	}
	e.Keys.Mend()
	if _, left, err := r.RetryParked(t.Context(), projections.ParkedFilter{Projection: "sessions"}); err != nil || left != 0 || total(bad) != 2 {
		t.Errorf("with the key back %d are left, %v, %d messages; want two", left, err, total(bad))
	}
}

func TestStop_AtAKeyThatCannotBeOpened(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	k := e.Task(e.Session(), "https://a.example/", "q").Turn("https://a.example/")
	e.Keys.Spoil(k.ID)
	money := sessions.Projection
	money.OnPoison = projections.Stop
	err := projections.NewRunner(e.Config(money)).CatchUp(t.Context())
	var poison *projections.PoisonError
	if !errors.As(err, &poison) || !errors.Is(err, domain.ErrBadKey) || poison.Event.Stream != task.Stream(k.ID) {
		t.Errorf("got %v; want poison in the task's stream, for its key", err)
	}
}

func TestRunner_UnknownProjection(t *testing.T) {
	t.Parallel()
	r := projections.NewRunner(projtest.WithoutDatabase(t).Config(tally()))
	if err := r.Rebuild(t.Context(), "tali"); domain.KindOf(err) != domain.NotFound {
		t.Errorf("rebuild: %v; want not found", err)
	}
	tali := projections.ParkedFilter{Projection: "tali"}
	if _, _, err := r.RetryParked(t.Context(), tali); domain.KindOf(err) != domain.NotFound {
		t.Errorf("retry: %v; want not found", err)
	}
	if _, err := r.Parked(t.Context(), tali); domain.KindOf(err) != domain.NotFound {
		t.Errorf("list: %v; want not found", err)
	}
}
