package skills_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/projections"
	"github.com/stepledger/stepledger/projections/projtest"
	"github.com/stepledger/stepledger/projections/skills"
)

const (
	url  = "https://Demo.clinic.example:8443/main?token=1"
	site = "demo.clinic.example"
	goal = "Add a new patient"
)

var (
	menu   = projtest.Target("68", "link", "Patient")
	search = projtest.Target("79", "menuitem", "New/Search")
	other  = projtest.Target("1", "link", "Home")
)

// lesson is a task in which the menu failed and the search worked.
func lesson(e *projtest.Env, goal string, skillsShown ...string) *projtest.Task {
	return retried(e, goal, skillsShown...).Verdict(true).Act(projtest.Click("1"), menu).End()
}

// retried is a lesson before its verdict.
func retried(e *projtest.Env, goal string, skillsShown ...string) *projtest.Task {
	return begin(e, goal).Act(projtest.Click("68"), menu, skillsShown...).End().
		Turn(url).Verdict(false).Correct(reasoning.AlternativeSelector, projtest.Click("79"), search).End().
		Turn(url)
}

// unjudged is the verdict of the graph on a task's first step where neither
// rules nor a model could tell.
func unjudged(k *projtest.Task) {
	k.Append(task.ActionVerified{Succeeded: true, Confidence: reasoning.SuccessThreshold, Tier: 1, By: reasoning.ByDefault})
}

// undecided is a verdict after which the action stays under judgement.
func undecided(k *projtest.Task) *projtest.Task {
	return k.Append(task.ActionVerified{Undecided: true, Missing: reasoning.MissingAnswer, Confidence: reasoning.FailureThreshold, Tier: 1, By: "rules"})
}

// corrected is a task whose first action failed and whose correction worked, which was
// as said.
func corrected(c task.CorrectionIssued) func(*projtest.Env) {
	return func(e *projtest.Env) {
		k := begin(e, goal).Act(projtest.Click("68"), menu).Verdict(false)
		c.Attempt, c.Strategy, c.Kind, c.By = 1, reasoning.AlternativeTool, action.Click, "rules"
		c.FailedAction, c.FailedTarget, c.RetryAction, c.RetryTarget = `click("68")`, menu, `click("79")`, search
		c.Before = page.Before{URL: url}
		k.Append(c).Verdict(true)
	}
}

func begin(e *projtest.Env, goal string) *projtest.Task {
	return e.Task(e.Session(), url, goal).Turn(url)
}

func find(t *testing.T, e *projtest.Env, tenant, site, goal string, now time.Time) []reasoning.Skill {
	t.Helper()
	e.CatchUp(skills.Projection)
	q := skills.Queries{DB: e.Pool, Now: func() time.Time { return now }}
	found, err := q.Find(t.Context(), tenant, site, goal)
	if err != nil {
		t.Fatal(err)
	}
	for i := range found {
		if found[i].Task == "" {
			t.Errorf("nobody taught %+v", found[i])
		}
		found[i].Task = ""
	}
	return found
}

func TestQueries_Find(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	lesson(e, goal)
	want := []reasoning.Skill{{
		Goal: goal, FailedAction: "click", FailedTarget: menu.Target, ErrorType: "VERIFICATION_FAILED",
		UseAction: "click", UseTarget: search.Target, Strategy: string(reasoning.AlternativeSelector), Successes: 1,
	}}
	tests := []struct {
		name, tenant, site, goal string
		age                      time.Duration
		found                    bool
	}{
		{"the same goal", projtest.Tenant, site, goal, 0, true},
		{"a goal like it", projtest.Tenant, site, "add patient", 0, true},
		{"a goal with more to it", projtest.Tenant, site, "Add a new patient named Jas Miller born 1980", 0, true},
		{"a goal about something else", projtest.Tenant, site, "add a new user", 0, false},
		{"in other case and spacing", projtest.Tenant, site, "ADD  A new Patient ", 0, true},
		{"a page of the site", projtest.Tenant, "https://demo.clinic.example/other", goal, 0, true},
		{"another goal", projtest.Tenant, site, "print the monthly report", 0, false},
		{"another site", projtest.Tenant, "clinic.example", goal, 0, false},
		{"another tenant", "globex", site, goal, 0, false},
		{"unused for 89 days", projtest.Tenant, site, goal, 89 * 24 * time.Hour, true},
		{"unused for 91 days", projtest.Tenant, site, goal, 91 * 24 * time.Hour, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := find(t, e, tt.tenant, tt.site, tt.goal, time.Now().Add(tt.age))
			if !tt.found {
				if len(got) != 0 {
					t.Errorf("got %+v, want none", got)
				}
				return
			}
			if len(got) == 1 {
				want[0].ID = got[0].ID
			}
			if diff := cmp.Diff(want, got); diff != "" || !domain.ValidUUID(got[0].ID) {
				t.Errorf("skills (-want +got):\n%s", diff)
			}
		})
	}
}

