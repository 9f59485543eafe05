package main

import (
	"net/http"
	"strings"
	"testing"
)

// A task that leads nowhere ends, with a message for the user, and stays ended.
func TestBranches_Limits(t *testing.T) {
	t.Parallel()
	usual := newStage(t, func(*config) {})
	small := newStage(t, func(c *config) { c.Limits.MaxSteps, c.Limits.MaxConsecutiveFailures, c.Limits.MaxQuestions = 3, 2, 2 })
	onList := map[string]any{"url": clinicURL + "/patients"}
	list := func(want string) sight { return sight{page: patients, saw: onList, want: want} }
	form := func(want string) sight {
		return sight{page: filled(patientForm, nameField), saw: onForm, want: want}
	}
	key := func(k string) line {
		return object(`"reason":"It did nothing."`, `"strategy":"ALTERNATIVE_TOOL"`, `"action":"press(\"`+k+`\")"`, `"thought":"I try another key."`)
	}
	ask := acts("", `"question":"Which one?"`)
	for name, tt := range map[string]struct {
		g      *stage
		lines  script
		visits []sight
		// last is refused with the code, or answered with fail() where it is none of HTTP.
		last  sight
		code  string
		story []string // that follows the visits
	}{
		"steps that work and show nothing new": {
			g: usual, lines: script{forAction: {acts(`click("14")`), acts(`click("24")`), acts(`click("12")`), acts(`click("24")`), acts(`click("14")`), acts(`click("24")`)}},
			visits: []sight{list(`click("14")`), form(`click("24")`), list(`click("12")`), form(`click("24")`), list(`click("14")`), form(`click("24")`)},
			last:   list("fail("), code: "VELOCITY", story: []string{"verdict succeeded, tier 1", "failed VELOCITY"},
		},
		"the same two things in turn": {
			g: usual, lines: script{forAction: {acts(`click("14")`), acts(`click("24")`), acts(`click("14")`), acts(`click("24")`), acts(`click("14")`), acts(`click("24")`)}},
			visits: []sight{list(`click("14")`), form(`click("24")`), list(`click("14")`), form(`click("24")`), list(`click("14")`)},
			last:   form("fail("), code: "LOOP_DETECTED", story: []string{"verdict succeeded, tier 1", "failed LOOP_DETECTED"},
		},
		"more steps than a task may have": {
			g: small, lines: script{forAction: {acts(`click("14")`), acts(`click("24")`), acts(`click("12")`)}},
			visits: []sight{list(`click("14")`), form(`click("24")`), list(`click("12")`)},
			last:   form(""), code: "MAX_STEPS_EXCEEDED", story: []string{"verdict succeeded, tier 1", "failed MAX_STEPS_EXCEEDED"},
		},
		"more failures in a row than a task may have": {
			g: small, lines: script{forAction: {acts(`press("Escape")`)}, forCorrection: {key("F2")}},
			visits: []sight{list(`press("Escape")`), {page: patients, saw: noFocus, want: `press("F2")`}},
			last:   sight{page: patients, saw: noFocus}, code: "CONSECUTIVE_FAILURES_EXCEEDED", story: []string{"verdict failed, tier 1", "failed CONSECUTIVE_FAILURES_EXCEEDED"},
		},
		"more questions in a row than a user answers": {
			g: small, lines: script{forAction: {ask, ask, ask}},
			visits: []sight{list("needs_user_input"), list("needs_user_input")},
			last:   list("fail("), code: "NO_REPLY", story: []string{"started", "failed NO_REPLY"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := tt.g.begin(t, shortTask, tt.lines)
			for _, v := range tt.visits {
				p.turn(v)
			}
			before := p.story()
			if tt.last.want != "" {
				if a := p.turn(tt.last); a.Status != "failed" || a.Thought == "" {
					t.Errorf("%+v", a)
				}
			} else if r := p.send(tt.last); r.status != http.StatusBadRequest || r.code() != tt.code || !strings.Contains(string(r.body), p.task) {
				t.Errorf("%d %s", r.status, r.body)
			}
			p.happened(append(before, tt.story...)...)
			if r := p.send(sight{page: patients, says: "go on"}); r.status != http.StatusConflict && r.status != http.StatusBadRequest || r.code() == "" {
				t.Errorf("the task goes on: %d %s", r.status, r.body)
			}
			p.happened(append(before, tt.story...)...)
		})
	}
}
