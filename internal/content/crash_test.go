package content_test

import (
	"context"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/internal/content"
	"github.com/stepledger/stepledger/internal/pgembed"
	"github.com/stepledger/stepledger/internal/pgtest"
)

// What Put and NewKey have returned survives a crash of the server, though
// nothing was appended to the log after it.
func TestStore_SurvivesACrashOfTheServer(t *testing.T) {
	t.Parallel()
	server, err := pgembed.Start(t.Context(), pgembed.Config{DataDir: pgtest.ServerDir(t), Ephemeral: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = server.Stop(context.WithoutCancel(t.Context())) }()
	url, err := server.Database(t.Context(), "content")
	if err != nil {
		t.Fatal(err)
	}
	if err := content.Migrate(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	ref := put(t, reopen(t, url), "t1", page(1))
	crash(t, url) // at once: a fifth of a second later the server writes by itself
	await(t, url)
	wantBody(t, reopen(t, url), "t1", ref, page(1))
}

// crash kills one backend as an out-of-memory killer does: the server then ends
// all others and recovers from what is on disk.
func crash(t *testing.T, url string) {
	t.Helper()
	victim, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer victim.Close(t.Context())
	bystander, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer bystander.Close(t.Context())
	if err := syscall.Kill(int(victim.PgConn().PID()), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	// The victim's end is seen before the server has noticed; the bystander's is
	// the server's doing.
	_, _ = bystander.Exec(t.Context(), `select pg_sleep(60)`)
}

// await waits until the server takes connections again.
func await(t *testing.T, url string) {
	t.Helper()
	deadline := time.After(30 * time.Second)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		conn, err := pgx.Connect(t.Context(), url)
		if err == nil {
			_ = conn.Close(t.Context())
			return
		}
		select {
		case <-deadline:
			t.Fatalf("the server did not recover: %v", err)
		case <-tick.C:
		}
	}
}
