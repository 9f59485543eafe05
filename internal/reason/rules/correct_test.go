package rules

import (
	"strings"
	"testing"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/internal/reason/rules/correct"
)

func TestCorrect(t *testing.T) {
	t.Parallel()
	click := func(id string) action.Action { return action.Action{Name: action.Click, Target: id} }
	set := func(id, s string) action.Action { return action.Action{Name: action.SetValue, Target: id, Text: s} }
	step := func(a action.Action, target string) reasoning.Step {
		return reasoning.Step{Action: a, Target: target, Verified: true, Succeeded: true}
	}
	error1 := page.Alert{Kind: page.AlertError, Text: "Email is not valid"}

	for name, tc := range map[string]struct {
		query   string
		failed  action.Action
		target  page.Element
		page    page.Page
		steps   []reasoning.Step
		tried   []action.Action
		attempt int
		rule    string
		skills  []reasoning.Skill
		witness page.Witness

		strategy  reasoning.Strategy
		action    string
		undecided bool
		reason    string
	}{
		"an element with a new id is found again": {
			query: "click Save", failed: click("3"), target: elem("button", "Save", withID("3")),
			page:     pageOf(home, elem("button", "Back", withID("3")), elem("button", "Save", withID("4"))),
			strategy: reasoning.AlternativeSelector, action: `click("4")`},
		"two of that name are no find": {
			query: "click Save", failed: click("3"), target: elem("button", "Save", withID("3")),
			page:     pageOf(home, elem("button", "Save", withID("4"), group("A")), elem("button", "Save", withID("5"), group("B"))),
			strategy: reasoning.GatherInformation, action: `()`, reason: `I found more than one match for “Save”: button "Save" in “A”, button "Save" in “B”. Which one do you mean?`},
		"the group tells which of two it is": {
			query: "click Save", failed: click("3"), target: elem("button", "Save", withID("3"), group("B")),
			page:     pageOf(home, elem("button", "Save", withID("4"), group("A")), elem("button", "Save", withID("5"), group("B"))),
			strategy: reasoning.AlternativeSelector, action: `click("5")`},
		"what lies over it is closed": {
			query: "click Save", failed: click("3"), target: elem("button", "Save", withID("3")),
			page:     pageOf(home, elem("button", "Save", withID("3"), state(occluded)), elem("button", "Close", withID("9"))),
			strategy: reasoning.AlternativeTool, action: `click("9")`},
		"without a close button Escape is pressed": {
			query: "click Save", failed: click("3"), target: elem("button", "Save", withID("3")),
			page:     pageOf(home, elem("button", "Save", withID("3"), state(occluded))),
			strategy: reasoning.AlternativeTool, action: `press("Escape")`},
		"then the element is scrolled to": {
			query: "click Save", failed: click("3"), target: elem("button", "Save", withID("3")), attempt: 2,
			page:     pageOf(home, elem("button", "Save", withID("3"), state(occluded))),
			tried:    []action.Action{click("3"), {Name: action.Press, Text: "Escape"}},
			strategy: reasoning.ScrollIntoView, action: `scroll("3")`},
		"a disabled element is waited for": {
			query: "click Save", failed: click("3"), target: elem("button", "Save", withID("3")),
			page:     pageOf(home, elem("button", "Save", withID("3"), state(disabled))),
			strategy: reasoning.RetryWithDelay, action: `wait(1)`},
		"and waited for longer": {
			query: "click Save", failed: click("3"), target: elem("button", "Save", withID("3")), attempt: 2,
			page:     pageOf(home, elem("button", "Save", withID("3"), state(disabled))),
			tried:    []action.Action{click("3"), {Name: action.Wait, Seconds: 1}},
			strategy: reasoning.RetryWithDelay, action: `wait(2)`},
		"what the client found covered is uncovered": {
			query: "click Save", failed: click("3"), target: elem("button", "Save", withID("3")), witness: reported("ELEMENT_OCCLUDED"),
			page:     pageOf(home, elem("button", "Save", withID("3")), elem("button", "Accept all cookies", withID("8")), elem("button", "Close", withID("9"))),
			strategy: reasoning.AlternativeTool, action: `click("9")`},
		"what the client found disabled is waited for": {
			query: "click Save", failed: click("3"), target: elem("button", "Save", withID("3")), witness: reported("ELEMENT_DISABLED"),
			page:     pageOf(home, elem("button", "Save", withID("3"))),
			strategy: reasoning.RetryWithDelay, action: `wait(1)`},
		"what the client could not see is scrolled to": {
			query: "click Save", failed: click("3"), target: elem("button", "Save", withID("3")), witness: reported("ELEMENT_NOT_VISIBLE"),
			page:     pageOf(home, elem("button", "Save", withID("3"))),
			strategy: reasoning.ScrollIntoView, action: `scroll("3")`},
		"what the client did not find is found again": {
			query: "click Save", failed: click("3"), target: elem("button", "Save", withID("3")), witness: reported("ELEMENT_NOT_FOUND"),
			page:     pageOf(home, elem("button", "Save", withID("33"))),
			strategy: reasoning.AlternativeSelector, action: `click("33")`},
		"a page that did not load is loaded again": {
			query: "click Save", failed: click("3"), target: elem("button", "Save", withID("3")),
			page:     page.Page{URL: "https://a.test/form"},
			strategy: reasoning.RefreshPage, action: `navigate("https://a.test/form")`},
		"but not where something was sent": {
			query: "click Save", failed: click("3"), target: elem("button", "Save", withID("3")), witness: refusedBy("POST", "/form", 502),
			page:     page.Page{URL: "https://a.test/form"},
			strategy: reasoning.GatherInformation, action: `()`, reason: "POST /form was answered with status 502"},
		"what was only asked for is asked for again after a while": {
			query: "click More", failed: click("3"), target: elem("button", "More", withID("3")), witness: refusedBy("GET", "/list", 503),
			page:     pageOf(home, elem("button", "More", withID("3"))),
			strategy: reasoning.RetryWithDelay, action: `wait(2)`},
		"what counts visitors is nobody's business": {
			query: "click More", failed: click("3"), target: elem("button", "More", withID("3")), witness: refusedBy("POST", "/v1/analytics", 503), rule: "nothing-changed",
			page:     pageOf(home, elem("button", "More", withID("3"))),
			strategy: reasoning.GiveUp, action: `fail("I tried what I could think of: why")`, undecided: true},
		"another way to the same form": {
			query: "add a patient named Jas", failed: click("3"), target: elem("button", "New patient", withID("3")),
			page:     pageOf(home, elem("button", "New patient", withID("3")), elem("link", "Add patient", withID("4")), elem("button", "Delete patient")),
			strategy: reasoning.AlternativeSelector, action: `click("4")`},
		"an opened menu's item before any other control": {
			query: "add a patient named Jas", failed: click("3"), target: elem("button", "Patient", withID("3"), state(popup)),
			page: pageOf(home, elem("button", "Patient", withID("3"), state(popup)), elem("button", "New patient", withID("8")),
				elem("menuitem", "New/Search", withID("5")), elem("menuitem", "Reports")),
			strategy: reasoning.AlternativeSelector, action: `click("5")`},
		"the Enter key for a dead button of a form": {
			query: "add a note with title 'Milk'", failed: click("3"), target: elem("button", "Save", withID("3")),
			page:     pageOf(home, elem("textbox", "Title", withID("2"), value("Milk")), elem("button", "Save", withID("3"))),
			steps:    []reasoning.Step{step(set("2", "Milk"), `textbox "Title"`)},
			strategy: reasoning.AlternativeTool, action: `press("Enter")`},
		"the known value for the field an error names": {
			query: "add a user with name 'Jas' and email 'j@s.org'", failed: click("3"), target: elem("button", "Save", withID("3")),
			page: with(pageOf(home, elem("textbox", "Name", withID("1"), value("Jas")), elem("textbox", "Email", withID("2")), elem("button", "Save", withID("3"))),
				func(p *page.Page) { p.Alerts = []page.Alert{error1} }),
			strategy: reasoning.AlternativeTool, action: `setValue("2", "j@s.org")`},
		"a question about a value that was refused": {
			query: "add a user with name 'Jas' and email 'j'", failed: click("3"), target: elem("button", "Save", withID("3")),
			page: with(pageOf(home, elem("textbox", "Name", withID("1"), value("Jas")), elem("textbox", "Email", withID("2"), value("j")), elem("button", "Save", withID("3"))),
				func(p *page.Page) { p.Alerts = []page.Alert{error1} }),
			strategy: reasoning.GatherInformation, action: `()`, reason: `The page says: “Email is not valid” What should I enter for “Email”?`},
		"an error of the server is not repeated into": {
			query: "add a user with name 'Jas'", failed: click("3"), target: elem("button", "Save", withID("3")),
			page: with(pageOf(home, elem("textbox", "Name", withID("1"), value("Jas")), elem("button", "Save", withID("3"))),
				func(p *page.Page) { p.Alerts = []page.Alert{{Kind: page.AlertError, Text: "Something went wrong"}} }),
			strategy: reasoning.GatherInformation, action: `()`, reason: `The page says: “Something went wrong” How should I go on?`},
		"an option by its value": {
			query: "choose 'Poland' from Country", failed: set("2", "Poland"), target: elem("combobox", "Country", withID("2"), options("France", "Poland")),
			page:     pageOf(home, elem("combobox", "Country", withID("2"), options("France", "Poland"))),
			strategy: reasoning.AlternativeTool, action: `setValue("2", "poland")`},
		"an option that does not exist is asked about": {
			query: "choose 'Peru' from Country", failed: set("2", "Peru"), target: elem("combobox", "Country", withID("2"), options("France")),
			page:     pageOf(home, elem("combobox", "Country", withID("2"), options("France", "Poland"))),
			strategy: reasoning.GatherInformation, action: `()`, reason: `“Country” has no option “Peru”. Which one should I select: France, Poland?`},
		"a field that took nothing is tried once more": {
			query: "enter 'x' as City", failed: set("2", "x"), target: elem("textbox", "City", withID("2")), rule: "field holds the value",
			page:     pageOf(home, elem("textbox", "City", withID("2"))),
			strategy: reasoning.AlternativeTool, action: `click("2")`},
		"a page that did not react in time": { // it was waited for by then
			query: "click Go", failed: click("2"), target: elem("button", "Go", withID("2")), rule: "nothing-changed",
			page:     pageOf(home, elem("button", "Go", withID("2"))),
			strategy: reasoning.GiveUp, action: `fail("I tried what I could think of: why")`, undecided: true},
		"out of ideas": {
			query: "click Go", failed: click("2"), target: elem("button", "Go", withID("2")), rule: "no-reaction",
			page: pageOf(home, elem("button", "Go", withID("2"))), tried: []action.Action{click("2"), {Name: action.Wait, Seconds: 1}},
			strategy: reasoning.GiveUp, action: `fail("I tried what I could think of: why")`, undecided: true},
		"out of attempts": {
			query: "click Save", failed: click("3"), target: elem("button", "Save", withID("3")), attempt: correct.MaxAttempts + 1,
			page:     pageOf(home, elem("button", "Save", withID("4"))),
			strategy: reasoning.GiveUp, action: `fail("I tried what I could think of: why")`},
		"what merely mentions the name is no substitute": {
			query: "click Patients", failed: click("2"), target: elem("link", "Patients", withID("2")), rule: "none",
			page:     pageOf(home, elem("link", "Patients", withID("2")), elem("link", "Add patients")),
			strategy: reasoning.GiveUp, action: `fail("I tried what I could think of: why")`, undecided: true},
		"a secret is taken from the task, not from the record": {
			query: "log in with username 'a' and password 'pw1'", failed: set("2", "[secret]"), target: elem("textbox", "Password", withID("2"), state(secret)), rule: "none",
			page:     pageOf(home, elem("textbox", "Username", withID("1"), value("a")), elem("textbox", "Password", withID("7"), state(secret))),
			strategy: reasoning.AlternativeSelector, action: `setValue("7", "pw1")`},
		"what was tried is not tried again": {
			query: "add a patient named Jas", failed: click("4"), target: elem("link", "Add patient", withID("4")), attempt: 2, rule: "none",
			page:     pageOf(home, elem("button", "New patient", withID("3")), elem("link", "Add patient", withID("4"))),
			tried:    []action.Action{click("3"), click("4")},
			strategy: reasoning.GiveUp, action: `fail("I tried what I could think of: why")`, undecided: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			q := reasoning.CorrectQuestion{
				Query: tc.query, Failed: tc.failed, Target: tc.target, Page: tc.page, Steps: tc.steps, Attempt: max(tc.attempt, 1),
				Tried: tc.tried, Skills: tc.skills, Witness: tc.witness, Verdict: reasoning.Verdict{Rule: tc.rule, Reason: "why"},
			}
			if q.Tried == nil {
				q.Tried = []action.Action{tc.failed}
			}
			c, err := Reasoner{}.Correct(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			if c.Strategy != tc.strategy || c.Action.String() != tc.action || c.Undecided != tc.undecided {
				t.Errorf("\n got %s %s, undecided %v (%s)\nwant %s %s", c.Strategy, c.Action, c.Undecided, c.Reason, tc.strategy, tc.action)
			}
			if c.By != reasoning.ByRules || c.Reason == "" || c.Thought == "" {
				t.Errorf("by %q, reason %q, thought %q", c.By, c.Reason, c.Thought)
			}
			if err := c.Action.Validate(); err != nil && c.Strategy != reasoning.GatherInformation {
				t.Error(err)
			}
			if !strings.Contains(c.Reason, tc.reason) {
				t.Errorf("reason %q, want %q", c.Reason, tc.reason)
			}
			for _, a := range q.Tried {
				if c.Action == a {
					t.Errorf("%s was tried before", a)
				}
			}
		})
	}
}

func reported(code string) page.Witness {
	return page.Witness{Status: "failure", Error: &page.ActionError{Code: code}}
}

func refusedBy(method, path string, status int) page.Witness {
	return page.Witness{Refused: []page.Refusal{{Method: method, Path: path, Status: status}}}
}
