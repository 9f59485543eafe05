package critic_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/critic"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
)

func field(name string) page.Element {
	return page.Element{ID: "7", Role: "textbox", Tag: "input", Name: name}
}

func typed(name, typ string) page.Element {
	e := field(name)
	e.Type = typ
	return e
}

func list(name string, labels ...string) page.Element {
	e := page.Element{ID: "7", Role: "combobox", Tag: "select", Name: name}
	for _, l := range labels {
		e.Options = append(e.Options, page.Option{Value: strings.ToLower(l[:2]), Label: l})
	}
	return e
}

func entering(value string, e page.Element) reasoning.CritiqueQuestion {
	return reasoning.CritiqueQuestion{
		Query: "add the patient", Action: action.Action{Name: action.SetValue, Target: e.ID, Text: value}, Target: e,
	}
}

func TestReview_Values(t *testing.T) {
	t.Parallel()
	placeholder := field("")
	placeholder.Placeholder = "Last name"
	readOnly, secret, area := field("Number"), field("Password"), field("Phone")
	readOnly.State.Readonly, secret.State.Secret, area.Tag = true, true, "textarea"
	button := page.Element{ID: "7", Role: "button", Tag: "input", Name: "Save"}
	box := page.Element{ID: "7", Role: "checkbox", Name: "Insured"}
	editor := page.Element{ID: "7", Role: "application", Name: "Text"}
	spin := page.Element{ID: "7", Role: "spinbutton", Tag: "input", Name: "Guests"}
	month := page.Element{ID: "7", Role: "spinbutton", Tag: "div", Name: "Month"}
	long := list("Country", strings.Fields(strings.Repeat("Norway ", 250))...)
	for _, c := range []struct {
		value string
		on    page.Element
		rule  string // "" for none
	}{
		{"01/01/1990", field("Name"), "date_for_name"},
		{"01/01/1990", field("First name *"), "date_for_name"},
		{"1990-01-02", field("Nachname"), "date_for_name"},
		{"2.1.1990", field("Prénom"), "date_for_name"},
		{"2 January 1990", field("Apellidos"), "date_for_name"},
		{"January 2nd, 1990", field("Name:"), "date_for_name"},
		{"1990年1月2日", field("氏名"), "date_for_name"},
		{"01/01/1990", placeholder, "date_for_name"},
		{"Jas", field("Name"), ""},
		{"Jas", placeholder, ""},
		{"01/01/1990", field("Company name"), ""},
		{"01/01/1990", field("Notes"), ""},
		{"April", field("First name"), ""},
		{"Jan 3", field("Name"), ""},

		{"jas@example.org", field("Full name"), "email_for_name"},
		{"jas@example.org", field("Username"), ""},
		{"jas@example.org", field("Name or e-mail"), ""},

		{"+47 22 33 44 55", field("Name"), "phone_for_name"},
		{"555-0199", field("Name"), "phone_for_name"},
		{"555", field("Name"), ""},

		{"42", field("Last name"), "number_for_name"},
		{"42", field("Name"), ""},
		{"Louis 14", field("First name"), ""},
		{"-", field("Last name"), ""},
		{"李", field("Last name"), ""},

		{"jas@example.org", field("Phone number"), "email_for_phone"},
		{"jas@example.org", typed("Contact", "tel"), "email_for_phone"},
		{"jas@example.org", field("電話番号"), "email_for_phone"},
		{"jas@example.org", field("Phone or e-mail"), ""},
		{"+47 22 33 44 55", typed("Phone", "tel"), ""},

		{"1990-01-02", field("Mobile"), "date_for_phone"},
		{"12/25", typed("Expires", "tel"), ""},
		{"12/25/2027", typed("Expires", "tel"), ""},
		{"01.02.90", field("Téléphone"), ""},

		{"unknown", field("Telefon"), "words_for_phone"},
		{"1-800-FLOWERS", field("Phone"), ""},
		{"Galaxy", field("Phone model"), ""},
		{"anything", area, ""},

		{"jas at example", typed("Contact", "email"), "no_email"},
		{"555 0199", field("E-mail address"), "no_email"},
		{"Hello", field("Email subject"), ""},
		{"jas@example.org", field("Email"), ""},

		{"tomorrow", typed("From", "date"), "no_date"},
		{"unknown", field("Date of birth"), "no_date"},
		{"1990-01-02", field("Geburtsdatum"), ""},
		{"next week", field("Date"), ""},
		{"a1@b.no", typed("From", "date"), "email_for_date"},

		{"two", typed("Guests", "number"), "no_number"},
		{"two", spin, "no_number"},
		{"2", spin, ""},
		{"January", month, ""},

		{"our shop", typed("Web site", "url"), "no_address"},
		{"shop", typed("Web site", "url"), "no_address"},
		{"shop.example", typed("Web site", "url"), ""},

		{"Mars", list("Planet", "Norway", "Germany"), "not_taken"},
		{"norway", list("Country", "Norway", "Germany"), ""},
		{"ge", list("Country", "Norway", "Germany"), ""},
		{"Mars", long, "not_taken"},
		{"01/01/1990", list("Name", "01/01/1990"), ""},

		{"First name", field("First name"), "label_as_value"},
		{"last name", placeholder, "label_as_value"},
		{"Search", field("Search"), ""},
		{"Name", list("Name", "Name", "Date"), ""},

		{"[patient name]", field("Notes"), "placeholder_left"},
		{"{{name}}", field("Name"), "placeholder_left"},
		{"<your city>", field("City"), "placeholder_left"},
		{"TODO", field("City"), "placeholder_left"},
		{"[1, 2]", field("Data"), ""},
		{"a < b", field("Formula"), ""},

		{"x", readOnly, "read_only"},
		{"x", button, "not_a_field"},
		{"x", box, "not_taken"},
		{"x", editor, ""},
		{"x", page.Element{ID: "7", Role: "link", Name: "Help"}, "not_a_field"},
		{"x", page.Element{ID: "7", Role: "generic"}, ""},

		{"TODO", secret, ""},
		{"", field("Email"), ""},
		{"x", page.Element{}, ""},
		{"weird", typed("Color", "color"), "not_taken"},
	} {
		got := critic.Review(entering(c.value, c.on))
		if got.Rule != c.rule || got.Approved || got.Undecided != (c.rule == "") || (got.Reason == "") != (c.rule == "") || got.By != critic.By {
			t.Errorf("%q into %s (%s): %+v, want %q", c.value, page.Describe(c.on), c.on.Type, got, c.rule)
		}
	}
}

