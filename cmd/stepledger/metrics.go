package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/stepledger/stepledger/eventstore/feed"
)

const (
	metricsPath = "/metrics"
	// scrapeWithin bounds what a scrape may ask of the database.
	scrapeWithin = 5 * time.Second
)

func newRegistry() *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return r
}

// inside is what operators are served, without a login: what Prometheus reads, the level
// of the log, and the health of a process in whatever role.
func (s *system) inside() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET "+metricsPath, promhttp.HandlerFor(s.registry, promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError}))
	mux.Handle("GET /api/health/", s.api)
	mux.HandleFunc("GET "+logLevelPath, s.showLogLevel)
	mux.HandleFunc("PUT "+logLevelPath, s.setLogLevel)
	return mux
}

// serveInside serves until ctx ends; nothing without a listener.
func serveInside(ctx context.Context, l net.Listener, h http.Handler) error {
	if l == nil {
		return nil
	}
	server := &http.Server{Handler: h, ReadHeaderTimeout: readHeaderWithin, ReadTimeout: readWithin, WriteTimeout: readWithin}
	defer context.AfterFunc(ctx, func() { _ = server.Close() })()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve metrics: %w", err)
	}
	return nil
}

// consumerMetrics says how the consumers stand, asked when it is scraped. Every
// process says the same of them, whichever is at work.
type consumerMetrics struct {
	runner                                         *feed.Runner
	head, position, lag, waiting, standing, parked *prometheus.Desc
}

func newConsumerMetrics(r *feed.Runner) *consumerMetrics {
	desc := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc("stepledger_"+name, help, labels, nil)
	}
	const byConsumer = "consumer"
	return &consumerMetrics{
		runner:   r,
		head:     desc("log_head_position", "Position of the last event in the log."),
		position: desc("consumer_position", "Position up to which the consumer has handled the log.", byConsumer),
		lag:      desc("consumer_lag_events", "Events that wait for the consumer; 1000 is that many or more.", byConsumer),
		waiting:  desc("consumer_lag_seconds", "Age of the oldest event that waits for the consumer, 0 for none.", byConsumer),
		standing: desc("consumer_standing_seconds", "For how long the consumer has handled nothing though events waited.", byConsumer),
		parked:   desc("consumer_parked_events", "Events the consumer has put aside.", byConsumer),
	}
}

// Describe implements prometheus.Collector.
func (m *consumerMetrics) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{m.head, m.position, m.lag, m.waiting, m.standing, m.parked} {
		to <- d
	}
}

// Collect implements prometheus.Collector.
func (m *consumerMetrics) Collect(to chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), scrapeWithin)
	defer cancel()
	all, err := m.runner.Status(ctx)
	if err != nil {
		to <- prometheus.NewInvalidMetric(m.lag, err)
		return
	}
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	gauge(m.head, float64(all[0].Head))
	for _, s := range all {
		gauge(m.position, float64(s.Position), s.Consumer)
		gauge(m.lag, float64(s.Lag), s.Consumer)
		gauge(m.waiting, s.Waiting.Seconds(), s.Consumer)
		gauge(m.standing, s.Standing.Seconds(), s.Consumer)
		gauge(m.parked, float64(s.Parked), s.Consumer)
	}
}
