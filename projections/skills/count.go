package skills

import (
	"context"
	"fmt"
	"time"

	"github.com/stepledger/stepledger/projections"
)

// Counts says how many skills there are.
type Counts struct {
	// All are those of all tenants, Learnt those of them that were learnt within the last
	// time, and Largest those of the tenant that has most.
	All, Learnt, Largest int64
}

const counts = `
	select coalesce(sum(of), 0)::bigint, coalesce(sum(learnt), 0)::bigint, coalesce(max(of), 0)
	from (select count(*) as of, count(*) filter (where created_at > $1) as learnt from read.skill group by tenant) t`

// Count counts the skills of all tenants.
func (q Queries) Count(ctx context.Context, within time.Duration) (c Counts, err error) {
	if err := q.DB.QueryRow(ctx, counts, q.now().Add(-within)).Scan(&c.All, &c.Learnt, &c.Largest); err != nil {
		return Counts{}, fmt.Errorf("count skills: %w", projections.Unavailable(err))
	}
	return c, nil
}
