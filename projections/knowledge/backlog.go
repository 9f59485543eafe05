package knowledge

import (
	"context"
	"fmt"
	"time"

	"github.com/stepledger/stepledger/projections"
)

// Backlog is how all tenants' documents stand.
type Backlog struct {
	// Documents counts by state, as States names them; Crawls those that run.
	Documents map[string]int
	Crawls    int
	// Oldest is when the document came that waits longest, the zero time for none.
	Oldest time.Time
}

const backlog = `
	select coalesce((select jsonb_object_agg(state, n) from (select state, count(*) as n from read.document group by state) d), '{}') as documents,
		(select count(*) from read.crawl where finished_at is null)::int as crawls,
		(select min(received_at) from read.document where state in ('received', 'reading')) as oldest`

// Backlog counts. It is for operators' contexts.
func (q Queries) Backlog(ctx context.Context) (Backlog, error) {
	var b Backlog
	var oldest *time.Time
	err := q.DB.QueryRow(ctx, backlog).Scan(&b.Documents, &b.Crawls, &oldest)
	if err != nil {
		return b, fmt.Errorf("count documents: %w", projections.Unavailable(err))
	}
	if oldest != nil {
		b.Oldest = *oldest
	}
	return b, nil
}

// Position is the log position up to which everything is applied, but for what is parked.
func (q Queries) Position(ctx context.Context) (position int64, err error) {
	err = q.DB.QueryRow(ctx, `select position from read.checkpoint where live and projection = $1`, Projection.Name).Scan(&position)
	if err != nil {
		return 0, fmt.Errorf("how far the index has come: %w", projections.Unavailable(err))
	}
	return position, nil
}
