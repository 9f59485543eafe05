package verdict

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/internal/reason/rules/lexicon"
	"github.com/stepledger/stepledger/internal/reason/rules/text"
)

// What became of the control itself, and of what it opens.

var (
	// sends: the action was to send a form.
	sends = fact{"sends a form", func(e *evidence) bool {
		a := e.q.Action
		return a.Name == action.Press && a.Text == "Enter" ||
			click.holds(e) && button.holds(e) && !pagesOn.holds(e) && (e.lex.In(lexicon.Send, e.name) || e.target.Type == "submit")
	}}
	// pagesOn: the control turns to the next one of something, as another that is called
	// alike turns back.
	pagesOn = fact{"turns to the next one", func(e *evidence) bool {
		mine := e.key(e.name)
		return len(mine) > 1 && e.lex.In(lexicon.Next, e.name) && slices.ContainsFunc(e.alike().ofRole, func(name string) bool { return sharesEnd(mine, e.key(name)) })
	}}
	// narrows: the action was to change what a list shows, by the control or by the
	// user's words.
	narrows = fact{"narrows a list", func(e *evidence) bool {
		return text.IsSearch(e.target) || e.lex.In(lexicon.Narrow, e.target.Label()) || asked(lexicon.Narrow).holds(e) || presses.holds(e) && e.lex.In(lexicon.Search, e.name)
	}}
	// hidesEffect: its work may leave nothing to read.
	hidesEffect = fact{"effect may not be visible", func(e *evidence) bool {
		return click.holds(e) && (wordless(e.name) || e.lex.In(lexicon.NoVisibleEffect, e.name) || e.lex.In(lexicon.Media, e.name) || leadsNowhere(e.q.Target.Href))
	}}
	// promises: the control's kind or name promises a visible result.
	promises = fact{"promises something to see", func(e *evidence) bool {
		return click.holds(e) && !pagesOn.holds(e) && (linkLike.holds(e) || opener.holds(e) || sends.holds(e) || e.lex.In(lexicon.Open, e.name))
	}}
	itemsShown = fact{"items of a list came", func(e *evidence) bool {
		return slices.ContainsFunc(e.q.Observations, page.Observation.OpensList)
	}}
	expanded  = fact{"target says it is open", func(e *evidence) bool { return toggled.holds(e) && e.target.State.Expanded == "true" }}
	toggled   = fact{"target says it opened or closed", func(e *evidence) bool { return e.present && e.target.State.Expanded != e.q.Target.State.Expanded }}
	showsMore = fact{"something to see came with it", func(e *evidence) bool {
		return len(e.appeared) > 0 || slices.ContainsFunc(e.texts, func(o page.Observation) bool { return beside(e, o) }) || len(e.texts) > 0 && e.direct() >= 2
	}}
	// alone: the client saw the page do one thing at once, and no more: the control's own
	// state.
	alone = fact{"nothing but the target changed", func(e *evidence) bool {
		w := e.q.Witness
		names := func(o page.Observation) bool { return strings.Contains(o.To, e.target.Label()) } // the line it stands in
		other := slices.DeleteFunc(slices.Clone(e.texts), names)
		return e.direct() == 1 && w.Added+w.Removed == 0 && !e.net && len(other)+len(e.appeared) == 0
	}}
	ownAsks = fact{"target asks now", func(e *evidence) bool {
		return slices.ContainsFunc(e.own, func(o page.Observation) bool { return o.Attr == page.AttrText && strings.ContainsAny(o.To, "?？؟") })
	}}
	ownText  = fact{"target is called otherwise", func(e *evidence) bool { return ownAttr(e) == page.AttrText }}
	ownState = fact{"target holds or is something else", func(e *evidence) bool {
		a := ownAttr(e)
		return a == page.AttrChecked || a == page.AttrSelected || a == page.AttrValue
	}}
	disabled = fact{"target cannot be used any more", func(e *evidence) bool {
		return lostEntry(e) || slices.ContainsFunc(e.own, func(o page.Observation) bool { return o.Attr == page.AttrDisabled })
	}}
	// listChanged is more than the marks of other controls.
	listChanged = fact{"what it narrows changed", func(e *evidence) bool {
		mark := func(o page.Observation) bool {
			return o.Attr == page.AttrChecked || o.Attr == page.AttrSelected || o.Attr == page.AttrExpanded || o.Attr == page.AttrDisabled || o.Attr == page.AttrMarks
		}
		return len(e.appeared)+len(e.gone)+len(e.alerts) > 0 || len(e.texts) > 1 || e.net && len(e.numbers) > 1 ||
			slices.ContainsFunc(e.changed, func(o page.Observation) bool { return !mark(o) })
	}}
	columnHead = fact{"column header", func(e *evidence) bool { return e.target.Role == "columnheader" }}
	focused    = fact{"field has the focus", func(e *evidence) bool { return e.target.State.Focused || e.target.ID == e.q.Page.ActiveElement }}
	focusWent  = fact{"the focus moved", func(e *evidence) bool { return e.focusWent }}
	leftPage   = fact{"a download or a window", func(e *evidence) bool { return outside(e) != "" }}
)

