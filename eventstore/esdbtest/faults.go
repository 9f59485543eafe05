package esdbtest

import (
	"context"
	"errors"
	"path"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
)

// Call is one call of a client, on its way to the server.
type Call struct {
	// Method is its name without the service: "Append", "Read", "BatchAppend",
	// "Delete", "Tombstone", "GetSupportedMethods". The read of the gossip is
	// "Gossip".
	Method string
	// Context ends when the client gives up or the node goes down.
	Context context.Context

	proceed   func() error
	forget    bool // drop what the server answers
	remaining int  // messages to let through before the break, -1 for all
}

// Proceed lets the server do its work and returns what came of it.
func (c *Call) Proceed() error { return c.proceed() }

// Fault stands between a call and the server. It either answers with an error
// or lets the call proceed.
type Fault func(*Call) error

// Refuse answers with a status, without doing anything.
func Refuse(code codes.Code, text string) Fault {
	return func(*Call) error { return refuse(code, text) }
}

// Unavailable answers as a node does that is not ready.
func Unavailable() Fault { return Refuse(codes.Unavailable, "Server Is Not Ready") }

// NotLeader answers as a follower does that will not write, naming the leader.
func NotLeader(host string, port int) Fault {
	return func(*Call) error { return errNotLeader(host, port) }
}

// Hang takes the call and never answers.
func Hang() Fault {
	return func(c *Call) error {
		<-c.Context.Done()
		return c.Context.Err()
	}
}

// Delay answers late.
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

// LoseAnswer lets the server do its work, and the connection break before the
// client hears of it.
func LoseAnswer() Fault {
	return func(c *Call) error {
		c.forget = true
		if err := c.Proceed(); err != nil {
			return err
		}
		return refuse(codes.Unavailable, "error reading from server: EOF")
	}
}

// errBroken ends a call in the middle of its answer.
var errBroken = refuse(codes.Unavailable, "error reading from server: EOF")

// DropAfter lets a number of messages of the answer through and then breaks it
// off. The confirmation of a subscription is one of them.
func DropAfter(messages int) Fault {
	return func(c *Call) error {
		c.remaining = messages
		return c.Proceed()
	}
}

// faults by method, and how often each was called.
type faults struct {
	mu    sync.Mutex
	next  map[string][]Fault
	all   map[string]Fault
	calls map[string]int
}

// FailNext has the next call of a method meet a fault, once; more of them queue.
func (s *Server) FailNext(method string, f Fault) {
	s.faults.mu.Lock()
	defer s.faults.mu.Unlock()
	if s.faults.next == nil {
		s.faults.next = map[string][]Fault{}
	}
	s.faults.next[method] = append(s.faults.next[method], f)
}

// FailAll has every call of a method meet a fault until Heal.
func (s *Server) FailAll(method string, f Fault) {
	s.faults.mu.Lock()
	defer s.faults.mu.Unlock()
	if s.faults.all == nil {
		s.faults.all = map[string]Fault{}
	}
	s.faults.all[method] = f
}

// Heal takes all faults away. Calls that met one already are not freed.
func (s *Server) Heal() {
	s.faults.mu.Lock()
	defer s.faults.mu.Unlock()
	s.faults.next, s.faults.all = nil, nil
}

// Calls is how often a method was called, faults included.
func (s *Server) Calls(method string) int {
	s.faults.mu.Lock()
	defer s.faults.mu.Unlock()
	return s.faults.calls[method]
}

// take counts a call and gives the fault it is to meet, nil for none.
func (f *faults) take(method string) Fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.calls == nil {
		f.calls = map[string]int{}
	}
	f.calls[method]++
	if queue := f.next[method]; len(queue) > 0 {
		f.next[method] = queue[1:]
		return queue[0]
	}
	return f.all[method]
}

// run sends a call through its fault, if it has one.
func (s *Server) run(c *Call) error {
	if fault := s.faults.take(c.Method); fault != nil {
		return fault(c)
	}
	return c.Proceed()
}

func methodName(full string) string {
	if path.Dir(full) == "/event_store.client.gossip.Gossip" {
		return "Gossip"
	}
	return path.Base(full)
}

// unary and stream stand before every call: faults first, then errors turned
// into a status with its trailers.
func (s *Server) unary(ctx context.Context, request any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (response any, err error) {
	c := &Call{Method: methodName(info.FullMethod), Context: ctx, remaining: -1}
	c.proceed = func() (err error) {
		response, err = handler(ctx, request)
		return err
	}
	err = s.run(c)
	return response, settle(err, func(md metadata.MD) { _ = grpc.SetTrailer(ctx, md) })
}

func (s *Server) stream(service any, stream grpc.ServerStream, info *grpc.StreamServerInfo, handler grpc.StreamHandler) error {
	c := &Call{Method: methodName(info.FullMethod), Context: stream.Context(), remaining: -1}
	c.proceed = func() error { return handler(service, &tapped{stream, c}) }
	return settle(s.run(c), stream.SetTrailer)
}

func settle(err error, set func(metadata.MD)) error {
	var refused *rpcError
	if !errors.As(err, &refused) {
		return err
	}
	set(refused.trailers)
	return refused.status.Err()
}

// tapped is a stream whose answer a fault may break.
type tapped struct {
	grpc.ServerStream
	call *Call
}

func (t *tapped) SendMsg(m any) error {
	switch {
	case t.call.forget:
		return nil
	case t.call.remaining == 0:
		return errBroken
	case t.call.remaining > 0:
		t.call.remaining--
	}
	return t.ServerStream.SendMsg(m)
}
