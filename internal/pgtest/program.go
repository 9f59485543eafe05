package pgtest

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/internal/debian"
)

// Program returns the path of a client program of Postgres (pg_dump,
// pg_basebackup) in the version of the server at url. The private server comes
// without them; where the machine has none either, root installs them by apt,
// once. Otherwise the test is skipped, on CI failed.
func Program(t testing.TB, url, name string) (path string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), startTimeout)
	defer cancel()
	major, dir, err := serverHome(ctx, url)
	if err != nil {
		t.Fatalf("find %s: %v", name, err)
	}
	if path := findProgram(ctx, name, major, dir); path != "" {
		return path
	}
	client := fmt.Sprintf("postgresql-client-%d", major)
	if os.Geteuid() == 0 {
		log := slog.New(slog.NewTextHandler(os.Stderr, nil))
		log.Warn("this machine has no client programs for its postgres: installing them (once)", "package", client)
		err = debian.Install(ctx, log, client)
		if path := findProgram(ctx, name, major, dir); path != "" {
			return path
		}
	}
	missing := fmt.Sprintf("no %s of postgres %d on this machine (%v): install %s", name, major, err, client)
	if os.Getenv("CI") == "" {
		t.Skip(missing)
	}
	t.Fatal(missing)
	return ""
}

// serverHome is a server's major version and the directory of its programs.
func serverHome(ctx context.Context, url string) (major int, dir string, err error) {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return 0, "", err
	}
	defer conn.Close(ctx)
	err = conn.QueryRow(ctx, `
		select current_setting('server_version_num')::int / 10000, setting
		from pg_config where name = 'BINDIR'`).Scan(&major, &dir)
	return major, dir, err
}

// findProgram looks beside the server, where Debian puts the package, and in PATH.
func findProgram(ctx context.Context, name string, major int, dir string) string {
	for _, path := range []string{filepath.Join(dir, name), fmt.Sprintf("/usr/lib/postgresql/%d/bin/%s", major, name), name} {
		out, err := exec.CommandContext(ctx, path, "--version").Output()
		if err == nil && strings.Contains(string(out), fmt.Sprintf(") %d", major)) {
			return path
		}
	}
	return ""
}
