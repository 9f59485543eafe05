package pgembed

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"syscall"
	"time"
)

const (
	superuser = "postgres"

	// answerTimeout bounds the wait for a server that recovers, ends, or is
	// being started by another process. Recovery replays at most max_wal_size.
	answerTimeout = 60 * time.Second
	// pollEvery is how often readiness is tried; a warm start takes 30 ms.
	pollEvery = 5 * time.Millisecond
	// dialTimeout bounds one try.
	dialTimeout = 2 * time.Second
	// settleTime is longer than a killed process takes to let go of its lock.
	settleTime = 60 * time.Millisecond
	// immediateTimeout bounds the shutdown of a server that ignored the fast one.
	immediateTimeout = 10 * time.Second
)

// Config is where the server is kept and what Start may do.
type Config struct {
	// DataDir holds everything of the server: cluster, socket, log. It is
	// created when missing and must otherwise be empty or made by Start.
	// Empty means DefaultDataDir.
	DataDir string
	// Ephemeral trades durability for speed and makes Stop remove DataDir. For
	// tests: a crash of the machine loses or corrupts the data.
	Ephemeral bool
	// Settings are server settings, named and written as in postgresql.conf,
	// that win over the ones of this package.
	Settings map[string]string
	// Offline forbids fetching binaries when the machine has none.
	Offline bool
	// Log hears of slow or surprising steps; nil drops them.
	Log *slog.Logger
}

// Server is a running private Postgres. Its methods may be called from any
// goroutine.
type Server struct {
	dir       dataDir
	log       *slog.Logger
	ephemeral bool
	// Nil when another process owns the server.
	lock *os.File
	// What it was started with, to start it again.
	bins     binaries
	settings map[string]string

	mu   sync.Mutex // of what a restart replaces
	pid  int
	proc *process // nil when another process owns the server

	stop    sync.Once
	stopErr error
}

// Start returns a server that accepts connections on cfg.DataDir: the one
// that runs there already, else a new one, after creating the cluster when the
// directory has none. The context bounds the start, not the server's life.
//
// A machine without Postgres gives ErrNoPostgres unless it could be fetched.
func Start(ctx context.Context, cfg Config) (*Server, error) {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.DataDir == "" {
		cfg.DataDir = DefaultDataDir()
	}
	dir, err := openDataDir(cfg.DataDir)
	if err != nil {
		return nil, err
	}
	s, err := ownOrJoin(ctx, cfg, dir)
	if err != nil {
		return nil, fmt.Errorf("start postgres in %s: %w", dir.root, err)
	}
	return s, nil
}

// ownOrJoin becomes the owner of the directory, or waits for the server of
// the process that is. The owner may die meanwhile, so both are tried in turn;
// and it may be dying right now (kill -9 and start again, in one line), so a
// server is joined only once it has answered for a while.
func ownOrJoin(ctx context.Context, cfg Config, dir dataDir) (*Server, error) {
	deadline := time.Now().Add(answerTimeout)
	var answered time.Time // since when it has, without a miss
	for {
		lock, err := tryLock(dir.lockFile())
		if err != nil {
			return nil, err
		}
		if lock != nil {
			s, err := own(ctx, cfg, dir, lock)
			if err != nil {
				lock.Close()
			}
			return s, err
		}
		pid, ok := dir.announced()
		switch {
		case !ok || dir.answers(ctx) != nil:
			answered = time.Time{}
		case answered.IsZero():
			answered = time.Now()
		case time.Since(answered) > settleTime:
			cfg.Log.Info("using the private postgres of another process", "dir", dir.root, "pid", pid)
			return &Server{dir: dir, pid: pid, log: cfg.Log}, nil
		}
		if time.Now().After(deadline) {
			return nil, errors.New("another process holds this directory but its server does not answer")
		}
		if err := pause(ctx, 4*pollEvery); err != nil {
			return nil, err
		}
	}
}

