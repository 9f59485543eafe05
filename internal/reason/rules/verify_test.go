package rules

import (
	"strings"
	"testing"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
)

// verdictCase is one action between two pages.
type verdictCase struct {
	query  string
	act    action.Action
	before page.Page
	after  page.Page
	saw    page.Witness

	rule     string
	from, to float64 // the confidence lies between
	open     bool    // the rule leaves it undecided
	complete bool
	reason   string // part of it
}

func (tc verdictCase) check(t *testing.T) {
	t.Helper()
	e, _ := tc.before.ByID(tc.act.Target)
	before := tc.before.Before()
	v, err := Reasoner{}.Verify(t.Context(), reasoning.VerifyQuestion{
		Query: tc.query, Action: tc.act, Target: e, Before: before, Page: tc.after, Witness: tc.saw,
		Observations: page.Observe(before, tc.after, tc.saw),
	})
	if err != nil {
		t.Fatal(err)
	}
	if v.Rule != tc.rule || v.Tier != 1 || v.By != reasoning.ByRules {
		t.Errorf("rule %q of tier %d by %q, want %q: %s", v.Rule, v.Tier, v.By, tc.rule, v.Reason)
	}
	if v.Undecided != (tc.rule == "none" || tc.open) {
		t.Errorf("undecided: %v", v.Undecided)
	}
	if v.Confidence < tc.from || v.Confidence > tc.to {
		t.Errorf("confidence %v, want %v to %v", v.Confidence, tc.from, tc.to)
	}
	if !v.Undecided && v.ActionSucceeded != (v.Confidence >= reasoning.SuccessThreshold) {
		t.Errorf("succeeded %v at %v", v.ActionSucceeded, v.Confidence)
	}
	if v.TaskCompleted != tc.complete {
		t.Errorf("task completed: %v, %s", v.TaskCompleted, v.Reason)
	}
	if !strings.Contains(v.Reason, tc.reason) {
		t.Errorf("reason %q does not say %q", v.Reason, tc.reason)
	}
}

const home = "https://site.test/"

// one is a page with one element of id 1.
func one(role, name string, with ...func(*page.Element)) page.Page {
	return pageOf(home, elem(role, name, append(with, withID("1"))...))
}

func with(p page.Page, f func(*page.Page)) page.Page {
	p.Elements = append([]page.Element(nil), p.Elements...)
	f(&p)
	page.AssignKeys(p.Elements)
	p.MeaningHash = page.MeaningHash(p)
	p.DOMHash = p.MeaningHash
	return p
}

func alert(kind page.AlertKind, text string) func(*page.Page) {
	return func(p *page.Page) { p.Alerts = append(p.Alerts, page.Alert{Kind: kind, Text: text}) }
}

func expanded(s string) func(*page.Element) { return func(e *page.Element) { e.State.Expanded = s } }

// stirred is the same page with another document hash: a clock has ticked.
func stirred(p page.Page) page.Page {
	p.DOMHash += "tick"
	return p
}

// The action of most cases is a click on, or a value for, the element of id 1.
var (
	clickOne = action.Action{Name: action.Click, Target: "1"}
	goTo     = action.Action{Name: action.Navigate, Text: "https://site.test/a"}
	colour   = one("button", "Colour") // promises nothing to see
	reports  = one("link", "Reports", href("/r"))
	save     = one("button", "Save")
	patient  = one("button", "Patient", state(popup))
)

// boxes are three to tick, of which the first is in a state.
func boxes(first string) page.Page {
	return pageOf(home, elem("checkbox", "Mails", withID("1"), checked(first)), elem("checkbox", "Ann", withID("2"), checked("false")), elem("checkbox", "Ben", withID("3"), checked("false")))
}

// rows are boxes that are called alike, of which the first is in a state.
func rows(first string) page.Page {
	return pageOf(home, elem("checkbox", "Hautatu denak", withID("1"), checked(first)), elem("checkbox", "Hautatu Ann", withID("2"), checked("false")), elem("checkbox", "Hautatu Ben", withID("3"), checked("false")))
}

