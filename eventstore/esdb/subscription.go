package esdb

import (
	"context"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
)

// message is one thing a subscription of the server has to say.
type message struct {
	opened   bool                // the server has confirmed it
	event    *esdb.RecordedEvent // nil for a checkpoint
	position int64
}

// subscription is one of the server's, on a client of its own. Its messages end
// when it does.
type subscription struct {
	messages <-chan message
	stop     context.CancelFunc
}

// backlog is how many messages wait for the reader before the server has to.
const backlog = 512

// subscribe opens a subscription. It ends with ctx, with the store, when the
// server does not confirm it in time, and when the server ends it.
func (s *Store) subscribe(ctx context.Context, open func(context.Context, *esdb.Client) (*esdb.Subscription, error)) *subscription {
	messages := make(chan message, backlog)
	ctx, cancel := context.WithCancel(ctx)
	stopped := context.AfterFunc(s.background, cancel)
	go func() {
		defer close(messages)
		defer stopped()
		defer cancel()
		client, err := s.clients.make()
		if err != nil {
			return
		}
		defer client.Close()
		_, _ = guarded(ctx, client, func(ctx context.Context, c *esdb.Client) (none struct{}, err error) {
			return none, s.receiveAll(ctx, cancel, c, open, messages)
		})
	}()
	return &subscription{messages, cancel}
}

// receiveAll passes on what a subscription says. The client has no deadline for
// the confirmation.
func (s *Store) receiveAll(
	ctx context.Context, cancel context.CancelFunc, c *esdb.Client,
	open func(context.Context, *esdb.Client) (*esdb.Subscription, error), to chan<- message,
) error {
	patience := time.AfterFunc(s.o.Timeout, cancel)
	sub, err := open(ctx, c)
	patience.Stop()
	if err != nil {
		return err
	}
	defer sub.Close()
	next := message{opened: true}
	for {
		select {
		case to <- next:
		case <-ctx.Done():
			return ctx.Err()
		}
		for said := false; !said; {
			e := sub.Recv()
			if e.SubscriptionDropped != nil {
				return e.SubscriptionDropped.Error
			}
			next, said = toMessage(e)
		}
	}
}

// toMessage makes a message of what the server sent. Of checkpoints only those count
// that bear the position of an event: others speak of where the server reads on,
// and there have been versions where that was an event not yet delivered.
func toMessage(e *esdb.SubscriptionEvent) (m message, ok bool) {
	switch {
	case e.EventAppeared != nil:
		r := e.EventAppeared.OriginalEvent()
		return message{event: r, position: toInt(r.Position.Commit)}, true
	case e.CheckPointReached != nil && e.CheckPointReached.Commit == e.CheckPointReached.Prepare:
		return message{position: toInt(e.CheckPointReached.Commit)}, true
	}
	return message{}, false
}
