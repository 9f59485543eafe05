package rules

import (
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/internal/reason/rules/lexicon"
)

// Rules that judge a click by what was sent and what the page says of it. What it
// says without having sent anything may be said too early.

// enteredIsShown: what a field held is now shown by the page, and the field is
// empty or gone.
func (c *evidenceCase) enteredIsShown() (finding, bool) {
	if !c.clicks() || len(c.errors) > 0 {
		return silent()
	}
	for _, d := range c.filled() {
		if e, ok, _ := c.again(d.Key); ok && e.Value != "" {
			continue
		}
		shown := func(o page.Observation) bool {
			if !strings.Contains(o.To+o.Text, d.Value) {
				return false
			}
			rest := strings.ReplaceAll(o.To, d.Value, " ") // what is said of it
			switch c.lex.Polarity(o.To) {
			case lexicon.Succeeded:
				return !c.lex.Denies(rest)
			case lexicon.Neither:
				return !c.lex.Denies(rest) && !isSentence(rest) && !strings.HasSuffix(rest, "…")
			}
			return false
		}
		if slices.ContainsFunc(c.texts, shown) || slices.ContainsFunc(c.appeared, shown) {
			return found(0.9, "The page shows %s, which was entered.", quoted(d.Value))
		}
	}
	return silent()
}

// namedWithAnother reports that the page names what was entered in one breath with an
// option of a list of which another one had been chosen. Both are of a form that is
// still there, with the field empty again.
func (c *evidenceCase) namedWithAnother(entered page.Descriptor) bool {
	if e, ok, _ := c.again(entered.Key); !ok || e.Value != "" {
		return false
	}
	said := events(c.q.Witness.RecentEvents)
	for _, o := range c.texts {
		said = append(said, o.To)
	}
	said = slices.DeleteFunc(said, func(text string) bool { return !strings.Contains(text, entered.Value) })
	for i := range said {
		said[i] = strings.ReplaceAll(said[i], entered.Value, " ")
	}
	for _, d := range c.q.Before.Skeleton.Elements {
		e, ok, _ := c.again(d.Key)
		at := slices.IndexFunc(e.Options, func(o page.Option) bool { return d.Value != "" && (o.Label == d.Value || o.Value == d.Value) })
		if !ok || at < 0 {
			continue
		}
		chosen := e.Options[at].Label
		for _, o := range e.Options {
			names := func(text string) bool { return shows(text, o.Label) && !shows(text, chosen) }
			if o.Label != chosen && len([]rune(o.Label)) > 2 && slices.ContainsFunc(said, names) {
				return true
			}
		}
	}
	return false
}

// successMessage believes what the page says where something went out that was
// not refused. What a page says by itself may be said too early.
func (c *evidenceCase) successMessage() (finding, bool) {
	if !c.clicks() || len(c.successes) == 0 {
		return silent()
	}
	if c.q.Witness.NetworkOccurred == nil || c.net || c.moved || isTrue(c.q.Witness.URLChanged) {
		return found(0.92, "The page says %s.", quoted(c.successes[0]))
	}
	return silent()
}

// mayNotLast reports that what has to reach a server to be of use is shown by the
// page alone, which may take it back.
func (c *evidenceCase) mayNotLast() bool {
	return c.q.Action.Name == action.Click && isFalse(c.q.Witness.NetworkOccurred) && !c.moved && c.keeps() && !c.asksFirst()
}

// asksFirst reports that the page wants what was pressed to be confirmed: nothing was
// sent, and a control that sends has come up beside one that does not.
func (c *evidenceCase) asksFirst() bool {
	if !page.ClickMaySubmit(c.q.Target) || c.net || c.moved {
		return false
	}
	if c.index.asks == nil {
		confirms, cancels := c.cameUp()
		asks := confirms && cancels
		c.index.asks = &asks
	}
	return *c.index.asks
}

// cameUp reports buttons that have come up, or have got another name: ones that send,
// and ones that do not.
func (c *evidenceCase) cameUp() (confirms, cancels bool) {
	keys, names := map[string]bool{}, map[string]bool{}
	for _, o := range c.appeared {
		keys[o.Key] = true
	}
	for _, o := range slices.Concat(c.own, c.changed) {
		if o.Attr == page.AttrText {
			names[o.To] = true
		}
	}
	for _, e := range c.q.Page.Elements {
		if e.Role == "button" && usable(e) && (keys[e.Key] || names[label(e)]) {
			confirms = confirms || page.ClickMaySubmit(e)
			cancels = cancels || !page.ClickMaySubmit(e)
		}
	}
	return confirms, cancels
}

// keeps reports a control whose work is to be kept by a server.
func (c *evidenceCase) keeps() bool {
	e := c.q.Target
	name := label(e)
	return e.Role == "switch" || e.Role == "button" && (c.lex.In(lexicon.Keep, name) || strings.ContainsAny(name, keepSigns))
}

// keepSigns stand for the words of what is to be kept.
const keepSigns = "♡♥❤☆★👍👎🔖"

