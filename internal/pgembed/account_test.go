package pgembed

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
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
	acct, err := serverAccount(dataDir{root: newDir(t)})
	if err != nil {
		t.Fatal(err)
	}
	if acct.uid == 0 || acct.other != (os.Geteuid() == 0) {
		t.Errorf("account %+v for uid %d", acct, os.Geteuid())
	}
}

// TestServerAccount_IsKept: another choice would leave files behind that the
// new account may not touch.
func TestServerAccount_IsKept(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		return // only root has a choice
	}
	fresh, err := serverAccount(dataDir{root: newDir(t)})
	if err != nil {
		t.Fatal(err)
	}
	const daemon, nobody, unknown = 1, 65534, 54321
	tests := map[string]struct {
		root, cluster int // owners, 0 for no cluster
		want          int // -1 for an error
	}{
		"of a directory without a cluster":             {root: daemon, want: daemon},
		"of a cluster, whoever has the directory":      {root: daemon, cluster: nobody, want: nobody},
		"a directory of root's is new":                 {want: fresh.uid},
		"so is one of an account that is not here":     {root: unknown, want: fresh.uid},
		"a cluster of one that is not here is refused": {root: daemon, cluster: unknown, want: -1},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := dataDir{root: newDir(t)}
			give(t, d.root, tt.root)
			if tt.cluster != 0 {
				if err := os.Mkdir(d.cluster(), 0o700); err != nil {
					t.Fatal(err)
				}
				give(t, d.cluster(), tt.cluster)
			}
			got, err := serverAccount(d)
			if (err != nil) != (tt.want < 0) || err == nil && got.uid != tt.want {
				t.Errorf("account %+v, %v; want uid %d", got, err, tt.want)
			}
		})
	}
}

// give makes an account the owner, which only root can.
func give(t *testing.T, path string, uid int) {
	t.Helper()
	if os.Geteuid() != 0 {
		return
	}
	if err := os.Chown(path, uid, uid); err != nil {
		t.Fatal(err)
	}
}

func TestMakeWay_IsForTheServersAccountToo(t *testing.T) {
	// Not parallel: it sets the process's umask.
	top := newDir(t)
	strict := syscall.Umask(0o077)
	err := makeWay(filepath.Join(top, "a", "b"))
	syscall.Umask(strict)
	if err != nil {
		t.Fatal(err)
	}
	want := os.FileMode(0o755)
	if os.Geteuid() != 0 {
		want = 0o700 // as the user wishes
	}
	for _, dir := range []string{"a", "a/b"} {
		info, err := os.Stat(filepath.Join(top, dir))
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != want {
			t.Errorf("%s has mode %v, want %v", dir, info.Mode().Perm(), want)
		}
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
