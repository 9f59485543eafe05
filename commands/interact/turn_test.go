package interact_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/commands/interact"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/eventstore"
)

// walkThrough sends one request per turn, on the same page.
func walkThrough(t *testing.T, r *rig, turns int) (interact.Answer, error) {
	t.Helper()
	var a interact.Answer
	id, session := "", ""
	for n := range turns {
		req := request(t, form, string(rune('a'+n)))
		req.TaskID, req.SessionID = id, session
		res, err := r.Interact(t.Context(), req)
		if err != nil {
			return a, err
		}
		a = answerOf(t, res)
		id, session = a.TaskID, a.SessionID
	}
	return a, nil
}

func TestTurn_FirstAction(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.reasons.acts = []any{click("14")}
	a, err := walkThrough(t, r, 1)
	if err != nil {
		t.Fatal(err)
	}
	want := interact.Answer{
		TaskID: a.TaskID, SessionID: a.SessionID, Status: "executing", Thought: "I click.", Action: `click("14")`,
		ActionDetails:   &interact.ActionDetails{Name: "click", ElementID: "14", Element: `button "Save"`},
		ExpectedOutcome: &page.Outcome{Description: "something happens"},
		DOMHash:         request(t, form, "").Capture.DOMHash(),
		ToolAction:      &interact.ToolAction{ToolName: "click", ToolType: "DOM", Parameters: interact.ToolParameters{ElementID: "14"}},
		Metrics:         &interact.Metrics{Turn: 1, StepCount: 1},
	}
	if diff := cmp.Diff(want, a); diff != "" {
		t.Error(diff)
	}
	got := names(r.eventsOf(t, a.TaskID))
	then := []string{task.NamePageObserved, task.NameTaskStarted, task.NameActionGenerated, task.NameTurnEnded}
	if diff := cmp.Diff(then, got); diff != "" {
		t.Error(diff)
	}
}

func TestTurn_VerdictAndNextAction(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.reasons.acts, r.reasons.verdicts = []any{click("14"), click("3")}, []any{worked}
	a, err := walkThrough(t, r, 2)
	if err != nil {
		t.Fatal(err)
	}
	if v := a.Verification; v == nil || !v.Success || v.Confidence != 0.9 || len(v.Observations) == 0 {
		t.Errorf("verification %+v", v)
	}
	if a.StepIndex != 1 || a.Action != `click("3")` {
		t.Errorf("step %d: %s", a.StepIndex, a.Action)
	}
	q := r.reasons.verified[0]
	if q.Action.Target != "14" || q.Target.Name != "Save" || q.Before.URL == "" {
		t.Errorf("the verdict was asked about %+v", q)
	}
	if steps := r.reasons.asked[1].Steps; len(steps) != 1 || !steps[0].Succeeded || steps[0].Target != `button "Save"` {
		t.Errorf("the next action was asked with the steps %+v", steps)
	}
}

func TestTurn_GoalAchieved(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.reasons.acts, r.reasons.verdicts = []any{click("14")}, []any{isDone}
	a, err := walkThrough(t, r, 2)
	if err != nil {
		t.Fatal(err)
	}
	if a.Status != "completed" || a.Action != `finish("Jas was added")` || a.Thought != "Jas was added" {
		t.Errorf("answer %+v", a)
	}
	events := names(r.eventsOf(t, a.TaskID))
	want := []string{task.NamePageObserved, task.NameActionVerified, task.NameTaskCompleted, task.NameTurnEnded}
	if diff := cmp.Diff(want, events[4:]); diff != "" {
		t.Error(diff)
	}
}

