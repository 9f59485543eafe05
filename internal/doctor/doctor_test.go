package doctor

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/internal/bouncertest"
	"github.com/stepledger/stepledger/internal/pgtest"
)

// patient is a database with limits that a test's faults are beyond at once.
func patient(url string) Patient {
	return Patient{
		URL: url, Processes: 1, Connections: 10, DirectConnections: 3, WritersLock: writersLock, MigrationLocks: []int64{8, migrationLock},
		Limits: DefaultLimits(),
	}
}

// Locks of the tests' program. A lock may be beyond what a signed integer holds.
const (
	writersLock   = 7
	migrationLock = 1<<32 - 9
)

// launch starts a server of the test's own, as durable as doctor wants it.
func launch(t *testing.T, settings map[string]string) (address string) {
	t.Helper()
	return pgtest.StartServer(t, pgtest.ServerDir(t), settings).URL()
}

func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	c, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close(context.Background()) })
	return c
}

func exec(t *testing.T, c *pgx.Conn, sql string, args ...any) {
	t.Helper()
	if _, err := c.Exec(t.Context(), sql, args...); err != nil {
		t.Fatal(err)
	}
}

// look gives what was found, by check.
func look(t *testing.T, p Patient) map[string]Finding {
	t.Helper()
	all, err := Look(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]Finding{}
	for _, f := range all {
		if f.State != OK && f.Do == "" && !strings.HasPrefix(f.Found, "could not look") {
			t.Errorf("%s is not well and nothing is to be done: %+v", f.Check, f)
		}
		out[f.Check] = f
	}
	return out
}

func want(t *testing.T, found map[string]Finding, check string, state State, words ...string) {
	t.Helper()
	f := found[check]
	if f.State != state {
		t.Errorf("%s: %+v, want %s", check, f, state)
	}
	for _, w := range words {
		if !strings.Contains(f.Found, w) {
			t.Errorf("%s found %q, want something with %q", check, f.Found, w)
		}
	}
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain until %s", what)
		}
	}
}

func archived(t *testing.T, c *pgx.Conn, counter string) {
	t.Helper()
	exec(t, c, `create table if not exists written (n int)`)
	exec(t, c, `insert into written values (1)`)
	exec(t, c, `select pg_switch_wal()`)
	eventually(t, counter, func() bool {
		var n int
		return c.QueryRow(t.Context(), `select `+counter+` from pg_stat_archiver`).Scan(&n) == nil && n > 0
	})
}

func TestLook_Well(t *testing.T) {
	t.Parallel()
	address := launch(t, map[string]string{"archive_mode": "on", "archive_command": "true"})
	archived(t, connect(t, address), "archived_count")
	found := look(t, patient(address))
	for _, f := range found {
		if f.State != OK {
			t.Errorf("%+v", f)
		}
	}
	if len(found) != len(checks) {
		t.Errorf("%d findings of %d checks", len(found), len(checks))
	}
	want(t, found, "pooler", OK, "direct")
}

// What was switched off, or never set, in the server itself.
func TestLook_Settings(t *testing.T) {
	t.Parallel()
	address := launch(t, map[string]string{
		"fsync": "off", "full_page_writes": "off", "synchronous_commit": "local", "synchronous_standby_names": "elsewhere",
		"archive_mode": "on", "archive_command": "false", "max_connections": "20",
	})
	c := connect(t, address)
	archived(t, c, "failed_count")
	exec(t, c, `select pg_create_physical_replication_slot('forgotten', true)`)
	exec(t, c, `alter database postgres set default_transaction_isolation = 'serializable'`)
	exec(t, c, `alter database postgres set default_transaction_read_only = on`)
	exec(t, c, `alter database postgres set timezone = 'FOO5'`)
	p := patient(address)
	p.Processes, p.Kept = 2, -1
	found := look(t, p)
	want(t, found, "durability", Fail, "fsync and full_page_writes")
	want(t, found, "standbys", Warn, "local")
	want(t, found, "archive", Fail, "failed")
	want(t, found, "replication slots", Fail, "forgotten")
	want(t, found, "isolation", Fail, "serializable")
	want(t, found, "writable", Fail, "read-only")
	want(t, found, "time zone", Warn, "FOO5")
	want(t, found, "connections", Fail, "2 processes")
	p.Processes, p.Kept = 1, 1<<40
	found = look(t, p)
	want(t, found, "connections", Warn)
	want(t, found, "replication slots", Warn)
}

