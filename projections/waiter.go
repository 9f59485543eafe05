package projections

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"time"
)

// Progress tells waiters in this process how far projections have come. The
// zero value is ready; it is safe for concurrent use.
type Progress struct {
	mu        sync.Mutex
	positions map[string]int64
	changed   chan struct{} // closed and replaced at every step
}

// set notes that a projection's live tables now hold everything up to a position.
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

// look gives the positions known here and a channel closed at the next change.
func (p *Progress) look() (map[string]int64, <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.changed == nil {
		p.changed = make(chan struct{})
	}
	return maps.Clone(p.positions), p.changed
}

// Waiter waits until projections have seen a position, so that a client reads
// its own writes on any replica. Progress is the runner's of this process; nil
// or behind, the checkpoints in the database decide, since the runner at work
// may live in another process.
type Waiter struct {
	DB       DB
	Progress *Progress
}

// poll is how often the checkpoints are looked at: a wait lasts 250 ms at most
// in the usual case, and a look takes less than a millisecond.
const poll = 20 * time.Millisecond

// lastLook is how long a look at the checkpoints that is under way when the
// time is up may still take: cutting it off costs its connection.
const lastLook = 50 * time.Millisecond

// Wait returns when all named projections have passed a position, at the
// latest after atMost, also where the database does not answer. Lag is how many
// positions the slowest of them is behind then, as far as was seen, 0 when none
// is. A projection without tables yet is behind by all of it. The error is the
// context's or the database's, see Unavailable.
func (w Waiter) Wait(ctx context.Context, names []string, position int64, atMost time.Duration) (lag int64, err error) {
	timeout := time.NewTimer(atMost)
	defer timeout.Stop()
	looking, cancel := context.WithTimeout(ctx, atMost+lastLook)
	defer cancel()
	at := map[string]int64{}
	for {
		known, changed := w.progress()
		if lag = behind(newest(at, known), names, position); lag == 0 {
			return 0, nil
		}
		stored, err := w.checkpoints(looking, names)
		switch {
		case err != nil && looking.Err() != nil && ctx.Err() == nil:
			return lag, nil // the time was up before the database answered
		case err != nil:
			return lag, fmt.Errorf("wait for position %d: %w", position, Unavailable(err))
		}
		if lag = behind(newest(at, stored), names, position); lag == 0 {
			return 0, nil
		}
		select {
		case <-ctx.Done():
			return lag, ctx.Err()
		case <-timeout.C:
			return lag, nil
		case <-changed:
		case <-time.After(poll):
		}
	}
}

func (w Waiter) progress() (map[string]int64, <-chan struct{}) {
	if w.Progress == nil {
		return nil, nil
	}
	return w.Progress.look()
}

// newest notes positions; those of a projection only ever grow.
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