func TestTurn_CorrectionSavesTheStep(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.reasons.acts, r.reasons.verdicts = []any{click("14")}, []any{didNot, isDone}
	r.reasons.fixes = []any{retryWith("3")}
	a, err := walkThrough(t, r, 2)
	if err != nil {
		t.Fatal(err)
	}
	want := &interact.Correction{
		Strategy: "ALTERNATIVE_SELECTOR", Reason: "the other one", Attempt: 1,
		FailedAction: `click("14")`, RetryAction: `click("3")`,
	}
	if diff := cmp.Diff(want, a.Correction); diff != "" {
		t.Error(diff)
	}
	if a.Status != "correcting" || a.StepIndex != 0 || a.Action != `click("3")` {
		t.Errorf("answer %+v", a)
	}
	if q := r.reasons.failures[0]; q.Attempt != 1 || len(q.Tried) != 1 || q.Verdict.Reason != didNot.Reason || !q.Before.Skeleton.Has("save") {
		t.Errorf("the correction was asked with %+v", q)
	}
	req := request(t, form, "third")
	req.TaskID = a.TaskID
	res, err := r.Interact(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	if last := answerOf(t, res); last.Status != "completed" {
		t.Errorf("after the correction: %+v", last)
	}
	if q := r.reasons.verified[1]; q.Action.Target != "3" {
		t.Errorf("the second verdict was about %s", q.Action)
	}
}

func TestTurn_Limits(t *testing.T) {
	t.Parallel()
	few := func(d *interact.Deps) {
		d.Limits.MaxSteps, d.Limits.MaxCorrections, d.Limits.MaxConsecutiveFailures = 2, 1, 3
	}
	for _, c := range []struct {
		name     string
		acts     []any
		verdicts []any
		fixes    []any
		turns    int
		code     string
	}{
		{"steps", []any{click("14"), click("14")}, []any{worked, worked}, nil, 3, domain.CodeMaxSteps},
		{"corrections of a step", []any{click("14")}, []any{didNot, didNot}, []any{retryWith("3")}, 3, domain.CodeMaxRetries},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, few)
			r.reasons.acts, r.reasons.verdicts, r.reasons.fixes = c.acts, c.verdicts, c.fixes
			a, err := walkThrough(t, r, c.turns)
			wantCode(t, err, domain.Invalid, c.code)
			again := request(t, form, string(rune('a'+c.turns-1)))
			again.TaskID = a.TaskID
			_, err = r.Interact(t.Context(), again)
			wantCode(t, err, domain.Invalid, c.code)
			events := r.eventsOf(t, a.TaskID)
			if failed, ok := events[len(events)-2].(task.TaskFailed); !ok || failed.Code != c.code || failed.Message == "" {
				t.Errorf("the task ended with %+v", events[len(events)-2])
			}
		})
	}
}

func wantCode(t *testing.T, err error, kind domain.Kind, code string) {
	t.Helper()
	var e *domain.Error
	if !errors.As(err, &e) || e.Kind != kind || e.Code != code {
		t.Fatalf("error %v, want kind %d, code %s", err, kind, code)
	}
}

func TestTurn_NobodyKnows(t *testing.T) {
	t.Parallel()
	useless := domain.Errorf(domain.Internal, domain.CodeLLM, "the model gave no usable answer")
	for _, c := range []struct {
		name   string
		act    any
		status string
		text   string
	}{
		{"rules do not know: the user is asked", reasoning.ActAnswer{Undecided: true, Reason: "I need more detail."}, "needs_user_input", "I need more detail."},
		{"a question to the user", reasoning.ActAnswer{UserQuestion: "Which one?", Missing: []string{"name"}}, "needs_user_input", "Which one?"},
		{"the model gave nothing: the task fails readably", useless, "failed", "the model gave no usable answer"},
		{"an inner error is not shown", errors.New("pq: secret detail"), "failed", "something went wrong while deciding the next step"},
		{"an element that is not on the page", click("99"), "needs_user_input", `I could not work out the next step: there is no element "99" on the page. What should I do?`},
		{"a hidden element", click("6"), "needs_user_input", `I could not work out the next step: button "Hidden" is not visible. What should I do?`},
		{"the reasoner gives up", reasoning.ActAnswer{Action: action.Action{Name: action.Fail, Text: "It cannot be done."}}, "failed", "It cannot be done."},
		{"the reasoner is done", reasoning.ActAnswer{Action: action.Action{Name: action.Finish, Text: "It was done before."}, Proof: "Form", Confidence: 1}, "completed", "It was done before."},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.reasons.acts = []any{c.act}
			a, err := walkThrough(t, r, 1)
			if err != nil {
				t.Fatal(err)
			}
			if a.Status != c.status || a.Thought != c.text {
				t.Errorf("status %s, thought %q", a.Status, a.Thought)
			}
			if c.status == "needs_user_input" && (a.Action != "" || a.UserQuestion != c.text) {
				t.Errorf("a question comes with the action %q", a.Action)
			}
		})
	}
}

func TestTurn_AnOutageDoesNotEndTheTask(t *testing.T) {
	t.Parallel()
	outage := domain.Errorf(domain.Unavailable, domain.CodeLLM, "the model is out of reach")
	for _, c := range []struct {
		name    string
		before  []any // answers to the first turn
		verdict []any
		fixes   []any
		acts    []any
	}{
		{name: "of the next action", acts: []any{outage, click("14")}},
		{name: "of a correction", before: []any{click("14")}, verdict: []any{didNot, didNot}, fixes: []any{outage, retryWith("3")}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.reasons.acts, r.reasons.verdicts, r.reasons.fixes = append(c.before, c.acts...), c.verdict, c.fixes
			req := request(t, form, "last")
			if c.before != nil {
				first, err := walkThrough(t, r, 1)
				if err != nil {
					t.Fatal(err)
				}
				req.TaskID = first.TaskID
			}
			_, err := r.Interact(t.Context(), req)
			wantCode(t, err, domain.Unavailable, domain.CodeLLM)
			res, err := r.Interact(t.Context(), req)
			if err != nil {
				t.Fatalf("the same request again: %v", err)
			}
			if a := answerOf(t, res); a.Status != "executing" && a.Status != "correcting" {
				t.Errorf("answer %+v", a)
			}
		})
	}
}

