package replay_test

import (
	"testing"

	"github.com/stepledger/stepledger/commands/replay"
	"github.com/stepledger/stepledger/domain/plan"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/task"
)

func TestPredicate(t *testing.T) {
	t.Parallel()
	s := task.State{
		Status: task.Active, Query: "Add Jas", ConsecutiveFailures: 2, Plan: &plan.Plan{Current: 1},
		Steps: []task.Step{{Index: 0, Attempts: []task.Attempt{{
			Kind: "click", Action: `click("3")`, Target: task.Target{Target: reasoning.Target{Role: "link", Name: "Add"}, ID: "3"},
			Verdict: &task.Verdict{Outcome: reasoning.Failed, Confidence: 0.2},
		}}}},
		Parts: &plan.Hierarchy{Values: map[string]string{"ward": "South"}},
	}
	for text, want := range map[string]bool{
		"/status = active":                                  true,
		"/status != active":                                 false,
		"/consecutiveFailures >= 2":                         true,
		"/consecutiveFailures > 2":                          false,
		"/consecutiveFailures < 10":                         true, // as numbers
		"/consecutiveFailures <= 1":                         false,
		"/query contains jas":                               true,
		"/question exists":                                  false,
		"/plan exists and /plan/currentStepIndex = 1":       true,
		"/steps/# = 1":                                      true,
		`/steps/0/attempts/-1/action = "click(\"3\")"`:      true,
		"/steps/0/attempts/0/target/name = Add":             true, // embedded
		"/steps/0/attempts/0/verdict/confidence < 0.5":      true,
		"/steps/1 exists":                                   false,
		"/steps/0/attempts/0/nothing = ":                    false,
		"/parts/values/ward = South":                        true,
		"/parts/values/room = South":                        false,
		"/status = active and /consecutiveFailures = 3":     false,
		"/message = ":                                       true,
		`/query = "Add \"x\" and Jas" and /question exists`: false,
		`/query != "Add and Jas" and /status = active`:      true,
	} {
		p, err := replay.ParsePredicate(text)
		if err != nil || p.Holds(s) != want {
			t.Errorf("%s: %v %v", text, !want, err)
		}
	}
	for _, bad := range []string{"", "status = active", "/status", "/status is active", "/a exists b", "/a > "} {
		if _, err := replay.ParsePredicate(bad); err == nil {
			t.Errorf("%q is read", bad)
		}
	}
}
