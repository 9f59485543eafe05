package projections

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/eventstore"
)

// Config of a Runner. DB, Feed, Keys and Log are required.
type Config struct {
	DB   DB
	Feed eventstore.Feed
	Keys Keys
	Log  *slog.Logger
	// Projections run side by side and independently.
	Projections []Projection
	// PageSize is how many events one transaction applies; 0 means the projection's,
	// or 500.
	PageSize int
	// Standby is how long another runner's checkpoint may not move, with events
	// waiting, before this one takes over; 0 means one second.
	Standby time.Duration
	// MaxBackoff is the longest pause after an error; 0 means 30 seconds.
	MaxBackoff time.Duration
}

// defaultPage is how many events one transaction applies.
const defaultPage = 500

// Runner applies the log to projections. Several may run at once in any number of
// processes: at any time one of them works on a projection and the others stand by.
// It is safe for concurrent use.
type Runner struct {
	db          DB
	feed        eventstore.Feed
	keys        Keys
	log         *slog.Logger
	projections []Projection
	pageSize    int
	standby     time.Duration
	maxBackoff  time.Duration
	progress    Progress
	rounds      rounds

	// swapping serialises swaps, each of which holds one connection and needs
	// another.
	swapping sync.Mutex

	mu      sync.Mutex
	failing map[job]error
}

// NewRunner returns a runner. It does nothing before Run, Prepare or CatchUp.
func NewRunner(c Config) *Runner {
	const defaultStandby, defaultBackoff = time.Second, 30 * time.Second
	for _, p := range c.Projections {
		if p.ReadPage != nil && p.OnPoison != Stop {
			panic("projections: " + p.Name + " reads whole pages and would park an event of one")
		}
	}
	return &Runner{
		db: c.DB, feed: c.Feed, keys: c.Keys, log: c.Log, projections: c.Projections,
		pageSize:   c.PageSize,
		standby:    or(c.Standby, defaultStandby),
		maxBackoff: or(c.MaxBackoff, defaultBackoff),
		failing:    map[job]error{},
	}
}

func or[T comparable](v, fallback T) T {
	var zero T
	if v == zero {
		return fallback
	}
	return v
}

// Progress is the progress of this process, for Waiter.
func (r *Runner) Progress() *Progress { return &r.progress }

// Prepare creates missing tables and views, so that queries work before the first
// event is applied. Run does it too.
func (r *Runner) Prepare(ctx context.Context) error {
	for _, p := range r.projections {
		logID, err := r.adopt(ctx, p)
		if err != nil {
			return fmt.Errorf("prepare projection %s: %w", p.Name, err)
		}
		if _, _, err := p.ensure(ctx, r.db, logID); err != nil {
			return fmt.Errorf("prepare projection %s: %w", p.Name, err)
		}
	}
	return nil
}

// Run follows the log until ctx ends. Projections do not affect each other, nor does
// a failing build the live tables. No error ends it: each is logged, shown by Health
// and retried with growing pauses.
func (r *Runner) Run(ctx context.Context) {
	var wg sync.WaitGroup
	for _, p := range r.projections {
		wg.Go(func() { r.keep(ctx, p) })
	}
	wg.Wait()
}

func (r *Runner) find(name string) (Projection, error) {
	for _, p := range r.projections {
		if p.Name == name {
			return p, nil
		}
	}
	return Projection{}, domain.Errorf(domain.NotFound, domain.CodeProjectionNotFound, "there is no projection %q", name)
}
