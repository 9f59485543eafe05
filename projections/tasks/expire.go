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
const (
	tooOld = `ended_at < @ended
		or (status = 'interrupted' or not visible and ended_at is null) and updated_at < @interrupted`

	expired = `
	with gone as (
		delete from task where task_id in (select task_id from task where ` + tooOld + ` limit @batch)
		returning 1
	), sessions as (
		delete from archived_session where session_id in (
			select session_id from archived_session where archived_at < @ended limit @batch)
		returning 1
	)
	select (select count(*) from gone) + (select count(*) from sessions)`

	expirable = `
	select (select count(*) from read.task where ` + tooOld + `) + (select count(*) from read.archived_session where archived_at < @ended)`
)

// Expire deletes tasks that ended or were interrupted too long ago, and marks of
// archived sessions whose tasks are stale. It returns the number of rows. Streams
// stay.
func (q Queries) Expire(ctx context.Context) (int64, error) {
	return projections.Expire(ctx, q.DB, Projection.Name, expired, q.bounds())
}

// Expired counts what Expire would delete.
func (q Queries) Expired(ctx context.Context) (int64, error) {
	return projections.Expired(ctx, q.DB, Projection.Name, expirable, q.bounds())
}

func (q Queries) bounds() pgx.NamedArgs {
	now := q.now()
	return pgx.NamedArgs{"ended": now.Add(-EndedKept), "interrupted": now.Add(-InterruptedKept)}
}
