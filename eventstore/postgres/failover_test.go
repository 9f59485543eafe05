package postgres

import (
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/internal/pgembed"
	"github.com/stepledger/stepledger/internal/pgtest"
)

// pair is a server and a standby that has to have every commit before it is
// acknowledged.
type pair struct {
	primary, standby *pgembed.Server
	standbyDir       string
	url              string // of whichever of the two takes writes
}

func startPair(t testing.TB) pair {
	t.Helper()
	dir, p := serverDir(t), pair{standbyDir: serverDir(t)}
	p.primary = startServer(t, dir)
	if err := Migrate(t.Context(), p.primary.URL()); err != nil {
		t.Fatal(err)
	}
	cluster := filepath.Join(p.standbyDir, "pgdata")
	run(t, pgtest.Program(t, p.primary.URL(), "pg_basebackup"), "--dbname="+p.primary.URL(), "--pgdata="+cluster,
		"--checkpoint=fast", "--no-sync", "--write-recovery-conf")
	giveLike(t, p.standbyDir, filepath.Join(dir, "pgdata"))
	p.standby = startServer(t, p.standbyDir)
	c := connect(t, p.primary.URL())
	mustExec(t, c, `alter system set synchronous_standby_names = '*'`)
	mustExec(t, c, `select pg_reload_conf()`)
	eventually(t, "the standby is a synchronous one", func() bool {
		var n int
		err := c.QueryRow(t.Context(), `select count(*) from pg_stat_replication where sync_state = 'sync'`).Scan(&n)
		return err == nil && n == 1
	})
	p.url = eitherOf(t, p.primary.URL(), p.standby.URL())
	return p
}

// giveLike makes a copied cluster one that pgembed starts: with the mark of its
// directories, and of the owner of the original, who is another account for root.
func giveLike(t testing.TB, dir, original string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "stepledger.lock"), nil, 0o600); err != nil {
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

// The primary is killed under load and its standby takes over: nobody has to tell
// the store, and what was acknowledged or read is there, in its order.
func TestFailover(t *testing.T) {
	t.Parallel()
	p := startPair(t)
	s := open(t, p.url, Options{Timeout: patience})
	id, err := s.ID(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	st, f := startStorm(s, 8), startFollower(t, s)
	st.goOn(t, 200)
	killWhole(t, p.primary)
	mustExec(t, connect(t, p.standby.URL()), `select pg_promote()`)
	st.goOn(t, 200)
	st.end()
	if len(st.unknown) > 0 {
		t.Errorf("%d events were given up, though the standby took over in time", len(st.unknown))
	}
	after := open(t, p.standby.URL(), Options{})
	if now, err := after.ID(t.Context()); now != id || err != nil {
		t.Errorf("the log is %s, was %s, %v", now, id, err)
	}
	wantOnce(t, after, st.acked)
	f.wantAll(t, after)
}

// killWhole ends a server as a power cut does, all of its processes at once: those
// that outlive the first would show what they had only waited to acknowledge.
func killWhole(t testing.TB, server *pgembed.Server) {
	t.Helper()
	if err := syscall.Kill(server.PID(), syscall.SIGSTOP); err != nil { // it would restart its children
		t.Fatal(err)
	}
	children := childrenOf(server.PID())
	for _, sig := range []syscall.Signal{syscall.SIGSTOP, syscall.SIGKILL} {
		for _, pid := range children {
			_ = syscall.Kill(pid, sig) // one may have ended by itself
		}
	}
	signal(t, server, syscall.SIGKILL)
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

// While its standby is away a server commits, but nothing may be acknowledged that
// only it has: not the first time, and not when the append is repeated.
func TestFailover_withoutTheStandby(t *testing.T) {
	t.Parallel()
	p := startPair(t)
	s := open(t, p.primary.URL(), Options{Timeout: 2 * time.Second})
	kept, in := events(1), events(2)
	mustAppend(t, s, "task-1", eventstore.NoStream, kept...)
	if err := p.standby.Stop(bounded(t)); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		_, err := s.Append(bounded(t), "task-1", 0, in)
		wantUnavailable(t, err)
	}
	startServer(t, p.standbyDir)
	eventually(t, "it is acknowledged when the standby is back", func() bool {
		r, err := s.Append(bounded(t), "task-1", 0, in)
		return err == nil && r.Revision == 2
	})
	wantOnce(t, s, append(kept, in...))
}
