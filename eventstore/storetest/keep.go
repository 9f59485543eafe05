package storetest

import (
	"testing"
	"time"

	"github.com/stepledger/stepledger/eventstore"
)

// wantVisible wants these events of "task-1" from every way of reading, and nothing else of
// the log.
func wantVisible(t testing.TB, s eventstore.Store, head int64, want ...eventstore.Proposed) {
	t.Helper()
	const stream = "task-1"
	forwards := mustRead(t, s, stream, eventstore.ReadOptions{})
	wantIDs(t, forwards.Events, want...)
	backwards := mustRead(t, s, stream, eventstore.ReadOptions{From: eventstore.End, Direction: eventstore.Backwards})
	if len(want) > 0 {
		wantIDs(t, backwards.Events, span(want, len(want)-1, 0)...)
	}
	if len(backwards.Events) != len(want) || forwards.Head != head || backwards.Head != head {
		t.Errorf("heads are %d and %d, want %d; %d events backwards, want %d",
			forwards.Head, backwards.Head, head, len(backwards.Events), len(want))
	}
	all, scanned := readOn(t, s, 0, 3, eventstore.Filter{})
	wantIDs(t, all, want...)
	if end, err := s.Head(t.Context()); err != nil || scanned != end {
		t.Errorf("scanned to %d, the head is %d, %v", scanned, end, err)
	}
}

func testRetention(t *testing.T, s suite) {
	s.each(t, map[string]func(*testing.T, eventstore.Store){
		"truncate before": func(t *testing.T, s eventstore.Store) {
			in := events(10)
			mustAppend(t, s, "task-1", eventstore.NoStream, in...)
			keep(t, s, eventstore.Retention{TruncateBefore: 4})
			wantVisible(t, s, 9, in[4:]...)
			keep(t, s, eventstore.Retention{TruncateBefore: 100})
			wantVisible(t, s, 9)
		},
		"max count moves with the stream": func(t *testing.T, s eventstore.Store) {
			in := events(10)
			keep(t, s, eventstore.Retention{MaxCount: 3})
			mustAppend(t, s, "task-1", eventstore.NoStream, in[:2]...)
			wantVisible(t, s, 1, in[:2]...)
			mustAppend(t, s, "task-1", 1, in[2:]...)
			wantVisible(t, s, 9, in[7:]...)
		},
		"an age not reached hides nothing": func(t *testing.T, s eventstore.Store) {
			in := events(3)
			mustAppend(t, s, "task-1", eventstore.NoStream, in...)
			keep(t, s, eventstore.Retention{MaxAge: time.Hour})
			wantVisible(t, s, 2, in...)
		},
		"the strictest limit holds, none keeps everything": func(t *testing.T, s eventstore.Store) {
			in := events(10)
			mustAppend(t, s, "task-1", eventstore.NoStream, in...)
			keep(t, s, eventstore.Retention{MaxCount: 8, TruncateBefore: 5, MaxAge: time.Hour})
			wantVisible(t, s, 9, in[5:]...)
			keep(t, s, eventstore.Retention{})
			wantVisible(t, s, 9, in...)
		},
		"a page ends where what is hidden begins": func(t *testing.T, s eventstore.Store) {
			in := events(10)
			mustAppend(t, s, "task-1", eventstore.NoStream, in...)
			keep(t, s, eventstore.Retention{TruncateBefore: 7})
			got := mustRead(t, s, "task-1", eventstore.ReadOptions{From: 8, Limit: 2, Direction: eventstore.Backwards})
			wantIDs(t, got.Events, in[8], in[7])
			if got.More {
				t.Error("there is more behind the last visible event")
			}
		},
		"hidden events still count as known and as revisions": func(t *testing.T, s eventstore.Store) {
			in, next := events(2), events(1)
			first := mustAppend(t, s, "task-1", eventstore.NoStream, in...)
			keep(t, s, eventstore.Retention{TruncateBefore: 2})
			if again := mustAppend(t, s, "task-1", eventstore.NoStream, in...); again != first {
				t.Errorf("receipt is %+v, want %+v", again, first)
			}
			mustAppend(t, s, "task-1", 1, next...)
			wantVisible(t, s, 2, next...)
		},
		"many hidden events are read over": func(t *testing.T, s eventstore.Store) {
			const old = 4 * eventstore.MaxPage
			in := events(3)
			appendMany(t, s, "task-1", old)
			mustAppend(t, s, "task-1", old-1, in...)
			for _, r := range []eventstore.Retention{{MaxCount: 3}, {TruncateBefore: old}} {
				keep(t, s, r)
				wantVisible(t, s, old+2, in...)
			}
		},
		"negative limits and bad names are refused": func(t *testing.T, s eventstore.Store) {
			wantInvalid(t, s.SetRetention(t.Context(), "task-1", eventstore.Retention{MaxCount: -1}))
			wantInvalid(t, s.SetRetention(t.Context(), "task-1", eventstore.Retention{MaxAge: -1}))
			wantInvalid(t, s.SetRetention(t.Context(), "task-1", eventstore.Retention{TruncateBefore: -1}))
			wantInvalid(t, s.SetRetention(t.Context(), "", eventstore.Retention{}))
			wantInvalid(t, s.Delete(t.Context(), "", eventstore.Any))
			wantInvalid(t, s.Tombstone(t.Context(), "task-1", -3))
		},
	})
}

