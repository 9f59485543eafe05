package reasoning_test

import (
	"testing"

	"github.com/stepledger/stepledger/domain/reasoning"
)

func TestReadMissing(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"MISSING_INFO: middle name":                      "middle name",
		"MISSING_INFO: [date_of_birth]":                  "date of birth",
		"I need more. MISSING_INFO: VAT rate of Norway.": "VAT rate of Norway",
		"missing info: the zip code\nand more":           "the zip code",
		`setValue("3", "MISSING_INFO: phone")`:           "phone",
		"There is missing information":                   "",
		"MISSING_INFO:":                                  "",
		"MISSING_INFO: []":                               "",
		"The page says NOT_MISSING_INFO: nothing":        "",
	} {
		what, ok := reasoning.ReadMissing(text)
		if what != want || ok != (want != "") {
			t.Errorf("%q: %q %v, want %q", text, what, ok, want)
		}
	}
}

func TestIsPrivate(t *testing.T) {
	t.Parallel()
	for what, want := range map[string]bool{
		"middle name": true, "date of birth": true, "e-mail address": true, "insurance number": true, "appointment time": true,
		"Geburtsdatum der Patientin": true, "votre nom": true, "número de teléfono": true, "data di nascita": true, "achternaam": true,
		"Mehrwertsteuer in Norwegen": false, "data sheet of the pump": false,
		"VAT rate of Norway": false, "ICD-10 for asthma": false, "capital of France": false, "zip of Oslo": false,
	} {
		if got := reasoning.IsPrivate(what); got != want {
			t.Errorf("%q: %v", what, got)
		}
	}
}
