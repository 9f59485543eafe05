package act

import (
	"context"
	"testing"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/internal/reason/rules/rulestest"
)

// viewOf is a view for a task on a page titled "Patients".
func viewOf(query string, es ...page.Element) *View {
	p := rulestest.Finish(page.Page{URL: rulestest.Home, Title: "Patients", Elements: es})
	return NewView(context.Background(), reasoning.ActQuestion{Query: query, Page: p})
}

func TestOpenScore(t *testing.T) {
	t.Parallel()
	for query, names := range map[string]map[string]float64{
		"add a patient named Jas": {
			"New patient":                     opensItem,
			"Add a new patient":               opensItem,
			"+ Patient":                       opensItem,
			"Register patient":                opensItem,
			"Add another patient":             opensItem,
			"Add new hospital patient":        opensItemIn,
			"Add patient to the registry":     opensItemIn,
			"+":                               opensAny,
			"New":                             opensAny,
			"Add record":                      opensAny,
			"Patients":                        opensSection,
			"Patient list":                    opensSection,
			"Menu":                            opensMenu,
			"Add patient note":                0,
			"Patient reports":                 0,
			"Add doctor":                      0,
			"Impatient?":                      0,
			"Newsletter":                      0,
			"Delete patient":                  0,
			"Log in":                          0,
			"Show all about the new hospital": 0,
		},
		"log in with username a and password b": {"Log in": opensItem, "Sign in": opensItem, "Login": opensItem, "New patient": 0, "Blog in Spanish": 0},
		"add an invoice with number 7":          {"New": 0, "+": 0, "New invoice": opensItem}, // the page is about patients
	} {
		for name, want := range names {
			v := viewOf(query, rulestest.Element("button", name))
			if got := openScore(v, v.in.parts[0])(v.page.Elements[0]); got != want {
				t.Errorf("%s by %q: %v, want %v", query, name, got, want)
			}
		}
	}
}

func TestNameScore(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		on   page.Element
		fits bool
	}{
		{"name", rulestest.Element("textbox", "Name"), true},
		{"name", rulestest.Element("textbox", "Full name *"), true},
		{"name", rulestest.Element("textbox", "Patient name"), true},
		{"name", rulestest.Element("textbox", "Company name"), false},
		{"name", rulestest.Element("textbox", "Username"), false},
		{"", rulestest.Element("textbox", "Title"), true},
		{"", rulestest.Element("textbox", "Patient"), true},
		{"", rulestest.Element("textbox", "Notes"), false},
		{"e-mail", rulestest.Element("textbox", "Email address (required)"), true},
		{"email", rulestest.Element("textbox", "", rulestest.Type("email")), true},
		{"email", rulestest.Element("textbox", "Confirm email"), false},
		{"password", rulestest.Element("textbox", "Secret word", rulestest.State(rulestest.Secret)), true},
		{"phone number", rulestest.Element("textbox", "Telephone"), true},
		{"phone", rulestest.Element("textbox", "Mobile"), true},
		{"patient phone", rulestest.Element("textbox", "Phone"), true},
		{"company phone", rulestest.Element("textbox", "Phone"), false},
		{"date of birth", rulestest.Element("textbox", "Birthday"), true},
		{"zip", rulestest.Element("textbox", "Postal code"), true},
		{"last", rulestest.Element("textbox", "Last name"), false},
		{"city", rulestest.Element("textbox", "City or town"), true},
		{"city", rulestest.Element("textbox", "Capacity"), false},
		{"city", rulestest.Element("textbox", "", func(e *page.Element) { e.Placeholder = "City" }), true},
	} {
		if got := nameScore(&View{}, tc.name, "patient")(tc.on); (got > 0) != tc.fits {
			t.Errorf("%q in %q (%s): %v", tc.name, tc.on.Label(), tc.on.Type, got)
		}
	}
}

func TestDismisses(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"Close": true, "×": true, "Dismiss this message": true, "No, thanks": true, "Got it": true, "Not now": true, "OK": true,
		"Closest store": false, "Save and close": false, "Delete": false, "": false, "No": false, "Not found": false,
	} {
		if dismisses(name) != want {
			t.Errorf("%q dismisses: %v", name, !want)
		}
	}
}