func testAge(t *testing.T, s suite) {
	s.each(t, map[string]func(*testing.T, eventstore.Store){
		"an age reached hides": func(t *testing.T, s eventstore.Store) {
			mustAppend(t, s, "task-1", eventstore.NoStream, events(3)...)
			keep(t, s, eventstore.Retention{MaxAge: time.Microsecond})
			eventually(t, "the events have expired", func() bool {
				return len(mustRead(t, s, "task-1", eventstore.ReadOptions{}).Events) == 0
			})
			wantVisible(t, s, 2)
		},
		"many expired events are read over, to the first that is not": func(t *testing.T, s eventstore.Store) {
			const old = 4 * eventstore.MaxPage
			appendMany(t, s, "task-1", old)
			keep(t, s, eventstore.Retention{MaxAge: time.Second})
			eventually(t, "the old events have expired", func() bool {
				last := mustRead(t, s, "task-1", eventstore.ReadOptions{From: eventstore.End, Limit: 1, Direction: eventstore.Backwards})
				return len(last.Events) == 0
			})
			head, err := s.Head(t.Context())
			if all, scanned := readOn(t, s, 0, 0, eventstore.Filter{}); err != nil || len(all) > 0 || scanned != head {
				t.Errorf("%d events and the position %d from an expired log, want none and %d, %v", len(all), scanned, head, err)
			}
			eventually(t, "a fresh event is read before it expires too", func() bool {
				fresh := mustAppend(t, s, "task-1", eventstore.Any, events(1)...)
				slice := mustRead(t, s, "task-1", eventstore.ReadOptions{})
				return len(slice.Events) > 0 && slice.Events[len(slice.Events)-1].Revision == fresh.Revision && !slice.More
			})
		},
	})
}

func keep(t testing.TB, s eventstore.Keeper, r eventstore.Retention) {
	t.Helper()
	if err := s.SetRetention(t.Context(), "task-1", r); err != nil {
		t.Fatalf("set retention: %v", err)
	}
}