func TestLook_Standbys(t *testing.T) {
	t.Parallel()
	address := launch(t, map[string]string{"synchronous_standby_names": "elsewhere", "archive_mode": "on"})
	found := look(t, patient(address))
	want(t, found, "standbys", Fail, "elsewhere")
	want(t, found, "archive", Fail, "no archive_command")
}

// What sessions do, with the faults held while doctor looks.
func TestLook_Sessions(t *testing.T) {
	t.Parallel()
	address := pgtest.Database(t, "doctor", nil)
	p := patient(address)
	found := look(t, p)
	for _, check := range []string{"idle transactions", "long transactions", "waits for locks", "own locks"} {
		want(t, found, check, OK)
	}
	holder, waiter := connect(t, address), connect(t, address)
	exec(t, holder, `create table held (n int)`)
	exec(t, holder, `begin`)
	exec(t, holder, `lock table held`)
	exec(t, holder, `select pg_advisory_xact_lock($1)`, writersLock)
	waited := make(chan error, 1)
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		_, err := waiter.Exec(ctx, `select * from held`)
		waited <- err
	}()
	p.Idle, p.LongIdle, p.Transaction, p.LockWait, p.Held = 0, time.Hour, 0, 0, 0
	eventually(t, "somebody waits", func() bool {
		found = look(t, p)
		return found["waits for locks"].State == Fail
	})
	want(t, found, "waits for locks", Fail, fmt.Sprint("held up by ", holder.PgConn().PID()))
	want(t, found, "idle transactions", Warn, fmt.Sprint("session ", holder.PgConn().PID()))
	want(t, found, "long transactions", Warn)
	want(t, found, "own locks", Fail, fmt.Sprint("lock ", writersLock))
	p.LongIdle = 0
	want(t, look(t, p), "idle transactions", Fail)
	stop()
	if err := <-waited; err == nil {
		t.Error("who waited for the lock got it")
	}
	exec(t, holder, `rollback`)
}

// A migration that takes its time is waited for, and nobody is told to end it.
func TestLook_Migration(t *testing.T) {
	t.Parallel()
	address := pgtest.Database(t, "doctor", nil)
	migrates, next := connect(t, address), connect(t, address)
	exec(t, migrates, `select pg_advisory_lock($1)`, migrationLock)
	waited := make(chan error, 1)
	go func() {
		_, err := next.Exec(t.Context(), `select pg_advisory_lock($1)`, migrationLock)
		waited <- err
	}()
	eventually(t, "the next one waits", func() bool {
		var n int
		err := migrates.QueryRow(t.Context(), `select count(*) from pg_stat_activity where pid = $1 and wait_event_type = 'Lock'`, next.PgConn().PID()).Scan(&n)
		return err == nil && n == 1
	})
	p := patient(address)
	p.LockWait, p.Held = 0, 0
	found := look(t, p)
	want(t, found, "own locks", Warn, fmt.Sprint("lock ", migrationLock))
	want(t, found, "waits for locks", OK)
	if do := found["own locks"].Do; strings.Contains(do, "terminate") {
		t.Errorf("a migration is to be broken off: %s", do)
	}
	exec(t, migrates, `select pg_advisory_unlock($1)`, migrationLock)
	if err := <-waited; err != nil {
		t.Error(err)
	}
}

