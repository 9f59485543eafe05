package projections

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// job is one of the things a runner does for a projection, with errors and pauses of
// its own.
type job struct{ projection, does string }

// The jobs.
const (
	opens   = "open tables"
	follows = "follow the log"
	builds  = "build new tables"
)

func (g generation) job() job {
	if g.Live {
		return job{g.Projection, follows}
	}
	return job{g.Projection, builds}
}

// keep works on a projection until ctx ends.
func (r *Runner) keep(ctx context.Context, p Projection) {
	j := job{p.Name, opens}
	r.retry(ctx, j, func() (bool, error) {
		tables, err := r.open(ctx, p)
		if err != nil {
			return false, err
		}
		r.fail(j, nil)
		r.tend(ctx, p, tables)
		return false, nil
	})
}

// tend works on each set of a projection's tables until one of them is swapped in,
// replaced or dropped by anybody.
func (r *Runner) tend(ctx context.Context, p Projection, tables []*generation) {
	ctx, over := context.WithCancel(ctx)
	defer over()
	var wg sync.WaitGroup
	for _, g := range tables {
		wg.Go(func() {
			defer over()
			r.retry(ctx, g.job(), func() (bool, error) { return r.attempt(ctx, p, *g) })
		})
	}
	wg.Wait()
}

// attempt works on a set of tables as they are now. done reports that they were
// swapped in, replaced or dropped.
func (r *Runner) attempt(ctx context.Context, p Projection, g generation) (done bool, err error) {
	now, err := g.reload(ctx, r.db)
	if err != nil || now == nil {
		return err == nil, err
	}
	err = r.work(ctx, p, now, r.feed.Wait)
	var lost *lostError
	switch {
	case errors.Is(err, errSwapped):
		return true, nil
	case errors.Is(err, errEpoch):
		sleep(ctx, poll) // the log has said so; whoever asks it again is told the same
		return true, nil
	case errors.As(err, &lost):
		r.standBy(ctx, g)
		return false, nil
	case err != nil && !g.Live:
		return false, fmt.Errorf("%s: %w", builds, err)
	}
	return false, err
}

// retry repeats a job until it is done or ctx ends. The pauses after errors grow
// until the job makes progress, which it reports by fail with nil.
func (r *Runner) retry(ctx context.Context, j job, attempt func() (done bool, err error)) {
	const firstPause = 100 * time.Millisecond
	pause := firstPause
	defer r.fail(j, nil) // what is over fails no longer
	for ctx.Err() == nil {
		done, err := attempt()
		switch {
		case done || ctx.Err() != nil:
			return
		case err == nil:
			continue
		case !r.fails(j):
			pause = firstPause
		}
		r.fail(j, err)
		r.log.ErrorContext(ctx, "projection stopped",
			"projection", j.projection, "job", j.does, "error", err, "retry_in", pause)
		sleep(ctx, pause)
		pause = min(pause*2, r.maxBackoff)
	}
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// fail records a job's error, or with nil that it has recovered.
func (r *Runner) fail(j job, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failing[j] = err
}

func (r *Runner) fails(j job) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failing[j] != nil
}

// failure joins the present errors of a projection's jobs.
func (r *Runner) failure(projection string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []error
	for _, does := range []string{opens, follows, builds} {
		all = append(all, r.failing[job{projection, does}])
	}
	return errors.Join(all...)
}
