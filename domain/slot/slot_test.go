package slot_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/slot"
)

func find(slots []slot.Slot, value string) (slot.Slot, bool) {
	i := slices.IndexFunc(slots, func(s slot.Slot) bool { return s.Value == value })
	if i < 0 {
		return slot.Slot{}, false
	}
	return slots[i], true
}

func TestFind(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		query, value, name string
		kind               slot.Kind
	}{
		{"Register Ann Lee with the email ann.lee@example.org", "ann.lee@example.org", "email", slot.Email},
		{"Register Ann Lee with the email ann.lee@example.org", "Ann Lee", "register", slot.Name},
		{"Find stores, zip code is 90210.", "90210", "zip code", slot.Number},
		{"My order number is X77-120, where is it?", "X77-120", "order number", slot.Code},
		{"A plan with a $1,500 monthly fee", "1,500", "monthly fee", slot.Money},
		{"A room for 3 adults", "3", "adults", slot.Number},
		{"Fly from oslo to new york on 3 May 2027", "oslo", "from", slot.Phrase},
		{"Fly from oslo to new york on 3 May 2027", "new york", "to", slot.Phrase},
		{"Fly from oslo to new york on 3 May 2027", "3 May 2027", "on", slot.Date},
		{"A table at 7:30 pm", "7:30 pm", "at", slot.Time},
		{"Arrive at 11am", "11am", "at", slot.Time},
		{"Due 2027-03-05", "2027-03-05", "Due", slot.Date},
		{"Call 555-201-4477", "555-201-4477", "Call", slot.Phone},
		{`Make a list and call it "Rainy days, slowly"`, "Rainy days, slowly", "call", slot.Quoted},
		{"My company's name is Acme Ltd", "Acme Ltd", "name", slot.Name},
		{"Play something by The Cure", "The Cure", "by", slot.Name},
		{"Buche einen Flug von Berlin nach Paris am 3. Mai", "Paris", "nach", slot.Name},
		{"Reserva una mesa en Sevilla para 4 personas", "4", "personas", slot.Number},
		{"請登記我的電郵 ann@example.org 謝謝", "ann@example.org", "", slot.Email},
	} {
		s, ok := find(slot.Find(c.query), c.value)
		if !ok {
			t.Errorf("%q: %q is not found", c.query, c.value)
			continue
		}
		if s.Kind != c.kind || c.name != "" && s.Name != c.name || c.query[s.Start:s.End] != s.Value {
			t.Errorf("%q: %q is %s named %q, want %s named %q", c.query, c.value, s.Kind, s.Name, c.kind, c.name)
		}
	}
}

func TestFind_answers(t *testing.T) {
	t.Parallel()
	answers := []string{"Bergen", "on 4 June"}
	slots := slot.Find("Fly from Oslo", answers...)
	for value, text := range map[string]int{"Oslo": 0, "Bergen": 1, "4 June": 2} {
		s, ok := find(slots, value)
		if !ok || s.Text != text {
			t.Errorf("%q is from text %d, %t; want %d", value, s.Text, ok, text)
		}
	}
	if s, _ := find(slots, "4 June"); answers[1][s.Start:s.End] != "4 June" {
		t.Errorf("offsets %d to %d are not those of the answer", s.Start, s.End)
	}
}

func TestFind_nothing(t *testing.T) {
	t.Parallel()
	for _, query := range []string{"", "  ", "?!", "the", "\xff\xfe"} {
		if slots := slot.Find(query); len(slots) > 0 {
			t.Errorf("%q has %v", query, slots)
		}
	}
}

const signUp = "Sign up Nora Quist with the email nora.quist@example.org, phone number 555-201-4477 and zip code 97205"

func TestFor(t *testing.T) {
	t.Parallel()
	trip := "Find a train from Lyon to Marseille on June 4"
	for _, c := range []struct {
		query string
		field page.Element
		want  string
	}{
		{signUp, page.Element{Role: "textbox", Name: "Email address *"}, "nora.quist@example.org"},
		{signUp, page.Element{Role: "textbox", Name: "Kontakt", Type: "email"}, "nora.quist@example.org"},
		{signUp, page.Element{Role: "textbox", Name: "ZIP Code (required)"}, "97205"},
		{signUp, page.Element{Role: "textbox", Name: "Phone"}, "555-201-4477"},
		{signUp, page.Element{Role: "textbox", Name: "Last name"}, "Quist"},
		{trip, page.Element{Role: "combobox", Name: "From"}, "Lyon"},
		{trip, page.Element{Role: "combobox", Name: "To"}, "Marseille"},
		{"Track the parcel with tracking number ZX90812", page.Element{Role: "textbox", Name: "Tracking number"}, "ZX90812"},
	} {
		a, ok := slot.For(c.field, slot.Find(c.query))
		if !ok || a.Value != c.want {
			t.Errorf("%s of %q: %q (%.2f, %t), want %q", c.field.Name, c.query, a.Value, a.Confidence, ok, c.want)
		}
	}
}

