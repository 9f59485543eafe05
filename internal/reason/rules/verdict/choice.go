package verdict

import (
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/internal/reason/rules/lexicon"
)

// Boxes, radios, tabs and options, and what is picked out of a list.

var pickRoles = map[string]bool{"option": true, "menuitem": true, "menuitemradio": true, "gridcell": true, "treeitem": true}

var (
	isOn       = fact{"target is on", func(e *evidence) bool { return e.target.State.Checked == "true" }}
	showsState = fact{"target tells whether it is on", func(e *evidence) bool { return e.target.State.Checked != "" }}
	toggledBox = fact{"box changed", func(e *evidence) bool { return e.target.State.Checked != e.q.Target.State.Checked }}
	selected   = fact{"tab or option selected", func(e *evidence) bool {
		return e.present && (e.target.Role == "tab" || e.target.Role == "option") && e.target.State.Selected
	}}
	// sameLook: the control looks as before, by what the client saw of it; of a client
	// that does not say, by nothing having changed.
	sameLook = fact{"target looks as before", func(e *evidence) bool {
		if t := e.q.Witness.TargetChanged; t != nil {
			return !*t
		}
		return !mutated(e)
	}}
	otherRadio = fact{"another radio was chosen", func(e *evidence) bool {
		return slices.ContainsFunc(e.changed, func(o page.Observation) bool {
			el, ok, _ := e.find(o.Key)
			return ok && el.Role == "radio" && o.Attr == page.AttrChecked && o.To == "true"
		})
	}}
	otherBoxes = fact{"other boxes changed", func(e *evidence) bool {
		return slices.ContainsFunc(e.changed, func(o page.Observation) bool { return o.Attr == page.AttrChecked })
	}}
	forAll = fact{"box for all", func(e *evidence) bool { return e.lex.In(lexicon.All, e.target.Label()) }}
	// leftBehind: of the boxes that one for all stands for, not all followed.
	leftBehind = fact{"boxes left behind", func(e *evidence) bool {
		if !otherBoxes.holds(e) {
			return len(boxes(e)) > 2
		}
		return !allFollowed(e)
	}}
	// consequence: something other than the row of tabs has changed.
	consequence = fact{"more than the tabs changed", func(e *evidence) bool {
		other := func(o page.Observation) bool { return roleOf(o) != "tab" }
		return slices.ContainsFunc(e.changed, func(o page.Observation) bool { return other(o) || o.Attr != page.AttrSelected }) ||
			slices.ContainsFunc(e.appeared, other) || slices.ContainsFunc(e.gone, other) || len(e.texts) > 1
	}}
	takenOver = fact{"the pick is shown elsewhere", func(e *evidence) bool { return pickShown(e) }}
)

var choiceRules = []rule{
	{id: "radio-on", when: []fact{click, radio, isOn}, chance: 0.95, onPage: true, says: "{now} is selected.", example: "train/survey/scale"},
	{id: "radio-off", when: []fact{click, radio, not(isOn), either(sameLook, otherRadio)}, chance: 0.1, says: "{now} is not selected.", example: "train/survey/scale-dead"},
	{id: "box-for-all-alone", when: []fact{click, tick, toggledBox, forAll, leftBehind}, chance: 0.27, says: "{now} is now {state}, and not all others followed.", example: "train/mailbox/select-all-dead"},
	{id: "box-took-others", when: []fact{click, tick, toggledBox, not(forAll), otherBoxes}, chance: unclear, says: "{now} is now {state}, and others with it.", example: "train/mailbox/select-one-ticks-all"},
	{id: "box-changed", when: []fact{click, tick, toggledBox}, chance: 0.95, onPage: true, says: "{now} is now {state}.", example: "train/gallery/select"},
	{
		id: "box-unchanged", when: []fact{click, tick, showsState, either(sameLook, both(lostSight, not(either(stirred, network))))}, chance: 0.15,
		says:    "{now} did not change.",
		example: "train/castdeck/ads-refused",
	},
	{id: "box-unclear", when: []fact{click, tick}, chance: unclear, says: "The page changed, but {now} shows nothing of it.", example: "train/todo-hash/tick-neighbour"},
	{id: "tab-alone", when: []fact{click, selected, tab, not(consequence), not(textUnread)}, chance: unclear, says: "{now} is selected, but nothing else was shown.", example: "train/conference/day-mark-only"},
	{id: "selected", when: []fact{click, selected}, chance: 0.9, onPage: true, says: "{now} is selected.", example: "train/conference/day-ok"},
}

var pickRules = []rule{
	{id: "pick-taken-over", when: []fact{click, takenOver}, chance: 0.92, says: "{target} was taken over.", example: "train/wine-club/every-two"},
}

// pickShown is a pick out of a list, a calendar, a palette: what was picked stands in a
// field or on a control now.
func pickShown(e *evidence) bool {
	if !pickRoles[e.q.Target.Role] && len([]rune(e.name)) > 2 || e.name == "" {
		return false
	}
	alone := len(e.appeared)+len(e.texts) == 0 && !e.net
	return slices.ContainsFunc(e.changed, func(o page.Observation) bool {
		inField := o.Attr == page.AttrValue
		return (inField || o.Attr == page.AttrText && !alone) && strings.Contains(o.To, e.name)
	})
}

// boxes are those of the page, in order.
func boxes(e *evidence) []page.Element {
	return slices.DeleteFunc(slices.Clone(e.q.Page.Elements), func(el page.Element) bool {
		return !page.IsBoxRole(el.Role) || el.Role == "switch" || el.State.Hidden || el.State.Disabled
	})
}

// allFollowed reports whether no box was left behind: one that is called like those that
// followed, or stands in the target's group; nor most of those behind the target, or
// before it where it is the last.
func allFollowed(e *evidence) bool {
	followed := map[string]bool{}
	n := 0
	for _, o := range e.changed {
		if el, ok, _ := e.find(o.Key); ok && o.Attr == page.AttrChecked {
			n++
			for _, w := range ends(e.key(el.Label())) {
				followed[w] = true
			}
		}
	}
	all := boxes(e)
	of := len(all) - 1 - slices.IndexFunc(all, func(el page.Element) bool { return el.Key == e.target.Key })
	if of == 0 || of == len(all) {
		of = len(all) - 1
	}
	if 2*n < of {
		return false
	}
	return !slices.ContainsFunc(all, func(el page.Element) bool {
		return el.State.Checked != e.target.State.Checked &&
			(el.Group == e.target.Group && el.Group != "" || slices.ContainsFunc(ends(e.key(el.Label())), func(w string) bool { return followed[w] }))
	})
}

// ends are the first word and the last.
func ends(ws []string) []string {
	if len(ws) == 0 {
		return nil
	}
	return []string{ws[0], ws[len(ws)-1]}
}