func TestApply_WhatTeaches(t *testing.T) {
	t.Parallel()
	secret := projtest.Target("9", "textbox", "PIN of Ann")
	secret.Secret = true
	correct := func(s reasoning.Strategy, a action.Action, target task.Target) func(*projtest.Env) {
		return func(e *projtest.Env) {
			begin(e, goal).Act(projtest.Click("68"), menu).Verdict(false).Correct(s, a, target).Verdict(true)
		}
	}
	tests := []struct {
		name  string
		given func(*projtest.Env)
		want  int
	}{
		{"a correction that worked", correct(reasoning.AlternativeTool, projtest.Click("79"), search), 1},
		{"a correction that did not", func(e *projtest.Env) {
			begin(e, goal).Act(projtest.Click("68"), menu).Verdict(false).
				Correct(reasoning.AlternativeTool, projtest.Click("79"), search).Verdict(false)
		}, 0},
		{"a correction whose verdict never came", func(e *projtest.Env) {
			begin(e, goal).Act(projtest.Click("68"), menu).Verdict(false).
				Correct(reasoning.AlternativeTool, projtest.Click("79"), search).Fail("GAVE_UP", "no")
		}, 0},
		{"a first try that worked", func(e *projtest.Env) { begin(e, goal).Act(projtest.Click("68"), menu).Verdict(true) }, 0},
		{"the second correction, for all that failed before it", func(e *projtest.Env) {
			begin(e, goal).Act(projtest.Click("68"), menu).Verdict(false).
				Correct(reasoning.AlternativeTool, projtest.Click("70"), projtest.Target("70", "link", "Home")).Verdict(false).
				Correct(reasoning.AlternativeTool, projtest.Click("79"), search).Verdict(true)
		}, 2},
		{"the first action, in the end", func(e *projtest.Env) {
			begin(e, goal).Act(projtest.Click("68"), menu).Verdict(false).
				Correct(reasoning.AlternativeTool, projtest.Click("70"), projtest.Target("70", "link", "Home")).Verdict(false).
				Correct(reasoning.AlternativeTool, projtest.Click("68"), menu).Verdict(true)
		}, 1},
		{"a failed correction is no lesson of a later success", func(e *projtest.Env) {
			begin(e, goal).Act(projtest.Click("68"), menu).Verdict(false).
				Correct(reasoning.AlternativeTool, projtest.Click("79"), search).Verdict(false).
				Correct(reasoning.RetryWithDelay, projtest.Click("79"), search).Verdict(true)
		}, 0},
		{"waiting", correct(reasoning.GatherInformation, action.Action{Name: action.Wait, Seconds: 2}, task.Target{}), 0},
		{"trying again later", correct(reasoning.RetryWithDelay, projtest.Click("79"), search), 0},
		{"the same on the same element", correct(reasoning.AlternativeSelector, projtest.Click("680"), menu), 0},
		{"two tasks with the same lesson are one skill", func(e *projtest.Env) { lesson(e, goal); lesson(e, "add a new PATIENT") }, 1},
		{"a secret field", correct(reasoning.AlternativeTool, projtest.Set("9", "4711"), secret), 0},
		{"an element without a name", correct(reasoning.AlternativeSelector, projtest.Click("7"), projtest.Target("7", "button", "")), 0},
		{"a key", correct(reasoning.AlternativeTool, action.Action{Name: action.Press, Text: "Enter"}, task.Target{}), 1},
		{"a value that was typed", correct(reasoning.AlternativeTool, projtest.Set("8", "4711"), projtest.Target("8", "textbox", "Ward")), 1},
		{"a verdict nobody gave", func(e *projtest.Env) { unjudged(retried(e, goal)) }, 0},
		{"a correction of which nobody could tell", func(e *projtest.Env) {
			undecided(begin(e, goal).Act(projtest.Click("68"), menu).Verdict(false).Correct(reasoning.AlternativeTool, projtest.Click("79"), search))
		}, 0},
		{"a correction nobody could tell of at first, and that worked", func(e *projtest.Env) {
			undecided(begin(e, goal).Act(projtest.Click("68"), menu).Verdict(false).Correct(reasoning.AlternativeTool, projtest.Click("79"), search)).Verdict(true)
		}, 1},
		{"what worked after a wait, which may be what was waited for", func(e *projtest.Env) {
			begin(e, goal).Act(projtest.Click("68"), menu).Verdict(false).
				Correct(reasoning.RetryWithDelay, action.Action{Name: action.Wait, Seconds: 1}, task.Target{}).Verdict(false).
				Correct(reasoning.AlternativeTool, action.Action{Name: action.Press, Text: "Enter"}, task.Target{}).Verdict(true)
		}, 0},
		{"taking away what was in the way", corrected(task.CorrectionIssued{Clears: true}), 0},
		{"what worked once the server was back", corrected(task.CorrectionIssued{ErrorType: reasoning.ServerError}), 0},
		{"what worked once the network was back", corrected(task.CorrectionIssued{ErrorType: "NETWORK_ERROR"}), 0},
		{"what the client could not find", corrected(task.CorrectionIssued{ErrorType: "ELEMENT_NOT_FOUND"}), 1},
		{"a forgotten user", func(e *projtest.Env) { e.Keys.Drop(lesson(e, goal).ID) }, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := projtest.New(t)
			tt.given(e)
			e.CatchUp(skills.Projection)
			if n := e.Count(`select count(*) from read.skill`); n != tt.want {
				t.Errorf("%d skills, want %d", n, tt.want)
			}
			if n := e.Count(`select count(*) from read.skill s where s::text like any (array['%4711%', '%PIN%', '%token%'])`); n != 0 {
				t.Error("a value, the name of a secret field or a query string was kept")
			}
		})
	}
}

