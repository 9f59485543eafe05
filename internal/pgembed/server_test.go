package pgembed

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

func TestStart_FromNothing(t *testing.T) {
	t.Parallel()
	s := start(t, Config{DataDir: newDir(t)})
	if !s.Owned() || s.PID() <= 0 || !alive(s.PID()) {
		t.Errorf("owned %v, pid %d; want an own, living server", s.Owned(), s.PID())
	}
	for name, want := range map[string]string{
		"fsync": "on", "synchronous_commit": "on", "full_page_writes": "on", // durable
		"listen_addresses": "", // nobody on the network
		"jit":              "off", "max_connections": "200", "server_encoding": "UTF8",
	} {
		if got := queryOne[string](t, s.URL(), `select current_setting('`+name+`')`); got != want {
			t.Errorf("%s = %q, want %q", name, got, want)
		}
	}
	for _, dir := range []string{s.dir.root, s.dir.socketDir, s.dir.cluster()} {
		info, err := os.Stat(dir)
		if err != nil || info.Mode().Perm() != 0o700 || !ownedBy(info, s.dir.acct.uid) {
			t.Errorf("%s is not closed to everyone but the server's account: %v, %v", dir, info.Mode(), err)
		}
	}
	group, err := syscall.Getpgid(s.PID())
	if err != nil || group == syscall.Getpgrp() {
		t.Errorf("process group %d, %v: a terminal's Ctrl-C would reach the server", group, err)
	}
	if os.Geteuid() == 0 {
		stranger := exec.Command("/bin/ls", s.dir.socketDir)
		stranger.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 54321, Gid: 54321}}
		if out, err := stranger.CombinedOutput(); err == nil {
			t.Errorf("another account reaches the socket: %s", out)
		}
	}
}

func TestStart_SettingsWin(t *testing.T) {
	t.Parallel()
	s := start(t, Config{DataDir: newDir(t), Settings: map[string]string{"max_connections": "17"}})
	if got := queryOne[string](t, s.URL(), `select current_setting('max_connections')`); got != "17" {
		t.Errorf("max_connections = %s, want 17", got)
	}
}

func TestStart_RestartKeepsData(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	s := start(t, Config{DataDir: dir})
	url := s.URL()
	mustExec(t, url, `create table kept as select 42 as n`)
	stop(t, s)

	again := start(t, Config{DataDir: dir})
	if again.URL() != url {
		t.Errorf("URL changed from %s to %s", url, again.URL())
	}
	if n := queryOne[int](t, again.URL(), `select n from kept`); n != 42 {
		t.Errorf("n = %d, want 42", n)
	}
}

func TestStart_WhileRunning(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	owner := start(t, Config{DataDir: dir})
	guest := start(t, Config{DataDir: dir})
	if guest.Owned() || guest.PID() != owner.PID() || guest.Done() != nil {
		t.Fatalf("owned %v, pid %d; want a guest of pid %d", guest.Owned(), guest.PID(), owner.PID())
	}
	stop(t, guest)
	if n := queryOne[int](t, guest.URL(), `select 1`); n != 1 {
		t.Error("a guest's Stop ended the server")
	}
	stop(t, owner)
	if heir := start(t, Config{DataDir: dir}); !heir.Owned() {
		t.Error("the directory is still taken after its owner's Stop")
	}
}

func TestStart_ManyAtOnce(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	var mu sync.Mutex
	pids, owners := map[int]bool{}, 0
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			s, err := Start(t.Context(), Config{DataDir: dir})
			if err != nil {
				t.Errorf("Start: %v", err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			pids[s.PID()] = true
			if s.Owned() {
				owners++
				t.Cleanup(func() { _ = s.Stop(context.Background()) })
			}
		})
	}
	wg.Wait()
	if owners != 1 || len(pids) != 1 {
		t.Errorf("%d owners, servers %v; want one of each", owners, pids)
	}
}

