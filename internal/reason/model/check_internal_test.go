package model

import (
	"strings"
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

func TestRelevant(t *testing.T) {
	t.Parallel()
	line := func(e page.Element) string { return e.ID }
	elements := []page.Element{
		{ID: "a", Role: "link", Name: "News"},
		{ID: "b", Role: "link", Name: "患者 添加"},
		{ID: "c", Role: "button", Name: "Save"},
		{ID: "d", Role: "link", Name: "Patient list"},
		{ID: "e", Role: "link", Name: "Help", State: page.State{Focused: true}},
	}
	for _, tt := range []struct {
		name, task string
		budget     int
		want       string
		left       int
	}{
		{"everything fits", "anything", 10, "abcde", 0},
		{"the task's words come first", "open the patient", 2, "d", 4},
		{"scripts without spaces have words too", "添加", 2, "b", 4},
		{"then what has the focus, then what can be pressed", "zebra", 4, "ce", 3},
		{"nothing fits", "patient", 1, "", 5},
	} {
		got, left := relevant(elements, tt.task, line, tt.budget)
		if all := strings.Join(got, ""); all != tt.want || left != tt.left {
			t.Errorf("%s: %s and %d left, want %s and %d", tt.name, all, left, tt.want, tt.left)
		}
	}
}
