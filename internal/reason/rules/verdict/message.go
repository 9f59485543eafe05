package verdict

import (
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/internal/reason/rules/lexicon"
	"github.com/stepledger/stepledger/internal/reason/rules/text"
)

// What the page says of the action. What it says without having sent anything may be
// said too early.

var (
	nothingChanged = fact{"nothing changed", func(e *evidence) bool { return page.NothingChanged(e.q.Before, e.q.Page, e.q.Witness) }}
	// sentOrUnknown: something went out that was not refused, or the client does not say.
	sentOrUnknown = fact{"something was sent, or nobody says", func(e *evidence) bool {
		return e.q.Witness.NetworkOccurred == nil || e.net || e.moved || isTrue(e.q.Witness.URLChanged)
	}}
	enteredShown = fact{"what was entered is shown", func(e *evidence) bool { return shownEntry(e) != "" }}
	excused      = fact{"a line stands in for what was to be done", func(e *evidence) bool { return excuse(e) != "" }}
	errorPage    = fact{"error page opened", func(e *evidence) bool { return errorPageOf(e) != "" }}
)

var errorRules = []rule{
	{id: "error-page", when: []fact{not(setsValue), errorPage}, chance: 0.1, says: "An error page was opened: {error page}", example: "train/grave-register/sort-timeout"},
	{
		id: "error-after-answer", when: []fact{not(setsValue), either(complains, saysError), network, sawDirect, not(anyRefused)}, chance: unclear,
		says:    "The server took it, and the page says {error}.",
		example: "train/adreach/pause-partial",
	},
	{id: pageError, when: []fact{not(setsValue), either(complains, both(saysError, not(saysBoth)))}, chance: 0.08, says: "The page reports an error: {error}", example: "train/kanban/move-limit"},
	{id: fieldMarked, when: []fact{not(setsValue), marksWrong}, chance: 0.12, says: "The page marks a field as wrong: {marked field}.", example: "train/plant-shelf/name-taken"},
	{id: mixedMessage, when: []fact{not(setsValue), saysBoth}, chance: 0.3, says: "What the page says is good and bad at once.", example: "train/reply-desk/send-collision"},
	{
		id: "nothing-changed", when: []fact{not(navigates), not(setsValue), not(both(click, tick)), nothingChanged}, chance: reasoning.NoChangeConfidence, noEffect: true,
		says:    "{did}, and {nothing} changed.",
		example: "train/survey/used-dead",
	},
}

var successRules = []rule{
	{id: "page-says-success", when: []fact{presses, saysSuccess, sentOrUnknown}, chance: 0.92, onPage: true, says: "The page says {success}.", example: "train/survey/send"},
	{id: "entered-is-shown", when: []fact{presses, not(saysError), enteredShown}, chance: 0.9, onPage: true, inMarkup: true, says: "The page shows {entered}, which was entered.", example: "train/feed/post"},
	{id: "under-way", when: []fact{presses, not(moved), saysWait, not(saysSuccess)}, chance: unclear, says: "The page is still busy: {wait}.", example: "train/todo-hash/all-some"},
	{
		id:   "told-instead",
		when: []fact{presses, noNetwork, not(moved), not(jumped), either(present, not(click)), not(ownChange), not(others), not(came), not(went), not(saysSuccess), not(saysWait), not(redrawn), excused},
		says: "{did}, but nothing was sent, and the page says {excuse}.", chance: 0.15,
		example: "train/feed/post-dead",
	},
}

// shownEntry is what a field held that the page shows now, the field being empty or
// gone.
func shownEntry(e *evidence) string {
	for _, d := range e.filled {
		if el, ok, _ := e.find(d.Key); ok && el.Value != "" {
			continue
		}
		shown := func(o page.Observation) bool {
			if !strings.Contains(o.To+o.Text, d.Value) {
				return false
			}
			rest := strings.ReplaceAll(o.To, d.Value, " ") // what is said of it
			switch e.lex.Polarity(o.To) {
			case lexicon.Succeeded:
				return !e.lex.Denies(rest)
			case lexicon.Neither:
				return !e.lex.Denies(rest) && !isSentence(rest) && !strings.HasSuffix(rest, "…")
			}
			return false
		}
		if slices.ContainsFunc(e.texts, shown) || slices.ContainsFunc(e.appeared, shown) {
			return d.Value
		}
	}
	return ""
}

// excuse is a line that stands in for what a control was to do: beside a form a
// refusal, else a whole sentence where all that a button did was to say it.
func excuse(e *evidence) string {
	if len(e.texts) > 3 {
		return ""
	}
	for _, o := range slices.Concat(e.alerts, e.texts) {
		if witnessed(e, o) && !namesEntry(e, o.To) && !wordless(o.To) && (hasFields.holds(e) && refuses(e, o.To) || explainsItself(e, o.To)) {
			return o.To
		}
	}
	return ""
}

// refuses reports a text beside a form that stands in for what was to be sent.
func refuses(e *evidence, s string) bool {
	return sends.holds(e) && !lostSight.holds(e) && (isSentence(s) || strings.ContainsAny(s, "?!？！:：")) ||
		e.lex.Denies(s) && buttonAsBefore.holds(e) && reactedAtOnce.holds(e)
}

// explainsItself reports a whole sentence, where all that a button did was to say it:
// what is shown for its own sake is a title, a number, a line of a list.
func explainsItself(e *evidence, s string) bool {
	return buttonAsBefore.holds(e) && reactedAtOnce.holds(e) && button.holds(e) && !opener.holds(e) && !e.lex.In(lexicon.Tell, e.name) && isSentence(s) &&
		(!namesTarget(e, s) || strings.Contains(s, e.name))
}

// buttonAsBefore: the client saw the control as before, and it is not there to look
// something up.
var buttonAsBefore = fact{"button as before", func(e *evidence) bool {
	return click.holds(e) && targetSame.holds(e) && !text.IsSearch(e.target) && !e.lex.In(lexicon.Search, e.name)
}}

// lostSight: the client lost sight of the control, which is there all the same: what it
// stands in was drawn anew, as a calendar is.
var lostSight = fact{"client lost sight of the target", func(e *evidence) bool {
	w := e.q.Witness
	return e.present && w.Direct != nil && w.TargetChanged == nil && click.holds(e)
}}

// namesEntry reports a text that says something of what was entered, as a result
// does and a complaint hardly ever.
func namesEntry(e *evidence, s string) bool {
	return slices.ContainsFunc(e.q.Before.Skeleton.Elements, func(d page.Descriptor) bool {
		return len([]rune(d.Value)) >= 2 && strings.Contains(s, d.Value)
	})
}

// isSentence reports a text of some words that ends as a sentence does.
func isSentence(s string) bool {
	s = strings.TrimSpace(s)
	stops := strings.HasSuffix(s, ".") || strings.HasSuffix(s, "。") || strings.HasSuffix(s, "।")
	return stops && !strings.HasSuffix(s, "..") && (len(text.Words(s)) > 3 || strings.HasSuffix(s, "。"))
}