// behind are three boxes with one for all behind them; first and all are the states of
// the first of them and of that one.
func behind(first, all string) page.Page {
	return pageOf(home, elem("checkbox", "Soap", withID("2"), checked(first)), elem("checkbox", "Bread", withID("3"), checked("false")),
		elem("checkbox", "Milk", withID("4"), checked("false")), elem("checkbox", "Everything", withID("1"), checked(all)))
}

func setOne(text string) action.Action {
	return action.Action{Name: action.SetValue, Target: "1", Text: text}
}

func checkAll(t *testing.T, cases map[string]verdictCase) {
	t.Helper()
	t.Parallel()
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tc.check(t)
		})
	}
}

// What the client could not do, and what leaves nothing to see.
func TestVerify_ClientReport(t *testing.T) {
	checkAll(t, map[string]verdictCase{
		"an error of the client": {
			act: clickOne, before: colour,
			after: with(colour, alert(page.AlertSuccess, "Saved")),
			saw:   page.Witness{Error: &page.ActionError{Message: "element not found", Code: "NOT_FOUND"}},
			rule:  "client-error", to: 0.1, reason: "element not found",
		},
		"a failure without a message": {
			act: clickOne, before: colour,
			after: colour,
			saw:   page.Witness{Status: "failure"},
			rule:  "client-error", to: 0.1,
		},
		"a wait": {
			act: action.Action{Name: action.Wait, Seconds: 1}, before: colour,
			after: colour,
			rule:  "no-effect-to-check", from: 0.9, to: 1,
		},
		"a scroll": {
			act: action.Action{Name: action.Scroll}, before: colour,
			after: colour,
			rule:  "no-effect-to-check", from: 0.9, to: 1,
		},
		"a hover": {
			act: action.Action{Name: action.Hover, Target: "1"}, before: colour,
			after: colour,
			rule:  "no-effect-to-check", from: 0.9, to: 1,
		},
		"a web search": {
			act: action.Action{Name: action.GoogleSearch, Text: "x"}, before: colour,
			after: colour,
			rule:  "no-effect-to-check", from: 0.9, to: 1,
		},
		"a failed scroll": {
			act: action.Action{Name: action.Scroll}, before: colour,
			after: colour,
			saw:   page.Witness{Status: "failure"},
			rule:  "client-error", to: 0.1,
		},
	})
}

