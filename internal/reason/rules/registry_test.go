package rules

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
)

// registry is a small application with a list, a form and a way between.
type registry struct {
	view   string // list, form
	fields map[string]string
	rows   []string
	toast  bool
	alert  string

	deadButton bool // "New patient" does nothing
	clock      bool // the document changes by itself
	quietToast bool // the confirmation is gone before the page is read
	needPhone  bool
	serverFail bool // "Application submitted!" over a server error
	ticks      int
}

func (r *registry) page() page.Page {
	b := pageBuilder{URL: "https://clinic.test/patients", Title: "Patients"}
	nav := []page.Element{elem("link", "Home", href("/"), group("Main")), elem("link", "Add patient", href("/patients/new"), group("Main"))}
	switch r.view {
	case "form":
		b.URL, b.Headings = "https://clinic.test/patients/new", []string{"New patient"}
		in := func(role, name string, with ...func(*page.Element)) page.Element {
			return elem(role, name, append(with, value(r.fields[name]), group("New patient"))...)
		}
		phone := in("textbox", "Phone", typ("tel"))
		phone.State.Required = r.needPhone
		b.Elements = append(nav,
			in("textbox", "Full name *", state(required)), in("textbox", "Date of birth"), in("textbox", "Email"), phone,
			in("combobox", "Gender", options("Choose…", "Female", "Male")),
			elem("checkbox", "Patient consents to data processing", group("New patient"), checked("false")),
			elem("button", "Save", typ("submit"), group("New patient")), elem("button", "Cancel", group("New patient")))
		if r.alert != "" {
			b.Alerts = append(b.Alerts, page.Alert{Kind: page.AlertError, Text: r.alert})
		}
	default:
		b.Headings = []string{"Patients"}
		b.Elements = append(nav, elem("searchbox", "Search patients by name"), elem("button", "New patient"))
		for _, row := range r.rows {
			b.Elements = append(b.Elements, elem("button", "Edit", group(row)), elem("button", "Delete", group(row)))
		}
		b.Text = "Patients " + strings.Join(r.rows, " ")
	}
	if r.toast && !r.quietToast {
		b.Alerts = append(b.Alerts, page.Alert{Kind: page.AlertSuccess, Text: "Patient saved"})
	}
	if r.serverFail && r.toast {
		b.Alerts = append(b.Alerts, page.Alert{Kind: page.AlertError, Text: "Internal server error"})
	}
	p := b.done()
	if r.clock {
		r.ticks++
		p.DOMHash += strings.Repeat("x", r.ticks)
	}
	return p
}

func (r *registry) do(a action.Action, e page.Element) page.Witness {
	r.toast = false
	w := page.Witness{}
	if r.clock {
		w.DOMMutated = yes()
	}
	if a.Name == action.SetValue {
		r.fields[e.Name] = a.Text
		return w
	}
	switch e.Name {
	case "New patient":
		if r.deadButton {
			return w
		}
		r.view, r.fields = "form", map[string]string{}
	case "Add patient":
		r.view, r.fields = "form", map[string]string{}
	case "Save":
		r.save()
	}
	return w
}

func (r *registry) save() {
	if r.fields["Full name *"] == "" || r.needPhone && r.fields["Phone"] == "" {
		r.alert = "Please fill in all required fields"
		return
	}
	if r.needPhone && strings.Trim(r.fields["Phone"], "0123456789 +") != "" {
		r.alert = "Phone: only digits are allowed"
		return
	}
	r.toast, r.alert = true, ""
	if r.serverFail {
		return
	}
	r.view, r.rows = "list", append(r.rows, r.fields["Full name *"])
}

