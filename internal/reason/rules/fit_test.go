package rules

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/internal/reason/rules/text"
)

const newPatientTask = "Add a new patient with name 'Jas'"

// Whatever chooses a control asks between two that nothing tells apart.
func TestAct_TwinsAreAskedAbout(t *testing.T) {
	t.Parallel()
	const more = "asks: I found more than one match for "
	button := func(name string, with ...func(*page.Element)) page.Element { return elem("button", name, with...) }
	patients := func(es ...page.Element) page.Page { return pageOf(home+"patients", es...) }
	for name, tc := range map[string]struct {
		query string
		page  page.Page
		want  string
	}{
		"ways to a form": {newPatientTask, patients(button("New patient"), button("New patient")),
			`the way to the new patient form: button "New patient" (the first), button "New patient" (the second)`},
		"ways to a form in one group": {newPatientTask, patients(button("New patient", group("List")), button("New patient", group("List"))),
			`the way to the new patient form: button "New patient" in “List” (the first), button "New patient" in “List” (the second)`},
		"ways to a form in two groups": {newPatientTask, patients(button("New patient", group("List")), button("New Patient", group("Ward"))),
			`the way to the new patient form: button "New patient" in “List”, button "New Patient" in “Ward”`},
		"ways to a form, where a third means the same": {newPatientTask, patients(button("New patient"), elem("link", "Add patient"), button("New patient")),
			`the way to the new patient form: button "New patient" (the first), link "Add patient", button "New patient" (the third)`},
		"links to two forms": {newPatientTask, patients(elem("link", "New patient", href("/a")), elem("link", "New patient", href("/b"))),
			`the way to the new patient form: link "New patient" (the first), link "New patient" (the second)`},
		"plus signs": {newPatientTask, patients(button("+"), button("+")),
			`the way to the new patient form: button "+" (the first), button "+" (the second)`},
		"ways to log in": {"log in with username 'a' and password 'b'", patients(button("Log in", group("Header")), button("Log in", group("News"))),
			`the way to the login form: button "Log in" in “Header”, button "Log in" in “News”`},
		"named buttons": {"click Save", patients(button("Save"), button("Save")), `“Save”: button "Save" (the first), button "Save" (the second)`},
		"tabs":          {"go to Notes", patients(elem("tab", "Notes"), elem("tab", "Notes")), `“Notes”: tab "Notes" (the first), tab "Notes" (the second)`},
		"buttons that send": {newPatientTask, patients(elem("textbox", "Name", value("Jas")), button("Save"), button("Save")),
			`the button that sends the form: button "Save" (the first), button "Save" (the second)`},
		"buttons that lead on": {newPatientTask + " and city 'Oslo'", patients(elem("textbox", "Name", value("Jas")), button("Next"), button("Next")),
			`the button that leads on: button "Next" (the first), button "Next" (the second)`},
		"buttons that close": {"click Save", patients(button("Save", state(occluded)), button("Close", group("Cookies")), button("Close", group("News"))),
			`the button that closes what covers the page: button "Close" in “Cookies”, button "Close" in “News”`},
		"ways to search": {"search for 'x'", patients(button("Search", group("Header")), button("Search", group("Shop"))),
			`the control that opens the search: button "Search" in “Header”, button "Search" in “Shop”`},
		"search boxes": {"search for 'x'", patients(elem("searchbox", "Search"), elem("searchbox", "Search")),
			`the search box: searchbox "Search" (the first), searchbox "Search" (the second)`},
		"fields": {"enter 'x' as city", patients(elem("textbox", "City"), elem("textbox", "City")),
			`“city”: textbox "City" (the first), textbox "City" (the second)`},
		"secret fields": {"enter password 'hunter2'", patients(elem("textbox", "Password", state(secret)), elem("textbox", "Password", state(secret))),
			`“password”: textbox "Password" (the first), textbox "Password" (the second)`},
		"selects": {"choose 'Oslo' from City", patients(elem("combobox", "City", options("Oslo")), elem("combobox", "City", options("Oslo"))),
			`“City”: combobox "City" (the first), combobox "City" (the second)`},
		"radio buttons": {"choose 'Yes'", patients(elem("radio", "Yes", group("Smoker")), elem("radio", "Yes", group("Diabetic"))),
			`“Yes”: radio "Yes" in “Smoker”, radio "Yes" in “Diabetic”`},
		"options of open lists": {"choose 'Oslo'", patients(elem("option", "Oslo"), elem("option", "Oslo")),
			`“Oslo”: option "Oslo" (the first), option "Oslo" (the second)`},
		"checkboxes": {"check 'Consent'", patients(elem("checkbox", "Consent"), elem("checkbox", "Consent")),
			`“Consent”: checkbox "Consent" (the first), checkbox "Consent" (the second)`},
		"links whose addresses say nothing": {"click More", patients(elem("link", "More", href("#")), elem("link", "More", href("#"))),
			`“More”: link "More" (the first), link "More" (the second)`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := more + tc.want + ". Which one do you mean?"
			if got := oneAct(t, reasoning.ActQuestion{Client: able, Query: tc.query, Page: tc.page}); got != want {
				t.Errorf("\n got %s\nwant %s", got, want)
			}
		})
	}
}

