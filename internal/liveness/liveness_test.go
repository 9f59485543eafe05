package liveness_test

import (
	"context"
	"log/slog"
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
	killAll(t, url)
	waitFor(t, func() bool { alive, err := a.Alive(t.Context(), "b"); return err == nil && alive })
	waitFor(t, func() bool { alive, err := b.Alive(t.Context(), "a"); return err == nil && alive })
}

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

func killAll(t *testing.T, url string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	_, err = conn.Exec(t.Context(), `select pg_terminate_backend(pid) from pg_stat_activity
		where datname = current_database() and pid <> pg_backend_pid()`)
	if err != nil {
		t.Fatal(err)
	}
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
