package consumer

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"

	_ "github.com/jackc/pgx/v5/stdlib" // goose speaks database/sql
	"github.com/pressly/goose/v3"
)

//go:embed migrations/*.sql
var migrations embed.FS

// migrationLock keeps two processes that start together from migrating at once.
const migrationLock = 7106411

// Migrate brings the schema feed of a database to the version this package
// needs, making it if there is none. Several processes may call it at once.
func Migrate(ctx context.Context, url string) error {
	db, err := sql.Open("pgx", url)
	if err != nil {
		return fmt.Errorf("migrate schema feed: %w", err)
	}
	defer db.Close()
	if err := migrate(ctx, db, func(p *goose.Provider) error { _, err := p.Up(ctx); return err }); err != nil {
		return fmt.Errorf("migrate schema feed: %w", err)
	}
	return nil
}

// migrate runs f under the migration lock.
func migrate(ctx context.Context, db *sql.DB, f func(*goose.Provider) error) error {
	lock, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer lock.Close()
	if _, err := lock.ExecContext(ctx, `select pg_advisory_lock($1)`, migrationLock); err != nil {
		return err
	}
	defer lock.ExecContext(context.WithoutCancel(ctx), `select pg_advisory_unlock($1)`, migrationLock) //nolint:errcheck // closing the session unlocks too
	if _, err := lock.ExecContext(ctx, `create schema if not exists feed`); err != nil {
		return err
	}
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return err
	}
	p, err := goose.NewProvider(goose.DialectPostgres, db, files,
		goose.WithTableName("feed.goose_db_version"), goose.WithDisableGlobalRegistry(true), goose.WithLogger(goose.NopLogger()))
	if err != nil {
		return err
	}
	return f(p)
}
