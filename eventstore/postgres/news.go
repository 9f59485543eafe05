package postgres

import (
	"context"
	"sync"
	"time"
)

// news tells waiters how far the log is known to reach.
type news struct {
	mu    sync.Mutex
	head  int64
	moved chan struct{} // closed at the next news; nil while nobody waits
}

func newNews() *news { return &news{} }

// reach says that the log reaches a position.
func (n *news) reach(position int64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if position > n.head {
		n.head = position
		n.wake()
	}
}

// forget drops what is known, for a log that may reach less far.
func (n *news) forget() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.head = 0
	n.wake()
}

// rouse wakes everyone: something may have been missed.
func (n *news) rouse() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.wake()
}

func (n *news) known() int64 {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.head
}

func (n *news) wake() {
	if n.moved != nil {
		close(n.moved)
		n.moved = nil
	}
}

// beyond gives nil when the log is known to reach beyond a position, else what
// is closed at the next news.
func (n *news) beyond(position int64) <-chan struct{} {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.head > position {
		return nil
	}
	if n.moved == nil {
		n.moved = make(chan struct{})
	}
	return n.moved
}

// Wait implements eventstore.Feed.
func (s *Store) Wait(ctx context.Context, after int64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	moved := s.news.beyond(after)
	if moved == nil {
		return nil
	}
	floor := time.NewTimer(s.floor())
	defer floor.Stop()
	select {
	case <-moved:
	case <-floor.C:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}
