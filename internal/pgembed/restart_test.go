package pgembed

import (
	"syscall"
	"testing"
)

func TestRestart(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	s := start(t, Config{DataDir: dir})
	guest := start(t, Config{DataDir: dir})
	url, first := s.URL(), s.PID()
	mustExec(t, url, `create table kept as select 1 as n`)
	if err := s.Restart(t.Context()); err != nil || s.PID() != first {
		t.Fatalf("one that runs: %v, pid %d", err, s.PID())
	}
	if err := guest.Restart(t.Context()); err == nil {
		t.Error("a guest started it")
	}
	for range 2 {
		killed := s.PID()
		if err := syscall.Kill(killed, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		waitFor(t, s.Done(), "the death of the server to be noticed")
		if err := s.Restart(t.Context()); err != nil {
			t.Fatal(err)
		}
		if s.PID() == killed || s.URL() != url || !alive(s.PID()) {
			t.Errorf("pid %d, URL %s", s.PID(), s.URL())
		}
		if n := queryOne[int](t, url, `select n from kept`); n != 1 {
			t.Errorf("n = %d, want 1", n)
		}
	}
	if another := start(t, Config{DataDir: dir}); another.Owned() || another.PID() != s.PID() {
		t.Errorf("another finds pid %d, owned %t; want pid %d", another.PID(), another.Owned(), s.PID())
	}
	stop(t, s)
	if alive(s.PID()) {
		t.Error("it was not stopped")
	}
}
