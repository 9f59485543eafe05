package storetest

import (
	"testing"

	"github.com/stepledger/stepledger/eventstore"
)

func testRepeat(t *testing.T, s suite) {
	for name, expected := range map[string]int64{
		"with an exact revision": 1,
		"with any":               eventstore.Any,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := s.Open(t)
			mustAppend(t, s, "task-1", eventstore.NoStream, events(2)...)
			repeatedly(t, s, expected, 3)
		})
	}
	t.Run("with no stream", func(t *testing.T) {
		t.Parallel()
		repeatedly(t, s.Open(t), eventstore.NoStream, 1)
	})
	t.Run("with another expectation it is a wrong revision", func(t *testing.T) {
		t.Parallel()
		s, in := s.Open(t), events(2)
		mustAppend(t, s, "task-1", eventstore.NoStream, in...)
		mustAppend(t, s, "task-1", 1, events(1)...)
		for _, expected := range []int64{0, 1} {
			_, err := s.Append(t.Context(), "task-1", expected, in)
			wantErr(t, err, &eventstore.WrongRevisionError{Stream: "task-1", Expected: expected, Actual: 2})
		}
		if head := mustRead(t, s, "task-1", eventstore.ReadOptions{}).Head; head != 2 {
			t.Errorf("head is %d, want 2", head)
		}
	})
	t.Run("from the middle, with the expectation that puts it there", func(t *testing.T) {
		t.Parallel()
		s, in := s.Open(t), events(4)
		r := mustAppend(t, s, "task-1", eventstore.NoStream, in...)
		want := eventstore.Receipt{Revision: 2, Position: mustRead(t, s, "task-1", eventstore.ReadOptions{}).Events[2].Position, Log: r.Log}
		for _, expected := range []int64{0, eventstore.Any} {
			if got := mustAppend(t, s, "task-1", expected, in[1:3]...); got != want {
				t.Errorf("expected %d: receipt is %+v, want %+v of an append that ended at %+v", expected, got, want, r)
			}
		}
	})
}

// repeatedly appends the same two events time and again, with others in between.
func repeatedly(t *testing.T, s eventstore.Store, expected, revision int64) {
	t.Helper()
	in := events(2)
	first := mustAppend(t, s, "task-1", expected, in...)
	if first.Revision != revision {
		t.Fatalf("revision is %d, want %d", first.Revision, revision)
	}
	for round := range 3 {
		if again := mustAppend(t, s, "task-1", expected, in...); again != first {
			t.Fatalf("round %d: receipt is %+v, the first was %+v", round, again, first)
		}
		mustAppend(t, s, "task-1", eventstore.Any, events(1)...)
		mustAppend(t, s, "task-2", eventstore.Any, events(1)...)
	}
	if head := mustRead(t, s, "task-1", eventstore.ReadOptions{}).Head; head != revision+3 {
		t.Errorf("head is %d, want %d", head, revision+3)
	}
}

