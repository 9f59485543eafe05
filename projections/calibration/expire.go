package calibration

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/projections"
)

// KeptFor is how long rows are kept after the end of their task, as long as the task
// itself; those of a task that never ended, after they were written.
const KeptFor = 90 * 24 * time.Hour

const expired = `
	with checks as (
		delete from checkpoint_score where (task_id, revision) in (
			select task_id, revision from checkpoint_score where coalesce(ended_at, checked_at) < @before limit 500)
		returning 1
	), actions as (
		delete from action_confidence where (task_id, step_index) in (
			select task_id, step_index from action_confidence where coalesce(ended_at, generated_at) < @before limit 500)
		returning 1
	)
	select (select count(*) from checks) + (select count(*) from actions)`

// Expire deletes rows past KeptFor and returns how many.
func (q Queries) Expire(ctx context.Context) (int64, error) {
	return projections.Expire(ctx, q.DB, Projection.Name, expired, pgx.NamedArgs{"before": q.now().Add(-KeptFor)})
}