func TestApply_OutcomesCount(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	lesson(e, goal)
	id := find(t, e, projtest.Tenant, site, goal, time.Now())[0].ID
	counts := func() [2]int {
		t.Helper()
		e.CatchUp(skills.Projection)
		return [2]int{
			e.Count(`select successes from read.skill where skill_id = $1`, id),
			e.Count(`select failures from read.skill where skill_id = $1`, id),
		}
	}
	steps := []struct {
		name string
		do   func()
		want [2]int
	}{
		{"shown and it worked", func() { begin(e, goal).Act(projtest.Click("79"), search, id).Verdict(true) }, [2]int{2, 0}},
		{"shown and it did not", func() { begin(e, goal).Act(projtest.Click("79"), search, id).Verdict(false) }, [2]int{2, 1}},
		{"a later step is not its doing", func() {
			begin(e, goal).Act(projtest.Click("79"), search, id).Verdict(true).Act(projtest.Click("1"), menu).Verdict(false)
		}, [2]int{3, 1}},
		{"learnt again", func() { lesson(e, goal) }, [2]int{4, 1}},
		{"shown for the retry that teaches it: counted once", func() {
			begin(e, goal).Act(projtest.Click("68"), menu).Verdict(false).
				Correct(reasoning.AlternativeSelector, projtest.Click("79"), search, id).Verdict(true)
		}, [2]int{5, 1}},
		{"an id the model made up", func() { begin(e, goal).Act(projtest.Click("1"), menu, "skill-1", domain.NewUUID()).Verdict(true) }, [2]int{5, 1}},
		{"shown and nobody could tell", func() { unjudged(begin(e, goal).Act(projtest.Click("79"), search, id)) }, [2]int{5, 1}},
		{"nor is it told by the next verdict", func() {
			k := begin(e, goal).Act(projtest.Click("79"), search, id)
			unjudged(k)
			k.Verdict(false)
		}, [2]int{5, 1}},
		{"another tenant's task", func() {
			k := begin(e, goal)
			k.Tenant = "globex"
			k.Act(projtest.Click("79"), search, id).Verdict(false)
		}, [2]int{5, 1}},
		{"shown for another action that worked", func() { begin(e, goal).Act(projtest.Click("1"), other, id).Verdict(true) }, [2]int{5, 1}},
		{"shown for another action that did not", func() { begin(e, goal).Act(projtest.Click("1"), other, id).Verdict(false) }, [2]int{5, 1}},
		{"not heeded, and what it warns of failed", func() { begin(e, goal).Act(projtest.Click("68"), menu, id).Verdict(false) }, [2]int{5, 1}},
		{"not heeded, and what it warns of worked", func() { begin(e, goal).Act(projtest.Click("68"), menu, id).Verdict(true) }, [2]int{5, 2}},
		{"an erased task's", func() {
			e.Keys.Drop(begin(e, goal).Act(projtest.Click("79"), search, id).Verdict(false).ID)
		}, [2]int{5, 2}},
	}
	for _, s := range steps {
		s.do()
		if got := counts(); got != s.want {
			t.Fatalf("%s: %v successes and failures, want %v", s.name, got, s.want)
		}
	}
	if n := e.Count(`select shown from read.skill where skill_id = $1`, id); n != 10 {
		t.Errorf("shown for %d actions of the tenant, want 10", n)
	}
	for range 4 {
		begin(e, goal).Act(projtest.Click("79"), search, id).Verdict(false)
	}
	if got := find(t, e, projtest.Tenant, site, goal, time.Now()); len(got) != 0 {
		t.Errorf("five of eleven: got %+v; a skill that fails more than half the time is not shown", got)
	}
}

