package postgres

import (
	"context"
	"testing"
	"time"

	"github.com/stepledger/stepledger/eventstore"
)

// never is a poll floor that no test reaches.
const never = time.Hour

func TestWait(t *testing.T) {
	t.Parallel()
	appendOne := func(t *testing.T, s *Store) {
		t.Helper()
		if _, err := s.Append(bounded(t), "task-1", eventstore.Any, events(1)); err != nil {
			t.Fatal(err)
		}
	}
	// wake appends while Wait is under way and wants it to come back.
	wake := func(t *testing.T, waiter, writer *Store) {
		t.Helper()
		after := headOf(t, waiter)
		woken := make(chan error, 1)
		go func() { woken <- waitBeyond(bounded(t), waiter, after) }()
		appendOne(t, writer)
		if err := <-woken; err != nil {
			t.Error(err)
		}
	}
	t.Run("wakes on appends of its own process", func(t *testing.T) {
		t.Parallel()
		s := open(t, database(t), Options{PollFloor: never, NotifyEvery: -1})
		for range 20 {
			wake(t, s, s)
		}
	})
	t.Run("wakes on appends of other processes", func(t *testing.T) {
		t.Parallel()
		url := database(t)
		waiter, writer := open(t, url, Options{PollFloor: never}), open(t, url, Options{})
		for range 20 {
			wake(t, waiter, writer)
		}
	})
	t.Run("goes on when notifications get lost", func(t *testing.T) {
		t.Parallel()
		url := database(t)
		waiter, writer := open(t, url, Options{PollFloor: 20 * time.Millisecond}), open(t, url, Options{NotifyEvery: -1})
		for range 3 {
			wake(t, waiter, writer)
		}
	})
	t.Run("listens again when its connection is lost", func(t *testing.T) {
		t.Parallel()
		url := database(t)
		waiter, writer, killer := open(t, url, Options{PollFloor: never}), open(t, url, Options{}), connect(t, url)
		wake(t, waiter, writer)
		mustExec(t, killer, `
			select pg_terminate_backend(pid) from pg_stat_activity
			where datname = current_database() and pid <> pg_backend_pid()`)
		wake(t, waiter, writer)
		wake(t, waiter, writer)
	})
}

// waitBeyond is how a reader waits: until it finds something.
func waitBeyond(ctx context.Context, s *Store, after int64) error {
	for {
		if err := s.Wait(ctx, after); err != nil {
			return err
		}
		if head, err := s.Head(ctx); err != nil || head > after {
			return err
		}
	}
}
