package crawl

import (
	"context"
	"sync"
	"time"
)

// Clock is the time of politeness: of pauses, of how long a robots.txt is good for.
// Bounds of a request are in real time.
type Clock interface {
	Now() time.Time
	// Sleep returns after d, or with the context's error when that ends first.
	Sleep(ctx context.Context, d time.Duration) error
}

type systemClock struct{}

func (systemClock) Now() time.Time { return time.Now() }

func (systemClock) Sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// maxGates bounds the hosts remembered at a time.
const maxGates = 10_000

// gates let one request at a time through to a host, with a pause after each.
type gates struct {
	clock   Clock
	maxWait time.Duration
	mu      sync.Mutex
	byHost  map[string]*gate
}

// gate is that of one host. Its times are touched only by whoever holds its place.
type gate struct {
	place chan struct{} // holds one
	users int           // that hold it or wait for it; under gates.mu
	ended time.Time     // of the last request
	until time.Time     // the host wants to be left alone
}

// enter waits until host may be asked, and returns what has to be called when the
// answer has been read. It returns a Busy error, without waiting, for a host that wants
// to be left alone for longer than maxWait.
func (gs *gates) enter(ctx context.Context, host, url string, pause time.Duration) (*gate, error) {
	g := gs.use(host)
	select {
	case g.place <- struct{}{}:
	case <-ctx.Done():
		gs.unuse(g)
		return nil, ctx.Err()
	}
	now := gs.clock.Now()
	if alone := g.until.Sub(now); alone > gs.maxWait {
		gs.leave(g)
		return nil, failed(Busy, url, "the host asked to be left alone for %s", alone.Round(time.Second)).later(alone)
	}
	next := g.until
	if after := g.ended.Add(pause); !g.ended.IsZero() && after.After(next) {
		next = after
	}
	if wait := next.Sub(now); wait > 0 {
		if err := gs.clock.Sleep(ctx, wait); err != nil {
			gs.leave(g)
			return nil, err
		}
	}
	return g, nil
}

// done gives the place back after a request.
func (gs *gates) done(g *gate) {
	g.ended = gs.clock.Now()
	gs.leave(g)
}

func (gs *gates) leave(g *gate) {
	<-g.place
	gs.unuse(g)
}

func (gs *gates) use(host string) *gate {
	gs.mu.Lock()
	defer gs.mu.Unlock()
	g := gs.byHost[host]
	if g == nil {
		gs.makeRoom()
		g = &gate{place: make(chan struct{}, 1)}
		gs.byHost[host] = g
	}
	g.users++
	return g
}

func (gs *gates) unuse(g *gate) {
	gs.mu.Lock()
	defer gs.mu.Unlock()
	g.users--
}

// makeRoom forgets hosts that nobody is at, all those whose time is over or, if there
// are none, any one of them.
func (gs *gates) makeRoom() {
	if len(gs.byHost) < maxGates {
		return
	}
	now := gs.clock.Now()
	idle := ""
	for host, g := range gs.byHost {
		if g.users > 0 {
			continue
		}
		idle = host
		if now.After(g.until) && now.Sub(g.ended) > gs.maxWait {
			delete(gs.byHost, host)
		}
	}
	if len(gs.byHost) >= maxGates && idle != "" {
		delete(gs.byHost, idle)
	}
}