// An action after which the page reads the same.
func TestVerify_NoVisibleChange(t *testing.T) {
	checkAll(t, map[string]verdictCase{
		"a click without any effect": {
			act: clickOne, before: colour, after: colour,
			rule: "nothing-changed", from: 0.2, to: 0.2,
		},
		"a click while only the clock ticked": {
			act: clickOne, before: colour,
			after: stirred(colour),
			rule:  "nothing-changed", from: 0.2, to: 0.2,
		},
		"a click that changed a colour": {
			act: clickOne, before: colour,
			after: stirred(colour),
			saw:   page.Witness{DOMMutated: yes()},
			rule:  "none", from: 0.5, to: 0.5,
		},
		"a click that only talked to the server": {
			act: clickOne, before: colour,
			after: colour,
			saw:   page.Witness{NetworkOccurred: yes()},
			rule:  "none", from: 0.5, to: 0.5,
		},
		"a save that only talked to the server": {
			act: clickOne, before: save,
			after: save,
			saw:   page.Witness{NetworkOccurred: yes()},
			rule:  "none", from: 0.5, to: 0.5,
		},
		"a save that only stirred the document": {
			act: clickOne, before: save,
			after: stirred(save),
			saw:   page.Witness{DOMMutated: yes()},
			rule:  "none", to: 0.5,
		},
		"a link that only stirred the document": {
			act: clickOne, before: reports,
			after: stirred(reports),
			saw:   page.Witness{DOMMutated: yes()},
			rule:  "none", to: 0.5,
		},
		"a link that only talked to the server": {
			act: clickOne, before: reports,
			after: reports,
			saw:   page.Witness{NetworkOccurred: yes()},
			rule:  "none", from: 0.5, to: 0.5,
		},
		"the client's own check passed": {
			act: clickOne, before: colour,
			after: colour,
			saw:   page.Witness{SentinelPassed: yes()},
			rule:  "client-check-passed", from: 0.8, to: 0.9,
		},
		"the client's own check failed": {
			act: clickOne, before: colour,
			after: colour,
			saw:   page.Witness{SentinelPassed: nay(), DOMMutated: yes()},
			rule:  "client-check-failed", to: 0.5,
		},
		"the client's own check failed, with words": {
			act: clickOne, before: colour,
			after: colour,
			saw:   page.Witness{SentinelPassed: nay(), SentinelMessage: "URL unchanged", DOMMutated: yes()},
			rule:  "client-check-failed", to: 0.5, reason: "URL unchanged",
		},
		"focus that moved to a button": {
			act: clickOne, before: colour,
			after: with(colour, func(p *page.Page) { p.ActiveElement = "1" }),
			rule:  "none", from: 0.5, to: 0.5,
		},
		"focus that moved to a promising button": {
			act: clickOne, before: save,
			after: with(save, func(p *page.Page) { p.ActiveElement = "1" }),
			rule:  "no-reaction", to: 0.5,
		},
		"focus that moved to a field": {
			act: clickOne, before: one("textbox", "City"),
			after: with(one("textbox", "City"), func(p *page.Page) { p.ActiveElement = "1" }),
			rule:  "field-focused", from: 0.9, to: 0.95,
		},
	})
}

// What a field holds decides on typing.
func TestVerify_FieldValue(t *testing.T) {
	checkAll(t, map[string]verdictCase{
		"a field that holds the value": {
			act: setOne("Jas"), before: one("textbox", "Name"),
			after: one("textbox", "Name", value("Jas")),
			rule:  "field-holds-value", from: 0.95, to: 1,
		},
		"a field behind a mask": {
			act: setOne("5550100"), before: one("textbox", "Phone"),
			after: one("textbox", "Phone", value("(555) 0100")),
			rule:  "field-holds-value", from: 0.95, to: 1,
		},
		"a field that is still empty": {
			act: setOne("Jas"), before: one("textbox", "Name"),
			after: one("textbox", "Name"),
			rule:  "field-holds-other", to: 0.2,
		},
		"a field that holds something else": {
			act: setOne("Jas"), before: one("textbox", "Name"),
			after: one("textbox", "Name", value("Jasper")),
			rule:  "field-holds-other", to: 0.2,
		},
		"a value under a new complaint": {
			act: setOne("J"), before: one("textbox", "Name"),
			after: with(one("textbox", "Name", value("J")), alert(page.AlertError, "too short")),
			rule:  "field-holds-value", from: 0.95, to: 1,
		},
		"a field that moved": {
			act: setOne("Jas"), before: one("textbox", "Name"),
			after: pageOf(home, elem("link", "x", withID("1")), elem("textbox", "Name", withID("2"), value("Jas"))),
			rule:  "field-holds-value", from: 0.95, to: 1,
		},
		"a secret field": {
			act: setOne("pw"), before: one("textbox", "Password", state(secret)),
			after: one("textbox", "Password", state(secret)),
			rule:  "secret-entered", from: 0.7, to: 0.8,
		},
		"a secret field the client saw change": {
			act: setOne("pw"), before: one("textbox", "Password", state(secret)),
			after: one("textbox", "Password", state(secret)),
			saw:   page.Witness{DOMMutated: yes()},
			rule:  "secret-entered", from: 0.8, to: 0.9,
		},
		"an option that is selected": {
			act: setOne("Poland"), before: one("combobox", "Country", options("France", "Poland")),
			after: one("combobox", "Country", options("France", "Poland"), value("poland")),
			rule:  "field-holds-value", from: 0.95, to: 1,
		},
		"an option that is not selected": {
			act: setOne("Poland"), before: one("combobox", "Country", options("France", "Poland")),
			after: one("combobox", "Country", options("France", "Poland"), value("france")),
			rule:  "field-holds-other", to: 0.2,
		},
		"an option that does not exist": {
			act: setOne("Peru"), before: one("combobox", "Country", options("France")),
			after: one("combobox", "Country", options("France"), value("france")),
			rule:  "field-holds-other", to: 0.2, reason: "no option “Peru”",
		},
		"a field that is gone with nothing else": {
			act: setOne("Jas"), before: one("textbox", "Name"),
			after: pageOf(home),
			rule:  "none", from: 0.5, to: 0.5,
		},
	})
}

