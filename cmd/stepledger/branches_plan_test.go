package main

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/commands/interact"
)

const (
	enough      = "context: proceed"
	passedAgain = "checks plan 1 self PASS 0.9"
	passed      = enough + " / " + passedAgain
	firstPlan   = "plans first: Open the form, Enter the name, Save"
	fallsShort  = "Nobody saves it."
	withoutPlan = "I could not make a good plan for this. Could you tell me more, or ask for one part of it first?"
)

var wentWell = object(`"reason":"It worked."`, `"actionSucceeded":true`, `"taskCompleted":false`, `"confidence":0.9`)

var goodPlan = plans(0.9, "", "Open the form", "Enter the name", "Save")

// A long task gets a plan before its first action, and the plan goes through a
// checkpoint.
func TestBranches_Planning(t *testing.T) {
	t.Parallel()
	g := newStage(t, func(*config) {})

	t.Run("the plan is in the answer, moves, and every call is on the books", func(t *testing.T) {
		p := g.begin(t, vastTask, script{
			forPlan:      {goodPlan},
			forPlanCheck: {finds(0.8, "")},
			forAction:    {acts(`click("14")`, `"planStep":1,"confidence":0.7`), acts(`setValue("21", "Jas")`, `"planStep":2`)},
			forCritique:  {approves},
		})
		a := p.turn(sight{page: patients, want: `click("14")`})
		checkPlan(t, a, 0, "active", "pending", "pending")
		if a.Plan.Steps[0].Description != "Open the form" || a.Plan.Steps[0].ToolType != "DOM" {
			t.Errorf("%+v", a.Plan.Steps[0])
		}
		a = p.turn(sight{page: filled(patientForm, nameField), saw: onForm, want: `setValue("21", "Jas")`})
		checkPlan(t, a, 1, "completed", "active", "pending")
		p.happened(enough+" / checks plan 1 adversarial PASS 0.8", firstPlan, "started", `does click("14")`, "verdict succeeded, tier 1", `does setValue("21", "Jas")`)
		if diff := cmp.Diff(map[string]int64{"PLANNING": 1, "PLAN_VERIFICATION": 1, "CRITIC": 1, "ACTION_GENERATION": 2}, p.calls()); diff != "" {
			t.Errorf("calls (-want +got):\n%s", diff)
		}
	})

	t.Run("what only the user knows is asked before anything is done", func(t *testing.T) {
		p := g.begin(t, longTask, script{
			forPlan: {
				object(`"sources":["ASK_USER"]`, `"evidence":"No ward is named."`, `"question":"Which ward?"`, `"missing":["ward"]`, `"steps":[]`, `"confidence":0.4`),
				goodPlan,
			},
			forAction: {acts(`click("14")`)},
		})
		a := p.turn(sight{page: patients, want: "needs_user_input"})
		if a.UserQuestion != "Which ward?" || a.Context == nil || a.Context.Reasoning != "No ward is named." || a.Plan != nil {
			t.Errorf("%+v", a)
		}
		checkPlan(t, p.turn(sight{page: patients, says: "South", want: `click("14")`}), 0, "active", "pending", "pending")
		if second := p.asked(forPlan, 1); !strings.Contains(second, "The user added: South") {
			t.Errorf("the reply is not in the next question: %s", second)
		}
		p.happened("context: ask", "asks: Which ward?", "is told: South", passed, firstPlan, "started", `does click("14")`)
	})

	for name, tt := range map[string]struct {
		task  string
		lines script
		want  string
		story []string
		// tells is in the second question for a plan.
		tells []string
	}{
		"a middling plan is made again, by what was wrong with it": {
			lines: script{forPlan: {plans(0.6, fallsShort, "Open the form"), goodPlan}}, want: `click("14")`,
			story: []string{enough + " / checks plan 1 self RETRY 0.6", enough + " / checks plan 2 self PASS 0.9", firstPlan, "started", `does click("14")`},
			tells: []string{"STEPS THAT WERE NOT GOOD ENOUGH", "1. Open the form", "WHAT WAS WRONG WITH THEM", fallsShort},
		},
		"a plan that stays middling fails, and the user is asked": {
			lines: script{forPlan: {plans(0.6, fallsShort, "Open"), plans(0.6, fallsShort, "Open it"), plans(0.6, fallsShort, "Open all")}},
			want:  "needs_user_input",
			story: []string{enough + " / checks plan 1 self RETRY 0.6", enough + " / checks plan 2 self RETRY 0.6", enough + " / checks plan 3 self FAIL 0.6", "asks: " + withoutPlan},
			tells: []string{fallsShort},
		},
		"a bad plan fails at once": {
			lines: script{forPlan: {plans(0.3, fallsShort, "Open the form")}}, want: "needs_user_input",
			story: []string{enough + " / checks plan 1 self FAIL 0.3", "asks: " + withoutPlan},
		},
		"somebody else looks for faults in a plan for a very long task": {
			task:  vastTask,
			lines: script{forPlan: {plans(1, "", "Open the form", "Save"), goodPlan}, forPlanCheck: {finds(0.5, fallsShort), finds(0.9, "")}}, want: `click("14")`,
			story: []string{enough + " / checks plan 1 adversarial RETRY 0.5", enough + " / checks plan 2 adversarial PASS 0.9", firstPlan, "started", `does click("14")`},
			tells: []string{"STEPS THAT WERE NOT GOOD ENOUGH", "2. Save", fallsShort},
		},
		"and a plan they think nothing of is not carried out": {
			task:  vastTask,
			lines: script{forPlan: {goodPlan}, forPlanCheck: {finds(0.2, fallsShort)}}, want: "needs_user_input",
			story: []string{enough + " / checks plan 1 adversarial FAIL 0.2", "asks: " + withoutPlan},
		},
	} {
		t.Run(name, func(t *testing.T) {
			query := longTask
			if tt.task != "" {
				query = tt.task
			}
			p := g.begin(t, query, tt.lines)
			if strings.HasPrefix(tt.want, "click") {
				p.add(script{forAction: {acts(tt.want)}})
			}
			a := p.turn(sight{page: patients, want: tt.want})
			if asked := a.UserQuestion != ""; asked && (a.Context == nil || a.Context.Reasoning != fallsShort) || asked == (a.Plan != nil) {
				t.Errorf("%+v, %+v", a, a.Context)
			}
			for _, words := range tt.tells {
				if second := p.asked(forPlan, 1); !strings.Contains(second, words) {
					t.Errorf("the second question lacks %q: %s", words, second)
				}
			}
			p.happened(tt.story...)
			if a.UserQuestion == "" {
				return
			}
			p.add(script{forPlan: {plans(0.3, fallsShort, "Open the form")}, forAction: {acts(`click("14")`)}})
			if tt.task != "" {
				p.add(script{forPlanCheck: {finds(0.2, fallsShort)}})
			}
			if a = p.turn(sight{page: patients, says: "I cannot tell you more", want: `click("14")`}); a.Plan != nil {
				t.Errorf("a plan that failed is carried out: %+v", a.Plan)
			}
		})
	}
}