// A field the task has no value for is left to a model.
func TestFor_notSure(t *testing.T) {
	t.Parallel()
	for _, field := range []page.Element{
		{Role: "textbox", Name: "Promo code"},
		{Role: "textbox", Name: "Company"},
		{Role: "textbox"},
		{Role: "textbox", Name: "Arrival time", Type: "time"},
	} {
		if a, ok := slot.For(field, slot.Find(signUp)); ok {
			t.Errorf("%q is given %q (%.2f)", field.Name, a.Value, a.Confidence)
		}
	}
	if a, ok := slot.For(page.Element{Role: "textbox", Name: "Email"}, nil); ok || a.Confidence != 0 {
		t.Errorf("of no slots: %v", a)
	}
}

func TestFor_neverASecret(t *testing.T) {
	t.Parallel()
	field := page.Element{Role: "textbox", Name: "Email", State: page.State{Secret: true}}
	if a, ok := slot.For(field, slot.Find(signUp)); ok || a.Value != "" {
		t.Errorf("a secret field is given %v", a)
	}
}

// What a control refuses is not given, and what it takes comes in its form.
func TestFor_formOfTheControl(t *testing.T) {
	t.Parallel()
	list := page.Element{Role: "combobox", Name: "Zip code", Options: []page.Option{{Label: "10001"}, {Label: "97205"}}}
	if a, _ := slot.For(list, slot.Find(signUp)); a.Value != "97205" {
		t.Errorf("of a list with it: %q", a.Value)
	}
	list.Options = []page.Option{{Label: "Red"}}
	if a, ok := slot.For(list, slot.Find(signUp)); ok || a.Value != "" {
		t.Errorf("of a list without it: %v", a)
	}
	date := page.Element{Role: "textbox", Name: "Date", Type: "date"}
	if a, _ := slot.For(date, slot.Find("A table for the date 4 June 2027")); a.Value != "2027-06-04" {
		t.Errorf("of a date: %q", a.Value)
	}
}

// A value that another field has is less likely than before.
func TestFor_typed(t *testing.T) {
	t.Parallel()
	field := page.Element{Role: "textbox", Name: "Where"}
	slots := slot.Find("Find a hotel in Turin")
	before, _ := slot.For(field, slots)
	after, _ := slot.For(field, slots, "turin")
	if before.Value != "Turin" || after.Confidence >= before.Confidence {
		t.Errorf("%q with %.2f, and %.2f once it was typed", before.Value, before.Confidence, after.Confidence)
	}
}

func TestCounts(t *testing.T) {
	t.Parallel()
	got := slot.Counts("Book a flight from Oslo to Bergen on 4 June, under $200")
	for name, want := range map[string]int{"class from": 1, "class to": 1, "kind date": 1, "kind money": 1, "clauses": 2} {
		if got[name] != want {
			t.Errorf("%s: %d, want %d", name, got[name], want)
		}
	}
	if len(slot.Counts("")) != 0 {
		t.Error("an empty text has something")
	}
}

func FuzzFind(f *testing.F) {
	for _, s := range []string{signUp, "", `say "a "b" c`, "Ann's, O'Hare", "von A nach B", "5-9 May 2027 8.30 pm", "\xff", "日本へ行く a@b.c 3", "the the the", "$5 to 10 dollars", "“x", "a@.b @c d@"} {
		f.Add(s, "Email")
	}
	f.Fuzz(func(t *testing.T, text, label string) {
		slots := slot.Find(text, label)
		for _, s := range slots {
			from := []string{text, label}[s.Text]
			if s.Start < 0 || s.Start >= s.End || s.End > len(from) || from[s.Start:s.End] != s.Value || strings.TrimSpace(s.Value) == "" {
				t.Fatalf("%q of %q: %d to %d", s.Value, from, s.Start, s.End)
			}
		}
		a, ok := slot.For(page.Element{Role: "textbox", Name: label}, slots, label)
		if !(a.Confidence >= 0 && a.Confidence <= 1.000001) || ok != (a.Confidence >= slot.Sure) {
			t.Fatalf("%q: %v, %t", label, a, ok)
		}
		slot.Counts(text)
	})
}
