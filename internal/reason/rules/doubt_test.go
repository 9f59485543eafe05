package rules

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stepledger/stepledger/domain/page"
)

// Every doubt leaves a success open that would be one without what it says.
func TestVerify_EveryDoubt(t *testing.T) {
	t.Parallel()
	saved := alert(page.AlertSuccess, "Saved")
	rates := func(single, double string) page.Page {
		return pageOf(home, elem("textbox", "Single Monday", withID("2"), value(single)), elem("textbox", "Double Monday", withID("3"), value(double)), elem("button", "Save", withID("1")))
	}
	marked := func(first, second bool) page.Page {
		return with(seats, func(p *page.Page) {
			p.Elements[0].State.Selected, p.Elements[1].State.Selected = first, second
			p.Elements[0].State.Disabled = first || second
		})
	}
	faq := func(open string) page.Page {
		return more(one("button", "How long?", expanded(open)), elem("button", "Where?", expanded("false")))
	}
	duty := pageOf(home, elem("combobox", "Driver", withID("2"), value("Wolff")), elem("button", "Assign", withID("1")), elem("link", "Home", withID("3")))
	pieces := func(first, field string) page.Page {
		return pageOf(home, elem("button", first+" remove", withID("3")), elem("textbox", "Piece", withID("2"), value(field)), elem("button", "Add", withID("1")))
	}
	twins := more(one("button", "Borrow"), elem("button", "Borrow"))
	months := []page.Element{elem("link", "Report of May"), elem("link", "Report of June")}
	saw := func(w page.Witness, change func(*page.Witness)) page.Witness { change(&w); return w }
	cases := map[string]struct {
		query string
		when  moment
		not   func(*moment) // what takes the doubt away
	}{
		"not been answered yet": {"", moment{clickOne, save, with(save, saved), saw(online, func(w *page.Witness) { w.Pending = new(1) })},
			func(m *moment) { m.saw.Pending = new(0) }},
		"a script of the page gave up": {"", moment{clickOne, one("button", "Follow"), one("button", "Following"), page.Witness{ScriptErrors: new(1)}},
			func(m *moment) { m.saw.ScriptErrors = new(0) }},
		"it speaks of another one": {"", moment{clickOne, tools, with(tools, alert(page.AlertSuccess, "Tile cutter added")), online},
			func(m *moment) { m.after = with(tools, alert(page.AlertSuccess, "Circular saw added")) }},
		"does not say which one": {"", moment{clickOne, tools, with(tools, alert(page.AlertSuccess, "Added")), online},
			func(m *moment) { m.after = with(tools, alert(page.AlertSuccess, "Circular saw added")) }},
		"another one was chosen": {"", moment{clickOne, marked(false, false), with(marked(false, true), saved), online},
			func(m *moment) { m.after = with(marked(true, false), saved) }},
		"what changed is not what the user named": {"the double at 110 on Monday", moment{clickOne, rates("68", "90"), with(rates("110", "90"), saved), online},
			func(m *moment) { m.after = with(rates("68", "110"), saved) }},
		"speaks of another one than the user did": {"publish the tile cutter", moment{clickOne, text(more(save, tools.Elements...), lines...), with(text(more(save, tools.Elements...), append(lines, "Ladder: out now")...), saved), online},
			func(m *moment) {
				m.after = with(text(more(save, tools.Elements...), append(lines, "Tile cutter: out now")...), saved)
			}},
		"it names nothing of what was asked": {"where can I park", moment{clickOne, more(one("button", "Directions"), elem("link", "Home")), more(one("button", "Directions"), append([]page.Element{elem("link", "Home")}, options3...)...), page.Witness{}},
			func(m *moment) {
				m.after = more(one("button", "Directions"), elem("link", "Home"), elem("link", "Park and ride"), elem("link", "Park by the quay"), elem("link", "Birds"))
			}},
		"took the place of another": {"", moment{clickOne, text(pieces("Evening song", "Locus iste"), lines...), text(pieces("Locus iste", ""), append(lines, "Locus iste")...), page.Witness{}},
			func(m *moment) {
				m.after = more(text(pieces("Locus iste", ""), append(lines, "Locus iste")...), elem("button", "Evening song remove"))
			}},
		"another number than the user": {"book court 1 at 18", moment{clickOne, save, with(save, alert(page.AlertSuccess, "Booked: court 3 at 19")), online},
			func(m *moment) { m.after = with(save, alert(page.AlertSuccess, "Booked: court 1 at 18")) }},
		"several are called alike": {"borrow the ladder", moment{clickOne, twins, with(twins, alert(page.AlertSuccess, "Added")), online},
			func(m *moment) { m.after = with(twins, alert(page.AlertSuccess, "Ladder added")) }},
		"in another row than": {"give Wolff duty 102", moment{clickOne, text(duty, lines...), text(one("link", "Home"), append(lines, "Wolff")...), saw(online, func(w *page.Witness) {
			w.RecentEvents = []string{"Added: '102 17 04:42 open'", "Added: '103 17 05:03 Wolff'"}
		})}, func(m *moment) {
			m.saw.RecentEvents = []string{"Added: '102 17 04:42 Wolff'", "Added: '103 17 05:03 open'"}
		}},
		"it is about what the user named": {"archive the report of May", moment{clickOne, more(menuOf("Archive"), months...), with(more(closed, months...), saved), online},
			func(m *moment) { m.after = with(more(closed, months...), alert(page.AlertSuccess, "May saved")) }},
		"what is gone is not what the user named": {"remove the tile cutter", moment{clickOne, more(save, tools.Elements...), with(more(save, tools.Elements[1:]...), saved), online},
			func(m *moment) { m.after = with(more(save, tools.Elements[0], tools.Elements[2]), saved) }},
		"names another choice than was made": {"", moment{clickOne, text(expense("Food"), lines...), text(spent, append(lines, "Ten pears Rent")...), page.Witness{}},
			func(m *moment) { m.after = text(spent, append(lines, "Ten pears Food")...) }},
		"did not answer the action": {"", moment{clickOne, menu, openMenu, page.Witness{TargetChanged: nay(), Direct: new(0)}},
			func(m *moment) { m.saw.Direct = new(1) }},
		"stands at another one": {"", moment{clickOne, text(faq("false"), "How long?", "Where?"), text(faq("true"), "How long?", "Where?", "At the office"), page.Witness{Direct: new(2)}},
			func(m *moment) { m.after = text(faq("true"), "How long?", "Ten days", "Where?") }},
		"chosen elsewhere": {"", moment{clickOne, more(colour, choiceOf("Food")), more(colour, elem("dialog", "Palette"), choiceOf("Rent")), page.Witness{}},
			func(m *moment) { m.after = more(colour, elem("dialog", "Palette"), choiceOf("Food")) }},
		"it may not last": {"", moment{clickOne, one("button", "♡ Wishlist"), one("button", "♥ Wishlist"), calm},
			func(m *moment) { m.saw = online }},
	}
	for _, d := range doubts {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(cases)), func(says string) bool { return strings.Contains(d.says, says) }) {
			t.Errorf("nothing shows when %q is said", d.says)
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
