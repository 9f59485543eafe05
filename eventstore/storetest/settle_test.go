package storetest

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/anishathalye/porcupine"

	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/eventstore/memory"
)

var errGivenUp = errors.New("given up")

// givesUp is a store that gives up every third append. It makes it at once, some
// time later or never.
func givesUp(s eventstore.Store) broken {
	var later sync.WaitGroup
	return broken{Store: s, append: func(ctx context.Context, stream string, expected int64, events []eventstore.Proposed) (eventstore.Receipt, error) {
		switch rand.IntN(9) {
		case 0:
			_, _ = s.Append(ctx, stream, expected, events) // nobody is told
		case 1:
			later.Go(func() { _, _ = s.Append(ctx, stream, expected, events) })
		case 2:
		default:
			return s.Append(ctx, stream, expected, events)
		}
		return eventstore.Receipt{}, &eventstore.UnavailableError{Op: "append", Cause: errGivenUp}
	}}
}

// forgets is such a store that also loses an append now and then.
func forgets(s eventstore.Store) broken {
	given := givesUp(s)
	return broken{Store: s, append: func(ctx context.Context, stream string, expected int64, events []eventstore.Proposed) (eventstore.Receipt, error) {
		if slice, err := s.ReadStream(ctx, stream, eventstore.ReadOptions{}); err == nil && expected == slice.Head && rand.IntN(10) == 0 {
			return eventstore.Receipt{Revision: slice.Head + int64(len(events))}, nil
		}
		return given.append(ctx, stream, expected, events)
	}}
}

func TestSettled_LongHistoryIsInOrder(t *testing.T) {
	t.Parallel()
	for range 50 {
		linearizable(bounded(t), t, &history{each: linearCalls}, givesUp(memory.New(memory.Options{})))
	}
}

// The verdict is that on the calls as they were, which takes too long on longer
// histories.
func TestSettled_ChangesNoVerdict(t *testing.T) {
	t.Parallel()
	plain := porcupine.Model{
		Init: func() any { return logState("") },
		Step: func(state, in, out any) (bool, any) {
			ok, next := in.(call).step(state.(logState), out.(outcome))
			return ok, next
		},
	}
	verdicts := map[porcupine.CheckResult]int{}
	for i := range 400 {
		h := &history{each: 4}
		s := givesUp(memory.New(memory.Options{}))
		if i%2 == 0 {
			s = forgets(memory.New(memory.Options{}))
		}
		if err := h.record(bounded(t), []eventstore.Store{s}); err != nil {
			t.Fatal(err)
		}
		want := porcupine.CheckOperationsTimeout(plain, h.calls, checkTime)
		verdicts[want]++
		if got, _ := h.check(); got != want {
			t.Fatalf("%s, without settling %s: %v", got, want, h.calls)
		}
	}
	if verdicts[porcupine.Ok] == 0 || verdicts[porcupine.Illegal] == 0 {
		t.Errorf("the verdicts were %v", verdicts)
	}
}
