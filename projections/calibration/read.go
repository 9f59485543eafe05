package calibration

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// reader reads the parts of a report in one transaction.
type reader struct {
	tx   pgx.Tx
	args pgx.NamedArgs
}

func collect[T any](ctx context.Context, r reader, sql string) ([]T, error) {
	rows, err := r.tx.Query(ctx, sql, r.args)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[T])
}

var figures = `
	select checkpoint, count(*) as checks, avg(overall) as mean_score,
		count(*) filter (where outcome <> 'open') as ended,
		count(*) filter (where verdict <> 'PASS' and (outcome = 'failed' or outcome = 'completed' and any_passed)) as verified_failures,
		count(*) filter (where verdict = 'PASS' and stands and outcome = 'failed') as missed_failures,
		count(*) filter (where verdict <> 'PASS' and outcome = 'completed' and not any_passed) as false_rejections,
		count(*) filter (where retry_verdict <> '') as retries,
		count(*) filter (where retry_verdict = 'PASS') as retries_passed,
		count(*) filter (where stands and outcome <> 'open') as correlated,
		corr(overall, (outcome = 'completed')::integer) filter (where stands and outcome <> 'open') as correlation
	from read.checkpoint_score
	where ` + selected("checked_at") + `
	group by checkpoint
	order by checkpoint`

type figure struct {
	Checkpoint       string   `db:"checkpoint"`
	Checks           int      `db:"checks"`
	MeanScore        float64  `db:"mean_score"`
	Ended            int      `db:"ended"`
	VerifiedFailures int      `db:"verified_failures"`
	MissedFailures   int      `db:"missed_failures"`
	FalseRejections  int      `db:"false_rejections"`
	Retries          int      `db:"retries"`
	RetriesPassed    int      `db:"retries_passed"`
	Correlated       int      `db:"correlated"`
	Correlation      *float64 `db:"correlation"`
}

var verdicts = `
	select checkpoint as of, option, verdict, count(*) as checks, avg(overall) as mean_score
	from read.checkpoint_score
	where ` + selected("checked_at") + `
	group by checkpoint, option, verdict
	order by checkpoint, option, verdict`

type verdictsOf struct {
	Of string `db:"of"`
	ByVerdict
}

var scoreBins = `
	select checkpoint as of, width_bucket(overall, @edges::float8[]) as bin, count(*) as count,
		count(*) filter (where outcome = 'completed') as succeeded, count(*) filter (where outcome = 'failed') as failed,
		avg(overall) filter (where outcome <> 'open') as mean
	from read.checkpoint_score
	where stands and ` + selected("checked_at") + `
	group by 1, 2
	order by 1, 2`

var confidenceBins = `
	select decided_by as of, width_bucket(confidence, @edges::float8[]) as bin, count(*) as count,
		count(*) filter (where verdict = 'succeeded') as succeeded, count(*) filter (where verdict = 'failed') as failed,
		avg(confidence) filter (where verdict in ('succeeded', 'failed')) as mean
	from read.action_confidence
	where ` + selected("generated_at") + `
	group by 1, 2
	order by 1, 2`

type binOf struct {
	Of        string   `db:"of"`
	Bin       int      `db:"bin"` // its index
	Count     int      `db:"count"`
	Succeeded int      `db:"succeeded"`
	Failed    int      `db:"failed"`
	Mean      *float64 `db:"mean"`
}

// fill puts the bins of something into its report.
func fill(bins []Bin, from []binOf, of string) []Bin {
	for _, b := range from {
		if b.Of == of {
			into := &bins[b.Bin]
			into.Count, into.Succeeded, into.Failed, into.Mean = b.Count, b.Succeeded, b.Failed, b.Mean
		}
	}
	return bins
}

func (r reader) checkpoints(ctx context.Context, out *Report) error {
	found, err := collect[figure](ctx, r, figures)
	if err != nil {
		return err
	}
	by, err := collect[verdictsOf](ctx, r, verdicts)
	if err != nil {
		return err
	}
	bins, err := collect[binOf](ctx, r, scoreBins)
	if err != nil {
		return err
	}
	out.Checkpoints = []Checkpoint{}
	for _, f := range found {
		c := f.checkpoint()
		c.Bins = fill(emptyBins(), bins, f.Checkpoint)
		for _, v := range by {
			if v.Of == f.Checkpoint {
				c.Verdicts = append(c.Verdicts, v.ByVerdict)
			}
		}
		out.Checkpoints = append(out.Checkpoints, c)
	}
	return nil
}

func (f figure) checkpoint() Checkpoint {
	c := Checkpoint{
		Checkpoint: f.Checkpoint, Checks: f.Checks, MeanScore: f.MeanScore,
		Correlation:       correlationOf(f.Correlation, f.Correlated),
		CatchRate:         rateOf(f.VerifiedFailures, f.VerifiedFailures+f.MissedFailures),
		FalsePositiveRate: rateOf(f.FalseRejections, f.Ended),
		RetrySuccess:      rateOf(f.RetriesPassed, f.Retries),
	}
	c.Alerts = c.alerts()
	return c
}

func (r reader) actions(ctx context.Context, out *Report) error {
	bins, err := collect[binOf](ctx, r, confidenceBins)
	if err != nil {
		return err
	}
	out.Actions = []Decider{}
	for i, b := range bins {
		if i == 0 || b.Of != bins[i-1].Of {
			out.Actions = append(out.Actions, Decider{b.Of, fill(emptyBins(), bins, b.Of)})
		}
	}
	return nil
}

var chains = `
	select count(*) as chains, avg(actions)::float8 as mean_length,
		count(*) filter (where recovery = '' and verdict <> 'open') as whole,
		count(*) filter (where recovery <> '' or verdict <> 'open') as reported
	from read.action_confidence
	where actions > 1 and ` + selected("generated_at")

type chainFigure struct {
	Chains     int      `db:"chains"`
	MeanLength *float64 `db:"mean_length"`
	Whole      int      `db:"whole"`
	Reported   int      `db:"reported"`
}

var recoveries = `
	select recovery, count(*) as chains
	from read.action_confidence
	where actions > 1 and recovery <> '' and ` + selected("generated_at") + `
	group by recovery
	order by recovery`

func (r reader) chains(ctx context.Context, out *Report) error {
	found, err := collect[chainFigure](ctx, r, chains)
	if err != nil {
		return err
	}
	stopped, err := collect[Recovery](ctx, r, recoveries)
	if err != nil {
		return err
	}
	f := found[0]
	out.Chains = Chains{f.Chains, f.MeanLength, rateOf(f.Whole, f.Reported), append([]Recovery{}, stopped...)}
	return nil
}
