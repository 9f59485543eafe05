package main

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/projections"
	"github.com/stepledger/stepledger/projections/kpi"
	"github.com/stepledger/stepledger/projections/skills"
	"github.com/stepledger/stepledger/projections/tasks"
)

// kpiOver is how far back the rates look.
const kpiOver = 24 * time.Hour

// kpiMetrics says how well the agent does, over all tenants, asked when it is scraped.
// Every process says the same, so that of several the largest is taken and not the sum.
// The terms are defined in projections/kpi/doc.go; a rate without cases has no gauge.
type kpiMetrics struct {
	db projections.DB
	// rates are shares over kpiOver, totals count since the beginning.
	rates  []kpiRate
	totals []kpiTotal

	active, idle, roundTrips, low, skills, learnt, largest, confidence, actions, switches *prometheus.Desc
}

// kpiRate is the share of one label of a name among some.
type kpiRate struct {
	desc        *prometheus.Desc
	name, label string
	of          []string
}

// kpiTotal is a counter by labels of a name.
type kpiTotal struct {
	desc   *prometheus.Desc
	name   string
	labels []string
}

func newKPIMetrics(db projections.DB) *kpiMetrics {
	desc := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc("stepledger_"+name, help, labels, nil)
	}
	judged := []string{kpi.Succeeded, kpi.Failed}
	const day = " Over 24 hours."
	return &kpiMetrics{
		db: db,
		rates: []kpiRate{
			{desc("task_completion_rate", "Share of ended tasks that were completed."+day), kpi.Tasks, kpi.Completed, []string{kpi.Completed, kpi.Failed}},
			{desc("complexity_accuracy", "Share of tasks that looked simple and were."+day), kpi.Simple, kpi.Right, []string{kpi.Right, kpi.Misjudged}},
			{desc("replan_rate", "Share of ended tasks with a plan whose plan was replaced."+day), kpi.Plans, kpi.Replaced, []string{kpi.Kept, kpi.Replaced}},
			{desc("skill_hit_rate", "Share of answers whose decider was shown a skill."+day), kpi.Answers, kpi.WithSkill, []string{kpi.WithSkill, kpi.WithoutSkill}},
			{desc("skill_effectiveness", "Share of judged answers that worked, of those with a skill."+day), kpi.Skills, kpi.Succeeded, judged},
			{desc("verification_success_rate", "Share of judged actions that worked."+day), kpi.Verdicts, kpi.Succeeded, judged},
			{desc("correction_success_rate", "Share of judged corrections that worked."+day), kpi.Corrections, kpi.Succeeded, judged},
		},
		totals: []kpiTotal{
			{desc("tasks_ended_total", "Tasks that ended, or were interrupted.", "status"), kpi.Tasks, []string{kpi.Completed, kpi.Failed, kpi.Interrupted}},
			{desc("answers_total", "Answers with actions, by whether a skill was shown.", "skill"), kpi.Answers, []string{kpi.WithSkill, kpi.WithoutSkill}},
			{desc("verdicts_total", "Verdicts on actions.", "outcome"), kpi.Verdicts, judged},
			{desc("corrections_total", "Verdicts on corrections.", "outcome"), kpi.Corrections, judged},
			{desc("skills_shown_total", "Verdicts on answers with a skill.", "outcome"), kpi.Skills, judged},
			{desc("planned_tasks_total", "Ended tasks that had a plan.", "plan"), kpi.Plans, []string{kpi.Kept, kpi.Replaced}},
			{desc("simple_tasks_total", "Ended tasks that looked simple.", "judgement"), kpi.Simple, []string{kpi.Right, kpi.Misjudged}},
			{desc("context_routes_total", "Answers about where information is, by what was done.", "route"), kpi.Routes, routes()},
		},
		active:     desc("tasks_active", "Tasks that have not ended.", "status"),
		idle:       desc("tasks_longest_idle_seconds", "How long the task has been untouched, of those not ended nor held, that is so longest; 0 for none."),
		actions:    desc("actions_total", "Actions sent, alone or in chains."),
		switches:   desc("context_source_switches_total", "Such answers with other sources than the one before in their task."),
		roundTrips: desc("round_trip_reduction", "Share of actions that took no round trip of their own."+day),
		low:        desc("context_low_confidence_rate", "Share of confidences under 0.5."+day, "source"),
		confidence: desc("context_confidence", "Confidence in where the information is that a task needs.", "source"),
		skills:     desc("skills", "Skills that are kept."),
		learnt:     desc("skills_created", "Skills learnt."+day),
		largest:    desc("skills_largest_tenant", "Skills of the tenant that has most."),
	}
}