// The state of what was clicked.
func TestVerify_ChoiceState(t *testing.T) {
	checkAll(t, map[string]verdictCase{
		"a checkbox that changed": {
			act: clickOne, before: one("checkbox", "Terms", checked("false")),
			after: one("checkbox", "Terms", checked("true")),
			rule:  "box-changed", from: 0.9, to: 1, reason: "checked",
		},
		"a checkbox that did not change": {
			act: clickOne, before: one("checkbox", "Terms", checked("false")),
			after: one("checkbox", "Terms", checked("false")),
			rule:  "box-unchanged", to: 0.2,
		},
		"the first box, which nobody called one for all": {
			query: "select the first mail", act: clickOne, before: boxes("false"), after: boxes("true"), rule: "box-changed", from: 0.9, to: 1,
		},
		"the box of the first row": {
			act: clickOne, before: withText(rows("false"), "denak", "Ann", "Ben"), after: withText(rows("true"), "denak", "Ann", "Ben"), rule: "box-changed", from: 0.9, to: 1,
		},
		"a box for all behind the others, which took the first along": {
			act: clickOne, before: behind("false", "false"), after: behind("true", "true"), rule: "box-for-all-alone", to: 0.3,
		},
		"a radio that was selected": {
			act: clickOne, before: one("radio", "Red", checked("true")),
			after: one("radio", "Red", checked("true")),
			rule:  "radio-on", from: 0.9, to: 1,
		},
		"a radio that is not selected": {
			act: clickOne, before: one("radio", "Red", checked("false")),
			after: one("radio", "Red", checked("false")),
			rule:  "radio-off", to: 0.2,
		},
		"a tab that is selected": {
			act: clickOne, before: one("tab", "Notes"),
			after: with(one("tab", "Notes"), func(p *page.Page) { p.Elements[0].State.Selected = true }),
			rule:  "selected", from: 0.85, to: 1,
		},
	})
}

// A control with a list only has to open it.
func TestVerify_ListOpened(t *testing.T) {
	checkAll(t, map[string]verdictCase{
		"a menu that opened": {
			act: clickOne, before: one("button", "Patient", state(popup), expanded("false")),
			after: one("button", "Patient", state(popup), expanded("true")),
			rule:  "list-open", from: 0.75, to: 1,
		},
		"a menu whose items appeared": {
			act: clickOne, before: patient,
			after: pageOf(home, elem("button", "Patient", withID("1"), state(popup)), elem("menuitem", "New")),
			rule:  "list-open", from: 0.75, to: 1,
		},
		"a menu the client saw open": {
			act: clickOne, before: patient,
			after: patient,
			saw:   page.Witness{DropdownOpened: true, DropdownOptions: []string{"New"}},
			rule:  "list-open", from: 0.75, to: 1,
		},
		"a menu that closed": {
			act: clickOne, before: one("button", "Patient", expanded("true")),
			after: one("button", "Patient", expanded("false")),
			rule:  "none", from: 0.5, to: 0.5,
		},
		"a menu that stayed closed": {
			act: clickOne, before: one("button", "Patient", state(popup), expanded("false")),
			after: one("button", "Patient", state(popup), expanded("false")),
			rule:  "nothing-changed", to: 0.2, from: 0.2,
		},
		"a menu button that is dead": {
			act: clickOne, before: patient,
			after: stirred(patient),
			saw:   page.Witness{DOMMutated: yes()},
			rule:  "none", to: 0.5,
		},
	})
}

