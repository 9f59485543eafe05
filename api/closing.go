package api

import (
	"context"
	"net/http"
	"strings"
	"sync"

	"github.com/stepledger/stepledger/domain"
)

// closing is whether the server takes requests, and how many are running.
type closing struct {
	mu      sync.Mutex
	closed  bool
	running int
	idle    chan struct{} // closed once none is running after closed
}

// Close refuses all requests from now on with 503, a Retry-After and Connection: close,
// but those for the health: another process, or this one started anew, will take them.
// Those that run go on. Ready says so before anybody is refused elsewhere.
func (s *Server) Close() {
	c := &s.closing
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return
	}
	c.closed, c.idle = true, make(chan struct{})
	if c.running == 0 {
		close(c.idle)
	}
}

// Closed waits until all requests that were running at Close have been answered, or ctx
// ends. It returns how many still run.
func (s *Server) Closed(ctx context.Context) (running int) {
	select {
	case <-s.closing.idle:
	case <-ctx.Done():
	}
	s.closing.mu.Lock()
	defer s.closing.mu.Unlock()
	return s.closing.running
}

// enter counts a request, unless the server is closed.
func (c *closing) enter() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false
	}
	c.running++
	return true
}

func (c *closing) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running--; c.running == 0 && c.closed {
		close(c.idle)
	}
}

func (c *closing) isClosed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closed
}

// healthPaths begin with it: they are answered to the end.
const healthPaths = "/api/health"

// untilClosed refuses requests of a closed server. The answers of those that run tell the
// client to come back on another connection, which may be another process's.
func (s *Server) untilClosed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, healthPaths) {
			next.ServeHTTP(w, r)
			return
		}
		if !s.closing.enter() {
			w.Header().Set("Connection", "close")
			s.writeError(w, r, domain.Errorf(domain.Unavailable, domain.CodeBusy, "this server is about to stop; send the same request again"))
			return
		}
		defer s.closing.leave()
		next.ServeHTTP(w, r)
		if s.closing.isClosed() {
			w.Header().Set("Connection", "close")
		}
	})
}
