package main

import (
	"bytes"
	"context"
	"errors"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/internal/pgmigrate"
	"github.com/stepledger/stepledger/internal/pgtest"
)

// migrateCommand runs the command as a user would.
func migrateCommand(t *testing.T, address string, args ...string) error {
	t.Helper()
	env := map[string]string{"DATABASE_URL": address, "STEPLEDGER_STATE_DIR": t.TempDir(), "LOG_LEVEL": "error"}
	var out bytes.Buffer
	cmd := newRoot(func(name string) string { return env[name] }, &out, &out)
	cmd.SetArgs(append([]string{"migrate"}, args...))
	return cmd.ExecuteContext(t.Context())
}

// Of processes that start at the same time one migrates, and all serve.
func TestMigrate_ManyAtOnce(t *testing.T) {
	t.Parallel()
	address, state := pgtest.Database(t, "empty", nil), t.TempDir()
	children := make([]*child, 3)
	for i := range children {
		children[i] = launchChild(t, map[string]string{"DATABASE_URL": address, "STEPLEDGER_STATE_DIR": state})
	}
	for _, c := range children {
		c.up(t)
	}
}

// With STEPLEDGER_MIGRATE=off a schema that is too old is refused with what to do, and one
// of a newer version is served.
func TestMigrate_Off(t *testing.T) {
	t.Parallel()
	address := pgtest.Database(t, "empty", nil)
	cfg := testConfig(address, t.TempDir())
	cfg.Migrate = false
	var old *pgmigrate.OldError
	if _, err := openSystem(t.Context(), cfg, testLog(cfg.LogLevel), hooks{}); !errors.As(err, &old) || !strings.Contains(err.Error(), "stepledger migrate") {
		t.Errorf("an empty database: %v", err)
	}
	if err := migrateCommand(t, address); err != nil {
		t.Fatal(err)
	}
	db, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close(t.Context())
	versions := func(sql string) {
		t.Helper()
		if _, err := db.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	versions(`update billing.goose_version set is_applied = false where version_id = (select max(version_id) from billing.goose_version)`)
	if _, err := openSystem(t.Context(), cfg, testLog(cfg.LogLevel), hooks{}); !errors.As(err, &old) || old.Schema != "billing" {
		t.Errorf("the version before: %v", err)
	}
	versions(`update billing.goose_version set is_applied = true`)
	versions(`insert into log.goose_db_version (version_id, is_applied) values (99999, true)`) // as the next version of the program
	s := start(t, cfg, hooks{})
	s.client = s.loginAs(t, newUser(t, s.identity, "jo@acme.example"))
	p := newPursuit()
	p.finish(t, s.client)
	auditTask(t, s, p)
}

// A role that was granted what serve needs does all of it, and nothing else: it alters and
// drops nothing, and takes nothing out of the log.
func TestMigrate_Grant(t *testing.T) {
	t.Parallel()
	admin, owner := plainUser(t)
	database := admin.Config().Database
	exec := func(sql string) {
		t.Helper()
		if _, err := admin.Exec(t.Context(), sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	app := appUser(t, admin)
	// As docs/database.md says for an owner who may make no roles.
	exec(`grant stepledger_api, stepledger_projector to plain_` + database + ` with admin option`)
	exec(`grant create on database ` + database + ` to stepledger_projector`)
	if err := migrateCommand(t, owner, "--grant", app); err != nil {
		t.Fatal(err)
	}
	address, err := url.Parse(owner)
	if err != nil {
		t.Fatal(err)
	}
	address.User = url.UserPassword(app, "app")
	cfg := testConfig(address.String(), t.TempDir())
	cfg.Migrate = false
	cfg.Archive.Address = t.TempDir()
	s := start(t, cfg, hooks{})
	s.client = s.loginAs(t, newUser(t, s.identity, "jo@acme.example"))
	if s.noWall != nil {
		t.Error(s.noWall)
	}
	p := newPursuit()
	p.finish(t, s.client)
	auditTask(t, s, p)
	if err := s.sweep(t.Context(), s.api.Now()); err != nil {
		t.Errorf("work that comes with time: %v", err)
	}
	if err := s.runner.Rebuild(t.Context(), "tasks"); err != nil {
		t.Errorf("a rebuild: %v", err)
	}
	archives(t, s, p)
	cannot(t, s)
}

// archives takes a task out of the log by the ways there are for that.
func archives(t *testing.T, s *server, p *pursuit) {
	t.Helper()
	eventually(t, "all who follow the log have seen the task, and it is archived", func() bool {
		done, err := s.archiveBefore(t.Context(), time.Now())
		if err != nil {
			t.Fatal(err)
		}
		return done.Events > 0
	})
	if err := s.events.SetRetention(t.Context(), "task-"+p.task, eventstore.Retention{TruncateBefore: 1}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.archived.log.Scavenge(t.Context(), 100); err != nil {
		t.Errorf("what retention hides is removed: %v", err)
	}
	if _, _, err := s.archived.log.SweepArchive(t.Context()); err != nil {
		t.Errorf("a sweep: %v", err)
	}
	if err := s.events.SetRetention(t.Context(), "task-"+p.task, eventstore.Retention{}); err != nil {
		t.Fatal(err)
	}
	auditTask(t, s, p)
}

// appUser makes a role that may log in and nothing else, which ends with the test.
func appUser(t *testing.T, admin *pgx.Conn) string {
	t.Helper()
	app := "app_" + admin.Config().Database
	if _, err := admin.Exec(t.Context(), `create role `+app+` login password 'app' nosuperuser nocreaterole nocreatedb`); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, sql := range []string{`drop owned by ` + app, `drop role ` + app} {
			if _, err := admin.Exec(context.WithoutCancel(t.Context()), sql); err != nil {
				t.Error(err)
			}
		}
	})
	return app
}

// cannot tries to damage each table that is not a read model's.
func cannot(t *testing.T, s *server) {
	t.Helper()
	rows, _ := s.db.Query(t.Context(), `
		select format('%I.%I', n.nspname, c.relname) from pg_class c join pg_namespace n on n.oid = c.relnamespace
		where c.relkind in ('r', 'p') and (n.nspname in ('log', 'identity', 'content', 'billing', 'feed') or c.relname = 'content_migrations')`)
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(tables) < 20 {
		t.Fatalf("tables %q, %v", tables, err)
	}
	try := []string{
		`create table log.mine ()`, `drop schema log cascade`, `alter role current_user superuser`, `create role other`,
		`update log.events set data = ''`, `delete from log.events`, `delete from log.identity`,
		`update log.goose_db_version set is_applied = false`,
	}
	for _, table := range tables {
		try = append(try, `drop table `+table+` cascade`, `truncate `+table+` cascade`, `alter table `+table+` add column mine int`)
	}
	for _, sql := range try {
		var refused *pgconn.PgError
		if _, err := s.db.Exec(t.Context(), sql); !errors.As(err, &refused) || refused.Code != "42501" {
			t.Errorf("%s: %v", sql, err)
		}
	}
}
