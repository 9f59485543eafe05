package crawltest

import (
	"context"
	"sync"
	"time"
)

// Clock is a time that passes when somebody sleeps, at once. Its zero value is ready.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// Now is the clock's time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.now.IsZero() {
		c.now = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	return c.now
}

// Sleep makes d pass.
func (c *Clock) Sleep(ctx context.Context, d time.Duration) error {
	c.Advance(d)
	return ctx.Err()
}

// Advance makes d pass.
func (c *Clock) Advance(d time.Duration) {
	now := c.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	// Whoever slept meanwhile slept in the same time.
	if later := now.Add(d); later.After(c.now) {
		c.now = later
	}
}
