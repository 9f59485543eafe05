package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"time"

	"github.com/ThreeDotsLabs/watermill/components/metrics"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/stepledger/stepledger/commands/reactions"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/eventstore/feed"
	"github.com/stepledger/stepledger/internal/consumer"
	"github.com/stepledger/stepledger/internal/publish"
	"github.com/stepledger/stepledger/projections"
	"github.com/stepledger/stepledger/projections/tasks"
)

// feedSystem is what follows the log to act on it: the system's own reactions,
// and what passes events on to others.
type feedSystem struct {
	*feed.Runner
	log      *slog.Logger
	registry *prometheus.Registry
	// metricsURL is where they are served, "" for nowhere; known once it listens.
	metricsURL string
}

func (s *system) openFeed() (*feedSystem, error) {
	f := &feedSystem{log: s.log, registry: s.registry}
	// Watermill's own figures: how long handlers take, and what comes of it.
	watch := metrics.NewPrometheusMetricsBuilder(f.registry, "stepledger", "feed")
	keeper := consumer.Store{DB: s.db}
	forwards, err := s.forwards()
	if err != nil {
		return nil, err
	}
	exporters, err := s.exporters()
	if err != nil {
		return nil, err
	}
	f.Runner = feed.NewRunner(feed.RunnerConfig{
		Config:  feed.Config{Source: s.tail, Checkpoints: keeper, Leads: s.alive.Leads, Log: s.log},
		Parking: keeper, Reactions: append(s.reactions(), exporters...), Forwards: forwards,
		IsOutage: isOutage, Observe: watch.AddPrometheusRouterMetrics,
	})
	return f, f.registry.Register(newConsumerMetrics(f.Runner))
}

// isOutage tells trouble that passes by itself. What a newer version wrote does not, as long
// as this one runs: it is put aside, and tried again by whoever knows it.
func isOutage(err error) bool {
	return !domain.IsNewer(err) && domain.KindOf(projections.Unavailable(err)) == domain.Unavailable
}

// reactions are handlers of the feed.
func (s *system) reactions() []feed.Reaction {
	var out []feed.Reaction
	for _, r := range reactions.All(reactions.Deps{
		Log: s.events, Keys: s.content, Tasks: openTasks{tasks.Queries{DB: s.db}, s.waiter()}, Calls: s.recorder(),
		Bills: s.ledger, Content: s.content, Pages: &seenPages{manage: s.knowledge.manage, views: s.knowledge.pending, sites: map[string]seenSites{}},
	}) {
		out = append(out, feed.Reaction{Name: r.Name, Topic: strings.Join(r.Types, ","), Handle: r.Handle})
	}
	return out
}

// forwards pass task events on to the configured broker, if there is one. It is
// one consumer whatever the URL: a broker in the place of another goes on where
// that one was.
func (s *system) forwards() ([]feed.Forward, error) {
	if s.cfg.PublishURL == "" {
		return nil, nil
	}
	target, err := publish.Open(s.cfg.PublishURL)
	if err != nil {
		return nil, fmt.Errorf("STEPLEDGER_PUBLISH_URL: %w", err)
	}
	return []feed.Forward{{Name: "publish", Topic: "task", To: target, ToTopic: target.Topic}}, nil
}

// openTasks finds a session's tasks once the read model has come far enough.
type openTasks struct {
	tasks  tasks.Queries
	waiter projections.Waiter
}

// readModelWithin is how long a reaction waits for a read model before it gives
// its event back.
const readModelWithin = 5 * time.Second

// Open implements reactions.Tasks.
func (o openTasks) Open(ctx context.Context, tenant, session string, asOf int64) ([]string, error) {
	lag, err := o.waiter.Wait(ctx, []string{tasks.Projection.Name}, asOf, readModelWithin)
	if err != nil {
		return nil, err
	}
	if lag > 0 {
		return nil, domain.Errorf(domain.Unavailable, domain.CodeDatabase, "the tasks are %d positions behind the log", lag)
	}
	return o.tasks.Open(ctx, tenant, session)
}

// run follows the log until ctx ends.
func (f *feedSystem) run(ctx context.Context) error {
	switch err := f.Run(ctx); {
	case ctx.Err() == nil:
		return err
	case err != nil:
		f.log.Warn("a reaction did not end in time; its event comes again", "error", err)
	}
	return nil
}

// ok names the first consumer that needs a person.
func (f *feedSystem) ok(ctx context.Context) error {
	all, err := f.Status(ctx)
	if err != nil {
		return err
	}
	for _, s := range all {
		if err := s.Fault(); err != nil {
			return err
		}
	}
	return nil
}

// listen opens the listener of the metrics; nil without an address.
func (f *feedSystem) listen(ctx context.Context, addr string) (net.Listener, error) {
	if addr == "" {
		return nil, nil
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("listen for STEPLEDGER_METRICS_ADDR: %w", err)
	}
	f.metricsURL = "http://" + l.Addr().String() + metricsPath
	return l, nil
}
