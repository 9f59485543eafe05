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

const (
	expired = `
	with checks as (
		delete from checkpoint_score where (task_id, revision) in (
			select task_id, revision from checkpoint_score where coalesce(ended_at, checked_at) < @before limit @batch)
		returning 1
	), actions as (
		delete from action_confidence where (task_id, step_index) in (
			select task_id, step_index from action_confidence where coalesce(ended_at, generated_at) < @before limit @batch)
		returning 1
	)
	select (select count(*) from checks) + (select count(*) from actions)`

	expirable = `
	select (select count(*) from read.checkpoint_score where coalesce(ended_at, checked_at) < @before)
		+ (select count(*) from read.action_confidence where coalesce(ended_at, generated_at) < @before)`
)

// Expire deletes rows past KeptFor and returns how many.
func (q Queries) Expire(ctx context.Context) (int64, error) {
	return projections.Expire(ctx, q.DB, Projection.Name, expired, q.before())
}

// Expired counts the rows that Expire would delete.
func (q Queries) Expired(ctx context.Context) (int64, error) {
	return projections.Expired(ctx, q.DB, Projection.Name, expirable, q.before())
}

func (q Queries) before() pgx.NamedArgs { return pgx.NamedArgs{"before": q.now().Add(-KeptFor)} }
