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
