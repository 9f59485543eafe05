package projections_test

import (
	"context"
	"os"
	"testing"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"github.com/stepledger/stepledger/internal/pgmigrate"
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
	url := pgtest.Database(t, "empty", nil)
	old := pgmigrate.Schema{Name: "read", Files: os.DirFS("."), Versions: "read.goose_db_version"}
	if err := old.To(t.Context(), url, 1); err != nil {
		t.Fatal(err)
	}
	db, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close(context.WithoutCancel(t.Context())) })
	for _, statement := range []string{
		`create schema read_usage_1`,
		`create table read_usage_1.call (call_id text, cost numeric(24,12), started_at timestamptz)`,
		`insert into read_usage_1.call values ('c', 1.5, now())`,
		`create view read.call as select call_id, cost, started_at from read_usage_1.call`,
	} {
		if _, err := db.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	if err := projections.Migrate(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	var id, cost string
	var prices *string
	if err := db.QueryRow(t.Context(), `select call_id, cost::text, unit_prices::text from read.call`).Scan(&id, &cost, &prices); err != nil || id != "c" || prices != nil {
		t.Errorf("call %s of %s with the prices %v, %v", id, cost, prices, err)
	}
}
