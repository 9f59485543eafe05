package page

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func withText(lines ...string) Page {
	p := reading("https://a.test/", []Element{button("1", "Save")})
	p.Text = strings.Join(lines, "\n")
	return p
}

func newTexts(before, now Page) []string {
	var out []string
	for _, o := range Observe(before.Before(), now, Witness{}) {
		switch {
		case o.Kind == TextAppeared && o.Attr == AttrNumber:
			out = append(out, "# "+o.To)
		case o.Kind == TextAppeared:
			out = append(out, o.To)
		}
	}
	return out
}

func TestObserve_NewText(t *testing.T) {
	t.Parallel()
	said := withText("Welcome", "Saved just so")
	said.Alerts = []Alert{{Kind: AlertSuccess, Text: "Saved just so"}}
	many := make([]string, maxLines+50)
	for i := range many {
		many[i] = fmt.Sprint("line ", i)
	}
	for name, c := range map[string]struct {
		before, now Page
		want        []string
	}{
		"a line that was not there":            {withText("Welcome"), withText("Welcome", "Gespeichert"), []string{"Gespeichert"}},
		"the same lines in another order":      {withText("Welcome", "Home"), withText("Home", "Welcome"), nil},
		"a clock":                              {withText("It is 12:03:59"), withText("It is 12:04:02"), nil},
		"a count":                              {withText("Basket (2)"), withText("Basket (3)"), []string{"# Basket (3)"}},
		"a line once more":                     {withText("Tea"), withText("Tea", "Tea"), []string{"Tea"}},
		"a line that went":                     {withText("Welcome", "Tea"), withText("Welcome"), nil},
		"what an element is called":            {withText("Welcome"), withText("Welcome", "Save"), nil},
		"what a message says":                  {withText("Welcome"), said, nil},
		"a page that had no text is not known": {Page{}, withText("Welcome"), nil},
		"pushed over the edge":                 {withText(many...), withText(many[10:]...), nil},
		"before the edge":                      {withText(many...), withText(append([]string{"News"}, many...)...), []string{"News"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, newTexts(c.before, c.now)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// However much text is new, what is told of it is bounded, and of a page that is
// the same nothing is told.
func TestObserve_NewTextIsBounded(t *testing.T) {
	t.Parallel()
	text := rapid.SliceOfN(rapid.StringMatching(`[a-z0-9 ]{0,20}`), 0, 30)
	rapid.Check(t, func(t *rapid.T) {
		before, now := withText(text.Draw(t, "before")...), withText(text.Draw(t, "now")...)
		if got := newTexts(before, now); len(got) > maxTextLines+1 {
			t.Fatalf("%d lines", len(got))
		}
		if got := newTexts(now, now); len(got) > 0 {
			t.Fatalf("on the same page: %q", got)
		}
	})
}

func TestObserve_RefusedRequests(t *testing.T) {
	t.Parallel()
	p := withText("Welcome")
	w := Witness{Refused: []Refusal{{"POST", "/apply", 500}, {"GET", "/list", 0}}}
	var got []string
	for _, o := range Observe(p.Before(), p, w) {
		if o.Attr == AttrRequest {
			got = append(got, o.Text)
		}
	}
	want := []string{"Request failed: POST /apply was answered with status 500", "Request failed: GET /list was not answered"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if NothingChanged(p.Before(), p, w) {
		t.Error("a request was witnessed")
	}
}

func TestObserve_WhatBecameOfTheElement(t *testing.T) {
	t.Parallel()
	p, yes, no := withText("Welcome"), true, false
	for name, tt := range map[string]struct {
		w       Witness
		want    []string
		nothing bool
	}{
		"said nothing":        {Witness{}, nil, true},
		"as before":           {Witness{TargetChanged: &no, Pending: new(0), ScriptErrors: new(0)}, []string{"The element acted on looks as before"}, true},
		"another class":       {Witness{TargetChanged: &yes}, []string{"The element acted on, or what it stands in, looks different"}, false},
		"waiting":             {Witness{Pending: new(2)}, []string{"Requests still without an answer: 2"}, false},
		"answered at once":    {Witness{Direct: new(3)}, []string{"The page's scripts answered the action at once: changes 3"}, false},
		"not answered":        {Witness{Direct: new(0)}, []string{"The page's scripts changed nothing at once"}, true},
		"a script that broke": {Witness{ScriptErrors: new(1)}, []string{"Errors of the page's scripts that nobody caught: 1"}, true},
	} {
		var got []string
		for _, o := range Observe(p.Before(), p, tt.w) {
			if o.Kind == Witnessed {
				got = append(got, o.Text)
			}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", name, diff)
		}
		if NothingChanged(p.Before(), p, tt.w) != tt.nothing {
			t.Errorf("%s: nothing changed, want %t", name, tt.nothing)
		}
	}
}