// checkPlan compares the plan of an answer: its current step, and the status of each.
func checkPlan(t *testing.T, a interact.Answer, current int, statuses ...string) {
	t.Helper()
	if a.Plan == nil || a.CurrentStep == nil || a.TotalSteps == nil {
		t.Fatalf("there is no plan: %+v", a)
	}
	var got []string
	for _, s := range a.Plan.Steps {
		got = append(got, s.Status)
	}
	if diff := cmp.Diff(statuses, got); diff != "" || *a.CurrentStep != current || a.Plan.CurrentStepIndex != current || *a.TotalSteps != len(statuses) {
		t.Errorf("step %d of %d, %+v: %s", *a.CurrentStep, *a.TotalSteps, a.Plan, diff)
	}
}

// under is a page of which most lies under something else.
const under = `<title>Patients</title><h1>Patients</h1><nav><a id=11 href=/patients data-occluded=true>Patients</a><a id=12 href=/patients/new data-occluded=true>Add patient</a></nav>` +
	`<button id=14 data-occluded=true>New patient</button><button id=15 data-occluded=true>Print</button><table><tr><td>Ada Lovelace</td></tr></table>` +
	`<div role=dialog aria-label=Notice><p>The office closes at four.</p><button id=31>Understood</button></div>`

// Where the page has changed so that the plan may not fit, whoever acts is told, and may
// have another made; where it certainly does not, another is asked for at once. Each
// may be had, or not.
func TestBranches_Replanning(t *testing.T) {
	t.Parallel()
	g := newStage(t, func(*config) {})
	form := filled(patientForm, nameField)
	const another = "Refuse the notice"
	fits := object(`"sources":["PAGE"]`, `"fits":true`, `"steps":[]`, `"confidence":0.9`)
	doubts := map[string]struct {
		then    sight
		cause   string
		why     string // told to whoever acts
		verdict string
	}{
		"another path":                             {sight{page: form, saw: onForm}, "url", "another page is shown", "verdict succeeded, tier 1"},
		"less than 0.7 like the page before":       {sight{page: form}, "similarity", " % like the one before", "verdict succeeded, tier 3"},
		"a page most of which lies under a dialog": {sight{page: under}, "covered", "most of the page lies under something else", "verdict succeeded, tier 3"},
		"a page like the one before":               {sight{page: patients + `<div role=status>The list was printed</div>`}, "actor", "", "verdict succeeded, tier 3"},
	}
	outcomes := map[string]struct {
		line  line
		first string   // step of the plan then
		story []string // %s is the cause
	}{
		"changed":                 {plans(0.9, "", another, "Enter the name", "Save"), another, []string{passedAgain, "plans %s: Refuse the notice, Enter the name, Save"}},
		"kept, as it fits":        {fits, "Open the form", nil},
		"kept, as none is better": {plans(0.2, fallsShort, another), "Open the form", []string{"checks plan 1 self FAIL 0.2"}},
		"kept, as nobody answers": {line{status: http.StatusServiceUnavailable}, "Open the form", nil},
	}
	for trigger, tt := range doubts {
		begin := func(t *testing.T, more ...line) (*play, []string) {
			t.Helper()
			p := g.begin(t, longTask, script{forPlan: {goodPlan}, forAction: append([]line{acts(`click("14")`, `"planStep":1`)}, more...)})
			if strings.HasSuffix(tt.verdict, "3") { // without another address rules cannot tell
				p.add(script{forVerdict: {wentWell}})
			}
			p.turn(sight{page: patients, want: `click("14")`})
			return p, []string{passed, firstPlan, "started", `does click("14")`, tt.verdict}
		}
		then := tt.then
		then.want = "wait(1)"
		t.Run(trigger+", and whoever acts goes on", func(t *testing.T) {
			p, story := begin(t, acts("wait(1)", `"planStep":2`))
			checkPlan(t, p.turn(then), 1, "completed", "active", "pending")
			if second := p.asked(forAction, 1); strings.Contains(second, "Look whether it still fits: ") != (tt.why != "") || !strings.Contains(second, tt.why) {
				t.Errorf("whoever acts is told %s", second)
			}
			p.happened(append(story, "does wait(1)")...)
		})
		for outcome, answer := range outcomes {
			t.Run(trigger+", and whoever acts wants another plan: "+outcome, func(t *testing.T) {
				p, story := begin(t, acts("", `"replan":"The notice is in the way."`), acts("wait(1)"))
				p.add(script{forPlan: {answer.line}})
				a := p.turn(then)
				if a.Plan == nil || a.Plan.Steps[0].Description != answer.first || a.Plan.CurrentStepIndex != 0 {
					t.Errorf("%+v", a.Plan)
				}
				if second := p.asked(forPlan, 1); !strings.Contains(second, "THE PLAN SO FAR") || !strings.Contains(second, "The notice is in the way.") {
					t.Errorf("the second question for a plan is %s", second)
				}
				for _, l := range answer.story {
					story = append(story, strings.ReplaceAll(l, "%s", tt.cause))
				}
				p.happened(append(story, "does wait(1)")...)
			})
		}
	}

	for outcome, answer := range outcomes {
		t.Run("another site: "+outcome, func(t *testing.T) {
			p := g.begin(t, longTask, script{forPlan: {goodPlan, answer.line}, forAction: {acts(`click("14")`, `"planStep":1`), acts("wait(1)")}})
			p.turn(sight{page: patients, want: `click("14")`})
			a := p.turn(sight{page: form, saw: map[string]any{"url": "https://pay.example/"}, want: "wait(1)"})
			if a.Plan == nil || a.Plan.Steps[0].Description != answer.first {
				t.Errorf("%+v", a.Plan)
			}
			if second := p.asked(forPlan, 1); !strings.Contains(second, "it is another site") {
				t.Errorf("the second question for a plan is %s", second)
			}
			story := []string{passed, firstPlan, "started", `does click("14")`, "verdict succeeded, tier 1"}
			for _, l := range answer.story {
				story = append(story, strings.ReplaceAll(l, "%s", "url"))
			}
			p.happened(append(story, "does wait(1)")...)
		})
	}

	t.Run("another path, where what the next step needs is there, is no doubt", func(t *testing.T) {
		p := g.begin(t, longTask, script{
			forPlan:   {goodPlan},
			forAction: {acts(`click("14")`, `"planStep":1,"nextGoal":{"description":"the field for the name","text":"Full name"}`), acts("wait(1)", `"planStep":2`)},
		})
		p.turn(sight{page: patients, want: `click("14")`})
		checkPlan(t, p.turn(sight{page: form, saw: onForm, want: "wait(1)"}), 1, "completed", "active", "pending")
		if second := p.asked(forAction, 1); strings.Contains(second, "Look whether it still fits") {
			t.Errorf("whoever acts is told %s", second)
		}
		p.happened(passed, firstPlan, "started", `does click("14")`, "verdict succeeded, tier 1", "does wait(1)")
	})
}

