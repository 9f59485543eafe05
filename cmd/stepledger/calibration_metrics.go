package main

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/stepledger/stepledger/projections"
	"github.com/stepledger/stepledger/projections/calibration"
)

// calibratedOver is how far back the gauges look: a checkpoint that has got worse shows
// within days, and there are cases enough for a rate.
const calibratedOver = 30 * 24 * time.Hour

// calibrationMetrics says how far the scores of checkpoints hold and how chains go, over
// all tenants, asked when it is scraped. Every process says the same. A rate without
// cases has no gauge.
type calibrationMetrics struct {
	db                                             projections.DB
	checks, caught, falsePositives, retries, alert *prometheus.Desc
	chains, whole                                  *prometheus.Desc
}

func newCalibrationMetrics(db projections.DB) *calibrationMetrics {
	desc := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc("stepledger_"+name, help+" Over 30 days.", labels, nil)
	}
	const byCheckpoint = "checkpoint"
	return &calibrationMetrics{
		db:             db,
		checks:         desc("checkpoint_checks", "Checks that were made.", byCheckpoint),
		caught:         desc("checkpoint_catch_rate", "Share of failures that the checkpoint has caught.", byCheckpoint),
		falsePositives: desc("checkpoint_false_positive_rate", "Share of checks that rejected what was good enough.", byCheckpoint),
		retries:        desc("checkpoint_retry_success_rate", "Share of retries that passed.", byCheckpoint),
		alert:          desc("checkpoint_alert", "1 for a rate past its threshold.", byCheckpoint, "alert", "severity"),
		chains:         desc("chains", "Chains of actions that were sent."),
		whole:          desc("chains_whole_rate", "Share of reported chains that ran whole."),
	}
}

// Describe implements prometheus.Collector.
func (m *calibrationMetrics) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{m.checks, m.caught, m.falsePositives, m.retries, m.alert, m.chains, m.whole} {
		to <- d
	}
}

// Collect implements prometheus.Collector.
func (m *calibrationMetrics) Collect(to chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), scrapeWithin)
	defer cancel()
	r, err := calibration.Queries{DB: m.db}.WithoutActions(ctx, calibration.Filter{From: time.Now().Add(-calibratedOver)})
	if err != nil {
		to <- prometheus.NewInvalidMetric(m.checks, err)
		return
	}
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	rate := func(d *prometheus.Desc, r calibration.Rate, labels ...string) {
		if r.Rate != nil {
			gauge(d, *r.Rate, labels...)
		}
	}
	for _, c := range r.Checkpoints {
		gauge(m.checks, float64(c.Checks), c.Checkpoint)
		rate(m.caught, c.CatchRate, c.Checkpoint)
		rate(m.falsePositives, c.FalsePositiveRate, c.Checkpoint)
		rate(m.retries, c.RetrySuccess, c.Checkpoint)
		for _, a := range c.Alerts {
			gauge(m.alert, 1, c.Checkpoint, a.Name, a.Severity)
		}
	}
	gauge(m.chains, float64(r.Chains.Chains))
	rate(m.whole, r.Chains.Whole)
}
