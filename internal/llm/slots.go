package llm

import (
	"context"
	"sync/atomic"
	"time"
)

// slots bound the calls at one provider at a time.
type slots struct {
	free    chan struct{}
	waiting atomic.Int64
	refused atomic.Int64
}

func newSlots(n int) *slots { return &slots{free: make(chan struct{}, n)} }

// take waits for a slot, to be returned with give. It returns false if none became
// free in time.
func (s *slots) take(ctx context.Context, within time.Duration) bool {
	select {
	case s.free <- struct{}{}:
		return true
	default:
	}
	s.waiting.Add(1)
	defer s.waiting.Add(-1)
	t := time.NewTimer(within)
	defer t.Stop()
	select {
	case s.free <- struct{}{}:
		return true
	case <-t.C:
	case <-ctx.Done():
	}
	s.refused.Add(1)
	return false
}

func (s *slots) give() { <-s.free }

// Load is how busy this process keeps a provider.
type Load struct {
	Provider string
	// Calls are under way, Waiting are the questions that wait for a slot, and Limit
	// is the number of slots.
	Calls, Waiting, Limit int
	// Refused counts the questions that waited in vain.
	Refused int64
}