func routes() (labels []string) {
	for _, r := range []reasoning.Route{reasoning.Proceed, reasoning.SearchWeb, reasoning.VerifyBySearch, reasoning.AskFirst} {
		labels = append(labels, string(r))
	}
	return labels
}

// Describe implements prometheus.Collector.
func (m *kpiMetrics) Describe(to chan<- *prometheus.Desc) {
	for _, r := range m.rates {
		to <- r.desc
	}
	for _, t := range m.totals {
		to <- t.desc
	}
	for _, d := range []*prometheus.Desc{m.active, m.idle, m.actions, m.switches, m.roundTrips, m.low, m.confidence, m.skills, m.learnt, m.largest} {
		to <- d
	}
}

// Collect implements prometheus.Collector.
func (m *kpiMetrics) Collect(to chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), scrapeWithin)
	defer cancel()
	send := func(d *prometheus.Desc, kind prometheus.ValueType, v float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, kind, v, labels...)
	}
	gauge := func(d *prometheus.Desc, v float64, labels ...string) { send(d, prometheus.GaugeValue, v, labels...) }
	for _, part := range []func() error{
		func() error {
			ever, err := kpi.Queries{DB: m.db}.Ever(ctx)
			if err == nil {
				m.sendTotals(ever, send)
				m.sendConfidence(ever, to)
			}
			return err
		},
		func() error {
			lately, err := kpi.Queries{DB: m.db}.Lately(ctx, kpiOver)
			if err == nil {
				m.sendRates(lately, gauge)
			}
			return err
		},
		func() error {
			counts, err := tasks.Queries{DB: m.db}.UnderWay(ctx)
			for _, status := range []string{"active", "executing", "correcting"} {
				if err == nil {
					gauge(m.active, float64(counts[status]), status)
				}
			}
			return err
		},
		func() error {
			idle, err := tasks.Queries{DB: m.db}.LongestIdle(ctx)
			if err == nil {
				gauge(m.idle, idle.Seconds())
			}
			return err
		},
		func() error {
			n, err := skills.Queries{DB: m.db}.Count(ctx, kpiOver)
			if err == nil {
				gauge(m.skills, float64(n.All))
				gauge(m.learnt, float64(n.Learnt))
				gauge(m.largest, float64(n.Largest))
			}
			return err
		},
	} {
		if err := part(); err != nil {
			to <- prometheus.NewInvalidMetric(m.active, err)
			return
		}
	}
}

func (m *kpiMetrics) sendTotals(ever kpi.Figures, send func(*prometheus.Desc, prometheus.ValueType, float64, ...string)) {
	for _, t := range m.totals {
		for _, label := range t.labels {
			send(t.desc, prometheus.CounterValue, float64(ever.Of(t.name, label).Count), label)
		}
	}
	send(m.actions, prometheus.CounterValue, ever.Sum(kpi.Answers).Total)
	send(m.switches, prometheus.CounterValue, float64(ever.Of(kpi.Switches, "").Count))
}

func (m *kpiMetrics) sendRates(lately kpi.Figures, gauge func(*prometheus.Desc, float64, ...string)) {
	for _, r := range m.rates {
		if rate, ok := lately.Rate(r.name, r.label, r.of...); ok {
			gauge(r.desc, rate)
		}
	}
	if answers := lately.Sum(kpi.Answers); answers.Total > 0 {
		gauge(m.roundTrips, 1-float64(answers.Count)/answers.Total)
	}
	for _, source := range reasoning.Sources {
		if all := lately.Of(kpi.Confidence, string(source)).Count; all > 0 {
			gauge(m.low, float64(lately.Of(kpi.LowConfidence, string(source)).Count)/float64(all), string(source))
		}
	}
}

// sendConfidence sends a histogram for each source.
func (m *kpiMetrics) sendConfidence(ever kpi.Figures, to chan<- prometheus.Metric) {
	for _, source := range reasoning.Sources {
		all, upTo, buckets := ever.Of(kpi.Confidence, string(source)), uint64(0), map[float64]uint64{}
		for _, edge := range kpi.BinEdges {
			upTo += uint64(ever.Bin(string(source), edge)) //nolint:gosec // a count is not negative
			buckets[edge] = upTo
		}
		to <- prometheus.MustNewConstHistogram(m.confidence, uint64(all.Count), all.Total, buckets, string(source)) //nolint:gosec // nor is this
	}
}
