package main

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/stepledger/stepledger/api"
	"github.com/stepledger/stepledger/projections"
)

// projectionMetrics says how far the read models are, asked when it is scraped. Every
// process says the same of them, whichever is at work.
type projectionMetrics struct {
	runner                              *projections.Runner
	waiting, standing, parked, building *prometheus.Desc
}

func newProjectionMetrics(r *projections.Runner) *projectionMetrics {
	desc := func(name, help string) *prometheus.Desc {
		return prometheus.NewDesc("stepledger_projection_"+name, help, []string{"projection"}, nil)
	}
	return &projectionMetrics{
		runner:   r,
		waiting:  desc("lag_seconds", "Age of the oldest event that the read model has not reached, 0 for none."),
		standing: desc("standing_seconds", "For how long no process has applied anything to the read model though events waited."),
		parked:   desc("parked_events", "Events the read model has put aside."),
		building: desc("building", "1 while the read model is built anew beside the live one."),
	}
}

// Describe implements prometheus.Collector.
func (m *projectionMetrics) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{m.waiting, m.standing, m.parked, m.building} {
		to <- d
	}
}

// Collect implements prometheus.Collector.
func (m *projectionMetrics) Collect(to chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), scrapeWithin)
	defer cancel()
	all, err := m.runner.Health(ctx)
	if err != nil {
		to <- prometheus.NewInvalidMetric(m.waiting, err)
		return
	}
	for _, s := range all {
		building := 0.0
		if s.Building {
			building = 1
		}
		for desc, v := range map[*prometheus.Desc]float64{
			m.waiting: s.Waiting.Seconds(), m.standing: s.Standing.Seconds(), m.parked: float64(s.Parked), m.building: building,
		} {
			to <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, v, s.Name)
		}
	}
}

// serviceMetrics says what health says, asked when it is scraped: what is down for this
// process may be up for another.
type serviceMetrics struct {
	checks []api.Check
	up     *prometheus.Desc
}

func newServiceMetrics(checks []api.Check) *serviceMetrics {
	return &serviceMetrics{checks, prometheus.NewDesc("stepledger_service_up",
		"1 if the service works for this process; without postgres or eventStore it takes no turns.", []string{"service"}, nil)}
}

// Describe implements prometheus.Collector.
func (m *serviceMetrics) Describe(to chan<- *prometheus.Desc) { to <- m.up }

// Collect implements prometheus.Collector. Services are asked at once, and one that does
// not answer in time is down: a scrape that waited for it would tell nothing of the others.
func (m *serviceMetrics) Collect(to chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), scrapeWithin/2)
	defer cancel()
	answers := make([]chan error, len(m.checks))
	for i, c := range m.checks {
		answers[i] = make(chan error, 1)
		go func() { answers[i] <- c.Probe(ctx) }()
	}
	for i, c := range m.checks {
		up := 0.0
		if answered(ctx, answers[i]) {
			up = 1
		}
		to <- prometheus.MustNewConstMetric(m.up, prometheus.GaugeValue, up, c.Name)
	}
}

// answered waits for an answer and reports whether it is a good one. One that is there
// counts though the time for all is up.
func answered(ctx context.Context, answer <-chan error) bool {
	select {
	case err := <-answer:
		return err == nil
	case <-ctx.Done():
	}
	select {
	case err := <-answer:
		return err == nil
	default:
		return false
	}
}
