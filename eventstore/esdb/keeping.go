package esdb

import (
	"context"
	"errors"
	"math"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/stepledger/stepledger/eventstore"
)

// keeping remembers, for a while, what retention hides from the feed.
type keeping struct {
	mu      sync.Mutex
	any     bool      // retention was set in this log
	looked  time.Time // at whether it was
	rules   map[string]rule
	changes int // of retention, by this process
}

// rule says which events of a stream are hidden: those before floor, and those
// older than maxAge.
type rule struct {
	floor  int64
	maxAge time.Duration
	since  time.Time
}

func (r rule) hides(e eventstore.Recorded, now time.Time) bool {
	return e.Revision < r.floor || r.maxAge > 0 && e.RecordedAt.Before(now.Add(-r.maxAge))
}

// maxRules bounds the memory, to some 20 MB.
const maxRules = 100_000

func newKeeping() *keeping { return &keeping{rules: make(map[string]rule)} }

// forget drops what is remembered of a stream whose retention changes.
func (k *keeping) forget(stream string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.changes++
	delete(k.rules, stream)
}

// rule gives what is remembered of a stream, unless it is too old, and how many
// changes it has seen.
func (k *keeping) rule(stream string, oldest time.Time) (r rule, ok bool, changes int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	r, ok = k.rules[stream]
	return r, ok && !r.since.Before(oldest), k.changes
}

// remember keeps a rule that was found out when there had been so many changes.
func (k *keeping) remember(stream string, r rule, changes int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if changes != k.changes {
		return
	}
	if len(k.rules) >= maxRules {
		clear(k.rules)
	}
	k.rules[stream] = r
}

// see notes whether retention was set in the log, as of now.
func (k *keeping) see(kept bool, now time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.any, k.looked = k.any || kept, now
}

// isKept reports whether retention was set in the log, and when that was seen.
func (k *keeping) isKept() (bool, time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.any, k.looked
}

// noteKept notes in the log that retention is set in it.
func (s *Store) noteKept(ctx context.Context) error {
	if kept, _ := s.keeping.isKept(); kept {
		return nil
	}
	err := s.change(ctx, logStream, func(m *metadata) (bool, error) {
		isNew := !m.Marks.Kept
		m.Marks.Kept = true
		return isNew, nil
	})
	if err == nil {
		s.keeping.see(true, time.Now())
	}
	return err
}

func (s *Store) isKept(ctx context.Context) (bool, error) {
	kept, looked := s.keeping.isKept()
	now := time.Now()
	if kept || now.Sub(looked) < s.o.Timeout {
		return kept, nil
	}
	m, _, err := s.metadata(ctx, logStream)
	if err == nil {
		s.keeping.see(m.Marks.Kept, now)
	}
	return m.Marks.Kept, err
}

// lookups is how many streams are asked for their retention at once.
const lookups = 8

// visible leaves out of the events of the feed what retention hides.
func (s *Store) visible(ctx context.Context, events []eventstore.Recorded) ([]eventstore.Recorded, error) {
	if len(events) == 0 {
		return events, nil
	}
	if kept, err := s.isKept(ctx); err != nil || !kept {
		return events, err
	}
	rules := make(map[string]*rule)
	group, looking := errgroup.WithContext(ctx)
	group.SetLimit(lookups)
	for _, e := range events {
		if rules[e.Stream] != nil {
			continue
		}
		r := new(rule)
		rules[e.Stream] = r
		group.Go(func() (err error) {
			*r, err = s.rule(looking, e.Stream)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	now := time.Now()
	out := events[:0]
	for _, e := range events {
		if !rules[e.Stream].hides(e, now) {
			out = append(out, e)
		}
	}
	return out, nil
}

// rule finds out what a stream's retention hides.
func (s *Store) rule(ctx context.Context, stream string) (rule, error) {
	now := time.Now()
	r, ok, changes := s.keeping.rule(stream, now.Add(-s.o.Timeout))
	if ok {
		return r, nil
	}
	m, _, err := s.metadata(ctx, stream)
	var ended *eventstore.DeletedError
	switch {
	case errors.As(err, &ended):
		r = rule{floor: math.MaxInt64, since: now}
	case err != nil:
		return rule{}, err
	default:
		r = rule{floor: m.TruncateBefore, maxAge: time.Duration(m.MaxAge) * time.Second, since: now}
	}
	if m.MaxCount == 0 {
		s.keeping.remember(stream, r, changes)
		return r, nil
	}
	// It moves with the head, so it cannot be remembered.
	at, err := s.headOf(ctx, stream)
	r.floor = max(r.floor, at.revision-m.MaxCount+1)
	return r, err
}
