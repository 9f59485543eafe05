package kpi_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/projections"
	"github.com/stepledger/stepledger/projections/kpi"
	"github.com/stepledger/stepledger/projections/projtest"
)

const (
	url   = "https://clinic.example/"
	skill = "11111111-1111-4111-8111-111111111111"
	short = "Click New patient"
	long  = "Add a new patient with name 'Jas' and send her the form, then compare the two lists and write down every difference in the notes"
)

var field = projtest.Target("1", "textbox", "Name")

// shown are figures as lines, but those of names that are left out.
func shown(f kpi.Figures, without ...string) string {
	var lines []string
	for key, t := range f {
		if slices.Contains(without, key[0]) {
			continue
		}
		line := fmt.Sprintf("%s %s: %d", key[0], key[1], t.Count)
		if t.Total != 0 {
			line += fmt.Sprintf(" of %g", t.Total)
		}
		lines = append(lines, line)
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

func TestFigures(t *testing.T) {
	t.Parallel()
	click := projtest.Click("1")
	verdict := func(succeeded bool) func(k *projtest.Task) *projtest.Task {
		return func(k *projtest.Task) *projtest.Task { return k.End().Turn(url).Verdict(succeeded) }
	}
	worked, failed := verdict(true), verdict(false)
	for name, tt := range map[string]struct {
		query string
		given func(k *projtest.Task)
		want  []string
	}{
		"a simple task, done in one step": {short, func(k *projtest.Task) { worked(k.Act(click, field)).Complete("done") }, []string{
			"answer none: 1 of 1", "simple task right: 1", "task completed: 1", "verdict succeeded: 1",
		}},
		"a simple task that took six steps": {short, func(k *projtest.Task) {
			for range 6 {
				worked(k.Act(click, field))
			}
			k.Complete("done")
		}, []string{"answer none: 6 of 6", "simple task misjudged: 1", "task completed: 1", "verdict succeeded: 6"}},
		"a simple task with a plan": {short, func(k *projtest.Task) {
			k.Act(click, field).Append(task.PlanMade{Cause: "first"}).Fail("GAVE_UP", "no")
		}, []string{
			"answer none: 1 of 1", "planned task kept: 1", "simple task misjudged: 1", "task failed: 1",
		}},
		"a complex task, planned anew twice": {long, func(k *projtest.Task) {
			k.Act(click, field).Append(task.PlanMade{Cause: "first"}, task.PlanMade{Cause: "url"}, task.PlanMade{Cause: "missing"}).Complete("done")
		}, []string{"answer none: 1 of 1", "planned task replaced: 1", "task completed: 1"}},
		"a part's first plan replaces none": {long, func(k *projtest.Task) {
			k.Act(click, field).Append(task.PlanMade{Cause: "first"}, task.PlanMade{Cause: string(reasoning.PlanOfPart)}).Complete("done")
		}, []string{"answer none: 1 of 1", "planned task kept: 1", "task completed: 1"}},
		"interrupted, gone on with and done": {long, func(k *projtest.Task) {
			k.Act(click, field).Append(task.TaskInterrupted{}).Turn(url).Append(task.TaskResumed{}).Complete("done")
		}, []string{"answer none: 1 of 1", "task completed: 1", "task interrupted: 1"}},
		"a chain saves round trips": {long, func(k *projtest.Task) { worked(k.Chain(3, field)) }, []string{"answer none: 1 of 3", "verdict succeeded: 1"}},
		"a correction that worked": {long, func(k *projtest.Task) {
			worked(failed(k.Act(click, field)).Correct(reasoning.AlternativeSelector, click, field))
		}, []string{"answer none: 1 of 1", "correction succeeded: 1", "verdict failed: 1", "verdict succeeded: 1"}},
		"two corrections, the second worked": {long, func(k *projtest.Task) {
			worked(failed(failed(k.Act(click, field)).Correct(reasoning.AlternativeSelector, click, field)).Correct(reasoning.AlternativeSelector, click, field))
		}, []string{"answer none: 1 of 1", "correction failed: 1", "correction succeeded: 1", "verdict failed: 2", "verdict succeeded: 1"}},
		"giving up corrects nothing": {long, func(k *projtest.Task) {
			failed(k.Act(click, field)).Correct(reasoning.GiveUp, action.Action{Name: action.Fail}, field).Fail("GAVE_UP", "no")
		}, []string{"answer none: 1 of 1", "task failed: 1", "verdict failed: 1"}},
		"a skill was shown, and it worked": {long, func(k *projtest.Task) { worked(k.Act(click, field, skill)) }, []string{
			"answer skill: 1 of 1", "skill shown succeeded: 1", "verdict succeeded: 1",
		}},
		"the verdict of the next step is not the skill's": {long, func(k *projtest.Task) { worked(worked(k.Act(click, field, skill)).Act(click, field)) }, []string{
			"answer none: 1 of 1", "answer skill: 1 of 1", "skill shown succeeded: 1", "verdict succeeded: 2",
		}},
		"nobody judged": {long, func(k *projtest.Task) {
			k.Act(click, field).Append(task.ActionVerified{Undecided: true}, task.ActionVerified{Succeeded: true, By: reasoning.ByDefault})
		}, []string{"answer none: 1 of 1"}},
		"where the information is": {long, func(k *projtest.Task) {
			page, web := []reasoning.Source{reasoning.FromPage, reasoning.FromMemory}, []reasoning.Source{reasoning.FromWeb}
			k.Append(
				task.ContextAnalyzed{Sources: page, Confidence: 0.75, Route: reasoning.Proceed},
				task.InformationChecked{Sources: []reasoning.Source{reasoning.FromMemory, reasoning.FromPage}, Confidence: 0.25, Route: reasoning.SearchWeb},
				task.InformationChecked{Sources: web, Confidence: 0.5, Route: reasoning.Proceed},
				task.InformationChecked{Sources: []reasoning.Source{"somebody's text"}, Confidence: 0.5, Route: reasoning.AskFirst},
			)
		}, []string{
			"confidence MEMORY: 2 of 1", "confidence PAGE: 2 of 1", "confidence WEB_SEARCH: 1 of 0.5",
			"confidence bin MEMORY|0.3: 1", "confidence bin MEMORY|0.8: 1", "confidence bin PAGE|0.3: 1", "confidence bin PAGE|0.8: 1", "confidence bin WEB_SEARCH|0.5: 1",
			"low confidence MEMORY: 1", "low confidence PAGE: 1", "route ask: 1", "route proceed: 2", "route search: 1", "source switch : 1",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := projtest.New(t)
			tt.given(e.Task(e.Session(), url, tt.query).Turn(url))
			e.CatchUp(kpi.Projection)
			q := kpi.Queries{DB: e.Pool}
			all, err := q.Ever(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			slices.Sort(tt.want)
			if diff := cmp.Diff(strings.Join(tt.want, "\n"), shown(all)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			today, err := q.Lately(t.Context(), 24*time.Hour)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(shown(all), shown(today)); diff != "" {
				t.Errorf("ever and today (-ever +today)\n%s", diff)
			}
		})
	}
}

func TestFigures_Rate(t *testing.T) {
	t.Parallel()
	f := kpi.Figures{{kpi.Tasks, kpi.Completed}: {Count: 3}, {kpi.Tasks, kpi.Failed}: {Count: 1}, {kpi.Tasks, kpi.Interrupted}: {Count: 6}}
	if rate, ok := f.Rate(kpi.Tasks, kpi.Completed, kpi.Completed, kpi.Failed); !ok || rate != 0.75 {
		t.Errorf("%v, %v", rate, ok)
	}
	if _, ok := f.Rate(kpi.Verdicts, kpi.Succeeded, kpi.Succeeded, kpi.Failed); ok {
		t.Error("a rate without cases")
	}
}

func TestExpire(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	e.Task(e.Session(), url, short).Turn(url).Act(projtest.Click("1"), field).Complete("done")
	e.Task(e.Session(), url, short).Turn(url).Act(projtest.Click("1"), field)
	e.CatchUp(kpi.Projection)
	for _, tt := range []struct {
		age                 time.Duration
		hours, all, forever int64
	}{
		{29 * 24 * time.Hour, 0, 0, 3}, {31 * 24 * time.Hour, 0, 1, 3}, {91 * 24 * time.Hour, 3, 3, 3}, {91 * 24 * time.Hour, 0, 0, 3},
	} {
		q := kpi.Queries{DB: e.Pool, Now: func() time.Time { return time.Now().Add(tt.age) }}
		if n, err := q.Expired(t.Context()); err != nil || n != tt.hours {
			t.Errorf("after %v %d hours may go, %v; want %d", tt.age, n, err, tt.hours)
		}
		if n, err := q.Expire(t.Context()); err != nil || n != tt.all {
			t.Errorf("after %v %d rows went, %v; want %d", tt.age, n, err, tt.all)
		}
		if f, err := q.Ever(t.Context()); err != nil || int64(len(f)) != tt.forever {
			t.Errorf("after %v %d sums are left, %v", tt.age, len(f), err)
		}
	}
}

// erase forgets tasks and catches up.
func erase(e *projtest.Env, all ...*projtest.Task) {
	for _, k := range all {
		k.Erase()
		e.Keys.Drop(k.ID)
	}
	e.CatchUp(kpi.Projection)
}

func rebuild(t *testing.T, e *projtest.Env) {
	t.Helper()
	if err := projections.NewRunner(e.Config(kpi.Projection)).Rebuild(t.Context(), kpi.Projection.Name); err != nil {
		t.Fatal(err)
	}
}

// A task that is erased leaves no row of its own, whether it goes on or has ended, and a
// rebuild gives the same rows.
func TestErased_GivesTheSameTables(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	done := e.Task(e.Session(), url, long).Turn(url).Act(projtest.Click("1"), field).End().Turn(url).Verdict(true).Complete("done")
	open := e.Task(e.Session(), url, long).Turn(url).Act(projtest.Click("1"), field)
	other := e.Task(e.Session(), url, long).Turn(url).Act(projtest.Click("1"), field)
	e.CatchUp(kpi.Projection)
	if n := strings.Count(e.Dump(kpi.Projection), open.ID); n != 1 {
		t.Fatalf("%d rows of a task that goes on", n)
	}
	erase(e, done, open)
	live := e.Dump(kpi.Projection)
	if strings.Contains(live, open.ID) || !strings.Contains(live, other.ID) {
		t.Errorf("after an erasure: %s", live)
	}
	rebuild(t, e)
	if diff := cmp.Diff(live, e.Dump(kpi.Projection)); diff != "" {
		t.Errorf("tables before and after the rebuild (-before +after):\n%s", diff)
	}
}

// What a rebuild cannot know of an erased task: that its words looked simple, and how long
// its chains were. Nothing else differs.
func TestErased_WhatARebuildCannotKnow(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	gone := e.Task(e.Session(), url, short).Turn(url).Chain(3, field).End().Turn(url).Verdict(true).Complete("done")
	e.CatchUp(kpi.Projection)
	erase(e, gone)
	q := kpi.Queries{DB: e.Pool}
	live, err := q.Ever(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	rebuild(t, e)
	rebuilt, err := q.Ever(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(shown(live, kpi.Simple, kpi.Answers), shown(rebuilt, kpi.Simple, kpi.Answers)); diff != "" {
		t.Errorf("figures before and after the rebuild (-before +after):\n%s", diff)
	}
	if live[[2]string{kpi.Simple, kpi.Right}].Count != 1 || rebuilt[[2]string{kpi.Simple, kpi.Right}].Count != 0 {
		t.Errorf("simple tasks: %v, rebuilt %v", live, rebuilt)
	}
	was, is := live[[2]string{kpi.Answers, kpi.WithoutSkill}], rebuilt[[2]string{kpi.Answers, kpi.WithoutSkill}]
	if was.Count != is.Count || was.Total != 3 || is.Total != 1 {
		t.Errorf("answers: %v, rebuilt %v", was, is)
	}
}
