package pgpool

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// databaseSQL names a database among all clusters; a standby's has the name of its primary's.
const databaseSQL = `
	select (select system_identifier from pg_control_system())::text || ' ' || oid
	from pg_database where datname = current_database()`

// CheckSame looks whether an address, of a pooler too, leads to the database of a direct
// connection. Another one is a *RefusedError: what one address is restored or pointed to
// leaves the other behind.
func CheckSame(ctx context.Context, direct *pgx.Conn, url string) error {
	c, err := pgx.ParseConfig(url)
	if err != nil {
		return fmt.Errorf("database url: %w", err)
	}
	c.RuntimeParams[applicationName] = applicationPrefix + "start"
	c.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol
	conn, err := pgx.ConnectConfig(ctx, c)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx)) // it was only asked
	var here, there string
	if err := direct.QueryRow(ctx, databaseSQL).Scan(&here); err != nil {
		return err
	}
	if err := conn.QueryRow(ctx, databaseSQL).Scan(&there); err != nil {
		return err
	}
	if here != there {
		return &RefusedError{
			Why: "DATABASE_URL and DATABASE_DIRECT_URL lead to different databases",
			Do:  "set both to the same one; after a restore that is the restored one",
		}
	}
	return nil
}