// toldInstead: a button that was to do something did nothing that can be seen, sent
// nothing, and all that came of it is a line of text.
func (c *evidenceCase) toldInstead() (finding, bool) {
	if !c.clicks() || !isFalse(c.q.Witness.NetworkOccurred) || c.moved || c.jumped || !c.present && c.q.Action.Name == action.Click ||
		len(c.own)+len(c.changed)+len(c.appeared)+len(c.gone)+len(c.successes)+len(c.waits) > 0 || len(c.texts)+len(c.alerts) == 0 || len(c.texts) > 3 ||
		c.q.Witness.Added+c.q.Witness.Removed > banner {
		return silent()
	}
	heard := events(c.q.Witness.RecentEvents)
	for _, o := range slices.Concat(c.alerts, c.texts) {
		if c.told(o, heard) && !c.answers(o.To) && !wordless(o.To) && (c.hasFields() && c.refuses(o.To) || c.explainsItself(o.To)) {
			return found(0.15, "Nothing was sent; the page says %s.", quoted(o.To))
		}
	}
	return silent()
}

// refuses reports a text beside a form that stands in for what was to be sent.
func (c *evidenceCase) refuses(text string) bool {
	return c.sends() && !c.redrawnItself() && (isSentence(text) || strings.ContainsAny(text, "?!？！:：")) || c.lex.Denies(text) && c.lookedOn() && c.answered()
}

// explainsItself reports a whole sentence, where all that a button did was to say it:
// what is shown for its own sake is a title, a number, a line of a list.
func (c *evidenceCase) explainsItself(text string) bool {
	return c.lookedOn() && c.answered() && c.q.Target.Role == "button" && !c.opensList() && !c.lex.In(lexicon.Tell, label(c.q.Target)) && isSentence(text) &&
		(!c.isAboutTarget(text) || strings.Contains(text, label(c.q.Target)))
}

// lookedOn reports a control that looks as before, and is not there to look something
// up.
func (c *evidenceCase) lookedOn() bool {
	return c.q.Action.Name == action.Click && isFalse(c.q.Witness.TargetChanged) && !isSearch(c.target) && !c.lex.In(lexicon.Search, label(c.q.Target))
}

// isSentence reports a text of some words that ends as a sentence does.
func isSentence(s string) bool {
	s = strings.TrimSpace(s)
	stops := strings.HasSuffix(s, ".") || strings.HasSuffix(s, "。") || strings.HasSuffix(s, "।")
	return stops && !strings.HasSuffix(s, "..") && (len(words(s)) > 3 || strings.HasSuffix(s, "。"))
}

// redrawnItself reports that the client lost sight of the control, which is there
// all the same: what it stands in was drawn anew, as a calendar is.
func (c *evidenceCase) redrawnItself() bool {
	w := c.q.Witness
	return c.present && w.Direct != nil && w.TargetChanged == nil && c.q.Action.Name == action.Click
}

// answers reports a text that says something of what was entered, as a result
// does and a complaint hardly ever.
func (c *evidenceCase) answers(text string) bool {
	return slices.ContainsFunc(c.q.Before.Skeleton.Elements, func(d page.Descriptor) bool {
		return len([]rune(d.Value)) >= 2 && strings.Contains(text, d.Value)
	})
}

// saidOnly leaves open what the page says without having sent anything: such a
// word may come before the deed.
func (c *evidenceCase) saidOnly() (finding, bool) {
	if !c.clicks() || len(c.successes) == 0 {
		return silent()
	}
	return unsure("The page says %s, but nothing was sent.", quoted(c.successes[0]))
}

// swallowed: what was entered is gone from its field and shown nowhere, and neither
// the page nor a server has taken it.
func (c *evidenceCase) swallowed() (finding, bool) {
	w := c.q.Witness
	if !c.clicks() || !isFalse(w.NetworkOccurred) || c.moved || w.Direct == nil || *w.Direct > 0 && !c.isClick() || isTrue(w.TargetChanged) || c.lex.In(lexicon.Clear, label(c.q.Target)) ||
		len(c.own)+len(c.appeared)+len(c.gone)+len(c.alerts)+len(c.texts) > 0 || len(c.changed) == 0 {
		return silent()
	}
	kept := func(o page.Observation) bool { return o.Attr != page.AttrValue || o.To != "" }
	if slices.ContainsFunc(c.changed, kept) {
		return silent()
	}
	return found(0.15, "What was entered is gone from its field and shown nowhere: %s.", c.changed[0].Text)
}

// scriptFailed: a script gave up, and nothing that belongs to the control came of it.
func (c *evidenceCase) scriptFailed() (finding, bool) {
	n := c.q.Witness.ScriptErrors
	if !c.clicks() || n == nil || *n == 0 || !isFalse(c.q.Witness.NetworkOccurred) || c.moved || c.jumped || c.present && isTick(c.target) || len(c.appeared)+len(c.gone) > 0 {
		return silent()
	}
	return found(0.12, "A script of the page gave up, and nothing came of %s.", actionText(c.q))
}
