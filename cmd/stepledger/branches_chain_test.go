package main

import (
	"net/http"
	"strings"
	"testing"
)

// A form is filled in by a chain. Where it stops, what was done is not done again, and the
// rest is done where its fields are now, without what may fail, or as whoever acts says.
func TestBranches_Chain(t *testing.T) {
	t.Parallel()
	usual := newStage(t, func(*config) {})
	small := newStage(t, func(c *config) { c.Limits.MaxSteps = 1 })
	whole := map[string]any{"clientCapabilities": []string{"chain"}, "lastActionStatus": "success", "lastExecutedActionIndex": 4}
	const fills = `does setValue("11", "Jas")`
	stops := func(recovery string) string {
		return "chain stops, " + recovery + " / verdict succeeded, tier 1"
	}
	for name, tt := range map[string]struct {
		g     *stage
		lines []line // after the chain
		then  sight
		code  string
		story []string
	}{
		"it is done to its end": {
			usual, []line{acts(`click("99")`)}, sight{page: registration(11, 5), saw: whole, want: `click("99")`}, "",
			[]string{"verdict succeeded, tier 1", `does click("99")`},
		},
		"it stops, and goes on where its fields are now": {
			usual, nil, sight{page: registration(51, 2), saw: stoppedAt(2), want: `setValue("53", "High Street 1")`}, "",
			[]string{stops("retry"), `does setValue("53", "High Street 1")`},
		},
		"it stops, and whoever acts says how it goes on": {
			usual, []line{acts(`click("99")`)}, sight{page: registration(11, 2), saw: stoppedAt(2), want: `click("99")`}, "",
			[]string{stops("regenerate"), `does click("99")`},
		},
		"it stops at the last step a task may have": {
			small, nil, sight{page: registration(51, 2), saw: stoppedAt(2)}, "MAX_STEPS_EXCEEDED",
			[]string{stops("retry"), "failed MAX_STEPS_EXCEEDED"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := tt.g.begin(t, registrationTask, script{
				forPlan: {goodPlan}, forPlanCheck: {finds(0.9, "")}, forAction: append([]line{fillsIn()}, tt.lines...),
			})
			p.turn(sight{page: registration(11, 0), saw: takesChains, want: "setValue("})
			if tt.code == "" {
				p.turn(tt.then)
			} else if r := p.send(tt.then); r.status != http.StatusBadRequest || r.code() != tt.code {
				t.Errorf("%d %s", r.status, r.body)
			}
			p.happened(append([]string{enough + " / checks plan 1 adversarial PASS 0.9", firstPlan, "started", fills}, tt.story...)...)
		})
	}
}

// The end of a part, like that of a task, is confirmed where the page does not prove it. A
// part may be done by a verdict, and one that does not work is given up.
func TestBranches_PartsEnd(t *testing.T) {
	t.Parallel()
	g := newStage(t, func(*config) {})
	const begun = "context: proceed / checks plan 1 adversarial PASS 0.9 / plans first: Read the list / sub task started / "
	divided := func(parts string) line {
		return object(`"sources":["PAGE"]`, `"confidence":0.9`, `"steps":[{"description":"Read the list","toolType":"DOM"}]`, `"parts":[`+parts+`]`)
	}
	gives := divided(`{"goal":"Find out who is the first patient","outputs":["patient"]},{"goal":"Print the list for the patient","inputs":["patient"]}`)
	plain := divided(`{"goal":"Open the list"},{"goal":"Print it"}`)
	says := func(outputs string) line {
		return acts(`finish("Ada Lovelace is the first")`, `"evidence":"nothing of the kind"`, `"outputs":[`+outputs+`]`)
	}
	const ada = `{"name":"patient","value":"Ada Lovelace"}`
	shown := object(`"reason":"She is the first."`, `"evidence":"Ada Lovelace"`, `"shown":true`, `"confidence":0.95`)
	said := func(worked, partDone string) line {
		return object(`"reason":"I looked."`, `"actionSucceeded":`+worked, `"taskCompleted":false`, `"subTaskCompleted":`+partDone, `"confidence":0.9`)
	}
	another := func(key string) line {
		return object(`"reason":"It did nothing."`, `"strategy":"ALTERNATIVE_TOOL"`, `"action":"press(\"`+key+`\")"`, `"thought":"I try another key."`)
	}
	const checked = `finish blocked / started / does verifySuccess("Ada Lovelace is the first") / verdict succeeded, tier 3, done / `
	printed := sight{page: patients, want: `click("15")`}
	for name, tt := range map[string]struct {
		lines  script
		visits []sight
		story  string
	}{
		"an end that is confirmed": {
			script{forPlan: {gives}, forAction: {says(ada), acts(`click("15")`)}, forProof: {shown}}, []sight{printed},
			checked + `sub task output checked PASS / sub task completed / sub task started / does click("15")`,
		},
		"an end that is confirmed, and gives nothing yet": {
			script{forPlan: {gives}, forAction: {says(""), acts(`finish("Ada Lovelace is the first")`, `"evidence":"Ada Lovelace"`, `"outputs":[`+ada+`]`), acts(`click("15")`)}, forProof: {shown}}, []sight{printed},
			checked + `sub task output checked RETRY / sub task output checked PASS / sub task completed / sub task started / does click("15")`,
		},
		"an end by the verdict": {
			script{forPlan: {plain}, forAction: {acts(`click("14")`), acts(`click("15")`)}, forVerdict: {said("true", "true")}},
			[]sight{{page: patients, want: `click("14")`}, {page: patients + `<div role=status>The list is open</div>`, want: `click("15")`}},
			`started / does click("14") / verdict succeeded, tier 3 / sub task completed / sub task started / does click("15")`,
		},
		"a part whose actions do not work is given up, and nothing goes without it": {
			script{forPlan: {gives}, forAction: {acts(`press("Escape")`)}, forCorrection: {another("F2"), another("F3")}},
			[]sight{
				{page: patients, want: `press("Escape")`}, {page: patients, saw: noFocus, want: `press("F2")`}, {page: patients, saw: noFocus, want: `press("F3")`},
				{page: patients, saw: noFocus, want: "fail("},
			},
			`started / does press("Escape") / verdict failed, tier 1 / corrects 1 ALTERNATIVE_TOOL press("F2") / verdict failed, tier 1 / ` +
				`corrects 2 ALTERNATIVE_TOOL press("F3") / verdict failed, tier 1 / sub task failed / failed GAVE_UP`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := g.begin(t, vastTask, script{forPlanCheck: {finds(0.9, "")}})
			p.add(tt.lines)
			for _, v := range tt.visits {
				p.turn(v)
			}
			p.happened(begun + tt.story)
		})
	}
}

