// Package storetest holds the contract every event store passes: what package
// eventstore promises, as tests. It is test code only.
package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/stepledger/stepledger/eventstore"
)

// Feature is something not every store can do. A store declares what it lacks,
// and the suite leaves out those tests and no others.
type Feature string

const (
	// GlobalIDs: an event id that is in another stream is recognized.
	GlobalIDs Feature = "global ids"
	// BodyComparison: a known id with another body or type is recognized.
	BodyComparison Feature = "body comparison"
	// FreshAge: MaxAge is applied at the moment of reading.
	FreshAge Feature = "fresh age"
)

// patience bounds every wait of the suite. It is long enough for a machine under
// load; a store that keeps its promises needs a fraction.
const patience = 30 * time.Second

type suite struct {
	open  func(t testing.TB) eventstore.Store
	lacks []Feature
}

// Run tests the stores that open gives: each call an empty one of its own, closed
// by t.Cleanup. lacks names the features the store declares not to have.
func Run(t *testing.T, open func(t testing.TB) eventstore.Store, lacks ...Feature) {
	s := suite{open, lacks}
	for name, test := range map[string]func(*testing.T, suite){
		"Append":      testAppend,
		"Race":        testRace,
		"Refusals":    testRefusals,
		"Repeat":      testRepeat,
		"IDConflict":  testIDConflict,
		"Bytes":       testBytes,
		"ReadStream":  testReadStream,
		"ReadAll":     testReadAll,
		"Follow":      testFollow,
		"Wait":        testWait,
		"Subscribe":   testSubscribe,
		"Retention":   testRetention,
		"Delete":      testDelete,
		"Tombstone":   testTombstone,
		"EndedCaller": testEndedCaller,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, s)
		})
	}
}

func (s suite) has(f Feature) bool { return !slices.Contains(s.lacks, f) }

// each runs subtests in parallel, each on a store of its own.
func (s suite) each(t *testing.T, tests map[string]func(*testing.T, eventstore.Store)) {
	t.Helper()
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, s.open(t))
		})
	}
}

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

// bounded is a context that ends when the suite's patience does.
func bounded(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}
