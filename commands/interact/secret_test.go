package interact_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stepledger/stepledger/commands/interact"
	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/secret"
	"github.com/stepledger/stepledger/domain/task"
)

func typing(target, text string) reasoning.ActAnswer {
	return reasoning.ActAnswer{Action: action.Action{Name: action.SetValue, Target: target, Text: text}, Thought: "I type.", By: "script"}
}

// leaks looks for a value in the events of a task, as they are stored but for what
// is there to keep it, and as they are shown, and in the pages kept.
func leaks(t *testing.T, r *rig, id, value string) {
	t.Helper()
	events := r.eventsOf(t, id)
	var secrets []string
	for _, e := range events {
		secrets = append(secrets, task.SecretsOf(e)...)
	}
	for _, e := range events {
		b, err := json.Marshal(task.RedactForReaders(e, secret.New(secrets...)))
		if err != nil || strings.Contains(string(b), value) {
			t.Errorf("%v: shown %T: %s", err, e, b)
		}
	}
	if all := strings.Join(r.content.bodies, "\n"); strings.Contains(all, value) {
		t.Errorf("a page kept has %q in it: %s", value, all)
	}
}

func TestTurn_WhatTheUserSaysIsSecretIsSoFromTheStart(t *testing.T) {
	t.Parallel()
	for query, value := range map[string]string{
		"Log in with email jo@x.example and password hunter2zz": "hunter2zz",
		"type 'open sesame' into Password":                      "open sesame",
		"enter the verification code 482913":                    "482913",
		"open https://x.example/?token=Zx81abcd":                "Zx81abcd",
	} {
		t.Run(value, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.reasons.acts = []any{reasoning.ActAnswer{UserQuestion: "Which one is it, " + value + "?"}}
			req := request(t, form, "a")
			req.Query = query
			res, err := r.Interact(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(res.Answer), value) {
				t.Errorf("the answer repeats it: %s", res.Answer)
			}
			if q := r.reasons.asked[0]; q.Query != query || !slices.Contains(q.On.Secrets, value) {
				t.Errorf("the reasoner was asked %q, with the secrets %q", q.Query, q.On.Secrets)
			}
			leaks(t, r, res.TaskID, value)
		})
	}
}

func TestTurn_AReplyToAQuestionForASecretIsOne(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.reasons.acts = []any{reasoning.ActAnswer{UserQuestion: "What is the password?"}, typing("5", "swordfish")}
	first, err := r.Interact(t.Context(), request(t, form, "a"))
	if err != nil {
		t.Fatal(err)
	}
	req := request(t, form, "b")
	req.TaskID, req.Query = first.TaskID, "swordfish"
	second, err := r.Interact(t.Context(), req)
	if err != nil || !strings.Contains(answerOf(t, second).Action, "swordfish") {
		t.Fatalf("the client was told %s, %v", second.Answer, err)
	}
	leaks(t, r, first.TaskID, "swordfish")
}

