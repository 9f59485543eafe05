package pgmigrate_test

import (
	"context"
	"database/sql"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/pressly/goose/v3"

	"github.com/stepledger/stepledger/eventstore/postgres"
	"github.com/stepledger/stepledger/internal/billing"
	"github.com/stepledger/stepledger/internal/consumer"
	"github.com/stepledger/stepledger/internal/content"
	"github.com/stepledger/stepledger/internal/identity"
	"github.com/stepledger/stepledger/internal/pgmigrate"
	"github.com/stepledger/stepledger/internal/pgtest"
	"github.com/stepledger/stepledger/projections"
)

// inUse is what databases in use look like: it is never changed. The order is the
// one in which they are migrated.
var inUse = []struct {
	schema, versions string
	lock             int64
	folder           string
	migrate          func(context.Context, string) error
}{
	{"log", "log.goose_db_version", 7106408, "../../eventstore/postgres", postgres.Migrate},
	{"identity", "identity.goose_version", 4097083626, "../identity", identity.Migrate},
	{"content", "public.content_migrations", 7106412, "../content", content.Migrate},
	{"read", "read.goose_db_version", 7106410, "../../projections", projections.Migrate},
	{"feed", "feed.goose_db_version", 7106411, "../consumer", consumer.Migrate},
	{"billing", "billing.goose_version", 4097083626, "../billing", billing.Migrate},
}

// A database whose files were run by goose itself, as adapters did before they
// shared a helper, is up to date: no file is run again, no other table is begun.
func TestUp_DatabaseInUseIsUpToDate(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t, "empty", nil)
	for _, s := range inUse {
		migrateByGoose(t, url, s.schema, s.versions, s.folder)
	}
	before := versionsOf(t, url)
	for _, s := range inUse {
		if err := s.migrate(t.Context(), url); err != nil {
			t.Errorf("%s: %v", s.schema, err)
		}
	}
	if diff := cmp.Diff(before, versionsOf(t, url)); diff != "" {
		t.Errorf("what was run, and when (-before +after):\n%s", diff)
	}
}

func migrateByGoose(t *testing.T, url, schema, versions, folder string) {
	t.Helper()
	db, err := sql.Open("pgx", url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), `create schema `+schema); err != nil {
		t.Fatal(err)
	}
	p, err := goose.NewProvider(goose.DialectPostgres, db, os.DirFS(folder+"/migrations"),
		goose.WithTableName(versions), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Up(t.Context()); err != nil {
		t.Fatalf("%s: %v", schema, err)
	}
}

// versionsOf lists what goose noted, by table: every table of the database that has
// its columns.
func versionsOf(t *testing.T, url string) map[string][]string {
	t.Helper()
	db := connect(t, url)
	rows, _ := db.Query(t.Context(), `
		select table_schema || '.' || table_name from information_schema.columns where column_name = 'version_id'`)
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	found := map[string][]string{}
	for _, table := range tables {
		rows, _ := db.Query(t.Context(), `select id || ' ' || version_id || ' ' || is_applied || ' ' || tstamp from `+table+` order by id`)
		if found[table], err = pgx.CollectRows(rows, pgx.RowTo[string]); err != nil {
			t.Fatal(err)
		}
	}
	if len(found) != len(inUse) {
		t.Errorf("goose keeps %d tables for %d schemas", len(found), len(inUse))
	}
	return found
}

// While a process of the version before holds the lock it always took, nobody else
// migrates.
func TestUp_WaitsForTheLockInUse(t *testing.T) {
	t.Parallel()
	for _, s := range inUse {
		t.Run(s.schema, func(t *testing.T) {
			t.Parallel()
			url := pgtest.Database(t, "empty", nil)
			db := connect(t, url)
			if s.schema == "billing" { // its views are of these
				for _, up := range []func(context.Context, string) error{identity.Migrate, projections.Migrate} {
					if err := up(t.Context(), url); err != nil {
						t.Fatal(err)
					}
				}
			}
			if _, err := db.Exec(t.Context(), `select pg_advisory_lock($1::bigint)`, s.lock); err != nil {
				t.Fatal(err)
			}
			done := make(chan error, 1)
			go func() { done <- s.migrate(t.Context(), url) }()
			awaitWaiting(t, db, done)
			if _, err := db.Exec(t.Context(), `select pg_advisory_unlock($1::bigint)`, s.lock); err != nil {
				t.Fatal(err)
			}
			if err := <-done; err != nil {
				t.Error(err)
			}
		})
	}
}

// awaitWaiting returns once another session of the database waits for an advisory lock.
func awaitWaiting(t *testing.T, db *pgx.Conn, done <-chan error) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		var waiting bool
		err := db.QueryRow(t.Context(), `
			select exists (select from pg_locks where locktype = 'advisory' and not granted
				and database = (select oid from pg_database where datname = current_database()))`).Scan(&waiting)
		if err != nil {
			t.Fatal(err)
		}
		if waiting {
			return
		}
		select {
		case err := <-done:
			t.Fatalf("it did not wait, and ended with %v", err)
		case <-tick.C:
		}
	}
}

// A newer program has migrated: an older one leaves the schema alone.
func TestUp_LeavesANewerSchemaAlone(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t, "empty", nil)
	newer := pgmigrate.Schema{Name: "log", Files: os.DirFS("../../eventstore/postgres"), Versions: "log.goose_db_version", Lock: 1}
	if err := newer.Up(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	db := connect(t, url)
	if _, err := db.Exec(t.Context(), `insert into log.goose_db_version (version_id, is_applied) values (99999, true)`); err != nil {
		t.Fatal(err)
	}
	if err := newer.Up(t.Context(), url); err != nil {
		t.Error(err)
	}
	var tables int
	if err := db.QueryRow(t.Context(), `select count(*) from information_schema.tables where table_schema = 'log'`).Scan(&tables); err != nil || tables < 2 {
		t.Errorf("%d tables are left, %v", tables, err)
	}
}

func TestUp_SaysWhichSchema(t *testing.T) {
	t.Parallel()
	err := pgmigrate.Schema{Name: "log"}.Up(t.Context(), "postgres://127.0.0.1:1/nowhere?connect_timeout=1")
	if err == nil || !strings.HasPrefix(err.Error(), "migrate schema log: ") {
		t.Errorf("error = %v", err)
	}
}

func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	db, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close(context.WithoutCancel(t.Context())) })
	return db
}