// What the next step needs is looked for: an action after which it is certain to be
// missing failed, whatever else it did.
func TestBranches_LookAhead(t *testing.T) {
	t.Parallel()
	g := newStage(t, func(*config) {})
	for name, tt := range map[string]struct {
		goal  string
		met   bool
		lines script
		want  string
		story []string
	}{
		"what is next is there": {
			`"nextGoal":{"description":"the field for the name","text":"Full name","required":true}`, true,
			script{forAction: {acts("wait(1)")}}, "wait(1)", []string{"verdict succeeded, tier 1", "does wait(1)"},
		},
		"what is next may be missing": {
			`"nextGoal":{"description":"the insurance","text":"Insurance"}`, false,
			script{forAction: {acts("wait(1)")}}, "wait(1)", []string{"verdict succeeded, tier 1", "does wait(1)"},
		},
		"what is next is missing": {
			`"nextGoal":{"description":"the insurance","text":"Insurance","required":true}`, false,
			script{forCorrection: {object(`"reason":"It is the wrong form."`, `"strategy":"UPDATE_PLAN"`, `"action":"click(\"24\")"`, `"thought":"I go back."`)}},
			`click("24")`, []string{"verdict failed, tier 1", `corrects 1 UPDATE_PLAN click("24")`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := g.begin(t, shortTask, script{forAction: {acts(`click("14")`, tt.goal)}})
			if a := p.turn(sight{page: patients, want: `click("14")`}); a.ExpectedOutcome == nil || a.ExpectedOutcome.NextGoal == nil {
				t.Errorf("%+v", a.ExpectedOutcome)
			}
			p.add(tt.lines)
			a := p.turn(sight{page: filled(patientForm, nameField), saw: onForm, want: tt.want})
			if met := a.Verification.NextGoalMet; met == nil || *met != tt.met {
				t.Errorf("%+v", a.Verification)
			}
			p.happened(append([]string{"started", `does click("14")`}, tt.story...)...)
		})
	}
}

