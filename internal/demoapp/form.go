package demoapp

import (
	"net/http"
	"net/mail"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// genders are the options of the select, beside the empty "not stated".
var genders = []string{"Female", "Male", "Other"}

// maxField is the longest text a field takes, in characters.
const maxField = 200

// form is the "new patient" form: what was typed, and what is wrong with it.
// Errors has one sentence per field at fault, by the name of the field.
type form struct {
	patient
	Genders []string
	Errors  map[string]string
}

// readForm takes the fields of a request as typed, without surrounding space.
func readForm(r *http.Request) form {
	field := func(name string) string { return strings.TrimSpace(r.PostFormValue(name)) }
	return form{Genders: genders, patient: patient{
		Name:      field("name"),
		BirthDate: field("birthDate"),
		Email:     field("email"),
		Phone:     field("phone"),
		Gender:    field("gender"),
		Consent:   field("consent") == "yes",
	}}
}

// check finds what is wrong with the fields. today bounds the date of birth.
func (f *form) check(today time.Time) bool {
	f.Errors = map[string]string{}
	for name, problem := range map[string]string{
		"name":      nameProblem(f.Name),
		"birthDate": birthDateProblem(f.BirthDate, today),
		"email":     emailProblem(f.Email),
		"phone":     phoneProblem(f.Phone),
		"gender":    genderProblem(f.Gender),
	} {
		if problem != "" {
			f.Errors[name] = problem
		}
	}
	return len(f.Errors) == 0
}

func nameProblem(s string) string {
	switch {
	case s == "":
		return "Full name is required"
	case utf8.RuneCountInString(s) > maxField:
		return "Full name is too long"
	}
	return ""
}

func birthDateProblem(s string, today time.Time) string {
	if s == "" {
		return ""
	}
	born, err := time.Parse(time.DateOnly, s)
	switch {
	case err != nil:
		return "Date of birth must look like 1990-05-31"
	case born.After(today):
		return "Date of birth cannot be in the future"
	}
	return ""
}

func emailProblem(s string) string {
	if s == "" {
		return ""
	}
	a, err := mail.ParseAddress(s)
	// ParseAddress also takes "Jas <jas@example.org>" and hosts without a dot.
	if err != nil || a.Address != s || !strings.Contains(s[strings.LastIndex(s, "@"):], ".") || len(s) > maxField {
		return "Enter a valid email address, for example jas@example.org"
	}
	return ""
}

func phoneProblem(s string) string {
	digits := 0
	for _, c := range s {
		switch {
		case c >= '0' && c <= '9':
			digits++
		case !strings.ContainsRune("+-() /.", c):
			return "Phone may only contain digits, spaces and + - ( )"
		}
	}
	if s != "" && (digits < 5 || digits > 15) {
		return "Phone needs between 5 and 15 digits"
	}
	return ""
}

func genderProblem(s string) string {
	if s != "" && !slices.Contains(genders, s) {
		return "Choose one of the options"
	}
	return ""
}
