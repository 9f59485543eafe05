package main

import (
	"context"
	"iter"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/projections"
)

// reapplyErasures carries out what the list says was erased and a restored database does
// not know of, before anybody is served from it.
func (s *system) reapplyErasures(ctx context.Context) error {
	list, err := erasureList{s.cfg.Erasures}.read()
	if err != nil || len(list) == 0 {
		return err
	}
	n, err := s.erasing().Reapply(ctx, list)
	if n > 0 {
		s.log.Warn("the database did not know of erasures that are on the list: it was restored from a backup; they were carried out again",
			"erasures", n, "listed", len(list))
	}
	return err
}

// finishErasures brings to an end what a process that is gone has begun, and looks after
// what was done lately.
func (s *system) finishErasures(ctx context.Context, _ time.Time) error {
	_, err := s.erasing().Resume(ctx)
	if err == nil {
		s.erased.SetToCurrentTime()
	}
	return err
}

// newErasedMetric says when nothing was left to erase.
func newErasedMetric(r prometheus.Registerer) prometheus.Gauge {
	g := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "stepledger_erasures_finished_timestamp_seconds",
		Help: "When this process last found all that is to be erased erased, or did it; one process at a time looks, every minute.",
	})
	r.MustRegister(g)
	return g
}

// newsAgain is how soon the end of the log is asked for again.
const newsAgain = time.Second

// followErasures drops from memory what other processes erase, until ctx ends. News of the
// log come within a tenth of a second; where they are lost, what is in memory ends by
// itself: keys within seconds, texts within a minute.
func (s *system) followErasures(ctx context.Context) {
	filter := eventstore.Filter{Categories: []string{"task"}, Types: []string{task.NameTaskErased}}
	late := func(err error) {
		s.log.Warn("news of erasures are late; keys in memory end by themselves", "error", err)
	}
	for e := range s.news(ctx, filter, late) {
		id := projections.Subject(e.Stream)
		s.handler.Forget(id)
		s.opened.Forget(id)
		s.content.Forget(e.Metadata().Tenant, id)
	}
}

// news are the events from now on that a filter lets through, until ctx ends, and those of
// an epoch from its beginning. late is told of trouble with the log, which is waited out.
func (s *system) news(ctx context.Context, f eventstore.Filter, late func(error)) iter.Seq[eventstore.Recorded] {
	return func(yield func(eventstore.Recorded) bool) {
		_, over := s.epochs.present()
		from, err := s.tail.Head(ctx)
		for err != nil {
			if ctx.Err() == nil {
				late(err)
			}
			select {
			case <-ctx.Done():
				return
			case <-time.After(newsAgain):
				from, err = s.tail.Head(ctx)
			}
		}
		for ctx.Err() == nil {
			if !s.newsOfEpoch(ctx, over, from, f, late, yield) {
				return
			}
			from, over = s.epochs.present()
		}
	}
}

// newsOfEpoch reports whether more is wanted after the epoch is over.
func (s *system) newsOfEpoch(ctx context.Context, over <-chan struct{}, from int64, f eventstore.Filter, late func(error), yield func(eventstore.Recorded) bool) bool {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-over:
			cancel()
		case <-ctx.Done():
		}
	}()
	for page, err := range s.tail.Subscribe(ctx, from, f) {
		if err != nil && ctx.Err() == nil {
			late(err)
		}
		for _, e := range page.Events {
			if !yield(e) {
				return false
			}
		}
	}
	return true
}
