package llm

import (
	"sync"
	"time"
)

// maxBreak bounds how long a breaker stays open when a provider asks for longer: one
// attempt finds out more.
const maxBreak = 2 * time.Minute

// breaker stops asking a model that does not answer. After some failures in a row it
// opens for a while; then one attempt at a time tries whether the model is back.
// Breakers are per process.
type breaker struct {
	mu       sync.Mutex
	failures int       // in a row
	until    time.Time // when it may be tried again, zero while it is trusted
	trying   bool      // whether it is back
	tried    bool      // ever
	last     error     // of the last attempt
	skipped  int64
}

// closed reports whether an attempt may be made, or else how long not. Every attempt
// must end with done.
func (b *breaker) closed(now time.Time) (wait time.Duration, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.until.IsZero():
		return 0, true
	case now.Before(b.until):
		wait = b.until.Sub(now)
	case b.trying:
		wait = firstWait // somebody finds out
	default:
		b.trying = true
		return 0, true
	}
	b.skipped++
	return wait, false
}

// done records the end of an attempt. Any answer closes the breaker, even a refusal.
// Errors caused by the caller do not count.
func (b *breaker) done(now time.Time, err error, o Options) {
	b.mu.Lock()
	defer b.mu.Unlock()
	trying := b.trying
	b.trying = false
	switch KindOf(err) {
	case Cancelled, Unrecorded, Skipped:
		return
	case RateLimited, Unavailable, Timeout:
		b.failures++
	default:
		b.failures, b.until = 0, time.Time{}
	}
	b.tried, b.last = true, err
	if b.failures >= o.BreakAfter || b.failures > 0 && trying {
		b.until = now.Add(max(o.BreakFor, min(asError(err).RetryAfter, maxBreak)))
	}
}

// Status is the condition of a model as this process has seen it.
type Status struct {
	Provider, Model string
	// Last is the error of the last attempt, nil if it was answered or if there was
	// none (Tried is false).
	Tried bool
	Last  error
	// LeftFor is how long it will not be asked; 0 if it may be.
	LeftFor time.Duration
	// Skipped counts the attempts not made because the breaker was open.
	Skipped int64
}

func (b *breaker) status(now time.Time) Status {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := Status{Tried: b.tried, Last: b.last, Skipped: b.skipped}
	if now.Before(b.until) {
		s.LeftFor = b.until.Sub(now)
	}
	return s
}
