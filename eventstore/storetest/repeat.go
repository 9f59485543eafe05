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
			s := s.open(t)
			mustAppend(t, s, "task-1", eventstore.NoStream, events(2)...)
			repeatedly(t, s, expected, 3)
		})
	}
	t.Run("with no stream", func(t *testing.T) {
		t.Parallel()
		repeatedly(t, s.open(t), eventstore.NoStream, 1)
	})
	t.Run("with another expectation it is a wrong revision", func(t *testing.T) {
		t.Parallel()
		s, in := s.open(t), events(1)
		mustAppend(t, s, "task-1", eventstore.NoStream, in...)
		_, err := s.Append(t.Context(), "task-1", 0, in)
		wantErr(t, err, &eventstore.WrongRevisionError{Stream: "task-1", Expected: 0, Actual: 0})
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
		needs  Feature
		change func(again []eventstore.Proposed) (stream string, expected int64, out []eventstore.Proposed)
		clash  int // which of the events is named
	}{
		"another body": {BodyComparison, func(again []eventstore.Proposed) (string, int64, []eventstore.Proposed) {
			again[1].Data = []byte(`{"other":true}`)
			return "task-1", eventstore.NoStream, again
		}, 1},
		"other white space": {BodyComparison, func(again []eventstore.Proposed) (string, int64, []eventstore.Proposed) {
			again[1].Data = append([]byte(" "), again[1].Data...)
			return "task-1", eventstore.NoStream, again
		}, 1},
		"other metadata": {BodyComparison, func(again []eventstore.Proposed) (string, int64, []eventstore.Proposed) {
			again[0].Meta = []byte(`{}`)
			return "task-1", eventstore.Any, again
		}, 0},
		"another type": {BodyComparison, func(again []eventstore.Proposed) (string, int64, []eventstore.Proposed) {
			again[2].Type = "test.differed.v1"
			return "task-1", eventstore.NoStream, again
		}, 2},
		"another stream": {GlobalIDs, func(again []eventstore.Proposed) (string, int64, []eventstore.Proposed) {
			return "task-2", eventstore.NoStream, again
		}, 0},
		"another order": {BodyComparison, func(again []eventstore.Proposed) (string, int64, []eventstore.Proposed) {
			again[1], again[2] = again[2], again[1]
			return "task-1", eventstore.NoStream, again
		}, 0},
		"a new event before known ones": {BodyComparison, func(again []eventstore.Proposed) (string, int64, []eventstore.Proposed) {
			return "task-1", eventstore.Any, append(events(1), again...)
		}, 0},
		"a new event after known ones": {BodyComparison, func(again []eventstore.Proposed) (string, int64, []eventstore.Proposed) {
			return "task-1", eventstore.NoStream, append(again, events(1)...)
		}, 0},
		"one left out in the middle": {BodyComparison, func(again []eventstore.Proposed) (string, int64, []eventstore.Proposed) {
			return "task-1", eventstore.NoStream, []eventstore.Proposed{again[0], again[2]}
		}, 0},
	} {
		if !s.has(c.needs) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, in := s.open(t), events(3)
			mustAppend(t, s, "task-1", eventstore.NoStream, in...)
			stream, expected, again := c.change(append([]eventstore.Proposed(nil), in...))
			_, err := s.Append(t.Context(), stream, expected, again)
			wantErr(t, err, &eventstore.IDConflictError{Stream: stream, ID: in[c.clash].ID})
			all, _ := readOn(t, s, 0, 100, eventstore.Filter{})
			wantIDs(t, all, in...)
		})
	}
}
