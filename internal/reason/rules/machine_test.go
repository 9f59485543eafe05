package rules

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/instruction"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
)

// site is an application as a test writes it: a page for its state, and what
// an action does to it.
type site interface {
	page() page.Page
	do(a action.Action, e page.Element) page.Witness
}

// journey is a task worked through turn by turn, as the interact graph does it.
type journey struct {
	query   string
	answers []string
	later   []string // replies to the questions that come up, in order
	skills  []reasoning.Skill
	site    site
	// learnt is what the corrections that worked have taught, as the library of
	// skills would have it.
	learnt []reasoning.Skill

	steps []reasoning.Step
	log   []string // what a person would have seen happen
}

const maxTurns = 30

// run works until the task is complete, a question is asked or the rules do
// not know; its last log line says which.
func (j *journey) run(t *testing.T) []string {
	t.Helper()
	for range maxTurns {
		p := j.site.page()
		a, err := Reasoner{}.Act(t.Context(), reasoning.ActQuestion{Client: able, Query: j.query, Answers: j.answers, Page: p, Steps: j.steps, Skills: reasoning.Fitting(j.skills, p, "")})
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case a.UserQuestion != "":
			if end := "asks: " + a.UserQuestion; !j.replied(end) {
				return append(j.log, end)
			}
			continue
		case a.Undecided:
			if end := "does not know: " + a.Reason; !j.replied(end) {
				return append(j.log, end)
			}
			continue
		case a.Action.EndsTask():
			return append(j.log, a.Action.String())
		}
		end := j.step(t, p, a)
		if end == "" || strings.HasPrefix(end, "asks: ") && j.replied(end) {
			continue
		}
		return append(j.log, end)
	}
	t.Fatalf("no end after %d turns:\n%s", maxTurns, strings.Join(j.log, "\n"))
	return nil
}

// replied gives the next reply of the user, if there is one.
func (j *journey) replied(question string) bool {
	if len(j.later) == 0 {
		return false
	}
	j.log = append(j.log, question, "user: "+j.later[0])
	j.answers, j.later = append(j.answers, j.later[0]), j.later[1:]
	return true
}

// step executes an action, has it verified and, while it failed, corrected. What
// it hands to the rules is what a graph has on record: no secret, and of the
// element only what a skeleton keeps.
func (j *journey) step(t *testing.T, p page.Page, a reasoning.ActAnswer) (end string) {
	t.Helper()
	act, strategy, index := a.Action, "", len(j.steps)
	what, clears := a.For, false
	aim, _ := p.ByID(act.Target)
	instead := reasoning.InsteadOf(j.skills, a.SkillsUsed, act, reasoning.Target{Role: aim.Role, Name: aim.Name, Group: aim.Group})
	var tried []action.Action
	var failed []reasoning.Instead
	for attempt := 1; ; attempt++ {
		e, _ := p.ByID(act.Target)
		j.log = append(j.log, strings.TrimSpace(strategy+" "+said(act, e)))
		before := p.Before()
		w := j.site.do(act, e)
		p = j.site.page()
		if act.Name == action.SetValue && e.State.Secret {
			act.Text = "[secret]"
		}
		tried, e = append(tried, act), onRecord(e)
		obs := page.Observe(before, p, w)
		v, err := Reasoner{}.Verify(t.Context(), reasoning.VerifyQuestion{
			Query: j.query, Answers: j.answers, Action: act, Target: e, Before: before, Page: p, Witness: w, Observations: obs, Steps: j.steps,
		})
		if err != nil {
			t.Fatal(err)
		}
		j.steps = append(j.steps, reasoning.Step{
			Index: index, Action: act, Target: page.Describe(e), Verified: true, Succeeded: v.ActionSucceeded, Reason: v.Reason, Correction: strategy,
			Instead: instead, For: what, Key: e.Key, Clears: clears,
		})
		instead = reasoning.Instead{}
		to := reasoning.Described(act, reasoning.Target{Role: e.Role, Name: e.Name, Group: e.Group})
		if v.ActionSucceeded {
			j.learn(failed, act, to)
		}
		failed = append(failed, reasoning.Instead{Action: string(act.Name), Target: to})
		if v.GoalAchieved() {
			return "complete: " + v.Reason
		}
		if v.ActionSucceeded || v.Undecided {
			j.steps[len(j.steps)-1].Succeeded = true
			return ""
		}
		j.log = append(j.log, "failed: "+v.Rule)
		c, err := Reasoner{}.Correct(t.Context(), reasoning.CorrectQuestion{
			Query: j.query, Answers: j.answers, Failed: act, Target: e, Verdict: v, Observations: obs, Witness: w, Page: p, Steps: j.steps,
			Attempt: attempt, Tried: tried, Skills: reasoning.Fitting(j.skills, p, ""),
		})
		if err != nil {
			t.Fatal(err)
		}
		if c.Strategy == reasoning.GatherInformation {
			return "asks: " + c.Reason
		}
		if c.Action.EndsTask() {
			return string(c.Strategy) + ": " + c.Reason
		}
		act, strategy, clears = c.Action, string(c.Strategy), c.Clears
		switch {
		case c.For.Step != 0:
			what = c.For
		case c.Clears:
			what = instruction.Progress{}
		default:
			what = a.For
		}
	}
}

func (j *journey) learn(failed []reasoning.Instead, a action.Action, to reasoning.Target) {
	for _, f := range failed {
		if a.Name != action.Wait && f != (reasoning.Instead{Action: string(a.Name), Target: to}) {
			j.learnt = append(j.learnt, reasoning.Skill{
				ID: fmt.Sprint("s", len(j.learnt)), Goal: j.query, FailedAction: f.Action, FailedTarget: f.Target,
				UseAction: string(a.Name), UseTarget: to, Successes: 1,
			})
		}
	}
}

func onRecord(e page.Element) page.Element {
	return page.Element{
		ID: e.ID, Key: e.Key, Role: e.Role, Name: e.Name, Group: e.Group, Value: e.Value, Href: e.Href,
		State: page.State{
			Secret: e.State.Secret, Checked: e.State.Checked, Expanded: e.State.Expanded,
			Disabled: e.State.Disabled, Selected: e.State.Selected, Invalid: e.State.Invalid,
		},
	}
}

func said(a action.Action, e page.Element) string {
	switch {
	case e.ID == "":
		return a.String()
	case a.Text != "":
		return fmt.Sprintf("%s %s = %s", a.Name, page.Describe(e), a.Text)
	}
	return fmt.Sprintf("%s %s", a.Name, page.Describe(e))
}