// A page that is not known is asked for, a look of the agent may show what it looks for,
// and limits hold wherever a turn may ask, look or search again.
func TestBranches_LimitsWithinATurn(t *testing.T) {
	t.Parallel()
	url := provider(t, map[string]http.HandlerFunc{"hours": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"results":[]}`)) }})
	small := newStage(t, func(c *config) { c.Limits.MaxSteps, c.Limits.MaxQuestions = 2, 2 })
	patient := newStage(t, func(c *config) { c.TavilyURL, c.TavilyKey, c.Limits.MaxIdle = url, "tvly-1", 20 })
	unknown := func(want string) sight {
		return sight{saw: map[string]any{"domHash": strings.Repeat("0", 64)}, want: want}
	}
	ward := object(`"sources":["ASK_USER"]`, `"evidence":"No ward is named."`, `"question":"Which ward?"`, `"missing":["ward"]`, `"steps":[]`, `"confidence":0.4`)
	looks, waits := acts(`googleSearch("visiting hours")`), acts("wait(1)")
	const (
		found  = `does googleSearch("visiting hours") / searches for action: 0 found anywhere / verdict succeeded, tier 1 / `
		waited = "does wait(1) / verdict succeeded, tier 1 / "
	)
	ordering := func(want string) sight { return sight{page: order, want: want} }
	for name, tt := range map[string]struct {
		query  string
		lines  script
		visits []sight
		last   sight
		code   string // of the refusal of the last
		story  string
	}{
		"a page that is not known, and then the page": {
			shortTask, script{forAction: {acts(`click("14")`), acts(`click("22")`)}},
			[]sight{{page: patients, want: `click("14")`}, unknown("needs_full_dom")}, sight{page: filled(patientForm, nameField), saw: onForm, want: `click("22")`}, "",
			`started / does click("14") / verdict succeeded, tier 1 / does click("22")`,
		},
		"a page that never comes": {
			shortTask, script{forAction: {acts(`click("14")`)}},
			[]sight{{page: patients, want: `click("14")`}, unknown("needs_full_dom"), unknown("needs_full_dom")}, unknown("fail("), "",
			`started / does click("14") / failed NO_REPLY`,
		},
		"a look that shows what it looks for": {
			shortTask, script{forAction: {acts(`verifySuccess("Jas was added")`), acts(`finish("Jas was added")`, `"evidence":"Patient Jas was added"`)}, forProof: {object(`"reason":"It is there."`, `"evidence":"Patient Jas was added"`, `"shown":true`, `"confidence":0.95`)}},
			nil, sight{page: saved, want: "finish("}, "",
			`started / does verifySuccess("Jas was added") / verdict succeeded, tier 3, done / completed`,
		},
		"a look at the page past the last step": {
			shortTask, script{forAction: {acts(`click("1")`)}},
			[]sight{ordering(`click("1")`), ordering("wait(1)")}, ordering(""), "MAX_STEPS_EXCEEDED",
			`started / does click("1") / verdict undecided, tier 1 / does wait(1) / verdict succeeded, tier 1 / verdict undecided, tier 1 / failed MAX_STEPS_EXCEEDED`,
		},
		"the same search again and again": {
			shortTask, script{forAction: {waits, looks, waits, looks, waits, looks}},
			[]sight{{page: patients, want: "wait(1)"}, {page: patients, want: "wait(1)"}, {page: patients, want: "wait(1)"}}, sight{page: patients, want: "fail("}, "",
			`started / does wait(1) / verdict succeeded, tier 1 / ` + found + waited + found + waited + "failed LOOP_DETECTED",
		},
		"a plan that asks too often": {
			longTask, script{forPlan: {ward, ward, ward}},
			[]sight{{page: patients, want: "needs_user_input"}, {page: patients, want: "needs_user_input"}}, sight{page: patients, want: "fail("}, "",
			"context: ask / asks: Which ward? / context: ask / context: ask / started / failed NO_REPLY",
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := small
			if strings.Contains(name, "search") {
				g = patient
			}
			p := g.begin(t, tt.query, tt.lines)
			for _, v := range tt.visits {
				p.turn(v)
			}
			if tt.code == "" {
				p.turn(tt.last)
			} else if r := p.send(tt.last); r.status != http.StatusBadRequest || r.code() != tt.code {
				t.Errorf("%d %s", r.status, r.body)
			}
			p.happened(tt.story)
		})
	}
}
