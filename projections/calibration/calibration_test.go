package calibration_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/plan"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/eventstore/memory"
	"github.com/stepledger/stepledger/projections/calibration"
	"github.com/stepledger/stepledger/projections/projtest"
)

const (
	url = "https://clinic.example/"
	day = 24 * time.Hour
)

var field = projtest.Target("1", "textbox", "Name")

// begin is a task in its first turn.
func begin(e *projtest.Env) *projtest.Task { return e.Task("s", url, "add a patient").Turn(url) }

func report(t *testing.T, e *projtest.Env, f calibration.Filter) calibration.Report {
	t.Helper()
	e.CatchUp(calibration.Projection)
	got, err := calibration.Queries{DB: e.Pool}.Report(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// nearly compares what SQL and hand computed.
var nearly = cmpopts.EquateApprox(0, 1e-9)

func of(v float64) *float64 { return &v }

func rate(count, of int) string { return fmt.Sprintf("%d/%d", count, of) }

func TestReport_Rates(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		given                            func(k *projtest.Task)
		caught, falselyRejected, retried string
		scored                           int
	}{
		"passed, and the task was completed": {func(k *projtest.Task) { k.Check(1, 0.8).Complete("done") }, "0/0", "0/1", "0/0", 1},
		"passed, and the task failed":        {func(k *projtest.Task) { k.Check(1, 0.8).Fail("GAVE_UP", "no") }, "0/1", "0/1", "0/0", 1},
		"passed, and the task goes on":       {func(k *projtest.Task) { k.Check(1, 0.8) }, "0/0", "0/0", "0/0", 0},
		"an interrupted task goes on":        {func(k *projtest.Task) { k.Check(1, 0.3).Append(task.TaskInterrupted{}) }, "0/0", "0/0", "0/0", 0},
		"rejected, the retry passed, completed": {
			func(k *projtest.Task) { k.Check(1, 0.6).Check(2, 0.8).Complete("done") }, "1/1", "0/2", "1/1", 1,
		},
		"rejected, the retry passed, failed all the same": {
			func(k *projtest.Task) { k.Check(1, 0.6).Check(2, 0.8).Fail("GAVE_UP", "no") }, "1/2", "0/2", "1/1", 1,
		},
		"rejected three times, and completed without a plan": {
			func(k *projtest.Task) { k.Check(1, 0.6).Check(2, 0.6).Check(3, 0.6).Complete("done") }, "0/0", "3/3", "0/2", 1,
		},
		"rejected for good, and failed": {func(k *projtest.Task) { k.Check(1, 0.3).Fail("GAVE_UP", "no") }, "1/1", "0/1", "0/0", 1},
		"a retry nobody had a plan at":  {func(k *projtest.Task) { k.Check(1, 0.6).Complete("done") }, "0/0", "1/1", "0/0", 1},
		"rejected, and the plan of the next turn passed": {
			func(k *projtest.Task) {
				k.Check(1, 0.3).Ask("tell me more").End().Turn(url).Reply("it is Jas").Check(1, 0.8).Complete("done")
			}, "1/1", "0/2", "0/0", 1,
		},
		"another plan is rejected, and the one there was did it": {
			func(k *projtest.Task) { k.Check(1, 0.8).End().Turn(url).Check(1, 0.3).Complete("done") }, "1/1", "0/2", "0/0", 1,
		},
		"of two plans that passed the task went by the second": {
			func(k *projtest.Task) { k.Check(1, 0.8).End().Turn(url).Check(1, 0.9).Fail("GAVE_UP", "no") }, "0/1", "0/2", "0/0", 1,
		},
		"a retry is one of its own turn": {
			func(k *projtest.Task) {
				k.Check(1, 0.6).End().Turn(url).Check(1, 0.6).Check(2, 0.6).Fail("GAVE_UP", "no")
			}, "3/3", "0/3", "0/1", 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := projtest.New(t)
			tt.given(begin(e))
			c := report(t, e, calibration.Filter{Tenant: projtest.Tenant}).Checkpoints[0]
			got := []string{
				rate(c.CatchRate.Count, c.CatchRate.Of), rate(c.FalsePositiveRate.Count, c.FalsePositiveRate.Of), rate(c.RetrySuccess.Count, c.RetrySuccess.Of),
			}
			if diff := cmp.Diff([]string{tt.caught, tt.falselyRejected, tt.retried}, got); diff != "" || c.Correlation.Of != tt.scored {
				t.Errorf("%d tasks in the correlation, want %d; caught, falsely rejected, retries (-want +got):\n%s", c.Correlation.Of, tt.scored, diff)
			}
		})
	}
}