// What a plan foresaw is done before a correction is asked for, once.
func TestBranches_Contingency(t *testing.T) {
	t.Parallel()
	g := newStage(t, func(*config) {})
	const large = patients + `<nav><a id=41 href=/a>Archive</a><a id=42 href=/b>Billing</a><a id=43 href=/c>Calendar</a><a id=44 href=/d>Drugs</a></nav>`
	p := g.begin(t, longTask, script{
		forPlan: {object(`"sources":["PAGE"]`, `"steps":[{"description":"Open the form","toolType":"DOM"},{"description":"Enter the name","toolType":"DOM"}]`,
			`"contingencies":[{"name":"cookies","text":"We use cookies","steps":[{"description":"Refuse the cookies","toolType":"DOM"}]}]`, `"confidence":0.9`)},
		forAction:     {acts(`press("F2")`, `"planStep":1`), acts(`click("9")`, `"planStep":1`), acts(`press("F2")`, `"planStep":2`)},
		forCritique:   {approves},
		forCorrection: {object(`"reason":"The key did nothing."`, `"strategy":"ALTERNATIVE_SELECTOR"`, `"action":"click(\"14\")"`, `"thought":"I take the button."`)},
	})
	checkPlan(t, p.turn(sight{page: large, want: `press("F2")`}), 0, "active", "pending")
	a := p.turn(sight{page: large + banner, saw: noFocus, want: `click("9")`})
	checkPlan(t, a, 0, "active", "pending", "pending")
	if a.Plan.Steps[0].Description != "Refuse the cookies" || a.Status != "executing" {
		t.Errorf("%+v", a.Plan)
	}
	checkPlan(t, p.turn(sight{page: large, want: `press("F2")`}), 1, "completed", "active", "pending")
	p.turn(sight{page: large + banner, saw: noFocus, want: `click("14")`}) // the second time it is corrected
	p.happened(
		enough, "plans first: Open the form, Enter the name", "started", `does press("F2")`, "verdict failed, tier 1",
		"plans contingency: Refuse the cookies, Open the form, Enter the name", `does click("9")`, "verdict succeeded, tier 1",
		`does press("F2")`, "verdict failed, tier 1", `corrects 1 ALTERNATIVE_SELECTOR click("14")`,
	)
}
