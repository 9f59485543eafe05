package main

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/internal/pgembed"
)

// A private Postgres that is killed in the middle of a turn is started again by its
// server, which goes on with everything that was acknowledged, and with the turn.
func TestServe_PrivatePostgresKilled(t *testing.T) {
	t.Parallel()
	model := newFakeGemini(t)
	rig := newPrivateRig(t, model)
	c := rig.start(t, "")
	p := newModelPursuit()
	for range 2 {
		if err := p.step(t.Context(), rig.client(c)); err != nil {
			t.Fatal(err)
		}
	}
	postmaster := rig.postmaster(t)
	model.set(func(f *fakeGemini) {
		f.asked = func() { _ = syscall.Kill(postmaster, syscall.SIGKILL) }
	})
	// The backend may still write the turn before it notices. Whatever comes back,
	// the audit below holds an answer against the log.
	_ = p.step(t.Context(), rig.client(c))
	model.set(func(f *fakeGemini) { f.asked = nil })
	eventually(t, "another Postgres", func() bool { return rig.postmaster(t) != postmaster })
	eventually(t, "the task is done", func() bool {
		err := p.step(t.Context(), rig.client(c))
		if err != nil && !errors.Is(err, errBusy) {
			t.Fatal(err)
		}
		return p.ended
	})
	s := audit(t, &rig.crashRig, p)
	// A call whose end could not be noted meanwhile is settled once nobody can be at it.
	s.catchUp(t)
	if err := s.settleOpen(t.Context(), time.Now().Add(openCall+time.Minute)); err != nil {
		t.Fatal(err)
	}
	auditBills(t, s, model, p)
}

// One that does not stay up ends its server, which says why.
func TestServe_PrivatePostgresKilledAgainAndAgain(t *testing.T) {
	t.Parallel()
	rig := newPrivateRig(t, newFakeGemini(t))
	c := rig.start(t, "")
	var last time.Time
	kills := 0
	for pid := 0; ; { // one that is killed while it starts is started again by the same try
		next, runs := rig.look(t)
		if !runs {
			break
		}
		if next != pid && syscall.Kill(next, syscall.SIGKILL) == nil {
			pid, last = next, time.Now()
			kills++
		}
	}
	await(t, "the server ends with its Postgres", c.dead)
	if took := time.Since(last); took > 15*time.Second || kills <= maxRestarts {
		t.Errorf("it ended %v after the last of %d kills", took, kills)
	}
	if c.cmd.ProcessState.Success() || !strings.Contains(c.said.String(), errPostgresGone.Error()) {
		t.Errorf("it ended with %v and said: %s", c.cmd.ProcessState, &c.said)
	}
}

// A private Postgres never outlives its server, however that ends.
func TestServe_PrivatePostgresEndsWithItsServer(t *testing.T) {
	t.Parallel()
	rig := newPrivateRig(t, newFakeGemini(t))
	running := filepath.Join(rig.dir, "pgdata", "postmaster.pid") // which Postgres removes as the last thing it does
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGKILL} {
		if sig == syscall.SIGKILL && runtime.GOOS != "linux" {
			continue // it ends with the next start there
		}
		c := rig.start(t, "")
		if _, err := os.Stat(running); err != nil {
			t.Fatal(err)
		}
		if err := c.cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		await(t, "the server ends by "+sig.String(), c.dead)
		if sig != syscall.SIGKILL && !c.cmd.ProcessState.Success() {
			t.Errorf("after %v it ended with %v and said: %s", sig, c.cmd.ProcessState, &c.said)
		}
		eventually(t, "its Postgres ends after "+sig.String(), func() bool {
			_, err := os.Stat(running)
			return errors.Is(err, fs.ErrNotExist)
		})
	}
}

// A Postgres that restarts under a running server costs no answer: requests
// succeed, or say when to come again.
func TestServe_PostgresDropsEveryConnection(t *testing.T) {
	t.Parallel()
	rig := newCrashRig(t, nil)
	s := rig.serve(t)
	p := newPursuit()
	p.page.dead = true
	for !p.ended {
		disconnect(t, rig.url)
		eventually(t, "an answer", func() bool {
			err := p.step(t.Context(), s.client)
			if err != nil && !errors.Is(err, errBusy) {
				t.Fatal(err)
			}
			return err == nil
		})
	}
	audit(t, rig, p)
}

// The same for those who only read.
func TestServe_PostgresDropsEveryReader(t *testing.T) {
	t.Parallel()
	rig := newCrashRig(t, nil)
	s := rig.serve(t)
	p := newPursuit()
	p.finish(t, s.client)
	s.catchUp(t)
	for _, target := range []string{
		"/api/session", "/api/session/latest?status=completed", "/api/session/" + p.session + "/messages",
		"/api/usage/summary?sessionId=" + p.session, "/api/debug/tasks/" + p.task + "/events", "/api/debug/tasks/" + p.task + "/state",
		"/api/v1/auth/session", "/api/v1/user/preferences",
	} {
		disconnect(t, rig.url)
		eventually(t, "an answer", func() bool {
			r := s.get(t, target)
			if r.status != http.StatusOK && (r.status != http.StatusServiceUnavailable || r.header.Get("Retry-After") == "") {
				t.Errorf("GET %s: status %d, Retry-After %q: %s", target, r.status, r.header.Get("Retry-After"), r.body)
				return true
			}
			return r.status == http.StatusOK
		})
	}
}

// disconnect ends every other connection to a database, as a restart does.
func disconnect(t *testing.T, url string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	const end = `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`
	if _, err := conn.Exec(t.Context(), end); err != nil {
		t.Fatal(err)
	}
}

// privateRig is a rig on a private Postgres of its own, which each server
// started on it brings up.
type privateRig struct {
	crashRig
	dir string
}

// newPrivateRig makes the cluster and a user, and leaves it stopped. Without a model its
// servers reason by rules. The
// directory is where the account that runs Postgres for root may enter.
func newPrivateRig(t testing.TB, model *fakeGemini) *privateRig {
	t.Helper()
	parent, err := os.MkdirTemp("/var/tmp", "stepledger-e2e-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(parent) })
	if err := os.Chmod(parent, 0o755); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(parent, "postgres")
	rig := &privateRig{dir: dir, crashRig: crashRig{model: model, env: map[string]string{}}}
	if model != nil {
		rig.env = model.env()
	}
	rig.env["STEPLEDGER_POSTGRES_DIR"], rig.env["STEPLEDGER_STATE_DIR"] = dir, t.TempDir()
	server, err := pgembed.Start(t.Context(), pgembed.Config{DataDir: dir})
	if errors.Is(err, pgembed.ErrNoPostgres) && os.Getenv("CI") == "" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	rig.url = server.URL()
	if err := migrate(t.Context(), rig.url); err != nil {
		t.Fatal(err)
	}
	rig.enrol(t)
	if err := server.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	return rig
}

// postmaster is the process of the Postgres that a server of the rig runs.
func (r *privateRig) postmaster(t testing.TB) int {
	t.Helper()
	pid, runs := r.look(t)
	if !runs {
		t.Fatal("no server runs there")
	}
	return pid
}

// look is postmaster where there may be none.
func (r *privateRig) look(t testing.TB) (pid int, runs bool) {
	t.Helper()
	server, err := pgembed.Start(t.Context(), pgembed.Config{DataDir: r.dir})
	if err != nil {
		t.Fatal(err)
	}
	if server.Owned() { // by us, since nobody else does
		if err := server.Stop(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
		return 0, false
	}
	return server.PID(), true
}
