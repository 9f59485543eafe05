package rules

import (
	"strings"
	"testing"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/internal/reason/rules/verdict"
)

// outcome is what a verdict comes to.
type outcome int

const (
	failure outcome = iota
	success
	undecided
)

func outcomeOf(v reasoning.Verdict) outcome {
	switch {
	case v.Undecided:
		return undecided
	case v.ActionSucceeded:
		return success
	}
	return failure
}

// moment is an action between two pages.
type moment struct {
	act           action.Action
	before, after page.Page
	saw           page.Witness
}

func (m moment) verdict(t *testing.T) reasoning.Verdict {
	t.Helper()
	return m.answer(t, "")
}

// answer is the verdict on a moment of a task.
func (m moment) answer(t *testing.T, query string) reasoning.Verdict {
	t.Helper()
	target, _ := m.before.ByID(m.act.Target)
	before := m.before.Before()
	v, err := Reasoner{}.Verify(t.Context(), reasoning.VerifyQuestion{
		Query: query, Action: m.act, Target: target, MaySubmit: m.act.Name == action.Click && page.ClickMaySubmit(target), Before: before, Page: m.after, Witness: m.saw, Observations: page.Observe(before, m.after, m.saw),
	})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// text is the page with lines of text on it.
func withText(p page.Page, says ...string) page.Page {
	return with(p, func(p *page.Page) { p.Text = strings.Join(says, "\n") })
}

func at(p page.Page, url string) page.Page { return with(p, func(p *page.Page) { p.URL = url }) }

func under(p page.Page, heading string) page.Page {
	return with(p, func(p *page.Page) { p.Headings = []string{heading} })
}

// more is the page with elements at its end.
func more(p page.Page, es ...page.Element) page.Page {
	return with(p, func(p *page.Page) {
		for i, e := range es {
			e.ID = string(rune('a' + i))
			p.Elements = append(p.Elements, e)
		}
	})
}

var (
	escape   = action.Action{Name: action.Press, Text: "Escape"}
	online   = page.Witness{NetworkOccurred: yes(), DOMMutated: yes()}
	calm     = page.Witness{NetworkOccurred: nay()}
	toldPlan = page.Witness{NetworkOccurred: nay(), DOMMutated: yes(), TargetChanged: nay(), Direct: new(1), RecentEvents: []string{"Added: 'Colours come with the larger plan.'"}}
	turned   = page.Witness{NetworkOccurred: nay(), DOMMutated: yes(), TargetChanged: nay(), Direct: new(1), RecentEvents: []string{"Added: 'Mill outing'"}}
	// The text of a page, without which the rules do not count on its silence.
	lines = []string{"Welcome", "Imprint", "Terms of use", "Privacy", "Help", "Jobs", "Press"}

	terms     = one("checkbox", "Terms", checked("false"))
	name      = one("textbox", "Name")
	menu      = one("button", "Patient", state(popup), expanded("false"))
	openMenu  = one("button", "Patient", state(popup), expanded("true"))
	layer     = pageOf(home, elem("button", "Close", withID("1")), elem("dialog", "Offer", withID("2")), elem("link", "Home", withID("3")))
	closed    = pageOf(home, elem("link", "Home", withID("3")))
	day       = pageOf(home, elem("gridcell", "14", withID("1")), elem("textbox", "Date", withID("2"), value("01/03/2026")))
	cart      = pageOf(home, elem("button", "Remove lamp", withID("1")), elem("button", "Remove chair", withID("2")))
	mailForm  = pageOf(home, elem("textbox", "Comment", withID("2"), value("Nice shoes")), elem("button", "Comment", withID("1")))
	mailEmpty = pageOf(home, elem("textbox", "Comment", withID("2")), elem("button", "Comment", withID("1")))
	swap      = pageOf(home, elem("button", "Swap", withID("1")), elem("textbox", "From", withID("2"), value("Ulm")), elem("textbox", "To", withID("3"), value("Bonn")))
	swapped   = pageOf(home, elem("button", "Swap", withID("1")), elem("textbox", "From", withID("2"), value("Bonn")), elem("textbox", "To", withID("3"), value("Ulm")))
	pager     = pageOf(home, elem("link", "Ann", withID("2"), href("/1")), elem("link", "Bob", withID("3"), href("/2")), elem("button", "Further", withID("1")))
	paged     = pageOf(home, elem("link", "Cid", withID("4"), href("/3")), elem("link", "Dee", withID("5"), href("/4")), elem("button", "Further", withID("1")))
	booking   = pageOf(home, elem("textbox", "City", withID("2")), elem("button", "Book", withID("1")))
	trip      = pageOf(home, elem("textbox", "City", withID("2"), value("Ulm")), elem("button", "Book", withID("1")))
	album     = more(one("button", "Next photograph"), elem("button", "Previous photograph"))
	tools     = more(one("button", "Borrow circular saw"), elem("button", "Borrow tile cutter"), elem("button", "Borrow ladder"))
	week      = more(one("button", "Plan Wed"), elem("button", "Change Wed"), elem("button", "Plan Thu"), elem("button", "Plan Fri"))
	seats     = pageOf(home, elem("button", "Seat one", withID("1")), elem("button", "Seat two", withID("2")))
	drinks    = more(one("button", "Drinks"), elem("link", "Soup"), elem("link", "Stew"), elem("link", "Rice"), elem("link", "Cake"))
	options3  = []page.Element{elem("link", "Colour chart"), elem("link", "Winter"), elem("link", "Birds")}
)

// menuOf is an open menu whose first item is of id 1.
func menuOf(item string) page.Page {
	return pageOf(home, elem("menuitem", item, withID("1")), elem("menuitem", "Rename", withID("2")), elem("link", "Home", withID("3")))
}

// ports are two fields with what they hold; the list of the second is open, or not.
func ports(from, to, open string) page.Page {
	p := pageOf(home, elem("combobox", "From", withID("2"), value(from), expanded("false")), elem("combobox", "To", withID("3"), value(to), expanded(open)))
	if open == "true" {
		p = with(p, func(p *page.Page) { p.Elements = append(p.Elements, elem("option", "Naxos", withID("1"))) })
	}
	return p
}

// ranks are names in an order, each with a button; that of Ada is of id 1.
func ranks(names ...string) page.Page {
	p := pageOf(home)
	for _, name := range names {
		id := map[string]string{"Ada": "1", "Bo": "2", "Cy": "3"}[name]
		p.Elements = append(p.Elements, elem("button", "Move "+name+" down", withID(id)))
	}
	return with(p, func(*page.Page) {})
}

// chips are two filters of which one is on.
func chips(all, worn string) page.Page {
	return pageOf(home, elem("button", "Show all", withID("2"), checked(all)), elem("button", "Only worn", withID("1"), checked(worn)))
}

// grades are two choices of which the second is in a state.
func grades(second string) page.Page {
	return more(one("radio", "Discussion: good", checked("false")), elem("radio", "Method: good", checked(second)))
}

// hives are two buttons that open something each, or say nothing of it.
func hives(first, second string) page.Page {
	return more(one("button", "Bramble", expanded(first)), elem("button", "Heather", expanded(second)))
}

// spoken has for every rule moments in which it speaks, with what it comes to,
// and one close to it in which it is silent: then the rule of instead speaks.
var spoken = []struct {
	rule    string
	says    outcome
	when    moment
	unless  moment
	instead string
}{
	{"client-error", failure,
		moment{clickOne, colour, colour, page.Witness{Error: &page.ActionError{Code: "NOT_FOUND"}}},
		moment{clickOne, colour, colour, page.Witness{Status: "pending"}}, "nothing-changed"},
	{"may-have-been-sent", undecided,
		moment{clickOne, save, save, page.Witness{Error: &page.ActionError{Code: "ACTION_TIMEOUT"}}},
		moment{clickOne, save, save, page.Witness{Error: &page.ActionError{Code: page.CodeNotFound}}}, "client-error"},
	{"no-effect-to-check", success,
		moment{action.Action{Name: action.Wait, Seconds: 1}, colour, colour, page.Witness{}},
		moment{action.Action{Name: action.Wait, Seconds: 1}, colour, colour, refusedBy("POST", "/save", 500)}, "request-refused"},
	{"request-refused", failure,
		moment{clickOne, save, with(save, alert(page.AlertSuccess, "Submitted!")), refusedBy("POST", "/save", 500)},
		moment{clickOne, save, with(save, alert(page.AlertSuccess, "Submitted!")), refusedBy("POST", "/analytics", 500)}, "page-says-success"},
	{"request-refused-typing", undecided,
		moment{setOne("Jas"), name, one("textbox", "Name", value("Jas")), refusedBy("GET", "/suggest", 500)},
		moment{setOne("Jas"), name, one("textbox", "Name", value("Jas")), online}, "field-holds-value"},
	{"field-holds-other", failure, // what was refused is not there either
		moment{setOne("Jas"), name, one("textbox", "Name", value("Old")), refusedBy("POST", "/name", 409)},
		moment{setOne("Jas"), name, one("textbox", "Name", value("Jas")), refusedBy("POST", "/name", 409)}, "request-refused-typing"},
	{"field-holds-value", success,
		moment{setOne("1000"), one("textbox", "Price"), one("textbox", "Price", value("1.000,00 €")), page.Witness{}},
		moment{setOne("1000"), one("textbox", "Price"), pageOf(home), page.Witness{}}, "none"},
	{"field-holds-value", success, // in capitals and groups
		moment{setOne("sl61qz"), one("textbox", "Postcode"), one("textbox", "Postcode", value("SL6 1QZ")), page.Witness{}},
		moment{setOne("sl61qz"), one("textbox", "Postcode"), pageOf(home), page.Witness{}}, "none"},
	{"field-holds-value", success, // in Turkish capitals
		moment{setOne("Işıl"), one("textbox", "İsim"), one("textbox", "İsim", value("IŞIL")), page.Witness{}},
		moment{setOne("Işıl"), one("textbox", "İsim"), pageOf(home), page.Witness{}}, "none"},
	{"field-holds-value", success, // with the month in letters
		moment{setOne("4.9.1871"), one("textbox", "Born"), one("textbox", "Born", value("4 Sep 1871")), page.Witness{}},
		moment{setOne("4.9.1871"), one("textbox", "Born"), pageOf(home), page.Witness{}}, "none"},
	{"field-cannot-tell", undecided, // all of it, and more
		moment{setOne("12 May"), one("textbox", "Day"), one("textbox", "Day", value("12 May, Mon")), page.Witness{}},
		moment{setOne("12 May"), one("textbox", "Day"), pageOf(home), page.Witness{}}, "none"},
	{"field-holds-other", failure, // a part of it is no unit
		moment{setOne("12a"), one("textbox", "Number"), one("textbox", "Number", value("12")), page.Witness{}},
		moment{clickOne, one("textbox", "Price"), with(one("textbox", "Price"), func(p *page.Page) { p.ActiveElement = "1" }), page.Witness{}}, "field-focused"},
	{"field-holds-other", failure,
		moment{setOne("1000"), one("textbox", "Price"), one("textbox", "Price", value("100")), page.Witness{}},
		moment{clickOne, one("textbox", "Price"), with(one("textbox", "Price"), func(p *page.Page) { p.ActiveElement = "1" }), page.Witness{}}, "field-focused"},
	{"page-says-error", failure,
		moment{clickOne, save, with(save, alert(page.AlertOther, "Das Datum ist ungültig")), page.Witness{}},
		moment{clickOne, save, with(save, alert(page.AlertOther, "Gespeichert")), page.Witness{}}, "page-says-success"},
	{"page-says-both", failure, // good and bad at once
		moment{clickOne, save, with(save, alert(page.AlertOther, "Saved your draft, but the picture is too long to be kept without the consent of the owner")), page.Witness{}},
		moment{clickOne, save, with(save, alert(page.AlertOther, "Saved your draft")), page.Witness{}}, "page-says-success"},
	{"page-says-error", failure, // done to none
		moment{clickOne, save, with(save, alert(page.AlertOther, "Of the campaigns you had selected before, 0 of 2 were updated just now")), page.Witness{}},
		moment{clickOne, save, with(save, alert(page.AlertOther, "Of the campaigns you had selected before, 2 of 20 were updated just now")), page.Witness{}}, "page-says-success"},
	{"error-after-answer", undecided, // a server that took it may only be polite
		moment{clickOne, save, with(save, alert(page.AlertOther, "Please enter the code")), page.Witness{NetworkOccurred: yes(), Direct: new(1)}},
		moment{clickOne, save, with(save, alert(page.AlertOther, "Please enter the code")), refusedBy("POST", "/save", 422)}, "request-refused"},
	{"page-says-error", failure, // and a dialog that asks reports none
		moment{clickOne, save, with(more(save, elem("button", "Delete")), alert(page.AlertError, "This can't be undone. Delete")), page.Witness{}},
		moment{clickOne, save, with(more(save, elem("button", "Delete"), elem("button", "Cancel")), alert(page.AlertError, "This can't be undone. Delete Cancel")), page.Witness{}}, "asks-first"},
	{"nothing-changed", failure,
		moment{clickOne, colour, colour, page.Witness{}},
		moment{clickOne, terms, terms, page.Witness{}}, "box-unchanged"},
	{"address-open", success,
		moment{goTo, colour, at(colour, "https://site.test/a"), page.Witness{}},
		moment{clickOne, reports, pageOf("https://site.test/a"), page.Witness{}}, "page-unclear"},
	{"address-not-open", failure,
		moment{goTo, colour, colour, page.Witness{}},
		moment{action.Action{Name: action.GoBack}, colour, colour, page.Witness{}}, "nothing-changed"},
	{"login-asked", failure, // a page to log in stands where it was
		moment{goTo, colour, under(pageOf("https://site.test/a", elem("textbox", "Key", state(secret))), "Sign in"), page.Witness{}},
		moment{clickOne, reports, pageOf("https://site.test/a"), page.Witness{}}, "page-unclear"},
	{"none", undecided, // another than was asked for
		moment{goTo, colour, at(colour, "https://site.test/welcome"), page.Witness{}},
		moment{clickOne, reports, pageOf("https://site.test/a"), page.Witness{}}, "page-unclear"},
	{"address-without-page", undecided, // only the address is another
		moment{action.Action{Name: action.GoBack}, withText(colour, lines...), at(withText(colour, lines...), "https://site.test/a"), page.Witness{}},
		moment{action.Action{Name: action.GoBack}, withText(colour, lines...), withText(colour, lines...), page.Witness{}}, "nothing-changed"},
	{"address-only", failure, // nor was anything loaded for it
		moment{action.Action{Name: action.GoBack}, withText(colour, lines...), at(withText(colour, lines...), "https://site.test/a"), page.Witness{NetworkOccurred: nay(), Direct: new(0)}},
		moment{action.Action{Name: action.GoBack}, withText(colour, lines...), withText(colour, lines...), page.Witness{NetworkOccurred: nay(), Direct: new(0)}}, "nothing-changed"},
	{"page-says-success", success,
		moment{clickOne, save, with(save, alert(page.AlertSuccess, "Saved")), online},
		moment{clickOne, save, with(save, alert(page.AlertSuccess, "Saved")), calm}, "success-unsent"},
	{"entered-is-shown", success,
		moment{clickOne, withText(mailForm, lines...), withText(mailEmpty, append(lines, "Nice shoes")...), page.Witness{}},
		moment{clickOne, withText(mailForm, lines...), withText(mailForm, append(lines, "Nice shoes")...), page.Witness{}}, "no-reaction"},
	{"entered-is-shown", success, // one line of a list
		moment{clickOne, withText(mailForm, lines...), withText(mailEmpty, append(lines, "Nice shoes, 3 euros")...), page.Witness{}},
		moment{clickOne, withText(mailForm, lines...), withText(mailEmpty, append(lines, "Nice shoes did something odd last week.")...), page.Witness{}}, "none"},
	{"under-way", undecided,
		moment{clickOne, save, with(save, alert(page.AlertOther, "Saving…")), page.Witness{}},
		moment{clickOne, save, with(with(save, alert(page.AlertOther, "Saving…")), alert(page.AlertSuccess, "Saved")), page.Witness{}}, "page-says-success"},
	{"told-instead", failure,
		moment{clickOne, withText(booking, lines...), withText(booking, append(lines, "Which city is it to be?")...), page.Witness{NetworkOccurred: nay(), DOMMutated: yes(), RecentEvents: []string{"Added: 'Which city is it to be?'"}}},
		moment{clickOne, withText(booking, lines...), withText(booking, append(lines, "Which city is it to be?")...), page.Witness{NetworkOccurred: yes(), DOMMutated: yes(), RecentEvents: []string{"Added: 'Which city is it to be?'"}}}, "none"},
	{"told-instead", failure, // what tells of what was entered is no complaint
		moment{clickOne, withText(trip, lines...), withText(trip, append(lines, "Which day is it to be?")...), page.Witness{NetworkOccurred: nay(), DOMMutated: yes(), RecentEvents: []string{"Added: 'Which day is it to be?'"}}},
		moment{clickOne, withText(trip, lines...), withText(trip, append(lines, "To Ulm at nine")...), page.Witness{NetworkOccurred: nay(), DOMMutated: yes(), RecentEvents: []string{"Added: 'To Ulm at nine'"}}}, "none"},
	{"told-instead", failure, // but where a sentence is what was asked for
		moment{clickOne, withText(colour, lines...), withText(colour, append(lines, "Colours come with the larger plan.")...), toldPlan},
		moment{clickOne, withText(one("button", "Details"), lines...), withText(one("button", "Details"), append(lines, "Colours come with the larger plan.")...), toldPlan}, "none"},
	{"told-instead", failure, // a sentence is all it came to
		moment{clickOne, withText(colour, lines...), withText(colour, append(lines, "Colours come with the larger plan.")...), page.Witness{NetworkOccurred: nay(), DOMMutated: yes(), TargetChanged: nay(), Direct: new(1), RecentEvents: []string{"Added: 'Colours come with the larger plan.'"}}},
		moment{clickOne, withText(colour, lines...), withText(colour, append(lines, "Blue as the sea")...), page.Witness{NetworkOccurred: nay(), DOMMutated: yes(), TargetChanged: nay(), Direct: new(1), RecentEvents: []string{"Added: 'Blue as the sea'"}}}, "none"},
	{"box-changed", undecided, // a switch whose server was not told
		moment{clickOne, one("switch", "News", checked("false")), one("switch", "News", checked("true")), calm},
		moment{clickOne, colour, with(colour, func(p *page.Page) { p.Elements[0].State.Checked = "true" }), calm}, "control-state"},
	{"control-renamed", undecided, // likewise what is to be kept
		moment{clickOne, one("button", "♡ Wishlist"), one("button", "♥ Wishlist"), calm},
		moment{clickOne, terms, one("checkbox", "Terms", checked("true")), online}, "box-changed"},
	{"page-says-success", undecided, // the server has not answered yet
		moment{clickOne, save, with(save, alert(page.AlertSuccess, "Saved")), page.Witness{NetworkOccurred: yes(), Pending: new(1)}},
		moment{clickOne, save, with(save, alert(page.AlertOther, "Saving…")), page.Witness{NetworkOccurred: yes(), Pending: new(0)}}, "under-way"},
	{"box-changed", success,
		moment{clickOne, terms, one("checkbox", "Terms", checked("true")), page.Witness{}},
		moment{clickOne, terms, pageOf(home), page.Witness{}}, "none"},
	{"box-unchanged", failure,
		moment{clickOne, terms, terms, calm},
		moment{clickOne, terms, with(terms, alert(page.AlertError, "Not now")), calm}, "page-says-error"},
	{"radio-off", failure, // another one of them was chosen
		moment{clickOne, grades("false"), grades("true"), page.Witness{DOMMutated: yes(), Direct: new(2)}},
		moment{clickOne, grades("false"), with(more(grades("false"), elem("link", "Why")), func(p *page.Page) { p.Elements[0].Role = "button" }), online}, "none"},
	{"box-unchanged", failure, // it was drawn anew as it had been
		moment{clickOne, terms, terms, page.Witness{NetworkOccurred: nay(), DOMMutated: yes(), Direct: new(2)}},
		moment{clickOne, colour, colour, page.Witness{NetworkOccurred: nay(), DOMMutated: yes(), Direct: new(2)}}, "none"},
	{"box-took-others", undecided, // one box took another along
		moment{clickOne, more(terms, elem("checkbox", "News", checked("false"))), more(one("checkbox", "Terms", checked("true")), elem("checkbox", "News", checked("true"))), page.Witness{}},
		moment{clickOne, colour, with(colour, func(p *page.Page) { p.Elements[0].State.Checked = "true" }), page.Witness{}}, "control-state"},
	{"page-as-named", success,
		moment{clickOne, reports, pageOf("https://site.test/r"), page.Witness{}},
		moment{clickOne, reports, reports, page.Witness{}}, "nothing-changed"},
	{"login-asked", failure, // a page to log in
		moment{clickOne, reports, under(pageOf("https://site.test/in", elem("textbox", "Key", state(secret))), "Sign in"), page.Witness{}},
		moment{clickOne, reports, more(reports, elem("dialog", "Sheet")), page.Witness{}}, "opened-beside"},
	{"address-without-page", undecided, // only the address is another
		moment{clickOne, withText(reports, lines...), at(withText(reports, lines...), "https://site.test/r"), page.Witness{}},
		moment{clickOne, withText(reports, lines...), withText(reports, lines...), online}, "none"},
	{"address-only", failure, // nor was anything loaded for it
		moment{clickOne, withText(reports, lines...), at(withText(reports, lines...), "https://site.test/r"), page.Witness{NetworkOccurred: nay(), Direct: new(0)}},
		moment{clickOne, withText(reports, lines...), withText(reports, lines...), page.Witness{NetworkOccurred: nay(), Direct: new(0)}}, "nothing-changed"},
	{"address-only", failure, // a queue that grows is no page
		moment{clickOne, withText(reports, append(lines, "7 people wait")...), at(withText(reports, append(lines, "8 people wait")...), "https://site.test/r"), page.Witness{NetworkOccurred: nay(), Direct: new(0)}},
		moment{clickOne, withText(reports, append(lines, "7 people wait")...), withText(reports, append(lines, "8 people wait")...), page.Witness{NetworkOccurred: nay(), Direct: new(0)}}, "no-reaction"},
	{"password-asked", undecided, // whatever its language, it asks for a password
		moment{clickOne, reports, pageOf("https://site.test/r", elem("textbox", "Lozinka", state(secret))), page.Witness{}},
		moment{clickOne, reports, more(reports, elem("textbox", "Lozinka", state(secret))), page.Witness{}}, "opened-beside"},
	{"list-open", success,
		moment{clickOne, menu, openMenu, page.Witness{}},
		moment{clickOne, menu, menu, page.Witness{DOMMutated: yes()}}, "none"},
	{"list-unclear", undecided,
		moment{clickOne, withText(menu, lines...), withText(openMenu, lines...), page.Witness{}},
		moment{clickOne, withText(menu, lines...), withText(menu, lines...), page.Witness{}}, "nothing-changed"},
	{"list-empty", failure, // its own state is all that changed
		moment{clickOne, withText(menu, lines...), withText(openMenu, lines...), page.Witness{NetworkOccurred: nay(), DOMMutated: yes(), TargetChanged: yes(), Direct: new(1)}},
		moment{clickOne, one("button", "Patient"), one("button", "Patient"), page.Witness{NetworkOccurred: nay(), DOMMutated: yes(), TargetChanged: yes(), Direct: new(1)}}, "none"},
	{"list-shut-again", failure, // it closed again at once
		moment{clickOne, menu, menu, page.Witness{NetworkOccurred: nay(), DOMMutated: yes(), Direct: new(2)}},
		moment{clickOne, colour, colour, page.Witness{NetworkOccurred: nay(), DOMMutated: yes(), Direct: new(2)}}, "none"},
	{"focus-moved", success, // also to what is not shown
		moment{action.Action{Name: action.Press, Text: "Tab"}, name, with(name, func(p *page.Page) { p.ActiveElement = "7" }), page.Witness{}},
		moment{action.Action{Name: action.Press, Text: "Tab"}, name, name, page.Witness{}}, "nothing-changed"},
	{"field-focused", success,
		moment{clickOne, name, with(name, func(p *page.Page) { p.ActiveElement = "1" }), page.Witness{}},
		moment{clickOne, colour, with(colour, func(p *page.Page) { p.ActiveElement = "1" }), page.Witness{}}, "none"},
	{"list-shut-again", failure, // that it has the focus is not what it was for
		moment{clickOne, one("combobox", "Type", expanded("false")), with(one("combobox", "Type", expanded("false")), func(p *page.Page) { p.ActiveElement = "1" }), page.Witness{NetworkOccurred: nay(), Direct: new(1)}},
		moment{clickOne, name, with(name, func(p *page.Page) { p.ActiveElement = "1" }), page.Witness{NetworkOccurred: nay(), Direct: new(1)}}, "field-focused"},
	{"outside-the-page", success,
		moment{clickOne, colour, colour, page.Witness{RecentEvents: []string{"Added: 'a download of bill.pdf'"}}},
		moment{clickOne, colour, colour, page.Witness{RecentEvents: []string{"Added: 'a bill of 12 euros'"}, NetworkOccurred: yes()}}, "none"},
	{"page-says-success", undecided, // any of those alike may be meant
		moment{clickOne, tools, with(tools, alert(page.AlertSuccess, "Added")), online},
		moment{clickOne, tools, with(tools, alert(page.AlertOther, "One more")), online}, "none"},
	{"page-says-success", success, // it says which
		moment{clickOne, tools, with(tools, alert(page.AlertSuccess, "Circular saw added")), online},
		moment{clickOne, tools, with(tools, alert(page.AlertOther, "Circular saw, one more")), online}, "none"},
	{"page-says-success", undecided, // it came with the name of another
		moment{clickOne, withText(tools, lines...), withText(tools, append(lines, "Added")...), page.Witness{NetworkOccurred: yes(), DOMMutated: yes(), RecentEvents: []string{"Added: 'Tile cutter 4 euros Added'"}}},
		moment{clickOne, withText(tools, lines...), withText(tools, append(lines, "More")...), page.Witness{NetworkOccurred: yes(), DOMMutated: yes(), RecentEvents: []string{"Added: 'Circular saw 4 euros More'"}}}, "none"},
	{"pick-taken-over", success,
		moment{clickOne, day, with(day, func(p *page.Page) { p.Elements[1].Value = "14/03/2026" }), page.Witness{}},
		moment{clickOne, day, with(day, func(p *page.Page) { p.Elements[1].Value = "" }), page.Witness{}}, "none"},
	{"pick-taken-over", success,
		moment{clickOne, ports("", "Na", "true"), ports("", "Naxos", "false"), page.Witness{}},
		moment{clickOne, ports("", "Na", "true"), ports("", "Na", "true"), online}, "none"},
	{"control-renamed", success,
		moment{clickOne, one("button", "Follow"), one("button", "Following"), page.Witness{}},
		moment{clickOne, one("button", "Follow"), one("button", "Follow", state(disabled)), page.Witness{}}, "none"},
	{"none", undecided, // it asks back
		moment{clickOne, one("button", "Delete"), one("button", "Really delete?"), online},
		moment{clickOne, terms, one("checkbox", "Terms", checked("true")), online}, "box-changed"},
	{"control-effect-hidden", undecided, // whether it plays cannot be read
		moment{clickOne, one("button", "Play"), one("button", "Pause"), page.Witness{}},
		moment{clickOne, one("button", "Play"), one("button", "Play"), online}, "none"},
	{"success-unsent", undecided,
		moment{clickOne, save, with(save, alert(page.AlertSuccess, "Saved")), calm},
		moment{clickOne, one("button", "Copy"), with(one("button", "Copy"), alert(page.AlertSuccess, "Copied")), page.Witness{}}, "page-says-success"},
	{"closed-by-escape", success,
		moment{escape, layer, closed, page.Witness{}},
		moment{action.Action{Name: action.Press, Text: "Tab"}, layer, closed, page.Witness{}}, "none"},
	{"closed-and-no-more", failure,
		moment{clickOne, pageOf(home, elem("option", "Red", withID("1")), elem("option", "Blue", withID("2")), elem("link", "Home", withID("3"))), closed, calm},
		moment{clickOne, pageOf(home, elem("option", "Red", withID("1")), elem("option", "Blue", withID("2")), elem("link", "Home", withID("3"))), closed, online}, "none"},
	{"closed-and-no-more", failure, // but for what leaves nothing to see
		moment{clickOne, menuOf("Archive"), more(one("link", "Home")), calm},
		moment{clickOne, menuOf("Copy link"), more(one("link", "Home")), calm}, "none"},
	{"closed", success, // where a server was asked it did more than close
		moment{clickOne, withText(layer, lines...), withText(closed, lines...), calm},
		moment{clickOne, withText(layer, lines...), withText(closed, append(lines, "Two left")...), online}, "none"},
	{"closed", success,
		moment{clickOne, layer, closed, page.Witness{}},
		moment{clickOne, layer, pageOf(home, elem("button", "Close", withID("1")), elem("dialog", "Offer", withID("2"))), page.Witness{}}, "none"},
	{"item-gone", success,
		moment{clickOne, cart, with(cart, func(p *page.Page) { p.Elements = p.Elements[1:] }), online},
		moment{clickOne, cart, with(cart, func(p *page.Page) { p.Elements = p.Elements[:1] }), online}, "another-gone"},
	{"fields-changed", success,
		moment{clickOne, swap, swapped, page.Witness{}},
		moment{clickOne, swap, with(swapped, func(p *page.Page) { p.Elements[2].Value = "Köln" }), page.Witness{}}, "none"},
	{"form-emptied", success,
		moment{clickOne, more(one("button", "Clear"), elem("textbox", "Name", value("Byrd"))), more(one("button", "Clear"), elem("textbox", "Name")), calm},
		moment{clickOne, more(one("button", "Send"), elem("textbox", "Name", value("Byrd"))), more(one("button", "Send"), elem("textbox", "Name")), online}, "none"},
	{"field-asked", failure,
		moment{clickOne, booking, with(booking, func(p *page.Page) { p.ActiveElement = "2" }), calm},
		moment{clickOne, booking, with(booking, func(p *page.Page) { p.ActiveElement = "2" }), online}, "none"},
	{"opened-beside", success,
		moment{clickOne, colour, more(colour, elem("dialog", "Palette")), page.Witness{}},
		moment{clickOne, more(colour, elem("link", "Home")), more(colour, elem("link", "Home"), elem("dialog", "Palette")), page.Witness{}}, "none"},
	{"content-came", success,
		moment{clickOne, more(colour, elem("link", "Home")), more(colour, append([]page.Element{elem("link", "Home")}, options3...)...), page.Witness{}},
		moment{clickOne, more(colour, elem("link", "Home")), more(colour, append([]page.Element{elem("link", "Home")}, options3[:1]...)...), page.Witness{}}, "none"},
	{"content-replaced", success,
		moment{clickOne, pager, paged, page.Witness{}},
		moment{clickOne, pager, with(pager, func(p *page.Page) { p.Elements[0].Name = "Cid" }), page.Witness{}}, "none"},
	{"notice-came", undecided, // a dialog that only says why not
		moment{clickOne, withText(one("button", "Sign up"), lines...), withText(more(one("button", "Sign up"), elem("button", "Training"), elem("button", "Cancel")), append(lines, "Briefing", "Your briefing ran out on Monday.")...), page.Witness{Direct: new(1)}},
		moment{clickOne, withText(more(one("button", "Sign up"), elem("link", "Home")), lines...), withText(pageOf(home, elem("link", "Yes", withID("4")), elem("link", "No", withID("5")), elem("link", "Why", withID("6")), elem("link", "Home", withID("3")), elem("button", "Sign up", withID("1"))), append(lines, "Sign up?")...), page.Witness{NetworkOccurred: yes()}}, "content-came"},
	{"control-without-list", undecided, // a filter that only looks chosen
		moment{clickOne, withText(chips("true", "false"), lines...), withText(chips("false", "true"), lines...), page.Witness{}},
		moment{clickOne, withText(chips("true", "false"), lines...), withText(chips("true", "false"), lines...), online}, "none"},
	{"control-state", success,
		moment{clickOne, withText(chips("true", "false"), lines...), withText(more(chips("false", "true"), elem("link", "Copy")), lines...), page.Witness{}},
		moment{clickOne, withText(chips("true", "false"), lines...), withText(chips("true", "false"), lines...), online}, "none"},
	{"none", undecided, // by a sentence
		moment{clickOne, withText(drinks, lines...), withText(one("button", "Drinks"), append(lines, "The cook is ill today.")...), page.Witness{}},
		moment{action.Action{Name: action.Press, Text: "Enter"}, withText(drinks, lines...), withText(drinks, append(lines, "The cook is ill today.")...), page.Witness{}}, "no-reaction"},
	{"moved-in-list", success,
		moment{clickOne, ranks("Ada", "Bo", "Cy"), ranks("Bo", "Ada", "Cy"), online},
		moment{clickOne, ranks("Ada", "Bo", "Cy"), with(ranks("Bo", "Ada", "Cy"), alert(page.AlertError, "Not now")), online}, "page-says-error"},
	{"moved-otherwise", failure, // another one
		moment{clickOne, ranks("Ada", "Bo", "Cy"), ranks("Ada", "Cy", "Bo"), online},
		moment{clickOne, ranks("Ada", "Bo", "Cy"), ranks("Ada", "Cy", "Bo"), page.Witness{DOMMutated: yes()}}, "none"},
	{"order-unchanged", failure, // none
		moment{clickOne, ranks("Ada", "Bo", "Cy"), ranks("Ada", "Bo", "Cy"), online},
		moment{clickOne, ranks("Ada", "Bo", "Cy"), more(ranks("Ada", "Bo", "Cy"), elem("link", "Undo")), online}, "none"},
	{"text-beside", success,
		moment{clickOne, withText(colour, append(lines, "Colour")...), withText(colour, append(lines, "Colour", "The red one is chosen")...), page.Witness{}},
		moment{clickOne, withText(colour, append(lines, "Colour")...), withText(colour, append([]string{"The red one is chosen"}, append(lines, "Colour")...)...), page.Witness{}}, "none"},
	{"client-check-passed", success,
		moment{clickOne, colour, colour, page.Witness{SentinelPassed: yes()}},
		moment{clickOne, colour, colour, page.Witness{ElementFound: yes(), NetworkOccurred: yes()}}, "none"},
	{"client-check-failed", failure,
		moment{clickOne, colour, colour, page.Witness{SentinelPassed: nay(), DOMMutated: yes()}},
		moment{clickOne, colour, colour, page.Witness{DOMMutated: yes()}}, "none"},
	{"no-reaction", failure, // the page stirs by itself
		moment{clickOne, one("button", "☰"), one("button", "☰"), page.Witness{NetworkOccurred: nay(), DOMMutated: yes(), TargetChanged: nay(), Direct: new(0)}},
		moment{clickOne, one("button", "☰"), one("button", "☰"), page.Witness{NetworkOccurred: nay(), DOMMutated: yes(), TargetChanged: nay(), Direct: new(1)}}, "none"},
	{"no-reaction", failure,
		moment{clickOne, withText(save, lines...), withText(save, append(lines, "Twelve people look at this")...), page.Witness{}},
		moment{clickOne, withText(save, lines...), withText(save, append(lines, "Twelve people look at this")...), online}, "none"},
	{"no-reaction", failure, // what it asked was answered, and that was all
		moment{clickOne, withText(cart, lines...), withText(cart, lines...), page.Witness{NetworkOccurred: nay(), DOMMutated: yes(), TargetChanged: nay(), Direct: new(0), RecentEvents: []string{"Added: 'a dialog (confirm, accepted): Really?'"}}},
		moment{clickOne, withText(cart, lines...), withText(cart, lines...), page.Witness{NetworkOccurred: nay(), DOMMutated: yes(), TargetChanged: nay(), Direct: new(1), RecentEvents: []string{"Added: 'a dialog (confirm, accepted): Really?'"}}}, "none"},
	{"another-named", failure, // the page speaks of it
		moment{clickOne, withText(cart, lines...), withText(cart, append(lines, "Chair: one less")...), online},
		moment{clickOne, withText(cart, lines...), withText(cart, append(lines, "Lamp: one less")...), online}, "none"},
	{"another-named", failure, // what is done is the word that most of them have
		moment{clickOne, withText(week, lines...), withText(week, append(lines, "Thu: soup")...), online},
		moment{clickOne, withText(week, lines...), withText(week, append(lines, "Change: soup")...), online}, "none"},
	{"another-chosen", failure, // it opened
		moment{clickOne, hives("false", "false"), hives("false", "true"), online},
		moment{clickOne, hives("", "false"), hives("", "true"), online}, "none"},
	{"another-chosen", failure, // it got the mark
		moment{clickOne, seats, with(seats, func(p *page.Page) { p.Elements[1].State.Selected = true }), online},
		moment{clickOne, seats, with(seats, func(p *page.Page) { p.Elements[0].State.Selected = true }), online}, "control-state"},
	{"entry-lost", failure,
		moment{clickOne, mailForm, mailEmpty, page.Witness{NetworkOccurred: nay(), Direct: new(0)}},
		moment{clickOne, mailForm, mailEmpty, page.Witness{NetworkOccurred: yes(), Direct: new(1)}}, "none"},
	{"script-failed", failure,
		moment{clickOne, colour, colour, page.Witness{NetworkOccurred: nay(), DOMMutated: yes(), Direct: new(1), ScriptErrors: new(1)}},
		moment{clickOne, colour, colour, page.Witness{NetworkOccurred: nay(), DOMMutated: yes(), Direct: new(1), ScriptErrors: new(0)}}, "none"},
	{"no-reaction", failure, // a form that was kept back, whatever stirred
		moment{clickOne, withText(trip, lines...), withText(trip, lines...), page.Witness{NetworkOccurred: nay(), DOMMutated: yes(), Direct: new(2), Added: 1}},
		moment{clickOne, withText(colour, lines...), withText(colour, lines...), page.Witness{NetworkOccurred: nay(), DOMMutated: yes(), Direct: new(2), Added: 1}}, "none"},
	{"no-reaction", failure, // a step that was not taken
		moment{clickOne, withText(one("button", "Next step"), lines...), withText(one("button", "Next step"), append(lines, "Mill outing")...), turned},
		moment{clickOne, withText(album, lines...), withText(album, append(lines, "Mill outing")...), turned}, "none"},
}

// Every rule speaks where it knows, and only there.
func TestVerify_EveryRule(t *testing.T) {
	t.Parallel()
	heard := map[string]bool{"confirmed-and-gone": true, "field-refused": true} // TestVerify_Confirmed, TestVerify_HeldAndRefused
	for _, s := range spoken {
		heard[s.rule] = true
		t.Run(s.rule, func(t *testing.T) {
			t.Parallel()
			if v := s.when.verdict(t); v.Rule != s.rule || outcomeOf(v) != s.says {
				t.Errorf("rule %q says %v (want %v): %s", v.Rule, outcomeOf(v), s.says, v.Reason)
			}
			if v := s.unless.verdict(t); v.Rule != s.instead || s.instead == s.rule {
				t.Errorf("near it rule %q speaks, want %q: %s", v.Rule, s.instead, v.Reason)
			}
		})
	}
	for _, r := range verdict.Rows() {
		if !r.Veto && r.Example == "" && !heard[r.ID] { // examples are judged with the recorded cases
			t.Errorf("nothing shows when rule %q speaks", r.ID)
		}
	}
}
