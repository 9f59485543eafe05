package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/internal/pgmigrate"
	"github.com/stepledger/stepledger/internal/pgtest"
)

// catalogue is all that is made in a database and who may do what with it, in the words of
// pg_dump, without what differs between two dumps of the same.
func catalogue(t *testing.T, address string) string {
	t.Helper()
	dump := exec.CommandContext(t.Context(), pgtest.Program(t, address, "pg_dump"), "--schema-only", address) //nolint:gosec // the program of the test's server
	var said bytes.Buffer
	dump.Stderr = &said
	out, err := dump.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, &said)
	}
	if !bytes.Contains(out, []byte("CREATE TABLE log.events")) {
		t.Fatalf("no catalogue: %s", out)
	}
	return regexp.MustCompile(`(?m)^\\(un)?restrict .*$`).ReplaceAllString(string(out), "")
}

// migrationsOf are the versions of a schema's files, the first to the newest.
func migrationsOf(t *testing.T, s pgmigrate.Schema) (versions []int64) {
	t.Helper()
	files, err := fs.Glob(s.Files, "migrations/*.sql")
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: %v, %v", s.Name, files, err)
	}
	for _, f := range files {
		number, _, _ := strings.Cut(path.Base(f), "_")
		v, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		versions = append(versions, v)
	}
	slices.Sort(versions)
	return versions
}

// wayBack undoes file after file of all schemas, down to the first of each, and returns
// those that stay because something would be lost.
func wayBack(t *testing.T, address string) (stay []string) {
	t.Helper()
	for _, s := range slices.Backward(schemas) {
		files := migrationsOf(t, s)
		for i := len(files) - 1; i > 0; i-- {
			err := s.Back(t.Context(), address, files[i-1])
			var kept *pgmigrate.KeptError
			if errors.As(err, &kept) && s.Downs[files[i]].Why == kept.Why {
				stay = append(stay, fmt.Sprint(s.Name, " ", kept.Version))
				break
			}
			if err != nil {
				t.Fatalf("%s, file %d: %v", s.Name, files[i], err)
			}
			if has := versionIn(t, address, s); has != files[i-1] {
				t.Fatalf("%s has version %d, want %d", s.Name, has, files[i-1])
			}
		}
	}
	return stay
}

func versionIn(t *testing.T, address string, s pgmigrate.Schema) int64 {
	t.Helper()
	var old *pgmigrate.OldError
	switch err := s.Check(t.Context(), address); {
	case errors.As(err, &old):
		return old.Has
	case err != nil:
		t.Fatal(err)
	}
	files := migrationsOf(t, s)
	return files[len(files)-1]
}

// Every file of every schema can be undone and done again, and leaves the catalogue as it
// is in a database that never went back. A file of which nobody has said what undoing it
// loses fails here.
func TestMigrate_DownAndUpAgain(t *testing.T) {
	t.Parallel()
	address, fresh := pgtest.Database(t, "empty", nil), pgtest.Database(t, "stepledger", migrate)
	if err := migrate(t.Context(), address); err != nil {
		t.Fatal(err)
	}
	if stay := wayBack(t, address); len(stay) > 0 {
		t.Errorf("with nothing in the database there stay %v", stay)
	}
	for _, s := range schemas {
		if has, first := versionIn(t, address, s), migrationsOf(t, s)[0]; has != first {
			t.Errorf("%s went back to %d, not to its first file %d", s.Name, has, first)
		}
	}
	if err := migrate(t.Context(), address); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(catalogue(t, fresh), catalogue(t, address)); diff != "" {
		t.Errorf("the schema (-fresh +down and up again):\n%s", diff)
	}
}

// A database that was served from goes back as far as nothing is lost, and up again with the
// same catalogue and all its tasks. What must not be lost is refused.
func TestMigrate_DownAndUpAgainWithData(t *testing.T) {
	t.Parallel()
	address, state := pgtest.Database(t, "stepledger", migrate), t.TempDir()
	cfg := testConfig(address, state)
	s := start(t, cfg, hooks{})
	s.client = s.loginAs(t, newUser(t, s.identity, "jo@acme.example"))
	p := newPursuit()
	p.finish(t, s.client)
	s.catchUp(t)
	s.stop()
	before := catalogue(t, address)
	events := dumpOfEvents(t, address)
	stay := wayBack(t, address)
	if diff := cmp.Diff([]string{"content 2", "identity 2"}, stay); diff != "" {
		t.Errorf("what stays (-want +got):\n%s", diff)
	}
	if err := migrateCommand(t, address); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(events, dumpOfEvents(t, address)); diff != "" {
		t.Errorf("the log (-before +after):\n%s", diff)
	}
	again := start(t, cfg, hooks{})
	again.client = client{base: again.base, token: s.token}
	if diff := cmp.Diff(before, catalogue(t, address)); diff != "" {
		t.Errorf("the schema (-before +after):\n%s", diff)
	}
	auditTask(t, again, p)
}

// dumpOfEvents is the log, in its order.
func dumpOfEvents(t *testing.T, address string) []string {
	t.Helper()
	db, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close(t.Context())
	rows, _ := db.Query(t.Context(), `select position || ' ' || stream || '@' || revision || ' ' || type || ' ' || id || ' ' || md5(data) || ' ' || md5(meta) from log.events order by position`)
	events, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(events) == 0 {
		t.Fatalf("%d events, %v", len(events), err)
	}
	return events
}

// What is kept nowhere else keeps its file.
func TestMigrate_StaysWhatMustNotBeLost(t *testing.T) {
	t.Parallel()
	address := pgtest.Database(t, "stepledger", migrate)
	db, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close(t.Context())
	for _, sql := range []string{
		`insert into log.epoch (epoch, word, incarnation, began_at) values (0, 0, 'a', 0), (1, 7, 'b', 5)`,
		`insert into read.past values ('a', 'b', 5)`,
		`insert into content.erasures values ('erasure')`,
		`insert into identity.audit (action) values ('login')`,
		`insert into billing.statement (tenant, month, time_zone, period_start, period_end, log_id, position, exact, amount)
			values ('t', '2026-01-01', 'UTC', '2026-01-01', '2026-02-01', 'a', 5, 0, 0)`,
	} {
		if _, err := db.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]string{"billing 10", "read 5", "content 2", "identity 2", "log 4"}, wayBack(t, address)); diff != "" {
		t.Errorf("what stays (-want +got):\n%s", diff)
	}
}

// The command tells what is lost before it does anything, waits for a word, and does not
// take anything from under a process that works.
func TestMigrate_ToAVersion(t *testing.T) {
	t.Parallel()
	address := pgtest.Database(t, "stepledger", migrate)
	refused := func(want string, args ...string) {
		t.Helper()
		if err := migrateCommand(t, address, args...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v; want %q", args, err, want)
		}
	}
	refused("--drop", "--to", "identity=2")
	refused("no schema", "--to", "money=2")
	refused("no version", "--to", "identity=0")
	refused("no version", "--to", "identity")
	s := start(t, testConfig(address, t.TempDir()), hooks{})
	refused("1 processes", "--to", "identity=2", "--drop")
	s.stop()
	if err := migrateCommand(t, address, "--to", "identity=2", "--drop"); err != nil {
		t.Fatal(err)
	}
	var old *pgmigrate.OldError
	if err := checkSchemas(t.Context(), address); !errors.As(err, &old) || old.Schema != "identity" || old.Has != 2 {
		t.Errorf("after it: %v", err)
	}
	if err := migrateCommand(t, address, "--to", "identity=2"); err != nil {
		t.Errorf("where there is nothing to undo: %v", err)
	}
}
