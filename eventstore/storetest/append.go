package storetest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/eventstore"
)

func testAppend(t *testing.T, s suite) {
	s.each(t, map[string]func(*testing.T, eventstore.Store){
		"revisions count from 0 and positions ascend": func(t *testing.T, s eventstore.Store) {
			first := mustAppend(t, s, "task-1", eventstore.NoStream, events(2)...)
			other := mustAppend(t, s, "task-2", eventstore.NoStream, events(1)...)
			second := mustAppend(t, s, "task-1", 1, events(3)...)
			if first.Revision != 1 || other.Revision != 0 || second.Revision != 4 {
				t.Errorf("revisions are %d, %d and %d, want 1, 0 and 4", first.Revision, other.Revision, second.Revision)
			}
			if first.Position < 2 || other.Position <= first.Position || second.Position < other.Position+3 {
				t.Errorf("positions are %d, %d and %d", first.Position, other.Position, second.Position)
			}
		},
		"what comes back is what went in, in its place": func(t *testing.T, s eventstore.Store) {
			in := events(2)
			r := mustAppend(t, s, "task-1", eventstore.NoStream, in...)
			slice := mustRead(t, s, "task-1", eventstore.ReadOptions{})
			if len(slice.Events) != 2 || slice.Head != 1 || slice.Position != r.Position || slice.More {
				t.Fatalf("slice is %+v", slice)
			}
			for i, e := range slice.Events {
				if e.RecordedAt.IsZero() || e.RecordedAt.Location().String() != "UTC" {
					t.Errorf("event %d was recorded at %v", i, e.RecordedAt)
				}
				want := eventstore.Recorded{
					ID: in[i].ID, Stream: "task-1", Type: in[i].Type, Revision: int64(i),
					Position: e.Position, RecordedAt: e.RecordedAt, Data: in[i].Data, Meta: in[i].Meta,
				}
				if diff := cmp.Diff(want, e); diff != "" {
					t.Errorf("event %d (-want +got):\n%s", i, diff)
				}
			}
			if first, last := slice.Events[0].Position, slice.Events[1].Position; first < 1 || first >= last || last != r.Position {
				t.Errorf("positions are %d and %d, the receipt says %d", first, last, r.Position)
			}
			if got := slice.Events[0].Metadata().Tenant; got != "t1" {
				t.Errorf("tenant is %q, want t1", got)
			}
		},
		"a stale or early expectation is refused with the head": func(t *testing.T, s eventstore.Store) {
			mustAppend(t, s, "task-1", eventstore.NoStream, events(3)...)
			for _, expected := range []int64{eventstore.NoStream, 0, 1, 3, 1 << 40} {
				_, err := s.Append(t.Context(), "task-1", expected, events(1))
				wantErr(t, err, &eventstore.WrongRevisionError{Stream: "task-1", Expected: expected, Actual: 2})
			}
			_, err := s.Append(t.Context(), "task-2", 0, events(1))
			wantErr(t, err, &eventstore.WrongRevisionError{Stream: "task-2", Expected: 0, Actual: eventstore.NoRevision})
			if got := mustRead(t, s, "task-1", eventstore.ReadOptions{}).Head; got != 2 {
				t.Errorf("head is %d after refusals, want 2", got)
			}
		},
		"any expects nothing": func(t *testing.T, s eventstore.Store) {
			for want := range int64(3) {
				if r := mustAppend(t, s, "task-1", eventstore.Any, events(1)...); r.Revision != want {
					t.Errorf("revision is %d, want %d", r.Revision, want)
				}
			}
		},
	})
}

