package page

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Every check, held and failed, on a page where a menu has opened.
func TestChecks(t *testing.T) {
	t.Parallel()
	const url = "https://a.test/list?page=1"
	menu := func(expanded string) Element {
		return Element{ID: "1", Role: "button", Name: "Add", State: State{HasPopup: true, Expanded: expanded}}
	}
	before := reading(url, []Element{menu("false"), field("2", "Name", "")})
	now := reading(url, []Element{menu("true"), field("2", "Name", "Jas"), {ID: "3", Role: "menuitem", Name: "Patient"}}, Alert{AlertError, "Zip is missing"})
	moved := func(to string) Page { p := now; p.URL = to; return p }
	element := func(c ExpectedChanges) Outcome { return Outcome{Changes: c} }
	for name, c := range map[string]struct {
		expected Outcome
		kind     ActionKind
		now      Page
		want     []Check
	}{
		"nothing is expected":          {element(ExpectedChanges{}), KindGeneric, now, nil},
		"an element exists":            {element(ExpectedChanges{Exists: "Patient"}), KindGeneric, now, []Check{{CheckElementExists, "Patient", True}}},
		"an element is missing":        {element(ExpectedChanges{Exists: "select"}), KindGeneric, now, []Check{{CheckElementExists, "select", False}}},
		"an element nobody can know":   {element(ExpectedChanges{Exists: ".toast"}), KindGeneric, now, []Check{{CheckElementExists, ".toast", Unknown}}},
		"an element is gone":           {element(ExpectedChanges{NotExists: "select"}), KindGeneric, now, []Check{{CheckElementNotExists, "select", True}}},
		"an element is still there":    {element(ExpectedChanges{NotExists: "input"}), KindGeneric, now, []Check{{CheckElementNotExists, "input", False}}},
		"a value":                      {element(ExpectedChanges{HasText: &ExpectedText{"input", "Jas"}}), KindGeneric, now, []Check{{CheckElementHasText, "input", True}}},
		"another value":                {element(ExpectedChanges{HasText: &ExpectedText{"input", "Jo"}}), KindGeneric, now, []Check{{CheckElementHasText, "input", False}}},
		"a message":                    {element(ExpectedChanges{HasText: &ExpectedText{"[role=alert]", "missing"}}), KindGeneric, now, []Check{{CheckElementHasText, "[role=alert]", True}}},
		"a message of another text":    {element(ExpectedChanges{HasText: &ExpectedText{"[role=alert]", "saved"}}), KindGeneric, now, []Check{{CheckElementHasText, "[role=alert]", False}}},
		"a text by a text":             {element(ExpectedChanges{HasText: &ExpectedText{"Zip", "is missing"}}), KindGeneric, now, []Check{{CheckElementHasText, "Zip", True}}},
		"the URL changed":              {element(ExpectedChanges{URLChanges: yes()}), KindGeneric, moved("https://a.test/done"), []Check{{CheckURLChanged, "https://a.test/done", True}}},
		"only the query changed":       {element(ExpectedChanges{URLChanges: yes()}), KindGeneric, moved("https://a.test/list?page=2"), []Check{{CheckURLChanged, "https://a.test/list?page=2", True}}},
		"only the place changed":       {element(ExpectedChanges{URLChanges: yes()}), KindGeneric, moved(url + "#top"), []Check{{CheckURLChanged, url + "#top", False}}},
		"the route changed":            {element(ExpectedChanges{URLChanges: yes()}), KindGeneric, moved(url + "#/new"), []Check{{CheckURLChanged, url + "#/new", True}}},
		"the URL did not change":       {element(ExpectedChanges{URLChanges: no()}), KindGeneric, now, []Check{{CheckURLChanged, url, True}}},
		"the URL should have changed":  {element(ExpectedChanges{URLChanges: yes()}), KindGeneric, now, []Check{{CheckURLChanged, url, False}}},
		"an attribute changed":         {element(ExpectedChanges{Attributes: []AttributeChange{{"aria-expanded", "true"}}}), KindGeneric, now, []Check{{CheckAttributeChanged, "aria-expanded", True}}},
		"an attribute stayed":          {element(ExpectedChanges{Attributes: []AttributeChange{{"ariaExpanded", "true"}}}), KindGeneric, before, []Check{{CheckAttributeChanged, "ariaExpanded", False}}},
		"an attribute nobody keeps":    {element(ExpectedChanges{Attributes: []AttributeChange{{"class", "open"}}}), KindGeneric, now, []Check{{CheckAttributeChanged, "class", Unknown}}},
		"an element appeared":          {element(ExpectedChanges{Appear: []Appearing{{Role: "menuitem"}}}), KindGeneric, now, []Check{{CheckElementsAppeared, "menuitem", True}}},
		"an element was there before":  {element(ExpectedChanges{Appear: []Appearing{{Role: "textbox"}}}), KindGeneric, now, []Check{{CheckElementsAppeared, "textbox", False}}},
		"a message appeared":           {element(ExpectedChanges{Appear: []Appearing{{Role: "alert"}}}), KindGeneric, now, []Check{{CheckElementsAppeared, "alert", True}}},
		"one of two appeared":          {element(ExpectedChanges{Appear: []Appearing{{Role: "option"}, {Selector: "button"}}}), KindGeneric, now, []Check{{CheckElementsAppeared, "option, button", True}}},
		"a role that is not listed":    {element(ExpectedChanges{Appear: []Appearing{{Role: "dialog"}}}), KindGeneric, now, []Check{{CheckElementsAppeared, "dialog", Unknown}}},
		"a dropdown leaves out others": {element(ExpectedChanges{Exists: "select", NotExists: "input", HasText: &ExpectedText{"input", "x"}, URLChanges: no()}), KindDropdown, now, []Check{{CheckURLChanged, url, True}}},
		"so does an outcome that expects a menu": {
			element(ExpectedChanges{Exists: "select", Appear: []Appearing{{Role: "menuitem"}}}), KindGeneric, now, []Check{{CheckElementsAppeared, "menuitem", True}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, Checks(c.expected, c.kind, before.Before(), before.Elements[0], c.now)); diff != "" {
				t.Error(diff)
			}
		})
	}
	t.Run("an attribute of an element that is not known changed somewhere", func(t *testing.T) {
		t.Parallel()
		c := element(ExpectedChanges{Attributes: []AttributeChange{{"aria-expanded", "true"}}})
		if got := Checks(c, KindGeneric, before.Before(), Element{}, now); got[0].Held != True {
			t.Errorf("%+v", got)
		}
		if got := Checks(c, KindGeneric, before.Before(), Element{}, before); got[0].Held != Unknown {
			t.Errorf("%+v", got)
		}
	})
}

