package postgres

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/internal/pgembed"
	"github.com/stepledger/stepledger/internal/pgtest"
)

// storm appends from many writers until stopped. It gives what was acknowledged,
// and what ended in an error, which may or may not be in the log.
type storm struct {
	s       *Store
	stop    chan struct{}
	writers sync.WaitGroup
	count   atomic.Int64

	mu             sync.Mutex
	acked, unknown []eventstore.Proposed
}

func startStorm(s *Store, writers int) *storm {
	st := &storm{s: s, stop: make(chan struct{})}
	for w := range writers {
		st.writers.Go(func() { st.write(fmt.Sprintf("task-%d", w)) })
	}
	return st
}

func (st *storm) write(stream string) {
	for {
		select {
		case <-st.stop:
			return
		default:
		}
		in := events(2)
		_, err := st.s.Append(context.Background(), stream, eventstore.Any, in)
		st.mu.Lock()
		if err == nil {
			st.acked = append(st.acked, in...)
			st.count.Add(1)
		} else {
			st.unknown = append(st.unknown, in...)
		}
		st.mu.Unlock()
	}
}

// goOn waits until the storm has got so many more appends through.
func (st *storm) goOn(t testing.TB, appends int64) {
	t.Helper()
	target := st.count.Load() + appends
	eventually(t, "appends go through again", func() bool { return st.count.Load() >= target })
}

func (st *storm) end() {
	close(st.stop)
	st.writers.Wait()
}

func TestTerminatedBackends(t *testing.T) {
	t.Parallel()
	url := database(t)
	s, killer := open(t, url, Options{Timeout: patience}), connect(t, url)
	st := startStorm(s, 8)
	for range 10 {
		st.goOn(t, 20)
		mustExec(t, killer, `
			select pg_terminate_backend(pid) from pg_stat_activity
			where datname = current_database() and pid <> pg_backend_pid()`)
	}
	st.goOn(t, 20)
	st.end()
	if len(st.unknown) > 0 {
		t.Errorf("%d events were given up, though the server was there", len(st.unknown))
	}
	wantOnce(t, s, st.acked)
}

// The server goes away under load in every way it can, at random moments, and comes
// back on the same data.
func TestServerRestart(t *testing.T) {
	t.Parallel()
	dir := pgtest.ServerDir(t)
	server := pgtest.StartServer(t, dir)
	url := server.URL()
	if err := Migrate(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	s := open(t, url, Options{Timeout: patience})
	st, f := startStorm(s, 8), startFollower(t, s)
	for round := range 15 {
		st.goOn(t, 1+rand.Int64N(100))
		switch round % 3 {
		case 0: // in good order
			if err := server.Stop(bounded(t)); err != nil {
				t.Fatal(err)
			}
		case 1: // a crash: no shutdown, what is not on the disk is gone
			signal(t, server, syscall.SIGQUIT)
		case 2: // its sessions notice by and by that they are orphans
			signal(t, server, syscall.SIGKILL)
		}
		server = pgtest.StartServer(t, dir)
	}
	st.goOn(t, 50)
	st.end()
	if len(st.unknown) > 0 {
		t.Errorf("%d events were given up, though the server came back in time", len(st.unknown))
	}
	wantOnce(t, s, st.acked)
	f.wantAll(t, s)
}

// signal ends a server by a signal.
func signal(t testing.TB, server *pgembed.Server, sig syscall.Signal) {
	t.Helper()
	if err := syscall.Kill(server.PID(), sig); err != nil {
		t.Fatal(err)
	}
	<-server.Done()
	_ = server.Stop(bounded(t)) // gives the directory free
}

func TestStuckLock(t *testing.T) {
	t.Parallel()
	url := database(t)
	const timeout = 400 * time.Millisecond
	s, stuck := open(t, url, Options{Timeout: timeout}), connect(t, url)
	mustExec(t, stuck, "begin")
	mustExec(t, stuck, lockSQL)

	in := events(2)
	var callers sync.WaitGroup
	for i := range 5 {
		callers.Go(func() {
			began := time.Now()
			_, err := s.Append(bounded(t), fmt.Sprintf("task-%d", i), eventstore.NoStream, events(1))
			wantUnavailable(t, err)
			if took := time.Since(began); took < timeout/4 || took > patience/2 {
				t.Errorf("the answer took %v, the timeout is %v", took, timeout)
			}
		})
	}
	callers.Wait()
	wantUnavailable(t, s.Delete(t.Context(), "task-1", eventstore.Any))
	if _, err := s.ReadStream(t.Context(), "task-1", eventstore.ReadOptions{}); err != nil {
		t.Errorf("reads do not wait for writers: %v", err)
	}
	mustExec(t, stuck, "rollback")
	eventually(t, "the store has recovered by itself", func() bool {
		_, err := s.Append(bounded(t), "task-x", eventstore.NoStream, in)
		return err == nil
	})
	wantOnce(t, s, in)
}

func wantUnavailable(t testing.TB, err error) {
	t.Helper()
	var u *eventstore.UnavailableError
	if !errors.As(err, &u) {
		t.Errorf("error is %v (%T), want *UnavailableError", err, err)
	}
}

func TestUnreachable(t *testing.T) {
	t.Parallel()
	const nowhere = "postgres://nobody@127.0.0.1:1/none"
	_, err := Open(t.Context(), nowhere, Options{Timeout: 200 * time.Millisecond})
	wantUnavailable(t, err)
	if err := Migrate(t.Context(), nowhere); err == nil {
		t.Error("migrated a database that is not there")
	}
	if _, err := Open(t.Context(), "postgres://%zz", Options{}); err == nil {
		t.Error("opened a url that is none")
	}
}

func TestClosed(t *testing.T) {
	t.Parallel()
	s := open(t, database(t), Options{Timeout: 200 * time.Millisecond})
	s.Close()
	s.Close()
	_, err := s.Append(t.Context(), "task-1", eventstore.Any, events(1))
	wantUnavailable(t, err)
	_, err = s.ReadStream(t.Context(), "task-1", eventstore.ReadOptions{})
	wantUnavailable(t, err)
}

func TestDurability(t *testing.T) {
	t.Parallel()
	url := database(t)
	c := connect(t, url)
	mustExec(t, c, `do $$ begin execute format('alter database %I set synchronous_commit = off', current_database()); end $$`)
	s := open(t, url, Options{})
	var got string
	if err := s.writers.QueryRow(t.Context(), `show synchronous_commit`).Scan(&got); err != nil || got != "on" {
		t.Errorf("appends commit with synchronous_commit = %s, %v, want on", got, err)
	}
}