func testRace(t *testing.T, s suite) {
	const writers = 16
	// race starts all writers at once and returns how each fared.
	race := func(append func(i int) error) []error {
		errs := make([]error, writers)
		start := make(chan struct{})
		var wg sync.WaitGroup
		for i := range writers {
			wg.Go(func() {
				<-start
				errs[i] = append(i)
			})
		}
		close(start)
		wg.Wait()
		return errs
	}
	s.each(t, map[string]func(*testing.T, eventstore.Store){
		"of racing writers exactly one wins, all of it": func(t *testing.T, s eventstore.Store) {
			ctx := bounded(t)
			for _, expected := range []int64{eventstore.NoStream, 2, 5} {
				errs := race(func(int) error {
					_, err := s.Append(ctx, "task-1", expected, events(3))
					return err
				})
				won := 0
				for _, err := range errs {
					switch {
					case err == nil:
						won++
					case !eventstore.IsWrongRevision(err):
						t.Errorf("a loser was told %v", err)
					}
				}
				if won != 1 {
					t.Errorf("%d of %d writers won at %d, want 1", won, writers, expected)
				}
			}
			if got := len(mustRead(t, s, "task-1", eventstore.ReadOptions{}).Events); got != 9 {
				t.Errorf("%d events, want 9", got)
			}
		},
		"the same append from many at once happens once": func(t *testing.T, s eventstore.Store) {
			ctx, in := bounded(t), events(2)
			receipts := make([]eventstore.Receipt, writers)
			errs := race(func(i int) (err error) {
				receipts[i], err = s.Append(ctx, "task-1", eventstore.NoStream, in)
				return err
			})
			if err := errors.Join(errs...); err != nil {
				t.Fatal(err)
			}
			for _, r := range receipts {
				if r != receipts[0] {
					t.Errorf("receipts differ: %v and %v", r, receipts[0])
				}
			}
			wantIDs(t, mustRead(t, s, "task-1", eventstore.ReadOptions{}).Events, in...)
		},
		"writers that expect nothing each get a place of their own": func(t *testing.T, s eventstore.Store) {
			ctx := bounded(t)
			receipts := make([]eventstore.Receipt, writers)
			in := make([][]eventstore.Proposed, writers)
			errs := race(func(i int) (err error) {
				in[i] = events(1 + i%3)
				receipts[i], err = s.Append(ctx, "task-1", eventstore.Any, in[i])
				return err
			})
			if err := errors.Join(errs...); err != nil {
				t.Fatal(err)
			}
			slice := mustRead(t, s, "task-1", eventstore.ReadOptions{})
			wantInPlace(t, slice.Events)
			for i, r := range receipts {
				first := r.Revision - int64(len(in[i])) + 1
				wantIDs(t, slice.Events[first:r.Revision+1], in[i]...)
				if got := slice.Events[r.Revision].Position; got != r.Position {
					t.Errorf("an event is at position %d, its receipt says %d", got, r.Position)
				}
			}
		},
		"writers of many streams do not disturb each other": func(t *testing.T, s eventstore.Store) {
			ctx := bounded(t)
			errs := race(func(i int) error {
				stream := "task-" + string(rune('a'+i))
				for revision := int64(-1); revision < 20; revision++ {
					r, err := s.Append(ctx, stream, revision, events(1))
					if err != nil {
						return err
					}
					if r.Revision != revision+1 {
						t.Errorf("%s: revision %d after %d", stream, r.Revision, revision)
					}
				}
				return nil
			})
			if err := errors.Join(errs...); err != nil {
				t.Fatal(err)
			}
			all, _ := readOn(t, s, 0, 100, eventstore.Filter{})
			wantInPlace(t, all)
			if len(all) != writers*21 {
				t.Errorf("%d events, want %d", len(all), writers*21)
			}
		},
	})
}