var openerRules = []rule{
	{id: "list-open", when: []fact{click, opener, not(moved), either(itemsShown, both(expanded, either(textUnread, showsMore)))}, chance: 0.92, inMarkup: true, says: "{target} is open.", example: "train/demoapp/menu"},
	{id: "list-empty", when: []fact{click, opener, not(moved), expanded, alone}, chance: 0.2, says: "{target} opened, but nothing was shown.", example: "train/swapboard/ward-list-empty"},
	{id: "list-shut-again", when: []fact{click, opener, not(moved), not(toggled), reactedAtOnce, not(stirred), not(network), not(targetElse)}, chance: 0.2, says: "{target} did not stay open.", example: "train/widgets/menu-flash"},
	{id: "list-unclear", when: []fact{click, opener, not(moved), expanded}, chance: unclear, says: "{target} opened, but nothing was shown.", example: "train/peer-round/abstract-label-only"},
	{
		id: "field-focused", when: []fact{click, field, not(ownChange), not(opener), focused}, chance: 0.9, says: "The field {now} has the focus.",
		given:   "a click on a field gives it the focus and does no more",
		example: "train/todo-hash/focus-field",
	},
	{
		id: "focus-moved", when: []fact{movesOn, focusWent, not(network), not(came), not(went), not(others)}, chance: 0.9, says: "{did}, and the focus moved.",
		given: "that is what the Tab and arrow keys do",
	},
	{id: "outside-the-page", when: []fact{leftPage}, chance: 0.9, says: "The browser reports {outside}.", example: "train/kin-tree/help"},
}

var controlRules = []rule{
	{id: "control-changed-alone", when: []fact{click, present, ownText, alone, not(others), not(went), not(newAlert)}, chance: unclear, says: "Only the control itself changed: {own change}.", example: "train/gallery/pause-fake"},
	{id: "control-without-list", when: []fact{click, present, ownState, either(narrows, columnHead), not(listChanged), not(textUnread)}, chance: unclear, says: "{now} changed, but what it is to change did not.", example: "train/second-spine/filter-stale"},
	{id: "control-state", when: []fact{click, present, ownState}, chance: 0.9, onPage: true, says: "{own change}.", example: "train/sheet/bold"},
	{id: "control-disabled", when: []fact{click, present, ownText, disabled}, chance: unclear, says: "It cannot be used any more: {own change}.", example: "train/cms-editor/slug-taken"},
	{
		id: "control-effect-hidden", when: []fact{click, present, ownText, not(network), either(called(lexicon.Media), called(lexicon.NoVisibleEffect))}, chance: unclear,
		says:    "{own change}, but whether it did what it says cannot be read.",
		example: "train/gallery/play-stalls",
	},
	{id: "control-renamed", when: []fact{click, present, ownText, not(ownAsks)}, chance: 0.85, onPage: true, says: "{own change}.", example: "train/vault/reveal"},
	{id: "success-unsent", when: []fact{presses, saysSuccess}, chance: unclear, says: "The page says {success}, but nothing was sent.", example: "train/mailbox/archive-liar"},
}

// ownAttr is the first change of the target that says that it was pressed. One that
// only became unusable says nothing.
func ownAttr(e *evidence) string {
	for _, o := range e.own {
		switch o.Attr {
		case page.AttrChecked, page.AttrSelected, page.AttrValue, page.AttrText:
			return o.Attr
		}
	}
	return ""
}

