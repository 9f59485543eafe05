package llm

import (
	"context"
	"math/rand/v2"
	"time"
)

// Waits between attempts double from firstWait up to Options.MaxWait.
const firstWait = 500 * time.Millisecond

// waitBefore reports whether to try the same model again, and after how long. A
// refusal would be repeated, and after a timeout the user would wait as long again.
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

// backoff grows exponentially and is half random, so that callers do not come back
// together.
func (c *Client) backoff(try int) time.Duration {
	d := min(firstWait<<min(try-1, 16), c.o.MaxWait)
	return d/2 + time.Duration(c.o.Jitter()*float64(d/2))
}

// mayFallBack reports whether to try another model after an error. Unusable answers
// are the caller's to judge, and if a call cannot be recorded no other is made
// either.
func mayFallBack(err error) bool {
	switch KindOf(err) {
	case RateLimited, Unavailable, Timeout, Rejected, Skipped:
		return true
	}
	return false
}

// sleep waits. It returns false if ctx ended first.
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
