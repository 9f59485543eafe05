package llm

import (
	"sync"
	"time"
)

// maxBreak bounds how long a model is left alone when it asks for more: nobody
// knows what an hour brings, and one attempt tells.
const maxBreak = 2 * time.Minute

// breaker keeps questions from a model that does not answer. After some failures
// in a row it is left alone for a while; then one attempt at a time tries
// whether it is back. It is per process: each finds out by itself.
type breaker struct {
	mu       sync.Mutex
	failures int       // in a row
	until    time.Time // when it may be tried again, zero while it is trusted
	trying   bool      // whether it is back
	tried    bool      // ever
	last     error     // of the last attempt
	skipped  int64
}

// closed reports whether an attempt may be made; if not, how long that will be
// so. Each attempt that may has to end in done.
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

// done tells how an attempt ended. An answer of any kind closes the breaker, as
// does a refusal: somebody is there. What the caller did says nothing.
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

// Status is how a model is doing, as this process has seen it.
type Status struct {
	Provider, Model string
	// Last is the error of the last attempt, nil if it was answered, or if there
	// was none: Tried tells.
	Tried bool
	Last  error
	// LeftFor is how long it will not be asked, 0 while it is.
	LeftFor time.Duration
	// Skipped counts the attempts not made because it was left alone.
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