// acted is the id of the element the rules act on, "" if they do not act.
func acted(t *testing.T, q reasoning.ActQuestion) string {
	t.Helper()
	a, err := Reasoner{}.Act(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return a.Action.Target
}

func TestAct_ReplyTellsTwinsApart(t *testing.T) {
	t.Parallel()
	apart := pageOf(home+"patients", elem("button", "New patient", withID("a"), group("Header")),
		elem("link", "Add patient", withID("c")), elem("button", "New patient", withID("b"), group("Patient list")))
	alike := pageOf(home+"patients", elem("link", "Add patient", withID("c")), elem("button", "New patient", withID("a")), elem("button", "New patient", withID("b")))
	for _, tc := range []struct {
		page  page.Page
		reply string
		want  string
	}{
		{apart, "Header", "a"},
		{apart, "the one in the header", "a"},
		{apart, "click the one in the Patient list", "b"},
		{apart, "the New patient button in the list", "b"},
		{apart, `"New patient" in the header`, "a"},
		{apart, `the button "New patient" in the header`, "a"},
		{apart, `button "New patient" in “Patient list”`, "b"},
		{apart, "the link", "c"},
		{apart, "Add patient", "c"},
		{apart, "the third", "b"},
		{apart, "the 1st one", "a"},
		{apart, "the last one", "b"},
		{apart, "the second", "c"},
		{apart, "the second New patient", "b"},
		{apart, `the second "New patient"`, "b"},
		{apart, "New patient", ""},
		{apart, "the button", ""},
		{apart, "the fifth", ""},
		{apart, "whichever you like", ""},
		{alike, "the second", "a"},
		{alike, `button "New patient" (the third)`, "b"},
		{alike, "the third New patient", "b"},
		{alike, "the second New patient", "a"}, // as the question calls it
		{alike, "the last New patient", "b"},
		{alike, "the first New patient", "a"},
	} {
		q := reasoning.ActQuestion{Client: able, Query: newPatientTask, Answers: []string{tc.reply}, Page: tc.page}
		if got := acted(t, q); got != tc.want {
			t.Errorf("%q: acts on %q, want %q", tc.reply, got, tc.want)
		}
		q.Page, q.Steps = pageOf(home+"patients/new", elem("textbox", "Name", withID("n"))), []reasoning.Step{{
			Action: action.Action{Name: action.Click, Target: "a"}, Target: `button "New patient"`, Verified: true, Succeeded: true,
		}}
		if got := acted(t, q); got != "n" {
			t.Errorf("%q: is taken for a value of the form: acts on %q", tc.reply, got)
		}
	}
}

// A reply may still name a field, even one of the words a reply points with.
func TestAct_ReplyNamesAField(t *testing.T) {
	t.Parallel()
	p := pageOf(home, elem("textbox", "Region", withID("r"), state(required)), elem("textbox", "Title", withID("t"), state(required)), elem("button", "Create"))
	a, err := Reasoner{}.Act(t.Context(), reasoning.ActQuestion{Client: able, Query: "create a note", Answers: []string{"region: North", "title: Create"}, Page: p})
	if err != nil || a.Action != (action.Action{Name: action.SetValue, Target: "r", Text: "North"}) {
		t.Errorf("%s, %q, %v", a.Action, a.UserQuestion, err)
	}
}

func TestAct_LinksToOnePlaceAreOne(t *testing.T) {
	t.Parallel()
	long := "/" + strings.Repeat("x", 499)
	for name, tc := range map[string]struct {
		a, b string
		same bool
	}{
		"the same address":              {"/patients/new", "/patients/new", true},
		"relative and absolute":         {"new", "https://SITE.test/patients/new", true},
		"a path with dots":              {"../patients/new", "/patients/new", true},
		"the page of a hash router":     {"#/new", "#/new", true},
		"two addresses":                 {"/patients/new", "/visits/new", false},
		"two queries":                   {"/new?ward=1", "/new?ward=2", false},
		"two fragments":                 {"/new#a", "/new#b", false},
		"no address":                    {"", "", false},
		"a fragment a script may catch": {"#new", "#new", false},
		"scripts":                       {"javascript:", "javascript:", false},
		"addresses that were cut":       {long, long, false},
		"another host":                  {"/new", "https://other.test/new", false},
		"not an address":                {"::", "::", false},
	} {
		for _, query := range []string{newPatientTask, "click 'New patient'"} {
			t.Run(name+": "+query, func(t *testing.T) {
				t.Parallel()
				p := pageOf(home+"patients/", elem("link", "New patient", withID("a"), href(tc.a), group("Header")), elem("link", "New patient", withID("b"), href(tc.b), group("Footer")))
				if got := acted(t, reasoning.ActQuestion{Client: able, Query: query, Page: p}); (got == "a") != tc.same || got == "b" {
					t.Errorf("acts on %q", got)
				}
			})
		}
	}
	t.Run("in a frame addresses are relative to another page", func(t *testing.T) {
		t.Parallel()
		inFrame := func(e *page.Element) { e.Frame = "2" }
		p := pageOf(home, elem("link", "More", href("more")), elem("link", "More", href("more"), inFrame))
		if got := acted(t, reasoning.ActQuestion{Client: able, Query: "click More", Page: p}); got != "" {
			t.Errorf("acts on %q", got)
		}
	})
	t.Run("of two that lead here", func(t *testing.T) {
		t.Parallel()
		p := pageOf(home+"patients", elem("link", "Patients", href("/patients")), elem("link", "Patients", href("/patients")))
		if got := oneAct(t, reasoning.ActQuestion{Client: able, Query: "go to Patients", Page: p}); got != `finish("Done: “Patients” is open.")` {
			t.Error(got)
		}
	})
	t.Run("the other, where the first failed", func(t *testing.T) {
		t.Parallel()
		p := pageOf(home, elem("link", "More", withID("a"), href("/more")), elem("link", "More", withID("b"), href("/more")))
		if got := acted(t, reasoning.ActQuestion{Client: able, Query: "click More", Page: p, Steps: []reasoning.Step{failedClickOn(p.Elements[0])}}); got != "b" {
			t.Errorf("acts on %q", got)
		}
	})
}

func failedClickOn(e page.Element) reasoning.Step {
	return reasoning.Step{Action: action.Action{Name: action.Click, Target: e.ID}, Target: page.Describe(e), Verified: true}
}

// A twin that no person could use is no candidate, wherever it stands.
func TestAct_UnusableTwinsDoNotCount(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]func(*page.State){"hidden": hidden, "disabled": disabled, "occluded": occluded} {
		for query, es := range map[string][2]page.Element{
			newPatientTask:          {elem("button", "New patient", state(f)), elem("button", "New patient", withID("b"))},
			"click Save":            {elem("button", "Save", state(f)), elem("button", "Save", withID("b"))},
			"enter 'x' as city":     {elem("textbox", "City", state(f)), elem("textbox", "City", withID("b"))},
			"enter password 'x'":    {elem("textbox", "Password", state(f), state(secret)), elem("textbox", "Password", withID("b"), state(secret))},
			"check 'Consent'":       {elem("checkbox", "Consent", state(f)), elem("checkbox", "Consent", withID("b"))},
			"search for 'x'":        {elem("searchbox", "Search", state(f)), elem("searchbox", "Search", withID("b"))},
			"choose 'Yes'":          {elem("radio", "Yes", state(f)), elem("radio", "Yes", withID("b"))},
			"choose 'O' from City":  {elem("combobox", "City", options("O"), state(f)), elem("combobox", "City", options("O"), withID("b"))},
			"log in with name 'Jo'": {elem("link", "Log in", state(f)), elem("link", "Log in", withID("b"))},
		} {
			for _, order := range [][]page.Element{{es[0], es[1]}, {es[1], es[0]}} {
				if got := acted(t, reasoning.ActQuestion{Client: able, Query: query, Page: pageOf(home, order...)}); got != "b" {
					t.Errorf("%s, %s: acts on %q", query, name, got)
				}
			}
		}
	}
}