func TestStart_AfterCrash(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	s := start(t, Config{DataDir: dir})
	mustExec(t, s.URL(), `create table kept as select 1 as n`)
	// A busy backend does not notice that its server is gone, and a new server
	// beside it would ruin the data.
	busy := connect(t, s.URL())
	backend := int(busy.PgConn().PID())
	var wg sync.WaitGroup
	defer wg.Wait()
	wg.Go(func() {
		_, _ = busy.Exec(context.WithoutCancel(t.Context()), `do $$ begin loop null; end loop; end $$`)
	})
	eventually(t, "the backend is busy", func() bool {
		return queryOne[int](t, s.URL(), `select count(*) from pg_stat_activity where state = 'active' and query like 'do %'`) == 1
	})
	if err := syscall.Kill(s.PID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	waitFor(t, s.Done(), "the death of the server to be noticed")
	stop(t, s)

	again := start(t, Config{DataDir: dir})
	if n := queryOne[int](t, again.URL(), `select n from kept`); n != 1 {
		t.Errorf("n = %d, want 1", n)
	}
	if alive(backend) {
		t.Errorf("backend %d of the killed server still works beside the new one", backend)
	}
}

// TestStart_StalePID leaves a pid file as a crash does, whose pid by now is
// that of another process of the server's account: Postgres alone would not
// start.
func TestStart_StalePID(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	s := start(t, Config{DataDir: dir})
	stop(t, s)
	bystander, err := startProcess(binaries{dir: "/bin"}.command("sleep", s.dir, "600"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { bystander.signal(syscall.SIGKILL); <-bystander.done })
	text := strconv.Itoa(bystander.pid) + "\n" + s.dir.cluster() + "\n1700000000\n5432\n" + s.dir.socketDir + "\n\n"
	if err := os.WriteFile(pidFile(s.dir.cluster()), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(pidFile(s.dir.cluster()), s.dir.acct.uid, s.dir.acct.gid); err != nil {
		t.Fatal(err)
	}
	again := start(t, Config{DataDir: dir})
	if n := queryOne[int](t, again.URL(), `select 1`); n != 1 || bystander.ended() {
		t.Errorf("answer %d, bystander ended %v; want a server and a bystander unharmed", n, bystander.ended())
	}
}

func TestStart_LeftoverOfInterruptedInit(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	if err := os.MkdirAll(filepath.Join(dir, "pgdata.new", "base"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, lockName), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := start(t, Config{DataDir: dir})
	if n := queryOne[int](t, s.URL(), `select 1`); n != 1 {
		t.Error("no answer")
	}
}

// TestStart_AfterAFirstRunWithoutPostgres starts where a run failed that found
// no Postgres, after a package has brought the account postgres.
func TestStart_AfterAFirstRunWithoutPostgres(t *testing.T) {
	t.Parallel()
	const nobody = 65534
	for name, owner := range map[string]int{"whose account is kept": nobody, "and a second one as another account": 0} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := newDir(t)
			write(t, filepath.Join(dir, lockName), "")
			if err := os.Mkdir(filepath.Join(dir, "run"), 0o700); err != nil {
				t.Fatal(err)
			}
			give(t, filepath.Join(dir, "run"), nobody)
			give(t, filepath.Join(dir, lockName), nobody)
			give(t, dir, owner)
			s := start(t, Config{DataDir: dir})
			if n := queryOne[int](t, s.URL(), `select 1`); n != 1 {
				t.Error("no answer")
			}
			if os.Geteuid() == 0 && owner != 0 && s.dir.acct.uid != owner {
				t.Errorf("the server runs as uid %d, the first run was as %d", s.dir.acct.uid, owner)
			}
		})
	}
}

// TestStart_ChangesNothingWithoutTheLock: its owner may work there as another
// account.
func TestStart_ChangesNothingWithoutTheLock(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	lock, err := tryLock(filepath.Join(dir, lockName))
	if err != nil || lock == nil {
		t.Fatal(lock, err)
	}
	defer lock.Close()
	before, err := os.Stat(dir)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if s, err := Start(ctx, Config{DataDir: dir}); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("Start = %v, %v; want to wait for the owner of the lock", s, err)
	}
	after, err := os.Stat(dir)
	if err != nil {
		t.Fatal(err)
	}
	was, _ := ownerOf(before)
	is, _ := ownerOf(after)
	if after.Mode() != before.Mode() || is != was {
		t.Errorf("mode %v and owner %d are now %v and %d", before.Mode(), was, after.Mode(), is)
	}
}

