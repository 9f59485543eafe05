package storetest

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/eventstore"
)

// sample is what sampleLog has appended: in order, by category, by type and by
// both.
type sample struct {
	all  []eventstore.Proposed
	of   map[string][]eventstore.Proposed
	last eventstore.Receipt
}

// sampleLog is a log of several categories and types.
func sampleLog(t testing.TB, s suite) (eventstore.Store, sample) {
	t.Helper()
	store, out := s.Open(t), sample{of: make(map[string][]eventstore.Proposed)}
	streams := []string{"task-1", "usage-1", "task-2", "session"}
	for i := range 40 {
		stream, in := streams[i%len(streams)], events(3)
		out.last = mustAppend(t, store, stream, eventstore.Any, in...)
		out.all = append(out.all, in...)
		category := eventstore.Category(stream)
		for _, e := range in {
			for _, key := range []string{e.Type, category, category + e.Type} {
				out.of[key] = append(out.of[key], e)
			}
		}
	}
	return store, out
}

func testResume(t *testing.T, s suite) {
	store, in := sampleLog(t, s)
	for name, f := range map[string]eventstore.Filter{
		"of all events": {},
		"of some":       {Categories: []string{"task"}, Types: []string{"test.happened1.v1"}},
	} {
		t.Run("after any event "+name, func(t *testing.T) {
			t.Parallel()
			whole, _ := readOn(t, store, 0, 0, f)
			for i, e := range whole {
				rest, _ := readOn(t, store, e.Position, 50, f)
				if diff := cmp.Diff(recordedIDs(whole[i+1:]), recordedIDs(rest)); diff != "" {
					t.Fatalf("after %d (-want +got):\n%s", e.Position, diff)
				}
			}
		})
		t.Run("after any page "+name, func(t *testing.T) {
			t.Parallel()
			whole, _ := readOn(t, store, 0, 0, f)
			for limit := 1; limit < 8; limit++ {
				p, err := store.ReadAll(t.Context(), 0, limit, f)
				if err != nil {
					t.Fatal(err)
				}
				rest, _ := readOn(t, store, p.Scanned, 0, f)
				if diff := cmp.Diff(whole, append(p.Events, rest...)); diff != "" {
					t.Fatalf("a page of %d and what is after %d (-want +got):\n%s", limit, p.Scanned, diff)
				}
			}
		})
	}
	t.Run("beyond the head is nothing", func(t *testing.T) {
		t.Parallel()
		for _, after := range []int64{in.last.Position, in.last.Position + 7, 1<<63 - 1} {
			p, err := store.ReadAll(t.Context(), after, 10, eventstore.Filter{})
			if err != nil || len(p.Events) != 0 || p.Scanned != after {
				t.Errorf("after %d: %+v, %v", after, p, err)
			}
		}
	})
	t.Run("bad questions are refused", func(t *testing.T) {
		t.Parallel()
		_, negative := store.ReadAll(t.Context(), -1, 10, eventstore.Filter{})
		_, large := store.ReadAll(t.Context(), 0, eventstore.MaxPage+1, eventstore.Filter{})
		_, name := store.ReadAll(t.Context(), 0, 1, eventstore.Filter{Types: []string{"a\x00"}})
		for _, err := range []error{negative, large, name} {
			wantInvalid(t, err)
		}
	})
}

func testHead(t *testing.T, s suite) {
	s.each(t, map[string]func(*testing.T, eventstore.Store){
		"of an empty log is 0": func(t *testing.T, s eventstore.Store) {
			if head, err := s.Head(t.Context()); err != nil || head != 0 {
				t.Errorf("head is %d, %v", head, err)
			}
		},
		"is where the last append came to stand": func(t *testing.T, s eventstore.Store) {
			for _, stream := range []string{"task-1", "task-2", "task-1"} {
				last := mustAppend(t, s, stream, eventstore.Any, events(2)...)
				if head, err := s.Head(t.Context()); err != nil || head != last.Position {
					t.Errorf("head is %d, %v, want %d", head, err, last.Position)
				}
			}
		},
		"stands beside the id of the log, which does not change": func(t *testing.T, s eventstore.Store) {
			id, err := s.ID(t.Context())
			mustAppend(t, s, "task-1", eventstore.NoStream, events(1)...)
			again, _ := s.ID(t.Context())
			if err != nil || id == "" || id != again {
				t.Errorf("id is %q, then %q, %v", id, again, err)
			}
		},
	})
}