// Pages that opened, and what appeared.
func TestVerify_Navigation(t *testing.T) {
	checkAll(t, map[string]verdictCase{
		"a navigation": {
			act: goTo, before: colour,
			after: with(colour, func(p *page.Page) { p.URL = "https://site.test/a/" }),
			rule:  "address-open", from: 0.95, to: 1,
		},
		"a navigation that was led on": {
			act: goTo, before: colour,
			after: with(colour, func(p *page.Page) { p.URL = "https://site.test/a/home" }),
			rule:  "page-open", from: 0.85, to: 0.95,
		},
		"a navigation that went nowhere": {
			act: goTo, before: colour, after: colour,
			rule: "address-not-open", to: 0.5,
		},
		"a navigation to an error page": {
			act: goTo, before: colour,
			after: with(colour, func(p *page.Page) { p.URL, p.Title = "https://site.test/a", "404 Not Found" }),
			rule:  "error-page", to: 0.2,
		},
		"going back": {
			act: action.Action{Name: action.GoBack}, before: colour,
			after: with(colour, func(p *page.Page) { p.URL = "https://site.test/0" }),
			rule:  "page-open", from: 0.85, to: 1,
		},
		"a click that opened a page": {
			act: clickOne, before: reports,
			after: pageOf("https://site.test/r"),
			rule:  "page-as-named", from: 0.85, to: 1,
		},
		"a click that opened an error page": {
			act: clickOne, before: reports,
			after: with(pageOf("https://site.test/r"), func(p *page.Page) { p.Headings = []string{"500 Internal Server Error"} }),
			rule:  "error-page", to: 0.2,
		},
		"an article on errors is no error page": {
			act: clickOne, before: reports,
			after: with(pageOf("https://site.test/r"), func(p *page.Page) { p.Headings = []string{"How to fix error 500"} }),
			rule:  "page-as-named", from: 0.85, to: 1,
		},
		"a click after which elements appeared": {
			act: clickOne, before: colour,
			after: pageOf(home, elem("button", "Colour", withID("1")), elem("dialog", "Details")),
			rule:  "opened-beside", from: 0.7, to: 0.9,
		},
	})
}

// An error beats every word of success.
func TestVerify_Errors(t *testing.T) {
	checkAll(t, map[string]verdictCase{
		"a new error": {
			act: clickOne, before: save,
			after: with(save, alert(page.AlertError, "Email is not valid")),
			rule:  "page-says-error", to: 0.2, reason: "Email is not valid",
		},
		"success words over a server error": {
			act: clickOne, before: save,
			after: with(save, alert(page.AlertSuccess, "Application submitted!")),
			saw:   page.Witness{ErrorsDetected: []string{"HTTP 500"}},
			rule:  "page-says-error", to: 0.2, reason: "HTTP 500",
		},
		"success words beside an error": {
			act: clickOne, before: save,
			after: with(with(save, alert(page.AlertSuccess, "Submitted!")), alert(page.AlertError, "Server error")),
			rule:  "page-says-error", to: 0.2,
		},
		"success words and a client's report of errors": {
			act: clickOne, before: save,
			after: with(save, alert(page.AlertSuccess, "Submitted!")),
			saw:   page.Witness{HasErrors: yes()},
			rule:  "page-says-error", to: 0.2,
		},
		"the same error again after a save": {
			act: clickOne, before: with(save, alert(page.AlertError, "Bad date")),
			after: with(with(save, alert(page.AlertError, "Bad date")), func(p *page.Page) { p.ActiveElement = "1" }),
			rule:  "no-reaction", to: 0.2,
		},
		"an old error beside another click": {
			act: clickOne, before: with(colour, alert(page.AlertError, "Bad date")),
			after: with(pageOf(home, elem("button", "Colour", withID("1")), elem("dialog", "Palette")), alert(page.AlertError, "Bad date")),
			rule:  "opened-beside", from: 0.7, to: 0.9,
		},
		"a field marked as wrong": {
			act: clickOne, before: pageOf(home, elem("button", "Save", withID("1")), elem("textbox", "Date")),
			after: pageOf(home, elem("button", "Save", withID("1")), elem("textbox", "Date", func(e *page.Element) { e.State.Invalid = true })),
			rule:  "field-marked-wrong", to: 0.2,
		},
		"a success message": {
			act: clickOne, before: save,
			after: with(save, alert(page.AlertSuccess, "Saved")),
			rule:  "page-says-success", from: 0.9, to: 1,
		},
		"a success the client remembers": {
			act: clickOne, before: save,
			after: save,
			saw:   page.Witness{SuccessMessages: []string{"Saved"}},
			rule:  "page-says-success", from: 0.9, to: 1,
		},
	})
}

