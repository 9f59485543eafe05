package main

import (
	"context"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/stepledger/stepledger/api"
	"github.com/stepledger/stepledger/commands/interact"
)

// latencies are the buckets of requests and turns, in seconds: of the targets there are
// (two seconds, seven) each is a bucket, and so is each threshold of an alert (four, ten).
var latencies = []float64{0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 3, 4, 5, 7, 10, 15, 30, 60, 120}

// requestMetrics are the requests this process answered.
type requestMetrics struct {
	seconds  *prometheus.HistogramVec
	inFlight prometheus.Gauge
}

func newRequestMetrics(r prometheus.Registerer) requestMetrics {
	m := requestMetrics{
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "stepledger_http_request_seconds", Help: "How long requests took, by route and class of status.", Buckets: latencies,
		}, []string{"endpoint", "method", "status"}),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{Name: "stepledger_http_requests_in_flight", Help: "Requests being answered."}),
	}
	r.MustRegister(m.seconds, m.inFlight)
	return m
}

// Began implements api.Requests.
func (m requestMetrics) Began() { m.inFlight.Inc() }

// Ended implements api.Requests.
func (m requestMetrics) Ended(s api.Served) {
	m.inFlight.Dec()
	m.seconds.WithLabelValues(s.Endpoint, s.Method, statusClass(s.Status)).Observe(s.Took.Seconds())
}

// statusClass is 2xx for 204; "none" for no answer at all.
func statusClass(status int) string {
	if status == 0 {
		return "none"
	}
	return strconv.Itoa(status/100) + "xx"
}

// turnMetrics are the turns this process ran.
type turnMetrics struct {
	api.Interactor
	seconds *prometheus.HistogramVec
}

func newTurnMetrics(next api.Interactor, r prometheus.Registerer) turnMetrics {
	m := turnMetrics{next, prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "stepledger_turn_seconds", Help: "How long turns took, by the complexity of their task and the answer.", Buckets: latencies,
	}, []string{"complexity", "outcome"})}
	r.MustRegister(m.seconds)
	return m
}

// Interact implements api.Interactor. Requests that ran no turn are not counted: those
// that were answered before, and those that were refused.
func (m turnMetrics) Interact(ctx context.Context, r interact.Request) (interact.Result, error) {
	began := time.Now()
	res, err := m.Interactor.Interact(ctx, r)
	if res.Turn.Outcome != "" {
		m.seconds.WithLabelValues(string(res.Turn.Complexity), res.Turn.Outcome).Observe(time.Since(began).Seconds())
	}
	return res, err
}
