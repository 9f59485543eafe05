package plan_test

import (
	"testing"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/plan"
)

func TestPlan_Check(t *testing.T) {
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
	to := func(e page.Outcome) plan.Step { s := step("open"); s.Expected = e; return s }
	for _, c := range []struct {
		name  string
		first plan.Step
		now   page.Page
		then  plan.Action
		cause plan.Cause
	}{
		{"the same page", to(page.Outcome{}), list, plan.Continue, plan.NoCause},
		{"nearly the same page", to(page.Outcome{}), same, plan.Continue, plan.NoCause},
		{"another path", to(page.Outcome{}), form, plan.Validate, plan.CauseURL},
		{"another page under the same address", to(page.Outcome{}), other, plan.Validate, plan.CauseSimilarity},
		{"most of it is covered", to(page.Outcome{}), covered, plan.Validate, plan.CauseCovered},
		{"covered, though what is next can be seen", to(goal("New", true)), covered, plan.Validate, plan.CauseCovered},
		{"what is next is there", to(goal("Last name", true)), form, plan.Continue, plan.CauseURL},
		{"what is next is missing", to(goal("Insurance", true)), form, plan.Regenerate, plan.CauseMissing},
		{"what is next is missing, and may be", to(goal("Insurance", false)), form, plan.Validate, plan.CauseURL},
		{"what is next, nobody can tell", to(page.Outcome{NextGoal: &page.NextGoal{Description: "calm", Required: true}}), form, plan.Validate, plan.CauseURL},
		{"another site", to(page.Outcome{}), away, plan.Regenerate, plan.CauseURL},
		{"another site, as planned", to(page.Outcome{Changes: page.ExpectedChanges{URLChanges: &leads}}), away, plan.Validate, plan.CauseURL},
		{"www is no other site", to(page.Outcome{}), home, plan.Validate, plan.CauseURL},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p, err := plan.New([]plan.Step{c.first, step("fill")}, nil)
			if err != nil {
				t.Fatal(err)
			}
			h := p.Verified(worked).Check(list.Before(), c.now)
			if h.Action != c.then || h.Cause != c.cause || h.Reason == "" || h.Similarity < 0 || h.Similarity > 1 {
				t.Errorf("%+v", h)
			}
		})
	}
}

func TestPlan_CheckWithoutMuchToGoBy(t *testing.T) {
	t.Parallel()
	p := three(t)
	list := shown("https://clinic.example/patients", "Search")
	if h := p.Check(page.Before{URL: list.URL}, list); h.Action != plan.Continue || h.Similarity != 1 {
		t.Errorf("a page recorded without a reading: %+v", h)
	}
	if h := p.Check(list.Before(), shown("https://clinic.example/new", "Last name")); h.Action != plan.Validate {
		t.Errorf("before any step was done: %+v", h)
	}
	done := p.Verified(worked).Verified(worked).Verified(worked)
	if h := done.Check(list.Before(), list); h.Action != plan.Regenerate || h.Cause != plan.CauseExhausted {
		t.Errorf("a plan that is done, the goal not reached: %+v", h)
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
