package esdbtest

import (
	"net"
	"sync"
)

// gate is a listener whose connections can be made to stand still, as those of
// a stopped process do: the kernel accepts, nobody answers.
type gate struct {
	net.Listener
	mu      sync.Mutex
	changed *sync.Cond
	shut    bool
	ended   bool
}

func newGate(l net.Listener) *gate {
	g := &gate{Listener: l}
	g.changed = sync.NewCond(&g.mu)
	return g
}

func (g *gate) Accept() (net.Conn, error) {
	conn, err := g.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &gated{Conn: conn, gate: g}, nil
}

func (g *gate) set(shut bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.shut = shut
	g.changed.Broadcast()
}

// open lets everybody through for good, so that connections can end.
func (g *gate) open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.ended = true
	g.changed.Broadcast()
}

func (g *gate) pass() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for g.shut && !g.ended {
		g.changed.Wait()
	}
}

type gated struct {
	net.Conn
	gate *gate
}

func (c *gated) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.gate.pass()
	return n, err
}

func (c *gated) Write(b []byte) (int, error) {
	c.gate.pass()
	return c.Conn.Write(b)
}

// Pause makes the node hang like a stopped process: connections stay open and new
// ones are accepted, but nothing is answered. Stop and Restart end it.
func (s *Server) Pause() { s.setPaused(true) }

// Resume ends Pause. What arrived meanwhile is answered.
func (s *Server) Resume() { s.setPaused(false) }

func (s *Server) setPaused(paused bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gate != nil {
		s.gate.set(paused)
	}
}