func testDelete(t *testing.T, s suite) {
	s.each(t, map[string]func(*testing.T, eventstore.Store){
		"hides what is there and goes on counting": func(t *testing.T, s eventstore.Store) {
			mustAppend(t, s, "task-1", eventstore.NoStream, events(3)...)
			if err := s.Delete(t.Context(), "task-1", 2); err != nil {
				t.Fatal(err)
			}
			wantVisible(t, s, 2)
			next := events(2)
			if r := mustAppend(t, s, "task-1", 2, next...); r.Revision != 4 {
				t.Errorf("revision is %d, want 4", r.Revision)
			}
			wantVisible(t, s, 4, next...)
		},
		"no retention brings deleted events back": func(t *testing.T, s eventstore.Store) {
			mustAppend(t, s, "task-1", eventstore.NoStream, events(3)...)
			if err := s.Delete(t.Context(), "task-1", eventstore.Any); err != nil {
				t.Fatal(err)
			}
			keep(t, s, eventstore.Retention{})
			wantVisible(t, s, 2)
		},
		"leaves the retention as it is": func(t *testing.T, s eventstore.Store) {
			mustAppend(t, s, "task-1", eventstore.NoStream, events(3)...)
			keep(t, s, eventstore.Retention{MaxCount: 1})
			if err := s.Delete(t.Context(), "task-1", eventstore.Any); err != nil {
				t.Fatal(err)
			}
			in := events(3)
			mustAppend(t, s, "task-1", 2, in...)
			wantVisible(t, s, 5, in[2])
		},
		"checks the expectation": func(t *testing.T, s eventstore.Store) {
			in := events(3)
			mustAppend(t, s, "task-1", eventstore.NoStream, in...)
			for _, expected := range []int64{eventstore.NoStream, 1, 3} {
				err := s.Delete(t.Context(), "task-1", expected)
				wantErr(t, err, &eventstore.WrongRevisionError{Stream: "task-1", Expected: expected, Actual: 2})
			}
			wantVisible(t, s, 2, in...)
		},
		"may be repeated, also where there is nothing": func(t *testing.T, s eventstore.Store) {
			for range 2 {
				if err := s.Delete(t.Context(), "task-1", eventstore.NoStream); err != nil {
					t.Fatal(err)
				}
			}
			in := events(1)
			mustAppend(t, s, "task-1", eventstore.NoStream, in...)
			wantVisible(t, s, 0, in...)
		},
	})
}

func testTombstone(t *testing.T, s suite) {
	s.each(t, map[string]func(*testing.T, eventstore.Store){
		"ends a stream for ever": func(t *testing.T, s eventstore.Store) {
			in := events(2)
			mustAppend(t, s, "task-1", eventstore.NoStream, in...)
			for range 2 {
				if err := s.Tombstone(t.Context(), "task-1", eventstore.Any); err != nil {
					t.Fatal(err)
				}
			}
			_, fresh := s.Append(t.Context(), "task-1", 1, events(1))
			_, repeat := s.Append(t.Context(), "task-1", eventstore.NoStream, in)
			deleted := s.Delete(t.Context(), "task-1", eventstore.Any)
			kept := s.SetRetention(t.Context(), "task-1", eventstore.Retention{})
			for _, err := range []error{fresh, repeat, deleted, kept} {
				wantErr(t, err, &eventstore.DeletedError{Stream: "task-1"})
			}
			wantVisible(t, s, 1)
		},
		"checks the expectation": func(t *testing.T, s eventstore.Store) {
			mustAppend(t, s, "task-1", eventstore.NoStream, events(2)...)
			for _, expected := range []int64{eventstore.NoStream, 0, 2} {
				err := s.Tombstone(t.Context(), "task-1", expected)
				wantErr(t, err, &eventstore.WrongRevisionError{Stream: "task-1", Expected: expected, Actual: 1})
			}
			mustAppend(t, s, "task-1", 1, events(1)...)
		},
		"forbids a stream that never was": func(t *testing.T, s eventstore.Store) {
			if err := s.Tombstone(t.Context(), "task-1", eventstore.NoStream); err != nil {
				t.Fatal(err)
			}
			_, err := s.Append(t.Context(), "task-1", eventstore.NoStream, events(1))
			wantErr(t, err, &eventstore.DeletedError{Stream: "task-1"})
		},
	})
}