// own runs the server under the lock of its directory.
func own(ctx context.Context, cfg Config, dir dataDir, lock *os.File) (*Server, error) {
	dir, err := dir.claim(lock)
	if err != nil {
		return nil, err
	}
	if err := endOrphan(ctx, dir.cluster(), cfg.Log); err != nil {
		return nil, err
	}
	major, err := dir.major()
	if err != nil {
		return nil, err
	}
	if cfg.Ephemeral && major != 0 {
		return nil, errors.New("an ephemeral server removes its directory, and this one holds data already")
	}
	bins, err := findBinaries(ctx, thisMachine(dir.acct), major, cfg)
	if err != nil {
		return nil, err
	}
	if major == 0 {
		if err := createCluster(ctx, bins, dir, cfg.Ephemeral); err != nil {
			return nil, err
		}
	}
	s := &Server{dir: dir, log: cfg.Log, ephemeral: cfg.Ephemeral, lock: lock, bins: bins, settings: settings(cfg, dir)}
	return s, s.launch(ctx)
}

// launch starts the server's process and says so in the directory.
func (s *Server) launch(ctx context.Context) error {
	proc, err := launch(ctx, s.bins, s.dir, s.settings)
	if err != nil {
		return err
	}
	if err := s.dir.announce(s.lock, proc.pid); err != nil {
		proc.endAtOnce()
		return err
	}
	s.proc, s.pid = proc, proc.pid
	s.log.Info("private postgres is up", "dir", s.dir.root, "pid", s.pid, "version", s.bins.major)
	return nil
}

// PID is the process id of the server.
func (s *Server) PID() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.pid
}

// Owned reports whether this process started the server, so that Stop ends it. A
// server that is not owned ends with its owner.
func (s *Server) Owned() bool { return s.process() != nil }

// Done returns a channel that is closed when the server has ended for any reason;
// after a Restart it is another. It is nil, and so never ready, for a server another
// process owns.
func (s *Server) Done() <-chan struct{} {
	if p := s.process(); p != nil {
		return p.done
	}
	return nil
}

func (s *Server) process() *process {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.proc
}

// Restart restarts a server that has ended by itself, with its data and URL, and
// returns when it accepts connections. It does nothing if the server runs. It must
// not be called concurrently with Stop.
func (s *Server) Restart(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.proc == nil:
		return errors.New("restart postgres: another process owns it")
	case !s.proc.ended():
		return nil
	}
	s.log.Warn("private postgres has ended, starting it again", "pid", s.pid, "reason", s.proc.err)
	if err := endOrphan(ctx, s.dir.cluster(), s.log); err != nil {
		return fmt.Errorf("restart postgres: %w", err)
	}
	if err := s.launch(ctx); err != nil {
		return fmt.Errorf("restart postgres: %w", err)
	}
	return nil
}

// Stop disconnects every client, shuts the server down cleanly and gives the
// directory free. It does nothing to a server another process owns; called
// again it returns what it returned before. When ctx ends first the server is
// stopped at once (what was acknowledged stays; the next start recovers) and
// the context's error returned.
func (s *Server) Stop(ctx context.Context) error {
	if s.process() == nil {
		return nil
	}
	s.stop.Do(func() {
		if !s.ephemeral {
			s.stopErr = s.end(ctx, syscall.SIGINT)
		} else {
			// No use for the checkpoint of a clean shutdown.
			s.stopErr = errors.Join(s.end(ctx, syscall.SIGQUIT), s.dir.remove())
		}
		s.lock.Close()
	})
	return s.stopErr
}

func (s *Server) end(ctx context.Context, sig syscall.Signal) error {
	p := s.process()
	p.signal(sig)
	select {
	case <-p.done:
		return nil
	case <-ctx.Done():
	}
	s.log.Warn("postgres does not stop in time, ending it at once", "pid", p.pid)
	p.endAtOnce()
	return fmt.Errorf("stop postgres: %w", ctx.Err())
}
