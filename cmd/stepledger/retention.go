package main

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/stepledger/stepledger/projections"
	"github.com/stepledger/stepledger/projections/calibration"
	"github.com/stepledger/stepledger/projections/kpi"
	"github.com/stepledger/stepledger/projections/sessions"
	"github.com/stepledger/stepledger/projections/skills"
	"github.com/stepledger/stepledger/projections/tasks"
)

// contentFor is how long pages, prompts and answers are kept.
const contentFor = 30 * 24 * time.Hour

// retentionJob is one rule of how long something is kept.
type retentionJob struct {
	name string
	// keeps says how long, for people.
	keeps string
	// delete removes what is too old, in batches, until nothing is left or ctx ends, and
	// returns how much it removed, beside an error too. Count says how much that would be;
	// nil where to find out takes as long as to remove it.
	delete, count func(ctx context.Context, now time.Time) (int64, error)
}

// retentionReport is what came of a job.
type retentionReport struct {
	job     retentionJob
	deleted int64
	took    time.Duration
	// more: its time was up before all was deleted; it goes on the next time.
	more bool
	err  error
}

// retention are all rules (spec §4.15). The log of events is kept, and what is sealed in
// it with its keys; the debug log is read from there and goes back history.LogKept.
func (s *system) retention() []retentionJob {
	jobs := s.readRetention()
	if s.archived.log != nil {
		jobs = append(jobs, retentionJob{"log", "a day after nobody can read them any more: events of the log", s.scavenge, nil})
	}
	return jobs
}

// scavengeBatch is how many hidden events are removed in one transaction.
const scavengeBatch = 1000

// scavenge removes from disk what retention hides in the log, once no version comes back
// that relies on all events to be there.
func (s *system) scavenge(ctx context.Context, _ time.Time) (removed int64, err error) {
	if !s.content.Finished() {
		return 0, nil
	}
	for {
		n, err := s.archived.log.Scavenge(ctx, scavengeBatch)
		if removed += n; err != nil || n < scavengeBatch {
			return removed, err
		}
	}
}

// readRetention are the rules of what is read.
func (s *system) readRetention() []retentionJob {
	at := func(now time.Time) func() time.Time { return func() time.Time { return now } }
	return []retentionJob{
		{
			"tasks", "90 days after the end, 30 if interrupted",
			func(ctx context.Context, now time.Time) (int64, error) {
				return tasks.Queries{DB: s.db, Now: at(now)}.Expire(ctx)
			},
			func(ctx context.Context, now time.Time) (int64, error) {
				return tasks.Queries{DB: s.db, Now: at(now)}.Expired(ctx)
			},
		},
		{
			"sessions", "as tasks, with their messages",
			func(ctx context.Context, now time.Time) (int64, error) {
				return sessions.Queries{DB: s.db}.Expire(ctx, now)
			},
			func(ctx context.Context, now time.Time) (int64, error) {
				return sessions.Queries{DB: s.db}.Expired(ctx, now)
			},
		},
		{
			"content", "30 days: pages, screenshots, prompts, answers",
			func(ctx context.Context, now time.Time) (int64, error) {
				return s.content.Purge(ctx, now.Add(-contentFor), projections.ExpireBatch)
			},
			func(ctx context.Context, now time.Time) (int64, error) {
				return s.content.Purgeable(ctx, now.Add(-contentFor))
			},
		},
		{
			"verdicts", "90 days: verdicts, corrections and scores",
			func(ctx context.Context, now time.Time) (int64, error) {
				return calibration.Queries{DB: s.db, Now: at(now)}.Expire(ctx)
			},
			func(ctx context.Context, now time.Time) (int64, error) {
				return calibration.Queries{DB: s.db, Now: at(now)}.Expired(ctx)
			},
		},
		{
			"skills", "90 days after the last use",
			func(ctx context.Context, now time.Time) (int64, error) {
				return skills.Queries{DB: s.db, Now: at(now)}.Expire(ctx)
			},
			func(ctx context.Context, now time.Time) (int64, error) {
				return skills.Queries{DB: s.db, Now: at(now)}.Expired(ctx)
			},
		},
		{
			"figures", "90 days: figures by the hour",
			func(ctx context.Context, now time.Time) (int64, error) {
				return kpi.Queries{DB: s.db, Now: at(now)}.Expire(ctx)
			},
			func(ctx context.Context, now time.Time) (int64, error) {
				return kpi.Queries{DB: s.db, Now: at(now)}.Expired(ctx)
			},
		},
	}
}

// retain runs all jobs, each within its own time: one that fails keeps none of the others
// from running.
func (s *system) retain(ctx context.Context, now time.Time) (reports []retentionReport) {
	for _, job := range s.retention() {
		r := runRetention(ctx, job, now)
		s.kept.note(r)
		level := slog.LevelDebug
		if r.deleted > 0 {
			level = slog.LevelInfo
		}
		s.log.Log(ctx, level, "retention", "job", job.name, "recordsDeleted", r.deleted, "errors", r.errors(), "durationMs", r.took.Milliseconds(), "more", r.more)
		reports = append(reports, r)
	}
	return reports
}

func runRetention(ctx context.Context, job retentionJob, now time.Time) retentionReport {
	began := time.Now()
	limited, cancel := context.WithTimeout(ctx, jobWithin)
	defer cancel()
	n, err := job.delete(limited, now)
	r := retentionReport{job: job, deleted: n, took: time.Since(began), err: err}
	if err != nil && errors.Is(limited.Err(), context.DeadlineExceeded) {
		r.more, r.err = true, nil
	}
	return r
}

func (r retentionReport) errors() int {
	if r.err != nil {
		return 1
	}
	return 0
}

// retentionMetrics are what the jobs of this process did.
type retentionMetrics struct {
	deleted, failed *prometheus.CounterVec
	seconds, last   *prometheus.GaugeVec
}

func newRetentionMetrics(r prometheus.Registerer) retentionMetrics {
	const byJob = "job"
	m := retentionMetrics{
		deleted: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "stepledger_retention_deleted_total", Help: "Rows deleted because they were too old."}, []string{byJob}),
		failed:  prometheus.NewCounterVec(prometheus.CounterOpts{Name: "stepledger_retention_errors_total", Help: "Runs that failed; the rest is deleted the next time."}, []string{byJob}),
		seconds: prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "stepledger_retention_seconds", Help: "How long the last run took."}, []string{byJob}),
		last:    prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "stepledger_retention_last_run_timestamp_seconds", Help: "When the job last ran to its end; one process at a time runs it."}, []string{byJob}),
	}
	r.MustRegister(m.deleted, m.failed, m.seconds, m.last)
	return m
}

func (m retentionMetrics) note(r retentionReport) {
	m.deleted.WithLabelValues(r.job.name).Add(float64(r.deleted))
	m.failed.WithLabelValues(r.job.name).Add(float64(r.errors()))
	m.seconds.WithLabelValues(r.job.name).Set(r.took.Seconds())
	if r.err == nil && !r.more {
		m.last.WithLabelValues(r.job.name).SetToCurrentTime()
	}
}
