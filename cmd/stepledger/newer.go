package main

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/erasure"
	"github.com/stepledger/stepledger/domain/fork"
	"github.com/stepledger/stepledger/domain/knowledge"
	"github.com/stepledger/stepledger/domain/session"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/eventstore/feed"
)

// knownTypes are the events this version can read.
var knownTypes = slices.Concat(task.Codec.Names(), session.Codec.Names(), usage.Codec.Names(),
	knowledge.Codec.Names(), knowledge.TextCodec.Names(), fork.Codec.Names(), erasure.Codec.Names())

// maxUnknownTypes bounds the types that are told apart.
const maxUnknownTypes = 100

// newerEvents notices the events of a newer version, which everybody here passes over.
type newerEvents struct {
	feed interface {
		eventstore.Feed
		eventstore.Subscriber
	}
	log    *slog.Logger
	passed *prometheus.CounterVec
	seen   map[string]bool
}

func (s *system) openNewer() *newerEvents {
	n := &newerEvents{feed: s.tail, log: s.log, seen: map[string]bool{}}
	n.passed = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "stepledger_events_unknown_total", Help: "Events of a type this version does not know: a newer one wrote them. They are passed over.",
	}, []string{"type"})
	s.registry.MustRegister(n.passed)
	return n
}

// follow counts what comes from now on, until ctx ends.
func (n *newerEvents) follow(ctx context.Context) {
	for ctx.Err() == nil {
		if err := n.count(ctx); err != nil && ctx.Err() == nil {
			n.log.Debug("events of a newer version are not counted", "error", err, "again_in", sweepEvery)
			select {
			case <-ctx.Done():
			case <-time.After(sweepEvery):
			}
		}
	}
}

func (n *newerEvents) count(ctx context.Context) error {
	head, err := n.feed.Head(ctx)
	if err != nil {
		return err
	}
	for page, err := range n.feed.Subscribe(ctx, head, eventstore.Filter{}) {
		if err != nil {
			return err
		}
		for _, e := range page.Events {
			n.note(e)
		}
	}
	return ctx.Err()
}

func (n *newerEvents) note(e eventstore.Recorded) {
	if slices.Contains(knownTypes, e.Type) {
		return
	}
	name := e.Type
	if !n.seen[name] {
		if len(n.seen) == maxUnknownTypes {
			name = "others"
		} else {
			n.log.Warn("an event of a newer version is passed over", "type", e.Type, "stream", e.Stream, "revision", e.Revision, "position", e.Position)
			n.seen[name] = true
		}
	}
	n.passed.WithLabelValues(name).Inc()
}

// unlessNewer leaves out what this version cannot do because of what a newer one wrote:
// that one does it.
func unlessNewer(err error) error {
	if domain.IsNewer(err) {
		return nil
	}
	return err
}

// retryNewer gives reactions the events again that they put aside in a version that did not
// know what they met, and those that wait behind them in their streams. In that version they
// stay where they are.
func (s *system) retryNewer(ctx context.Context, _ time.Time) error {
	newer := func(p feed.Parked) bool { return strings.Contains(p.Reason, domain.CodeNewerVersion) }
	var failed error
	for _, c := range s.feed.Reactions {
		handled, err := s.feed.ReplayThose(ctx, c.Name, newer)
		failed = errors.Join(failed, err)
		if handled > 0 {
			s.log.Info("handled what was put aside by a version before", "reaction", c.Name, "events", handled)
		}
	}
	return failed
}
