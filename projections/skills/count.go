package skills

import (
	"context"
	"fmt"
	"time"

	"github.com/stepledger/stepledger/projections"
)

// Count returns how many skills all tenants have, and how many of them were learnt within
// the last time.
func (q Queries) Count(ctx context.Context, within time.Duration) (all, learnt int64, err error) {
	err = q.DB.QueryRow(ctx, `select count(*), count(*) filter (where created_at > $1) from read.skill`, q.now().Add(-within)).Scan(&all, &learnt)
	if err != nil {
		return 0, 0, fmt.Errorf("count skills: %w", projections.Unavailable(err))
	}
	return all, learnt, nil
}
