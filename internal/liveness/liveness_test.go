package liveness_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/internal/liveness"
	"github.com/stepledger/stepledger/internal/pgtest"
)

func noMigration(context.Context, string) error { return nil }

func open(t *testing.T, url, id string) *liveness.Registry {
	t.Helper()
	r, err := liveness.Open(t.Context(), url, id, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func wantAlive(t *testing.T, r *liveness.Registry, id string, want bool) {
	t.Helper()
	got, err := r.Alive(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if got != want {
		t.Errorf("alive(%s) = %v, want %v", id, got, want)
	}
}

func TestRegistry_Alive(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t, "liveness", noMigration)
	a, b := open(t, url, "a"), open(t, url, "b")
	defer a.Close()
	wantAlive(t, a, "b", true)
	wantAlive(t, b, "a", true)
	wantAlive(t, a, "never was", false)
	b.Close()
	waitFor(t, func() bool { alive, err := a.Alive(t.Context(), "b"); return err == nil && !alive })
	again := open(t, url, "b")
	defer again.Close()
	wantAlive(t, a, "b", true)
}

func TestRegistry_TakesItsLockAgain(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t, "liveness", noMigration)
	a, b := open(t, url, "a"), open(t, url, "b")
	defer a.Close()
	defer b.Close()
	killAll(t, url) // so that what is alive below holds a lock it took afterwards
	waitFor(t, func() bool { alive, err := a.Alive(t.Context(), "b"); return err == nil && alive })
	waitFor(t, func() bool { alive, err := b.Alive(t.Context(), "a"); return err == nil && alive })
}

func TestOpen_WaitsForTheLockButNotForEver(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t, "liveness", noMigration)
	a := open(t, url, "a")
	defer a.Close()
	began := time.Now()
	b, err := liveness.Open(t.Context(), url, "a", slog.New(slog.DiscardHandler))
	if took := time.Since(began); !errors.Is(err, context.DeadlineExceeded) || took > 10*time.Second {
		t.Errorf("opened %v, %v after %v; want the bound's error after 5 s", b, err, took)
	}
}

func TestRegistry_LogsAnOutageOnce(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t, "liveness", noMigration)
	var said records
	r, err := liveness.Open(t.Context(), url, "a", slog.New(slog.NewTextHandler(&said, nil)))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	allowConnections(t, url, false)
	killAll(t, url)
	const cannot = "instance lock cannot be taken"
	waitFor(t, func() bool { return said.count(cannot) > 0 })
	time.Sleep(2500 * time.Millisecond) // two more attempts
	allowConnections(t, url, true)
	waitFor(t, func() bool { return said.count("instance lock taken again") > 0 })
	if n := said.count(cannot); n != 1 || said.count("not currently accepting connections") != 1 {
		t.Errorf("the outage was logged %d times, want once with its reason:\n%s", n, said.String())
	}
	wantAlive(t, r, "a", true)
}

// records is a log that may be read while it is written.
type records struct {
	mu  sync.Mutex
	buf strings.Builder
}

func (r *records) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.buf.Write(p)
}

func (r *records) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.buf.String()
}

func (r *records) count(what string) int { return strings.Count(r.String(), what) }

func TestRegistry_Leads(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t, "liveness", noMigration)
	a, b := open(t, url, "a"), open(t, url, "b")
	defer b.Close()
	leads := func(r *liveness.Registry) bool {
		t.Helper()
		got, err := r.Leads(t.Context(), "sweep")
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	first, still := leads(a), leads(a)
	if !first || !still || leads(b) {
		t.Fatal("not exactly the first one leads")
	}
	a.Close()
	waitFor(t, func() bool { return leads(b) })
}

// Who lost the connection that has a duty's lock does not go on with what another has taken.
func TestRegistry_NoticesThatADutyIsLost(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t, "liveness", noMigration)
	a, b := open(t, url, "a"), open(t, url, "b")
	defer a.Close()
	defer b.Close()
	leads := func(r *liveness.Registry) bool {
		got, err := r.Leads(t.Context(), "sweep")
		return err == nil && got
	}
	if !leads(a) {
		t.Fatal("nobody else has it")
	}
	killAll(t, url)
	waitFor(t, func() bool { return leads(b) })
	waitFor(t, func() bool { return !leads(a) })
}

// killAll ends all connections to a database, and returns when the server has
// let go of them and their locks.
func killAll(t *testing.T, url string) {
	t.Helper()
	conn := admin(t)
	rows, err := conn.Query(t.Context(), `
		select case when pg_terminate_backend(pid) then pid end from pg_stat_activity where datname = $1`, database(t, url))
	if err != nil {
		t.Fatal(err)
	}
	killed, err := pgx.CollectRows(rows, pgx.RowTo[int32])
	if err != nil || len(killed) == 0 {
		t.Fatalf("killed %v, %v", killed, err)
	}
	waitFor(t, func() bool {
		var left int
		err := conn.QueryRow(t.Context(), `
			select (select count(*) from pg_stat_activity where pid = any($1))
				+ (select count(*) from pg_locks where pid = any($1))`, killed).Scan(&left)
		return err == nil && left == 0
	})
}

func allowConnections(t *testing.T, url string, allow bool) {
	t.Helper()
	alter := fmt.Sprintf(`alter database %s allow_connections %t`, pgx.Identifier{database(t, url)}.Sanitize(), allow)
	if _, err := admin(t).Exec(t.Context(), alter); err != nil {
		t.Fatal(err)
	}
}

// admin is a connection to the server's maintenance database.
func admin(t *testing.T) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), pgtest.AdminURL(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

func database(t *testing.T, url string) string {
	t.Helper()
	cfg, err := pgx.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	return cfg.Database
}

// waitFor polls: a server notices a closed connection on its own time.
func waitFor(t *testing.T, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(10 * time.Second)
	for !ok() {
		select {
		case <-deadline:
			t.Fatal("it did not happen within 10 s")
		case <-tick.C:
		}
	}
}
