package projections_test

import (
	"database/sql"
	"os"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // goose speaks database/sql
	"github.com/pressly/goose/v3"
	"golang.org/x/sync/errgroup"

	"github.com/stepledger/stepledger/internal/pgtest"
	"github.com/stepledger/stepledger/projections"
)

func TestMigrate_BySeveralAtOnceAndAgain(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t, "empty", nil)
	var g errgroup.Group
	for range 4 {
		g.Go(func() error { return projections.Migrate(t.Context(), url) })
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	if err := projections.Migrate(t.Context(), url); err != nil {
		t.Errorf("again: %v", err)
	}
}

func TestMigrate_SaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	err := projections.Migrate(t.Context(), "postgres://127.0.0.1:1/nowhere?connect_timeout=1")
	if err == nil {
		t.Fatal("a server that is not there was migrated")
	}
}

// An installation whose read model of usage is of an older version keeps it in
// sight: the views gain columns and lose no row.
func TestMigrate_LeavesOlderViewsFull(t *testing.T) {
	t.Parallel()
	db, err := sql.Open("pgx", pgtest.Database(t, "empty", nil))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	do := func(sql string) {
		t.Helper()
		if _, err := db.ExecContext(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	do(`create schema read`)
	p, err := goose.NewProvider(goose.DialectPostgres, db, os.DirFS("migrations"),
		goose.WithTableName("read.goose_db_version"), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.UpTo(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	do(`create schema read_usage_1`)
	do(`create table read_usage_1.call (call_id text, cost numeric(24,12), started_at timestamptz)`)
	do(`insert into read_usage_1.call values ('c', 1.5, now())`)
	do(`create view read.call as select call_id, cost, started_at from read_usage_1.call`)
	if _, err := p.Up(t.Context()); err != nil {
		t.Fatal(err)
	}
	var id, cost string
	var prices *string
	if err := db.QueryRowContext(t.Context(), `select call_id, cost::text, unit_prices::text from read.call`).Scan(&id, &cost, &prices); err != nil || id != "c" || prices != nil {
		t.Errorf("call %s of %s with the prices %v, %v", id, cost, prices, err)
	}
}
