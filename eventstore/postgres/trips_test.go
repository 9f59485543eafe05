package postgres

import (
	"fmt"
	"testing"

	"github.com/stepledger/stepledger/eventstore"
)

// What a caller waits for is how often it goes to the server and back.
func TestRoundTrips(t *testing.T) {
	t.Parallel()
	p := newProxy(t, database(t))
	s := open(t, p.url, Options{PollFloor: never, NotifyEvery: -1, Readers: 1})
	in := events(400)
	mustAppend(t, s, "task-1", eventstore.NoStream, in...)
	for range 6 {
		mustAppend(t, s, "usage-1", eventstore.Any, events(1_000)...)
	}
	next := eventstore.NoRevision

	read := func(o eventstore.ReadOptions, want int) func() error {
		return func() error {
			slice, err := s.ReadStream(t.Context(), "task-1", o)
			if err == nil && len(slice.Events) != want {
				err = fmt.Errorf("%d events, want %d", len(slice.Events), want)
			}
			return err
		}
	}
	page := func(after int64, limit int, f eventstore.Filter) func() error {
		return func() error {
			_, err := s.ReadAll(t.Context(), after, limit, f)
			return err
		}
	}
	appendSome := func(n int) func() error {
		return func() error {
			r, err := s.Append(t.Context(), "task-2", next, events(n))
			next = r.Revision
			return err
		}
	}
	sessions := 0
	appendAlong := func() error {
		sessions++
		r, err := s.AppendAlong(t.Context(), "task-2", next, events(2), Along{
			Statements: []Statement{{SQL: `select 1`}, {SQL: `select 2`}},
			Beside:     []Beside{{Stream: fmt.Sprintf("session-%d", sessions), At: eventstore.NoStream, Events: events(1)}},
		})
		next = r.Revision
		return err
	}
	cases := []struct {
		name string
		call func() error
	}{
		{"the state of a stream of 400 events at its end", read(eventstore.ReadOptions{}, 400)},
		{"its state at an earlier revision", read(eventstore.ReadOptions{Limit: 171}, 171)},
		{"a page from the middle", read(eventstore.ReadOptions{From: 200, Limit: 50}, 50)},
		{"a page backwards", read(eventstore.ReadOptions{From: eventstore.End, Limit: 50, Direction: eventstore.Backwards}, 50)},
		{"a page of the log", page(0, 0, eventstore.Filter{})},
		{"a page in the middle of the log", page(5_000, 1_000, eventstore.Filter{})},
		{"a page of a category", page(0, 0, eventstore.Filter{Categories: []string{"usage"}})},
		{"a page where nothing matches", page(0, 0, eventstore.Filter{Types: []string{"test.never.v1"}})},
		{"an append of one event", appendSome(1)},
		{"an append of 100 events", appendSome(100)},
		{"an append with statements and another stream", appendAlong},
	}
	// The first time a statement is prepared, which is a round trip more.
	for _, isPrepared := range []bool{false, true} {
		for _, c := range cases {
			before := p.trips()
			if err := c.call(); err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			if got := p.trips() - before; isPrepared && got != 1 {
				t.Errorf("%s takes %d round trips", c.name, got)
			}
		}
	}
}
