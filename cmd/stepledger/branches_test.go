package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The pages of these tests. Texts of tasks only a model understands, so that no rule
// answers for it: a short one, one long enough for a plan, and one long enough for
// somebody else's look at the plan.
const (
	patients = `<title>Patients</title><h1>Patients</h1><nav><a id=11 href=/patients>Patients</a><a id=12 href=/patients/new>Add patient</a></nav>` +
		`<button id=14>New patient</button><button id=15>Print</button><table><tr><td>Ada Lovelace</td></tr></table>`
	patientForm = `<title>New patient</title><h1>New patient</h1><form aria-label="New patient">%` +
		`<label>Phone <input id=22></label><button id=23>Save</button><a id=24 href=/patients>Cancel</a></form>`
	nameField = `<label>Full name <input id=21></label>`
	nameChip  = `<span class=chip>Jas</span> <button type=button id=25>Remove Jas</button>`
	saved     = patients + `<div role=status>Patient Jas was added</div>`

	shortTask = "See to Jas"
	longTask  = "Jas came in today for the first time, see to that"
	vastTask  = "Jas came in today for the first time, see to that, note the phone 555 0199, book the first free hour of Monday, send a reminder for Tuesday and have the form signed"
)

var (
	onForm  = map[string]any{"url": clinicURL + "/patients/new"}
	noFocus = map[string]any{"lastActionStatus": "failure", "lastActionError": map[string]any{"message": "no page took the key", "code": "NO_FOCUS"}}
)

var approves = object(`"approved":true`, `"reason":""`)

