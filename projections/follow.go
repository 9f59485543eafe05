package projections

import (
	"context"
	"errors"
	"fmt"
	"math"

	"golang.org/x/sync/errgroup"

	"github.com/stepledger/stepledger/eventstore"
)

// errIdle ends a follower that has come as far as it was told to.
var errIdle = errors.New("nothing to do")

// errSwapped ends the work on tables that have just been replaced.
var errSwapped = errors.New("the tables were swapped")

// NewerError says that the live tables were made by a newer program. An older
// one leaves them alone; Rebuild takes them back.
type NewerError struct {
	Projection          string
	Tables, ThisProgram int
}

// Error implements error.
func (e *NewerError) Error() string {
	return fmt.Sprintf("the tables of %s are of version %d, this program makes version %d",
		e.Projection, e.Tables, e.ThisProgram)
}

// work follows the log with the live tables of a projection and, side by side,
// with those being built. It returns with nil when idle has ended both, else
// with the first error.
func (r *Runner) work(ctx context.Context, p Projection, idle func(context.Context, int64) error) error {
	logID, err := r.feed.ID(ctx)
	if err != nil {
		return fmt.Errorf("read the log's id: %w", err)
	}
	live, building, err := p.ensure(ctx, r.db, logID)
	if err != nil {
		return err
	}
	if live.Version > p.Version {
		return &NewerError{p.Name, live.Version, p.Version}
	}
	g, ctx := errgroup.WithContext(ctx)
	if p.made(*live, logID) {
		g.Go(func() error {
			err := r.follow(ctx, p, live, math.MaxInt64, idle)
			if errors.Is(err, errIdle) {
				return nil
			}
			return err
		})
	}
	if building != nil && p.made(*building, logID) {
		g.Go(func() error { return r.build(ctx, p, building) })
	}
	return g.Wait()
}

// follow applies page after page, the next one being read meanwhile, until a
// position is reached, which is errIdle. At the head of the log it calls idle
// and goes on when that returns nil.
func (r *Runner) follow(ctx context.Context, p Projection, g *generation, until int64, idle func(context.Context, int64) error) error {
	r.passed(*g)
	next := r.fetch(ctx, p.Filter, g.Position)
	for g.Position < until {
		f := <-next
		if f.err != nil {
			return fmt.Errorf("read the log after %d: %w", g.Position, f.err)
		}
		if f.page.Scanned <= g.Position {
			if err := idle(ctx, g.Position); err != nil {
				return err
			}
			next = r.fetch(ctx, p.Filter, g.Position)
			continue
		}
		next = r.fetch(ctx, p.Filter, f.page.Scanned)
		if err := r.advance(ctx, p, *g, f.page); err != nil {
			return err
		}
		g.Position = f.page.Scanned
		r.fail(p.Name, nil)
		r.passed(*g)
	}
	return errIdle
}

func (r *Runner) passed(g generation) {
	if g.Live {
		r.progress.set(g.Projection, g.Position)
	}
}

type fetched struct {
	page eventstore.Page
	err  error
}

func (r *Runner) fetch(ctx context.Context, f eventstore.Filter, after int64) <-chan fetched {
	out := make(chan fetched, 1)
	go func() {
		page, err := r.feed.ReadAll(ctx, after, r.pageSize, f)
		out <- fetched{page, err}
	}()
	return out
}

// standBy waits while another runner is at work. It returns when there is work
// that nobody does: the tables this runner had were replaced, or checkpoints
// stood still for a while although there is something to apply.
func (r *Runner) standBy(ctx context.Context, p Projection, lost int64) {
	last := int64(-1)
	for ctx.Err() == nil {
		live, building, err := generations(ctx, r.db, p.Name)
		if err != nil || live == nil || live.Number != lost && building == nil {
			return
		}
		head, err := r.feed.Head(ctx)
		if err != nil {
			return
		}
		at := live.Position
		if building != nil {
			at += building.Position
		}
		if at == last && (building != nil || live.Position < head) {
			return
		}
		last = at
		sleep(ctx, r.standby)
	}
}

// CatchUp applies everything there is now, rebuilds that are due included, and
// returns. It stops at the first error.
func (r *Runner) CatchUp(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	for _, p := range r.projections {
		g.Go(func() error {
			if err := r.catchUp(ctx, p); err != nil {
				return fmt.Errorf("catch up projection %s: %w", p.Name, err)
			}
			return nil
		})
	}
	return g.Wait()
}

// stop is an idle function for those who do not wait.
func stop(context.Context, int64) error { return errIdle }

func (r *Runner) catchUp(ctx context.Context, p Projection) error {
	for {
		err := r.work(ctx, p, stop)
		var lost *lostError
		switch {
		case errors.Is(err, errSwapped):
		case errors.As(err, &lost):
			sleep(ctx, poll)
		default:
			return err
		}
	}
}
