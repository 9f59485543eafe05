package main

import (
	"strconv"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/api"
	"github.com/stepledger/stepledger/domain/account"
	"github.com/stepledger/stepledger/internal/bouncertest"
	"github.com/stepledger/stepledger/internal/pgtest"
)

func execAt(t *testing.T, address string, statements ...string) {
	t.Helper()
	c, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(t.Context())
	for _, sql := range statements {
		if _, err := c.Exec(t.Context(), sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
}

// A primary that only reads from now on, and keeps its connections, is left for the one
// that takes writes: by appends, contents, logins, read models, locks. The task goes on.
func TestFailover_APrimaryThatTurnsReadOnly(t *testing.T) {
	t.Parallel()
	pair := pgtest.StartPair(t, migrate)
	s := start(t, testConfig(pair.URL, t.TempDir()), hooks{})
	s.client = s.loginAs(t, newUser(t, s.identity, "jo@acme.example"))
	p := newPursuit()
	if err := p.step(t.Context(), s.client); err != nil {
		t.Fatal(err)
	}
	execAt(t, pair.Primary.URL(), `alter system set default_transaction_read_only = on`, `select pg_reload_conf()`)
	pair.Promote(t)
	eventually(t, "the task is done", func() bool {
		_ = p.step(t.Context(), s.client) // what fails is sent again
		return p.ended
	})
	auditTask(t, s, p)
	eventually(t, "nobody is left at the former primary", func() bool { return sessionsAt(t, pair.Primary.URL()) == 0 })
	eventually(t, "it is ready", func() bool { return s.get(t, "/api/health/ready").status == 200 })
	if leads, err := s.alive.Leads(t.Context(), "test"); err != nil || !leads {
		t.Errorf("it leads: %v, %v", leads, err)
	}
}

// sessionsAt counts the program's sessions at a server that write or hold locks.
func sessionsAt(t *testing.T, address string) (n int) {
	t.Helper()
	c, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(t.Context())
	err = c.QueryRow(t.Context(), `
		select count(*) from pg_stat_activity a
		where pid <> pg_backend_pid() and exists (select from pg_locks l where l.pid = a.pid and l.locktype = 'advisory' and l.classid in (24209, 24210))`).Scan(&n)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Lists come from a replica, and a reader finds there what was written before it asked. A
// replica that is behind says so. It makes no difference what is before the replica.
func TestReadReplica(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]func(t *testing.T, replica string) (address string){
		"direct":            func(_ *testing.T, replica string) string { return replica },
		"through PgBouncer": func(t *testing.T, replica string) string { return bouncertest.PgBouncer(t, replica) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pair := pgtest.StartPair(t, migrate)
			testReadReplica(t, pair, before(t, pair.Standby.URL()))
		})
	}
}

func testReadReplica(t *testing.T, pair pgtest.Pair, address string) {
	t.Helper()
	cfg := testConfig(pair.Primary.URL(), t.TempDir())
	cfg.ReadURL = account.Secret(address)
	s := start(t, cfg, hooks{})
	s.client = s.loginAs(t, newUser(t, s.identity, "jo@acme.example"))
	for range 3 {
		p := newPursuit()
		p.finish(t, s.client)
		auditTask(t, s, p)
		if shown := data[api.MessagesData](t, s.atLeast(t, p.position, "/api/session/"+p.session+"/messages")); len(shown.Messages) < 4 {
			t.Errorf("messages %+v", shown)
		}
	}
	execAt(t, pair.Standby.URL(), `select pg_wal_replay_pause()`)
	p := newPursuit()
	p.finish(t, s.client)
	r := s.get(t, "/api/session/"+p.session+"/messages")
	if lag, err := strconv.Atoi(r.header.Get("X-Projection-Lag")); err != nil || lag <= 0 {
		t.Errorf("a replica that stands still is behind by %d, %v: %d %s", lag, err, r.status, r.body)
	}
	execAt(t, pair.Standby.URL(), `select pg_wal_replay_resume()`)
	auditTask(t, s, p)
}
