package esdb_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/eventstore/esdb"
	"github.com/stepledger/stepledger/eventstore/esdbtest"
)

// patience bounds the waits of these tests.
const patience = 30 * time.Second

func open(t testing.TB, url string, o esdb.Options) *esdb.Store {
	t.Helper()
	s, err := esdb.Open(t.Context(), url, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func event() eventstore.Proposed {
	id := uuid.NewString()
	return eventstore.Proposed{
		ID: id, Type: "test.happened.v1",
		Data: fmt.Appendf(nil, `{"n":%q}`, id), Meta: eventstore.Metadata{Tenant: "t1"}.Encode(),
	}
}

func events(n int) []eventstore.Proposed {
	out := make([]eventstore.Proposed, n)
	for i := range out {
		out[i] = event()
	}
	return out
}

func mustAppend(t testing.TB, s eventstore.Log, stream string, expected int64, events ...eventstore.Proposed) eventstore.Receipt {
	t.Helper()
	r, err := s.Append(bounded(t), stream, expected, events)
	if err != nil {
		t.Fatalf("append to %s: %v", stream, err)
	}
	return r
}

func mustRead(t testing.TB, s eventstore.Log, stream string) eventstore.Slice {
	t.Helper()
	slice, err := s.ReadStream(bounded(t), stream, eventstore.ReadOptions{})
	if err != nil {
		t.Fatalf("read %s: %v", stream, err)
	}
	return slice
}

// bounded is a context that ends when patience does.
func bounded(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

// eventually waits, without sleeping longer than need be, until a condition holds.
func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	ctx := bounded(t)
	for !holds() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("waited %v in vain until %s", patience, what)
		}
	}
}

func wantUnavailable(t testing.TB, err error) {
	t.Helper()
	var u *eventstore.UnavailableError
	if !errors.As(err, &u) {
		t.Errorf("error is %v (%T), want *UnavailableError", err, err)
	}
}

func wantInvalid(t testing.TB, err error) {
	t.Helper()
	var i *eventstore.InvalidError
	if !errors.As(err, &i) {
		t.Errorf("error is %v (%T), want *InvalidError", err, err)
	}
}

// wantOnce wants each of these events in the log exactly once, and no others.
func wantOnce(t testing.TB, s eventstore.Feed, want ...eventstore.Proposed) {
	t.Helper()
	count := make(map[string]int)
	for after := int64(0); ; {
		p, err := s.ReadAll(bounded(t), after, 0, eventstore.Filter{})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range p.Events {
			count[e.ID]++
		}
		if p.Scanned == after {
			break
		}
		after = p.Scanned
	}
	for _, e := range want {
		if count[e.ID] != 1 {
			t.Errorf("event %s is in the log %d times", e.ID, count[e.ID])
		}
	}
	if len(count) != len(want) {
		t.Errorf("%d events in the log, want %d", len(count), len(want))
	}
}

// storm appends from many writers until stopped, each to a stream of its own. It
// gives what was acknowledged, and how many appends were given up.
type storm struct {
	s       eventstore.Log
	stop    chan struct{}
	writers sync.WaitGroup
	count   atomic.Int64

	mu      sync.Mutex
	acked   []eventstore.Proposed
	givenUp []error
}

func startStorm(s eventstore.Log, writers int) *storm {
	st := &storm{s: s, stop: make(chan struct{})}
	for w := range writers {
		st.writers.Go(func() { st.write(fmt.Sprintf("task-%d", w)) })
	}
	return st
}

func (st *storm) write(stream string) {
	for head := eventstore.NoStream; ; {
		select {
		case <-st.stop:
			return
		default:
		}
		in := events(2)
		r, err := st.s.Append(context.Background(), stream, head, in)
		st.mu.Lock()
		if err == nil {
			st.acked = append(st.acked, in...)
			st.count.Add(1)
			head = r.Revision
		} else {
			st.givenUp = append(st.givenUp, err)
		}
		st.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// goOn waits until the storm has got so many more appends through.
func (st *storm) goOn(t testing.TB, appends int64) {
	t.Helper()
	target := st.count.Load() + appends
	eventually(t, "appends go through", func() bool { return st.count.Load() >= target })
}

func (st *storm) end(t testing.TB) {
	t.Helper()
	close(st.stop)
	st.writers.Wait()
	if len(st.givenUp) > 0 {
		t.Errorf("%d appends were given up, the first: %v", len(st.givenUp), st.givenUp[0])
	}
}

func portOf(s *esdbtest.Server) int {
	_, text, _ := net.SplitHostPort(s.Addr())
	port, _ := strconv.Atoi(text)
	return port
}