func TestAct_TwoDisabledSendButtonsAreNotGoneRound(t *testing.T) {
	t.Parallel()
	p := pageOf(home, elem("textbox", "Name", value("Jas")), elem("button", "Save", state(disabled)), elem("button", "Save", state(disabled)))
	if got := oneAct(t, reasoning.ActQuestion{Client: able, Query: "add a pet with name 'Jas'", Page: p}); !strings.Contains(got, "cannot be clicked yet") {
		t.Error(got)
	}
}

// That one of two twins failed does not make the other the right one.
func TestAct_TwinOfAFailureIsNotNext(t *testing.T) {
	t.Parallel()
	two := func(role, name string) []page.Element {
		return []page.Element{elem(role, name, withID("a"), group("Billing")), elem(role, name, withID("b"), group("Profile"))}
	}
	filled := elem("textbox", "Name", withID("n"), value("Jas"), group("Billing"))
	for name, tc := range map[string]struct {
		query   string
		answers []string
		page    []page.Element
		want    string
	}{
		"of a named button":             {"click Save", nil, two("button", "Save"), ""},
		"of the one the user chose":     {"click Save", []string{"Billing"}, two("button", "Save"), ""},
		"unless the user names it then": {"click Save", []string{"Billing", "Profile"}, two("button", "Save"), "b"},
		"of the way to a form":          {newPatientTask, []string{"Billing"}, two("button", "New patient"), ""},
		"of the button of another form": {"add a pet with name 'Jas'", nil, append(two("button", "Save"), filled), ""},
		"nor what the user did not choose": {"click Settings", []string{"user settings"},
			[]page.Element{elem("link", "User settings", withID("a")), elem("link", "Site settings", withID("b"))}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := pageOf(home, tc.page...)
			q := reasoning.ActQuestion{Client: able, Query: tc.query, Answers: tc.answers, Page: p, Steps: []reasoning.Step{failedClickOn(p.Elements[0])}}
			if got := acted(t, q); got != tc.want {
				t.Errorf("acts on %q, want %q", got, tc.want)
			}
			c, err := Reasoner{}.Correct(t.Context(), reasoning.CorrectQuestion{
				Query: tc.query, Answers: tc.answers, Failed: action.Action{Name: action.Click, Target: "a"}, Target: p.Elements[0], Page: p, Attempt: 1,
				Tried: []action.Action{{Name: action.Click, Target: "a"}},
			})
			if err != nil || c.Action.Target != tc.want {
				t.Errorf("corrects by %s, %v", c.Action, err)
			}
		})
	}
}

