package verdict

import (
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/internal/reason/rules/lexicon"
	"github.com/stepledger/stepledger/internal/reason/rules/text"
)

// What is gone, with the control or by it.

var (
	closes   = called(lexicon.Close)
	undoes   = called(lexicon.Undo)
	isACross = fact{"called by a cross", func(e *evidence) bool { return strings.Trim(e.name, " ×✕✖✗⨯xX") == "" && e.name != "" }}
	// goneAlone: the control is gone, and nothing but lists that shut has changed.
	goneAlone = fact{"gone, and nothing else came of it", func(e *evidence) bool {
		effect := func(o page.Observation) bool { return o.Attr != page.AttrExpanded }
		told := func(o page.Observation) bool { return witnessed(e, o) }
		return !e.present && len(e.gone) > 0 && !e.net && !e.moved && e.q.Witness.Added == 0 && !slices.ContainsFunc(e.changed, effect) &&
			len(e.appeared)+len(e.alerts) == 0 && !slices.ContainsFunc(e.texts, told) && (len(e.numbers) == 0 || !textUnread.holds(e))
	}}
	// putDown: what was picked stands where it was picked for.
	putDown     = fact{"its name is shown", func(e *evidence) bool { return shownOnPage(e, e.name) && slices.Contains(e.events, e.name) }}
	severalGone = fact{"more than the target is gone", func(e *evidence) bool { return len(e.gone) > 1 }}
	closedOne   = fact{"something that was open is gone", func(e *evidence) bool { return len(e.gone)+len(e.uncovered) > 0 }}
	// serverTookIt: it went alone, after traffic, and more of the document went than came.
	serverTookIt = fact{"taken away after an answer", func(e *evidence) bool {
		alert := func(o page.Observation) bool { return o.Kind == page.AlertGone }
		return e.net && len(e.gone) == 1 && len(e.changed)+len(e.appeared)+len(e.alerts) == 0 && e.q.Witness.Removed > e.q.Witness.Added &&
			!slices.ContainsFunc(e.q.Observations, alert)
	}}
	// confirmed: the answer to "are you sure?" went with its question, and with them what
	// it was about.
	confirmed = whole(fact{"what was confirmed is gone", func(e *evidence) bool { return len(wordsGone(e)) > 0 }})
)

var closingRules = []rule{
	{id: "closed-by-escape", when: []fact{escape, closedOne, not(came)}, chance: 0.88, inMarkup: true, says: "What was open is closed: {closed}.", example: "train/gallery/escape"},
	{
		id: "closed-and-no-more", when: []fact{click, goneAlone, not(putDown), not(called(lexicon.NoVisibleEffect)), either(both(picks, severalGone), both(undoes, not(closes)))}, chance: 0.2,
		says:    "{target} is gone, and nothing shows that it did more.",
		example: "train/mailbox/undo-dead",
	},
}

var goneRules = []rule{
	{id: "cover-gone", when: []fact{click, uncovered, not(covered), not(network), closes}, chance: 0.88, onPage: true, inMarkup: true, says: "{target} took away what lay over the page: {uncovered}.", example: "train/gallery/close"},
	{
		id: "closed", when: []fact{click, not(present), went, not(picks), not(undoes), either(both(closes, not(network)), isACross)}, chance: 0.88, onPage: true, inMarkup: true,
		says:    "{target} is gone, with what it was there to close.",
		example: "train/mailbox/discard",
	},
	{
		id: "item-gone", when: []fact{click, not(present), went, not(picks), not(undoes), either(itemWent, serverTookIt)}, chance: 0.8, onPage: true, inMarkup: true,
		says:    "{target} is gone, with what belonged to it.",
		example: "train/widgets/untag",
	},
	{
		id: "confirmed-and-gone", when: []fact{click, not(present), not(moved), not(saysError), not(saysWait), confirmed}, chance: 0.85,
		says:  "{asked by} was confirmed, and what it was about is gone.",
		given: "a question is an answer's only trace; without it every deletion that asks first would be put to the user",
	},
}

// wordsGone are the words of what was to be confirmed that the user said and the page
// has no more.
func wordsGone(e *evidence) []string {
	if !page.ClickMaySubmit(e.q.Target) || e.lex.In(lexicon.Close, e.name) {
		return nil
	}
	asked, ok := askedBy(e)
	if !ok || e.lex.In(lexicon.Undo, asked.Name) {
		return nil
	}
	if _, still, _ := e.find(asked.Key); still && asked.Key != "" {
		return nil
	}
	left := text.SetOf(e.key(e.q.Page.Text))
	for _, el := range e.q.Page.Elements {
		for _, w := range slices.Concat(e.key(el.Name), e.key(el.Group)) {
			left[w] = true
		}
	}
	return slices.DeleteFunc(slices.Concat(e.key(asked.Group), e.key(asked.Name)), func(w string) bool { return left[w] || !e.user()[w] })
}

// askedBy is the control whose click, the last step before this one, made the page
// ask, as it was behind the question.
func askedBy(e *evidence) (page.Descriptor, bool) {
	for _, s := range slices.Backward(e.q.Steps) {
		switch {
		case s.Action == e.q.Action && !s.Succeeded, s.Action.Name == action.Wait, s.Action.Name == action.Scroll:
			continue // this one, or a look between
		case s.Action.Name != action.Click || !s.Succeeded:
			return page.Descriptor{}, false
		}
		i := slices.IndexFunc(e.q.Before.Skeleton.Elements, func(d page.Descriptor) bool {
			el := page.Element{Role: d.Role, Name: d.Name}
			return d.ID == s.Action.Target && page.Describe(el) == s.Target && page.ClickMaySubmit(el)
		})
		if i < 0 { // the question stood in its place
			_, name, _ := strings.Cut(s.Target, ` "`)
			asked := page.Descriptor{Name: strings.TrimSuffix(name, `"`), Group: e.q.Target.Group}
			return asked, page.ClickMaySubmit(page.Element{Role: "button", Name: asked.Name})
		}
		return e.q.Before.Skeleton.Elements[i], true
	}
	return page.Descriptor{}, false
}
