package storetest

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/eventstore"
)

func testKept(t *testing.T, s suite) {
	store := s.Open(t)
	want := []eventstore.Kept{
		{Stream: "task-aged", Retention: eventstore.Retention{MaxAge: 90 * time.Second}},
		{Stream: "task-counted", Retention: eventstore.Retention{MaxCount: 7, TruncateBefore: 2}},
		{Stream: "task-deleted"},
		{Stream: "task-ended", Ended: true},
		{Stream: "task-never", Retention: eventstore.Retention{TruncateBefore: 5}},
	}
	for _, stream := range []string{"task-aged", "task-counted", "task-deleted", "task-ended", "task-plain", "task-freed"} {
		mustAppend(t, store, stream, eventstore.NoStream, events(3)...)
	}
	set := func(stream string, r eventstore.Retention) {
		t.Helper()
		if err := store.SetRetention(t.Context(), stream, r); err != nil {
			t.Fatal(err)
		}
	}
	for _, k := range want {
		if k.Retention != (eventstore.Retention{}) {
			set(k.Stream, k.Retention)
		}
	}
	set("task-ended", eventstore.Retention{MaxCount: 1})
	set("task-freed", eventstore.Retention{MaxCount: 1})
	set("task-freed", eventstore.Retention{})
	if err := store.Delete(t.Context(), "task-deleted", 2); err != nil {
		t.Fatal(err)
	}
	if err := store.Tombstone(t.Context(), "task-ended", 2); err != nil {
		t.Fatal(err)
	}
	for _, limit := range []int{0, 1, 2, 5} {
		var got []eventstore.Kept
		for after := ""; ; {
			page, err := store.Kept(t.Context(), after, limit)
			if err != nil || limit > 0 && len(page) > limit {
				t.Fatalf("by %d, after %q: %d streams, %v", limit, after, len(page), err)
			}
			if len(page) == 0 {
				break
			}
			got = append(got, page...)
			after = page[len(page)-1].Stream
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("by %d (-want +got):\n%s", limit, diff)
		}
	}
	_, err := store.Kept(t.Context(), "", -1)
	wantInvalid(t, err)
}
