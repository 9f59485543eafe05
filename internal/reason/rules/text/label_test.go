package text

import (
	"testing"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/internal/reason/rules/rulestest"
)

func TestOptionOf(t *testing.T) {
	t.Parallel()
	e := rulestest.Element("combobox", "Country", rulestest.Options("United Kingdom", "United States", "France", "North Korea", "South Korea"))
	for said, want := range map[string]string{
		"france": "France", "united states": "United States", "States": "United States", "Kingdom": "United Kingdom",
		"Korea": "", "United": "", "Fran": "", "": "", "Peru": "",
	} {
		if got, _ := OptionOf(e, said, Key); got.Label != want {
			t.Errorf("%q chooses %q, want %q", said, got.Label, want)
		}
	}
}

func TestErrorPage(t *testing.T) {
	t.Parallel()
	for title, want := range map[string]bool{
		"404 Not Found": true, "Error 500": true, "HTTP 503 Service Unavailable": true, "Something went wrong": true, "Access denied": true,
		"Errors and how to find them": false, "Lost and not found": false, "Patients": false, "": false, "500": false,
	} {
		if got := ErrorPage(page.Page{Title: title}) != ""; got != want {
			t.Errorf("%q is an error page: %v", title, got)
		}
	}
}
