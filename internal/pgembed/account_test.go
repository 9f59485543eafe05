package pgembed

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAccount_CheckReaches(t *testing.T) {
	t.Parallel()
	parent := newDir(t)
	open, closed := filepath.Join(parent, "open"), filepath.Join(parent, "closed")
	for dir, mode := range map[string]os.FileMode{filepath.Join(open, "in"): 0o755, filepath.Join(closed, "in"): 0o755} {
		if err := os.MkdirAll(dir, mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(closed, 0o700); err != nil {
		t.Fatal(err)
	}
	stranger := account{name: "stranger", uid: os.Geteuid() + 12345, other: true}
	if err := stranger.checkReaches(filepath.Join(open, "in")); err != nil {
		t.Errorf("an open path is refused: %v", err)
	}
	err := stranger.checkReaches(filepath.Join(closed, "in"))
	if err == nil || !strings.Contains(err.Error(), closed+" (mode 0700)") || !strings.Contains(err.Error(), "stranger") {
		t.Errorf("checkReaches = %v; want who may not enter what", err)
	}
	owner := account{name: "owner", uid: os.Geteuid(), other: true}
	if err := owner.checkReaches(filepath.Join(closed, "in")); err != nil {
		t.Errorf("the owner of a closed directory is refused: %v", err)
	}
}

func TestAccount_CheckOwns(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	link := filepath.Join(dir, "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "file"), "")
	me := account{uid: os.Geteuid()}
	if err := me.checkOwns(dir); err != nil {
		t.Errorf("an own directory is refused: %v", err)
	}
	for _, path := range []string{link, filepath.Join(dir, "file"), filepath.Join(dir, "missing")} {
		if err := me.checkOwns(path); err == nil {
			t.Errorf("%s passes for a directory", filepath.Base(path))
		}
	}
	if os.Geteuid() != 0 {
		if err := me.checkOwns("/"); err == nil {
			t.Error("root's directory passes")
		}
	}
}

func TestServerAccount_IsNeverRoot(t *testing.T) {
	t.Parallel()
	acct, err := serverAccount(newDir(t))
	if err != nil {
		t.Fatal(err)
	}
	if acct.uid == 0 || acct.other != (os.Geteuid() == 0) {
		t.Errorf("account %+v for uid %d", acct, os.Geteuid())
	}
}

func TestDefaultDataDir(t *testing.T) {
	// Not parallel: it sets the environment.
	dir := newDir(t)
	t.Setenv("XDG_DATA_HOME", dir)
	want := filepath.Join(dir, "stepledger", "postgres")
	if os.Geteuid() == 0 {
		want = "/var/lib/stepledger/postgres"
	}
	if got := DefaultDataDir(); got != want {
		t.Errorf("DefaultDataDir = %s, want %s", got, want)
	}
	t.Setenv("XDG_DATA_HOME", "")
	t.Setenv("HOME", "/nonexistent")
	if got := DefaultDataDir(); !strings.HasPrefix(got, "/var/") {
		t.Errorf("DefaultDataDir without a home = %s", got)
	}
}