func TestStart_LongPath(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(newDir(t), strings.Repeat("long", 30))
	s := start(t, Config{DataDir: dir, Ephemeral: true})
	if n := queryOne[int](t, s.URL(), `select 1`); n != 1 {
		t.Error("no answer")
	}
	stop(t, s)
	if _, err := os.Stat(s.dir.socketDir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("socket directory %s is left: %v", s.dir.socketDir, err)
	}
}

func TestStart_Refusals(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		prepare func(t *testing.T, dir string) Config
		want    string
	}{
		"a directory that is somebody else's": {
			prepare: func(t *testing.T, dir string) Config {
				write(t, filepath.Join(dir, "thesis.txt"), "years of work")
				return Config{}
			},
			want: "neither empty nor made by stepledger",
		},
		"a lock file that leads elsewhere": {
			prepare: func(t *testing.T, dir string) Config {
				write(t, filepath.Join(dir, "victim"), "keep")
				if err := os.Symlink("victim", filepath.Join(dir, lockName)); err != nil {
					t.Fatal(err)
				}
				return Config{}
			},
			want: "lock data directory",
		},
		"a cluster of a version that is not here": {
			prepare: func(t *testing.T, dir string) Config {
				write(t, filepath.Join(dir, lockName), "")
				write(t, filepath.Join(dir, "pgdata", "PG_VERSION"), "9\n")
				return Config{}
			},
			want: "written by postgres 9",
		},
		"a damaged cluster is not replaced": {
			prepare: func(t *testing.T, dir string) Config {
				write(t, filepath.Join(dir, lockName), "")
				write(t, filepath.Join(dir, "pgdata", "base", "1"), "data")
				return Config{}
			},
			want: "damaged",
		},
		"a setting the server does not take": {
			prepare: func(*testing.T, string) Config {
				return Config{Settings: map[string]string{"shared_buffers": "plenty"}}
			},
			want: `invalid value for parameter "shared_buffers"`,
		},
		"an ephemeral server on data": {
			prepare: func(t *testing.T, dir string) Config {
				write(t, filepath.Join(dir, lockName), "")
				write(t, filepath.Join(dir, "pgdata", "PG_VERSION"), "15\n")
				return Config{Ephemeral: true}
			},
			want: "holds data already",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := newDir(t)
			cfg := tt.prepare(t, dir)
			cfg.DataDir = dir
			before := files(t, dir)
			s, err := Start(t.Context(), cfg)
			skipWithoutPostgres(t, err)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Start = %v, %v; want an error with %q", s, err, tt.want)
			}
			for _, name := range before {
				if _, err := os.Stat(name); err != nil {
					t.Errorf("what was there is gone: %v", err)
				}
			}
		})
	}
}

func TestStart_CancelledLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	stop(t, start(t, Config{DataDir: dir}))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if s, err := Start(ctx, Config{DataDir: dir, Offline: true}); !errors.Is(err, context.Canceled) && !errors.Is(err, ErrNoPostgres) {
		t.Fatalf("Start = %v, %v; want the context's error", s, err)
	}
	if pid := serverIn(filepath.Join(dir, "pgdata")); pid != 0 {
		t.Errorf("server %d is running", pid)
	}
	start(t, Config{DataDir: dir})
}

