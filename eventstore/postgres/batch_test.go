package postgres

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/eventstore"
)

func TestQueue_take(t *testing.T) {
	t.Parallel()
	r := func(stream string, events, bytes int) *request {
		return &request{stream: stream, events: make([]eventstore.Proposed, events), bytes: bytes}
	}
	left := r("e", 1, 1)
	left.left = true
	for name, c := range map[string]struct {
		waiting []*request
		batches [][]string
	}{
		"all that wait go together":          {[]*request{r("a", 1, 1), r("b", 2, 1), r("c", 1, 1)}, [][]string{{"a", "b", "c"}}},
		"one to a stream":                    {[]*request{r("a", 1, 1), r("a", 1, 1), r("b", 1, 1), r("a", 1, 1)}, [][]string{{"a", "b"}, {"a"}, {"a"}}},
		"too many events":                    {[]*request{r("a", 600, 1), r("b", 600, 1), r("c", 1, 1)}, [][]string{{"a"}, {"b", "c"}}},
		"too many bytes":                     {[]*request{r("a", 1, 3<<20), r("b", 1, 3<<20)}, [][]string{{"a"}, {"b"}}},
		"one too large goes alone":           {[]*request{r("a", 9000, 1), r("b", 1, 1)}, [][]string{{"a"}, {"b"}}},
		"what is deferred takes no room":     {[]*request{r("a", 600, 1), r("a", 600, 1), r("b", 300, 1)}, [][]string{{"a", "b"}, {"a"}}},
		"those whose caller left are not in": {[]*request{r("a", 1, 1), left, r("b", 1, 1)}, [][]string{{"a", "b"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			q := newQueue()
			for _, r := range c.waiting {
				q.put(r)
			}
			var got [][]string
			for range c.batches {
				var batch []string
				taken := q.take()
				for _, r := range taken {
					batch = append(batch, r.stream)
				}
				q.release(taken...)
				got = append(got, batch)
			}
			if diff := cmp.Diff(c.batches, got); diff != "" || len(q.waiting) != 0 {
				t.Errorf("batches (-want +got):\n%s%d are left", diff, len(q.waiting))
			}
		})
	}
}

// gather holds the lock while the requests of f, each to another stream, come
// together behind a first append. It returns when f's calls have.
func gather(t *testing.T, s *Store, url string, requests int, f func()) {
	t.Helper()
	holder := connect(t, url)
	mustExec(t, holder, "begin")
	mustExec(t, holder, lockSQL)
	var calls sync.WaitGroup
	calls.Go(func() {
		if _, err := s.Append(bounded(t), "first", eventstore.Any, events(1)); err != nil {
			t.Errorf("append: %v", err)
		}
	})
	waitForLock(t, holder)
	calls.Go(f)
	eventually(t, "the requests wait together", func() bool { return s.queue.outstanding() == requests+1 })
	mustExec(t, holder, "rollback")
	calls.Wait()
}

// outstanding counts the requests that wait or are under way.
func (q *queue) outstanding() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.waiting) + len(q.underway)
}

