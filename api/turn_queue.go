package api

import (
	"container/list"
	"context"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/stepledger/stepledger/domain"
)

// Turns work on the processor and on a few connections, which more of them at a time than
// there is room for only keep from each other. Beyond places of them, requests whose body
// was read wait in the order they came, and beyond that they are refused: nothing was
// claimed or stored for them. Their bodies count in the body budget while they wait.
const (
	// turnsPerCore at work keep a core busy while some of them wait for the database.
	turnsPerCore = 4
	// waitingPerPlace is what a place works off while a request is patient, by some margin.
	waitingPerPlace = 32
)

// TurnQueue says how busy a server is with turns.
type TurnQueue struct {
	Working int // at most as many as there are places
	Waiting int // for a place, those who come back to theirs included
	// Refused counts requests that found no room or waited in vain, since the start.
	Refused int
	// Waited is how long requests waited for a place in all, since the start.
	Waited time.Duration
}

// turnQueue hands out the places turns work at. No tenant has more than half of those who
// wait.
type turnQueue struct {
	places, length, each int

	mu      sync.Mutex
	working int
	// back are those who return to their turn, who go first: they have spent money.
	back, line list.List // of *waiter
	by         map[string]int
	refused    int
	waited     time.Duration
}

type waiter struct {
	tenant string
	ready  chan struct{} // closed with the place in hand
}

// newTurnQueue has places for as many turns; 0 means for as many as the processor has.
func newTurnQueue(places int) *turnQueue {
	if places <= 0 {
		places = turnsPerCore * runtime.GOMAXPROCS(0)
	}
	length := waitingPerPlace * places
	return &turnQueue{places: places, length: length, each: length / 2, by: map[string]int{}}
}

// enter waits for a place for a tenant's turn: for as long at most, and not after ctx has
// ended.
func (q *turnQueue) enter(ctx context.Context, tenant string, atMost time.Duration) (*place, error) {
	q.mu.Lock()
	if q.working < q.places {
		q.working++
		q.mu.Unlock()
		return &place{q: q, held: true}, nil
	}
	if q.line.Len() >= q.length || q.by[tenant] >= q.each {
		q.refused++
		q.mu.Unlock()
		return nil, busyWithTurns()
	}
	w := &waiter{tenant, make(chan struct{})}
	at := q.line.PushBack(w)
	q.by[tenant]++
	q.mu.Unlock()

	began, timer := time.Now(), time.NewTimer(atMost)
	defer timer.Stop()
	var err error
	select {
	case <-w.ready:
	case <-ctx.Done():
		err = fmt.Errorf("wait for a turn: %w", ctx.Err())
	case <-timer.C:
		err = busyWithTurns()
	}
	if err != nil && q.gaveUp(&q.line, at, began) {
		return nil, err
	}
	q.mu.Lock()
	q.waited += time.Since(began)
	q.mu.Unlock()
	return &place{q: q, held: true}, nil
}

// gaveUp takes out of a list who waits no longer, unless the place came after all.
func (q *turnQueue) gaveUp(of *list.List, at *list.Element, began time.Time) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	w, _ := at.Value.(*waiter)
	select {
	case <-w.ready:
		return false
	default:
	}
	of.Remove(at)
	if of == &q.line {
		q.forget(w.tenant)
		q.refused++
		q.waited += time.Since(began)
	}
	return true
}

// backWithin bounds the wait of a turn that stepped aside. Those who come back go first, so
// it is far longer than they wait; a turn that has spent money is not given up for it.
const backWithin = 30 * time.Second

// comeBack waits for the place of a turn that stepped aside. What the turn waited for has
// had its own time, which says nothing of the turn's.
func (q *turnQueue) comeBack() bool {
	q.mu.Lock()
	if q.working < q.places {
		q.working++
		q.mu.Unlock()
		return true
	}
	w := &waiter{ready: make(chan struct{})}
	at := q.back.PushBack(w)
	q.mu.Unlock()
	timer := time.NewTimer(backWithin)
	defer timer.Stop()
	select {
	case <-w.ready:
		return true
	case <-timer.C:
		return !q.gaveUp(&q.back, at, time.Time{})
	}
}

// leave hands a place on to who waits longest.
func (q *turnQueue) leave() {
	q.mu.Lock()
	defer q.mu.Unlock()
	next := &q.back
	if next.Len() == 0 {
		next = &q.line
	}
	at := next.Front()
	if at == nil {
		q.working--
		return
	}
	w, _ := next.Remove(at).(*waiter)
	if next == &q.line {
		q.forget(w.tenant)
	}
	close(w.ready)
}

func (q *turnQueue) forget(tenant string) {
	if q.by[tenant]--; q.by[tenant] == 0 {
		delete(q.by, tenant)
	}
}

func busyWithTurns() error {
	e := domain.Errorf(domain.Unavailable, domain.CodeBusy, "too many requests are under way")
	e.RetryAfter = retryBusy
	return e
}

// place is where one turn works.
type place struct {
	q *turnQueue

	mu    sync.Mutex
	held  bool
	aside int // how many of the turn's calls wait outside
	// returning: one of them waits for a place already.
	returning, over bool
}

// leave ends the turn's claim to a place.
func (p *place) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = true
	p.release()
}

func (p *place) release() {
	if p.held {
		p.held = false
		p.q.leave()
	}
}

// stepAside gives the place to another until back is called.
func (p *place) stepAside() (back func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.aside++
	p.release()
	return sync.OnceFunc(func() {
		p.mu.Lock()
		p.aside--
		needed := p.aside == 0 && !p.over && !p.held && !p.returning
		p.returning = p.returning || needed
		p.mu.Unlock()
		if !needed {
			return
		}
		came := p.q.comeBack()
		p.mu.Lock()
		defer p.mu.Unlock()
		p.returning = false
		if came && (p.over || p.aside > 0) { // it ended meanwhile, or waits outside again
			p.q.leave()
			return
		}
		p.held = came
	})
}

// StepAside is called before a turn waits for what is none of this machine's work, as an
// answer of a model: others work in its place meanwhile, so that slow models keep no turn
// from going on that needs none. back returns once there is a place again; a turn that
// comes back is not refused. For a context of no turn both do nothing.
func StepAside(ctx context.Context) (back func()) {
	if c := callOf(ctx); c != nil && c.place != nil {
		return c.place.stepAside()
	}
	return func() {}
}

// TurnQueue says how busy the server is with turns.
func (s *Server) TurnQueue() TurnQueue {
	q := s.turns
	q.mu.Lock()
	defer q.mu.Unlock()
	return TurnQueue{q.working, q.line.Len() + q.back.Len(), q.refused, q.waited}
}
