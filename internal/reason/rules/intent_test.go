package rules

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestParseIntent(t *testing.T) {
	t.Parallel()
	create := func(object string, fields ...field) part {
		return part{verb: form, action: "create", object: object, submit: true, fields: fields}
	}
	fill := func(fields ...field) part { return part{verb: form, fields: fields} }
	f := func(name, value string) field { return field{name: name, value: value} }
	for query, want := range map[string]intent{
		`Add a new patient with name 'Jas'`:                     {parts: []part{create("patient", f("name", "Jas"))}},
		`Please add a patient named Jas.`:                       {parts: []part{create("patient", f("", "Jas"))}},
		`Create a user account called "Jas & Co"`:               {parts: []part{create("user account", f("", "Jas & Co"))}},
		`I need to add new patient Jas`:                         {parts: []part{create("patient", f("", "Jas"))}},
		`Add Jas Miller as a patient with email a@b.co`:         {parts: []part{create("patient", f("", "Jas Miller"), f("email", "a@b.co"))}},
		`Add Jas as Patient`:                                    {parts: []part{create("patient jas")}},
		`add "Jas" as a patient`:                                {parts: []part{create("patient", f("", "Jas"))}},
		`Create patient Jas Miller born on 1990-02-03`:          {parts: []part{create("patient", f("", "Jas Miller"), f("born on", "1990-02-03"))}},
		`create a new patient record for 'Jas'`:                 {parts: []part{create("patient record", f("", "Jas"))}},
		`add patient: Jas, email a@b.co`:                        {parts: []part{create("patient", f("", "Jas"), f("email", "a@b.co"))}},
		`Add New Patient`:                                       {parts: []part{create("patient")}},
		`add patient 'Jas'`:                                     {parts: []part{create("patient", f("", "Jas"))}},
		`New patient: name = Jas, email: jas@example.org`:       {parts: []part{create("patient", f("name", "Jas"), f("email", "jas@example.org"))}},
		`New patient: name=Jas, phone=+1 (555) 010-0`:           {parts: []part{create("patient", f("name", "Jas"), f("phone", "+1 (555) 010-0"))}},
		`Register a patient whose full name is Jas O'Neil`:      {parts: []part{create("patient", f("full name", "Jas O'Neil"))}},
		`Add a book with title Salt and Pepper and author Eva`:  {parts: []part{create("book", f("title", "Salt and Pepper"), f("author", "Eva"))}},
		`Add a patient with name Smith, John and email j@s.org`: {parts: []part{create("patient", f("name", "Smith"), f("email", "j@s.org"))}, unclear: []string{"John"}},
		`Add a shop with address 12 High Street, Oslo, Norway`:  {parts: []part{create("shop", f("address", "12 High Street, Oslo, Norway"))}},
		`Add a pet with birthday January 2, 2020, name Rex`:     {parts: []part{create("pet", f("birthday", "January 2, 2020"), f("name", "Rex"))}},
		`Add a patient with name 'Jas', email x@y.zt and date of birth 1990-01-02`: {parts: []part{
			create("patient", f("name", "Jas"), f("email", "x@y.zt"), f("date of birth", "1990-01-02"))}},
		`Add a patient with diagnosis Asthma`:                   {parts: []part{create("patient", f("diagnosis", "Asthma"))}},
		`Add a patient with name 'Jas' and bring me coffee`:     {parts: []part{create("patient", f("name", "Jas"))}, unclear: []string{"bring me coffee"}},
		`set the phone to 555 0100 and email to x@y.zt`:         {parts: []part{fill(f("phone", "555 0100"), f("email", "x@y.zt"))}},
		`type 'Hello, world' into the message field`:            {parts: []part{fill(f("message", "Hello, world"))}},
		`enter Jas in the name box`:                             {parts: []part{fill(f("name", "Jas"))}},
		`fill in the form with name 'Jas' and city Oslo`:        {parts: []part{fill(f("name", "Jas"), f("city", "Oslo"))}},
		`fill the subject with 'Hi there'`:                      {parts: []part{fill(f("subject", "Hi there"))}},
		`Use "it's me" as the nickname`:                         {parts: []part{fill(f("nickname", "it's me"))}},
		`enter "a" as name, then click the 'Next' button`:       {parts: []part{{verb: form, fields: []field{f("name", "a")}, submit: true, button: "Next"}}},
		`Select 'Female' from the Gender dropdown`:              {parts: []part{fill(field{name: "Gender", value: "Female", kind: option})}},
		`choose Female as the gender`:                           {parts: []part{fill(field{name: "gender", value: "Female", kind: option})}},
		`pick the "Large" option`:                               {parts: []part{fill(field{value: "Large", kind: option})}},
		`check 'I agree, really' and untick the newsletter box`: {parts: []part{fill(field{name: "I agree, really", value: "true", kind: tick}, field{name: "newsletter", value: "false", kind: tick})}},
		`click the "Save" button`:                               {parts: []part{{verb: press, object: "Save"}}},
		`Go to settings, then open the Billing tab`:             {parts: []part{{verb: press, object: "settings"}, {verb: press, object: "Billing"}}},
		`press login`:                                 {parts: []part{{verb: press, object: "login"}}},
		`save the changes`:                            {parts: []part{{verb: press, object: "save"}}},
		`open https://example.org/a?b=c`:              {parts: []part{{verb: visit, value: "https://example.org/a?b=c"}}},
		`Search for "red shoes".`:                     {parts: []part{{verb: search, value: "red shoes"}}},
		`Could you please look up the patient 'Jas'?`: {parts: []part{{verb: search, value: "Jas"}}},
		`Log in as 'kenda' with password 'G;j, V'`: {parts: []part{{verb: form, action: "login", submit: true,
			fields: []field{f("username", "kenda"), f("password", "G;j, V")}}}},
		`Sign in to the portal with username kenda and password x1`: {parts: []part{{verb: form, action: "login", submit: true,
			fields: []field{f("username", "kenda"), f("password", "x1")}}}},
		`click`:                       {unclear: []string{"what to click"}},
		`the cheapest one, obviously`: {unclear: []string{"the cheapest one, obviously"}},
		`Schedule a visit for tomorrow with name Jas and 10001 zip code`: {
			parts:   []part{fill(f("name", "Jas"), f("zip code", "10001"))},
			unclear: []string{"Schedule a visit for tomorrow"}},
		`don't touch 'anything`:        {unclear: []string{"don't touch 'anything"}},
		"name: Jas\nemail: jas@exa.mp": {parts: []part{fill(f("name", "Jas"), f("email", "jas@exa.mp"))}},
	} {
		t.Run(query, func(t *testing.T) {
			t.Parallel()
			got := parseIntent(query, nil)
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(intent{}, part{}, field{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseIntent_PageNamesFields(t *testing.T) {
	t.Parallel()
	const query = "Add a patient with name Jas and attending physician dr house"
	if got := parseIntent(query, nil); len(got.unclear) != 1 {
		t.Errorf("without a page: %+v", got)
	}
	got := parseIntent(query, lexiconOf([]string{"Attending physician *"}))
	want := []field{{name: "name", value: "Jas"}, {name: "attending physician", value: "dr house"}}
	if diff := cmp.Diff(want, got.parts[0].fields, cmp.AllowUnexported(field{})); diff != "" || len(got.unclear) > 0 {
		t.Errorf("%v (-want +got):\n%s", got.unclear, diff)
	}
}

func TestParseIntent_Bounded(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		strings.Repeat("x", maxTask+1),
		"add a patient with " + strings.Repeat("name 'a', ", maxPieces+1),
	} {
		if in := parseIntent(s, nil); len(in.unclear) == 0 {
			t.Errorf("%.40q… was read as %d parts", s, len(in.parts))
		}
	}
	for _, s := range []string{",", "and ", "with ", "'", "a=", "to "} {
		parseIntent(strings.Repeat(s, maxTask/len(s)), nil) // once quadratic: the test would time out
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	for in, want := range map[string][]string{
		"E-mail address *":  {"email"},
		"Date of Birth:":    {"birthdate"},
		"firstName":         {"firstname"},
		"Sign in / Log in":  {"login", "login"},
		"Zip code":          {"postcode"},
		"O’Brien's Preview": {"obriens", "preview"},
		"Capital\u00a0City": {"capital", "city"},
		"Größe (cm) 東京":     {"größe", "cm", "東京"},
		"***":               nil,
	} {
		if diff := cmp.Diff(want, words(in), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("words(%q) (-want +got):\n%s", in, diff)
		}
	}
}

func TestSameValue(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		want, got string
		same      bool
	}{
		{"Jas", " jas ", true},
		{"5550100", "(555) 0100", true},
		{"1990-01-02", "01/02/1990", true},
		{"1990-1-2", "02.01.1990", true},
		{"1990-01-02", "1990-01-03", false},
		{"Jas", "Jasper", false},
		{"03.05.2021", "05.03.2021", false}, // no other order, another day
		{"31/12/2024", "12/31/2024", true},
		{"3.5.2021", "03.05.2021", true},
		{"3.5.2021", "2021-05-03", true},
		{"4/9/1871", "4 Sep 1871", true},
		{"12.50", "1250", false},
		{"1250", "12,50 €", false},
		{"1250", "1,250", true},
		{"1234", "12/34", true},
		{"0630", "06:30", true},
		{"HP/22-071", "HP22071", false},
		{"DE89 3704 0044", "DE8937040044", true},
		{"+49 (0)30 1234", "+49301234", false}, // a number fewer
		{"(555) 0100", "5550100", true},
		{"sl61qz", "SL6 1QZ", true},
		{"sl61qz", "SL6 1Q", false},
		{"Işıl", "IŞIL", true},
		{"12", "21", false},
		{"a1234", "b1234", false},
		{"", "x", false},
		{"AB-1234", "AB 1234", true},
		{"5.1.27", "05.01.2027", true},
		{"15-1-27", "15/01/2027", true},
		{"15-1-27", "15/01/2028", false},
		{"15-1-27", "27/01/2015", false},
		{"railcard.example", "https://railcard.example/", true},
		{"railcard.example", "https://railcard.example/login", false},
		{"Room 1234 🌞", "Room 1234", false},
	} {
		if got := sameValue(tc.want, tc.got); got != tc.same {
			t.Errorf("%q in a field that shows %q: %v", tc.want, tc.got, got)
		}
	}
}

// Pages write times and names in their own way.
func TestRewritten(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		want, got string
		same      bool
	}{
		{"0291847", "291847", false},
		{"0532 123 45 67", "(532) 123 45 67", true},
		{"89161234567", "+7 (916) 123-45-67", true},
		{"89161234567", "+7 (916) 123-45-68", false},
		{"44.30", "0:44:30", true},
		{"9876543210", "+91 98765 43210", true},
		{"1.5", "1:30", true},
		{"1,25", "1:15", true},
		{"90", "1:30", true},
		{"930", "09:30", true},
		{"9am", "09:00", true},
		{"9:30 pm", "21:30", true},
		{"12 am", "00:00", true},
		{"14h30", "14:30", true},
		{"9:30", "09:30:00", true},
		{"1.5", "1:50", false},
		{"9pm", "09:00", false},
		{"12:30", "12:00", false},
		{"5", "5:00", false}, // minutes or hours
		{"anna", "@anna", true},
		{"Rossi Mario", "Rossi, Mario", true},
		{"AT&T", "ATT", false},
		{"O'Brien", "OBrien", false},
		{"12a", "12", false},
		{"100", "1.00", false},
		{"100", "100,00 €", true},
		{"1250", "1.250,00 €", true},
		{"12.50", "12,50", true},
	} {
		if got := rewritten(tc.want, tc.got); got != tc.same {
			t.Errorf("%q in a field that shows %q: %v", tc.want, tc.got, got)
		}
	}
}

func TestISODate(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"1990-01-02":      "1990-01-02",
		"1990-1-2":        "1990-01-02",
		"January 2, 1990": "1990-01-02",
		"2  Jan 1990":     "1990-01-02",
		"13/02/1990":      "1990-02-13",
		"02/13/1990":      "1990-02-13",
		"02.02.1990":      "1990-02-02",
		"01/02/1990":      "", // the second of January, or the first of February
		"30/30/1990":      "",
		"tomorrow":        "",
	} {
		if got, ok := isoDate(in); got != want || ok != (want != "") {
			t.Errorf("%q is %q, %v", in, got, ok)
		}
	}
}

func FuzzParseIntent(f *testing.F) {
	for _, s := range []string{
		"Add a new patient with name 'Jas' and email x@y.z, then press save", "log in as", "check", "a=b:c", "'", "with with, and", "select from", "set to to to", "Add Jas as Patient and Bob", "create 'a' as b as c, D",
	} {
		f.Add(s)
	}
	lex := lexiconOf([]string{"Ward", "to"})
	f.Fuzz(func(t *testing.T, s string) {
		for _, p := range parseIntent(s, lex).parts {
			if p.verb == "" || p.verb == press && p.object == "" {
				t.Errorf("%q gave an empty part %+v", s, p)
			}
		}
	})
}
