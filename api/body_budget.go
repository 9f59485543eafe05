package api

import (
	"sync"
	"time"

	"github.com/stepledger/stepledger/domain"
)

// Bytes of bodies held at once, by all requests and by those of one tenant, so that
// no tenant takes all of it. A body counts from when it is read until its request is
// answered, and takes several times its bytes meanwhile.
const (
	bytesInFlight       = 256 << 20
	tenantBytesInFlight = bytesInFlight / 2
)

// retryBusy is when there may be room again.
const retryBusy = 2 * time.Second

// bodyBudget counts the bytes of bodies under way.
type bodyBudget struct {
	all, each int64 // how many there may be

	mu  sync.Mutex
	now int64
	by  map[string]int64
}

func newBodyBudget(all, each int64) *bodyBudget {
	return &bodyBudget{all: all, each: each, by: map[string]int64{}}
}

// take reserves n more bytes for a call. It returns an Unavailable error if there is
// no room.
func (f *bodyBudget) take(c *call, n int64) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	who := c.who.TenantID
	if f.now+n > f.all || f.by[who]+n > f.each {
		e := domain.Errorf(domain.Unavailable, domain.CodeBusy, "too many large requests are under way")
		e.RetryAfter = retryBusy
		return e
	}
	f.now += n
	f.by[who] += n
	c.held += n
	return nil
}

// give returns n of the bytes a call has reserved.
func (f *bodyBudget) give(c *call, n int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	who := c.who.TenantID
	f.now -= n
	if f.by[who] -= n; f.by[who] == 0 {
		delete(f.by, who)
	}
	c.held -= n
}

// release frees what a call holds.
func (f *bodyBudget) release(c *call) {
	if c.held != 0 {
		f.give(c, c.held)
	}
}
