package model_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/prompt"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/internal/llm"
	"github.com/stepledger/stepledger/internal/llm/llmtest"
	"github.com/stepledger/stepledger/internal/reason/model"
)

// bench is a reasoner over a scripted model, on a ledger.
type bench struct {
	*model.Reasoner
	fake   *llmtest.Fake
	ledger *llmtest.Ledger
}

func newBench(t *testing.T, steps ...llmtest.Step) *bench {
	t.Helper()
	b := &bench{fake: llmtest.NewFake(llmtest.Steps(steps...)), ledger: llmtest.NewLedger()}
	ids := 0
	target := []llm.Target{{Provider: "google", Model: "a-model", Generator: b.fake}}
	client, err := llm.NewClient(llm.Options{
		Roles:    map[llm.Role][]llm.Target{llm.Fast: target, llm.Smart: target},
		Recorder: b.ledger,
		Tokens:   prompt.Tokens,
		NewID:    func() string { ids++; return strconv.Itoa(ids) },
		Attempts: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	b.Reasoner = model.New(client)
	return b
}

// answer is a step with this text.
func answer(text string) llmtest.Step { return llmtest.Step{Text: text} }

// outcomes are how the calls ended, each with its bill.
func (b *bench) outcomes(t *testing.T) []string {
	t.Helper()
	started, completed := b.ledger.Calls()
	if len(started) != len(completed) {
		t.Fatalf("%d calls started, %d ended", len(started), len(completed))
	}
	var out []string
	for i, c := range completed {
		out = append(out, started[i].PromptName+" "+started[i].Purpose+" "+string(started[i].Role)+" "+string(c.Outcome))
	}
	return out
}

// prompt is the text of the nth request: what the system says, what the user
// part holds.
func (b *bench) prompt(t *testing.T, n int) (system, user string) {
	t.Helper()
	requests := b.fake.Requests()
	if n >= len(requests) {
		t.Fatalf("there were %d requests", len(requests))
	}
	var parts []string
	for _, p := range requests[n].User {
		parts = append(parts, p.Text)
	}
	return requests[n].System, strings.Join(parts, "\n---\n")
}

func onOf() reasoning.On {
	return reasoning.On{Tenant: "t", User: "u", Session: "s", Task: "k", Turn: 3, Request: "r"}
}

func patients() page.Page {
	return page.Page{
		URL: "https://clinic.example/patients", Title: "Patients",
		Elements: []page.Element{
			{ID: "3", Role: "link", Name: "Help", Href: "https://help.example/docs?a=1"},
			{ID: "14", Role: "textbox", Name: "Name", Value: "J", State: page.State{Required: true, Focused: true}, Group: "New patient"},
			{ID: "15", Role: "textbox", Name: "PIN", Type: "password", Value: "4711", State: page.State{Secret: true}},
			{ID: "16", Role: "combobox", Tag: "select", Name: "Ward", Options: []page.Option{{Value: "n", Label: "North"}, {Value: "s", Label: "South"}}},
			{ID: "17", Role: "button", Name: "Save", XY: &page.Point{X: 400.4, Y: 300.6}},
			{ID: "18", Role: "button", Name: "Delete", State: page.State{Disabled: true}},
			{ID: "19", Role: "button", Name: "Ghost", State: page.State{Hidden: true}},
			{ID: "20", Role: "textbox", Name: "Number", State: page.State{Readonly: true}},
		},
		Alerts:     []page.Alert{{Kind: page.AlertError, Text: "Name is required"}},
		Headings:   []string{"New patient"},
		Text:       "Fill in the form.",
		Scrollable: []string{"99"},
	}
}

// able is a client that presses and hovers.
var able = action.Declared([]string{"press", "hover"})

func actQuestion() reasoning.ActQuestion {
	return reasoning.ActQuestion{On: onOf(), Query: "Add patient Jas to ward South", Page: patients(), Client: able}
}

func verifyQuestion() reasoning.VerifyQuestion {
	return reasoning.VerifyQuestion{
		On: onOf(), Query: "Add patient Jas", Action: action.Action{Name: action.Click, Target: "17"},
		Target:  page.Element{ID: "17", Role: "button", Name: "Save"},
		Thought: "a private thought", Expected: page.Outcome{Description: "an expectation"}, Page: patients(),
		Observations: []page.Observation{{Kind: page.AlertAppeared, Text: "New message: Patient saved"}},
	}
}

func confirmQuestion() reasoning.ConfirmQuestion {
	p := patients()
	p.Alerts = []page.Alert{{Kind: page.AlertSuccess, Text: "Patient Jas was added"}}
	return reasoning.ConfirmQuestion{
		On: onOf(), Query: "Add patient Jas", Statement: "Jas was added to the list.", Page: p,
		Steps: []reasoning.Step{
			{Index: 0, Action: action.Action{Name: action.Click, Target: "9"}, Target: `button "Add"`, Verified: true, Reason: "nothing changed"},
			{Index: 0, Action: action.Action{Name: action.Click, Target: "8"}, Target: `link "Add"`, Verified: true, Succeeded: true, Correction: "ALTERNATIVE_SELECTOR"},
		},
		Observations: []page.Observation{{Kind: page.AlertAppeared, Text: "New message: Patient Jas was added"}},
	}
}

// correctQuestion is about a click on a menu that did not help, in the second
// step of the task, after a first correction.
func correctQuestion() reasoning.CorrectQuestion {
	p := patients()
	p.Elements = append(p.Elements,
		page.Element{ID: "30", Role: "button", Name: "Patient", State: page.State{HasPopup: true, Expanded: "true"}},
		page.Element{ID: "31", Role: "menuitem", Name: "New/Search", Group: "Patient"},
	)
	click := func(id string) action.Action { return action.Action{Name: action.Click, Target: id} }
	return reasoning.CorrectQuestion{
		Client: able, On: onOf(), Query: "Add patient Jas", Answers: []string{"on ward South"},
		Failed: click("30"), Target: page.Element{ID: "30", Role: "button", Name: "Patient", State: page.State{HasPopup: true}},
		Verdict:      reasoning.Verdict{Confidence: 0.1, Reason: "The form did not open."},
		Observations: []page.Observation{{Text: "URL did not change"}, {Kind: page.Witnessed, Attr: page.AttrExpanded, To: "true", Text: "Dropdown opened with options: New/Search, Summary"}},
		Witness:      page.Witness{Error: &page.ActionError{Code: "ELEMENT_OBSCURED", Message: "another element took the click"}},
		Page:         p,
		Steps: []reasoning.Step{
			{Index: 0, Action: click("2"), Target: `link "Clinic"`, Verified: true, Succeeded: true},
			{Index: 1, Action: click("3"), Target: `link "Help"`, Verified: true, Reason: "Another page was opened."},
			{Index: 1, Action: click("30"), Target: `button "Patient"`, Verified: true, Reason: "The form did not open.", Correction: "ALTERNATIVE_SELECTOR"},
		},
		Kind:    page.KindDropdown,
		Unmet:   []page.Check{{Name: page.CheckNextGoal, About: "the form for a new patient", Held: page.False}},
		Attempt: 2, Tried: []action.Action{click("3"), click("30")},
		Note: "The menu opens slowly.", LookedUp: []action.Action{{Name: action.Find, Text: "New/Search"}},
		Skills: []reasoning.Skill{{
			ID: "menu", FailedAction: "click", FailedTarget: reasoning.Target{Role: "button", Name: "Patient"},
			UseAction: "click", UseTarget: reasoning.Target{Role: "menuitem", Name: "New/Search", Group: "Patient"},
		}},
	}
}
