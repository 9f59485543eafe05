package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stepledger/stepledger/commands/interact"
)

// probeEvery is how often a balancer asks a replica whether it takes turns.
const probeEvery = 300 * time.Millisecond

// place is where a replica serves.
type place struct {
	base, instance string
	out            bool // taken out by the operator
	coming         int  // requests picked for it that are not sent yet
	ready          bool // as it said last
}

// balancer gives each request to the next replica that says it is ready, as what stands
// before replicas does.
type balancer struct {
	http   *http.Client
	mu     sync.Mutex
	places []*place
	next   int
}

func (b *balancer) put(i int, p *place) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.places[i] = p
}

func (b *balancer) takeOut(i int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.places[i].out = true
}

// pick is the replica for the next request, nil if none is ready.
func (b *balancer) pick() *place {
	b.mu.Lock()
	defer b.mu.Unlock()
	for range b.places {
		b.next = (b.next + 1) % len(b.places)
		if p := b.places[b.next]; p.ready && !p.out {
			p.coming++
			return p
		}
	}
	return nil
}

// sent notes that a request picked for a replica is with it, or never will be.
func (b *balancer) sent(p *place) {
	b.mu.Lock()
	defer b.mu.Unlock()
	p.coming--
}

// coming reports whether a request is on its way to a replica.
func (b *balancer) coming(i int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.places[i].coming > 0
}

// say notes whether a replica is ready.
func (b *balancer) say(p *place, ready bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	p.ready = ready
}

// probe asks all replicas again and again until ctx ends.
func (b *balancer) probe(ctx context.Context) {
	for ctx.Err() == nil {
		b.ask(ctx)
		_ = nap(ctx, probeEvery)
	}
}

// ask asks all replicas whether they are ready. It reports whether all are.
func (b *balancer) ask(ctx context.Context) (all bool) {
	var asking sync.WaitGroup
	b.mu.Lock()
	places := slices.Clone(b.places)
	b.mu.Unlock()
	for _, p := range places {
		asking.Go(func() {
			r, err := client{base: p.base, http: b.http}.do(ctx, http.MethodGet, "/api/health/ready", nil, nil)
			b.say(p, err == nil && r.status == http.StatusOK)
		})
	}
	asking.Wait()
	b.mu.Lock()
	defer b.mu.Unlock()
	return !slices.ContainsFunc(b.places, func(p *place) bool { return !p.ready || p.out })
}

// nap waits. It returns an error if ctx ends before that.
func nap(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// pursuer is a client on its way through a task.
type pursuer struct {
	*pursuit
	told []toldAt // of each answer
	// at is the instance that has its request now, "" for none; since is when something
	// happened to the request that is measured until the answer, for the list in.
	at    string
	since time.Time
	in    *[]time.Duration
}

// toldAt is what an answer said of its place in the log, and at which stage of the run its
// request was first sent and answered.
type toldAt struct {
	tag, position   string
	asked, answered int32
}

// callers are clients that go on as the browser extension does: a request that got no
// answer, or was told to come later, is sent again as it was, to any replica.
type callers struct {
	balancer *balancer
	token    string
	newTask  func() *pursuit
	stage    atomic.Int32

	mu     sync.Mutex
	all    []*pursuer
	took   []time.Duration
	gone   int // requests that got no answer, later ones of the same key included
	later  int // that were told to come later
	faults []string
}

// longestWait is the extension's longest wait before it tries again; the first is a second.
const longestWait = 30 * time.Second

// turnWithin is when a client that has no answer counts as stuck.
const turnWithin = 3 * time.Minute

func (c *callers) join() *pursuer {
	v := &pursuer{pursuit: c.newTask()}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = append(c.all, v)
	return v
}

// turn has the client's next request answered.
func (c *callers) turn(ctx context.Context, v *pursuer) error {
	ctx, cancel := context.WithTimeout(ctx, turnWithin)
	defer cancel()
	key, body := v.request()
	began, asked := time.Now(), c.stage.Load()
	for failed := 0; ; failed++ {
		r, err := c.send(ctx, v, key, body)
		switch {
		case err == nil && r.status == http.StatusOK:
			c.note(v, time.Since(began), toldAt{r.header.Get("ETag"), r.header.Get("X-Event-Position"), asked, c.stage.Load()})
			return v.took(key, body, r)
		case err == nil && !comeAgain(r):
			return fmt.Errorf("status %d: %s", r.status, r.body)
		}
		again, _ := strconv.Atoi(r.header.Get("Retry-After"))
		wait := max(time.Duration(again)*time.Second, min(time.Second<<failed, longestWait))
		if late := nap(ctx, wait); late != nil {
			return fmt.Errorf("no answer after %d tries: %w, %d %s", failed+1, errors.Join(late, err), r.status, r.body)
		}
	}
}

func comeAgain(r reply) bool {
	return (r.status == http.StatusServiceUnavailable || r.status == http.StatusConflict) && r.header.Get("Retry-After") != ""
}

// took goes on by an answer.
func (v *pursuer) took(key string, body []byte, r reply) error {
	var envelope struct{ Data interact.Answer }
	if err := json.Unmarshal(r.body, &envelope); err != nil {
		return err
	}
	v.exchanges = append(v.exchanges, exchange{key, body, r.body})
	return v.follow(envelope.Data)
}

// send gives a request to a replica once.
func (c *callers) send(ctx context.Context, v *pursuer, key string, body []byte) (reply, error) {
	p := c.balancer.pick()
	if p == nil {
		return reply{status: http.StatusServiceUnavailable, header: http.Header{"Retry-After": {"1"}}}, nil
	}
	c.lend(v, p.instance)
	defer c.lend(v, "")
	sent := sync.OnceFunc(func() { c.balancer.sent(p) })
	defer sent()
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteRequest: func(httptrace.WroteRequestInfo) { sent() }})
	r, err := client{base: p.base, token: c.token, http: c.balancer.http}.interact(ctx, key, body)
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case err != nil:
		c.gone++
		c.balancer.say(p, false) // until it is asked
	case r.status != http.StatusOK:
		c.later++
	}
	return r, err
}

