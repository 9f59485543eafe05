package storetest

import (
	"testing"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/eventstore"
)

func testEpoch(t *testing.T, s suite) {
	s.each(t, map[string]func(*testing.T, eventstore.Store){
		"of the present id the past is the whole log": func(t *testing.T, s eventstore.Store) {
			id := idOf(t, s)
			for range 2 {
				last := mustAppend(t, s, "task-1", eventstore.Any, events(2)...)
				wantGoesOn(t, s, id, last.Position, true)
				wantGoesOn(t, s, id, last.Position+farAhead, false)
			}
		},
		"of another log nothing is past": func(t *testing.T, s eventstore.Store) {
			mustAppend(t, s, "task-1", eventstore.Any, events(2)...)
			for _, id := range []string{"", domain.NewUUID(), idOf(t, s) + ".2.0123456789abcdef"} {
				wantGoesOn(t, s, id, 1, false)
				wantGoesOn(t, s, id, 0, true) // who has nothing has nothing to lose
			}
		},
		"an epoch goes on with what was before it": func(t *testing.T, s eventstore.Store) {
			first := idOf(t, s)
			before := mustAppend(t, s, "task-1", eventstore.Any, events(2)...)
			second := mustBegin(t, s)
			after := mustAppend(t, s, "task-1", before.Revision, events(2)...)
			third := mustBegin(t, s)
			last := mustAppend(t, s, "task-1", after.Revision, events(2)...)
			wantGoesOn(t, s, first, before.Position, true)
			wantGoesOn(t, s, first, after.Position, false)
			wantGoesOn(t, s, second, after.Position, true)
			wantGoesOn(t, s, second, last.Position, false)
			wantGoesOn(t, s, third, last.Position, true)
			if first == second || second == third || first == third {
				t.Errorf("the epochs are named %q, %q, %q", first, second, third)
			}
			for i, id := range []string{first, second, third} {
				if n := eventstore.EpochNumber(id); n != i+1 {
					t.Errorf("%q is epoch %d, want %d", id, n, i+1)
				}
			}
		},
		"what is read or added says of which epoch it is": func(t *testing.T, s eventstore.Store) {
			for range 3 {
				in := events(1)
				added, repeated := mustAppend(t, s, "task-1", eventstore.Any, in...), mustAppend(t, s, "task-1", eventstore.Any, in...)
				id := idOf(t, s)
				if added.Log != id || repeated != added {
					t.Errorf("the receipt is %+v and, repeated, %+v, of %q", added, repeated, id)
				}
				for name, read := range reads(t, s) {
					if of := read(); of != id {
						t.Errorf("%s is of %q, want %q", name, of, id)
					}
				}
				mustBegin(t, s)
			}
		},
	})
}

// farAhead is further than a store's own notes reach, which may count as positions.
const farAhead = 1 << 40

// reads are the ways of reading a log; each gives the log it was told of.
func reads(t *testing.T, s eventstore.Store) map[string]func() string {
	slice := func(stream string, o eventstore.ReadOptions) func() string {
		return func() string {
			read, err := s.ReadStream(t.Context(), stream, o)
			if err != nil {
				t.Fatal(err)
			}
			return read.Log
		}
	}
	page := func(after int64) func() string {
		return func() string {
			read, err := s.ReadAll(t.Context(), after, 0, eventstore.Filter{})
			if err != nil {
				t.Fatal(err)
			}
			return read.Log
		}
	}
	return map[string]func() string{
		"a stream":                             slice("task-1", eventstore.ReadOptions{}),
		"a stream from where there is nothing": slice("task-1", eventstore.ReadOptions{From: 99}),
		"a stream backwards":                   slice("task-1", eventstore.ReadOptions{From: eventstore.End, Direction: eventstore.Backwards}),
		"a stream of nothing":                  slice("task-2", eventstore.ReadOptions{}),
		"a page":                               page(0),
		"a page of nothing":                    page(headOf(t, s)),
	}
}

func headOf(t testing.TB, s eventstore.Store) int64 {
	t.Helper()
	head, err := s.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return head
}

func idOf(t testing.TB, s eventstore.Store) string {
	t.Helper()
	id, err := s.ID(t.Context())
	if err != nil || id == "" {
		t.Fatalf("the id is %q, %v", id, err)
	}
	return id
}

func mustBegin(t testing.TB, s eventstore.Store) string {
	t.Helper()
	id, err := s.BeginEpoch(t.Context())
	if err != nil || id != idOf(t, s) {
		t.Fatalf("begun %q, %v; the id is %q", id, err, idOf(t, s))
	}
	return id
}

func wantGoesOn(t testing.TB, s eventstore.Store, id string, position int64, want bool) {
	t.Helper()
	now, ok, err := eventstore.GoesOn(t.Context(), s, id, position)
	if err != nil || ok != want || now != idOf(t, s) {
		t.Errorf("a follower of %q at %d goes on: %v as %q, %v; want %v", id, position, ok, now, err, want)
	}
}
