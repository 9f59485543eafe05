package task_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/domain/plan"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/secret"
	"github.com/stepledger/stepledger/domain/task"
)

// put puts commands to a state and returns the events and what they lead to.
func put(t *testing.T, s task.State, commands ...task.Command) ([]task.Event, task.State) {
	t.Helper()
	var all []task.Event
	for _, c := range commands {
		events, err := task.Decide(c, s)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			s = task.Evolve(s, e)
		}
		all = append(all, events...)
	}
	return all, s
}

func inParts(t *testing.T) task.State {
	t.Helper()
	made, err := plan.New([]plan.Step{{Description: "search", Tool: plan.DOM}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := task.Evolve(task.Initial(), observedFor(1, first))
	_, s = put(t, s, task.AdoptPlan{Made: task.PlanMade{Cause: "first", Plan: made, SubTasks: []plan.SubTask{
		{Goal: "find the flight", Outputs: []string{"flight"}},
		{Goal: "book it", Inputs: []string{"flight"}},
	}}})
	return s
}

// A part that is done leaves the next what its contract names, and nothing else.
func TestPart_IsLeftForTheNext(t *testing.T) {
	t.Parallel()
	s := inParts(t)
	if p, ok := s.Part(); !ok || p.Goal != "find the flight" || s.Plan == nil {
		t.Fatalf("%+v", s.Parts)
	}
	s.Note = "it is DY1"
	s = task.Evolve(s, generated)
	events, s := put(t, s, task.CompletePart{Outputs: map[string]string{"flight": "DY1", "price": "99"}})
	want := []task.Event{
		task.SubTaskCompleted{Turn: 1, Index: 0, Outputs: map[string]string{"flight": "DY1", "price": "99"}},
		task.SubTaskStarted{Turn: 1, Index: 1, Goal: "book it"},
	}
	if diff := cmp.Diff(want, events); diff != "" {
		t.Error(diff)
	}
	if p, _ := s.Part(); p.Goal != "book it" || s.Plan != nil || s.Note != "" || s.PartFrom != len(s.Steps) || len(s.Parts.Inputs()) != 1 {
		t.Errorf("%+v, plan %v, note %q, from %d", p, s.Plan, s.Note, s.PartFrom)
	}
	events, s = put(t, s, task.CompletePart{})
	if _, left := s.Part(); left || len(events) != 1 {
		t.Errorf("after the last: %v", events)
	}
	if events, _ = put(t, s, task.CompletePart{}, task.FailPart{Why: "late"}, task.CheckOutput{}); len(events) > 0 {
		t.Errorf("without a part: %v", events)
	}
}

func TestPart_ThatFailsTakesThoseThatNeedItAlong(t *testing.T) {
	t.Parallel()
	events, s := put(t, inParts(t), task.FailPart{Why: "the site is down"})
	if _, left := s.Part(); left || len(events) != 1 || len(s.Parts.Undone()) != 2 {
		t.Errorf("%v %+v", events, s.Parts)
	}
}

// Only decided verdicts on what acts count, and an output that is sent back is counted.
func TestPart_Counts(t *testing.T) {
	t.Parallel()
	s := task.Evolve(inParts(t), generated)
	open := refuted
	open.Undecided = true
	s = task.Evolve(s, open)
	if p, _ := s.Part(); p.Steps != 0 {
		t.Errorf("an undecided verdict counts: %+v", p)
	}
	s = task.Evolve(s, refuted)
	if p, _ := s.Part(); p.Steps != 1 || p.Failures != 1 {
		t.Errorf("%+v", p)
	}
	_, s = put(t, s, task.CheckOutput{Checked: task.SubTaskOutputChecked{Attempt: 1, Verdict: plan.Retry}})
	if s.OutputRetries != 1 {
		t.Errorf("%d retries", s.OutputRetries)
	}
	if _, s = put(t, s, task.CompletePart{Outputs: map[string]string{"flight": "DY1"}}); s.OutputRetries != 0 {
		t.Errorf("the next part begins with %d retries", s.OutputRetries)
	}
}

func TestPart_OutputsHoldNoSecrets(t *testing.T) {
	t.Parallel()
	set := secret.New("hunter2")
	got := task.RedactForStorage(task.SubTaskCompleted{Outputs: map[string]string{"login": "Jas/hunter2"}}, set)
	if e, _ := got.(task.SubTaskCompleted); e.Outputs["login"] != "Jas/"+secret.Mask {
		t.Errorf("%+v", got)
	}
}

func TestSearches_TheNewestAreKept(t *testing.T) {
	t.Parallel()
	s := task.Evolve(task.Initial(), observedFor(1, first))
	for _, q := range []string{"a", "b", "c", "d"} {
		_, s = put(t, s, task.SearchTheWeb{Searched: task.WebSearched{Search: reasoning.WebSearch{Query: q}}})
	}
	if len(s.Searches) != 3 || s.Searches[2].Query != "d" || s.Searches[0].Query != "b" {
		t.Errorf("%+v", s.Searches)
	}
}

func TestLimits_Tokens(t *testing.T) {
	t.Parallel()
	s := task.Evolve(task.Evolve(task.Initial(), observedFor(1, first)), task.TurnEnded{Turn: 1, Status: "action", Tokens: 600})
	s = task.Evolve(s, task.TurnEnded{Turn: 2, Status: "action", Tokens: 500})
	limits := task.DefaultLimits
	if err := s.MayGoOn(limits); err != nil {
		t.Errorf("without a limit: %v", err)
	}
	limits.MaxTokens = 1_000
	if err := s.MayGoOn(limits); err == nil || s.Tokens != 1_100 {
		t.Errorf("%v after %d tokens", err, s.Tokens)
	}
}
