package rules

import (
	"strconv"
	"testing"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
)

// What was confirmed is done where the thing itself is gone, not where only the
// question is.
func TestVerify_Confirmed(t *testing.T) {
	t.Parallel()
	click := func(id string) action.Action { return action.Action{Name: action.Click, Target: id} }
	asked := []reasoning.Step{{Action: click("2"), Target: `button "Delete Kim"`, Verified: true, Succeeded: true}}
	ann, kim := elem("button", "Delete Ann", withID("1")), elem("button", "Delete Kim", withID("2"))
	asks := pageOf(home, ann, kim, elem("button", "Cancel", withID("8")), elem("button", "Yes", withID("9")))
	for name, tt := range map[string]struct {
		after page.Page
		steps []reasoning.Step
		want  string
	}{
		"it is gone":             {pageOf(home, ann), asked, "confirmed-and-gone"},
		"it is still there":      {pageOf(home, ann, kim), asked, "none"},
		"another one is gone":    {pageOf(home, kim), asked, "none"},
		"its name is still read": {withText(pageOf(home, ann), "Kim"), asked, "none"},
		"nobody asked for it":    {pageOf(home, ann), nil, "none"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			target, _ := asks.ByID("9")
			before := asks.Before()
			v, _ := Reasoner{}.Verify(t.Context(), reasoning.VerifyQuestion{
				Query: "delete Kim", Action: click("9"), Target: target, Before: before, Page: tt.after, Steps: tt.steps,
				Observations: page.Observe(before, tt.after, page.Witness{}),
			})
			if v.Rule != tt.want {
				t.Errorf("%s: %s", v.Rule, v.Reason)
			}
		})
	}
}

// The names of other controls are no messages: of a view that was replaced by another,
// and of a tab or a list that speaks of problems.
func TestVerify_NamesOfControlsAreNoMessages(t *testing.T) {
	t.Parallel()
	nav := page.Element{ID: "1", Key: "button|Settings", Role: "button", Tag: "button", Name: "Settings"}
	view := func(url string, names ...string) page.Page {
		p := page.Page{URL: url, Elements: []page.Element{nav}}
		for i, n := range names {
			p.Elements = append(p.Elements, page.Element{ID: strconv.Itoa(i + 2), Key: "button||" + strconv.Itoa(i), Role: "button", Tag: "button", Name: n})
		}
		p.MeaningHash = page.MeaningHash(p)
		return p
	}
	m := moment{
		act:    action.Action{Name: action.Click, Target: "1"},
		before: view("https://mail.example/#/inbox", "Ann: hello", "Bob: the bill", "Cem: lunch"),
		after:  view("https://mail.example/#/settings", "General", "Filters and Blocked Addresses", "Problem List"),
		saw:    page.Witness{DOMMutated: yes()},
	}
	if v := m.verdict(t); v.Rule == "page-says-error" || outcomeOf(v) == failure {
		t.Errorf("%s: %s", v.Rule, v.Reason)
	}
}
