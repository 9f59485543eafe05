package postgres

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
// It is next to the log's own lock, see lockSQL.
const migrationLock = 7106408

// Migrate brings the schema log of a database to the version this package needs,
// making it if there is none. Several processes may call it at the same time.
func Migrate(ctx context.Context, url string) error {
	err := withMigrations(ctx, url, func(p *goose.Provider) error {
		_, err := p.Up(ctx)
		return err
	})
	if err != nil {
		return fmt.Errorf("migrate schema log: %w", err)
	}
	return nil
}

// withMigrations runs f under the migration lock.
func withMigrations(ctx context.Context, url string, f func(*goose.Provider) error) error {
	db, err := sql.Open("pgx", url)
	if err != nil {
		return err
	}
	defer db.Close()
	lock, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer lock.Close()
	if _, err := lock.ExecContext(ctx, `select pg_advisory_lock($1)`, migrationLock); err != nil {
		return err
	}
	defer lock.ExecContext(context.WithoutCancel(ctx), `select pg_advisory_unlock($1)`, migrationLock) //nolint:errcheck // closing the session unlocks too
	if _, err := lock.ExecContext(ctx, `create schema if not exists log`); err != nil {
		return err
	}
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return err
	}
	p, err := goose.NewProvider(goose.DialectPostgres, db, files,
		goose.WithTableName("log.goose_db_version"), goose.WithDisableGlobalRegistry(true),
		goose.WithLogger(goose.NopLogger()))
	if err != nil {
		return err
	}
	return f(p)
}
