package main

import (
	"strings"
	"testing"
)

// An action is looked at before it is sent: by rules where it ends the task or types a
// value, by a model where whoever proposes it is not sure.
func TestBranches_Critic(t *testing.T) {
	t.Parallel()
	g := newStage(t, func(*config) {})
	form := filled(patientForm, nameField)
	const unsure = `"confidence":0.6`
	objects := func(why string) line { return object(`"approved":false`, `"reason":"`+why+`"`) }
	for name, tt := range map[string]struct {
		lines script
		want  string
		story []string
		told  string // in the question for the action that is sent
	}{
		"a date for a name is held back by a rule, and the second proposal is sent": {
			script{forAction: {acts(`setValue("21", "01/01/1990")`), acts(`setValue("21", "Jas")`)}}, `setValue("21", "Jas")`,
			[]string{`objects 1 to setValue("21", "01/01/1990") high_risk date_for_name`, "started", `does setValue("21", "Jas")`}, "a date is no name",
		},
		"an unsure click is held back by a model, and the second proposal is sent": {
			script{forAction: {acts(`click("24")`, unsure), acts(`click("23")`)}, forCritique: {objects("Cancel loses the form.")}}, `click("23")`,
			[]string{`objects 1 to click("24") low_confidence`, "started", `does click("23")`}, "Cancel loses the form.",
		},
		"an unsure click that is approved is sent": {
			script{forAction: {acts(`click("23")`, unsure)}, forCritique: {approves}}, `click("23")`, []string{"started", `does click("23")`}, "",
		},
		"two objections are heard, and the third proposal is sent whatever is said of it": {
			script{
				forAction:   {acts(`click("24")`, unsure), acts(`click("22")`, unsure), acts(`click("23")`, unsure)},
				forCritique: {objects("Cancel loses the form."), objects("The phone is not known."), objects("Nothing is entered.")},
			}, `click("23")`,
			[]string{`objects 1 to click("24") low_confidence`, `objects 2 to click("22") low_confidence`, "started", `does click("23")`}, "The phone is not known.",
		},
		"so it is with a rule": {
			script{forAction: {acts(`setValue("21", "01/01/1990")`), acts(`setValue("21", "02/01/1990")`), acts(`setValue("21", "03/01/1990")`)}}, `setValue("21", "03/01/1990")`,
			[]string{
				`objects 1 to setValue("21", "01/01/1990") high_risk date_for_name`, `objects 2 to setValue("21", "02/01/1990") high_risk date_for_name`,
				"started", `does setValue("21", "03/01/1990")`,
			}, "a date is no name",
		},
		"a sure click is not looked at": {script{forAction: {acts(`click("23")`)}}, `click("23")`, []string{"started", `does click("23")`}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := g.begin(t, shortTask, tt.lines)
			p.turn(sight{page: form, saw: onForm, want: tt.want})
			p.happened(tt.story...)
			if tt.told != "" && !strings.Contains(p.asked(forAction, len(tt.lines[forAction])-1), tt.told) {
				t.Errorf("whoever acts is not told %q", tt.told)
			}
		})
	}

	t.Run("after a failure the next action is looked at", func(t *testing.T) {
		p := g.begin(t, shortTask, script{
			forAction:     {acts(`press("Escape")`), acts(`click("15")`), acts(`click("14")`)},
			forCorrection: {object(`"reason":"It did nothing."`, `"strategy":"GATHER_INFORMATION"`, `"action":""`, `"thought":"I ask."`, `"question":"Which notice?"`)},
			forCritique:   {objects("Nothing is to be printed."), approves},
		})
		p.turn(sight{page: patients, want: `press("Escape")`})
		p.turn(sight{page: patients, saw: noFocus, want: "needs_user_input"})
		p.turn(sight{page: patients, says: "None, go on", want: `click("14")`})
		p.happened(
			"started", `does press("Escape")`, "verdict failed, tier 1", "asks: Which notice?", "is told: None, go on",
			`objects 1 to click("15") after_failure`, `does click("14")`,
		)
	})
}

