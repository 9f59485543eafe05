package history_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/stepledger/stepledger/domain/plan"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/task"
	ledger "github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/projections/history"
	"github.com/stepledger/stepledger/projections/projtest"
	"github.com/stepledger/stepledger/projections/usage"
)

// withoutEvents is a turn's own account.
var withoutEvents = cmpopts.IgnoreFields(history.Turn{}, "Events", "BeganAt", "EndedAt", "Totals", "Calls")

func TestReader_Turns(t *testing.T) {
	t.Parallel()
	e := projtest.WithoutDatabase(t)
	save, other := projtest.Target("1", "button", "Save"), projtest.Target("2", "button", "Save all")
	standing := []history.StandingStep{{Description: "save it"}}
	made := plan.Plan{Steps: []plan.Step{{Description: "save it"}}}
	k := e.Task(e.Session(), url, "save").
		Turn(url).Ask("which one?").End().
		Turn(url).Reply("the first").Append(task.PlanMade{Turn: 2, Cause: "first", By: "m-1", Plan: made}).Act(projtest.Click("1"), save, "skill-1").End().
		Turn(url+"?2").Append(task.ActionVerified{Turn: 3, StepIndex: 0, Confidence: 0.3, Tier: 1, Rule: "nothing-happened", By: "rules", Reason: "nothing", Observations: []string{"the page is as it was"}}).
		Correct(reasoning.AlternativeSelector, projtest.Click("2"), other, "skill-2").End().
		Append(task.TaskInterrupted{Why: "nobody asked"})
	got, err := history.Reader{Log: e.Store, Keys: e.Keys}.Turns(t.Context(), projtest.Tenant, k.ID, 0, 0)
	if err != nil || got.Last != 3 || got.More || len(got.Turns) != 3 {
		t.Fatalf("got %+v, %v", got, err)
	}
	page := func(turn int, at string) history.Snapshot {
		return history.Snapshot{Turn: turn, URL: at, Title: "a page"}
	}
	second, third := page(2, url), page(3, url+"?2")
	want := []history.Turn{
		{
			Turn: 1, FromRevision: 0, ToRevision: 2, Status: "action", Before: page(1, url), After: &second, Question: "which one?",
			Verdicts: []history.GivenVerdict{}, Actions: []history.DecidedAction{},
		},
		{
			Turn: 2, FromRevision: 3, ToRevision: 8, Status: "action", Before: second, After: &third, Reply: "the first", Plan: standing,
			Verdicts: []history.GivenVerdict{},
			Actions: []history.DecidedAction{{
				Revision: 7, Kind: "click", Action: `click("1")`, TargetID: "1", TargetRole: "button", TargetName: "Save", By: "rules", Confidence: 0.9,
				Thought: "step 0", Skills: []string{"skill-1"},
			}},
		},
		{
			Turn: 3, FromRevision: 9, ToRevision: 13, Status: "action", Before: third, Plan: standing,
			Verdicts: []history.GivenVerdict{{
				Revision: 10, Of: &history.DecidedIn{Turn: 2, Revision: 7, Action: `click("1")`}, Outcome: "failed", Confidence: 0.3, Tier: 1,
				Rule: "nothing-happened", By: "rules", Reason: "nothing", Observations: []string{"the page is as it was"},
			}},
			Actions: []history.DecidedAction{{
				Revision: 11, Kind: "click", Action: `click("2")`, TargetID: "2", TargetRole: "button", TargetName: "Save all", By: "rules",
				Skills: []string{"skill-2"}, Strategy: reasoning.AlternativeSelector, Reason: "another way", Failed: `click("1")`,
			}},
			Ended: &history.Ending{Revision: 13, Status: task.Interrupted, Message: "nobody asked"},
		},
	}
	if diff := cmp.Diff(want, got.Turns, withoutEvents); diff != "" {
		t.Errorf("turns (-want +got):\n%s", diff)
	}
	if _, err := (history.Reader{Log: e.Store, Keys: e.Keys}).Turn(t.Context(), projtest.Tenant, k.ID, 4); !isNotFound(err) {
		t.Errorf("a turn that is not: %v; want not found", err)
	}
}

// Who held the task stands in the turn it happened in, and who holds it now with the
// task; what was said at the hand-back, in the turn that tells it.
func TestReader_Turns_Holds(t *testing.T) {
	t.Parallel()
	e := projtest.WithoutDatabase(t)
	k := e.Task(e.Session(), url, "save").Turn(url).Append(task.TaskPaused{By: "u1", Kind: task.Paused}).Ask("which one?").End().
		Append(task.TaskPaused{By: "u2", Kind: task.TakenOver, Note: "let me"}).Append(task.TaskHandedBack{By: "u3", Note: "the first"}).
		Turn(url).Append(task.UserInputProvided{Turn: 2, HandedBack: true, Text: "the first"}).Reply("and the second").End()
	r := history.Reader{Log: e.Store, Keys: e.Keys}
	got, err := r.Turns(t.Context(), projtest.Tenant, k.ID, 0, 0)
	if err != nil || len(got.Turns) != 2 || got.Paused != nil {
		t.Fatalf("got %+v, %v", got, err)
	}
	want := []history.Hold{
		{Revision: 1, Kind: "pause", By: "u1"}, {Revision: 4, Kind: "takeover", By: "u2", Note: "let me"},
		{Revision: 5, Kind: "handed_back", By: "u3", Note: "the first"},
	}
	if diff := cmp.Diff(want, got.Turns[0].Holds, cmpopts.IgnoreFields(history.Hold{}, "At")); diff != "" || got.Turns[1].Reply != "the first\nand the second" {
		t.Errorf("%s, reply %q", diff, got.Turns[1].Reply)
	}
	g, err := r.Graph(t.Context(), projtest.Tenant, k.ID, 0)
	rules := map[string]int{}
	for _, edge := range g.Inferred {
		rules[edge.Rule]++
	}
	if err != nil || rules[history.RuleReleases] != 1 || rules[history.RuleTells] != 1 || rules[history.RuleReplies] != 1 {
		t.Errorf("%v, %v", rules, err)
	}
	for _, event := range got.Turns[0].Events {
		if held := event.Type == task.NameTaskPaused || event.Type == task.NameTaskHandedBack; held && event.Importance != history.High {
			t.Errorf("%+v", event)
		}
	}
	k.Append(task.TaskPaused{By: "u1", Kind: task.TakenOver})
	if got, err := r.Turns(t.Context(), projtest.Tenant, k.ID, 2, 1); err != nil || got.Paused == nil || got.Paused.By != "u1" || got.Paused.Kind != "takeover" {
		t.Errorf("held: %+v, %v", got.Paused, err)
	}
	k.Turn(url).Complete("saved")
	if got, err := r.Turns(t.Context(), projtest.Tenant, k.ID, 2, 1); err != nil || got.Paused != nil {
		t.Errorf("over: %+v, %v", got.Paused, err)
	}
}

