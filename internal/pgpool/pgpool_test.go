package pgpool

import (
	"context"
	"errors"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/stepledger/stepledger/internal/pgtest"
)

func open(t *testing.T, url string, o Options) *Pool {
	t.Helper()
	pool, err := Open(t.Context(), url, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

func setting(t *testing.T, pool *Pool, name string) (value string) {
	t.Helper()
	if err := pool.QueryRow(t.Context(), `select current_setting($1)`, name).Scan(&value); err != nil {
		t.Fatal(err)
	}
	return value
}

func TestOpen_BoundsItsSessions(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t, "empty", nil)
	for name, tt := range map[string]struct {
		options               Options
		idle, lock, statement string
	}{
		"as usual": {Options{Name: "x"}, "10s", "10s", "0"},
		"as asked": {Options{IdleWithin: time.Minute, LockWithin: 250 * time.Millisecond, StatementWithin: 3 * time.Second}, "1min", "250ms", "3s"},
	} {
		pool := open(t, url, tt.options)
		idle, lock, statement := setting(t, pool, "idle_in_transaction_session_timeout"), setting(t, pool, "lock_timeout"), setting(t, pool, "statement_timeout")
		if idle != tt.idle || lock != tt.lock || statement != tt.statement {
			t.Errorf("%s: idle %s, lock %s, statement %s", name, idle, lock, statement)
		}
	}
	if got := setting(t, open(t, url, Options{Name: "x", Settings: map[string]string{"work_mem": "1MB"}}), "work_mem"); got != "1MB" {
		t.Errorf("work_mem %s", got)
	}
}

// A process that stops in the middle of a transaction does not keep what it locked.
func TestOpen_AStoppedTransactionIsEnded(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t, "empty", nil)
	stopped := open(t, url, Options{IdleWithin: 100 * time.Millisecond})
	tx, err := stopped.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(t.Context())) }()
	if _, err := tx.Exec(t.Context(), `select pg_advisory_xact_lock(7)`); err != nil {
		t.Fatal(err)
	}
	other := open(t, url, Options{LockWithin: time.Minute})
	if _, err := other.Exec(t.Context(), `select pg_advisory_lock(7)`); err != nil { // it waits for the lock
		t.Errorf("the lock was kept: %v", err)
	}
	if _, err := tx.Exec(t.Context(), `select 1`); err == nil {
		t.Error("the transaction goes on")
	}
}

func TestOpen_TellsOfErrors(t *testing.T) {
	t.Parallel()
	var writes Writes
	pool := open(t, pgtest.Database(t, "empty", nil), Options{Writes: &writes})
	_, err := pool.Exec(t.Context(), `do $$ begin raise exception 'no place' using errcode = '53100'; end $$`)
	if e := new(pgconn.PgError); !errors.As(err, &e) || writes.Check(t.Context(), pool) == nil {
		t.Errorf("%v was not told", err)
	}
}

// Every pool of the process is opened here, or it would be one without bounds.
func TestEveryPoolIsOpenedHere(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		if _, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.PackageClauseOnly); err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		if strings.Contains(filepath.Dir(path), "test") || strings.HasSuffix(filepath.Dir(path), filepath.Join("internal", "pgpool")) {
			return err
		}
		for _, call := range []string{"pgxpool.New(", "pgxpool.ParseConfig("} {
			if strings.Contains(string(text), call) {
				t.Errorf("%s has %s): use pgpool", path, call)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
