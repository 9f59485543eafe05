package verdict

import (
	"regexp"
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/internal/reason/rules/lexicon"
	"github.com/stepledger/stepledger/internal/reason/rules/text"
)

// What came up or went on the page the user stayed on, and what became of its fields.

var (
	hasFields = fact{"page has something to fill in", func(e *evidence) bool {
		return slices.ContainsFunc(e.q.Page.Elements, func(el page.Element) bool {
			return (el.IsField() || el.IsTick()) && !el.State.Hidden && !text.IsSearch(el)
		})
	}}
	fieldFocused = fact{"the focus went to a field nobody named", func(e *evidence) bool { return e.fieldFocused }}
	emptied      = fact{"fields were emptied", func(e *evidence) bool { return fieldChanges(e).emptied > 0 }}
	valuesSet    = fact{"fields were filled or changed", func(e *evidence) bool { f := fieldChanges(e); return f.filled+f.changed > 0 }}
	// asOneMove: fields whose numbers went up or down, that have each other's values now,
	// or several that were empty and are filled.
	asOneMove = fact{"fields changed together", func(e *evidence) bool {
		f := fieldChanges(e)
		return f.emptied == 0 && (stepsOrSwaps(e) || f.filled > 1 && f.changed == 0)
	}}
	// asksFirst: the page wants what was pressed to be confirmed: nothing was sent, and a
	// control that sends has come up beside one that does not.
	asksFirst = fact{"page asks whether it is meant", func(e *evidence) bool {
		if !page.ClickMaySubmit(e.q.Target) || e.net || e.moved {
			return false
		}
		confirms, cancels := cameUp(e)
		return confirms && cancels
	}}
	asksInText = fact{"new text asks", func(e *evidence) bool { return slices.ContainsFunc(e.texts, asks) }}
	// mayRefuse: two buttons at most came, with a sentence that asks nothing: a dialog
	// that asks whether to go on asks.
	mayRefuse = fact{"a notice came up", func(e *evidence) bool {
		other := func(o page.Observation) bool { return roleOf(o) != "button" }
		return len(e.appeared) <= 2 && !slices.ContainsFunc(e.appeared, other) && !slices.ContainsFunc(e.texts, asks) &&
			slices.ContainsFunc(e.texts, func(o page.Observation) bool { return isSentence(o.To) })
	}}
	// openedBeside: what came stands right behind the control, or a field right before it.
	openedBeside = fact{"something came beside the target", func(e *evidence) bool {
		elements := e.q.Page.Elements
		at := slices.IndexFunc(elements, func(el page.Element) bool { return el.Key == e.target.Key && el.ID == e.target.ID })
		is := func(i int) bool {
			return i >= 0 && i < len(elements) && slices.ContainsFunc(e.appeared, func(o page.Observation) bool { return o.Key == elements[i].Key })
		}
		return at >= 0 && (is(at+1) || is(at-1) && elements[at-1].IsField())
	}}
	fieldCame = fact{"a field came", func(e *evidence) bool {
		return fresh(e) > 0 && slices.ContainsFunc(e.appeared, func(o page.Observation) bool { return page.IsFieldRole(roleOf(o)) })
	}}
	// muchCame: so much at once that it is not the page's own doing.
	muchCame = fact{"much came", func(e *evidence) bool {
		n := fresh(e)
		return n >= 3 && (len(e.gone) == 0 || len(e.gone) == 1 && !e.present) || n >= 2 && len(e.texts) >= 2 && len(e.gone) == 0
	}}
	cameAfterTraffic = fact{"content came after traffic", func(e *evidence) bool {
		n, key := fresh(e), !click.holds(e)
		return e.net && n+len(e.texts) >= 3 && (n > 0 || key || narrows.holds(e)) && (e.present || key)
	}}
	entryLost = whole(fact{"what was entered is nowhere", lostEntry})
	// replaced: much of a list is another now.
	replaced = fact{"much of the content is another", contentReplaced}
	// besideNow: a caption, a count, what a heading hides.
	besideNow = fact{"a text changed beside the target", func(e *evidence) bool { return textBeside(e) != "" }}
	wiped     = fact{"what was entered is gone from its field", func(e *evidence) bool {
		kept := func(o page.Observation) bool { return o.Attr != page.AttrValue || o.To != "" }
		return len(e.changed) > 0 && !slices.ContainsFunc(e.changed, kept)
	}}
)

