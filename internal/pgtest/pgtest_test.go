package pgtest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/internal/pgembed"
)

func migrateNotes(ctx context.Context, url string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, `create table note (text text)`)
	return err
}

func TestDatabase_EachTestHasItsOwn(t *testing.T) {
	t.Parallel()
	key := rand.Text() // with -count this process may have made the template before
	var migrated atomic.Int32
	migrate := func(ctx context.Context, url string) error {
		migrated.Add(1)
		return migrateNotes(ctx, url)
	}
	t.Run("group", func(t *testing.T) { // ends when its parallel tests have
		for i := range 5 {
			t.Run(strconv.Itoa(i), func(t *testing.T) {
				t.Parallel()
				url := Database(t, key, migrate)
				if n := query[int](t, url, `select count(*) from note`); n != 0 {
					t.Errorf("%d notes of other tests", n)
				}
				query[string](t, url, `insert into note values ('mine') returning text`)
			})
		}
	})
	if n := migrated.Load(); n != 1 {
		t.Errorf("migrated %d times, want once", n)
	}
}

func TestDatabase_KeysDoNotShareATemplate(t *testing.T) {
	t.Parallel()
	notes, empty := Database(t, "notes", migrateNotes), Database(t, "empty", nil)
	const has = `select to_regclass('note') is not null`
	if !query[bool](t, notes, has) || query[bool](t, empty, has) {
		t.Error("the table is not where its migration ran, or elsewhere too")
	}
}

func TestDatabase_IsDroppedWithItsTest(t *testing.T) {
	t.Parallel()
	var name string
	t.Run("test that leaves a connection open", func(t *testing.T) {
		url := Database(t, "notes", migrateNotes)
		name = query[string](t, url, `select current_database()`)
		conn, err := pgx.Connect(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close(context.WithoutCancel(t.Context())) })
	})
	if exists(t, name) {
		t.Errorf("database %s outlived its test", name)
	}
}

func TestDatabase_FailedMigrationFailsEveryTestOfItsKey(t *testing.T) {
	t.Parallel()
	broken := errors.New("syntax error in 0007.sql")
	for range 2 {
		got := outcome(t, func(t testing.TB) {
			Database(t, "broken", func(context.Context, string) error { return broken })
		})
		if !strings.Contains(got.fatal, broken.Error()) || !strings.Contains(got.fatal, `"broken"`) {
			t.Errorf("test ended with %+v; want a failure that names the key and the cause", got)
		}
	}
}

func TestAdminURL_IsASuperusersOfAPrivateServer(t *testing.T) {
	t.Parallel()
	url := AdminURL(t)
	if os.Getenv("DATABASE_URL") == "" && !query[bool](t, url, `select rolsuper from pg_roles where rolname = current_user`) {
		t.Error("not a superuser")
	}
}

func TestConnect_DropsWhatDeadProcessesLeft(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	dead, err := newCluster(ctx, AdminURL(t))
	if err != nil {
		t.Fatal(err)
	}
	left, err := dead.template("left", nil)
	if err != nil {
		t.Fatal(err)
	}
	living := query[string](t, Database(t, "notes", migrateNotes), `select current_database()`)
	// The process dies with its connection.
	conn := <-dead.admin
	if err := conn.Close(ctx); err != nil {
		t.Fatal(err)
	}
	waitGone(t, dead.id)

	if err := open(t).dropAbandoned(ctx); err != nil {
		t.Fatal(err)
	}
	if exists(t, left) {
		t.Errorf("database %s of a dead process is left", left)
	}
	if !exists(t, living) {
		t.Errorf("database %s of a living process was dropped", living)
	}
}

func TestConnect_UsesDatabaseURL(t *testing.T) {
	// Not parallel: it sets the environment.
	t.Setenv("DATABASE_URL", AdminURL(t))
	c, err := connect()
	if err != nil {
		t.Fatal(err)
	}
	name, err := c.create(t.Context(), "template1")
	if err != nil {
		t.Fatal(err)
	}
	if !exists(t, name) {
		t.Errorf("database %s is not on the server DATABASE_URL names", name)
	}
	if err := c.drop(t.Context(), name); err != nil {
		t.Fatal(err)
	}

	for address, want := range map[string]string{
		"postgres://user:secret@127.0.0.1:1/nothing":    "127.0.0.1:1",
		"host=127.0.0.1 port=1 user=me password=secret": "not a postgres:// address",
	} {
		t.Setenv("DATABASE_URL", address)
		if _, err := connect(); err == nil || strings.Contains(err.Error(), "secret") || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v; want one with %q and without the password", err, want)
		}
	}
}

func TestRefuse(t *testing.T) {
	// Not parallel: it sets the environment.
	none := fmt.Errorf("start: %w: type this", pgembed.ErrNoPostgres)
	tests := []struct {
		name, ci string
		err      error
		want     string
	}{
		{"at home a machine without postgres skips, naming the command and the make target", "", none, "skip: type this make test"},
		{"on CI it fails", "true", none, "fatal: type this"},
		{"a server that does not answer fails at home too", "", errors.New("connection refused"), "fatal: connection refused"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("CI", tt.ci)
			got := outcome(t, func(t testing.TB) { refuse(t, tt.err) })
			kind, words, _ := strings.Cut(tt.want, ": ")
			text := map[string]string{"skip": got.skip, "fatal": got.fatal}[kind]
			if text == "" || got.skip != "" && got.fatal != "" {
				t.Fatalf("outcome %+v, want a %s", got, kind)
			}
			for _, word := range []string{"type this", "make test", "connection refused"} {
				if strings.Contains(words, word) && !strings.Contains(text, word) {
					t.Errorf("%q lacks %q", text, word)
				}
			}
		})
	}
}

