package sessions

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/projections"
)

// How long a session is kept after it was touched last (spec §4.15).
const (
	EndedKept       = 90 * 24 * time.Hour
	InterruptedKept = 30 * 24 * time.Hour
)

// One that never became visible ended before it began.
const (
	tooOld = `(status in ('completed', 'failed') or archived or not visible) and updated_at < @ended
		or status = 'interrupted' and updated_at < @interrupted`

	expirable = `select count(*) from read.session where ` + tooOld
)

const expired = `
	with gone as (
		delete from session where session_id in (select session_id from session where ` + tooOld + ` limit @batch)
		returning session_id
	), messages as (
		delete from message using gone where message.session_id = gone.session_id
	), tasks as (
		delete from session_task using gone where session_task.session_id = gone.session_id returning task_id
	), turns as (
		delete from turn using tasks where turn.task_id = tasks.task_id
	), calls as (
		delete from turn_call using tasks where turn_call.task_id = tasks.task_id
	)
	select count(*) from gone`

// Expire deletes sessions that nobody touched for too long, with their messages, and
// returns how many. Active ones stay.
func (q Queries) Expire(ctx context.Context, now time.Time) (int64, error) {
	return projections.Expire(ctx, q.DB, Projection.Name, expired, bounds(now))
}

// Expired counts the sessions that Expire would delete.
func (q Queries) Expired(ctx context.Context, now time.Time) (int64, error) {
	return projections.Expired(ctx, q.DB, Projection.Name, expirable, bounds(now))
}

func bounds(now time.Time) pgx.NamedArgs {
	return pgx.NamedArgs{"ended": now.Add(-EndedKept), "interrupted": now.Add(-InterruptedKept)}
}