func TestBatch_outcomesAreEachsOwn(t *testing.T) {
	t.Parallel()
	url := database(t)
	s := open(t, url, Options{Timeout: patience})
	old := events(2)
	moved := events(2)
	for stream, in := range map[string][]eventstore.Proposed{"old": old, "stale": events(2), "ended": events(2), "moved": moved} {
		if _, err := s.Append(t.Context(), stream, eventstore.NoStream, in); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Tombstone(t.Context(), "ended", 1); err != nil {
		t.Fatal(err)
	}
	shared := event()
	cases := []struct {
		stream   string
		expected int64
		events   []eventstore.Proposed
		err      error
		revision int64
	}{
		{"new-1", eventstore.NoStream, events(1), nil, 0},
		{"old", eventstore.NoStream, old, nil, 1},
		{"stale", 0, events(1), &eventstore.WrongRevisionError{Stream: "stale", Expected: 0, Actual: 1}, 0},
		{"ended", eventstore.Any, events(1), &eventstore.DeletedError{Stream: "ended"}, 0},
		{"moved", eventstore.Any, []eventstore.Proposed{event(), moved[1]}, &eventstore.IDConflictError{Stream: "moved", ID: moved[1].ID}, 0},
		{"new-2", eventstore.Any, events(3), nil, 2},
		{"shares-1", eventstore.Any, []eventstore.Proposed{shared}, nil, 0},
		{"shares-2", eventstore.Any, []eventstore.Proposed{shared}, nil, 0},
	}
	receipts, errs := make([]eventstore.Receipt, len(cases)), make([]error, len(cases))
	gather(t, s, url, len(cases), func() {
		var callers sync.WaitGroup
		for i, c := range cases {
			eventually(t, "the one before has queued up", func() bool { return s.queue.outstanding() == i+1 })
			callers.Go(func() { receipts[i], errs[i] = s.Append(bounded(t), c.stream, c.expected, c.events) })
		}
		callers.Wait()
	})
	for i, c := range cases {
		if diff := cmp.Diff(c.err, errs[i]); diff != "" {
			t.Errorf("%s: error (-want +got):\n%s", c.stream, diff)
		}
		if c.err == nil && receipts[i].Revision != c.revision {
			t.Errorf("%s: revision is %d, want %d", c.stream, receipts[i].Revision, c.revision)
		}
	}
}

func TestBatch_fewTransactionsForManyCallers(t *testing.T) {
	t.Parallel()
	url := database(t)
	var batches atomic.Int64
	s := open(t, url, Options{Timeout: patience, Hook: func(point string) {
		if point == "append.committed" {
			batches.Add(1)
		}
	}})
	const callers = 40
	gather(t, s, url, callers, func() {
		var all sync.WaitGroup
		for i := range callers {
			all.Go(func() {
				if _, err := s.Append(bounded(t), fmt.Sprintf("task-%d", i), eventstore.NoStream, events(1)); err != nil {
					t.Errorf("append: %v", err)
				}
			})
		}
		all.Wait()
	})
	if got := batches.Load(); got > 8 {
		t.Errorf("%d transactions for %d appends", got, 1+callers)
	}
}

func TestAppend_callerLeaves(t *testing.T) {
	t.Parallel()
	url := database(t)
	s := open(t, url, Options{Timeout: patience})
	holder := connect(t, url)
	mustExec(t, holder, "begin")
	mustExec(t, holder, lockSQL)

	ctx, cancel := context.WithCancel(t.Context())
	waitingCtx, withdraw := context.WithCancel(t.Context())
	alone, waiting := event(), event()
	errs := make([]error, 2)
	var callers, withdrawn sync.WaitGroup
	callers.Go(func() {
		_, errs[0] = s.Append(ctx, "alone", eventstore.NoStream, []eventstore.Proposed{alone})
	})
	waitForLock(t, holder)
	withdrawn.Go(func() {
		_, errs[1] = s.Append(waitingCtx, "waiting", eventstore.NoStream, []eventstore.Proposed{waiting})
	})
	eventually(t, "the second waits", func() bool {
		s.queue.mu.Lock()
		defer s.queue.mu.Unlock()
		return len(s.queue.waiting) == 1
	})
	withdraw()
	withdrawn.Wait()
	cancel()
	callers.Wait() // though the lock is still held
	for i, err := range errs {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("caller %d was told %v, want context.Canceled", i, err)
		}
	}
	mustExec(t, holder, "rollback")
	last := event()
	if _, err := s.Append(bounded(t), "last", eventstore.NoStream, []eventstore.Proposed{last}); err != nil {
		t.Fatal(err)
	}
	// The one that had been sent may have taken place, once; its caller repeats it
	// and learns of it. The one that waited has not.
	receipt, err := s.Append(bounded(t), "alone", eventstore.NoStream, []eventstore.Proposed{alone})
	if err != nil || receipt.Revision != 0 {
		t.Errorf("repeated: %+v, %v", receipt, err)
	}
	slice, err := s.ReadStream(bounded(t), "waiting", eventstore.ReadOptions{})
	if err != nil || slice.Head != eventstore.NoRevision {
		t.Errorf("what was withdrawn is at %d, %v", slice.Head, err)
	}
}

func TestQueue_lead(t *testing.T) {
	t.Parallel()
	r := func() *request { return &request{stream: "a", events: make([]eventstore.Proposed, 1)} }
	q := newQueue()
	first := r()
	if !q.lead(first) {
		t.Fatal("a lone append does not run at once")
	}
	if q.lead(r()) {
		t.Error("two run at once")
	}
	q.put(r())
	taken := make(chan []*request)
	go func() { taken <- q.take() }()
	q.release(first)
	batch := <-taken
	if len(batch) != 1 {
		t.Fatalf("the lane took %d", len(batch))
	}
	if q.lead(r()) {
		t.Error("one runs beside the lane")
	}
	q.release(batch...)
	q.put(r())
	if q.lead(r()) {
		t.Error("one overtakes another that waits")
	}
}
