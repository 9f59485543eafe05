package postgres

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/eventstore/storetest"
	"github.com/stepledger/stepledger/internal/bouncertest"
)

// The contract holds through poolers that hand out a session for a transaction.
func TestStore_pooled(t *testing.T) {
	t.Parallel()
	shared := bouncertest.PgBouncer(t, database(t))
	for name, pooled := range map[string]func(t testing.TB, server string) string{
		"PgBouncer": func(t testing.TB, server string) string { return bouncertest.Through(t, shared, server) },
		"strict": func(t testing.TB, server string) string {
			p := bouncertest.NewStrict(t, server)
			t.Cleanup(func() {
				if left := p.Left(t); len(left) > 0 {
					t.Errorf("left in sessions of others: %q", left)
				}
			})
			return p.URL
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.Run(t, storetest.Subject{
				Name: "postgres",
				Open: func(t testing.TB) eventstore.Store {
					server := database(t)
					return open(t, pooled(t, server), Options{DirectURL: server, Timeout: patience})
				},
				Log:  func(t testing.TB) string { return pooled(t, database(t)) },
				Dial: dial,
			})
		})
	}
}

// Where there is no way to listen, others are heard of by the poll floor.
func TestWait_withoutListening(t *testing.T) {
	t.Parallel()
	server := database(t)
	url := bouncertest.PgBouncer(t, server)
	writer, reader := open(t, url, Options{}), open(t, url, Options{PollFloor: 20 * time.Millisecond})
	ctx, cancel := context.WithCancel(bounded(t))
	defer cancel()
	var waiting sync.WaitGroup
	heard := make(chan eventstore.Page, 1)
	waiting.Go(func() {
		for page, err := range reader.Subscribe(ctx, 0, eventstore.Filter{}) {
			if err == nil && len(page.Events) > 0 {
				heard <- page
				return
			}
		}
	})
	mustAppend(t, writer, "task-1", eventstore.NoStream, event())
	select {
	case <-heard:
	case <-ctx.Done():
		t.Error("nothing was heard of another process's append")
	}
	cancel()
	waiting.Wait()
}

// A pooler hands a connection on to another server without a word: the first append there
// begins its epoch, at the head as it was before.
func TestStore_pooledElsewhere(t *testing.T) {
	t.Parallel()
	server := database(t)
	s := open(t, bouncertest.NewStrict(t, server).URL, Options{DirectURL: server, Timeout: patience})
	mustAppend(t, s, "task-1", eventstore.NoStream, events(2)...)
	was, head := mustID(t, s), headOf(t, s)
	mustExec(t, connect(t, server), `update log.epoch set incarnation = 'another'`)
	mustAppend(t, s, "task-1", 1, events(2)...)
	now := mustID(t, s)
	past, err := s.Past(t.Context(), was)
	if eventstore.EpochNumber(now) != 2 || past != head || err != nil {
		t.Errorf("the log is %s, was %s; up to %d (%v) it is the same, want %d", now, was, past, err, head)
	}
	mustAppend(t, s, "task-1", 3, events(1)...)
	if again := mustID(t, s); again != now {
		t.Errorf("another epoch: %s", again)
	}
}
