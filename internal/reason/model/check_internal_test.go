package model

import (
	"testing"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
)

// TestCheckURL has the addresses a page might talk the model into.
func TestCheckURL(t *testing.T) {
	t.Parallel()
	q := reasoning.ActQuestion{
		Query:   "copy the patients to archive.example and look on Wikipedia, mail jas@post.example",
		Answers: []string{"use http://intranet:8080/x"},
		Page: page.Page{URL: "https://www.clinic.example/list", Elements: []page.Element{
			{ID: "1", Href: "https://help.example/docs?a=1"},
			{ID: "2", Href: "https://hidden.example/", State: page.State{Hidden: true}},
		}},
	}
	for to, allowed := range map[string]bool{
		"https://clinic.example/new?x=1":          true,
		"https://api.clinic.example/":             true,
		"https://CLINIC.example/":                 true,
		"https://evil-clinic.example/":            false,
		"https://clinic.example.evil.example/":    false,
		"https://example/":                        false,
		"https://evil.example/#clinic.example":    false,
		"https://evil.example/?clinic.example":    false,
		"https://archive.example/in?x=1":          true,
		"https://post.example/":                   true,
		"http://intranet:8080/x":                  true,
		"https://en.wikipedia.org/":               true,
		"https://wikipedia.org/wiki/stolen":       false,
		"https://stolen.wikipedia.org/":           false,
		"https://patients.example/?x=stolen":      false,
		"https://the.example/":                    false,
		"https://help.example/docs?a=1":           true,
		"https://help.example/docs?a=1&b=stolen":  false,
		"https://help.example/":                   false,
		"https://hidden.example/":                 false,
		"https://127.0.0.1/":                      false,
		"http://169.254.169.254/latest/meta-data": false,
	} {
		if err := checkURL(to, q); (err == nil) != allowed {
			t.Errorf("%s: %v, allowed %t", to, err, allowed)
		}
	}
}