func TestReview_LetsTheUserWriteWhatTheyLike(t *testing.T) {
	t.Parallel()
	q := entering("TODO", field("Notes"))
	q.Query = `write "TODO" into the notes`
	if got := critic.Review(q); !got.Undecided {
		t.Errorf("%+v", got)
	}
	q.Query, q.Answers = "write a note", []string{"TODO"}
	if got := critic.Review(q); !got.Undecided {
		t.Errorf("in an answer: %+v", got)
	}
}

func TestReview_TheEnd(t *testing.T) {
	t.Parallel()
	wrong := page.Page{Alerts: []page.Alert{{Kind: page.AlertSuccess, Text: "Welcome"}, {Kind: page.AlertError, Text: "The phone is missing"}}}
	fine := page.Page{Alerts: wrong.Alerts[:1]}
	for _, c := range []struct {
		name string
		a    action.Action
		p    page.Page
		rule string
	}{
		{"success over an error", action.Action{Name: action.Finish, Text: "Jas was added"}, wrong, "success_over_error"},
		{"an error that is spoken of", action.Action{Name: action.Finish, Text: "It says: the phone is missing."}, wrong, ""},
		{"success over success", action.Action{Name: action.Finish}, fine, ""},
		{"failure over an error", action.Action{Name: action.Fail, Text: "no"}, wrong, ""},
		{"a click over an error", action.Action{Name: action.Click, Target: "7"}, wrong, ""},
	} {
		got := critic.Review(reasoning.CritiqueQuestion{Action: c.a, Page: c.p})
		if got.Rule != c.rule || got.Undecided != (c.rule == "") {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}

// Whatever is typed anywhere: an objection names its rule and says something, and
// ordinary words into a field of no kind are never objected to.
func TestReview_IsTotal(t *testing.T) {
	t.Parallel()
	roles := []string{"", "textbox", "searchbox", "combobox", "button", "spinbutton", "link"}
	types := []string{"", "text", "email", "tel", "number", "date", "url", "file", "color"}
	rapid.Check(t, func(t *rapid.T) {
		e := page.Element{
			ID: "7", Role: rapid.SampledFrom(roles).Draw(t, "role"), Type: rapid.SampledFrom(types).Draw(t, "type"),
			Name: rapid.String().Draw(t, "name"), Placeholder: rapid.String().Draw(t, "placeholder"),
		}
		got := critic.Review(entering(rapid.String().Draw(t, "value"), e))
		if got.Undecided == (got.Rule != "") || (got.Rule == "") != (got.Reason == "") {
			t.Fatalf("%+v", got)
		}
		plain := rapid.StringMatching(`[a-z]{4,9}( [a-z]{4,9}){1,3}`).Draw(t, "words")
		if got := critic.Review(entering(plain, field("Remarks"))); !got.Undecided && got.Rule != "placeholder_left" {
			t.Fatalf("%q: %+v", plain, got)
		}
	})
}
