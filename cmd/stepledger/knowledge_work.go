package main

import (
	"context"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/knowledge"
	"github.com/stepledger/stepledger/eventstore"
	knowledgeview "github.com/stepledger/stepledger/projections/knowledge"
)

const (
	// lookEvery is how often work on knowledge is looked for while there is some, and how
	// long the read model is waited for that knows of it; restEvery is how often otherwise,
	// for what comes with time.
	lookEvery, restEvery = time.Second, 30 * time.Second
	// troublePause is how long a source is left alone after trouble; it doubles up to
	// maxTroublePause.
	troublePause, maxTroublePause = 5 * time.Second, 5 * time.Minute
	// forgetPause is how often a source is looked at that only waits for its old versions
	// to be forgotten.
	forgetPause = 10 * time.Minute
	// maxActive bounds the sources that are worked on at the same time, and maxOfTenant
	// those of one tenant. Removed ones do not count: what is to be gone waits for nobody.
	maxActive, maxOfTenant = 64, 8
)

// workOnKnowledge does the work on knowledge until ctx ends, in one process at a time. Each
// source has a goroutine for as long as its turn lasts; then it stands behind the others.
func (s *system) workOnKnowledge(ctx context.Context) {
	w := &sourceWork{system: s, active: map[string]string{}, last: map[string]workedOn{}}
	defer w.all.Wait()
	news := knowledgeNews{system: s, came: make(chan struct{}, 1)}
	w.all.Go(func() { news.hear(ctx) })
	for ctx.Err() == nil {
		looked := time.Now()
		late := news.awaitReadModel(ctx)
		busy, err := w.look(ctx)
		if err != nil && ctx.Err() == nil {
			s.log.Error("work on knowledge cannot be looked for; it is tried again", "error", err)
		}
		pause := restEvery
		if busy || late || err != nil {
			pause = lookEvery
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		case <-s.knowledge.wake:
		case <-news.came:
			select { // its own work is heard of as well
			case <-ctx.Done():
			case <-time.After(time.Until(looked.Add(lookEvery))):
			case <-s.knowledge.wake:
			}
		}
	}
}

// knowledgeNews are events about knowledge, whichever process has written them.
type knowledgeNews struct {
	*system
	came chan struct{}
	last atomic.Int64 // the position of the newest
}

func (n *knowledgeNews) hear(ctx context.Context) {
	filter := eventstore.Filter{Categories: []string{knowledge.SourceCategory, knowledge.TextCategory}}
	late := func(err error) { n.log.Warn("work on knowledge is found late", "error", err, "in", restEvery) }
	for e := range n.news(ctx, filter, late) {
		n.last.Store(e.Position)
		select {
		case n.came <- struct{}{}:
		default: // it is looked for anyway
		}
	}
}

// awaitReadModel waits a moment until the read model knows of the newest event, which at
// first is the last one in the log, and reports whether it does not.
func (n *knowledgeNews) awaitReadModel(ctx context.Context) (late bool) {
	if n.last.Load() == 0 {
		head, err := n.tail.Head(ctx)
		if err != nil {
			return true
		}
		n.last.CompareAndSwap(0, head)
	}
	lag, err := n.waiter().Wait(ctx, []string{knowledgeview.Projection.Name}, n.last.Load(), lookEvery)
	return lag > 0 || err != nil
}

// sourceWork is who works on which source.
type sourceWork struct {
	*system
	all sync.WaitGroup
	mu  sync.Mutex
	// active are the sources that are worked on, with their tenants.
	active map[string]string
	last   map[string]workedOn
}

// workedOn is when a source was worked on last, and what came of it.
type workedOn struct {
	at time.Time
	// trouble is how long it is then left alone, 0 without any.
	trouble time.Duration
	// idle: it had nothing to do but to wait for old versions' time.
	idle bool
}

// look begins to work on what nobody works on yet, those first that were worked on longest ago.
// It reports whether there will be something to look for in a moment: because there is work, or
// because another process has the duty and may end.
func (w *sourceWork) look(ctx context.Context) (busy bool, err error) {
	leads, err := w.alive.Leads(ctx, "knowledge")
	if err != nil || !leads {
		return true, err
	}
	pending, err := w.knowledge.pending.Pending(ctx)
	if err != nil {
		return true, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	slices.SortStableFunc(pending, func(a, b knowledgeview.Work) int { return w.last[a.Source].at.Compare(w.last[b.Source].at) })
	for _, p := range pending {
		if w.mayBegin(p, time.Now()) {
			w.active[p.Source] = p.Tenant
			w.all.Go(func() { w.work(ctx, p) })
		}
	}
	return len(w.active) > 0 || slices.ContainsFunc(pending, func(p knowledgeview.Work) bool { return !waitsOnly(p) }), nil
}

// mayBegin reports whether a source is to be worked on now.
func (w *sourceWork) mayBegin(p knowledgeview.Work, now time.Time) bool {
	if _, active := w.active[p.Source]; active {
		return false
	}
	last := w.last[p.Source]
	switch rest := now.Sub(last.at); {
	case rest < last.trouble, rest < lookEvery/2, // the read model may not know yet what was done
		last.idle && waitsOnly(p) && rest < forgetPause:
		return false
	case p.Removed:
		return true
	}
	ofTenant := 0
	for _, tenant := range w.active {
		if tenant == p.Tenant {
			ofTenant++
		}
	}
	return len(w.active) < maxActive && ofTenant < maxOfTenant
}

// waitsOnly reports that there is nothing to do for a source but to forget old versions,
// once it is time.
func waitsOnly(p knowledgeview.Work) bool {
	return p.ToRead == 0 && p.ToReread == 0 && !p.Crawling && !p.CrawlDue && !p.Removed
}

func (w *sourceWork) work(ctx context.Context, p knowledgeview.Work) {
	err := w.knowledge.worker.Work(ctx, p.Tenant, p.Source)
	if domain.KindOf(err) == domain.NotFound { // it is forgotten, and the read model behind
		err = nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.active, p.Source)
	now := workedOn{at: time.Now(), idle: waitsOnly(p)}
	if err != nil && ctx.Err() == nil {
		now.trouble = min(max(2*w.last[p.Source].trouble, troublePause), maxTroublePause)
		w.log.Warn("work on a source met trouble; it goes on later", "source", p.Source, "tenant", p.Tenant, "error", err, "in", now.trouble)
	}
	w.last[p.Source] = now
	if len(w.last) > knowledgeview.MaxPending {
		w.forgetRested(now.at)
	}
}

func (w *sourceWork) forgetRested(now time.Time) {
	maps.DeleteFunc(w.last, func(_ string, l workedOn) bool { return now.Sub(l.at) > forgetPause })
}