// A field that was secret once stays so, under another type as well.
func TestTurn_AFieldSeenAsSecretStaysSecret(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.reasons.acts = []any{click("14"), click("3")}
	r.reasons.verdicts = []any{worked}
	first, err := r.Interact(t.Context(), request(t, form, "a"))
	if err != nil {
		t.Fatal(err)
	}
	shown := form
	shown.Elements = slices.Clone(form.Elements)
	shown.Elements[2].State.Secret, shown.Elements[2].Value = false, "zebra-99"
	shown.Alerts = []page.Alert{{Kind: page.AlertOther, Text: "Your password is Zebra-99"}}
	req := request(t, shown, "b")
	req.TaskID = first.TaskID
	req.Witness = page.Witness{RecentEvents: []string{"Added: zebra-99"}}
	second, err := r.Interact(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	now := r.reasons.verified[0].Page
	if e, _ := now.ByID("5"); !e.State.Secret || e.Value != "" || strings.Contains(strings.ToLower(fmt.Sprint(now)), "zebra") {
		t.Errorf("the reasoner sees %+v", now)
	}
	if strings.Contains(strings.ToLower(string(second.Answer)), "zebra") {
		t.Errorf("the answer: %s", second.Answer)
	}
	leaks(t, r, first.TaskID, "zebra-99")
	leaks(t, r, first.TaskID, "Zebra-99")
}

// A known secret is one in whatever field it is typed, and a part of a text.
func TestTurn_AKnownSecretIsHiddenInEveryAction(t *testing.T) {
	t.Parallel()
	code := page.Element{ID: "7", Key: "code", Role: "textbox", Name: "Code"}
	p := page.Page{Title: "Form", Elements: []page.Element{saveButton, code}}
	for name, c := range map[string]struct {
		act    action.Action
		stored string
	}{
		"in a field like any other": {action.Action{Name: action.SetValue, Target: "7", Text: "hunter2zz"}, `setValue("7", "[secret]")`},
		"in a longer text":          {action.Action{Name: action.SetValue, Target: "7", Text: "it is hunter2zz!"}, `setValue("7", "it is [secret]!")`},
		"in an address":             {action.Action{Name: action.Navigate, Text: "https://clinic.example/?q=hunter2zz&sig=Abc1"}, `navigate("https://clinic.example/?q=[secret]&sig=[secret]")`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.reasons.acts = []any{reasoning.ActAnswer{Action: c.act, Thought: "I do it.", By: "script"}}
			req := request(t, p, "a")
			req.Query = "use the password hunter2zz"
			first, err := r.Interact(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			if a := answerOf(t, first); a.Action != c.act.String() || a.ActionDetails.Text != c.act.Text {
				t.Errorf("the client was told %+v", a)
			}
			again, err := r.Interact(t.Context(), req)
			if err != nil || string(again.Answer) != string(first.Answer) {
				t.Errorf("repeated: %s, %v", again.Answer, err)
			}
			for _, e := range r.eventsOf(t, first.TaskID) {
				if g, ok := e.(task.ActionGenerated); ok && g.Action != c.stored {
					t.Errorf("stored: %s", g.Action)
				}
			}
			leaks(t, r, first.TaskID, "hunter2zz")
		})
	}
}

func TestTurn_ACodeTypedIntoBoxesIsKnownAsAWhole(t *testing.T) {
	t.Parallel()
	box := func(id string) page.Element {
		return page.Element{ID: id, Key: "box" + id, Role: "textbox", Name: "Digit " + id, State: page.State{Secret: true}}
	}
	p := page.Page{Title: "Code", Elements: []page.Element{box("1"), box("2"), box("3"), box("4"), saveButton}}
	r := newRig(t)
	r.reasons.acts = []any{typing("1", "4"), typing("2", "8"), typing("3", "2"), typing("4", "9")}
	r.reasons.verdicts = []any{worked, worked, worked}
	id := ""
	for i := range 4 {
		req := request(t, p, strconv.Itoa(i))
		req.TaskID, req.Query = id, "enter 4829 there"
		res, err := r.Interact(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		id = res.TaskID
	}
	leaks(t, r, id, "4829")
}

func TestTurn_AddressesLoseWhatTheyCarry(t *testing.T) {
	t.Parallel()
	const address = "https://jo:Zx81pw@clinic.example/form?access_token=Zx81tok&page=2#id_token=Zx81id"
	r := newRig(t)
	r.reasons.acts = []any{reasoning.ActAnswer{Action: action.Action{Name: action.Navigate, Text: "https://clinic.example/form?access_token=[secret]&page=2#id_token=[secret]"}, Thought: "Again.", By: "script"}}
	req := request(t, form, "a")
	req.Capture.URL, req.PreviousURL = address, "https://clinic.example/?password=Zx81prev"
	req.Witness = interact.Witness{Refused: []page.Refusal{{Method: "GET", Path: "/x;jsessionid=Zx81sid", Status: 500}}}
	res, err := r.Interact(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	if a := answerOf(t, res); a.ActionDetails == nil || a.ActionDetails.Text != address {
		t.Errorf("to load the page again, the client was told %s", res.Answer)
	}
	if q := r.reasons.asked[0]; strings.Contains(fmt.Sprint(q.Page), "Zx81") || !strings.Contains(q.Page.URL, "page=2") {
		t.Errorf("the reasoner sees %+v", q.Page)
	}
	leaks(t, r, res.TaskID, "Zx81")
}
