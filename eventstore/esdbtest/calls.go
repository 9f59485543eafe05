package esdbtest

import (
	"context"
	"errors"
	"path"
	"sync"

	"github.com/EventStore/EventStore-Client-Go/v4/protos/streams"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
)

// faults by method, and how often each was called.
type faults struct {
	mu    sync.Mutex
	next  map[string][]Fault
	all   map[string]Fault
	calls map[string]int
}

// FailNext makes the next call of a method meet a fault, once; several queue up.
func (s *Server) FailNext(method string, f Fault) {
	s.faults.mu.Lock()
	defer s.faults.mu.Unlock()
	if s.faults.next == nil {
		s.faults.next = map[string][]Fault{}
	}
	s.faults.next[method] = append(s.faults.next[method], f)
}

// FailAll makes every call of a method meet a fault until Heal.
func (s *Server) FailAll(method string, f Fault) {
	s.faults.mu.Lock()
	defer s.faults.mu.Unlock()
	if s.faults.all == nil {
		s.faults.all = map[string]Fault{}
	}
	s.faults.all[method] = f
}

// Heal removes all faults. Calls that have met one are not freed.
func (s *Server) Heal() {
	s.faults.mu.Lock()
	defer s.faults.mu.Unlock()
	s.faults.next, s.faults.all = nil, nil
}

// Calls counts the calls of a method, including failed ones.
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

// Services, as the path of a call names them.
const (
	streamsPath = "/event_store.client.streams.Streams"
	gossipPath  = "/event_store.client.gossip.Gossip"
)

func newCall(ctx context.Context, full string) *Call {
	c := &Call{Method: path.Base(full), Context: ctx, receive: func() {}, allowed: -1}
	if path.Dir(full) == gossipPath {
		c.Method = "Gossip"
	}
	return c
}

// ready says why this node cannot serve a call now. Only streams need a cluster
// that works.
func (s *Server) ready(ctx context.Context, method string) error {
	if path.Dir(method) != streamsPath {
		return nil
	}
	return s.cluster.serves(ctx, s)
}

// unary and stream stand before every call: faults first, then errors turned
// into a status with its trailers.
func (s *Server) unary(ctx context.Context, request any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (response any, err error) {
	c := newCall(ctx, info.FullMethod)
	c.proceed = func(ctx context.Context) (err error) {
		if err := s.ready(ctx, info.FullMethod); err != nil {
			return err
		}
		response, err = handler(ctx, request)
		return err
	}
	err = s.run(c)
	return response, settle(err, func(trailers metadata.MD) { _ = grpc.SetTrailer(ctx, trailers) })
}

func (s *Server) stream(service any, stream grpc.ServerStream, info *grpc.StreamServerInfo, handler grpc.StreamHandler) error {
	c := newCall(stream.Context(), info.FullMethod)
	if info.IsClientStream && !info.IsServerStream {
		c.receive = func() {
			for stream.RecvMsg(&streams.AppendReq{}) == nil {
			}
		}
	}
	c.proceed = func(ctx context.Context) error {
		if err := s.ready(ctx, info.FullMethod); err != nil {
			c.receive()
			return err
		}
		return handler(service, &tapped{stream, ctx, c})
	}
	return settle(s.run(c), stream.SetTrailer)
}

func settle(err error, set func(metadata.MD)) error {
	refused, ok := errors.AsType[*rpcError](err)
	if !ok {
		return err
	}
	set(refused.trailers)
	return refused.status.Err()
}

// tapped is a stream whose answer a fault may break.
type tapped struct {
	grpc.ServerStream
	ctx  context.Context
	call *Call
}

func (t *tapped) Context() context.Context { return t.ctx }

func (t *tapped) SendMsg(m any) error {
	if t.call.forget {
		return nil
	}
	if err := t.ServerStream.SendMsg(m); err != nil || t.call.allowed < 0 {
		return err
	}
	if t.call.allowed--; t.call.allowed == 0 {
		return errBroken
	}
	return nil
}
