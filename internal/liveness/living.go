package liveness

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

const living = `
	select count(distinct objid) from pg_locks
	where locktype = 'advisory' and granted and classid = $1 and objsubid = 2
		and database = (select oid from pg_database where datname = current_database())`

// Living counts the processes of an installation that are alive: those that hold the lock of
// an instance id. It takes none itself.
func Living(ctx context.Context, url string) (n int, err error) {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return 0, fmt.Errorf("liveness: %w", err)
	}
	defer closeConn(conn)
	if err := conn.QueryRow(ctx, living, lockSpace).Scan(&n); err != nil {
		return 0, fmt.Errorf("liveness: count who is alive: %w", err)
	}
	return n, nil
}
