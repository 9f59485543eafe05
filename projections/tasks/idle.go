package tasks

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/projections"
)

const idle = `
	select ` + columns + `
	from read.task
	where visible and status in ('active', 'executing', 'correcting') and updated_at < @before and paused_at is null
	order by updated_at
	limit @limit`

// Idle returns the tasks of all tenants that have not ended and were not touched
// since a time, nor are held by somebody, longest untouched first. The scheduler interrupts them.
func (q Queries) Idle(ctx context.Context, before time.Time, limit int) ([]View, error) {
	rows, err := q.DB.Query(ctx, idle, pgx.NamedArgs{"before": before, "limit": limit})
	if err != nil {
		return nil, fmt.Errorf("idle tasks: %w", projections.Unavailable(err))
	}
	views, err := pgx.CollectRows(rows, pgx.RowToStructByName[View])
	if err != nil {
		return nil, fmt.Errorf("idle tasks: %w", projections.Unavailable(err))
	}
	return views, nil
}

const longestIdle = `
	select coalesce(extract(epoch from now() - min(updated_at)), 0)::float8
	from read.task
	where visible and status in ('active', 'executing', 'correcting') and paused_at is null`

// LongestIdle returns for how long the task of all tenants has not been touched that was
// not touched longest, of those that have not ended nor are held by somebody; 0 for none.
func (q Queries) LongestIdle(ctx context.Context) (time.Duration, error) {
	var seconds float64
	if err := q.DB.QueryRow(ctx, longestIdle).Scan(&seconds); err != nil {
		return 0, fmt.Errorf("the longest idle task: %w", projections.Unavailable(err))
	}
	return max(0, time.Duration(seconds*float64(time.Second))), nil
}
