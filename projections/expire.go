package projections

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Expire deletes expired rows of a projection's live tables. It repeats a statement,
// each time in its own transaction, until that returns 0. The statement deletes a
// bounded number of rows of unqualified tables and selects how many. Events are not
// touched, so after a rebuild the same rows expire again.
func Expire(ctx context.Context, db DB, name, statement string, args pgx.NamedArgs) (forgotten int64, err error) {
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
