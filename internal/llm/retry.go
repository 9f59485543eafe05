package llm

import (
	"context"
	"math/rand/v2"
	"time"
)

// Waits between attempts double from firstWait up to Options.MaxWait.
const firstWait = 500 * time.Millisecond

// waitBefore says whether the same model is worth another try, and after how
// long. What the provider refused will be refused again; a call that timed out
// would keep the user waiting as long once more.
func (c *Client) waitBefore(err error, try int) (time.Duration, bool) {
	e := asError(err)
	if try >= c.o.Attempts {
		return 0, false
	}
	switch e.Kind {
	case RateLimited, Unavailable:
		wait := max(e.RetryAfter, c.backoff(try))
		return wait, e.RetryAfter <= c.o.MaxWait
	}
	return 0, false
}

// backoff is exponential with half of it at random, so that callers turned
// away together do not come back together.
func (c *Client) backoff(try int) time.Duration {
	d := min(firstWait<<min(try-1, 16), c.o.MaxWait)
	return d/2 + time.Duration(c.o.Jitter()*float64(d/2))
}

// movesOn reports whether another model may do what this one could not. An
// answer that came is the asker's to judge, and what cannot be noted is not
// asked elsewhere either.
func movesOn(err error) bool {
	switch KindOf(err) {
	case RateLimited, Unavailable, Timeout, Rejected, Skipped:
		return true
	}
	return false
}

// sleep waits, and reports false when ctx ended first.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

func jitter() float64 { return rand.Float64() } //nolint:gosec // spreads load, guards nothing
