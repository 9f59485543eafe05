package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stepledger/stepledger/commands/interact"
)

// load is requests sent at a steady rate, whether answers come or not: a slow server
// gets no fewer of them. How long one took counts from when it was due.
type load struct {
	rate  int // a second
	lasts time.Duration
	// send makes the next request of a task and says what status came back.
	send func(context.Context, *pursuit) (status int, err error)

	mu       sync.Mutex
	took     []time.Duration
	statuses map[int]int
	faults   []string
}

// run sends requests of tasks in turn, each task one at a time.
func (l *load) run(ctx context.Context, tasks []*pursuit) {
	l.statuses = map[int]int{}
	idle := make(chan *pursuit, len(tasks))
	for _, p := range tasks {
		idle <- p
	}
	began := time.Now()
	var wg sync.WaitGroup
	for i := range int(l.lasts.Seconds() * float64(l.rate)) {
		due := began.Add(time.Duration(i) * time.Second / time.Duration(l.rate))
		time.Sleep(time.Until(due))
		p := <-idle
		wg.Go(func() {
			status, err := l.send(ctx, p)
			l.note(time.Since(due), status, err)
			idle <- p
		})
	}
	wg.Wait()
}

func (l *load) note(took time.Duration, status int, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.took = append(l.took, took)
	l.statuses[status]++
	if err != nil && len(l.faults) < 10 {
		l.faults = append(l.faults, err.Error())
	}
}

// quantile in milliseconds.
func (l *load) quantile(q float64) float64 {
	slices.Sort(l.took)
	return float64(l.took[int(q*float64(len(l.took)-1))].Microseconds()) / 1000
}

// pooled is a client that keeps its connections, as a proxy in front of the server does.
func pooled(c client) client {
	c.http = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 512, MaxConnsPerHost: 512}}
	return c
}

// loadPage is how many elements the pages have, as a page of an application has in view.
const loadPage = 60

// loadTasks are tasks to begin.
func loadTasks(n int) []*pursuit {
	all := make([]*pursuit, n)
	for i := range all {
		all[i] = newPursuit()
		all[i].page.nodes = loadPage
	}
	return all
}

// interacts sends a task's next turn, and begins another task where it has ended. A 503
// or 409 that says when to come again leaves the request to be sent again.
func interacts(c client) func(context.Context, *pursuit) (int, error) {
	return func(ctx context.Context, p *pursuit) (int, error) {
		if p.ended {
			*p = pursuit{page: clinic{screen: "list", nodes: loadPage}, query: clinicTask, exchanges: p.exchanges}
		}
		key, body := p.request()
		r, err := c.interact(ctx, key, body)
		if err != nil {
			return 0, err
		}
		if r.status == http.StatusOK {
			var envelope struct{ Data interact.Answer }
			if err := json.Unmarshal(r.body, &envelope); err != nil {
				return r.status, err
			}
			p.exchanges = append(p.exchanges, exchange{key, body, r.body})
			return r.status, p.follow(envelope.Data)
		}
		if (r.status == http.StatusServiceUnavailable || r.status == http.StatusConflict) && r.header.Get("Retry-After") != "" {
			return r.status, nil
		}
		return r.status, fmt.Errorf("status %d: %s", r.status, r.body)
	}
}

// lostAnswers are how many acknowledged answers of tasks the server does not give again.
func lostAnswers(ctx context.Context, c client, tasks []*pursuit) (lost, asked int, err error) {
	for _, p := range tasks {
		for _, e := range p.exchanges {
			r, err := insist(ctx, c, e.key, e.request)
			if err != nil {
				return lost, asked, err
			}
			asked++
			if !bytes.Equal(r.body, e.reply) {
				lost++
			}
		}
	}
	return lost, asked, nil
}

// Postgres restarts under load: until it is back requests are told when to come again,
// and nothing that was acknowledged is lost.
func TestLoad_PostgresRestarts(t *testing.T) {
	t.Parallel()
	rig := newPrivateRig(t, nil)
	server := rig.start(t, "")
	c := pooled(rig.client(server))
	tasks := loadTasks(20)
	l := load{rate: 20, lasts: 8 * time.Second, send: interacts(c)}
	go func() {
		time.Sleep(l.lasts / 3)
		_ = syscall.Kill(rig.postmaster(t), syscall.SIGINT)
	}()
	l.run(t.Context(), tasks)
	onlyTold(t, &l)
	gone, asked, err := lostAnswers(t.Context(), c, tasks)
	if err != nil || gone > 0 || asked == 0 {
		t.Errorf("%d of %d answers are lost (%v)", gone, asked, err)
	}
}

// onlyTold fails unless every request was answered, or told when to come again.
func onlyTold(t testing.TB, l *load) {
	t.Helper()
	other := maps.Clone(l.statuses)
	for _, fine := range []int{http.StatusOK, http.StatusServiceUnavailable, http.StatusConflict} {
		delete(other, fine)
	}
	if len(other) > 0 || len(l.faults) > 0 || l.statuses[http.StatusOK] == 0 {
		t.Errorf("statuses %v, faults %q", l.statuses, l.faults)
	}
}
