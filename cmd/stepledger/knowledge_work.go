package main

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/stepledger/stepledger/domain"
	knowledgeview "github.com/stepledger/stepledger/projections/knowledge"
)

const (
	// lookEvery is how often work on knowledge is looked for where nobody calls.
	lookEvery = time.Second
	// troublePause is how long a source is left alone after trouble; it doubles up to
	// maxTroublePause.
	troublePause, maxTroublePause = 5 * time.Second, 5 * time.Minute
	// forgetPause is how often a source is looked at that only waits for its old versions
	// to be forgotten.
	forgetPause = 10 * time.Minute
	// maxActive bounds the sources that are worked on at the same time.
	maxActive = 64
)

// work does the work on knowledge until ctx ends, in one process at a time. Each source
// has a goroutine as long as there is something to do for it.
func (s *system) workOnKnowledge(ctx context.Context) {
	w := &sourceWork{system: s, active: map[string]bool{}, later: map[string]pause{}}
	defer w.all.Wait()
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		if err := w.look(ctx); err != nil && ctx.Err() == nil {
			s.log.Error("work on knowledge cannot be looked for; it is tried again", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-s.knowledge.wake:
		}
	}
}

// sourceWork is who works on which source.
type sourceWork struct {
	*system
	all    sync.WaitGroup
	mu     sync.Mutex
	active map[string]bool
	later  map[string]pause
}

// pause is until when a source is left alone, and for how long that was.
type pause struct {
	until  time.Time
	length time.Duration
}

// look begins to work on what nobody works on yet.
func (w *sourceWork) look(ctx context.Context) error {
	leads, err := w.alive.Leads(ctx, "knowledge")
	if err != nil || !leads {
		return err
	}
	pending, err := w.knowledge.pending.Pending(ctx)
	if err != nil {
		return err
	}
	for _, p := range pending {
		if w.begin(p, time.Now()) {
			w.all.Go(func() { w.work(ctx, p) })
		}
	}
	return nil
}

// begin reports whether a source is to be worked on now, and notes that it is.
func (w *sourceWork) begin(p knowledgeview.Work, now time.Time) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.active[p.Source] || len(w.active) >= maxActive || now.Before(w.later[p.Source].until) {
		return false
	}
	w.active[p.Source] = true
	return true
}

func (w *sourceWork) work(ctx context.Context, p knowledgeview.Work) {
	err := w.knowledge.worker.Work(ctx, p.Tenant, p.Source)
	if domain.KindOf(err) == domain.NotFound {
		err = nil // the read model is ahead of nothing: it was removed and forgotten
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.active, p.Source)
	switch {
	case err == nil || ctx.Err() != nil || errors.Is(err, context.Canceled):
		w.later[p.Source] = pause{until: time.Now().Add(quietFor(p))}
	default:
		length := min(max(2*w.later[p.Source].length, troublePause), maxTroublePause)
		w.later[p.Source] = pause{time.Now().Add(length), length}
		w.log.Warn("work on a source met trouble; it goes on later", "source", p.Source, "tenant", p.Tenant, "error", err, "in", length)
	}
	if len(w.later) > 10*maxActive {
		w.forgetPauses(time.Now())
	}
}

// quietFor is how long nothing new is expected of a source that was worked on: what the read
// model shows of it may be older than the work.
func quietFor(p knowledgeview.Work) time.Duration {
	if p.ToRead == 0 && !p.Crawling && !p.CrawlDue && !p.Removed {
		return forgetPause
	}
	return lookEvery / 2
}

func (w *sourceWork) forgetPauses(now time.Time) {
	for source, p := range w.later {
		if now.After(p.until) {
			delete(w.later, source)
		}
	}
}
