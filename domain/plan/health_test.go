package plan_test

import (
	"testing"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/plan"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	list := shown("https://clinic.example/patients", "Search", "New", "Export", "Import")
	form := shown("https://clinic.example/new", "First name", "Last name", "Save")
	same := shown("https://clinic.example/patients", "Search", "New", "Export", "Import", "Print")
	other := shown("https://clinic.example/patients", "First name", "Last name", "Save")
	away := shown("https://www.pay.example/", "Card", "Pay")
	home := shown("https://www.clinic.example/", "Sign in")
	covered := shown("https://clinic.example/patients", "Search", "New", "Export", "Import", "Accept")
	for i := range 4 {
		covered.Elements[i].State.Occluded = true
	}
	leads := true
	for _, c := range []struct {
		name  string
		last  page.Outcome
		now   page.Page
		then  plan.Action
		cause plan.Cause
	}{
		{"the same page", page.Outcome{}, list, plan.Continue, plan.NoCause},
		{"nearly the same page", page.Outcome{}, same, plan.Continue, plan.NoCause},
		{"another path", page.Outcome{}, form, plan.Validate, plan.CauseURL},
		{"another page under the same address", page.Outcome{}, other, plan.Validate, plan.CauseSimilarity},
		{"most of it is covered", page.Outcome{}, covered, plan.Validate, plan.CauseCovered},
		{"covered, though what is next can be seen", goal("New", true), covered, plan.Validate, plan.CauseCovered},
		{"what is next is there", goal("Last name", true), form, plan.Continue, plan.CauseURL},
		{"what is next is missing", goal("Insurance", true), form, plan.Regenerate, plan.CauseMissing},
		{"what is next is missing, and may be", goal("Insurance", false), form, plan.Validate, plan.CauseURL},
		{"what is next, nobody can tell", page.Outcome{NextGoal: &page.NextGoal{Description: "calm", Required: true}}, form, plan.Validate, plan.CauseURL},
		{"another site", page.Outcome{}, away, plan.Regenerate, plan.CauseURL},
		{"another site, as planned", page.Outcome{Changes: page.ExpectedChanges{URLChanges: &leads}}, away, plan.Validate, plan.CauseURL},
		{"www is no other site", page.Outcome{}, home, plan.Validate, plan.CauseURL},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := plan.Check(list.Before(), c.now, c.last)
			if h.Action != c.then || h.Cause != c.cause || h.Reason == "" || h.Similarity < 0 || h.Similarity > 1 {
				t.Errorf("%+v", h)
			}
		})
	}
}

func TestCheck_WithoutMuchToGoBy(t *testing.T) {
	t.Parallel()
	list := shown("https://clinic.example/patients", "Search")
	if h := plan.Check(page.Before{URL: list.URL}, list, page.Outcome{}); h.Action != plan.Continue || h.Similarity != 1 {
		t.Errorf("a page recorded without a reading: %+v", h)
	}
}

func shown(url string, names ...string) page.Page {
	p := page.Page{URL: url}
	for i, n := range names {
		p.Elements = append(p.Elements, page.Element{ID: string(rune('a' + i)), Role: "button", Name: n})
	}
	page.AssignKeys(p.Elements)
	p.MeaningHash = page.MeaningHash(p)
	return p
}
