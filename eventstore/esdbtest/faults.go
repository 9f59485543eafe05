package esdbtest

import (
	"context"
	"time"

	"google.golang.org/grpc/codes"
)

// Call is one call of a client, on its way to the server.
type Call struct {
	// Method is its name without the service: "Append", "Read", "BatchAppend",
	// "Delete", "Tombstone", "GetSupportedMethods". The read of the gossip is
	// "Gossip".
	Method string
	// Context ends when the client gives up or the node goes down.
	Context context.Context

	proceed func(context.Context) error
	receive func() // reads what the client has to say to its end
	forget  bool   // drop what the server answers
	allowed int    // messages of the answer before it breaks, -1 for all
}

// Proceed lets the server handle the call and returns its result.
func (c *Call) Proceed() error { return c.proceed(c.Context) }

// Fault sits between a call and the server: it answers with an error or lets the call
// proceed. A fault may call another.
type Fault func(*Call) error

// errBroken is what a client sees of a connection that broke.
var errBroken = refuse(codes.Unavailable, "error reading from server: EOF")

// Refuse answers with a status without doing anything. It reads the request first: a
// client that is refused while it sends is told differently, as for an append over
// its limits.
func Refuse(code codes.Code, text string) Fault { return answer(refuse(code, text)) }

func answer(err error) Fault {
	return func(c *Call) error {
		c.receive()
		return err
	}
}

// Unavailable answers like a node that is not ready.
func Unavailable() Fault { return answer(errNotReady()) }

// NotLeader answers like a follower that does not serve the call and names the
// leader.
func NotLeader(host string, port int) Fault { return answer(errNotLeader(host, port)) }

// Hang takes the call and never answers.
func Hang() Fault {
	return func(c *Call) error {
		<-c.Context.Done()
		return c.Context.Err()
	}
}

// Delay lets the call through late.
func Delay(d time.Duration) Fault {
	return func(c *Call) error {
		select {
		case <-time.After(d):
			return c.Proceed()
		case <-c.Context.Done():
			return c.Context.Err()
		}
	}
}

// LoseAnswer lets the server handle the call and breaks the connection before the
// client gets the answer.
func LoseAnswer() Fault {
	return func(c *Call) error {
		c.forget = true
		if err := c.Proceed(); err != nil {
			return err
		}
		return errBroken
	}
}

// DropAfter breaks the answer off after a number of messages. A subscription's
// confirmation counts as one.
func DropAfter(messages int) Fault {
	return func(c *Call) error {
		if messages == 0 {
			return errBroken
		}
		c.allowed = messages
		return c.Proceed()
	}
}

// DropWhen breaks the answer off when a channel is closed, including a subscription
// that waits for events.
func DropWhen(signal <-chan struct{}) Fault {
	return func(c *Call) error {
		ctx, cancel := context.WithCancel(c.Context)
		defer cancel()
		go func() {
			select {
			case <-signal:
				cancel()
			case <-ctx.Done():
			}
		}()
		err := c.proceed(ctx)
		if ctx.Err() != nil && c.Context.Err() == nil {
			return errBroken
		}
		return err
	}
}
