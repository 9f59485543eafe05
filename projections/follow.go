package projections

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"

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

// open gives the sets of a projection's tables that this program has to work
// on: the live ones, those being built, or both.
func (r *Runner) open(ctx context.Context, p Projection) ([]*generation, error) {
	logID, err := r.feed.ID(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the log's id: %w", err)
	}
	live, building, err := p.ensure(ctx, r.db, logID)
	if err != nil {
		return nil, err
	}
	if live.Version > p.Version {
		return nil, &NewerError{p.Name, live.Version, p.Version}
	}
	var tables []*generation
	for _, g := range []*generation{live, building} {
		if g != nil && p.made(*g, logID) {
			tables = append(tables, g)
		}
	}
	return tables, nil
}

// work follows the log with live tables until idle gives an error, or builds
// new ones until they are swapped in, which is errSwapped.
func (r *Runner) work(ctx context.Context, p Projection, g *generation, idle func(context.Context, int64) error) error {
	if !g.Live {
		return r.build(ctx, p, g)
	}
	return r.follow(ctx, p, g, math.MaxInt64, idle)
}

// follow applies page after page, the next one being read meanwhile, until a
// position is reached, which is errIdle. At the head of the log it calls idle
// and goes on when that returns nil.
func (r *Runner) follow(ctx context.Context, p Projection, g *generation, until int64, idle func(context.Context, int64) error) error {
	r.passed(*g)
	next := r.fetch(ctx, p, g.Position)
	for g.Position < until {
		f := <-next
		if f.err != nil {
			return f.err
		}
		if f.page.Scanned <= g.Position {
			if err := idle(ctx, g.Position); err != nil {
				return err
			}
			next = r.fetch(ctx, p, g.Position)
			continue
		}
		next = r.fetch(ctx, p, f.page.Scanned)
		if err := r.advance(ctx, p, *g, f); err != nil {
			return err
		}
		g.Position = f.page.Scanned
		r.fail(g.job(), nil)
		r.passed(*g)
	}
	return errIdle
}

func (r *Runner) passed(g generation) {
	if g.Live {
		r.progress.set(g.Projection, g.Position)
	}
}

// fetched is a page of the log, with what it means to a projection that reads
// pages as a whole.
type fetched struct {
	page eventstore.Page
	rows Rows
	err  error
}

func (r *Runner) fetch(ctx context.Context, p Projection, after int64) <-chan fetched {
	out := make(chan fetched, 1)
	go func() { out <- r.read(ctx, p, after) }()
	return out
}

func (r *Runner) read(ctx context.Context, p Projection, after int64) (f fetched) {
	size := or(or(r.pageSize, p.PageSize), defaultPage)
	if f.page, f.err = r.feed.ReadAll(ctx, after, size, p.Filter); f.err != nil {
		return fetched{err: fmt.Errorf("read the log after %d: %w", after, f.err)}
	}
	if p.ReadPage != nil {
		f.rows, f.err = p.ReadPage(newer(f.page.Events, after))
	}
	return f
}

// newer leaves out what was handed out before: it is applied once.
func newer(events []eventstore.Recorded, after int64) []eventstore.Recorded {
	for i, e := range events {
		if e.Position > after {
			return events[i:]
		}
	}
	return nil
}

// standBy waits while another runner is at work on a set of tables. It returns
// when there is work that nobody does: the tables are no longer what they were,
// or their checkpoint stood still for a while although there is something to
// apply.
func (r *Runner) standBy(ctx context.Context, g generation) {
	last := int64(-1)
	for ctx.Err() == nil {
		now, err := g.reload(ctx, r.db)
		if err != nil || now == nil {
			return
		}
		head, err := r.feed.Head(ctx)
		if err != nil {
			return
		}
		if now.Position == last && (!g.Live || now.Position < head) {
			return
		}
		last = now.Position
		sleep(ctx, r.standby)
	}
}

// CatchUp applies everything there is now, rebuilds that are due included, and
// returns. It stops at the first error; a rebuild's does not keep the live
// tables from what there is to apply.
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
		tables, err := r.open(ctx, p)
		if err != nil {
			return err
		}
		errs := make([]error, len(tables))
		var wg sync.WaitGroup
		for i, g := range tables {
			wg.Go(func() { errs[i] = r.work(ctx, p, g, stop) })
		}
		wg.Wait()
		if again, err := caughtUp(errs); err != nil || !again {
			return err
		}
		sleep(ctx, poll)
	}
}

// caughtUp says of how the work on tables ended whether there is more to do,
// since they were swapped or another runner is at it, and what went wrong.
func caughtUp(ends []error) (again bool, err error) {
	for _, end := range ends {
		var lost *lostError
		switch {
		case errors.Is(end, errSwapped), errors.As(end, &lost):
			again = true
		case !errors.Is(end, errIdle):
			err = errors.Join(err, end)
		}
	}
	return again, err
}