func TestQueries_Find_BestFirst(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	for i, name := range []string{"one", "two", "three", "four", "five", "six"} {
		target := projtest.Target("1", "button", name)
		for range i + 1 {
			begin(e, goal).Act(projtest.Click("68"), menu).Verdict(false).
				Correct(reasoning.AlternativeSelector, projtest.Click("1"), target).Verdict(true)
		}
	}
	var names []string
	for _, s := range find(t, e, projtest.Tenant, site, goal, time.Now()) {
		names = append(names, s.UseTarget.Name)
	}
	if diff := cmp.Diff([]string{"six", "five", "four", "three", "two", "one"}, names); diff != "" {
		t.Errorf("those that worked most often first (-want +got):\n%s", diff)
	}
}

// fill makes a library of n skills that have worked as often as their number.
const fill = `
	insert into read.skill
	select gen_random_uuid(), $1, 'other.example', 'g', 'g', 'click', '', '', '', 'click', '', n::text, '', '',
		n, 0, now() - make_interval(days => $3), now(), gen_random_uuid()
	from generate_series(2, $2::integer + 1) n`

func TestApply_LibraryIsBounded(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name      string
		age, want int
		leaves    string
	}{
		{"the least useful leaves first, not the newest", 1, skills.MaxPerTenant, "2"},
		{"what nobody used for 90 days leaves", 91, 1, "10001"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := projtest.New(t)
			if err := projections.NewRunner(e.Config(skills.Projection)).Prepare(t.Context()); err != nil {
				t.Fatal(err)
			}
			for _, tenant := range []string{projtest.Tenant, "globex"} {
				if _, err := e.Pool.Exec(t.Context(), fill, tenant, skills.MaxPerTenant, tt.age); err != nil {
					t.Fatal(err)
				}
			}
			lesson(e, goal)
			e.CatchUp(skills.Projection)
			if n := e.Count(`select count(*) from read.skill where tenant = $1`, projtest.Tenant); n != tt.want {
				t.Errorf("%d skills, want %d", n, tt.want)
			}
			if n := e.Count(`select count(*) from read.skill where tenant = $1 and use_name = $2`, projtest.Tenant, tt.leaves); n != 0 {
				t.Errorf("skill %s is still there", tt.leaves)
			}
			if n := e.Count(`select count(*) from read.skill where site = $1`, site); n != 1 {
				t.Error("what was just learnt is not there")
			}
			if n := e.Count(`select count(*) from read.skill where tenant = 'globex'`); n != skills.MaxPerTenant {
				t.Errorf("another tenant has %d skills left, want all", n)
			}
		})
	}
}

