package storetest

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/stepledger/stepledger/eventstore"
)

// event is a new event whose data names it.
func event(kind string) eventstore.Proposed {
	id := uuid.NewString()
	return eventstore.Proposed{
		ID: id, Type: kind,
		Data: fmt.Appendf(nil, `{"n":%q}`, id),
		Meta: eventstore.Metadata{Tenant: "t1", Actor: "system", Schema: 1}.Encode(),
	}
}

func events(n int) []eventstore.Proposed {
	out := make([]eventstore.Proposed, n)
	for i := range out {
		out[i] = event(fmt.Sprintf("test.happened%d.v1", i%3))
	}
	return out
}

func mustAppend(t testing.TB, s eventstore.Log, stream string, expected int64, events ...eventstore.Proposed) eventstore.Receipt {
	t.Helper()
	r, err := s.Append(t.Context(), stream, expected, events)
	if err != nil {
		t.Fatalf("append to %s: %v", stream, err)
	}
	return r
}

// appendMany appends n events to a new stream, a page at a time, and gives the
// position of the last.
func appendMany(t testing.TB, s eventstore.Log, stream string, n int) (position int64) {
	t.Helper()
	for done := 0; done < n; {
		page := min(n-done, eventstore.MaxPage)
		position = mustAppend(t, s, stream, int64(done)-1, events(page)...).Position
		done += page
	}
	return position
}

func mustRead(t testing.TB, s eventstore.Log, stream string, o eventstore.ReadOptions) eventstore.Slice {
	t.Helper()
	slice, err := s.ReadStream(t.Context(), stream, o)
	if err != nil {
		t.Fatalf("read %s: %v", stream, err)
	}
	return slice
}

// readOn reads the log from a position to its end.
func readOn(t testing.TB, s eventstore.Feed, after int64, limit int, f eventstore.Filter) (all []eventstore.Recorded, scanned int64) {
	t.Helper()
	for {
		p, err := s.ReadAll(t.Context(), after, limit, f)
		if err != nil {
			t.Fatalf("read the log after %d: %v", after, err)
		}
		all = append(all, p.Events...)
		if p.Scanned == after {
			return all, after
		}
		if p.Scanned < after {
			t.Fatalf("scanned went back from %d to %d", after, p.Scanned)
		}
		after = p.Scanned
	}
}

// wantErr wants an error of the type and content of want.
func wantErr[E error](t testing.TB, err error, want E) {
	t.Helper()
	var got E
	if !errors.As(err, &got) {
		t.Fatalf("error is %v (%T), want %v", err, err, want)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("error (-want +got):\n%s", diff)
	}
}

func wantInvalid(t testing.TB, err error) {
	t.Helper()
	var invalid *eventstore.InvalidError
	if !errors.As(err, &invalid) {
		t.Fatalf("error is %v (%T), want *InvalidError", err, err)
	}
}

func wantIDs(t testing.TB, got []eventstore.Recorded, want ...eventstore.Proposed) {
	t.Helper()
	if diff := cmp.Diff(idsOf(want), recordedIDs(got)); diff != "" {
		t.Fatalf("ids of events (-want +got):\n%s", diff)
	}
}

func idsOf(events []eventstore.Proposed) []string {
	ids := []string{}
	for _, e := range events {
		ids = append(ids, e.ID)
	}
	return ids
}

func recordedIDs(events []eventstore.Recorded) []string {
	ids := []string{}
	for _, e := range events {
		ids = append(ids, e.ID)
	}
	return ids
}

// eventually waits until a condition holds.
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
