package interact_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/task"
)

func says(name action.Name, text string) reasoning.ActAnswer {
	return reasoning.ActAnswer{Action: action.Action{Name: name, Text: text}, Confidence: 0.9, Proof: "Form", By: "script"}
}

var (
	shows    = reasoning.Verdict{Confidence: 0.9, Reason: "Jas is in the list", Proof: reasoning.Proof{Quote: "form"}, Tier: 1, By: "script"}
	showsNot = reasoning.Verdict{Confidence: 0.1, Reason: "Jas is not in the list", Tier: 1, By: "script"}
	noneCan  = reasoning.Verdict{Undecided: true, Confidence: 0.5, By: "script"}
)

// Given a step that failed and was corrected, when the agent says that the task
// is done, then it has to be shown first.
func TestConfirm_FinishAfterAFailureIsShownFirst(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		acts   []any
		proofs []any
		status string
		claims int
		events []string // of the third turn, after PageObserved and ActionVerified
	}{
		{"what is shown ends the task", []any{says(action.Finish, "Added.")}, []any{shows}, "completed", 1,
			[]string{task.NameFinishBlocked, task.NameActionGenerated, task.NameActionVerified, task.NameTaskCompleted}},
		{"what is not is learnt from", []any{says(action.Finish, "Added."), click("3")}, []any{showsNot}, "executing", 1,
			[]string{task.NameFinishBlocked, task.NameActionGenerated, task.NameActionVerified, task.NameActionGenerated, task.NameOutcomePredicted}},
		{"what nobody can tell is asked of the user", []any{says(action.Finish, "Added.")}, []any{noneCan}, "needs_user_input", 1,
			[]string{task.NameFinishBlocked, task.NameActionGenerated, task.NameActionVerified, task.NameUserInputRequested}},
		{"and what nobody answers", []any{says(action.Finish, "Added.")}, []any{errors.New("down")}, "needs_user_input", 1,
			[]string{task.NameFinishBlocked, task.NameActionGenerated, task.NameActionVerified, task.NameUserInputRequested}},
		{"who claims again and again is not believed", []any{says(action.Finish, "Added."), says(action.Finish, "Added!"), says(action.Finish, "Really.")},
			[]any{showsNot, showsNot}, "needs_user_input", 2,
			[]string{
				task.NameFinishBlocked, task.NameActionGenerated, task.NameActionVerified,
				task.NameFinishBlocked, task.NameActionGenerated, task.NameActionVerified,
				task.NameFinishBlocked, task.NameUserInputRequested,
			}},
		{"the agent may look first by itself", []any{says(action.VerifySuccess, "Jas is there"), says(action.Finish, "Added.")}, []any{shows}, "completed", 1,
			[]string{task.NameActionGenerated, task.NameActionVerified, task.NameTaskCompleted}},
		{"a claim of its own that does not hold stops nothing", []any{says(action.VerifySuccess, "Jas is there"), click("3")}, []any{showsNot}, "executing", 1,
			[]string{task.NameActionGenerated, task.NameActionVerified, task.NameActionGenerated, task.NameOutcomePredicted}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.reasons.acts = append([]any{click("14")}, tt.acts...)
			r.reasons.verdicts, r.reasons.fixes, r.reasons.proofs = []any{didNot, worked}, []any{retryWith("3")}, tt.proofs
			a, err := walkThrough(t, r, 3)
			if err != nil {
				t.Fatal(err)
			}
			if a.Status != tt.status || len(r.reasons.claims) != tt.claims {
				t.Errorf("%s after %d claims, want %s after %d", a.Status, len(r.reasons.claims), tt.status, tt.claims)
			}
			got := names(r.eventsOf(t, a.TaskID))
			for i := len(got) - 1; got[i] != task.NamePageObserved; i-- {
				if got[i-1] == task.NamePageObserved {
					got = got[i+1 : len(got)-1]
					break
				}
			}
			if diff := cmp.Diff(tt.events, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Given no failure of late, the agent's word is enough where the page shows it.
func TestConfirm_FinishWithoutFailuresEndsTheTask(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.reasons.acts, r.reasons.verdicts = []any{click("14"), says(action.Finish, "Added.")}, []any{worked}
	a, err := walkThrough(t, r, 2)
	if err != nil || a.Status != "completed" || len(r.reasons.claims) != 0 {
		t.Errorf("%s, %d claims, %v", a.Status, len(r.reasons.claims), err)
	}
}

// Given a user who was asked whether the task is done, when they answer, then the
// agent may finish.
func TestConfirm_TheUsersWordIsEnough(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.reasons.acts = []any{click("14"), says(action.Finish, "Added."), says(action.Finish, "Added.")}
	r.reasons.verdicts, r.reasons.fixes, r.reasons.proofs = []any{didNot, worked}, []any{retryWith("3")}, []any{noneCan}
	a, err := walkThrough(t, r, 3)
	if err != nil || a.Status != "needs_user_input" {
		t.Fatalf("%s, %v", a.Status, err)
	}
	req := request(t, form, "reply")
	req.TaskID, req.SessionID, req.Query = a.TaskID, a.SessionID, "yes, it is"
	res, err := r.Interact(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	if a := answerOf(t, res); a.Status != "completed" {
		t.Errorf("%+v", a)
	}
}

// Given a next goal, when the page does not have it, then an action that worked
// counts as failed if the goal is required, and is only remarked on if not.
func TestLookAhead(t *testing.T) {
	t.Parallel()
	goal := func(name string, required bool) reasoning.ActAnswer {
		a := click("14")
		a.Expected.NextGoal = &page.NextGoal{Description: "the button " + name, Text: name, Required: required}
		return a
	}
	for _, tt := range []struct {
		name      string
		act       reasoning.ActAnswer
		succeeded bool
		met       bool
		most      float64
	}{
		{"there", goal("Add", true), true, true, 1},
		{"missing and required", goal("Discharge", true), false, false, 0.5},
		{"missing and not required", goal("Discharge", false), true, false, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.reasons.acts, r.reasons.verdicts, r.reasons.fixes = []any{tt.act, click("3")}, []any{worked}, []any{retryWith("3")}
			a, err := walkThrough(t, r, 2)
			if err != nil {
				t.Fatal(err)
			}
			v := a.Verification
			if v.ActionSucceeded != tt.succeeded || v.NextGoalMet == nil || *v.NextGoalMet != tt.met || v.Confidence > tt.most {
				t.Errorf("%+v", v)
			}
			if corrected := a.Correction != nil; corrected == tt.succeeded {
				t.Errorf("corrected: %t", corrected)
			}
			if !tt.succeeded {
				if q := r.reasons.failures[0]; len(q.Unmet) != 1 || q.Unmet[0].Name != page.CheckNextGoal {
					t.Errorf("asked for a correction with unmet %+v", q.Unmet)
				}
			}
		})
	}
}
