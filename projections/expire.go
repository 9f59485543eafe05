package projections

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// ExpireBatch is how many rows of a table are deleted in one transaction (spec §4.15: so
// few that nobody waits for it).
const ExpireBatch = 100

// Expire deletes expired rows of a projection's live tables. It repeats a statement,
// each time in its own transaction, until that returns 0 or ctx ends; what is deleted by
// then is told with the error. The statement deletes at most @batch rows of unqualified
// tables, with all that depends on them, and selects how many. Events are not touched, so
// after a rebuild the same rows expire again.
func Expire(ctx context.Context, db DB, name, statement string, args pgx.NamedArgs) (forgotten int64, err error) {
	args["batch"] = ExpireBatch
	for {
		var n int64
		err := inTables(ctx, db, name, func(tx pgx.Tx, _ generation) error {
			return tx.QueryRow(ctx, statement, args).Scan(&n)
		})
		if err != nil {
			return forgotten, fmt.Errorf("expire rows of %s: %w", name, err)
		}
		if forgotten += n; n == 0 {
			return forgotten, nil
		}
	}
}

// Expired counts what Expire would delete now. The statement selects how many rows of
// views there are.
func Expired(ctx context.Context, db DB, name, statement string, args pgx.NamedArgs) (n int64, err error) {
	if err := db.QueryRow(ctx, statement, args).Scan(&n); err != nil {
		return 0, fmt.Errorf("count expired rows of %s: %w", name, Unavailable(err))
	}
	return n, nil
}

const holdLive = `
	select projection, generation, version, log_id, position, live
	from read.checkpoint
	where projection = $1 and live
	for update`

// inTables runs f in a transaction in which unqualified names are a projection's live
// tables. It holds their checkpoint, so nobody else writes to them. Without live
// tables it does nothing.
func inTables(ctx context.Context, db DB, name string, f func(pgx.Tx, generation) error) error {
	return pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, holdLive, name)
		if err != nil {
			return err
		}
		live, err := pgx.CollectRows(rows, pgx.RowToStructByName[generation])
		if err != nil || len(live) == 0 {
			return err
		}
		if err := live[0].enter(ctx, tx); err != nil {
			return err
		}
		return f(tx, live[0])
	})
}