// All pages of a timeline together are the timeline of all events, and every event is
// in one turn.
func TestReader_Turns_ByPages(t *testing.T) {
	t.Parallel()
	e := projtest.WithoutDatabase(t)
	e.Story(3, 300)
	r := history.Reader{Log: e.Store, Keys: e.Keys}
	for id, head := range tasksIn(t, e) {
		all, err := r.Events(t.Context(), projtest.Tenant, id, history.Filter{Limit: history.MaxLimit})
		if err != nil {
			t.Fatal(err)
		}
		want := history.Timeline(all.Events)
		var got []history.Turn
		for from, more := 1, true; more; {
			page, err := r.Turns(t.Context(), projtest.Tenant, id, from, 2)
			if err != nil || len(page.Turns) == 0 || len(page.Turns) > 2 {
				t.Fatalf("from %d: %+v, %v", from, page, err)
			}
			got, more = append(got, page.Turns...), page.More
			from = got[len(got)-1].Turn + 1
		}
		if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(history.Turn{}, "Totals", "Calls")); diff != "" {
			t.Fatalf("%s (-all +by pages):\n%s", id, diff)
		}
		next := int64(0)
		for _, turn := range got {
			one, err := r.Turn(t.Context(), projtest.Tenant, id, turn.Turn)
			if diff := cmp.Diff(turn, one, cmp.AllowUnexported(history.ModelCall{})); err != nil || diff != "" {
				t.Errorf("turn %d by itself: %v (-page +one):\n%s", turn.Turn, err, diff)
			}
			for _, ev := range turn.Events {
				if ev.Revision != next {
					t.Errorf("event %d is missing or comes twice", next)
				}
				next++
			}
		}
		if next != head+1 {
			t.Errorf("%d events are in turns, want %d", next, head+1)
		}
	}
}

// What turns cost adds up to what the read model of the ledger says, to the last
// digit.
func TestReader_Turns_SumsAreTheLedgers(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	e.Story(11, 500)
	ids := tasksIn(t, e)
	stray := slices.Sorted(maps.Keys(ids))[0]
	cost := ledger.Pico(123_456_789_012)
	projtest.Append[ledger.Event](e, ledger.Codec, ledger.Stream(stray), ledger.LLMCallStarted{
		Call: "stray", Tenant: projtest.Tenant, Task: stray, Turn: 99, Provider: ledger.Google, Model: "m-1", Attempt: 1, StartedAt: firstRecorded,
	}, ledger.LLMCallCompleted{
		Call: "stray", Charge: ledger.Charge{Cost: &cost, CostStatus: ledger.Priced},
		Report: ledger.Report{Outcome: ledger.OK, Meters: ledger.Meters{InputUncached: 5}, CompletedAt: firstRecorded},
	})
	e.CatchUp(usage.Projection)
	r := history.Reader{Log: e.Store, Keys: e.Keys}
	paid := 0
	for id := range ids {
		s, err := usage.Queries{DB: e.Pool}.Summary(t.Context(), usage.SummaryFilter{Selection: ledger.Selection{Tenant: projtest.Tenant, Task: id}})
		if err != nil {
			t.Fatal(err)
		}
		got, err := r.Turns(t.Context(), projtest.Tenant, id, 0, history.MaxTurns)
		if err != nil || got.More {
			t.Fatal(got.More, err)
		}
		all := got.OtherCalls
		for _, turn := range got.Turns {
			all = append(all, turn.Calls...)
		}
		sum, err := history.Sum(all)
		if err != nil {
			t.Fatal(err)
		}
		want := history.CallTotals{
			Calls: int(s.Calls), OpenCalls: int(s.OpenCalls), UnpricedCalls: int(s.UnpricedCalls),
			InputTokens: s.Input(), OutputTokens: s.Outputs(), CostUSD: s.Cost,
		}
		if diff := cmp.Diff(want, sum); diff != "" || sum != got.Totals {
			t.Errorf("%s: totals %+v, turns against the ledger (-ledger +turns):\n%s", id, got.Totals, diff)
		}
		paid += sum.Calls
	}
	if paid < 30 {
		t.Errorf("only %d calls", paid)
	}
}