func TestNextGoal(t *testing.T) {
	t.Parallel()
	now := reading("https://a.test/", []Element{{ID: "1", Role: "button", Name: "Submit", Tag: "button", Type: "submit"}})
	now.Text = "Step 2 of 3"
	for name, c := range map[string]struct {
		goal NextGoal
		want Truth
	}{
		"by selector":              {NextGoal{Selector: `button[type="submit"]`}, True},
		"by a selector in vain":    {NextGoal{Selector: `select`}, False},
		"by a selector of a class": {NextGoal{Selector: `.submit`}, Unknown},
		"by text":                  {NextGoal{Text: "Step 2 of 3"}, True},
		"by text in vain":          {NextGoal{Text: "Step 3 of 3"}, False},
		"by role":                  {NextGoal{Role: "button"}, True},
		"by role in vain":          {NextGoal{Role: "menuitem"}, False},
		"one of several suffices":  {NextGoal{Selector: "select", Text: "Submit", Role: "menuitem"}, True},
		"one that cannot be known": {NextGoal{Selector: ".x", Text: "Step 9"}, Unknown},
		"none of several":          {NextGoal{Selector: "select", Text: "Step 9", Role: "menuitem"}, False},
		"nothing to look for":      {NextGoal{Description: "it goes on"}, Unknown},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.goal.Description = "what is next"
			if got := c.goal.Check(now); got != (Check{CheckNextGoal, "what is next", c.want}) {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestExpectedOf(t *testing.T) {
	t.Parallel()
	if _, ok := ExpectedOf(KindGeneric, "I save."); ok {
		t.Error("a generic action has a fixed outcome")
	}
	o, ok := ExpectedOf(KindNavigation, "")
	b, err := json.Marshal(o)
	if want := `{"description":"The page should navigate to the new URL.","domChanges":{"urlShouldChange":true}}`; !ok || err != nil || string(b) != want {
		t.Errorf("%s, want %s (%v)", b, want, err)
	}
	o, ok = ExpectedOf(KindDropdown, "I open the menu.")
	if !ok || o.Description != "I open the menu." || *o.Changes.URLChanges || o.Changes.Exists+o.Changes.NotExists != "" || o.Changes.HasText != nil || !o.Changes.expectsMenu() {
		t.Errorf("%+v", o)
	}
	var back Outcome
	if b, err = json.Marshal(o); err != nil || json.Unmarshal(b, &back) != nil || !cmp.Equal(o, back) {
		t.Errorf("%s does not come back (%v)", b, err)
	}
}
