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

// errIdle ends a follower that has reached its target.
var errIdle = errors.New("nothing to do")

// errEpoch ends the work on tables whose log goes on in another epoch than they know.
var errEpoch = errors.New("the log goes on in another epoch")

// errSwapped ends the work on tables that were replaced.
var errSwapped = errors.New("the tables were swapped")

// NewerError is returned if the live tables were made by a newer program, which an
// older one leaves alone. Rebuild replaces them.
type NewerError struct {
	Projection          string
	Tables, ThisProgram int
}

// Error implements error.
func (e *NewerError) Error() string {
	return fmt.Sprintf("the tables of %s are of version %d, this program makes version %d",
		e.Projection, e.Tables, e.ThisProgram)
}

// open returns the tables of a projection this program has to work on: the live ones,
// those being built, or both.
func (r *Runner) open(ctx context.Context, p Projection) ([]*generation, error) {
	logID, err := r.adopt(ctx, p)
	if err != nil {
		return nil, err
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
		if g != nil && p.isCurrent(*g, logID) {
			tables = append(tables, g)
		}
	}
	return tables, nil
}

// waiting is what a follower does at the end of the log.
type waiting func(ctx context.Context, after int64) error

// work follows the log with live tables until wait returns an error, or builds new
// tables until they are swapped in, which returns errSwapped.
func (r *Runner) work(ctx context.Context, p Projection, g *generation, wait waiting) error {
	if !g.Live {
		return r.build(ctx, p, g)
	}
	defer r.rounds.enter()()
	return r.follow(ctx, p, g, math.MaxInt64, wait)
}

// follow applies page after page, reading the next one meanwhile, until it has
// reached a position and returns errIdle. At the end of the log it waits and goes on if
// that returns nil; without a wait it makes sure that it is the end, and returns errIdle.
func (r *Runner) follow(ctx context.Context, p Projection, g *generation, until int64, wait waiting) error {
	r.passed(*g)
	next := r.fetch(ctx, p, g.Position)
	for g.Position < until {
		f := <-next
		if f.err != nil {
			return f.err
		}
		if !g.isOf(f.page) {
			return errEpoch
		}
		moved := f.page.Scanned > g.Position
		atEnd := !moved || wait != nil && f.page.End
		if !atEnd {
			next = r.fetch(ctx, p, f.page.Scanned)
		}
		if moved {
			if err := r.apply(ctx, p, *g, f); err != nil {
				return err
			}
			g.Position = f.page.Scanned
			r.fail(g.job(), nil)
			r.passed(*g)
		}
		if !atEnd {
			continue
		}
		if wait == nil {
			break
		}
		if err := wait(ctx, g.Position); err != nil {
			return err
		}
		next = r.fetch(ctx, p, g.Position)
	}
	return errIdle
}

func (r *Runner) passed(g generation) {
	if g.Live {
		r.progress.set(g.Projection, g.Position)
	}
}

// fetched is a page of the log, with its rows if the projection reads pages as a
// whole.
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
	if f.page, f.err = r.feed.ReadAll(ctx, after, r.pageOf(p), p.Filter); f.err != nil {
		return fetched{err: fmt.Errorf("read the log after %d: %w", after, f.err)}
	}
	if p.ReadPage != nil {
		f.rows, f.err = p.ReadPage(newer(f.page.Events, after))
	}
	return f
}

// pageOf is how many events one transaction applies.
func (r *Runner) pageOf(p Projection) int { return or(or(r.pageSize, p.PageSize), defaultPage) }

// newer drops events that were applied before.
func newer(events []eventstore.Recorded, after int64) []eventstore.Recorded {
	for i, e := range events {
		if e.Position > after {
			return events[i:]
		}
	}
	return nil
}

// standBy waits while another runner works on the tables. It returns if the tables
// were replaced, or if their checkpoint has not moved for a while although there are
// events to apply. While there are none it waits for some.
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
		if g.Live && now.Position >= head && r.feed.Wait(ctx, now.Position) != nil {
			return
		}
		sleep(ctx, r.standby)
	}
}

// CatchUp applies all present events, including due rebuilds, and returns. It stops
// at the first error, but a failing rebuild does not stop the live tables.
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

func (r *Runner) catchUp(ctx context.Context, p Projection) error {
	for {
		tables, err := r.open(ctx, p)
		if err != nil {
			return err
		}
		errs := make([]error, len(tables))
		var wg sync.WaitGroup
		for i, g := range tables {
			wg.Go(func() { errs[i] = r.work(ctx, p, g, nil) })
		}
		wg.Wait()
		if again, err := caughtUp(errs); err != nil || !again {
			return err
		}
		sleep(ctx, poll)
	}
}

// caughtUp reports whether there is more to do, because tables were swapped or
// another runner works on them, and the errors.
func caughtUp(ends []error) (again bool, err error) {
	for _, end := range ends {
		var lost *lostError
		switch {
		case errors.Is(end, errSwapped), errors.Is(end, errEpoch), errors.As(end, &lost):
			again = true
		case !errors.Is(end, errIdle):
			err = errors.Join(err, end)
		}
	}
	return again, err
}
