package projections_test

import (
	"strings"
	"testing"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/projections"
	"github.com/stepledger/stepledger/projections/projtest"
)

func TestBareURL(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"https://shop.example/cart?id=7&to=a@b.example": "https://shop.example/cart?id=7&to=a@b.example",
		"https://user:pw@shop.example/#access_token=42": "https://shop.example/",
		"https://user@shop.example":                     "https://shop.example",
		"https://user:p@ss@shop.example:8443?q=1":       "https://shop.example:8443?q=1",
		"https://shop.example/@ann#me":                  "https://shop.example/@ann",
		"https://shop.example?mail=ann@b.example":       "https://shop.example?mail=ann@b.example",
		`https://user:pw@shop.example\@b`:               `https://shop.example\@b`,
		"https://user:pw@shop.example/%zz":              "https://shop.example/%zz", // net/url refuses it
		"https://us#er:pw@shop.example":                 "https://us",
		"//user:pw@shop.example/a":                      "//shop.example/a",
		"blob:https://user:pw@shop.example/1":           "blob:https://shop.example/1",
		"shop.example/a//b@c":                           "shop.example/a//b@c",
		"about:blank#token":                             "about:blank",
		"mailto:ann@b.example":                          "mailto:ann@b.example",
		domain.Erased:                                   domain.Erased,
		"":                                              "",
	} {
		if got := projections.BareURL(raw); got != want {
			t.Errorf("%q: got %q, want %q", raw, got, want)
		}
	}
}

func TestTables_HoldNoCredentialsOfURLs(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	const shown = "https://ann:hunter2@shop.example/cart#access_token=sesame"
	const strange = "https://ann:hunter2@shop.example/%zz#access_token=sesame" // no URL to net/url
	away := action.Action{Name: action.Navigate, Text: "https://shop.example/pay#access_token=sesame"}
	for _, url := range []string{shown, strange} {
		e.Task(e.Session(), url, "buy milk").Turn(url).Act(away, task.Target{}).End().
			Turn(url).Verdict(false).
			Correct(reasoning.AlternativeSelector, projtest.Click("2"), projtest.Target("2", "link", "Cart")).End()
	}
	e.CatchUp(all...)
	for name, dump := range dumps(e) {
		if strings.Contains(dump, "hunter2") || strings.Contains(dump, "sesame") {
			t.Errorf("%s holds a password or token:\n%s", name, dump)
		}
	}
	if n := e.Count(`select count(*) from read.task where url = 'https://shop.example/cart' and page_url = url`); n != 1 {
		t.Error("the task is not on its page any more")
	}
}
