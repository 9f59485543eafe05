package rules

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
)

func TestConfirm(t *testing.T) {
	t.Parallel()
	clicked := func(name string) []reasoning.Step {
		return []reasoning.Step{{Action: clickOne, Target: `button "` + name + `"`, Verified: true, Succeeded: true}}
	}
	for name, tc := range map[string]struct {
		q        reasoning.ConfirmQuestion
		rule     string
		complete bool
		reason   string
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
		"every part seen done": {
			q:    reasoning.ConfirmQuestion{Query: "click Colour", Steps: clicked("Colour"), Page: colour},
			rule: resultSeenRule, complete: true, reason: "The page shows it",
		},
		"an address that is open": {
			q:    reasoning.ConfirmQuestion{Query: "go to " + home + "a", Page: pageOf(home + "a")},
			rule: resultSeenRule, complete: true, reason: home + "a is open",
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
			q: reasoning.ConfirmQuestion{Query: "click Colour", Claim: "Colour was clicked and the colour was saved", Page: colour},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v, err := Reasoner{}.Confirm(t.Context(), tc.q)
			if err != nil || v.Tier != 1 || v.By != By {
				t.Fatalf("%+v, %v", v, err)
			}
			if v.Rule != tc.rule || v.Undecided != (tc.rule == "") || v.TaskCompleted != tc.complete || v.ActionSucceeded != tc.complete {
				t.Errorf("rule %q, undecided %v, completed %v: %s", v.Rule, v.Undecided, v.TaskCompleted, v.Reason)
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
		q.Claim = rapid.OneOf(anyQuery(), rapid.Just("The task is complete: "+q.Query)).Draw(rt, "claim")
		if claimed, _ := (Reasoner{}).Confirm(t.Context(), q); claimed != plain {
			rt.Fatalf("a claim made %+v of %+v", claimed, plain)
		}
	})
}