// The ways through a turn that needs neither a plan nor a critic.
func TestBranches_Acting(t *testing.T) {
	t.Parallel()
	g := newStage(t, func(*config) {})

	t.Run("a simple task is one question", func(t *testing.T) {
		p := g.begin(t, shortTask, script{forAction: {acts(`click("14")`)}})
		a := p.turn(sight{page: patients, want: `click("14")`})
		if a.Status != "executing" || a.Plan != nil || a.CurrentStep != nil || a.TotalSteps != nil || a.ActionDetails.Element != `button "New patient"` {
			t.Errorf("%+v", a)
		}
		p.happened("started", `does click("14")`)
		if diff := cmp.Diff(map[string]int64{"ACTION_GENERATION": 1}, p.calls()); diff != "" {
			t.Errorf("calls (-want +got):\n%s", diff)
		}
	})

	t.Run("the user is asked, and the turn with the reply goes on, with a plan where the reply makes the task long", func(t *testing.T) {
		p := g.begin(t, shortTask, script{
			forAction: {acts("", `"question":"What is to be done for Jas?","missing":["wish"]`), acts(`click("14")`)},
			forPlan:   {plans(0.9, "", "Open the form", "Enter the name")},
		})
		a := p.turn(sight{page: patients, want: "needs_user_input"})
		if a.UserQuestion != "What is to be done for Jas?" || cmp.Diff([]string{"wish"}, a.MissingInformation) != "" || a.Action != "" {
			t.Errorf("%+v", a)
		}
		a = p.turn(sight{page: patients, says: "Add Jas as a new patient", want: `click("14")`})
		if a.TotalSteps == nil || *a.TotalSteps != 2 {
			t.Errorf("%+v", a.Plan)
		}
		if second := p.asked(forAction, 1); !strings.Contains(second, "Add Jas as a new patient") {
			t.Errorf("the reply is not in the next question: %s", second)
		}
		p.happened(
			"asks: What is to be done for Jas?", "is told: Add Jas as a new patient", passed,
			"plans first: Open the form, Enter the name", "started", `does click("14")`,
		)
	})

	t.Run("a step that is the last is judged as such", func(t *testing.T) {
		p := g.begin(t, shortTask, script{
			forAction:  {acts(`click("15")`, `"final":true`)},
			forVerdict: {object(`"reason":"It was printed."`, `"actionSucceeded":true`, `"taskCompleted":true`, `"evidence":"The list was printed"`, `"confidence":0.95`)},
		})
		p.turn(sight{page: patients, want: `click("15")`})
		a := p.turn(sight{page: patients + `<div role=status>The list was printed</div>`, want: "finish("})
		if a.Status != "completed" || !a.Verification.TaskCompleted || a.Verification.Tier != 2 {
			t.Errorf("%s, %+v", a.Status, a.Verification)
		}
		p.happened("started", `does click("15")`, "verdict succeeded, tier 2, done", "completed")
	})

	t.Run("a value no rule can tell of is judged by the model", func(t *testing.T) {
		p := g.begin(t, shortTask, script{
			forAction:  {acts(`setValue("21", "Jas")`), acts(`click("23")`)},
			forVerdict: {object(`"reason":"The name was taken."`, `"actionSucceeded":true`, `"taskCompleted":true`, `"confidence":0.9`)},
		})
		p.turn(sight{page: filled(patientForm, nameField), saw: onForm, want: `setValue("21", "Jas")`})
		p.turn(sight{page: filled(patientForm, nameChip), saw: onForm, want: `click("23")`})
		p.happened("started", `does setValue("21", "Jas")`, "verdict succeeded, tier 3", `does click("23")`)
	})

	t.Run("what failed is corrected, and the correction is judged", func(t *testing.T) {
		p := g.begin(t, shortTask, script{
			forAction:     {acts(`press("Escape")`), acts(`click("22")`)},
			forCorrection: {object(`"reason":"There is no notice."`, `"strategy":"UPDATE_PLAN"`, `"action":"click(\"14\")"`, `"thought":"I open the form."`)},
		})
		p.turn(sight{page: patients, want: `press("Escape")`})
		a := p.turn(sight{page: patients, saw: noFocus, want: `click("14")`})
		if a.Status != "correcting" || a.Correction == nil || a.Correction.Attempt != 1 || a.Correction.FailedAction != `press("Escape")` {
			t.Errorf("%+v", a)
		}
		p.turn(sight{page: filled(patientForm, nameField), saw: onForm, want: `click("22")`})
		p.happened(
			"started", `does press("Escape")`, "verdict failed, tier 1", `corrects 1 UPDATE_PLAN click("14")`, "verdict succeeded, tier 1", `does click("22")`,
		)
	})

	t.Run("corrections are used up", func(t *testing.T) {
		another := func(key string) line {
			return object(`"reason":"The key did nothing."`, `"strategy":"ALTERNATIVE_TOOL"`, `"action":"press(\"`+key+`\")"`, `"thought":"I try another key."`)
		}
		p := g.begin(t, shortTask, script{forAction: {acts(`press("Escape")`)}, forCorrection: {another("F2"), another("F3"), another("F4")}})
		for _, key := range []string{"Escape", "F2", "F3", "F4"} {
			p.turn(sight{page: patients, saw: noFocus, want: `press("` + key + `")`})
		}
		if r := p.send(sight{page: patients, saw: noFocus}); r.status != 400 || r.code() != "MAX_RETRIES_EXCEEDED" {
			t.Errorf("%d %s", r.status, r.body)
		}
		p.happened(
			"started", `does press("Escape")`, "verdict failed, tier 1", `corrects 1 ALTERNATIVE_TOOL press("F2")`,
			"verdict failed, tier 1", `corrects 2 ALTERNATIVE_TOOL press("F3")`, "verdict failed, tier 1", `corrects 3 ALTERNATIVE_TOOL press("F4")`,
			"verdict failed, tier 1", "failed MAX_RETRIES_EXCEEDED",
		)
		if r := p.send(sight{page: patients}); r.status != 400 && r.status != 409 {
			t.Errorf("a task that failed goes on: %d %s", r.status, r.body)
		}
	})

	t.Run("who corrects may give up", func(t *testing.T) {
		p := g.begin(t, shortTask, script{
			forAction:     {acts(`press("Escape")`)},
			forCorrection: {object(`"reason":"This page cannot do it."`, `"strategy":"FAIL"`, `"action":""`, `"thought":"I give up."`)},
		})
		p.turn(sight{page: patients, want: `press("Escape")`})
		if a := p.turn(sight{page: patients, saw: noFocus, want: "fail("}); a.Status != "failed" || !strings.Contains(a.Thought, "This page cannot do it.") {
			t.Errorf("%+v", a)
		}
		p.happened("started", `does press("Escape")`, "verdict failed, tier 1", "failed GAVE_UP")
	})

	t.Run("who corrects may ask", func(t *testing.T) {
		p := g.begin(t, shortTask, script{
			forAction:     {acts(`press("Escape")`), acts(`click("14")`)},
			forCorrection: {object(`"reason":"There is no notice."`, `"strategy":"GATHER_INFORMATION"`, `"action":""`, `"thought":"I ask."`, `"question":"Which notice?"`)},
			forCritique:   {approves},
		})
		p.turn(sight{page: patients, want: `press("Escape")`})
		if a := p.turn(sight{page: patients, saw: noFocus, want: "needs_user_input"}); a.UserQuestion != "Which notice?" {
			t.Errorf("%+v", a)
		}
		p.turn(sight{page: patients, says: "None, just open the form", want: `click("14")`})
		p.happened("started", `does press("Escape")`, "verdict failed, tier 1", "asks: Which notice?", "is told: None, just open the form", `does click("14")`)
	})

	t.Run("a model's verdict that it failed leads to a correction", func(t *testing.T) {
		p := g.begin(t, shortTask, script{
			forAction:     {acts(`setValue("21", "Jas")`)},
			forVerdict:    {object(`"reason":"A tag is there and no name."`, `"actionSucceeded":false`, `"taskCompleted":false`, `"confidence":0.1`)},
			forCorrection: {object(`"reason":"A tag is there."`, `"strategy":"ALTERNATIVE_SELECTOR"`, `"action":"click(\"25\")"`, `"thought":"I remove the tag."`)},
		})
		p.turn(sight{page: filled(patientForm, nameField), saw: onForm, want: `setValue("21", "Jas")`})
		a := p.turn(sight{page: filled(patientForm, nameChip), saw: onForm, want: `click("25")`})
		if a.Status != "correcting" || a.Verification.Outcome != "failed" || a.Verification.Reason != "A tag is there and no name." {
			t.Errorf("%s, %+v", a.Status, a.Verification)
		}
		p.happened("started", `does setValue("21", "Jas")`, "verdict failed, tier 3", `corrects 1 ALTERNATIVE_SELECTOR click("25")`)
	})

	t.Run("an unsure yes is gone on from, and the history says so", func(t *testing.T) {
		p := g.begin(t, shortTask, script{
			forAction:  {acts(`setValue("21", "Jas")`, `"note":"The name is entered once."`), acts(`click("23")`)},
			forVerdict: {object(`"reason":"It may be the name."`, `"actionSucceeded":true`, `"taskCompleted":false`, `"confidence":0.6`)},
		})
		p.turn(sight{page: filled(patientForm, nameField), saw: onForm, want: `setValue("21", "Jas")`})
		a := p.turn(sight{page: filled(patientForm, nameChip), saw: onForm, want: `click("23")`})
		if a.Verification.Outcome != "undecided" || a.Verification.Confidence != 0.6 {
			t.Errorf("%+v", a.Verification)
		}
		p.happened("started", `does setValue("21", "Jas")`, "verdict undecided, tier 3", `does click("23")`)
		if next := p.asked(forAction, 1); !strings.Contains(next, "probably worked") || !strings.Contains(next, "The name is entered once.") {
			t.Errorf("the next question is %s", next)
		}
	})

	t.Run("what is looked up on the page is in the same turn's next question", func(t *testing.T) {
		p := g.begin(t, shortTask, script{forAction: {acts(`find("Print")`), acts(`find("print")`)}})
		p.turn(sight{page: patients, want: "needs_user_input"}) // the same again finds no more
		if next := p.asked(forAction, 1); !strings.Contains(next, "LOOKED UP ON THIS PAGE") {
			t.Errorf("the next question is %s", next)
		}
		p.happened("asks: I looked for “print” on this page and do not know how to go on. What should I do?")
	})
}

