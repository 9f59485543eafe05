package pgpool

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/internal/bouncertest"
	"github.com/stepledger/stepledger/internal/pgtest"
)

// ways are the ways to a server, each with what tells what was left in its sessions.
func ways(t *testing.T, server string) map[string]string {
	strict := bouncertest.NewStrict(t, server)
	t.Cleanup(func() {
		if left := strict.Left(t); len(left) > 0 {
			t.Errorf("left in sessions of others: %q", left)
		}
	})
	return map[string]string{
		"direct": server, "a session for each transaction": strict.URL, "PgBouncer": bouncertest.PgBouncer(t, server),
	}
}

// told is what holds in a statement.
const told = `
	select concat_ws(', ', current_setting('lock_timeout'), current_setting('statement_timeout'), current_setting('idle_in_transaction_session_timeout'),
		current_setting('synchronous_commit'), current_setting('transaction_isolation'), current_setting('work_mem'), current_user <> session_user)
	where $1 <> ''`

// The settings of a pool hold in each statement however it is sent, by whatever way, and
// another pool's beside it do not disturb them.
func TestPool_SettingsHoldInEachStatement(t *testing.T) {
	t.Parallel()
	server := pgtest.Database(t, "empty", nil)
	role := makeRole(t, server)
	for way, url := range ways(t, server) {
		one := open(t, url, Options{
			Name: "one", LockWithin: 3 * time.Second, StatementWithin: 7 * time.Second, IdleWithin: 9 * time.Second, Durable: true,
			Settings: map[string]string{"work_mem": "5MB", "role": role},
		})
		other := open(t, url, Options{Name: "other", Settings: map[string]string{"synchronous_commit": "off", "work_mem": "2MB"}})
		var all sync.WaitGroup
		for range 8 {
			for pool, want := range map[*Pool]string{
				one:   "3s, 7s, 9s, on, read committed, 5MB, t",
				other: "10s, 0, 10s, off, read committed, 2MB, f",
			} {
				all.Go(func() {
					for range 5 {
						for how, got := range eachWay(t, pool) {
							if got != want {
								t.Errorf("%s, %s: %q, not %q", way, how, got, want)
							}
						}
					}
				})
			}
		}
		all.Wait()
	}
}

// eachWay asks by each method of a pool what holds.
func eachWay(t *testing.T, p *Pool) map[string]string {
	got := map[string]string{}
	read := func(how string, row pgx.Row) {
		var s string
		if err := row.Scan(&s); err != nil {
			t.Errorf("%s: %v", how, err)
		}
		got[how] = s
	}
	read("a row", p.QueryRow(t.Context(), told, "x"))
	rows, _ := p.Query(t.Context(), told, "x")
	all, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(all) != 1 {
		t.Errorf("rows: %q, %v", all, err)
	} else {
		got["rows"] = all[0]
	}
	var b pgx.Batch
	b.Queue(`select $1`, "first")
	b.Queue(told, "x")
	results := p.SendBatch(t.Context(), &b)
	if _, err := results.Exec(); err != nil {
		t.Errorf("a batch: %v", err)
	}
	read("a batch", results.QueryRow())
	if err := results.Close(); err != nil {
		t.Errorf("a batch: %v", err)
	}
	err = pgx.BeginFunc(t.Context(), p, func(tx pgx.Tx) error {
		read("a transaction", tx.QueryRow(t.Context(), told, "x"))
		read("its second statement", tx.QueryRow(t.Context(), told, "x"))
		return nil
	})
	if err != nil {
		t.Errorf("a transaction: %v", err)
	}
	c, err := p.Acquire(t.Context())
	if err != nil {
		t.Error(err)
		return got
	}
	defer c.Release()
	rows, err = c.Query(t.Context(), told, "x")
	if err == nil {
		got["a connection"], err = pgx.CollectExactlyOneRow(rows, pgx.RowTo[string])
	}
	if err != nil {
		t.Errorf("a connection: %v", err)
	}
	return got
}

// makeRole makes a role that the test's user may take on.
func makeRole(t *testing.T, server string) string {
	t.Helper()
	admin := open(t, server, Options{Name: "admin"})
	name := fmt.Sprintf("pgpool_%d", time.Now().UnixNano())
	exec(t, admin, "create role "+name+" nologin")
	t.Cleanup(func() {
		if _, err := open(t, pgtest.AdminURL(t), Options{}).Exec(context.WithoutCancel(t.Context()), "drop role "+name); err != nil {
			t.Error(err)
		}
	})
	return name
}

