package esdb

import (
	"context"
	"sync"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
)

// news tells waiters how far the log is known to reach.
type news struct {
	mu    sync.Mutex
	head  int64
	dry   int64         // a reader found nothing after this position
	moved chan struct{} // closed at the next news; nil while nobody waits
}

// reach says that the log reaches a position.
func (n *news) reach(position int64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if position > n.head {
		n.head, n.dry = position, -1
		n.wake()
	}
}

// rouse wakes everyone: something may have been missed.
func (n *news) rouse() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.wake()
}

func (n *news) wake() {
	if n.moved != nil {
		close(n.moved)
		n.moved = nil
	}
}

// known is how far the log is known to reach.
func (n *news) known() int64 {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.head
}

// missed says that there was nothing to read after a position, when the log was
// known to reach to head. Where that is further, another node said so, and waiting
// is better than asking again and again.
func (n *news) missed(after, head int64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if head == n.head {
		n.dry = after
	}
}

// beyond gives nil when there is something to read after a position, else what is
// closed at the next news.
func (n *news) beyond(after int64) <-chan struct{} {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.head > after && n.dry != after {
		return nil
	}
	if n.moved == nil {
		n.moved = make(chan struct{})
	}
	return n.moved
}

// Wait implements eventstore.Feed.
func (s *Store) Wait(ctx context.Context, after int64) error {
	moved := s.news.beyond(after)
	if err := ctx.Err(); err != nil || moved == nil {
		return err
	}
	floor := time.NewTimer(s.o.PollFloor)
	defer floor.Stop()
	select {
	case <-moved:
	case <-floor.C:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// listen hears of every new event by a subscription, and subscribes again when
// that is lost.
func (s *Store) listen() {
	const first, longest = 100 * time.Millisecond, 5 * time.Second
	for pause := first; s.background.Err() == nil; pause = min(2*pause, longest) {
		began := time.Now()
		s.hear()
		if time.Since(began) > s.o.Timeout {
			pause = first
		}
		sleep(s.background, pause)
	}
}

func (s *Store) hear() {
	sub := s.subscribe(s.background, func(ctx context.Context, c *esdb.Client) (*esdb.Subscription, error) {
		return c.SubscribeToAll(ctx, esdb.SubscribeToAllOptions{From: esdb.End{}})
	})
	defer sub.stop()
	for {
		select {
		case <-s.background.Done():
			return // the client may take its time
		case m, ok := <-sub.messages:
			switch {
			case !ok:
				return
			case m.opened:
				s.news.rouse() // for what came while nobody listened
			default:
				s.news.reach(m.position)
			}
		}
	}
}