func TestRegistry(t *testing.T) {
	t.Parallel()
	const jas = "Add a new patient with name 'Jas'"
	for name, tc := range map[string]struct {
		query   string
		answers []string // to the questions that come up
		site    *registry
		skills  []reasoning.Skill
		want    []string
	}{
		"a new entry from the list to the confirmation": {jas, nil, &registry{}, nil, []string{
			`click button "New patient"`,
			`setValue textbox "Full name *" = Jas`,
			`click button "Save"`,
			`complete: The task is complete: the page says “Patient saved”.`,
		}},
		"a confirmation that is gone is replaced by the new row": {jas, nil, &registry{quietToast: true}, nil, []string{
			`click button "New patient"`,
			`setValue textbox "Full name *" = Jas`,
			`click button "Save"`,
			`complete: Another page was opened: https://clinic.test/patients The task is complete: “Jas” is shown on the page.`,
		}},
		"all values of the task are entered, in page order": {
			`Register a patient with email jas@example.org, name "Ana O'Neil, Jr.", gender Female and date of birth 1990-01-02`, nil, &registry{}, nil, []string{
				`click button "New patient"`,
				`setValue textbox "Full name *" = Ana O'Neil, Jr.`,
				`setValue textbox "Date of birth" = 1990-01-02`,
				`setValue textbox "Email" = jas@example.org`,
				`setValue combobox "Gender" = Female`,
				`click button "Save"`,
				`complete: The task is complete: the page says “Patient saved”.`,
			}},
		"a bare word is the option of that name": {`Add a patient named Jas, female, with email j@s.org`, nil, &registry{quietToast: true}, nil, []string{
			`click button "New patient"`,
			`setValue textbox "Full name *" = Jas`,
			`setValue textbox "Email" = j@s.org`,
			`setValue combobox "Gender" = Female`,
			`click button "Save"`,
			`complete: Another page was opened: https://clinic.test/patients The task is complete: “Jas” is shown on the page.`,
		}},
		"a dead button is corrected by the link to the same form": {jas, nil, &registry{deadButton: true}, nil, []string{
			`click button "New patient"`,
			`failed: nothing-changed`,
			`ALTERNATIVE_SELECTOR click link "Add patient"`,
			`setValue textbox "Full name *" = Jas`,
			`click button "Save"`,
			`complete: The task is complete: the page says “Patient saved”.`,
		}},
		"a dead button under a ticking clock is no success either": {jas, nil, &registry{deadButton: true, clock: true}, nil, []string{
			`click button "New patient"`,
			`click link "Add patient"`,
			`setValue textbox "Full name *" = Jas`,
			`click button "Save"`,
			`complete: The task is complete: the page says “Patient saved”.`,
		}},
		"a skill spares the second task the correction": {jas, nil, &registry{deadButton: true}, []reasoning.Skill{{
			ID: "s1", Goal: "Add a new patient with name 'Eva'", FailedAction: "click", FailedTarget: reasoning.Target{Role: "button", Name: "New patient"},
			UseAction: "click", UseTarget: reasoning.Target{Role: "link", Name: "Add patient", Group: "Main"}, Successes: 1,
		}}, []string{
			`click link "Add patient"`,
			`setValue textbox "Full name *" = Jas`,
			`click button "Save"`,
			`complete: The task is complete: the page says “Patient saved”.`,
		}},
		"a required field without a value is asked for": {jas, nil, &registry{needPhone: true}, nil, []string{
			`click button "New patient"`,
			`setValue textbox "Full name *" = Jas`,
			`asks: The form needs more than you told me. What should I enter for “Phone”?`,
		}},
		"the user's reply fills it": {jas, []string{"555 0100"}, &registry{needPhone: true}, nil, []string{
			`click button "New patient"`,
			`setValue textbox "Full name *" = Jas`,
			`asks: The form needs more than you told me. What should I enter for “Phone”?`,
			`user: 555 0100`,
			`setValue textbox "Phone" = 555 0100`,
			`click button "Save"`,
			`complete: The task is complete: the page says “Patient saved”.`,
		}},
		"a value the page refuses is asked for again": {jas + " and phone unknown-yet", nil, &registry{needPhone: true}, nil, []string{
			`click button "New patient"`,
			`setValue textbox "Full name *" = Jas`,
			`setValue textbox "Phone" = unknown-yet`,
			`click button "Save"`,
			`failed: page-says-error`,
			`asks: The page says: “Phone: only digits are allowed” What should I enter for “Phone”?`,
		}},
		"and replaced by what the user replies": {jas + " and phone unknown-yet", []string{"555 0100"}, &registry{needPhone: true}, nil, []string{
			`click button "New patient"`,
			`setValue textbox "Full name *" = Jas`,
			`setValue textbox "Phone" = unknown-yet`,
			`click button "Save"`,
			`failed: page-says-error`,
			`asks: The page says: “Phone: only digits are allowed” What should I enter for “Phone”?`,
			`user: 555 0100`,
			`setValue textbox "Phone" = 555 0100`,
			`click button "Save"`,
			`complete: The task is complete: the page says “Patient saved”.`,
		}},
		"a reply may name the field": {jas + " and phone unknown-yet", []string{"phone: 555 0100"}, &registry{needPhone: true}, nil, []string{
			`click button "New patient"`,
			`setValue textbox "Full name *" = Jas`,
			`setValue textbox "Phone" = unknown-yet`,
			`click button "Save"`,
			`failed: page-says-error`,
			`asks: The page says: “Phone: only digits are allowed” What should I enter for “Phone”?`,
			`user: phone: 555 0100`,
			`setValue textbox "Phone" = 555 0100`,
			`click button "Save"`,
			`complete: The task is complete: the page says “Patient saved”.`,
		}},
		"a reply may say what to click": {"Register a person named Jas", []string{"click Add patient", "yes"}, &registry{quietToast: true}, nil, []string{
			`does not know: I need a language model or more detail to find the new person form on this page.`,
			`user: click Add patient`,
			`click link "Add patient"`,
			`setValue textbox "Full name *" = Jas`,
			`click button "Save"`,
			`complete: Another page was opened: https://clinic.test/patients The task is complete: “Jas” is shown on the page.`,
		}},
		"an error beats words of success": {jas, nil, &registry{serverFail: true}, nil, []string{
			`click button "New patient"`,
			`setValue textbox "Full name *" = Jas`,
			`click button "Save"`,
			`failed: page-says-error`,
			`asks: The page says: “Internal server error” How should I go on?`,
		}},
		"a value without a field on the form stops before anything is sent": {jas + " and shoe size 46", nil, &registry{}, nil, []string{
			`click button "New patient"`,
			`setValue textbox "Full name *" = Jas`,
			`does not know: I need a language model or more detail to go on: I see no field for “shoe size” on this form.`,
		}},
		"what is not understood stops before anything is sent": {jas + " and the usual details", nil, &registry{}, nil, []string{
			`click button "New patient"`,
			`setValue textbox "Full name *" = Jas`,
			`does not know: I need a language model or more detail to understand this part of the task: “usual details”.`,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := &journey{query: tc.query, later: tc.answers, site: tc.site, skills: tc.skills}
			if diff := cmp.Diff(tc.want, j.run(t)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
