package esdb_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/eventstore/esdb"
	"github.com/stepledger/stepledger/eventstore/esdbtest"
)

// follower collects what a subscription hands it, over all trouble.
type follower struct {
	got     chan eventstore.Recorded
	trouble chan error
	scanned chan int64 // the newest only
}

func follow(ctx context.Context, s eventstore.Subscriber, f eventstore.Filter) *follower {
	out := &follower{make(chan eventstore.Recorded, 10_000), make(chan error, 1000), make(chan int64, 1)}
	go func() {
		for p, err := range s.Subscribe(ctx, 0, f) {
			if err != nil {
				out.trouble <- err
				continue
			}
			for _, e := range p.Events {
				out.got <- e
			}
			select {
			case <-out.scanned:
			default:
			}
			out.scanned <- p.Scanned
		}
	}()
	return out
}

// want takes as many events as there are and wants these, in order, none twice.
func (f *follower) want(t testing.TB, events []eventstore.Proposed) {
	t.Helper()
	ctx := bounded(t)
	for i, e := range events {
		select {
		case got := <-f.got:
			if got.ID != e.ID {
				t.Fatalf("event %d is %s at %d, want %s", i, got.ID, got.Position, e.ID)
			}
		case <-ctx.Done():
			t.Fatalf("%d of %d events came", i, len(events))
		}
	}
}

func TestSubscribe_resumesWhenDropped(t *testing.T) {
	t.Parallel()
	node := esdbtest.Start(t, esdbtest.Options{})
	s := open(t, node.URL(), esdb.Options{Timeout: 500 * time.Millisecond, PollFloor: 20 * time.Millisecond})
	f := follow(t.Context(), s, eventstore.Filter{})
	var all []eventstore.Proposed
	appendSome := func() {
		for i := range 5 {
			in := events(3)
			mustAppend(t, s, fmt.Sprintf("task-%d", i), eventstore.Any, in...)
			all = append(all, in...)
		}
	}
	for messages := range 6 {
		node.FailNext("Read", esdbtest.DropAfter(messages))
		appendSome()
	}
	node.FailAll("Read", esdbtest.Unavailable())
	select {
	case err := <-f.trouble:
		wantUnavailable(t, err)
	case <-bounded(t).Done():
		t.Fatal("no trouble was told")
	}
	node.Heal()
	node.Restart()
	appendSome()
	f.want(t, all)
}

func TestSubscribe_serverThatNeverConfirms(t *testing.T) {
	t.Parallel()
	node := esdbtest.Start(t, esdbtest.Options{})
	s := open(t, node.URL(), esdb.Options{Timeout: 300 * time.Millisecond, PollFloor: 20 * time.Millisecond})
	f := follow(t.Context(), s, eventstore.Filter{})
	node.FailAll("Read", esdbtest.Hang())
	in := events(3)
	mustAppendUnseen(t, s, in)
	node.Heal()
	f.want(t, in)
}

// mustAppendUnseen appends while nothing can be read: what is in the log cannot be
// compared, so the append is unknown to its caller, and stands.
func mustAppendUnseen(t *testing.T, s *esdb.Store, in []eventstore.Proposed) {
	t.Helper()
	_, err := s.Append(bounded(t), "task-1", eventstore.NoStream, in)
	wantUnavailable(t, err)
}

func TestSubscribe_followsTheLeader(t *testing.T) {
	t.Parallel()
	first := esdbtest.Start(t, esdbtest.Options{})
	second := esdbtest.Start(t, esdbtest.Options{Joins: first})
	third := esdbtest.Start(t, esdbtest.Options{Joins: first})
	s := open(t, first.ClusterURL(), esdb.Options{Timeout: 2 * time.Second})
	tasks := follow(t.Context(), s, eventstore.Filter{Categories: []string{"task"}})
	var all []eventstore.Proposed
	for _, n := range []*esdbtest.Server{first, second, third} {
		in := events(4)
		eventually(t, "an append goes through", func() bool {
			_, err := s.Append(bounded(t), "task-"+in[0].ID, eventstore.NoStream, in)
			return err == nil
		})
		all = append(all, in...)
		n.Stop()
		n.Restart()
	}
	tasks.want(t, all)
}

