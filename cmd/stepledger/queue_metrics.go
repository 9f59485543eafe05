package main

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/stepledger/stepledger/api"
)

// queueMetrics says how busy this process is with turns.
type queueMetrics struct {
	queue                              func() api.TurnQueue
	working, waiting, refused, seconds *prometheus.Desc
}

func newQueueMetrics(queue func() api.TurnQueue) *queueMetrics {
	desc := func(name, help string) *prometheus.Desc {
		return prometheus.NewDesc("stepledger_turns_"+name, help, nil, nil)
	}
	return &queueMetrics{
		queue:   queue,
		working: desc("working", "Turns that have a place to work at; those that wait for a model have none."),
		waiting: desc("waiting", "Turns that wait for a place."),
		refused: desc("refused_total", "Requests that found no room among those who wait, or waited in vain."),
		seconds: desc("waited_seconds_total", "How long requests waited for a place, in all."),
	}
}

// Describe implements prometheus.Collector.
func (m *queueMetrics) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{m.working, m.waiting, m.refused, m.seconds} {
		to <- d
	}
}

// Collect implements prometheus.Collector.
func (m *queueMetrics) Collect(to chan<- prometheus.Metric) {
	q := m.queue()
	to <- prometheus.MustNewConstMetric(m.working, prometheus.GaugeValue, float64(q.Working))
	to <- prometheus.MustNewConstMetric(m.waiting, prometheus.GaugeValue, float64(q.Waiting))
	to <- prometheus.MustNewConstMetric(m.refused, prometheus.CounterValue, float64(q.Refused))
	to <- prometheus.MustNewConstMetric(m.seconds, prometheus.CounterValue, q.Waited.Seconds())
}
