package skills

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/projections"
)

const expired = `
	with gone as (
		delete from skill where skill_id in (select skill_id from skill where last_used <= @before limit 100)
		returning 1
	)
	select count(*) from gone`

// Expire forgets skills not used for KeptFor, and says how many. Find has not
// shown them since.
func (q Queries) Expire(ctx context.Context) (int64, error) {
	return projections.Expire(ctx, q.DB, Projection.Name, expired, pgx.NamedArgs{"before": q.now().Add(-KeptFor)})
}
