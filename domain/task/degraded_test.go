package task_test

import (
	"testing"

	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/task"
)

// Of a model that stood in for another less confidence is enough, and the event
// says why (spec §4.10.1).
func TestDecide_DegradedVerdict(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		confidence          float64
		degraded, succeeded bool
	}{{0.65, false, false}, {0.65, true, true}, {0.6, true, true}, {0.59, true, false}, {0.5, true, false}, {0.49, true, false}, {0.49, false, false}, {7, true, false}} {
		v := reasoning.Verdict{Confidence: c.confidence, Degraded: c.degraded, Reason: "r", Tier: 3, By: "m"}
		// What is neither enough nor too little is not decided.
		want := task.ActionVerified{
			Turn: 2, Succeeded: c.succeeded, Confidence: c.confidence, Degraded: c.degraded, Reason: "r", Tier: 3, By: "m",
		}
		if c.confidence > 1 {
			want.Confidence = 0.5 // it is no probability
		}
		if want.Undecided = !c.succeeded && want.Confidence >= 0.5; want.Undecided {
			want.Missing = reasoning.MissingSign
		}
		check(t, append(waiting(), observedFor(2, second)), task.RecordVerdict{Verdict: v}, []task.Event{want}, "")
	}
}