// outside is what the client saw and the page does not show: a download, or a window
// with an address.
func outside(e *evidence) string {
	for _, event := range e.events {
		window := strings.HasPrefix(event, "a new window for ") && !strings.HasPrefix(event, "a new window for about:blank")
		if window && !e.lex.In(lexicon.Download, e.name) || strings.HasPrefix(event, "a download of ") {
			return event
		}
	}
	return ""
}

// lostEntry reports a field that is gone with what was entered, which the page shows
// nowhere.
func lostEntry(e *evidence) bool {
	return slices.ContainsFunc(e.filled, func(d page.Descriptor) bool {
		if _, ok, twins := e.find(d.Key); ok || twins {
			return false
		}
		shown := func(el page.Element) bool { return strings.Contains(el.Name+el.Value, d.Value) }
		return !strings.Contains(e.q.Page.Text, d.Value) && !slices.ContainsFunc(e.q.Page.Elements, shown)
	})
}

// nearby is how many lines of text away something may stand that has to do with
// a control.
const nearby = 6

// lineOfTarget is the line of text that is the target's name, -1 where there is
// none or more than one.
func lineOfTarget(e *evidence) int {
	name, at := e.target.Label(), -1
	if !e.present || name == "" {
		return -1
	}
	for i, line := range e.lines() {
		if line == name {
			if at >= 0 {
				return -1
			}
			at = i
		}
	}
	return at
}

// beside reports whether a new line of text stands right behind the target, or a
// count right before it. What stands before a heading belongs to another one.
func beside(e *evidence, o page.Observation) bool {
	at := lineOfTarget(e)
	return at >= 0 && (o.Line == at+1 || o.Line == at-1 && isCount(o.To))
}

// near reports whether a new line of text stands so close to the target that it
// may be its doing.
func near(e *evidence, o page.Observation) bool {
	at := lineOfTarget(e)
	return at >= 0 && max(o.Line-at, at-o.Line) <= nearby
}

// isCount reports a text that is a number with hardly anything to it: "2",
// "21.0 °C", "1 / 3".
func isCount(s string) bool {
	letters := 0
	for _, r := range s {
		if unicode.IsLetter(r) {
			letters++
		}
	}
	return letters <= 2 && text.Digits(s) != "" && len([]rune(s)) <= 10
}

// wordless reports a name without a word: an icon, "A+".
func wordless(name string) bool {
	letters := 0
	for _, r := range name {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			letters++
		}
	}
	return letters == 0 || letters == 1 && len([]rune(name)) > 1
}

// namesTarget reports whether a text has a word of the target's name, short ones of
// Latin script aside.
func namesTarget(e *evidence, s string) bool {
	s = strings.ToLower(s)
	return slices.ContainsFunc(text.Words(e.name), func(w string) bool { return (len(w) > 2 || len(w) > len([]rune(w))) && strings.Contains(s, w) })
}

// mutated reports a change of the document that the new texts and the clocks do
// not explain.
func mutated(e *evidence) bool {
	w := e.q.Witness
	if !isTrue(w.DOMMutated) && w.Added+w.Removed == 0 {
		return false
	}
	return len(e.events) == 0 || slices.ContainsFunc(e.events, func(event string) bool { return !changesByItself(e, event) })
}

// changesByItself reports whether an event is what changes by itself on the page: a
// clock, or a line that is there and is about something else.
func changesByItself(e *evidence, event string) bool {
	if clock.MatchString(event) && len([]rune(event)) <= 20 {
		return true
	}
	same := func(o page.Observation) bool { return strings.Contains(o.To, event) || strings.Contains(event, o.To) }
	switch {
	case slices.ContainsFunc(e.numbers, same):
		return true
	case wordless(e.name) || namesTarget(e, event) || namesEntry(e, event):
		return false
	case slices.ContainsFunc(e.texts, same):
		return len(e.texts) == 1 && len(text.Words(event)) > 1 && !near(e, e.texts[0])
	}
	return !redrawn.holds(e) && shownOnPage(e, event)
}

var clock = regexp.MustCompile(`\b\d{1,2}:\d{2}(:\d{2})?\b`)