func (c *callers) lend(v *pursuer, instance string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	v.at = instance
}

func (c *callers) note(v *pursuer, took time.Duration, t toldAt) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.took = append(c.took, took)
	v.told = append(v.told, t)
	if !v.since.IsZero() {
		*v.in = append(*v.in, time.Since(v.since))
		v.since = time.Time{}
	}
}

// hit notes the moment for all requests that an instance has, "" for any, and returns how
// many. How long they then take to be answered is added to the list.
func (c *callers) hit(instance string, in *[]time.Duration) (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	for _, v := range c.all {
		if v.at != "" && (instance == "" || v.at == instance) {
			v.since, v.in = now, in
			n++
		}
	}
	return n
}

// over reports whether all requests that were hit have their answers.
func (c *callers) over() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !slices.ContainsFunc(c.all, func(v *pursuer) bool { return !v.since.IsZero() })
}

// answered waits until they have, as long as a client may wait.
func (c *callers) answered(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), turnWithin)
	defer cancel()
	if err := repeat(ctx, c.over); err != nil {
		t.Fatalf("a client still has no answer after %v", turnWithin)
	}
}

// isAt reports whether an instance has a request now.
func (c *callers) isAt(instance string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.ContainsFunc(c.all, func(v *pursuer) bool { return v.at == instance })
}

func (c *callers) goneSoFar() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.gone
}

func (c *callers) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.faults) < 10 {
		c.faults = append(c.faults, err.Error())
	}
}

// clientsAtOnce are how many send at a time where it is not the rate that counts.
const clientsAtOnce = 32

// each takes one turn of each visitor's, a few at a time.
func (c *callers) each(ctx context.Context, all []*pursuer) {
	waiting := make(chan *pursuer)
	var working sync.WaitGroup
	for range clientsAtOnce {
		working.Go(func() {
			for v := range waiting {
				if err := c.turn(ctx, v); err != nil {
					c.fail(err)
				}
			}
		})
	}
	for _, v := range all {
		waiting <- v
	}
	close(waiting)
	working.Wait()
}

// run takes turns at a steady rate, whether answers come or not, of all tasks in turn, and
// begins another task for one that has ended. Stop returns when all have their answers.
func (c *callers) run(ctx context.Context, perSecond int) (stop func()) {
	idle := make(chan *pursuer, len(c.all))
	for _, v := range c.all {
		idle <- v
	}
	ended, running := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(running)
		tick := time.NewTicker(time.Second / time.Duration(perSecond))
		defer tick.Stop()
		var working sync.WaitGroup
		defer working.Wait()
		for {
			select {
			case <-ended:
				return
			case <-tick.C:
			}
			v := <-idle
			working.Go(func() {
				if v.ended {
					v = c.join()
				}
				if err := c.turn(ctx, v); err != nil {
					c.fail(err)
				}
				idle <- v
			})
		}
	}()
	return func() {
		close(ended)
		<-running
	}
}

// open are the pursuers whose tasks go on.
func (c *callers) open() []*pursuer {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(c.all), func(v *pursuer) bool { return v.ended })
}

// quantileOf durations, in seconds.
func quantileOf(took []time.Duration, q float64) float64 {
	if len(took) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(took))
	return sorted[int(q*float64(len(sorted)-1))].Seconds()
}

func wantNoFaults(t *testing.T, c *callers) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, f := range c.faults {
		t.Error(cmp.Or(f, "a fault without words"))
	}
}
