package rules

import (
	"context"
	"testing"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
)

// viewOf is a view for a task on a page titled "Patients".
func viewOf(query string, es ...page.Element) *view {
	b := pageBuilder{URL: home, Title: "Patients", Elements: es}
	return newView(context.Background(), reasoning.ActQuestion{Query: query, Page: b.done()})
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
			v := viewOf(query, elem("button", name))
			if got := v.openScore(v.in.parts[0])(v.page.Elements[0]); got != want {
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
		{"name", elem("textbox", "Name"), true},
		{"name", elem("textbox", "Full name *"), true},
		{"name", elem("textbox", "Patient name"), true},
		{"name", elem("textbox", "Company name"), false},
		{"name", elem("textbox", "Username"), false},
		{"", elem("textbox", "Title"), true},
		{"", elem("textbox", "Patient"), true},
		{"", elem("textbox", "Notes"), false},
		{"e-mail", elem("textbox", "Email address (required)"), true},
		{"email", elem("textbox", "", typ("email")), true},
		{"email", elem("textbox", "Confirm email"), false},
		{"password", elem("textbox", "Secret word", state(secret)), true},
		{"phone number", elem("textbox", "Telephone"), true},
		{"phone", elem("textbox", "Mobile"), true},
		{"patient phone", elem("textbox", "Phone"), true},
		{"company phone", elem("textbox", "Phone"), false},
		{"date of birth", elem("textbox", "Birthday"), true},
		{"zip", elem("textbox", "Postal code"), true},
		{"last", elem("textbox", "Last name"), false},
		{"city", elem("textbox", "City or town"), true},
		{"city", elem("textbox", "Capacity"), false},
		{"city", elem("textbox", "", func(e *page.Element) { e.Placeholder = "City" }), true},
	} {
		if got := (&view{}).nameScore(tc.name, "patient")(tc.on); (got > 0) != tc.fits {
			t.Errorf("%q in %q (%s): %v", tc.name, label(tc.on), tc.on.Type, got)
		}
	}
}

func TestOptionOf(t *testing.T) {
	t.Parallel()
	e := elem("combobox", "Country", options("United Kingdom", "United States", "France", "North Korea", "South Korea"))
	for text, want := range map[string]string{
		"france": "France", "united states": "United States", "States": "United States", "Kingdom": "United Kingdom",
		"Korea": "", "United": "", "Fran": "", "": "", "Peru": "",
	} {
		if got, _ := optionOf(e, text); got.Label != want {
			t.Errorf("%q chooses %q, want %q", text, got.Label, want)
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

func TestErrorPage(t *testing.T) {
	t.Parallel()
	for title, want := range map[string]bool{
		"404 Not Found": true, "Error 500": true, "HTTP 503 Service Unavailable": true, "Something went wrong": true, "Access denied": true,
		"Errors and how to find them": false, "Lost and not found": false, "Patients": false, "": false, "500": false,
	} {
		if got := errorPage(page.Page{Title: title}) != ""; got != want {
			t.Errorf("%q is an error page: %v", title, got)
		}
	}
}
