package pgtest

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/internal/pgembed"
)

// Pair is a server of the test's own and a standby that has to have every commit before it
// is acknowledged. Both are durable, and end with the test.
type Pair struct {
	Primary, Standby *pgembed.Server
	// StandbyDir is where the standby is kept, to start it again.
	StandbyDir string
	// URL is of whichever of the two takes writes.
	URL string
}

// StartPair starts two servers on a database that migrate has prepared.
func StartPair(t testing.TB, migrate func(ctx context.Context, url string) error) Pair {
	t.Helper()
	dir, p := ServerDir(t), Pair{StandbyDir: ServerDir(t)}
	p.Primary = StartServer(t, dir)
	if err := migrate(t.Context(), p.Primary.URL()); err != nil {
		t.Fatal(err)
	}
	copied := exec.Command(Program(t, p.Primary.URL(), "pg_basebackup"), "--dbname="+p.Primary.URL(), "--pgdata="+filepath.Join(p.StandbyDir, "pgdata"),
		"--checkpoint=fast", "--no-sync", "--write-recovery-conf")
	if out, err := copied.CombinedOutput(); err != nil {
		t.Fatalf("pg_basebackup: %v: %s", err, out)
	}
	GiveLike(t, p.StandbyDir, filepath.Join(dir, "pgdata"))
	// A standby that has lost its primary otherwise looks for five seconds before it is promoted.
	p.Standby = StartServer(t, p.StandbyDir, map[string]string{"wal_retrieve_retry_interval": "100ms"})
	p.synchronous(t)
	p.URL = eitherOf(t, p.Primary.URL(), p.Standby.URL())
	return p
}

// ServerDir is an empty directory for a server, or what goes with one, which the account
// that runs it may enter. It goes with the test or, where its process was killed, with a
// later run: until then the directory around it is locked, as that of a shared cluster is
// by its server.
func ServerDir(t testing.TB) string {
	t.Helper()
	around, err := os.MkdirTemp(parentDir, ownPrefix())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(around) })
	lock, err := os.OpenFile(filepath.Join(around, lockName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { lock.Close() })
	dir := filepath.Join(around, "server")
	err = errors.Join(syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB), os.Chmod(around, 0o711), os.Mkdir(dir, 0o700)) //nolint:gosec // to be passed through
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// StartServer starts a server of the test's own in a directory, which ends with the test.
// Settings win over those pgembed has, later ones over earlier ones.
func StartServer(t testing.TB, dir string, settings ...map[string]string) *pgembed.Server {
	t.Helper()
	starting, cancel := context.WithTimeout(t.Context(), startTimeout)
	defer cancel()
	all := map[string]string{}
	for _, some := range settings {
		maps.Copy(all, some)
	}
	server, err := pgembed.Start(starting, pgembed.Config{DataDir: dir, Settings: all})
	if err != nil {
		refuse(t, err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), timeout)
		defer cancel()
		_ = server.Stop(ctx) // a test may have killed it
	})
	return server
}

// synchronous has the primary wait for its standby, and waits until it does.
func (p Pair) synchronous(t testing.TB) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), timeout)
	defer cancel()
	c, err := pgx.Connect(ctx, p.Primary.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(context.WithoutCancel(ctx))
	for _, sql := range []string{`alter system set synchronous_standby_names = '*'`, `select pg_reload_conf()`} {
		if _, err := c.Exec(ctx, sql); err != nil {
			t.Fatal(err)
		}
	}
	for n := 0; n == 0; {
		if err := c.QueryRow(ctx, `select count(*) from pg_stat_replication where sync_state = 'sync'`).Scan(&n); err != nil {
			t.Fatalf("the standby is no synchronous one: %v", err)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// Promote has the standby take writes.
func (p Pair) Promote(t testing.TB) {
	t.Helper()
	c, err := pgx.Connect(t.Context(), p.Standby.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(context.WithoutCancel(t.Context()))
	if _, err := c.Exec(t.Context(), `select pg_promote()`); err != nil {
		t.Fatal(err)
	}
}

// GiveLike makes a copied cluster one that pgembed starts: with the mark of its
// directories, and of the owner of the original, who is another account for root.
func GiveLike(t testing.TB, dir, original string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, lockName), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() != 0 {
		return
	}
	info, err := os.Stat(original)
	if err != nil {
		t.Fatal(err)
	}
	owner := info.Sys().(*syscall.Stat_t)
	err = filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, int(owner.Uid), int(owner.Gid))
	})
	if err != nil {
		t.Fatal(err)
	}
}

// eitherOf is the address of two servers, of which one takes writes.
func eitherOf(t testing.TB, a, b string) string {
	t.Helper()
	var hosts, ports []string
	u, err := url.Parse(a)
	if err != nil {
		t.Fatal(err)
	}
	for _, address := range []string{a, b} {
		one, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		hosts, ports = append(hosts, one.Query().Get("host")), append(ports, one.Query().Get("port"))
	}
	u.RawQuery = url.Values{
		"host": {strings.Join(hosts, ",")}, "port": {strings.Join(ports, ",")}, "target_session_attrs": {"read-write"},
	}.Encode()
	return u.String()
}

// KillPrimary ends it as a power cut does, all of its processes at once: those that outlive
// the first would show what they had only waited to acknowledge.
func (p Pair) KillPrimary(t testing.TB) {
	t.Helper()
	pid := p.Primary.PID()
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil { // it would restart its children
		t.Fatal(err)
	}
	children := childrenOf(pid)
	for _, sig := range []syscall.Signal{syscall.SIGSTOP, syscall.SIGKILL} {
		for _, child := range children {
			_ = syscall.Kill(child, sig) // one may have ended by itself
		}
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
		t.Fatal(err)
	}
	<-p.Primary.Done()
}

// childrenOf lists the processes a process has started, as Linux tells.
func childrenOf(pid int) (children []int) {
	all, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, file := range all {
		stat, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		_, rest, _ := strings.Cut(string(stat), ") ") // the name in brackets may hold anything
		if fields := strings.Fields(rest); len(fields) > 1 && fields[1] == strconv.Itoa(pid) {
			if child, err := strconv.Atoi(filepath.Base(filepath.Dir(file))); err == nil {
				children = append(children, child)
			}
		}
	}
	return children
}