// Where it is set so, the verdict of a model comes with the next action.
func TestBranches_OneCall(t *testing.T) {
	t.Parallel()
	g := newStage(t, func(c *config) { c.OneCall = true })
	last := func(worked, confidence string) string {
		return `"last":{"actionSucceeded":` + worked + `,"confidence":` + confidence + `,"reason":"A tag is there."}`
	}
	for name, tt := range map[string]struct {
		lines script
		want  string
		story string
	}{
		"it worked":                   {script{forAction: {acts(`click("23")`, last("true", "0.9"))}}, `click("23")`, `verdict succeeded, tier 2 / does click("23")`},
		"nothing is said of it":       {script{forAction: {acts(`click("23")`), acts(`click("23")`)}}, `click("23")`, `verdict undecided, tier 1 / does click("23")`},
		"what is said is of no sense": {script{forAction: {acts(`click("23")`, `"last":"perhaps"`), acts(`click("23")`)}}, `click("23")`, `verdict undecided, tier 1 / does click("23")`},
		"it did not work": {
			script{forAction: {acts(`click("23")`, last("false", "0.1"))}, forCorrection: {object(`"reason":"A tag is there."`, `"strategy":"ALTERNATIVE_SELECTOR"`, `"action":"click(\"25\")"`, `"thought":"I remove the tag."`)}},
			`click("25")`, `verdict failed, tier 2 / corrects 1 ALTERNATIVE_SELECTOR click("25")`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := g.begin(t, shortTask, script{forAction: {acts(`setValue("21", "Jas")`)}})
			p.turn(sight{page: filled(patientForm, nameField), saw: onForm, want: `setValue("21", "Jas")`})
			p.add(tt.lines)
			p.turn(sight{page: filled(patientForm, nameChip), saw: onForm, want: tt.want})
			p.happened("started", `does setValue("21", "Jas")`, tt.story)
		})
	}
}
