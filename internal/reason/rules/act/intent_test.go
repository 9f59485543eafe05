package act

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
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
			for i := range got.parts {
				got.parts[i].said = "" // the clause itself
			}
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
	got := parseIntent(query, fieldNamesOf([]string{"Attending physician *"}))
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

func FuzzParseIntent(f *testing.F) {
	for _, s := range []string{
		"Add a new patient with name 'Jas' and email x@y.z, then press save", "log in as", "check", "a=b:c", "'", "with with, and", "select from", "set to to to", "Add Jas as Patient and Bob", "create 'a' as b as c, D",
	} {
		f.Add(s)
	}
	lex := fieldNamesOf([]string{"Ward", "to"})
	f.Fuzz(func(t *testing.T, s string) {
		for _, p := range parseIntent(s, lex).parts {
			if p.verb == "" || p.verb == press && p.object == "" {
				t.Errorf("%q gave an empty part %+v", s, p)
			}
		}
	})
}
