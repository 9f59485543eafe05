package main

import (
	"context"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/internal/pgtest"
)

// toRun is a line of a document that a test runs.
var toRun = regexp.MustCompile(`(?m)^ *(\S.*?) +# run$`)

// emptyBeside makes an empty database on the server of another, for what is restored.
func emptyBeside(t *testing.T, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	name := strings.TrimPrefix(u.Path, "/") + "_empty"
	admin := *u
	admin.Path = "/postgres"
	db, err := pgx.Connect(t.Context(), admin.String())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(t.Context(), "create database "+name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_, _ = db.Exec(context.Background(), "drop database "+name+" with (force)")
		db.Close(context.Background())
	})
	u.Path = "/" + name
	return u.String()
}

// The path of a new operator in deploy/README.md, typed as it stands there: install, backup,
// restore, an alert's page, upgrade. What was there before the backup is there after it.
func TestDeploy_TheOperatorsPath(t *testing.T) {
	t.Parallel()
	doc, err := os.ReadFile(deployDocs[0])
	if err != nil {
		t.Fatal(err)
	}
	database := pgtest.Database(t, "stepledger", migrate)
	dir := t.TempDir()
	build := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(dir, "bin", "stepledger"), ".") //nolint:gosec // our own package
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	tools := filepath.Dir(pgtest.Program(t, database, "pg_dump"))
	env := append(os.Environ(), "DATABASE_URL="+database, "RESTORED_URL="+emptyBeside(t, database), "STEPLEDGER_STATE_DIR="+filepath.Join(dir, "state"),
		"LOG_LEVEL=error", "PATH="+tools+string(os.PathListSeparator)+os.Getenv("PATH"))
	ran := map[string]string{}
	for _, m := range toRun.FindAllStringSubmatch(string(doc), -1) {
		cmd := exec.CommandContext(t.Context(), "sh", "-c", m[1]) //nolint:gosec // a line of our own document
		cmd.Dir, cmd.Env = dir, env
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", m[1], err, out)
		}
		ran[m[1]] = string(out)
	}
	for _, want := range []string{"tenant add", "pg_dump", "pg_restore", "erase reapply", "usage reconcile", "projection rebuild", "projection parked", "--version"} {
		if !strings.Contains(strings.Join(keysOf(ran), "\n"), want) {
			t.Errorf("nothing is run of %s", want)
		}
	}
	if all := ran[`DATABASE_URL="$RESTORED_URL" bin/stepledger tenant list`]; !strings.Contains(all, "Acme") {
		t.Errorf("who was there before the backup is not after it: %q", all)
	}
}

func keysOf(m map[string]string) (keys []string) {
	for k := range m {
		keys = append(keys, k)
	}
	return keys
}