func TestQueries_List(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	first := lesson(e, goal)
	k := begin(e, goal)
	k.Tenant = "globex"
	k.Act(projtest.Click("68"), menu).Verdict(false).Correct(reasoning.AlternativeSelector, projtest.Click("79"), search).Verdict(true)
	e.CatchUp(skills.Projection)
	for _, tt := range []struct {
		tenant, site string
		age          time.Duration
		want         int
	}{
		{projtest.Tenant, "", 0, 1}, {projtest.Tenant, url, 0, 1}, {projtest.Tenant, "other.example", 0, 0}, {"", "", 0, 2},
		{"nobody", "", 0, 0}, {"", "", 91 * 24 * time.Hour, 0},
	} {
		q := skills.Queries{DB: e.Pool, Now: func() time.Time { return time.Now().Add(tt.age) }}
		got, err := q.List(t.Context(), tt.tenant, tt.site)
		if err != nil || len(got) != tt.want {
			t.Errorf("%q on %q: %d skills, %v; want %d", tt.tenant, tt.site, len(got), err, tt.want)
		}
		if tt.want == 1 && (got[0].Task != first.ID || got[0].Site != site || got[0].Goal != goal || got[0].LastUsed.IsZero()) {
			t.Errorf("%q on %q: %+v", tt.tenant, tt.site, got[0])
		}
	}
}

func TestQueries_Expire(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	lesson(e, goal)
	e.CatchUp(skills.Projection)
	for _, tt := range []struct {
		days int
		want int64
	}{{89, 0}, {91, 1}, {91, 0}} {
		later := time.Now().Add(time.Duration(tt.days) * 24 * time.Hour)
		q := skills.Queries{DB: e.Pool, Now: func() time.Time { return later }}
		if n, err := q.Expire(t.Context()); err != nil || n != tt.want {
			t.Errorf("after %d days: %d forgotten, %v; want %d", tt.days, n, err, tt.want)
		}
	}
}

// A goal that repeats what becomes known as secret loses it, in the skill it has
// taught as well, and is still found by what is left.
func TestApply_GoalsWithoutSecrets(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	named := projtest.Target("79", "menuitem", "Hunter2zz")
	k := begin(e, "Add a new patient with hunter2zz").Act(projtest.Click("68"), menu).End().
		Turn(url).Verdict(false).Correct(reasoning.AlternativeSelector, projtest.Click("79"), named).End().
		Turn(url).Verdict(true).Act(projtest.Click("1"), menu).End()
	e.CatchUp(skills.Projection)
	k.Turn(url).Typed("hunter2zz")
	found := find(t, e, projtest.Tenant, site, "Add a new patient with [secret]", time.Now())
	if len(found) != 1 || found[0].Goal != "Add a new patient with [secret]" || found[0].UseTarget.Name != "[secret]" {
		t.Errorf("found %+v", found)
	}
	if rows := e.Dump(skills.Projection); strings.Contains(strings.ToLower(rows), "hunter") {
		t.Error(rows)
	}
}