func TestServer_Stop(t *testing.T) {
	t.Parallel()
	t.Run("is clean although clients are connected", func(t *testing.T) {
		t.Parallel()
		s := start(t, Config{DataDir: newDir(t)})
		conn := connect(t, s.URL())
		if _, err := conn.Exec(t.Context(), `begin; create table t (n int)`); err != nil {
			t.Fatal(err)
		}
		stop(t, s)
		stop(t, s)
		if _, err := os.Stat(pidFile(s.dir.cluster())); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("postmaster.pid is left: %v", err)
		}
		if log := read(t, s.dir.logFile()); !strings.Contains(log, "database system is shut down") {
			t.Errorf("no clean shutdown in the log:\n%s", log)
		}
		if alive(s.PID()) {
			t.Errorf("server %d lives", s.PID())
		}
	})
	t.Run("out of time ends the server at once and says so", func(t *testing.T) {
		t.Parallel()
		dir := newDir(t)
		s := start(t, Config{DataDir: dir})
		mustExec(t, s.URL(), `create table kept as select 1 as n`)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := s.Stop(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("Stop = %v, want the context's error", err)
		}
		waitFor(t, s.Done(), "the server's end")
		again := start(t, Config{DataDir: dir})
		if n := queryOne[int](t, again.URL(), `select n from kept`); n != 1 {
			t.Errorf("n = %d, want 1", n)
		}
	})
	t.Run("of an ephemeral server removes its directory", func(t *testing.T) {
		t.Parallel()
		s := start(t, Config{DataDir: newDir(t), Ephemeral: true})
		if got := queryOne[string](t, s.URL(), `select current_setting('fsync')`); got != "off" {
			t.Errorf("fsync = %s, want off", got)
		}
		stop(t, s)
		if _, err := os.Stat(s.dir.root); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("directory is left: %v", err)
		}
	})
}

func TestServer_Database(t *testing.T) {
	t.Parallel()
	s := start(t, Config{DataDir: newDir(t)})
	urls := make([]string, 4)
	var wg sync.WaitGroup
	for i := range urls {
		wg.Go(func() {
			var err error
			if urls[i], err = s.Database(t.Context(), `My "app"`); err != nil {
				t.Errorf("Database: %v", err)
			}
		})
	}
	wg.Wait()
	for _, url := range urls {
		if got := queryOne[string](t, url, `select current_database()`); got != `My "app"` {
			t.Errorf("connected to %q", got)
		}
	}
}

func TestRemoveAbandoned(t *testing.T) {
	t.Parallel()
	parent := newDir(t)
	running := start(t, Config{DataDir: filepath.Join(parent, "c-running"), Ephemeral: true})
	old := time.Now().Add(-time.Hour)
	for _, name := range []string{"c-old", "c-young", "other"} {
		write(t, filepath.Join(parent, name, "pgdata", "PG_VERSION"), "15\n")
	}
	for _, name := range []string{"c-old", "c-running", "other"} {
		if err := os.Chtimes(filepath.Join(parent, name), old, old); err != nil {
			t.Fatal(err)
		}
	}
	// Test processes all over this machine do the same, one at a time.
	eventually(t, "one directory is removed", func() bool {
		n, err := RemoveAbandoned(filepath.Join(parent, "c-*"))
		if err != nil || n > 1 {
			t.Fatalf("RemoveAbandoned = %d, %v; want the old one only", n, err)
		}
		return n == 1
	})
	left, _ := filepath.Glob(filepath.Join(parent, "*"))
	for i := range left {
		left[i] = filepath.Base(left[i])
	}
	if got := strings.Join(left, " "); got != "c-running c-young other" {
		t.Errorf("left: %s", got)
	}
	if n := queryOne[int](t, running.URL(), `select 1`); n != 1 {
		t.Error("the running server does not answer")
	}
}

func BenchmarkStart(b *testing.B) {
	b.Run("from nothing", func(b *testing.B) {
		for b.Loop() {
			s := start(b, Config{DataDir: newDir(b)})
			b.StopTimer()
			stop(b, s)
			b.StartTimer()
		}
	})
	b.Run("again", func(b *testing.B) {
		dir := newDir(b)
		stop(b, start(b, Config{DataDir: dir}))
		for b.Loop() {
			s := start(b, Config{DataDir: dir})
			b.StopTimer()
			stop(b, s)
			b.StartTimer()
		}
	})
}
