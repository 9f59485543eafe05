package projections_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/projections"
	"github.com/stepledger/stepledger/projections/projtest"
)

// Live tables that are followed side by side share transactions, and yet what one cannot
// apply holds up no other. Their tables have the same name.
func TestRunner_TogetherAndYetApart(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	named := func(name string, onPoison projections.Policy) projections.Projection {
		p := tally()
		p.Name, p.Views, p.OnPoison = name, nil, onPoison
		return p
	}
	parks, stops, takes, stands := named("parks", projections.Park), named("stops", projections.Stop), named("takes", projections.Park), named("stands", projections.Park)
	takes.Apply = func(b *projections.Batch, r eventstore.Recorded, s domain.Sealer) error {
		_ = addUp(b, r, s) // 13 is a number
		return nil
	}
	stands.Filter = eventstore.Filter{Categories: []string{"nothing"}}
	r := running(t, e.Config(parks, stops, takes, stands))
	sum := func(name string) int {
		generation := e.Count(`select generation from read.checkpoint where projection = '` + name + `'`)
		return e.Count(fmt.Sprintf(`select coalesce(sum(total), 0)::int from read_%s_%d.tally`, name, generation))
	}
	const rounds = 30
	for i := range rounds {
		put(e, fmt.Sprintf("number-%d", i%4), 1)
	}
	projtest.Eventually(t, "all have applied all", func() bool {
		for _, name := range []string{"parks", "stops", "takes", "stands"} {
			if position(e, name) != rounds {
				return false
			}
		}
		return true
	})
	put(e, "number-0", 13)
	put(e, "number-1", 100)
	put(e, "number-0", 1000)
	end := head(e)
	projtest.Eventually(t, "those that can go on do", func() bool {
		return int64(position(e, "parks")) == end && int64(position(e, "takes")) == end && int64(position(e, "stands")) == end
	})
	for name, want := range map[string]int{"parks": rounds + 100, "takes": rounds + 1113, "stops": rounds} {
		if got := sum(name); got != want {
			t.Errorf("%s: the sum is %d, want %d", name, got, want)
		}
	}
	if n := e.Count(`select count(*) from read.parked where projection = 'parks'`); n != 2 {
		t.Errorf("%d events are parked, want the bad one and what is behind it", n)
	}
	status, err := r.Health(t.Context())
	if err != nil || status[1].Err == nil || status[2].Err != nil || status[3].Err != nil {
		t.Errorf("health: %+v, %v; want an error of the one that stops", status, err)
	}
}

// meeting is a feed whose readers of what comes after a position wait for one another.
type meeting struct {
	eventstore.Feed
	mu    sync.Mutex
	after int64
	short int // so many are still to come
	all   chan struct{}
}

func (m *meeting) expect(after int64, readers int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.after, m.short, m.all = after, readers, make(chan struct{})
}

func (m *meeting) ReadAll(ctx context.Context, after int64, limit int, f eventstore.Filter) (eventstore.Page, error) {
	page, err := m.Feed.ReadAll(ctx, after, limit, f)
	m.mu.Lock()
	all := m.all
	if after == m.after && m.short > 0 {
		if m.short--; m.short == 0 {
			close(m.all)
		}
	} else {
		all = nil
	}
	m.mu.Unlock()
	if all != nil {
		select {
		case <-all:
		case <-ctx.Done():
			return page, ctx.Err()
		}
	}
	return page, err
}

// Whoever catches up beside a runner that follows has the same page at the same time, and
// one of them applies it.
func TestRunner_TablesFollowedTwiceHaveEachEventOnce(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	put(e, "number-a", 1)
	e.CatchUp(tally())
	c := e.Config(tally())
	feed := &meeting{Feed: e.Store}
	c.Feed = feed
	r := projections.NewRunner(c)
	const rounds = 10
	for range rounds {
		feed.expect(head(e), 2)
		put(e, "number-a", 1)
		var both errgroup.Group
		for range 2 {
			both.Go(func() error { return r.CatchUp(t.Context()) })
		}
		if err := both.Wait(); err != nil {
			t.Fatal(err)
		}
	}
	if got := totals(t, e)["number-a"]; got != 1+rounds {
		t.Errorf("the total is %d, want %d", got, 1+rounds)
	}
}