// The row the task names tells its button from one of another row.
func TestAct_FailureInAnotherRowIsNoTwins(t *testing.T) {
	t.Parallel()
	p := pageOf(home+"patients", elem("button", "Delete", withID("a"), group("Eva 1980")), elem("button", "Delete", withID("b"), group("Jas 1990")))
	if got := acted(t, reasoning.ActQuestion{Client: able, Query: "delete patient Jas", Page: p, Steps: []reasoning.Step{failedClickOn(p.Elements[0])}}); got != "b" {
		t.Errorf("acts on %q", got)
	}
}

func TestAct_TwinOfAnOpenedMenuIsNotNext(t *testing.T) {
	t.Parallel()
	q := reasoning.ActQuestion{
		Client: able,
		Query:  newPatientTask, Answers: []string{"the second one"},
		Page: pageOf(home, elem("button", "New patient", withID("a")), elem("button", "New patient", withID("b")), elem("menuitem", "New", withID("m"))),
		Steps: []reasoning.Step{{
			Action: action.Action{Name: action.Click, Target: "b"}, Target: `button "New patient"`, Verified: true, Succeeded: true,
		}},
	}
	if got := acted(t, q); got != "m" {
		t.Errorf("acts on %q", got)
	}
}

// twins reports whether nothing that can be read tells two elements apart.
func twins(a, b page.Element) bool {
	words := text.Words(a.Label())
	return a.ID != b.ID && a.Role == b.Role && (text.Same(a.Label(), b.Label()) || len(words) > 0 && slices.Equal(words, text.Words(b.Label())))
}

// On no page of controls is one of two clicked that nothing tells apart.
func TestAct_NeverOneOfTwoTwins(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		p := anyPage().Draw(rt, "page")
		for i := range p.Elements {
			if p.Elements[i].IsField() {
				p.Elements[i].State.Hidden = true // a form has further signs
			}
		}
		query := rapid.SampledFrom([]string{newPatientTask, "click Save", "log in", "go to Patients", "click Delete", "search for 'x'", "click Close"}).Draw(rt, "query")
		a, err := Reasoner{}.Act(t.Context(), reasoning.ActQuestion{Client: able, Query: query, Page: p})
		if err != nil {
			rt.Fatal(err)
		}
		e, ok := p.ByID(a.Action.Target)
		for _, o := range p.Elements {
			if ok && o.Usable() && twins(e, o) {
				rt.Fatalf("%s: %s %q, of which there are two", query, a.Action, e.Label())
			}
		}
	})
}
