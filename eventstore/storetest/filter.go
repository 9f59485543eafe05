package storetest

import (
	"fmt"
	"testing"

	"github.com/stepledger/stepledger/eventstore"
)

func testFilter(t *testing.T, s suite) {
	store, in := sampleLog(t, s)
	first, second := "test.happened0.v1", "test.happened1.v1"
	for name, c := range map[string]struct {
		f    eventstore.Filter
		want []eventstore.Proposed
	}{
		"a category":               {eventstore.Filter{Categories: []string{"task"}}, in.of["task"]},
		"a category without dash":  {eventstore.Filter{Categories: []string{"session"}}, in.of["session"]},
		"all categories":           {eventstore.Filter{Categories: []string{"task", "usage", "session"}}, in.all},
		"a type":                   {eventstore.Filter{Types: []string{first}}, in.of[first]},
		"a type in a category":     {eventstore.Filter{Types: []string{second}, Categories: []string{"usage"}}, in.of["usage"+second]},
		"a stream is not category": {eventstore.Filter{Categories: []string{"task-1"}}, nil},
		"nothing at all":           {eventstore.Filter{Types: []string{"test.never.v1"}}, nil},
	} {
		for _, limit := range []int{0, 1, 7} {
			t.Run(fmt.Sprintf("%s, by %d", name, limit), func(t *testing.T) {
				t.Parallel()
				got, scanned := readOn(t, store, 0, limit, c.f)
				wantIDs(t, got, c.want...)
				if scanned != in.last.Position {
					t.Errorf("scanned is %d, want the head %d", scanned, in.last.Position)
				}
			})
		}
	}
	// Where the position stayed behind, every restart would look at all of it again.
	t.Run("a subscription that nothing matches goes on near the head", func(t *testing.T) {
		t.Parallel()
		s := s.Open(t)
		last := appendMany(t, s, "task-1", 10_000)
		none := eventstore.Filter{Types: []string{"test.never.v1"}}
		at := int64(0)
		for p, err := range s.Subscribe(bounded(t), 0, none) {
			if err != nil || len(p.Events) > 0 {
				t.Fatalf("%+v, %v", p, err)
			}
			if at = p.Scanned; at >= last {
				break
			}
		}
		last = mustAppend(t, s, "task-2", eventstore.Any, events(1)...).Position
		for p, err := range s.Subscribe(bounded(t), at, none) {
			if err != nil || len(p.Events) > 0 || p.Scanned < last {
				t.Fatalf("a restart stands at %+v, %v, want %d", p, err, last)
			}
			break
		}
	})
}