// Only the whole task completes it.
func TestVerify_Completion(t *testing.T) {
	checkAll(t, map[string]verdictCase{
		"the last click of a task completes it": {
			query: "click Colour", act: clickOne, before: colour,
			after: pageOf(home, elem("button", "Colour", withID("1")), elem("dialog", "Palette")),
			rule:  "opened-beside", from: 0.7, to: 0.9, complete: true,
		},
		"a click of a longer task does not": {
			query: "click Colour and click Blue", act: clickOne, before: colour,
			after: pageOf(home, elem("button", "Colour", withID("1")), elem("button", "Blue")),
			rule:  "opened-beside", from: 0.7, to: 0.9,
		},
		"the last value completes a task": {
			query: "enter 'Jas' as name", act: setOne("Jas"), before: one("textbox", "Name"),
			after: one("textbox", "Name", value("Jas")),
			rule:  "field-holds-value", from: 0.95, to: 1, complete: true,
		},
		"a value of a form to be sent does not": {
			query: "add a pet with name 'Jas'", act: setOne("Jas"), before: one("textbox", "Name"),
			after: one("textbox", "Name", value("Jas")),
			rule:  "field-holds-value", from: 0.95, to: 1,
		},
		"a failed action completes nothing": {
			query: "click Colour", act: clickOne, before: colour,
			after: colour,
			rule:  "nothing-changed", from: 0.2, to: 0.2,
		},
		"a success message for another form completes nothing": {
			query: "add a pet with name 'Jas'", act: clickOne, before: save,
			after: with(save, alert(page.AlertSuccess, "Saved")),
			rule:  "page-says-success", from: 0.9, to: 1,
		},
	})
}

func TestVerify_NeedsTheWholeTask(t *testing.T) {
	t.Parallel()
	name := action.Action{Name: action.SetValue, Target: "1", Text: "Jas"}
	click := action.Action{Name: action.Click, Target: "2"}
	form := pageOf(home, elem("textbox", "Name", withID("1"), value("Jas")), elem("button", "Save", withID("2")))
	saved := pageBuilder{URL: home + "pets", Alerts: []page.Alert{{Kind: page.AlertSuccess, Text: "Pet saved"}}}.done()
	steps := []reasoning.Step{{Action: name, Target: `textbox "Name"`, Verified: true, Succeeded: true}}
	for query, complete := range map[string]bool{
		"add a pet with name 'Jas'":                        true,
		"add a pet with name 'Jas' and colour 'red'":       false, // never entered
		"add a pet with name 'Jas', then click 'Next pet'": false, // something is left to do
		"add a pet with name 'Jas' and the usual vaccines": false, // not understood
		"add a pet with name 'Jas' and check 'vaccinated'": false, // never checked
		"add a pet with name 'Jasper'":                     false, // another value
	} {
		v, err := Reasoner{}.Verify(t.Context(), reasoning.VerifyQuestion{
			Query: query, Action: click, Target: form.Elements[1], Before: form.Before(), Page: saved, Steps: steps,
			Observations: page.Observe(form.Before(), saved, page.Witness{}),
		})
		if err != nil || !v.ActionSucceeded || v.TaskCompleted != complete {
			t.Errorf("%s: succeeded %v, completed %v, %s, %v", query, v.ActionSucceeded, v.TaskCompleted, v.Reason, err)
		}
	}
}