func TestTurn_ErasedTask(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.reasons.acts = []any{click("14")}
	req := request(t, form, "a")
	first, err := r.Interact(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	r.deps.Keys, r.content.fail = erasedKeys{}, domain.ErrErased
	later := interact.New(r.deps)
	_, err = later.Interact(t.Context(), req)
	wantCode(t, err, domain.Conflict, domain.CodeConflict)
	next := request(t, form, "b")
	next.TaskID = first.TaskID
	_, err = later.Interact(t.Context(), next)
	wantCode(t, err, domain.Conflict, domain.CodeConflict)
}

func TestTurn_PagesAndScreenshotsAreStoredApart(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.reasons.acts = []any{click("14")}
	req := request(t, form, "a")
	req.Capture.Screenshot = "c2NyZWVu"
	res, err := r.Interact(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	seen, ok := r.eventsOf(t, res.TaskID)[0].(task.PageObserved)
	if !ok || seen.Page == "" || seen.Screenshot == "" || seen.Page == seen.Screenshot {
		t.Errorf("page %q, screenshot %q", seen.Page, seen.Screenshot)
	}
	for _, body := range r.content.bodies {
		if strings.Contains(body, "c2NyZWVu") && body != "c2NyZWVu" {
			t.Errorf("the screenshot is in %s", body)
		}
	}
}

func TestTurn_AReplyGoesOnWithTheTask(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.reasons.acts = []any{reasoning.ActAnswer{UserQuestion: "Which one?"}, click("14")}
	a, err := walkThrough(t, r, 1)
	if err != nil {
		t.Fatal(err)
	}
	if got := names(r.eventsOf(t, a.TaskID)); strings.Contains(strings.Join(got, " "), task.NameTaskStarted) {
		t.Errorf("a task that only asked is visible: %v", got)
	}
	req := request(t, form, "reply")
	req.TaskID, req.Query = a.TaskID, "the first"
	if _, err := r.Interact(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	if q := r.reasons.asked[1]; q.Query != "save it" || !cmp.Equal(q.Answers, []string{"the first"}) {
		t.Errorf("asked with query %q and answers %v", q.Query, q.Answers)
	}
}

func TestTurn_VerdictNobodyCanGive(t *testing.T) {
	t.Parallel()
	for name, verdict := range map[string]any{
		"undecided":       reasoning.Verdict{Undecided: true, Reason: "no rule applies"},
		"out of reach":    errors.New("no model"),
		"no probability":  reasoning.Verdict{Confidence: 17, Reason: "very sure"},
		"worked, but not": reasoning.Verdict{Confidence: 0.69, Reason: "hardly", TaskCompleted: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.reasons.acts, r.reasons.verdicts = []any{click("14")}, []any{verdict}
			a, err := walkThrough(t, r, 2)
			if err != nil {
				t.Fatal(err)
			}
			if v := a.Verification; v.Outcome != "undecided" || v.Success || v.TaskCompleted || v.Missing == "" || a.Action != "wait(1)" {
				t.Errorf("%s with the verdict %+v", a.Action, v)
			}
		})
	}
}

func TestTurn_SecretsGoToTheClientOnly(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.reasons.acts = []any{reasoning.ActAnswer{
		Action: action.Action{Name: action.SetValue, Target: "5", Text: "hunter2"}, Thought: "I enter the password.", By: "script",
	}}
	req := request(t, form, "a")
	first, err := r.Interact(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	if a := answerOf(t, first); a.Action != `setValue("5", "hunter2")` || a.ActionDetails.Text != "hunter2" {
		t.Errorf("the client was sent %+v", a)
	}
	for _, e := range r.eventsOf(t, first.TaskID) {
		switch e := e.(type) {
		case task.ActionGenerated:
			if strings.Contains(e.Action, "hunter2") {
				t.Errorf("the action's event shows %s", e.Action)
			}
		case task.TurnEnded:
			if strings.Contains(string(e.Answer), "hunter2") || e.Secret != "hunter2" {
				t.Errorf("the stored answer is %s", e.Answer)
			}
		}
	}
	again, err := r.Interact(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	if string(again.Answer) != string(first.Answer) || !again.Replayed {
		t.Errorf("the repeated request got %s", again.Answer)
	}
	if strings.Contains(strings.Join(r.content.bodies, ""), "Password") {
		t.Error("the page was stored without being redacted")
	}
}

func TestTurn_NobodyRepeatsASecret(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.reasons.acts = []any{reasoning.ActAnswer{
		Action:  action.Action{Name: action.SetValue, Target: "5", Text: "hunter2"},
		Thought: "I type hunter2.", Expected: page.Outcome{Description: "It says hunter2."}, By: "script",
	}, click("14"), reasoning.ActAnswer{UserQuestion: "Is hunter2 right?"}}
	r.reasons.verdicts = []any{reasoning.Verdict{Confidence: 0.9, Reason: "it worked"}, reasoning.Verdict{Confidence: 0.9, Reason: "the page shows hunter2", By: "script"}}
	first, err := r.Interact(t.Context(), request(t, form, "a"))
	if err != nil {
		t.Fatal(err)
	}
	shown := form
	shown.Alerts = []page.Alert{{Kind: page.AlertOther, Text: "hunter2 is too short"}}
	req := request(t, shown, "b")
	req.TaskID = first.TaskID
	req.Witness = page.Witness{
		Status: "failure", RecentEvents: []string{"Added: hunter2"},
		Error: &page.ActionError{Message: "no hunter2", Action: `setValue("5", "hunter2")`},
	}
	if _, err := r.Interact(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	req.Key, req.BodyHash = "key-c", "c"
	second, err := r.Interact(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(second.Answer), "hunter2") || strings.Contains(answerOf(t, first).Thought, "hunter2") {
		t.Errorf("answers repeat it: %s\n%s", first.Answer, second.Answer)
	}
	for _, e := range r.eventsOf(t, first.TaskID) {
		if end, ok := e.(task.TurnEnded); ok {
			end.Secret = ""
			e = end
		}
		if text := fmt.Sprintf("%+v", e); strings.Contains(text, "hunter2") {
			t.Errorf("%s repeats it: %s", task.Codec.Name(e), text)
		}
	}
}

func TestTurn_TheEndDoesNotRepeatASecret(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		end  reasoning.ActAnswer
	}{
		{"finish", reasoning.ActAnswer{Action: action.Action{Name: action.Finish, Text: "Your password is hunter2."}}},
		{"finish without a text", reasoning.ActAnswer{Action: action.Action{Name: action.Finish}, Thought: "I typed hunter2."}},
		{"fail", reasoning.ActAnswer{Action: action.Action{Name: action.Fail, Text: "It did not take hunter2."}}},
		{"a question's missing facts", reasoning.ActAnswer{UserQuestion: "What now?", Missing: []string{"instead of hunter2"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.reasons.acts = []any{reasoning.ActAnswer{
				Action: action.Action{Name: action.SetValue, Target: "5", Text: "hunter2"}, Thought: "I type it.", By: "script",
			}, c.end}
			r.reasons.verdicts = []any{reasoning.Verdict{ActionSucceeded: true, Confidence: 0.9, Reason: "it worked"}}
			first, err := r.Interact(t.Context(), request(t, form, "a"))
			if err != nil {
				t.Fatal(err)
			}
			req := request(t, form, "b")
			req.TaskID = first.TaskID
			second, err := r.Interact(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			if a := string(second.Answer); strings.Contains(a, "hunter2") || !strings.Contains(a, "[secret]") {
				t.Errorf("the answer is %s", a)
			}
		})
	}
}

func TestTurn_RefusalsLeaveNothingBehind(t *testing.T) {
	t.Parallel()
	outage := &eventstore.UnavailableError{Op: "put", Cause: errors.New("down")}
	for _, c := range []struct {
		name   string
		change func(*rig, *interact.Request)
	}{
		{"an unreadable page", func(_ *rig, req *interact.Request) { req.Capture.DOM = "{" }},
		{"an unknown session", func(_ *rig, req *interact.Request) { req.SessionID = domain.NewUUID() }},
		{"an unknown task", func(_ *rig, req *interact.Request) { req.TaskID = domain.NewUUID() }},
		{"content that cannot be stored", func(r *rig, _ *interact.Request) { r.content.fail = outage }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			req := request(t, form, "a")
			c.change(r, &req)
			if _, err := r.Interact(t.Context(), req); err == nil {
				t.Fatal("it was accepted")
			}
			page, err := r.log.ReadAll(t.Context(), 0, 100, eventstore.Filter{Categories: []string{"task", "usage"}})
			if err != nil || len(page.Events) != 0 {
				t.Errorf("%d events are in the log (%v)", len(page.Events), err)
			}
		})
	}
}
