package kpi

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/projections"
)

// Names of what is counted, and their labels. The value of Answers is the number of their
// actions, that of Confidence the confidence.
const (
	Tasks       = "task"
	Completed   = "completed"
	Failed      = "failed" // of verdicts too
	Interrupted = "interrupted"

	Simple    = "simple task"
	Right     = "right"
	Misjudged = "misjudged"

	Plans    = "planned task"
	Kept     = "kept"
	Replaced = "replaced"

	Answers      = "answer"
	WithSkill    = "skill"
	WithoutSkill = "none"

	Verdicts    = "verdict"
	Corrections = "correction"
	Skills      = "skill shown"
	Succeeded   = "succeeded"

	// Confidence and LowConfidence have sources as labels, ConfidenceBins "source|edge",
	// Routes the routes (reasoning.Route), Switches none.
	Confidence     = "confidence"
	LowConfidence  = "low confidence"
	ConfidenceBins = "confidence bin"
	Routes         = "route"
	Switches       = "source switch"
)

// BinEdges are the upper ends of the bins of confidence.
var BinEdges = []float64{0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 1}

// KeptFor is how long an hour is kept.
const KeptFor = 90 * 24 * time.Hour

// Queries reads the model. Now is the clock; nil means time.Now.
type Queries struct {
	DB  projections.DB
	Now func() time.Time
}

func (q Queries) now() time.Time {
	if q.Now == nil {
		return time.Now()
	}
	return q.Now()
}

// Tally is how often something happened, and the sum of its values.
type Tally struct {
	Count int64
	Total float64
}

// Figures are tallies by name and label; what never happened is zero.
type Figures map[[2]string]Tally

// Of returns the tally of a name and label.
func (f Figures) Of(name, label string) Tally { return f[[2]string{name, label}] }

// Sum returns that of all labels of a name.
func (f Figures) Sum(name string) (sum Tally) {
	for key, t := range f {
		if key[0] == name {
			sum.Count += t.Count
			sum.Total += t.Total
		}
	}
	return sum
}

// Rate returns the share of a label among some labels of a name; ok is false if there are
// no cases.
func (f Figures) Rate(name, label string, of ...string) (rate float64, ok bool) {
	var all int64
	for _, l := range of {
		all += f.Of(name, l).Count
	}
	if all == 0 {
		return 0, false
	}
	return float64(f.Of(name, label).Count) / float64(all), true
}

// Bin returns how many answers that name a source have a confidence in the bin under an
// edge.
func (f Figures) Bin(source string, edge float64) int64 {
	return f.Of(ConfidenceBins, source+"|"+strconv.FormatFloat(edge, 'g', -1, 64)).Count
}

const (
	ever   = `select name, label, count, total from read.tally where hour = 'epoch'`
	lately = `
	select name, label, sum(count)::bigint as count, sum(total) as total
	from read.tally where hour > date_trunc('hour', @since::timestamptz, 'UTC')
	group by name, label`
)

// Ever returns the figures since the beginning: they only grow.
func (q Queries) Ever(ctx context.Context) (Figures, error) { return q.figures(ctx, ever, nil) }

// Lately returns those of the last hours, the present one included.
func (q Queries) Lately(ctx context.Context, over time.Duration) (Figures, error) {
	return q.figures(ctx, lately, pgx.NamedArgs{"since": q.now().Add(-over)})
}

func (q Queries) figures(ctx context.Context, sql string, args pgx.NamedArgs) (Figures, error) {
	rows, err := q.DB.Query(ctx, sql, args)
	if err != nil {
		return nil, fmt.Errorf("figures: %w", projections.Unavailable(err))
	}
	out := Figures{}
	var name, label string
	var t Tally
	if _, err := pgx.ForEachRow(rows, []any{&name, &label, &t.Count, &t.Total}, func() error {
		out[[2]string{name, label}] = t
		return nil
	}); err != nil {
		return nil, fmt.Errorf("figures: %w", projections.Unavailable(err))
	}
	return out, nil
}

// Hours, and tasks that nobody went on with, as long as an interrupted task is kept.
const (
	unfinishedKept = 30 * 24 * time.Hour

	expired = `
	with hours as (
		delete from tally where (hour, name, label) in (
			select hour, name, label from tally where hour > 'epoch' and hour < @before limit @batch)
		returning 1
	), tasks as (
		delete from course where task_id in (select task_id from course where updated_at < @untouched limit @batch)
		returning 1
	)
	select (select count(*) from hours) + (select count(*) from tasks)`

	expirable = `select count(*) from read.tally where hour > 'epoch' and hour < @before`
)

// Expire deletes hours past KeptFor, and what is known of tasks that were left alone for
// as long as an interrupted task is kept. It returns the number of rows.
func (q Queries) Expire(ctx context.Context) (int64, error) {
	return projections.Expire(ctx, q.DB, Projection.Name, expired, q.bounds())
}

// Expired counts the hours that Expire would delete.
func (q Queries) Expired(ctx context.Context) (int64, error) {
	return projections.Expired(ctx, q.DB, Projection.Name, expirable, q.bounds())
}

func (q Queries) bounds() pgx.NamedArgs {
	return pgx.NamedArgs{"before": q.now().Add(-KeptFor), "untouched": q.now().Add(-unfinishedKept)}
}
