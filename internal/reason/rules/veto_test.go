package rules

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/internal/reason/rules/verdict"
)

// Every veto leaves a success open that would be one without what it says.
func TestVerify_EveryVeto(t *testing.T) {
	t.Parallel()
	saved := alert(page.AlertSuccess, "Saved")
	faq := func(open string) page.Page {
		return more(one("button", "How long?", expanded(open)), elem("button", "Where?", expanded("false")))
	}
	saw := func(w page.Witness, change func(*page.Witness)) page.Witness { change(&w); return w }
	cases := map[string]struct {
		query string
		when  moment
		not   func(*moment) // what takes the veto away
	}{
		"not been answered yet": {"", moment{clickOne, save, with(save, saved), saw(online, func(w *page.Witness) { w.Pending = new(1) })},
			func(m *moment) { m.saw.Pending = new(0) }},
		"it speaks of another one": {"", moment{clickOne, tools, with(tools, alert(page.AlertSuccess, "Tile cutter added")), online},
			func(m *moment) { m.after = with(tools, alert(page.AlertSuccess, "Circular saw added")) }},
		"does not say which one": {"", moment{clickOne, tools, with(tools, alert(page.AlertSuccess, "Added")), online},
			func(m *moment) { m.after = with(tools, alert(page.AlertSuccess, "Circular saw added")) }},
		"what is gone is not what you named": {"remove the tile cutter", moment{clickOne, more(save, tools.Elements...), with(more(save, tools.Elements[1:]...), saved), online},
			func(m *moment) { m.after = with(more(save, tools.Elements[0], tools.Elements[2]), saved) }},
		"stands at another one": {"", moment{clickOne, withText(faq("false"), "How long?", "Where?"), withText(faq("true"), "How long?", "Where?", "At the office"), page.Witness{Direct: new(2)}},
			func(m *moment) { m.after = withText(faq("true"), "How long?", "Ten days", "Where?") }},
		"it may not last": {"", moment{clickOne, one("button", "♡ Wishlist"), one("button", "♥ Wishlist"), calm},
			func(m *moment) { m.saw = online }},
	}
	for _, r := range verdict.Rows() {
		if r.Veto && !slices.ContainsFunc(slices.Collect(maps.Keys(cases)), func(says string) bool { return strings.Contains(r.Says, says) }) {
			t.Errorf("nothing shows when %q is said", r.Says)
		}
	}
	for says, tc := range cases {
		t.Run(says, func(t *testing.T) {
			t.Parallel()
			if v := tc.when.answer(t, tc.query); !v.Undecided || !strings.Contains(v.Reason, says) {
				t.Errorf("undecided: %v, %s: %s", v.Undecided, v.Rule, v.Reason)
			}
			tc.not(&tc.when)
			if v := tc.when.answer(t, tc.query); !v.ActionSucceeded {
				t.Errorf("without it: %s: %s", v.Rule, v.Reason)
			}
		})
	}
}
