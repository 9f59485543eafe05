package billing

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"

	_ "github.com/jackc/pgx/v5/stdlib" // goose speaks database/sql
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

//go:embed migrations/*.sql
var migrations embed.FS

// versions is goose's own table for this schema: other adapters have theirs.
const versions = "billing.goose_version"

// Migrate brings the schema billing of a database up to date, creating it
// first if need be. Several processes may do so at once; one does the work.
func Migrate(ctx context.Context, url string) error {
	return withMigrations(ctx, url, func(p *goose.Provider) error {
		_, err := p.Up(ctx)
		return err
	})
}

func withMigrations(ctx context.Context, url string, do func(*goose.Provider) error) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("migrate billing: %w", err)
		}
	}()
	db, err := sql.Open("pgx", url)
	if err != nil {
		return err
	}
	defer db.Close()
	// Outside the migrations, because goose's table lives in it.
	if _, err := db.ExecContext(ctx, `create schema if not exists billing`); err != nil && !hasCode(err, uniqueViolation) {
		return err
	}
	dir, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return err
	}
	locker, err := lock.NewPostgresSessionLocker()
	if err != nil {
		return err
	}
	p, err := goose.NewProvider(goose.DialectPostgres, db, dir,
		goose.WithTableName(versions), goose.WithSessionLocker(locker), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return err
	}
	return do(p)
}