// Four tasks, all figures by hand.
func TestReport_Checkpoint(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	begin(e).Check(1, 0.6).Check(2, 0.8).Complete("done")
	begin(e).Check(1, 0.75).Fail("GAVE_UP", "no")
	begin(e).Check(1, 0.3).Complete("done")
	begin(e).Append(task.PlanChecked{Attempt: 1, Option: "adversarial", Scores: plan.Scores{Completeness: 1}, Overall: 1, Verdict: plan.Pass, By: "m-2"})
	got := report(t, e, calibration.Filter{})
	half, fourth, all := 0.5, 0.25, 1.0
	want := []calibration.Checkpoint{{
		Checkpoint: "plan", Checks: 5, MeanScore: (0.6 + 0.8 + 0.75 + 0.3 + 1) / 5,
		Verdicts: []calibration.ByVerdict{
			{Option: "adversarial", Verdict: "PASS", Checks: 1, MeanScore: 1},
			{Option: "self", Verdict: "FAIL", Checks: 1, MeanScore: 0.3},
			{Option: "self", Verdict: "PASS", Checks: 2, MeanScore: 0.775},
			{Option: "self", Verdict: "RETRY", Checks: 1, MeanScore: 0.6},
		},
		Bins: []calibration.Bin{
			{From: 0, To: 0.5, Count: 1, Succeeded: 1, Mean: of(0.3)},
			{From: 0.5, To: 0.6},
			{From: 0.6, To: 0.7}, // what was retried stands for nothing
			{From: 0.7, To: 0.8, Count: 1, Failed: 1, Mean: of(0.75)},
			{From: 0.8, To: 0.9, Count: 1, Succeeded: 1, Mean: of(0.8)},
			{From: 0.9, To: 1, Count: 1}, // open
		},
		Correlation:       calibration.Correlation{Of: 3, Needed: 100},
		CatchRate:         calibration.Rate{Count: 1, Of: 2, Rate: &half},
		FalsePositiveRate: calibration.Rate{Count: 1, Of: 4, Rate: &fourth},
		RetrySuccess:      calibration.Rate{Count: 1, Of: 1, Rate: &all},
		Alerts:            []calibration.Alert{},
	}}
	if diff := cmp.Diff(want, got.Checkpoints, nearly); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Of 60 tasks at 0.8 45 were completed, of 40 at 0.4 10: (45*30 - 15*10) divided by the
// root of 60*40*55*45.
func TestReport_Correlation(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	tasks := func(n int, score float64, end func(*projtest.Task)) {
		for range n {
			end(begin(e).Check(1, score))
		}
	}
	completed := func(k *projtest.Task) { k.Complete("done") }
	failed := func(k *projtest.Task) { k.Fail("GAVE_UP", "no") }
	tasks(45, 0.8, completed)
	tasks(15, 0.8, failed)
	tasks(10, 0.4, completed)
	tasks(29, 0.4, failed)
	if c := report(t, e, calibration.Filter{}).Checkpoints[0].Correlation; c.Of != 99 || c.Value != nil {
		t.Errorf("of 99 tasks: %+v, want none", c)
	}
	tasks(1, 0.4, failed)
	c := report(t, e, calibration.Filter{}).Checkpoints[0]
	if diff := cmp.Diff(of(0.492365963917331), c.Correlation.Value, nearly); diff != "" {
		t.Errorf("of 100 tasks (-want +got):\n%s", diff)
	}
	if c.CatchRate.Count != 30 || c.CatchRate.Of != 45 || c.FalsePositiveRate.Count != 10 || c.FalsePositiveRate.Of != 100 {
		t.Errorf("caught %+v, falsely rejected %+v", c.CatchRate, c.FalsePositiveRate)
	}
}

func TestReport_CorrelationOfWhatIsAlwaysTheSame(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	for range 100 {
		begin(e).Check(1, 0.8).Complete("done")
	}
	if c := report(t, e, calibration.Filter{}).Checkpoints[0].Correlation; c.Of != 100 || c.Value != nil {
		t.Errorf("%+v, want no value", c)
	}
}

// act appends an action of a confidence.
func act(k *projtest.Task, by string, step int, confidence float64) *projtest.Task {
	return k.Append(task.ActionGenerated{Turn: 1, StepIndex: step, Kind: action.Click, Confidence: confidence, By: by, Action: `click("1")`})
}

func TestReport_Actions(t *testing.T) {
	t.Parallel()
	verdict := func(step int, v task.ActionVerified) task.ActionVerified {
		v.Turn, v.StepIndex = 2, step
		if v.By == "" {
			v.By = "rules"
		}
		return v
	}
	e := projtest.New(t)
	k := begin(e)
	for step, tt := range []struct {
		confidence float64
		verdicts   []task.ActionVerified
	}{
		{0.95, []task.ActionVerified{{Succeeded: true}}},
		{0.91, []task.ActionVerified{{Undecided: true}, {Succeeded: true}}},           // decided later
		{0.9, []task.ActionVerified{{}, {Succeeded: true}}},                           // failed; the correction worked
		{1, []task.ActionVerified{{Undecided: true}}},                                 // never decided
		{0.5, []task.ActionVerified{{By: reasoning.ByDefault}}},                       // nobody judged
		{0.55, []task.ActionVerified{{By: reasoning.ByDefault}, {Succeeded: true}}},   // nor that: the second is of a correction
		{0.49, []task.ActionVerified{{Succeeded: true, By: "m-2", Confidence: 0.71}}}, // whoever judged
		{0.7, nil}, // open
	} {
		act(k, "m-1", step, tt.confidence)
		for _, v := range tt.verdicts {
			k.Append(verdict(step, v))
		}
	}
	act(begin(e), "rules", 0, 0.8).Append(verdict(0, task.ActionVerified{Succeeded: true}))
	bins := func(filled ...calibration.Bin) []calibration.Bin {
		all := []calibration.Bin{{From: 0, To: 0.5}, {From: 0.5, To: 0.6}, {From: 0.6, To: 0.7}, {From: 0.7, To: 0.8}, {From: 0.8, To: 0.9}, {From: 0.9, To: 1}}
		for _, f := range filled {
			for i := range all {
				if all[i].From == f.From {
					f.To = all[i].To
					all[i] = f
				}
			}
		}
		return all
	}
	want := []calibration.Decider{
		{By: "m-1", Bins: bins(
			calibration.Bin{From: 0, Count: 1, Succeeded: 1, Mean: of(0.49)},
			calibration.Bin{From: 0.5, Count: 2},
			calibration.Bin{From: 0.7, Count: 1},
			calibration.Bin{From: 0.9, Count: 4, Succeeded: 2, Failed: 1, Mean: of((0.95 + 0.91 + 0.9) / 3)},
		)},
		{By: "rules", Bins: bins(calibration.Bin{From: 0.8, Count: 1, Succeeded: 1, Mean: of(0.8)})},
	}
	if diff := cmp.Diff(want, report(t, e, calibration.Filter{}).Actions, nearly); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestReport_Chains(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	begin(e).Chain(5, field).Verdict(true)
	begin(e).Chain(3, field).Verdict(false)                          // all of it was done, and it did not work
	begin(e).Chain(2, field)                                         // nothing is known yet
	begin(e).Chain(4, field).Stop(2, 4, "retry")                     // stopped
	begin(e).Chain(4, field).Stop(1, 4, "regenerate").Verdict(false) // stopped
	begin(e).Chain(6, field).Stop(5, 6, "regenerate").Verdict(true)  // stopped
	begin(e).Act(projtest.Click("1"), field).Verdict(true)           // no chain
	share := 0.4
	want := calibration.Chains{
		Chains: 6, MeanLength: of(4), Whole: calibration.Rate{Count: 2, Of: 5, Rate: &share},
		Recoveries: []calibration.Recovery{{Recovery: "regenerate", Chains: 2}, {Recovery: "retry", Chains: 1}},
	}
	got := report(t, e, calibration.Filter{})
	if diff := cmp.Diff(want, got.Chains, nearly); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	without, err := calibration.Queries{DB: e.Pool}.WithoutActions(t.Context(), calibration.Filter{})
	got.Actions = nil
	if diff := cmp.Diff(got, without); diff != "" || err != nil {
		t.Errorf("without actions: %v (-with +without)\n%s", err, diff)
	}
}

// Where the text is gone nobody knows what was a chain; checks and actions stay.
func TestReport_OfErasedTasks(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	e.Keys.Drop(begin(e).Check(1, 0.8).Chain(3, field).Stop(1, 3, "retry").Verdict(true).Complete("done").ID)
	e.Keys.Drop(begin(e).Chain(3, field).Verdict(true).Complete("done").ID)
	got := report(t, e, calibration.Filter{})
	if diff := cmp.Diff(calibration.Chains{Recoveries: []calibration.Recovery{}}, got.Chains); diff != "" {
		t.Errorf("chains (-want +got):\n%s", diff)
	}
	if len(got.Checkpoints) != 1 || got.Checkpoints[0].FalsePositiveRate.Of != 1 || len(got.Actions) != 1 || got.Actions[0].Bins[5].Count != 2 {
		t.Errorf("%+v", got)
	}
}

func TestReport_Selects(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	start := now
	e.Store = memory.New(memory.Options{Now: func() time.Time { return now }})
	for i := range 4 {
		k := e.Task("s", url, "q")
		if i == 3 {
			k.Tenant = "globex"
		}
		k.Turn(url).Check(1, 0.8).Chain(2, field)
		now = now.Add(time.Hour)
		k.Verdict(true).Complete("done")
	}
	for name, tt := range map[string]struct {
		filter calibration.Filter
		want   int
	}{
		"a tenant":                 {calibration.Filter{Tenant: projtest.Tenant}, 3},
		"another tenant":           {calibration.Filter{Tenant: "globex"}, 1},
		"a tenant that is none":    {calibration.Filter{Tenant: "nobody"}, 0},
		"all tenants":              {calibration.Filter{}, 4},
		"from a time":              {calibration.Filter{From: start.Add(time.Hour)}, 3},
		"up to a time":             {calibration.Filter{To: start.Add(time.Hour)}, 1},
		"a time in between":        {calibration.Filter{From: start.Add(time.Hour), To: start.Add(3 * time.Hour)}, 2},
		"another tenant and times": {calibration.Filter{Tenant: "globex", To: start.Add(time.Hour)}, 0},
	} {
		got := report(t, e, tt.filter)
		checks, actions := 0, 0
		for _, c := range got.Checkpoints {
			checks += c.Checks
		}
		for _, a := range got.Actions {
			actions += a.Bins[5].Succeeded
		}
		if checks != tt.want || actions != tt.want || got.Chains.Whole.Count != tt.want {
			t.Errorf("%s: %d checks, %d actions, %d chains; want %d", name, checks, actions, got.Chains.Whole.Count, tt.want)
		}
	}
}

// The outputs of sub-tasks are checked each by itself, across turns, and the last message
// in the end.
func TestReport_OtherCheckpoints(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	output := func(k *projtest.Task, turn, index, attempt int, overall float64, verdict plan.CheckVerdict) {
		k.Append(task.SubTaskOutputChecked{Turn: turn, Index: index, Attempt: attempt, Overall: overall, Verdict: verdict, By: "m-1"})
	}
	k := begin(e)
	output(k, 1, 0, 1, 0.6, plan.Retry)
	k.End().Turn(url)
	output(k, 2, 0, 2, 0.9, plan.Pass)
	output(k, 2, 1, 1, 0.8, plan.Pass)
	k.Append(task.SynthesisChecked{Turn: 2, Attempt: 1, Overall: 1, Verdict: plan.Pass, By: "rules"}).Complete("done")
	got := report(t, e, calibration.Filter{Tenant: projtest.Tenant}).Checkpoints
	if len(got) != 2 || got[0].Checkpoint != calibration.OutputCheckpoint || got[1].Checkpoint != calibration.SynthesisCheckpoint {
		t.Fatalf("%+v", got)
	}
	out := got[0]
	if out.Checks != 3 || rate(out.RetrySuccess.Count, out.RetrySuccess.Of) != "1/1" || rate(out.CatchRate.Count, out.CatchRate.Of) != "1/1" || got[1].Checks != 1 {
		t.Errorf("%+v", got)
	}
}

func TestQueries_Expire(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		end       func(*projtest.Task) // a day after the beginning
		after     time.Duration        // the beginning
		forgotten int64
	}{
		"completed 89 days ago":       {func(k *projtest.Task) { k.Complete("done") }, 90 * day, 0},
		"completed 91 days ago":       {func(k *projtest.Task) { k.Complete("done") }, 92 * day, 2},
		"failed 89 days ago":          {func(k *projtest.Task) { k.Fail("GAVE_UP", "no") }, 90*day + time.Hour, 0},
		"failed 91 days ago":          {func(k *projtest.Task) { k.Fail("GAVE_UP", "no") }, 92 * day, 2},
		"without an end, 89 days old": {func(*projtest.Task) {}, 89 * day, 0},
		"without an end, 91 days old": {func(*projtest.Task) {}, 91 * day, 2},
		"interrupted, 91 days old":    {func(k *projtest.Task) { k.Append(task.TaskInterrupted{}) }, 91 * day, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, start := projtest.New(t), time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
			now := start
			e.Store = memory.New(memory.Options{Now: func() time.Time { return now }})
			k := begin(e).Check(1, 0.8).Act(projtest.Click("1"), field)
			now = now.Add(day)
			tt.end(k)
			e.CatchUp(calibration.Projection)
			q := calibration.Queries{DB: e.Pool, Now: func() time.Time { return start.Add(tt.after) }}
			for _, want := range []int64{tt.forgotten, 0} {
				if n, err := q.Expire(t.Context()); err != nil || n != want {
					t.Errorf("%d rows forgotten, %v; want %d", n, err, want)
				}
			}
		})
	}
}

// No text of the task is kept.
func TestApply_KeepsNoText(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	k := begin(e)
	k.Query = "a patient named Hunter2zz"
	k.Check(1, 0.6).Chain(2, field).End().Turn(url).Verdict(true).Complete("Hunter2zz is there")
	e.CatchUp(calibration.Projection)
	if n := e.Count(`select count(*) from read.checkpoint_score r where r::text ~* 'saved|hunter|clinic'`) +
		e.Count(`select count(*) from read.action_confidence r where r::text ~* 'a value|hunter|clinic'`); n != 0 {
		t.Error(e.Dump(calibration.Projection))
	}
	if n := e.Count(`select count(*) from read.checkpoint_score where scores ->> 'completeness' = '0.6' and checked_by = 'm-1'`); n != 1 {
		t.Error(e.Dump(calibration.Projection))
	}
}