// That a task is done is confirmed first, unless the page proves it.
func TestBranches_Confirm(t *testing.T) {
	t.Parallel()
	g := newStage(t, func(*config) {})
	const done = `finish("Jas was added")`
	shown := func(quote string) line {
		return object(`"reason":"I looked at the list."`, `"evidence":"`+quote+`"`, `"shown":true`, `"confidence":0.95`)
	}
	notShown := object(`"reason":"Jas is not on the list."`, `"evidence":""`, `"shown":false`, `"confidence":0.05`)
	unsure := object(`"reason":"The list is cut off."`, `"evidence":""`, `"shown":true`, `"confidence":0.6`)
	const check, question = `does verifySuccess("Jas was added")`, "I think the task is done, but I cannot see it on the page: Jas was added Is it done (yes or no), or what should I do?"
	for name, tt := range map[string]struct {
		page  string
		lines script
		want  string
		story []string
	}{
		"words that stand on the page prove it": {
			saved, script{forAction: {acts(done, `"evidence":"Patient Jas was added"`)}}, done, []string{"started", "completed"},
		},
		"without evidence it is confirmed first": {
			saved, script{forAction: {acts(done)}, forProof: {shown("Patient Jas was added")}}, done,
			[]string{"finish blocked", "started", check, "verdict succeeded, tier 3, done", "completed"},
		},
		"words that stand nowhere prove nothing": {
			saved, script{forAction: {acts(done, `"evidence":"Patient Jas is registered"`)}, forProof: {shown("Patient Jas was added")}}, done,
			[]string{"finish blocked", "started", check, "verdict succeeded, tier 3, done", "completed"},
		},
		"nor do those a confirmation makes up": {
			patients, script{forAction: {acts(done)}, forProof: {shown("Patient Jas was added")}}, "needs_user_input",
			[]string{"finish blocked", "started", check, "verdict undecided, tier 1", "asks: " + question},
		},
		"what is not shown is not done, and the task goes on": {
			patients, script{forAction: {acts(done), acts(`click("14")`)}, forProof: {notShown}, forCritique: {approves}}, `click("14")`,
			[]string{"finish blocked", "started", check, "verdict failed, tier 3", `does click("14")`},
		},
		"where nobody is sure the user is asked": {
			patients, script{forAction: {acts(done)}, forProof: {unsure}}, "needs_user_input",
			[]string{"finish blocked", "started", check, "verdict undecided, tier 3", "asks: " + question},
		},
		"two claims a turn are looked at, and then the user is asked": {
			patients, script{forAction: {acts(done), acts(done), acts(done)}, forProof: {notShown, notShown}}, "needs_user_input",
			[]string{
				"finish blocked", "started", check, "verdict failed, tier 3", "finish blocked", check, "verdict failed, tier 3",
				"finish blocked", "asks: " + question,
			},
		},
		"the agent may look for itself": {
			patients, script{forAction: {acts(`verifySuccess("Jas is on the list")`), acts(`click("14")`)}, forProof: {notShown}, forCritique: {approves}}, `click("14")`,
			[]string{"started", `does verifySuccess("Jas is on the list")`, "verdict failed, tier 3", `does click("14")`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := g.begin(t, shortTask, tt.lines)
			p.turn(sight{page: tt.page, want: tt.want})
			p.happened(tt.story...)
		})
	}

	for says, tt := range map[string]struct {
		lines script
		want  string
		story []string
	}{
		"yes":    {script{forAction: {acts(done)}}, done, []string{"completed"}},
		"no, go": {script{forAction: {acts(`click("14")`)}}, `click("14")`, []string{`does click("14")`}},
	} {
		t.Run("the user says "+says, func(t *testing.T) {
			p := g.begin(t, shortTask, script{forAction: {acts(done)}, forProof: {unsure}})
			p.turn(sight{page: patients, want: "needs_user_input"})
			before := p.story()
			p.add(tt.lines)
			p.turn(sight{page: patients, says: says, want: tt.want})
			p.happened(append(append(before, "is told: "+says), tt.story...)...)
		})
	}
}
