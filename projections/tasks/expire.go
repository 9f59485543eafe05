package tasks

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/projections"
)

// How long the row of a task is kept (spec §4.15).
const (
	EndedKept       = 90 * 24 * time.Hour
	InterruptedKept = 30 * 24 * time.Hour
)

// A task that never became visible is one that was interrupted before it began.
const expired = `
	with gone as (
		delete from task where task_id in (
			select task_id from task
			where ended_at < @ended
				or (status = 'interrupted' or not visible and ended_at is null) and updated_at < @interrupted
			limit 100)
		returning 1
	), sessions as (
		delete from archived_session where session_id in (
			select session_id from archived_session where archived_at < @ended limit 100)
		returning 1
	)
	select (select count(*) from gone) + (select count(*) from sessions)`

// Expire deletes tasks that ended or were interrupted too long ago, and marks of
// archived sessions whose tasks are stale. It returns the number of rows. Streams
// stay.
func (q Queries) Expire(ctx context.Context) (int64, error) {
	now := q.now()
	return projections.Expire(ctx, q.DB, Projection.Name, expired, pgx.NamedArgs{
		"ended": now.Add(-EndedKept), "interrupted": now.Add(-InterruptedKept),
	})
}
