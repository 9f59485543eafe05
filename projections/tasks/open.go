package tasks

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/projections"
)

const open = `
	select task_id::text
	from read.task
	where session_id = @session and tenant = @tenant and status in ('active', 'executing', 'correcting')
	order by position`

// Open returns the tasks of a session, visible or not, that have neither ended nor
// are interrupted.
func (q Queries) Open(ctx context.Context, tenant, session string) ([]string, error) {
	rows, err := q.DB.Query(ctx, open, pgx.NamedArgs{"tenant": tenant, "session": session})
	if err != nil {
		return nil, fmt.Errorf("open tasks of session %s: %w", session, projections.Unavailable(err))
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("open tasks of session %s: %w", session, projections.Unavailable(err))
	}
	return ids, nil
}