// What a list offers is no complaint, whatever words are in it.
func TestVerify_OptionsAreNoMessage(t *testing.T) {
	step := func(of string, es ...page.Element) page.Page {
		return pageOf(home+of, append(es, elem("button", "Back", withID("1")))...)
	}
	saw := page.Witness{NetworkOccurred: nay(), DOMMutated: yes(), RecentEvents: []string{"Added: 'Kind Please choose Regular Import'"}}
	kinds := elem("combobox", "Kind", withID("2"), func(e *page.Element) {
		for _, s := range []string{"Please choose", "Regular", "Import"} {
			e.Options = append(e.Options, page.Option{Value: s, Label: s})
		}
	})
	checkAll(t, map[string]verdictCase{
		"a list": {act: clickOne, before: step("2", elem("textbox", "Day", withID("2"))), after: step("1", kinds), saw: saw, rule: "page-unclear", from: 0.5, to: 0.5, open: true},
		"no list": {
			act: clickOne, before: step("2", elem("textbox", "Day", withID("2"))), after: step("1", elem("textbox", "Plate", withID("2"))), saw: saw,
			rule: "page-says-error", to: 0.2,
		},
	})
}

// Nor is what a page is there to tell, nor what was picked beside what is still to be.
func TestVerify_ContentIsNoMessage(t *testing.T) {
	bar := more(one("button", "Add"), elem("link", "Workspace"), elem("link", "Fee schedule"))
	abstract := "We study how sparse meshes change the error of coastal flow models. " + strings.Repeat("The abstract adds a comparison with public basins. ", 3)
	checkAll(t, map[string]verdictCase{
		"an abstract": {act: clickOne, before: withText(menu, lines...), after: withText(openMenu, append(lines, abstract)...), saw: page.Witness{Direct: new(2)}, rule: "list-open", from: 0.9, to: 1},
		"a message": {
			act: clickOne, before: withText(menu, lines...), after: withText(openMenu, append(lines, "An error in the flow of models")...), saw: page.Witness{Direct: new(2)},
			rule: "page-says-error", to: 0.2,
		},
		"a bar of links": {
			act: clickOne, before: withText(bar, "Court", "Serve WorkspaceFee schedule"), after: withText(more(bar, elem("dialog", "Party")), "Court", "Serve now WorkspaceFee schedule"),
			rule: "none", from: 0.5, to: 0.5,
		},
		"what was opened to be read": {
			act: clickOne, before: withText(menu, lines...), after: withText(openMenu, append(lines, "Films must be premieres")...), saw: page.Witness{Direct: new(2), RecentEvents: []string{"Added: 'Films must be premieres'"}},
			rule: "list-open", from: 0.9, to: 1,
		},
		"what was picked": {
			act: clickOne, before: withText(pageOf(home, elem("option", "Skin", withID("1")), elem("option", "Eyes", withID("2")), elem("link", "Home", withID("3"))), lines...),
			after: withText(closed, append(lines, "Skin Please choose a doctor")...), saw: page.Witness{RecentEvents: []string{"Added: 'Skin'", "Added: 'Please choose a doctor'"}},
			rule: "none", from: 0.5, to: 0.5,
		},
	})
}