var formRules = []rule{
	{id: "form-emptied", when: []fact{click, button, called(lexicon.Clear), emptied}, chance: 0.9, says: "The form is empty.", example: "train/orchard-tickets/reset"},
	{id: "fields-of-another", when: []fact{click, button, not(sends), valuesSet, not(namesItem)}, chance: unclear, says: "A field changed, but not the one that {target} is about.", example: "train/grave-register/use-plot-other"},
	{id: "fields-changed", when: []fact{click, button, not(sends), valuesSet, asOneMove}, chance: 0.85, says: "{did}, and a field changed: {change}.", example: "train/intranet/copy"},
	{
		id: "field-asked", when: []fact{click, button, fieldFocused, not(network), not(moved), not(came), not(went), not(ownChange), not(others)}, chance: 0.15,
		says:    "The page asks for a field first.",
		example: "train/hamfest-lots/bid-empty",
	},
}

var contentRules = []rule{
	{id: "asks-first", when: []fact{click, came, not(moved), asksFirst, not(saysError), either(present, asksInText)}, chance: 0.9, onPage: true, inMarkup: true, says: "The page asks you to confirm: {change}.", example: "train/rowpilot/delete-asks"},
	{id: "notice-came", when: []fact{click, came, present, not(moved), mayRefuse}, chance: unclear, says: "A notice came up, which may say why it was not done: {change}.", example: "train/reef-helpers/sign-up-briefing"},
	{id: "opened-beside", when: []fact{click, came, present, not(moved), openedBeside}, chance: 0.85, onPage: true, inMarkup: true, says: "At {now} something was opened: {change}.", example: "train/returns-desk/find"},
	{id: "fields-of-other-item", when: []fact{presses, not(saysError), not(entryLost), fieldCame, not(namesItem)}, chance: unclear, says: "Something opened, but it does not say that it belongs to {target}.", example: "train/labo/uitslag-verkeerd"},
	{id: "content-came", when: []fact{presses, not(saysError), not(entryLost), namesItem, either(muchCame, cameAfterTraffic)}, chance: 0.85, onPage: true, inMarkup: true, says: "New elements came: {change}.", example: "train/mailbox/undo"},
	{id: "content-replaced", when: []fact{presses, not(saysError), not(entryLost), either(present, not(click)), not(opener), not(closes), replaced}, chance: 0.8, onPage: true, inMarkup: true, says: "Much of the content is another now: {change}.", example: "train/feed/search"},
}

// silenceRules come last: little that can be read came of the action.
var silenceRules = []rule{
	{id: "text-beside", when: []fact{click, not(sends), besideNow}, chance: 0.8, onPage: true, inMarkup: true, says: "Beside {now} now stands {text beside}.", example: "train/longthabian/tarang"},
	{
		id:     "entry-lost",
		when:   []fact{presses, noNetwork, not(moved), sawDirect, either(click, not(reactedAtOnce)), not(targetElse), not(called(lexicon.Clear)), not(ownChange), not(came), not(went), not(newAlert), not(newText), wiped},
		chance: 0.15, says: "What was entered is gone from its field and shown nowhere: {change}.",
		example: "train/todo-hash/add-lost",
	},
	{
		id: "script-failed", when: []fact{presses, scriptFailed, noNetwork, not(moved), not(jumped), not(tick), not(came), not(went)}, chance: 0.12,
		says:    "{did}, a script of the page failed, and nothing came of it.",
		example: "train/sheet/sheet-throws",
	},
	{id: "no-reaction", when: []fact{presses, nothingOfIt}, chance: 0.15, noEffect: true, says: "{did}, and the page did not react{by itself}.", example: "train/feed/like-dead"},
}

// nothingOfIt: nothing that belongs to the control has changed and nothing went out.
// What else changed on the page did so by itself.
var nothingOfIt = fact{"nothing of it shows", func(e *evidence) bool {
	held := keptBack(e)
	switch {
	case e.net, e.moved, e.jumped, mutated(e) && (!inert.holds(e) || redrawn.holds(e)) && !held:
		return false
	case openedWindow(e), wasAsked(e) && !inert.holds(e):
		return false
	case hidesEffect.holds(e) && (!inert.holds(e) || e.lex.In(lexicon.NoVisibleEffect, e.name)):
		return false // an icon or a player that looks as before has done nothing
	case targetElse.holds(e), reactedAtOnce.holds(e) && !promises.holds(e) && !held:
		return false
	}
	laidBare := len(e.uncovered) > 0 && !inert.holds(e) // what is scrolled to comes out from under others too
	return len(e.own)+len(e.changed)+len(e.appeared)+len(e.gone)+len(e.alerts) == 0 && !laidBare &&
		!slices.ContainsFunc(e.texts, func(o page.Observation) bool { return beside(e, o) }) && !counted(e)
}}

// counted reports a number that may be the action's doing: a count that changed, and
// of a client that does not tell what the page did at once, whatever stands there. So
// may what now lies over the page.
func counted(e *evidence) bool {
	if !sawDirect.holds(e) && len(e.numbers)+len(e.covered) > 0 {
		return true
	}
	return slices.ContainsFunc(e.numbers, func(o page.Observation) bool { return isCount(o.To) })
}