func TestRemoveWhenClosed(t *testing.T) {
	t.Parallel()
	// A name that a careless script would take for several.
	dir := filepath.Join(t.TempDir(), "a cluster; of 'ours'")
	pid := filepath.Join(dir, "pgdata", "postmaster.pid")
	if err := os.MkdirAll(filepath.Dir(pid), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(pid, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	process, err := removeWhenClosed(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := process.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(pid); err != nil {
		t.Errorf("removed under a running server: %v", err)
	}
	if err := os.Remove(pid); err != nil {
		t.Fatal(err)
	}
	waitRemoved(t, dir)
}

// reportEnv makes TestReport write the address of its process's server into
// the named file.
const reportEnv = "PGTEST_REPORT"

func TestReport(t *testing.T) {
	t.Parallel()
	if path := os.Getenv(reportEnv); path != "" {
		if err := os.WriteFile(path, []byte(AdminURL(t)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestPrivateCluster_GoesWithItsProcess(t *testing.T) {
	t.Parallel()
	AdminURL(t) // skips the test where there is no Postgres
	report := filepath.Join(t.TempDir(), "url")
	process := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestReport$")
	process.Env = append(os.Environ(), "DATABASE_URL=", reportEnv+"="+report)
	if out, err := process.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	text, err := os.ReadFile(report)
	if err != nil {
		t.Fatal(err)
	}
	address, err := url.Parse(string(text))
	if err != nil {
		t.Fatal(err)
	}
	waitRemoved(t, filepath.Dir(address.Query().Get("host")))
}

// A test's directory is not taken from under it by a run that begins meanwhile, however old
// it looks, and is left to such a run once its process is gone.
func TestServerDir_IsRemovedOnceAbandoned(t *testing.T) {
	t.Parallel()
	around := filepath.Dir(ServerDir(t))
	if !strings.HasPrefix(filepath.Base(around), ownPrefix()) {
		t.Errorf("nobody looks for %s", around)
	}
	remove := func(dir string) {
		t.Helper()
		if _, err := pgembed.RemoveAbandoned(dir); err != nil {
			t.Fatal(err)
		}
	}
	makeOld(t, around)
	remove(around)
	if _, err := os.Stat(around); err != nil {
		t.Fatalf("in the middle of its test: %v", err)
	}
	left := around + "-left" // as by a process that was killed: nobody has the lock
	if err := os.CopyFS(left, os.DirFS(around)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(left) })
	makeOld(t, left)
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(5 * time.Millisecond) { // one process removes at a time
		remove(left)
		if _, err := os.Stat(left); errors.Is(err, fs.ErrNotExist) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s is left", left)
		}
	}
}

func makeOld(t *testing.T, dir string) {
	t.Helper()
	hourAgo := time.Now().Add(-time.Hour)
	if err := os.Chtimes(dir, hourAgo, hourAgo); err != nil {
		t.Fatal(err)
	}
}

// waitRemoved waits until a directory is gone.
func waitRemoved(t *testing.T, dir string) {
	t.Helper()
	for deadline := time.After(10 * time.Second); ; {
		if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
			return
		}
		select {
		case <-deadline:
			t.Fatalf("%s is left although its process and its server are gone", dir)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// verdict is a test that records how it ends instead of ending.
type verdict struct {
	testing.TB
	skip, fatal string
}

func (v *verdict) Skipf(format string, args ...any) { v.skip = fmt.Sprintf(format, args...); panic(v) }
func (v *verdict) Fatalf(format string, args ...any) {
	v.fatal = fmt.Sprintf(format, args...)
	panic(v)
}

// outcome runs a helper against a recording test.
func outcome(t *testing.T, helper func(testing.TB)) (v *verdict) {
	t.Helper()
	v = &verdict{TB: t}
	defer func() {
		if r := recover(); r != nil && r != v {
			panic(r)
		}
	}()
	helper(v)
	return v
}

func query[T any](t testing.TB, url, sql string, args ...any) T {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	var v T
	if err := conn.QueryRow(t.Context(), sql, args...).Scan(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

func exists(t testing.TB, database string) bool {
	t.Helper()
	return query[bool](t, AdminURL(t), `select exists (select from pg_database where datname = $1)`, database)
}

// waitGone waits until the server has noticed that a connection is closed.
func waitGone(t testing.TB, application string) {
	t.Helper()
	const connected = `select exists (select from pg_stat_activity where application_name = $1)`
	for deadline := time.Now().Add(10 * time.Second); query[bool](t, AdminURL(t), connected, application); {
		if time.Now().After(deadline) {
			t.Fatal("the server does not notice that the connection is closed")
		}
	}
}

func TestProgram(t *testing.T) {
	t.Parallel()
	url := AdminURL(t)
	out, err := exec.CommandContext(t.Context(), Program(t, url, "pg_dump"), "--schema-only", url).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "PostgreSQL database dump") {
		t.Errorf("pg_dump of the test server: %v\n%s", err, out)
	}
	if path := findProgram(t.Context(), "pg_dump", 9, "/nowhere"); path != "" {
		t.Errorf("%s passes for one of version 9", path)
	}
}