func testIDConflict(t *testing.T, s suite) {
	for name, c := range map[string]struct {
		change func(again []eventstore.Proposed) (stream string, expected int64, out []eventstore.Proposed)
		clash  int // which of the events is named
	}{
		"another body": {func(again []eventstore.Proposed) (string, int64, []eventstore.Proposed) {
			again[1].Data = []byte(`{"other":true}`)
			return "task-1", eventstore.NoStream, again
		}, 1},
		"other white space": {func(again []eventstore.Proposed) (string, int64, []eventstore.Proposed) {
			again[1].Data = append([]byte(" "), again[1].Data...)
			return "task-1", eventstore.NoStream, again
		}, 1},
		"other metadata": {func(again []eventstore.Proposed) (string, int64, []eventstore.Proposed) {
			again[0].Meta = []byte(`{}`)
			return "task-1", eventstore.Any, again
		}, 0},
		"another type": {func(again []eventstore.Proposed) (string, int64, []eventstore.Proposed) {
			again[2].Type = "test.differed.v1"
			return "task-1", eventstore.NoStream, again
		}, 2},
		"another order": {func(again []eventstore.Proposed) (string, int64, []eventstore.Proposed) {
			again[1], again[2] = again[2], again[1]
			return "task-1", eventstore.NoStream, again
		}, 0},
		"a new event after known ones, with any": {func(again []eventstore.Proposed) (string, int64, []eventstore.Proposed) {
			return "task-1", eventstore.Any, append(again, events(1)...)
		}, 0},
		"a new event after known ones": {func(again []eventstore.Proposed) (string, int64, []eventstore.Proposed) {
			return "task-1", eventstore.NoStream, append(again, events(1)...)
		}, 0},
		"one left out in the middle": {func(again []eventstore.Proposed) (string, int64, []eventstore.Proposed) {
			return "task-1", eventstore.NoStream, []eventstore.Proposed{again[0], again[2]}
		}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, in := s.Open(t), events(3)
			mustAppend(t, s, "task-1", eventstore.NoStream, in...)
			stream, expected, again := c.change(append([]eventstore.Proposed(nil), in...))
			_, err := s.Append(t.Context(), stream, expected, again)
			wantErr(t, err, &eventstore.IDConflictError{Stream: stream, ID: in[c.clash].ID})
			all, _ := readOn(t, s, 0, 100, eventstore.Filter{})
			wantIDs(t, all, in...)
		})
	}
}

func testIDMoved(t *testing.T, s suite) {
	s.each(t, map[string]func(*testing.T, eventstore.Store){
		"to the end of the stream": func(t *testing.T, s eventstore.Store) {
			in := events(2)
			mustAppend(t, s, "task-1", eventstore.NoStream, in...)
			_, err := s.Append(t.Context(), "task-1", 1, in)
			wantErr(t, err, &eventstore.WrongRevisionError{Stream: "task-1", Expected: 1, Actual: 1})
			wantIDs(t, mustRead(t, s, "task-1", eventstore.ReadOptions{}).Events, in...)
		},
		"of another stream, repeated with any": func(t *testing.T, s eventstore.Store) {
			in := events(2)
			mustAppend(t, s, "task-1", eventstore.NoStream, in...)
			there := mustAppend(t, s, "task-2", eventstore.Any, in...)
			if again := mustAppend(t, s, "task-2", eventstore.Any, in...); again != there {
				t.Errorf("receipt is %+v, want %+v", again, there)
			}
		},
		"behind a new event": func(t *testing.T, s eventstore.Store) {
			in := events(3)
			mustAppend(t, s, "task-1", eventstore.NoStream, in...)
			for _, expected := range []int64{2, eventstore.Any} {
				_, err := s.Append(t.Context(), "task-1", expected, append(events(1), in...))
				wantErr(t, err, &eventstore.IDConflictError{Stream: "task-1", ID: in[0].ID})
			}
			wantIDs(t, mustRead(t, s, "task-1", eventstore.ReadOptions{}).Events, in...)
		},
	})
}

// An id in one stream and then in another: whatever is repeated gets the answer it
// got the first time, and the log does not grow.
func testIDElsewhere(t *testing.T, s suite) {
	s.each(t, map[string]func(*testing.T, eventstore.Store){
		"however often": func(t *testing.T, s eventstore.Store) {
			in := events(2)
			here := mustAppend(t, s, "task-1", eventstore.NoStream, in...)
			other := events(1)
			mustAppend(t, s, "task-2", eventstore.NoStream, other...)
			there := mustAppend(t, s, "task-2", 0, in...)
			if here == there || there.Revision != 2 {
				t.Fatalf("receipts are %+v and %+v", here, there)
			}
			for range 2 {
				if again := mustAppend(t, s, "task-1", eventstore.NoStream, in...); again != here {
					t.Errorf("receipt is %+v, want %+v", again, here)
				}
				if again := mustAppend(t, s, "task-2", 0, in...); again != there {
					t.Errorf("receipt is %+v, want %+v", again, there)
				}
			}
			all, _ := readOn(t, s, 0, 100, eventstore.Filter{})
			wantIDs(t, all, append(append(append([]eventstore.Proposed(nil), in...), other...), in...)...)
		},
	})
}
