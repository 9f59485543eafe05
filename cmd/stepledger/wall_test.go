package main

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/api"
	"github.com/stepledger/stepledger/internal/pgpool"
	"github.com/stepledger/stepledger/internal/pgtest"
	"github.com/stepledger/stepledger/projections"
	"github.com/stepledger/stepledger/projections/projtest"
	"github.com/stepledger/stepledger/projections/skills"
)

// twoWorking is a server on which two tenants have come some way through a task each.
func twoWorking(t *testing.T) (s *server, tenants []string) {
	t.Helper()
	s = newModelServer(t, newFakeGemini(t), hooks{})
	for _, c := range []client{s.client, s.loginAs(t, newUser(t, s.identity, "eve@globex.example"))} {
		p := newPursuit()
		for range 3 {
			if err := p.step(t.Context(), c); err != nil {
				t.Fatal(err)
			}
		}
		tenants = append(tenants, data[api.SessionData](t, c.get(t, "/api/v1/auth/session")).TenantID)
	}
	s.catchUp(t)
	return s, tenants
}

// What the pool of the API sees of each tenant's turns, in every schema, is its own.
func TestWall_RealTurnsOfTwoTenants(t *testing.T) {
	t.Parallel()
	s, tenants := twoWorking(t)
	reads, ok := s.reads.(pgpool.ByTenant)
	if !ok {
		t.Fatalf("the API reads by %T", s.reads)
	}
	reads.Tenant = func(ctx context.Context) (string, bool) { return ctx.Value(asTenant{}).(string), true }
	seen := projtest.OwnRows(t, s.db, func(tenant, sql string) []string {
		rows, _ := reads.Query(context.WithValue(t.Context(), asTenant{}, tenant), sql)
		out, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Errorf("%s: %v", sql, err)
		}
		return out
	}, tenants...)
	// No skill is learnt here, no score given, no session archived.
	for _, relation := range []string{"task", "task_text", "session", "message", "turn", "call", "call_rollup", "call_rollup_day", "action_confidence"} {
		if counts := seen["read."+relation]; len(counts) != 2 || counts[0] == 0 || counts[1] == 0 {
			t.Errorf("read.%s has rows of %v: it proves nothing", relation, counts)
		}
	}
	t.Run("finance still sees all", func(t *testing.T) {
		var sees int
		err := pgx.BeginFunc(t.Context(), s.db, func(tx pgx.Tx) error {
			if _, err := tx.Exec(t.Context(), `set local role billing_reader`); err != nil {
				return err
			}
			return tx.QueryRow(t.Context(), `
				select least((select count(distinct tenant_id) from billing.usage_call), (select count(distinct tenant_id) from billing.usage_daily))`).Scan(&sees)
		})
		if err != nil || sees != 2 {
			t.Errorf("%d tenants, %v", sees, err)
		}
	})
	t.Run("runners have nothing else", func(t *testing.T) { runnersHaveNothingElse(t, s.runs) })
}

type asTenant struct{}

// runnersHaveNothingElse: what the runners' pool can reach in any other schema.
func runnersHaveNothingElse(t *testing.T, runs *pgpool.Pool) {
	t.Helper()
	rows, _ := runs.Query(t.Context(), `
		select c.oid::regclass::text from pg_class c join pg_namespace n on n.oid = c.relnamespace
		where n.nspname in ('identity', 'content', 'billing', 'log', 'feed') and c.relkind in ('r', 'p', 'v', 'm', 'S')
			and (has_schema_privilege(n.oid, 'usage') or case c.relkind when 'S' then has_sequence_privilege(c.oid, 'usage, select, update')
				else has_table_privilege(c.oid, 'select, insert, update, delete, truncate') end)`)
	reached, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(reached) > 0 {
		t.Errorf("runners reach %v, %v", reached, err)
	}
	var who string
	if err := runs.QueryRow(t.Context(), `select current_user`).Scan(&who); err != nil || who != projections.RunnerRole {
		t.Errorf("runners are %s, %v", who, err)
	}
}

// forgetful lists by a statement that has no condition for the tenant.
type forgetful struct {
	db   projections.DB
	seen func([]string)
}

// List implements api.Skills.
func (f forgetful) List(ctx context.Context, _, _ string) ([]skills.Entry, error) {
	for _, ctx := range []context.Context{ctx, context.WithoutCancel(ctx)} {
		rows, _ := f.db.Query(ctx, `select distinct tenant from read.task`)
		tenants, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			return nil, err
		}
		f.seen(tenants)
	}
	return nil, nil
}