// Nor is it believed when what is gone is another one than the user named.
func TestVerify_AnotherIsGone(t *testing.T) {
	bookings := func(names ...string) page.Page {
		p := pageOf(home)
		for i, name := range names {
			p = more(p, elem("button", "Cancel "+name))
			p.Elements[i].ID = string(rune('p' + i))
		}
		return p
	}
	asked := func(p page.Page) page.Page { return more(p, elem("button", "Yes"), elem("button", "No")) }
	yes := action.Action{Name: action.Click, Target: "a"}
	done := alert(page.AlertSuccess, "Booking removed")
	checkAll(t, map[string]verdictCase{
		"the other one": {
			query: "cancel my desk", act: yes, before: asked(bookings("Desk 9", "Phone booth")), after: with(bookings("Desk 9"), done), saw: online,
			rule: "page-says-success", from: 0.5, to: 0.5, open: true, reason: "not what you named",
		},
		"the one": {
			query: "cancel my desk", act: yes, before: asked(bookings("Desk 9", "Phone booth")), after: with(bookings("Phone booth"), done), saw: online,
			rule: "page-says-success", from: 0.9, to: 1,
		},
		"the other one, by what it held": {
			query: "delete whether they would come again", act: yes,
			before: asked(pageOf(home, elem("textbox", "Question", withID("1"), value("Would you come again?")), elem("textbox", "Question", withID("2"), value("What should we improve?")))),
			after:  with(one("textbox", "Question", value("Would you come again?")), done), saw: online,
			rule: "page-says-success", from: 0.5, to: 0.5, open: true, reason: "not what you named",
		},
		"all but one": {
			query: "cancel the phone booth and the parking lot, keep the desk", act: yes, before: asked(bookings("Desk 9", "Phone booth", "Parking lot")), after: with(bookings("Desk 9"), done), saw: online,
			rule: "page-says-success", from: 0.9, to: 1,
		},
	})
}

// What a finished task is reported with says nothing twice.
func TestVerify_SaysItOnce(t *testing.T) {
	t.Parallel()
	const long = "Patient Jas was added to the ward list of the north wing and the nurse on duty has been told by mail, telephone and pager about it"
	form := pageOf(home, elem("textbox", "Name", withID("2"), value("Jas")), elem("button", "Save", withID("1")))
	set := reasoning.Step{Action: action.Action{Name: action.SetValue, Target: "2", Text: "Jas"}, Target: `textbox "Name"`, Verified: true, Succeeded: true}
	click, visit := clickOne, action.Action{Name: action.Navigate, Text: home + "a"}
	add := "add a patient with name 'Jas'"
	for name, tc := range map[string]struct {
		query  string
		action action.Action
		steps  []reasoning.Step
		after  page.Page
		saw    page.Witness
		want   string
	}{
		"a message of the page": {add, click, []reasoning.Step{set}, with(pageOf(home), alert(page.AlertSuccess, "Patient Jas was added")), page.Witness{},
			"The task is complete: the page says “Patient Jas was added”."},
		"a long message": {add, click, []reasoning.Step{set}, with(pageOf(home), alert(page.AlertSuccess, long)), page.Witness{},
			"The task is complete: the page says “" + page.Cut(long, 120) + "”."},
		"a message that is gone": {add, click, []reasoning.Step{set}, pageOf(home), page.Witness{SuccessMessages: []string{"Patient saved"}},
			"The task is complete: the page says “Patient saved”."},
		"an address": {"go to " + home + "a", visit, nil, pageOf(home + "a"), page.Witness{},
			"The task is complete: " + home + "a is open."},
		"two different things": {add, click, []reasoning.Step{set}, with(pageOf(home+"7"), func(p *page.Page) { p.Headings = []string{"Jas"} }), page.Witness{},
			"Another page was opened: " + home + "7 The task is complete: “Jas” is shown on the page."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			target, _ := form.ByID(tc.action.Target)
			v, err := Reasoner{}.Verify(t.Context(), reasoning.VerifyQuestion{
				Query: tc.query, Action: tc.action, Target: target, Before: form.Before(), Page: tc.after, Steps: tc.steps, Witness: tc.saw,
				Observations: page.Observe(form.Before(), tc.after, tc.saw),
			})
			if err != nil || !v.TaskCompleted || v.Reason != tc.want {
				t.Errorf("completed %v, %v:\n got %s\nwant %s", v.TaskCompleted, err, v.Reason, tc.want)
			}
		})
	}
}