// What is between the program and the server is found out, and nothing is left in it.
func TestLook_Poolers(t *testing.T) {
	t.Parallel()
	server := pgtest.Database(t, "doctor", nil)
	strict := bouncertest.NewStrict(t, server)
	for name, tt := range map[string]struct {
		direct string
		state  State
		words  string
	}{
		"a way round it":         {server, OK, "DATABASE_URL: a pooler by transaction; DATABASE_DIRECT_URL: direct"},
		"no way round it":        {"", Fail, "DATABASE_URL leads through a pooler by transaction"},
		"another one beside it":  {bouncertest.NewStrict(t, server).URL, Fail, "DATABASE_DIRECT_URL leads through a pooler by transaction"},
		"one that keeps clients": {bouncertest.PgBouncer(t, server, "pool_mode = session"), Fail, "DATABASE_DIRECT_URL leads through a pooler by session"},
	} {
		t.Run(name, func(t *testing.T) {
			p := patient(strict.URL)
			p.Direct = tt.direct
			found := look(t, p)
			want(t, found, "pooler", tt.state, tt.words)
			want(t, found, "prepared statements", OK)
			for check, f := range found {
				if strings.Contains(f.Found, "could not look") {
					t.Errorf("%s: %+v", check, f)
				}
			}
		})
	}
	if left := strict.Left(t); len(left) > 0 {
		t.Errorf("left in sessions of others: %q", left)
	}
}

// Behind a pooler a process has few connections of the server's own.
func TestLook_ConnectionsBehindAPooler(t *testing.T) {
	t.Parallel()
	server := launch(t, map[string]string{"max_connections": "60"})
	p := patient(bouncertest.NewStrict(t, server).URL)
	p.Direct, p.Processes = server, 8
	want(t, look(t, p), "connections", OK, "8 processes need up to 24 and what the pooler takes")
	p.URL = server
	want(t, look(t, p), "connections", Fail, "8 processes need up to 80,")
}

func TestLook_ClockAndDisk(t *testing.T) {
	t.Parallel()
	address := pgtest.Database(t, "doctor", nil)
	p := patient(address)
	want(t, look(t, p), "clock", OK)
	for skew, state := range map[time.Duration]State{5 * time.Second: Warn, -5 * time.Second: Warn, time.Hour: Fail} {
		p.Now = func() time.Time { return time.Now().Add(skew) }
		want(t, look(t, p), "clock", state, "apart")
	}
	p.Now = time.Now
	c := connect(t, address)
	exec(t, c, `create schema log`)
	exec(t, c, `create table log.events (position bigint, recorded_at timestamptz)`)
	want(t, look(t, p), "clock", OK)
	exec(t, c, `insert into log.events values (1, now() + interval '1 hour')`)
	want(t, look(t, p), "clock", Fail, "ahead of the database")
	for free, state := range map[int64]State{0: OK, 1 << 60: Fail} {
		p.Free = free
		want(t, look(t, p), "disk", state)
	}
}

// Somebody who may see little is told that, and not that all is well.
func TestLook_OrdinaryUser(t *testing.T) {
	t.Parallel()
	address := pgtest.Database(t, "doctor", nil)
	c := connect(t, address)
	name := fmt.Sprintf("sl_doctor_%d", c.PgConn().PID())
	exec(t, c, `create role `+name+` login connection limit 5`)
	t.Cleanup(func() {
		if _, err := c.Exec(context.Background(), `drop role `+name); err != nil {
			t.Error(err)
		}
	})
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.User(name)
	found := look(t, patient(u.String()))
	want(t, found, "idle transactions", Warn, "other users")
	want(t, found, "connections", Fail, "5 may connect")
	want(t, found, "disk", OK, "not to be seen")
	for check, f := range found {
		if strings.Contains(f.Found, "could not look") {
			t.Errorf("%s: %+v", check, f)
		}
	}
}

func TestLook_NoDatabase(t *testing.T) {
	t.Parallel()
	if _, err := Look(t.Context(), patient("postgres://127.0.0.1:1/nothing")); err == nil {
		t.Error("there is no error")
	}
}
