package projections

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"time"
)

// Progress tells waiters in this process how far projections have come. The zero
// value is ready; it is safe for concurrent use.
type Progress struct {
	mu        sync.Mutex
	positions map[string]int64
	changed   chan struct{} // closed and replaced at every step
}

// set records that a projection's live tables hold everything up to a position.
func (p *Progress) set(name string, position int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.positions == nil {
		p.positions = map[string]int64{}
	}
	p.positions[name] = position
	if p.changed != nil {
		close(p.changed)
		p.changed = nil
	}
}

// look returns the positions known here and a channel closed at the next change.
func (p *Progress) look() (map[string]int64, <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.changed == nil {
		p.changed = make(chan struct{})
	}
	return maps.Clone(p.positions), p.changed
}

// Waiter waits until projections have seen a position, so that clients read their own
// writes on any replica. If Progress is nil or behind, the checkpoints in the
// database decide, since the active runner may be in another process.
type Waiter struct {
	DB       DB
	Progress *Progress
	// Hurry, if set, is told of a position that somebody waits for, so that it does not
	// wait for its turn with others.
	Hurry func(position int64)
}

// poll is how often the checkpoints are read: a wait usually lasts 250 ms at most,
// and a read takes less than a millisecond.
const poll = 20 * time.Millisecond

// lastLook is how long a read of the checkpoints may still take when the time is up:
// cancelling it would cost its connection.
const lastLook = 50 * time.Millisecond

// Wait returns when all named projections have passed a position, or after atMost,
// even if the database does not answer. lag is how many positions the slowest is
// behind, as far as known; a projection without tables is behind by all of it. The
// error is the context's or the database's, see Unavailable.
func (w Waiter) Wait(ctx context.Context, names []string, position int64, atMost time.Duration) (lag int64, err error) {
	within, cancel := context.WithTimeout(ctx, atMost)
	defer cancel()
	looking, stop := context.WithTimeout(ctx, atMost+lastLook)
	defer stop()
	at := map[string]int64{}
	if lag, _ = w.known(at, names, position); lag > 0 && w.Hurry != nil {
		w.Hurry(position)
	}
	for lag > 0 {
		stored, err := w.checkpoints(looking, names)
		switch {
		case err != nil && looking.Err() != nil && ctx.Err() == nil:
			return lag, nil // the time was up before the database answered
		case err != nil:
			return lag, fmt.Errorf("wait for position %d: %w", position, Unavailable(err))
		}
		if lag = behind(newest(at, stored), names, position); lag == 0 {
			break
		}
		if lag = w.watch(within, at, names, position); lag > 0 && within.Err() != nil {
			return lag, ctx.Err()
		}
	}
	return lag, nil
}

// watch waits for the position in this process until it is time to ask the database
// again. It returns how far the positions are behind.
func (w Waiter) watch(ctx context.Context, at map[string]int64, names []string, position int64) int64 {
	again := time.NewTimer(poll)
	defer again.Stop()
	for {
		lag, changed := w.known(at, names, position)
		if lag == 0 {
			return 0
		}
		select {
		case <-ctx.Done():
			return lag
		case <-again.C:
			return lag
		case <-changed:
		}
	}
}

// known updates positions with those known in this process. It returns how far they are
// behind, and a channel that is closed when there are others.
func (w Waiter) known(at map[string]int64, names []string, position int64) (lag int64, changed <-chan struct{}) {
	if w.Progress != nil {
		var known map[string]int64
		known, changed = w.Progress.look()
		newest(at, known)
	}
	return behind(at, names, position), changed
}

// newest updates positions, which only grow.
func newest(at, seen map[string]int64) map[string]int64 {
	for name, position := range seen {
		at[name] = max(at[name], position)
	}
	return at
}

func behind(at map[string]int64, names []string, position int64) int64 {
	var lag int64
	for _, name := range names {
		lag = max(lag, position-at[name])
	}
	return lag
}

const liveCheckpoints = `
	select projection, position
	from read.checkpoint
	where live and projection = any($1)`

func (w Waiter) checkpoints(ctx context.Context, names []string) (map[string]int64, error) {
	rows, err := w.DB.Query(ctx, liveCheckpoints, names)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	at := map[string]int64{}
	for rows.Next() {
		var name string
		var position int64
		if err := rows.Scan(&name, &position); err != nil {
			return nil, err
		}
		at[name] = position
	}
	return at, rows.Err()
}
