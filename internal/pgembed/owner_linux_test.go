package pgembed

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// TestServer_EndsWithItsOwner needs the parent-death signal; other systems
// leave the server to the next Start.
func TestServer_EndsWithItsOwner(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	stop(t, start(t, Config{DataDir: dir})) // skips the test where there is no Postgres
	owner, server := startOwner(t, dir)
	if err := owner.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the server is gone", func() bool { return !alive(server) })
	if _, err := os.Stat(pidFile(filepath.Join(dir, "pgdata"))); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("postmaster.pid is left: %v", err)
	}
}
