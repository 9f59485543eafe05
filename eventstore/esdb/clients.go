package esdb

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
)

// clients are the clients that calls take turns on.
type clients struct {
	config *esdb.Configuration
	turns  chan struct{} // a token for each call that may be under way

	mu     sync.Mutex
	idle   []pooled // the one used last is used first
	closed bool
}

// pooled is a client that calls take turns on.
type pooled struct {
	*esdb.Client
	made time.Time
}

// lifetime is how long a client is used. A cluster may elect another leader, and
// the old one still answers, with what it has got: nothing but the next search for
// a leader ends that.
const lifetime = time.Minute

func newClients(config *esdb.Configuration, n int) *clients {
	return &clients{config: config, turns: make(chan struct{}, n)}
}

// make gives a client of its own, which connects when it is first used.
func (c *clients) make() (*esdb.Client, error) {
	config := *c.config // the client keeps it, and shuffles what is in it
	config.GossipSeeds = append([]*esdb.EndPoint(nil), config.GossipSeeds...)
	return esdb.NewClient(&config)
}

// take waits for a turn and gives a client that is not too old.
func (c *clients) take(ctx context.Context) (pooled, error) {
	select {
	case c.turns <- struct{}{}:
	case <-ctx.Done():
		return pooled{}, ctx.Err()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.idle) > 0 {
		last := len(c.idle) - 1
		client := c.idle[last]
		c.idle = c.idle[:last]
		if time.Since(client.made) < lifetime {
			return client, nil
		}
		client.Close()
	}
	client, err := c.make()
	if err != nil {
		<-c.turns
	}
	return pooled{client, time.Now()}, err
}

// give ends a turn. A client that is not sound is thrown away.
func (c *clients) give(client pooled, sound bool) {
	c.mu.Lock()
	if sound = sound && !c.closed; sound {
		c.idle = append(c.idle, client)
	}
	c.mu.Unlock()
	if !sound {
		client.Close()
	}
	<-c.turns
}

// close closes what is idle; calls under way close theirs.
func (c *clients) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	for _, client := range c.idle {
		client.Close()
	}
	c.idle = nil
}

// turn runs one call on a client. When ctx ends before the client lets go, the
// call is left to itself: it ends when the client's own patience does, and keeps
// its turn until then.
func turn[T any](ctx context.Context, c *clients, call func(context.Context, *esdb.Client) (T, error)) (T, error) {
	type answer struct {
		value T
		err   error
	}
	client, err := c.take(ctx)
	if err != nil {
		return *new(T), err
	}
	done := make(chan answer, 1)
	go func() {
		value, err := guarded(ctx, client.Client, call)
		c.give(client, err == nil || isSound(err))
		done <- answer{value, err}
	}()
	select {
	case a := <-done:
		return a.value, a.err
	case <-ctx.Done():
		return *new(T), ctx.Err()
	}
}

// guarded turns a panic of the client, which it has for answers it did not
// expect, into an error.
func guarded[T any](ctx context.Context, client *esdb.Client, call func(context.Context, *esdb.Client) (T, error)) (value T, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &panicError{p}
		}
	}()
	return call(ctx, client)
}

// panicError is a panic of the client.
type panicError struct{ value any }

// Error implements error.
func (e *panicError) Error() string { return fmt.Sprintf("the client panicked: %v", e.value) }
