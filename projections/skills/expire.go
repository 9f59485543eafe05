package skills

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/projections"
)

const (
	expired = `
	with gone as (
		delete from skill where skill_id in (select skill_id from skill where last_used <= @before limit @batch)
		returning 1
	)
	select count(*) from gone`

	expirable = `select count(*) from read.skill where last_used <= @before`
)

// noted is how late the use of a skill may become known here.
const noted = 24 * time.Hour

// Expire deletes skills not used for KeptFor and returns how many. Find has not
// returned them since. It waits one day more: a use that is on the log but not
// applied yet must find its skill, as it would in a rebuild.
func (q Queries) Expire(ctx context.Context) (int64, error) {
	return projections.Expire(ctx, q.DB, Projection.Name, expired, q.before())
}

// Expired counts the skills that Expire would delete.
func (q Queries) Expired(ctx context.Context) (int64, error) {
	return projections.Expired(ctx, q.DB, Projection.Name, expirable, q.before())
}

func (q Queries) before() pgx.NamedArgs {
	return pgx.NamedArgs{"before": q.now().Add(-KeptFor - noted)}
}