func exec(t *testing.T, p *Pool, sql string) {
	t.Helper()
	if _, err := p.Exec(t.Context(), sql); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

// setDefault changes a default of the database.
func setDefault(t *testing.T, server, setting string) {
	t.Helper()
	admin := open(t, server, Options{Name: "admin"})
	exec(t, admin, `do $$ begin execute format('alter database %I set `+setting+`', current_database()); end $$`)
}

// A connection that cannot be worked with is refused with what helps, and not at the first
// statement that goes wrong.
func TestOpen_Refuses(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		url func(server string) string
		do  string
	}{
		"no prepared statements": {func(server string) string {
			return bouncertest.PgBouncer(t, server, "max_prepared_statements = 0")
		}, "max_prepared_statements"},
		"sessions for a statement": {func(server string) string {
			return bouncertest.PgBouncer(t, server, "pool_mode = statement")
		}, "pool_mode = transaction"},
		"isolation": {func(server string) string {
			setDefault(t, server, `default_transaction_isolation = serializable`)
			return bouncertest.NewStrict(t, server).URL
		}, "default_transaction_isolation"},
	} {
		pool := open(t, tt.url(pgtest.Database(t, "empty", nil)), Options{Name: "x", Durable: true})
		var refused *RefusedError
		if _, err := pool.Exec(t.Context(), `select 1`); !errors.As(err, &refused) || !strings.Contains(refused.Do, tt.do) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := pool.Begin(t.Context()); !errors.As(err, &refused) {
			t.Errorf("%s: a transaction: %v", name, err)
		}
		if err := pool.QueryRow(t.Context(), `select 1`).Scan(new(int)); !errors.As(err, &refused) {
			t.Errorf("%s: a row: %v", name, err)
		}
		if rows, err := pool.Query(t.Context(), `select 1`); !errors.As(err, &refused) || !errors.As(rows.Err(), &refused) {
			t.Errorf("%s: rows: %v", name, err)
		}
		if err := pool.SendBatch(t.Context(), &pgx.Batch{}).Close(); !errors.As(err, &refused) {
			t.Errorf("%s: a batch: %v", name, err)
		}
	}
}

// What the server's defaults are, a durable pool waits for the disk, and a stronger one stays.
func TestPool_Durable(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{"off": "on", "local": "on", "remote_write": "on", "remote_apply": "remote_apply"} {
		server := pgtest.Database(t, "empty", nil)
		setDefault(t, server, "synchronous_commit = "+value)
		for way, url := range map[string]string{"direct": server, "pooled": bouncertest.NewStrict(t, server).URL} {
			pool := open(t, url, Options{Durable: true})
			if got := setting(t, pool, "synchronous_commit"); got != want {
				t.Errorf("%s, by default %s: commits with %s", way, value, got)
			}
		}
	}
}

func TestDirect(t *testing.T) {
	t.Parallel()
	server := pgtest.Database(t, "empty", nil)
	c, err := Direct(t.Context(), server, "x")
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Close(t.Context()); err != nil {
		t.Error(err)
	}
	var refused *RefusedError
	for _, url := range []string{bouncertest.NewStrict(t, server).URL, bouncertest.PgBouncer(t, server)} {
		if _, err := Direct(t.Context(), url, "x"); !errors.As(err, &refused) || !strings.Contains(refused.Do, "DATABASE_DIRECT_URL") {
			t.Errorf("a pooler is direct: %v", err)
		}
	}
}

// The tenants of statements do not mix though their sessions do.
func TestByTenant_Pooled(t *testing.T) {
	t.Parallel()
	server := pgtest.Database(t, "empty", nil)
	for way, url := range ways(t, server) {
		d := ByTenant{Pool: open(t, url, Options{Name: "reads"}), Operator: open(t, url, Options{Name: "operator"}), Tenant: tenantOf}
		var all sync.WaitGroup
		for _, tenant := range []string{"a", "b", "c"} {
			all.Go(func() {
				for range 20 {
					if got := whoseOf(as(t, tenant), t, d); got != tenant {
						t.Errorf("%s: a statement of %q ran for %q", way, tenant, got)
					}
					err := pgx.BeginFunc(as(t, tenant), d, func(tx pgx.Tx) error {
						var got string
						err := tx.QueryRow(t.Context(), whose).Scan(&got)
						if got != tenant {
							t.Errorf("%s: a transaction of %q ran for %q", way, tenant, got)
						}
						return err
					})
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
	}
}

// A pool that is told that its server takes no writes leaves it, and so do those beside it
// that only read.
func TestWrites_LeavesAReadOnlyServer(t *testing.T) {
	t.Parallel()
	server := pgtest.Database(t, "empty", nil)
	var w Writes
	writes, reads := open(t, server, Options{Writes: &w, MaxConns: 1}), open(t, server, Options{Writes: &w, MaxConns: 1})
	exec(t, writes, `create table note (text text)`)
	pid := func(p *Pool) (pid int) {
		t.Helper()
		if err := p.QueryRow(t.Context(), `select pg_backend_pid()`).Scan(&pid); err != nil {
			t.Fatal(err)
		}
		return pid
	}
	before := []int{pid(writes), pid(reads)}
	c, err := writes.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Exec(t.Context(), `set default_transaction_read_only = on`); err != nil { // as a server that turned
		t.Fatal(err)
	}
	if _, err := c.Exec(t.Context(), `insert into note values ('lost')`); err == nil {
		t.Fatal("it took the write")
	}
	c.Release()
	exec(t, writes, `insert into note values ('kept')`)
	if after := []int{pid(writes), pid(reads)}; slices.Contains(after, before[0]) || slices.Contains(after, before[1]) {
		t.Errorf("sessions %v, before %v", after, before)
	}
	if err := w.Check(t.Context(), writes); err != nil {
		t.Errorf("a server that takes writes: %v", err)
	}
}