func TestSubscribe_passesOverWhatIsLeftOut(t *testing.T) {
	t.Parallel()
	node := esdbtest.Start(t, esdbtest.Options{})
	s := open(t, node.URL(), esdb.Options{Timeout: 300 * time.Millisecond})
	f := follow(t.Context(), s, eventstore.Filter{Categories: []string{"task"}})
	for range 3 {
		last := mustAppend(t, s, "usage-1", eventstore.Any, events(7)...)
		mustAppend(t, s, "taskforce-1", eventstore.Any, events(1)...) // of the server's filter, not of ours
		eventually(t, "the position has moved", func() bool {
			select {
			case at := <-f.scanned:
				return at > last.Position
			default:
				return false
			}
		})
		in := events(1)
		mustAppend(t, s, "task-1", eventstore.Any, in...)
		f.want(t, in)
	}
}

func TestSubscribeStream_resumesWhenDropped(t *testing.T) {
	t.Parallel()
	node := esdbtest.Start(t, esdbtest.Options{})
	s := open(t, node.URL(), esdb.Options{Timeout: 500 * time.Millisecond, PollFloor: 20 * time.Millisecond})
	ctx, stop := context.WithCancel(bounded(t))
	defer stop()
	got := make(chan eventstore.Recorded, 1000)
	go func() {
		for slice, err := range s.SubscribeStream(ctx, "task-1", 0) {
			if errors.Is(err, context.Canceled) {
				return
			}
			for _, e := range slice.Events {
				got <- e
			}
		}
	}()
	want := int64(0)
	for messages := range 5 {
		node.FailNext("Read", esdbtest.DropAfter(messages))
		for range 3 {
			mustAppend(t, s, "task-1", want-1, events(1)...)
			select {
			case e := <-got:
				if e.Revision != want {
					t.Fatalf("revision is %d, want %d", e.Revision, want)
				}
			case <-ctx.Done():
				t.Fatalf("revision %d never came", want)
			}
			want++
		}
	}
}

func TestSubscribeStream_ofAnEndedStreamWaits(t *testing.T) {
	t.Parallel()
	node := esdbtest.Start(t, esdbtest.Options{})
	s := open(t, node.URL(), esdb.Options{PollFloor: 5 * time.Millisecond})
	mustAppend(t, s, "task-1", eventstore.NoStream, events(2)...)
	if err := s.Tombstone(t.Context(), "task-1", eventstore.Any); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer stop()
	before := node.Calls("Read")
	for slice, err := range s.SubscribeStream(ctx, "task-1", 0) {
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %+v, %v", slice, err)
		}
	}
	if n := node.Calls("Read") - before; n > 60 {
		t.Errorf("it asked %d times", n)
	}
}

func TestWait(t *testing.T) {
	t.Parallel()
	const never = time.Hour
	// wake appends while Wait is under way and wants it to come back.
	wake := func(t *testing.T, waiter, writer *esdb.Store) {
		t.Helper()
		after, err := waiter.Head(bounded(t))
		if err != nil {
			t.Fatal(err)
		}
		woken := make(chan error, 1)
		go func() { woken <- waitBeyond(bounded(t), waiter, after) }()
		mustAppend(t, writer, "task-1", eventstore.Any, events(1)...)
		if err := <-woken; err != nil {
			t.Error(err)
		}
	}
	t.Run("wakes on appends of its own process", func(t *testing.T) {
		t.Parallel()
		s := open(t, esdbtest.Start(t, esdbtest.Options{}).URL(), esdb.Options{PollFloor: never})
		for range 20 {
			wake(t, s, s)
		}
	})
	t.Run("wakes on appends of others", func(t *testing.T) {
		t.Parallel()
		url := esdbtest.Start(t, esdbtest.Options{}).URL()
		waiter, writer := open(t, url, esdb.Options{PollFloor: never}), open(t, url, esdb.Options{})
		for range 20 {
			wake(t, waiter, writer)
		}
	})
	t.Run("subscribes again when the node has been away", func(t *testing.T) {
		t.Parallel()
		node := esdbtest.Start(t, esdbtest.Options{})
		waiter, writer := open(t, node.URL(), esdb.Options{PollFloor: never}), open(t, node.URL(), esdb.Options{})
		wake(t, waiter, writer)
		node.Restart()
		wake(t, waiter, writer)
		wake(t, waiter, writer)
	})
}

// waitBeyond is how a reader waits: until it finds something.
func waitBeyond(ctx context.Context, s *esdb.Store, after int64) error {
	for {
		if err := s.Wait(ctx, after); err != nil {
			return err
		}
		if head, err := s.Head(ctx); err != nil || head > after {
			return err
		}
	}
}
