package calibration

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/projections"
)

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

// Filter selects checks and actions: of a tenant, or of all for ""; made from From on and
// before To, where these are not zero.
type Filter struct {
	Tenant   string
	From, To time.Time
}

func (f Filter) args() pgx.NamedArgs {
	bound := func(t time.Time) *time.Time {
		if t.IsZero() {
			return nil
		}
		return &t
	}
	return pgx.NamedArgs{"tenant": f.Tenant, "from": bound(f.From), "to": bound(f.To), "edges": binEdges}
}

// selected is the condition that a Filter is, on rows with a column of their time.
func selected(at string) string {
	return `@tenant in (tenant, '') and (@from::timestamptz is null or ` + at + ` >= @from)
		and (@to::timestamptz is null or ` + at + ` < @to)`
}

// Report returns the figures of the rows that a filter selects, all as of one moment.
func (q Queries) Report(ctx context.Context, f Filter) (Report, error) {
	return q.report(ctx, f, reader.checkpoints, reader.actions, reader.chains)
}

// WithoutActions is Report without the confidence of actions, of which there are far
// more than of anything else.
func (q Queries) WithoutActions(ctx context.Context, f Filter) (Report, error) {
	return q.report(ctx, f, reader.checkpoints, reader.chains)
}

func (q Queries) report(ctx context.Context, f Filter, parts ...func(reader, context.Context, *Report) error) (out Report, err error) {
	err = pgx.BeginFunc(ctx, q.DB, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `set transaction isolation level repeatable read read only`); err != nil {
			return err
		}
		for _, part := range parts {
			if err := part(reader{tx, f.args()}, ctx, &out); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return Report{}, fmt.Errorf("calibration of %q: %w", f.Tenant, projections.Unavailable(err))
	}
	return out, nil
}