// A statement of the API that forgets the tenant is answered with the caller's rows.
func TestWall_ForgottenCondition(t *testing.T) {
	t.Parallel()
	s, tenants := twoWorking(t)
	var seen [][]string
	s.api.Skills = forgetful{s.reads, func(rows []string) { seen = append(seen, rows) }}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/debug/skills", http.NoBody)
	r.Header.Set("Authorization", "Bearer "+s.token)
	w := httptest.NewRecorder()
	s.api.ServeHTTP(w, r) // here, for what was put in its place to be seen
	if w.Code != http.StatusOK || len(seen) != 2 {
		t.Fatalf("%d %s, %d statements", w.Code, w.Body, len(seen))
	}
	for _, rows := range seen {
		if len(rows) != 1 || rows[0] != tenants[0] {
			t.Errorf("the caller is of %s, and saw %v", tenants[0], rows)
		}
	}
	rows, _ := s.reads.Query(t.Context(), `select distinct tenant from read.task`)
	if all, err := pgx.CollectRows(rows, pgx.RowTo[string]); err != nil || len(all) != 2 {
		t.Errorf("an operator's command sees %v, %v", all, err)
	}
}

// A database user who may make no roles runs the whole program without the wall, which
// says what to do; once that is done, the next start raises it.
func TestWall_UserWhoMayMakeNoRoles(t *testing.T) {
	t.Parallel()
	admin, url := plainUser(t)
	cfg := testConfig(url, t.TempDir())
	said := works(t, cfg, 0)
	for _, sql := range []string{"grant " + projections.ReaderRole, "grant create on database"} {
		if !strings.Contains(said, sql) {
			t.Errorf("%q is not in what it said:\n%s", sql, said)
		}
	}
	_, commands, _ := strings.Cut(said, `sql="`)
	commands, _, _ = strings.Cut(commands, `"`)
	if _, err := admin.Exec(t.Context(), commands); err != nil {
		t.Fatalf("what it said to run does not run: %v\n%s", err, said)
	}
	if said := works(t, cfg, 1); strings.Contains(said, "row-level") {
		t.Errorf("it goes on saying: %s", said)
	}
}

// works serves a task from beginning to end on a database, and checks the metric. It
// returns what was logged.
func works(t *testing.T, cfg config, wall float64) string {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var said lockedBuffer
	err := run(ctx, cfg, slog.New(slog.NewTextHandler(&said, &slog.HandlerOptions{Level: slog.LevelWarn})), hooks{}, func(s *system, base string) error {
		defer stop()
		srv := &server{system: s, client: client{base: base}}
		srv.client = srv.loginAs(t, newUser(t, s.identity, "jo"+strings.Repeat("o", int(wall))+"@acme.example"))
		p := newPursuit()
		for !p.ended {
			if err := p.step(t.Context(), srv.client); err != nil {
				return err
			}
		}
		srv.catchUp(t)
		if r := srv.get(t, "/api/debug/tasks?q=patient"); !bytes.Contains(r.body, []byte(p.task)) {
			t.Errorf("the task is not found by its words: %s", r.body)
		}
		if got := metricValue(t, s, "stepledger_row_security"); got != wall {
			t.Errorf("stepledger_row_security is %v", got)
		}
		return s.runner.Rebuild(t.Context(), "tasks")
	})
	if err != nil {
		t.Fatal(err)
	}
	return said.String()
}

func metricValue(t *testing.T, s *system, name string) float64 {
	t.Helper()
	all, err := s.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range all {
		if f.GetName() == name {
			return f.GetMetric()[0].GetGauge().GetValue()
		}
	}
	t.Fatalf("there is no metric %s", name)
	return 0
}

// lockedBuffer may be written to by several.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// plainUser is an empty database of a user without attributes or roles, and a
// superuser's connection to it.
func plainUser(t *testing.T) (admin *pgx.Conn, address string) {
	t.Helper()
	address = pgtest.Database(t, "empty", nil)
	admin, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	database := admin.Config().Database
	user := "plain_" + database
	exec := func(sql string) {
		t.Helper()
		if _, err := admin.Exec(context.WithoutCancel(t.Context()), sql); err != nil {
			t.Fatal(err)
		}
	}
	for _, role := range []string{projections.ReaderRole, projections.RunnerRole} { // as other databases' migrations have
		exec(`do $$ begin create role ` + role + ` nologin; exception when duplicate_object or unique_violation then null; end $$`)
	}
	exec(`create role ` + user + ` login password 'plain' nosuperuser nocreaterole`)
	exec(`alter database ` + database + ` owner to ` + user)
	t.Cleanup(func() {
		exec(`reassign owned by ` + user + ` to current_user`)
		exec(`drop owned by ` + user)
		exec(`drop role ` + user)
		_ = admin.Close(context.WithoutCancel(t.Context()))
	})
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.UserPassword(user, "plain")
	return admin, u.String()
}
