package tasks

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/projections"
)

const underWay = `
	select status, count(*)
	from read.task
	where visible and status in ('active', 'executing', 'correcting')
	group by status`

// UnderWay counts the tasks of all tenants that have not ended, by status; a status without
// tasks has none.
func (q Queries) UnderWay(ctx context.Context) (map[string]int64, error) {
	rows, err := q.DB.Query(ctx, underWay)
	if err != nil {
		return nil, fmt.Errorf("count tasks: %w", projections.Unavailable(err))
	}
	counts := map[string]int64{}
	var status string
	var n int64
	if _, err := pgx.ForEachRow(rows, []any{&status, &n}, func() error {
		counts[status] = n
		return nil
	}); err != nil {
		return nil, fmt.Errorf("count tasks: %w", projections.Unavailable(err))
	}
	return counts, nil
}
