package rules

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
)

func TestConfirm(t *testing.T) {
	t.Parallel()
	clicked := func(name string) []reasoning.Step {
		return []reasoning.Step{{Action: clickOne, Target: `button "` + name + `"`, Verified: true, Succeeded: true}}
	}
	typed := func(name, text string) []reasoning.Step {
		return []reasoning.Step{{Action: action.Action{Name: action.SetValue, Target: "1", Text: text}, Target: `textbox "` + name + `"`, Verified: true, Succeeded: true}}
	}
	for name, tc := range map[string]struct {
		q        reasoning.ConfirmQuestion
		rule     string
		complete bool
		reason   string
		quote    string
	}{
		"an error on the page": {
			q:    reasoning.ConfirmQuestion{Query: "click Colour", Steps: clicked("Colour"), Page: with(colour, alert(page.AlertError, "Out of paint"))},
			rule: errorShownRule, reason: "Out of paint",
		},
		"an error page": {
			q:    reasoning.ConfirmQuestion{Query: "click Colour", Steps: clicked("Colour"), Page: under(colour, "500 Internal Server Error")},
			rule: errorShownRule, reason: "500 Internal Server Error",
		},
		"an error beside a message of success": {
			q:    reasoning.ConfirmQuestion{Query: "click Colour", Steps: clicked("Colour"), Page: with(with(colour, alert(page.AlertSuccess, "Saved")), alert(page.AlertError, "Server error"))},
			rule: errorShownRule, reason: "Server error",
		},
		"an action the page says nothing of": {
			q: reasoning.ConfirmQuestion{Query: "click Colour", Steps: clicked("Colour"), Page: colour},
		},
		"a field that holds it": {
			q:    reasoning.ConfirmQuestion{Query: "type 'Jas' in Name", Steps: typed("Name", "Jas"), Page: pageOf(home, elem("textbox", "Name", value("Jas")))},
			rule: resultSeenRule, complete: true, reason: "The page shows it", quote: "Jas",
		},
		"a field that does not hold it any more": {
			q: reasoning.ConfirmQuestion{Query: "type 'Jas' in Name", Steps: typed("Name", "Jas"), Page: pageOf(home, elem("textbox", "Name"))},
		},
		"a page that has none of the fields": {
			q: reasoning.ConfirmQuestion{Query: "type 'Jas' in Name", Steps: typed("Name", "Jas"), Page: pageOf(home, elem("button", "Search"))},
		},
		"an address that is open": {
			q:    reasoning.ConfirmQuestion{Query: "go to " + home + "a", Page: pageOf(home + "a")},
			rule: resultSeenRule, complete: true, reason: home + "a is open", quote: home + "a",
		},
		"while the last action is not decided": {
			q: reasoning.ConfirmQuestion{Query: "go to " + home + "a", Page: pageOf(home + "a"), LastUndecided: true},
		},
		"a part that was never done": {
			q: reasoning.ConfirmQuestion{Query: "click Colour and click Blue", Steps: clicked("Colour"), Page: more(colour, elem("button", "Blue"))},
		},
		"a step that did not succeed": {
			q: reasoning.ConfirmQuestion{Query: "click Colour", Steps: []reasoning.Step{{Action: clickOne, Target: `button "Colour"`, Verified: true}}, Page: colour},
		},
		"a task nobody understands": {
			q: reasoning.ConfirmQuestion{Query: "see that all is well", Page: colour},
		},
		"a claim cannot prove itself": {
			q: reasoning.ConfirmQuestion{Query: "click Colour", Statement: "Colour was clicked and the colour was saved", Page: colour},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v, err := Reasoner{}.Confirm(t.Context(), tc.q)
			if err != nil || v.Tier != 1 || v.By != reasoning.ByRules {
				t.Fatalf("%+v, %v", v, err)
			}
			if v.Rule != tc.rule || v.Undecided != (tc.rule == "") || v.TaskCompleted != tc.complete || v.ActionSucceeded != tc.complete {
				t.Errorf("rule %q, undecided %v, completed %v: %s", v.Rule, v.Undecided, v.TaskCompleted, v.Reason)
			}
			if v.Proof.Quote != tc.quote {
				t.Errorf("it quotes %q", v.Proof.Quote)
			}
			if found, ok := (reasoning.Evidence{Page: tc.q.Page}).Find(v.Proof.Quote); tc.complete && !ok {
				t.Errorf("what it quotes is not there: %+v", found)
			}
			if v.Reason == "" || !strings.Contains(v.Reason, tc.reason) {
				t.Errorf("reason %q does not say %q", v.Reason, tc.reason)
			}
		})
	}
}

// Whatever is claimed, the verdict is that on the page.
func TestConfirm_ReadsNoClaim(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		p := anyPage().Draw(rt, "page")
		q := reasoning.ConfirmQuestion{Query: anyQuery().Draw(rt, "query"), Page: p, Steps: anySteps(p).Draw(rt, "steps")}
		plain, err := Reasoner{}.Confirm(t.Context(), q)
		if _, sane := plain.Sanitised(); err != nil || !sane || plain.Reason == "" {
			rt.Fatalf("%+v, %v", plain, err)
		}
		if _, found := (reasoning.Evidence{Page: p}).Find(plain.Proof.Quote); plain.TaskCompleted && !found {
			rt.Fatalf("the page does not show %q", plain.Proof.Quote)
		}
		q.Statement = rapid.OneOf(anyQuery(), rapid.Just("The task is complete: "+q.Query)).Draw(rt, "claim")
		if claimed, _ := (Reasoner{}).Confirm(t.Context(), q); !cmp.Equal(claimed, plain) {
			rt.Fatalf("a claim made %+v of %+v", claimed, plain)
		}
	})
}