// keptBack reports that a form was to be sent, or something looked up, and nothing
// went out: what stirred are marks that cannot be read.
func keptBack(e *evidence) bool {
	return noNetwork.holds(e) && e.present && !redrawn.holds(e) && !stirred.holds(e) && hasFields.holds(e) && (sends.holds(e) || e.lex.In(lexicon.Search, e.name))
}

// wasAsked reports that the page asked something in a dialog of the browser, which was
// accepted: it did not do nothing.
func wasAsked(e *evidence) bool {
	return slices.ContainsFunc(e.events, func(event string) bool { return strings.HasPrefix(event, "a dialog (confirm") })
}

// openedWindow reports that the browser opened a window, whatever it shows.
func openedWindow(e *evidence) bool {
	return slices.ContainsFunc(e.events, func(event string) bool { return strings.HasPrefix(event, "a new window for ") })
}

func asks(o page.Observation) bool { return strings.ContainsAny(o.To, "?？؟;") }

// cameUp reports buttons that have come up, or have got another name: ones that send,
// and ones that do not.
func cameUp(e *evidence) (confirms, cancels bool) {
	keys, names := map[string]bool{}, map[string]bool{}
	for _, o := range e.appeared {
		keys[o.Key] = true
	}
	for _, o := range slices.Concat(e.own, e.changed) {
		if o.Attr == page.AttrText {
			names[o.To] = true
		}
	}
	for _, el := range e.q.Page.Elements {
		if el.Role == "button" && el.Usable() && (keys[el.Key] || names[el.Label()]) {
			confirms = confirms || page.ClickMaySubmit(el)
			cancels = cancels || !page.ClickMaySubmit(el)
		}
	}
	return confirms, cancels
}

// changes counts the fields that changed.
type changes struct{ emptied, filled, changed int }

func fieldChanges(e *evidence) (f changes) {
	for _, o := range e.changed {
		switch role := roleOf(o); {
		case o.Attr != page.AttrValue:
		case role == "combobox" || role == "listbox": // drawn anew, or filled in with the rest
		case o.To == "":
			f.emptied++
		case o.From == "":
			f.filled++
		default:
			f.changed++
		}
	}
	return f
}

// stepsOrSwaps reports fields whose numbers went up or down, or that have each
// other's values now. A form that was drawn anew changes in other ways.
func stepsOrSwaps(e *evidence) bool {
	var was, is []string
	steps := true
	for _, o := range e.changed {
		if o.Attr != page.AttrValue {
			continue
		}
		steps = steps && (o.From == "" || isCount(o.From)) && isCount(o.To)
		was, is = append(was, o.From), append(is, o.To)
	}
	slices.Sort(was)
	slices.Sort(is)
	return steps || len(is) > 1 && slices.Equal(was, is)
}

// fresh counts what appeared and did not only come back in another place.
func fresh(e *evidence) int {
	left := map[string]int{}
	for _, o := range e.gone {
		left[described(o)]++
	}
	n := 0
	for _, o := range e.appeared {
		what := described(o)
		if left[what]--; left[what] < 0 {
			n++
		}
	}
	return n
}

// contentReplaced: a list was searched, paged or filtered. A calendar may show the wrong
// month.
func contentReplaced(e *evidence) bool {
	renamed := 0
	for _, o := range e.changed {
		renamed += count(o.Attr == page.AttrText || o.Attr == page.AttrHref)
	}
	dated := func(o page.Observation) bool { return year.MatchString(o.To) }
	onlyGone := renamed+len(e.appeared) == 0
	switch {
	case renamed+len(e.appeared)+len(e.gone) < 4, slices.ContainsFunc(e.texts, dated), slices.ContainsFunc(e.numbers, dated):
		return false
	case onlyGone && len(e.texts) == 0 && (!narrows.holds(e) || click.holds(e)):
		return false
	case onlyGone && click.holds(e) && !narrows.holds(e) && slices.ContainsFunc(e.texts, func(o page.Observation) bool { return isSentence(o.To) }):
		return false // the page says something in its place
	}
	return fresh(e)+renamed > 0 || onlyGone || slices.ContainsFunc(e.appeared, func(o page.Observation) bool { return strings.Contains(o.Text, `"`+e.name+`"`) })
}

var year = regexp.MustCompile(`(^|[^\pL\pN])(19|20)\d\d($|\PN)`)

// textBeside is what stands beside the control now: of a page with a form only a count,
// since beside it may stand what is wrong.
func textBeside(e *evidence) string {
	for _, o := range slices.Concat(e.texts, e.numbers) {
		told := o.Attr != page.AttrNumber && !hasFields.holds(e)
		if beside(e, o) && !year.MatchString(o.To) && !wordless(e.target.Label()) && (told || isCount(o.To)) {
			return o.To
		}
	}
	return ""
}
