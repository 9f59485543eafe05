package skills

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/projections"
)

// Entry is a skill with its statistics, for engineers and operators.
type Entry struct {
	reasoning.Skill
	Tenant, Site string
	// Shown counts the actions it was shown for, heeded or not.
	Shown               int
	LastUsed, CreatedAt time.Time
	Task                string // that taught it
}

// MaxListed bounds List: a tenant's whole library.
const MaxListed = MaxPerTenant

const list = `
	select skill_id, goal, failed_action, failed_role, failed_name, failed_group, error_type,
		use_action, use_role, use_name, use_group, strategy, successes, failures,
		tenant, site, shown, last_used, created_at, task_id
	from read.skill
	where @tenant in (tenant, '') and @site in (site, '') and ` + usedLately + `
	order by last_used desc, skill_id
	limit @limit`

// List returns the library of a tenant, or of all for "", on a site, or on all for
// "", last used first. It includes skills that are not shown because they fail too
// often.
func (q Queries) List(ctx context.Context, tenant, site string) ([]Entry, error) {
	rows, err := q.DB.Query(ctx, list, pgx.NamedArgs{
		"tenant": tenant, "site": host(site), "at": q.now(), "kept": KeptFor.Seconds(), "limit": MaxListed,
	})
	if err != nil {
		return nil, fmt.Errorf("list skills of %q: %w", tenant, projections.Unavailable(err))
	}
	entries, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (e Entry, err error) {
		err = row.Scan(append(skillColumns(&e.Skill), &e.Tenant, &e.Site, &e.Shown, &e.LastUsed, &e.CreatedAt, &e.Task)...)
		return e, err
	})
	if err != nil {
		return nil, fmt.Errorf("list skills of %q: %w", tenant, projections.Unavailable(err))
	}
	return entries, nil
}
