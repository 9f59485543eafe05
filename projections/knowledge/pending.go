package knowledge

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/domain/knowledge"
	"github.com/stepledger/stepledger/projections"
)

// Work is what is to be done for a source, as far as is known here: the source's own
// events decide.
type Work struct {
	Tenant string         `db:"tenant"`
	Source string         `db:"source_id"`
	Kind   knowledge.Kind `db:"kind"`
	// Removed: its keys and bytes are to be forgotten. Nothing else is set then.
	Removed bool `db:"removed"`
	// ToRead counts documents that came and are not at an end, Oldest is since when.
	ToRead int        `db:"to_read"`
	Oldest *time.Time `db:"oldest"`
	// Crawling: a crawl is not finished. CrawlDue: one is to begin.
	Crawling bool `db:"crawling"`
	CrawlDue bool `db:"crawl_due"`
	// ToReread counts documents that an older reader has read.
	ToReread int `db:"to_reread"`
	// ToForget counts versions that another has taken the place of, or whose document is
	// gone.
	ToForget int `db:"to_forget"`
}

const pending = `
	select tenant, source_id, kind, removed, to_read, oldest, crawling, crawl_due, to_reread, to_forget from (
		select s.tenant, s.source_id, s.kind, removed_at is not null as removed, coalesce(d.to_read, 0)::int as to_read, d.oldest,
			removed_at is null and c.source_id is not null and c.finished_at is null as crawling,
			removed_at is null and kind = any (@crawled) and (c.source_id is null
				or c.finished_at is not null and every_seconds > 0 and c.finished_at + make_interval(secs => every_seconds) <= @now) as crawl_due,
			coalesce(o.to_reread, 0)::int as to_reread, coalesce(v.to_forget, 0)::int as to_forget, added_at
		from read.source s
			left join read.crawl c on c.source_id = s.source_id
			left join (select source_id, count(*) as to_read, min(received_at) as oldest from read.document
				where state in ('received', 'reading') group by 1) d on d.source_id = s.source_id
			left join (select source_id, count(*) as to_reread from read.document
				where state in ('indexed', 'empty', 'refused') and reader < @reader group by 1) o on o.source_id = s.source_id
			left join (select source_id, count(*) as to_forget from read.document_version where state in ('old', 'refused') group by 1) v on v.source_id = s.source_id
	) w
	where removed or crawling or crawl_due or to_read > 0 or to_reread > 0 or to_forget > 0
	order by removed desc, to_read = 0 and to_reread = 0 and not crawling and not crawl_due, oldest nulls last, added_at, source_id
	limit @limit`

// MaxPending bounds Pending.
const MaxPending = 1000

// Pending lists the sources of all tenants with something to do, those that wait longest
// first, at most MaxPending. It is for operators' contexts: those of a tenant's request see
// that tenant's only.
func (q Queries) Pending(ctx context.Context) ([]Work, error) {
	crawled := []string{}
	for _, k := range knowledge.Kinds {
		if k.Crawled() {
			crawled = append(crawled, string(k))
		}
	}
	rows, err := q.DB.Query(ctx, pending, pgx.NamedArgs{"crawled": crawled, "now": q.now(), "limit": MaxPending, "reader": knowledge.ReaderVersion})
	if err != nil {
		return nil, fmt.Errorf("list what is to be done: %w", projections.Unavailable(err))
	}
	work, err := pgx.CollectRows(rows, pgx.RowToStructByName[Work])
	if err != nil {
		return nil, fmt.Errorf("list what is to be done: %w", projections.Unavailable(err))
	}
	return work, nil
}
