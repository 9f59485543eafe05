package plan_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/plan"
)

func TestPlan_Foreseen(t *testing.T) {
	t.Parallel()
	closeIt := []plan.Step{step("close it")}
	p := three(t,
		plan.Contingency{Name: "cookies", Trigger: plan.Trigger{Text: "we use cookies|Cookie settings"}, Steps: closeIt},
		plan.Contingency{Name: "login", Trigger: plan.Trigger{URL: "/Login", Element: "input[type=password]"}, Steps: closeIt},
		plan.Contingency{Name: "busy", Trigger: plan.Trigger{Element: "button:has-text(\"Try again\")"}, Steps: closeIt},
	)
	banner := page.Page{Alerts: []page.Alert{{Text: "On this site we use Cookies."}}}
	button := page.Page{Elements: []page.Element{{ID: "1", Role: "button", Name: "Cookie settings"}}}
	password := page.Element{ID: "2", Role: "textbox", Tag: "input", Type: "password", Name: "Password"}
	for _, c := range []struct {
		name string
		when plan.Failure
		then string
	}{
		{"a message on the page", plan.Failure{Page: banner}, "cookies"},
		{"the other wording, on a button", plan.Failure{Page: button}, "cookies"},
		{"the reason of the verdict", plan.Failure{Reason: "the click hit: we use cookies"}, "cookies"},
		{"an observation", plan.Failure{Observations: []page.Observation{{Text: "New message/alert appeared: We use cookies"}}}, "cookies"},
		{"part of a word is not it", plan.Failure{Reason: "cookie settingsless"}, ""},
		{"both signs of two", plan.Failure{Page: page.Page{URL: "https://a.example/login?next=1", Elements: []page.Element{password}}}, "login"},
		{"one sign of two", plan.Failure{Page: page.Page{URL: "https://a.example/login"}}, ""},
		{"an element", plan.Failure{Page: page.Page{Elements: []page.Element{{ID: "3", Role: "button", Tag: "button", Name: "Try again"}}}}, "busy"},
		{"nothing foreseen", plan.Failure{Reason: "nothing changed"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			i, ok := p.Foreseen(c.when)
			if ok != (c.then != "") || ok && p.Contingencies[i].Name != c.then {
				t.Errorf("contingency %d %v", i, ok)
			}
		})
	}
}

func TestPlan_Take(t *testing.T) {
	t.Parallel()
	cookies := plan.Contingency{Name: "cookies", Trigger: plan.Trigger{Text: "cookies"}, Steps: []plan.Step{step("refuse"), step("wait")}}
	p := three(t, cookies).At(1)
	f := plan.Failure{Reason: "cookies"}
	i, ok := p.Foreseen(f)
	if !ok {
		t.Fatal("not foreseen")
	}
	q := p.Take(i)
	want := []string{"open completed", "refuse active", "wait pending", "fill pending", "send pending"}
	if diff := cmp.Diff(want, statuses(q)); diff != "" || q.Steps[1].Contingency != "cookies" || q.Steps[3].Contingency != "" {
		t.Error(diff)
	}
	if _, again := q.Foreseen(f); again {
		t.Error("a contingency is taken once")
	}
	if _, still := p.Foreseen(f); !still {
		t.Error("the plan it was taken from has changed")
	}
	if _, ok := (plan.Plan{Contingencies: q.Contingencies}).Foreseen(plan.Failure{Reason: "cookies"}); ok {
		t.Error("of an erased plan something is foreseen")
	}
}