func testRefusals(t *testing.T, s suite) {
	store := s.Open(t)
	with := func(change func(*eventstore.Proposed)) []eventstore.Proposed {
		out := events(2)
		change(&out[1])
		return out
	}
	for name, a := range map[string]struct {
		stream   string
		expected int64
		events   []eventstore.Proposed
	}{
		"no events":            {"task-1", eventstore.Any, nil},
		"too many events":      {"task-1", eventstore.Any, events(eventstore.MaxAppendEvents + 1)},
		"no stream name":       {"", eventstore.Any, events(1)},
		"a reserved name":      {"$all", eventstore.Any, events(1)},
		"a name with a space":  {"task 1", eventstore.Any, events(1)},
		"a name with a NUL":    {"task\x00", eventstore.Any, events(1)},
		"a name not UTF-8":     {"task-\xff", eventstore.Any, events(1)},
		"a long name":          {strings.Repeat("x", eventstore.MaxStreamName+1), eventstore.Any, events(1)},
		"an odd expectation":   {"task-1", -3, events(1)},
		"an id that is none":   {"task-1", eventstore.Any, with(func(e *eventstore.Proposed) { e.ID = "42" })},
		"an upper-case id":     {"task-1", eventstore.Any, with(func(e *eventstore.Proposed) { e.ID = strings.ToUpper(e.ID[:35]) + "A" })},
		"no type":              {"task-1", eventstore.Any, with(func(e *eventstore.Proposed) { e.Type = "" })},
		"a type with a NUL":    {"task-1", eventstore.Any, with(func(e *eventstore.Proposed) { e.Type = "a\x00b" })},
		"a reserved type":      {"task-1", eventstore.Any, with(func(e *eventstore.Proposed) { e.Type = "$metadata" })},
		"an event of 16 MiB":   {"task-1", eventstore.Any, with(func(e *eventstore.Proposed) { e.Data = jsonOf(16 << 20) })},
		"33 events of 1 MiB":   {"task-1", eventstore.Any, large(33)},
		"an oversized event":   {"task-1", eventstore.Any, with(func(e *eventstore.Proposed) { e.Data = jsonOf(eventstore.MaxEventBytes + 1) })},
		"data that is no JSON": {"task-1", eventstore.Any, with(func(e *eventstore.Proposed) { e.Data = []byte("{") })},
		"meta that is no JSON": {"task-1", eventstore.Any, with(func(e *eventstore.Proposed) { e.Meta = []byte("{") })},
		"no data":              {"task-1", eventstore.Any, with(func(e *eventstore.Proposed) { e.Data = nil })},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := store.Append(t.Context(), a.stream, a.expected, a.events)
			wantInvalid(t, err)
		})
	}
	t.Run("an id twice in one append", func(t *testing.T) {
		t.Parallel()
		e := event("test.happened.v1")
		_, err := store.Append(t.Context(), "task-1", eventstore.Any, []eventstore.Proposed{e, e})
		wantInvalid(t, err)
	})
	t.Run("nothing of a refused append is kept", func(t *testing.T) {
		if head, err := store.Head(t.Context()); err != nil || head != 0 {
			t.Errorf("head is %d, %v, want 0", head, err)
		}
	})
}

// jsonOf is a JSON text of so many bytes.
func jsonOf(bytes int) json.RawMessage {
	return json.RawMessage(`"` + strings.Repeat("x", bytes-2) + `"`)
}

// large are n events of the largest size.
func large(n int) []eventstore.Proposed {
	out := events(n)
	for i := range out {
		out[i].Data = jsonOf(eventstore.MaxEventBytes - len(out[i].Meta))
	}
	return out
}

func testLimits(t *testing.T, s suite) {
	s.each(t, map[string]func(*testing.T, eventstore.Store){
		"as many events as an append may have": func(t *testing.T, s eventstore.Store) {
			in := events(eventstore.MaxAppendEvents)
			first := mustAppend(t, s, "task-1", eventstore.NoStream, in...)
			if first.Revision != eventstore.MaxAppendEvents-1 {
				t.Errorf("revision is %d", first.Revision)
			}
			if again := mustAppend(t, s, "task-1", eventstore.NoStream, in...); again != first {
				t.Errorf("repeated: receipt is %+v, want %+v", again, first)
			}
			_, err := s.Append(t.Context(), "task-1", 0, events(eventstore.MaxAppendEvents))
			wantErr(t, err, &eventstore.WrongRevisionError{Stream: "task-1", Expected: 0, Actual: first.Revision})
			all, _ := readOn(t, s, 0, 0, eventstore.Filter{})
			wantIDs(t, all, in...)
		},
		"as many bytes as an append may have": func(t *testing.T, s eventstore.Store) {
			in := large(eventstore.MaxAppendBytes / eventstore.MaxEventBytes)
			mustAppend(t, s, "task-1", eventstore.NoStream, in...)
			got := mustRead(t, s, "task-1", eventstore.ReadOptions{}).Events
			wantIDs(t, got, in...)
			for i, e := range got {
				if !bytes.Equal(e.Data, in[i].Data) {
					t.Errorf("event %d came back with other data", i)
				}
			}
		},
	})
}

func testEndedCaller(t *testing.T, s suite) {
	s.each(t, map[string]func(*testing.T, eventstore.Store){
		"a caller whose context has ended is told so": func(t *testing.T, s eventstore.Store) {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			_, appended := s.Append(ctx, "task-1", eventstore.Any, events(1))
			_, readStream := s.ReadStream(ctx, "task-1", eventstore.ReadOptions{})
			_, readAll := s.ReadAll(ctx, 0, 1, eventstore.Filter{})
			for name, err := range map[string]error{"Append": appended, "ReadStream": readStream, "ReadAll": readAll} {
				if !errors.Is(err, context.Canceled) {
					t.Errorf("%s gave %v, want context.Canceled", name, err)
				}
			}
			if head, err := s.Head(t.Context()); err != nil || head != 0 {
				t.Errorf("head is %d, %v, want 0", head, err)
			}
		},
	})
}
