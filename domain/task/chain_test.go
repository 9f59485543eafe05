package task_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/task"
)

// chained is a task in its second turn, whose first action was a chain.
func chained() []task.Event {
	first := filling
	first.Recovery = ""
	return []task.Event{observedFor(1, task.Request{Key: "k1", Body: "b1"}), started, first, answered, observedFor(2, second)}
}

func TestDecide_GenerateAction_Chain(t *testing.T) {
	t.Parallel()
	claimed := fold(observedFor(1, task.Request{Key: "k1", Body: "b1"}))
	for name, change := range map[string]func(*task.ActionGenerated){
		"one action is none":          func(e *task.ActionGenerated) { e.Chain = e.Chain[:1] },
		"one that may submit is none": func(e *task.ActionGenerated) { e.MaySubmit = true },
		"another first action":        func(e *task.ActionGenerated) { e.Action = `click("9")` },
		"one that cannot be read":     func(e *task.ActionGenerated) { e.Chain = []task.ChainItem{e.Chain[0], {Action: "click("}} },
	} {
		e := filling
		change(&e)
		events, err := task.Decide(task.GenerateAction{Generated: e, Limits: task.DefaultLimits}, claimed)
		if domain.KindOf(err) != domain.Conflict || len(events) > 0 {
			t.Errorf("%s: %v, %v", name, events, err)
		}
	}
	events, err := task.Decide(task.GenerateAction{Generated: filling, Limits: task.DefaultLimits}, claimed)
	if err != nil || len(events) != 2 {
		t.Fatal(events, err)
	}
	step, a, pending := fold(append([]task.Event{observedFor(1, task.Request{Key: "k1", Body: "b1"})}, events...)...).Pending()
	if !pending || !a.IsChain() || step.Index != 0 || a.Stopped() || !cmp.Equal(a.Done(), []int{0, 1, 2}) {
		t.Errorf("pending %+v", a)
	}
}

func TestDecide_StopChain(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		given []task.Event
		stop  task.ChainPartiallyFailed
		err   bool
	}{
		"the second failed":           {chained(), stopped, false},
		"nothing was executed":        {chained(), task.ChainPartiallyFailed{Failed: 0, Recovery: "regenerate"}, false},
		"no action is known to fail":  {chained(), task.ChainPartiallyFailed{Executed: []int{0}, Failed: -1, Recovery: "regenerate"}, false},
		"a single action cannot stop": {append(waiting(), observedFor(2, second)), stopped, true},
		"it has stopped already":      {append(chained(), stopped), stopped, true},
		"it was judged already":       {append(chained(), confirmed), stopped, true},
		"more than there are":         {chained(), task.ChainPartiallyFailed{Executed: []int{0, 1, 2, 3}, Failed: -1}, true},
		"executed and failed":         {chained(), task.ChainPartiallyFailed{Executed: []int{0}, Failed: 0}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			state := fold(tt.given...)
			events, err := task.Decide(task.StopChain{Stop: tt.stop}, state)
			if tt.err {
				if domain.KindOf(err) != domain.Conflict || len(events) > 0 {
					t.Errorf("%v, %v", events, err)
				}
				return
			}
			if err != nil || len(events) != 1 {
				t.Fatal(events, err)
			}
			e, _ := events[0].(task.ChainPartiallyFailed)
			if e.Total != 3 || e.Turn != 2 || e.StepIndex != 0 {
				t.Errorf("%+v", e)
			}
			_, a, _ := task.Evolve(state, e).Pending()
			if !a.Stopped() || len(a.Done()) != len(tt.stop.Executed) {
				t.Errorf("%+v", a.Chain)
			}
		})
	}
}

// A failed chain is corrected by what failed of it: by the verdict, or by the report.
func TestAttempt_Culprit(t *testing.T) {
	t.Parallel()
	verdict := refuted
	verdict.Items = []reasoning.ItemVerdict{{Index: 0, Outcome: reasoning.Succeeded}, {Index: 2, Outcome: reasoning.Failed, Reason: "it is not ticked"}}
	for name, tt := range map[string]struct {
		given []task.Event
		want  string
	}{
		"a single action":    {append(waiting(), observedFor(2, second)), `click("14")`},
		"nothing is known":   {chained(), `setValue("1", "Jas")`},
		"by the report":      {append(chained(), stopped), `setValue("2", "Oslo")`},
		"by the verdict":     {append(chained(), verdict), `click("3")`},
		"the verdict counts": {append(chained(), stopped, verdict), `click("3")`},
	} {
		steps := fold(tt.given...).Steps
		if got, _ := steps[0].Attempts[0].Culprit(); got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}
