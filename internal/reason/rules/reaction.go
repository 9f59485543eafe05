package rules

import (
	"slices"
	"strings"
	"unicode"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/internal/reason/rules/lexicon"
)

// Rules that judge what the page made of a click. What is counted as the action's
// doing has to belong to it: to lead where the link leads, to show what was
// entered, to stand beside the control.

// opensList reads both pages: a record of the one before may be short.
func (c *evidenceCase) opensList() bool {
	return opensList(c.q.Target) || c.present && opensList(c.target)
}

func opensList(e page.Element) bool { return e.State.HasPopup || e.State.Expanded != "" }

func (c *evidenceCase) fieldFocused() (finding, bool) {
	if c.q.Action.Name != action.Click || !c.present || !isField(c.target) || len(c.own) > 0 || c.target.Role == "slider" || c.opensList() {
		return silent()
	}
	if c.target.State.Focused || c.target.ID == c.q.Page.ActiveElement {
		return found(0.9, "The field %s has the focus.", quoted(label(c.target)))
	}
	return silent()
}

// leftThePage is about what the client saw and the page does not show.
func (c *evidenceCase) leftThePage() (finding, bool) {
	for _, e := range events(c.q.Witness.RecentEvents) {
		if to, ok := strings.CutPrefix(e, "a new window for "); ok && namesPage(c.q.Target.Href) && !c.leadsTo(strings.TrimSuffix(to, " (not followed)")) {
			return unsure("The browser reports %s, which is not where the link leads.", e)
		}
		if strings.HasPrefix(e, "a new window for about:blank") {
			return unsure("The browser reports an empty window.")
		}
		if strings.HasPrefix(e, "a new window for ") && c.lex.In(lexicon.Download, label(c.q.Target)) {
			return unsure("The browser reports %s, and no file.", e)
		}
		if strings.HasPrefix(e, "a download of ") || strings.HasPrefix(e, "a new window for ") {
			if name := c.fitsBetter(e); name != "" {
				return unsure("The browser reports %s, which is called like %s.", e, quoted(name))
			}
			return found(0.9, "The browser reports %s.", e)
		}
	}
	return silent()
}

// chosen is a pick out of a list, a calendar, a palette: what was picked stands in
// a field or on a control now.
func (c *evidenceCase) chosen() (finding, bool) {
	if c.q.Action.Name != action.Click {
		return silent()
	}
	name := label(c.q.Target)
	picked := picks[c.q.Target.Role] || len([]rune(name)) <= 2
	for _, o := range c.changed {
		if o.Attr != page.AttrValue && o.Attr != page.AttrText || o.To == "" {
			continue
		}
		if owner := c.openOne(); owner != "" && owner != o.Key && o.Attr == page.AttrValue && picks[c.q.Target.Role] && strings.Contains(o.To, name) && name != "" {
			return unsure("%s was put elsewhere than where the list was opened.", quoted(name))
		}
		dated := digits(name) != "" && len([]rune(name)) <= 12 && hasYear(o.From+" "+o.To) && len(c.changed) <= 3
		switch {
		case dated && hasNumbers(o.To, name):
			return found(0.92, "%s was taken over.", quoted(name))
		case dated:
			return found(0.2, "Instead of %s another one was taken over: %s", quoted(name), quoted(o.To))
		case picked && name != "" && strings.Contains(o.To, name) && o.Attr == page.AttrText && len(c.appeared)+len(c.texts) == 0 && !c.net:
			return unsure("%s is what a control is called now, and nothing else is another.", quoted(name))
		case picked && name != "" && strings.Contains(o.To, name):
			return found(0.92, "%s was taken over.", quoted(name))
		}
	}
	return silent()
}

// openOne is the one field whose list was open before, "" if it is not one.
func (c *evidenceCase) openOne() string {
	owner := ""
	for _, d := range c.q.Before.Skeleton.Elements {
		if d.Role != "combobox" || d.Expanded != "true" {
			continue
		}
		if owner != "" {
			return ""
		}
		owner = d.Key
	}
	return owner
}

var picks = set("option menuitem menuitemradio gridcell treeitem")

// hasNumbers reports whether a text has all numbers of a name, whatever zeros
// stand before them.
func hasNumbers(text, name string) bool {
	numbers := func(s string) []string {
		list := strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsDigit(r) })
		for i := range list {
			list[i] = strings.TrimLeft(list[i], "0")
		}
		return list
	}
	return subset(numbers(name), numbers(text))
}

// itemGone: the control went, and with it only what belongs to it; or it was there
// to close something.
func (c *evidenceCase) itemGone() (finding, bool) {
	name := label(c.q.Target)
	if c.isClick() && len(c.uncovered) > 0 && len(c.covered) == 0 && !c.net && c.lex.In(lexicon.Close, name) {
		return found(0.88, "%s took away what lay over the page: %s.", quoted(name), c.uncovered[0].Text)
	}
	if c.q.Action.Name != action.Click || c.present || len(c.gone) == 0 || picks[c.q.Target.Role] {
		return silent()
	}
	switch {
	case c.lex.In(lexicon.Undo, name):
		return silent() // what was undone has to show
	case c.lex.In(lexicon.Close, name) && !c.net, strings.Trim(name, " ×✕✖✗⨯xX") == "" && name != "":
		return found(0.88, "%s is gone, with what it was there to close.", quoted(name))
	case c.narrowing() && len(c.gone) == 1 && !c.net && len(c.changed)+len(c.appeared)+len(c.texts)+len(c.numbers) == 0:
		return unsure("%s is gone, but what it narrowed is the same.", quoted(name))
	case c.rowGone(),
		c.net && len(c.gone) == 1 && len(c.changed)+len(c.appeared)+len(c.alerts) == 0 && c.q.Witness.Removed > c.q.Witness.Added && !c.alertGone():
		return found(0.8, "%s is gone, with what belonged to it.", quoted(name))
	}
	return silent()
}

// closedOnly: what was picked is gone with its list, or what was to be undone with
// its message, and nothing else has changed.
func (c *evidenceCase) closedOnly() (finding, bool) {
	name, w := label(c.q.Target), c.q.Witness
	if c.q.Action.Name != action.Click || c.present || len(c.gone) == 0 || c.net || c.moved || w.Added > 0 {
		return silent()
	}
	effects := slices.DeleteFunc(slices.Clone(c.changed), func(o page.Observation) bool { return o.Attr == page.AttrExpanded })
	heard := events(w.RecentEvents)
	told := slices.ContainsFunc(c.texts, func(o page.Observation) bool { return c.told(o, heard) })
	if len(effects)+len(c.appeared)+len(c.alerts) > 0 || told || len(c.numbers) > 0 && c.blind() {
		return silent()
	}
	if strings.HasPrefix(c.q.Target.Role, "menuitem") && c.q.Target.Role != "menuitem" {
		return unsure("%s is gone with its list, which shows what is chosen.", quoted(name))
	}
	if c.showing(name) && slices.Contains(heard, name) || c.lex.In(lexicon.NoVisibleEffect, name) {
		return silent() // it was put where it was picked for, or leaves nothing to see
	}
	if picks[c.q.Target.Role] && len(c.gone) > 1 || c.lex.In(lexicon.Undo, name) && !c.lex.In(lexicon.Close, name) {
		return found(0.2, "%s is gone, and nothing shows that it did more.", quoted(name))
	}
	return silent()
}

// rowGone reports that all that went stood in the row of the control.
func (c *evidenceCase) rowGone() bool {
	own := c.itemWords()
	return len(own) > 0 && len(c.errors) == 0 && !slices.ContainsFunc(c.gone, func(o page.Observation) bool { return !subset(own, key(o.Text)) }) &&
		!slices.ContainsFunc(c.appeared, func(o page.Observation) bool { return subset(own, key(o.Text)) })
}

// escaped: the Escape key closed something.
func (c *evidenceCase) escaped() (finding, bool) {
	closed := slices.Concat(c.gone, c.uncovered)
	if c.q.Action.Name != action.Press || c.q.Action.Text != "Escape" || len(closed) == 0 || len(c.appeared) > 0 {
		return silent()
	}
	return found(0.88, "What was open is closed: %s.", closed[0].Text)
}

func (c *evidenceCase) alertGone() bool {
	return slices.ContainsFunc(c.q.Observations, func(o page.Observation) bool { return o.Kind == page.AlertGone })
}

// openedInPlace: what appeared stands right behind the control, or a field right
// before it.
func (c *evidenceCase) openedInPlace() (finding, bool) {
	if c.q.Action.Name != action.Click || len(c.appeared) == 0 || c.moved {
		return silent()
	}
	questions := func(o page.Observation) bool { return strings.ContainsAny(o.To, "?？؟") }
	if c.asksFirst() && len(c.errors) == 0 && (c.present || slices.ContainsFunc(c.texts, questions)) { // it may stand where the control was
		return found(0.9, "The page asks whether it is meant: %s.", c.appeared[0].Text)
	}
	if !c.present {
		return silent()
	}
	elements := c.q.Page.Elements
	at := slices.IndexFunc(elements, func(e page.Element) bool { return e.Key == c.target.Key && e.ID == c.target.ID })
	is := func(i int) bool {
		return i >= 0 && i < len(elements) && slices.ContainsFunc(c.appeared, func(o page.Observation) bool { return o.Key == elements[i].Key })
	}
	if c.refusesIn() {
		return unsure("Something was opened which may say why it is not to be: %s.", c.appeared[0].Text)
	}
	if at >= 0 && (is(at+1) || is(at-1) && isField(elements[at-1])) {
		return found(0.85, "At %s something was opened: %s.", quoted(label(c.target)), c.appeared[0].Text)
	}
	return silent()
}

// fieldAsked: a button that brought the user back to a field of the form.
func (c *evidenceCase) fieldAsked() (finding, bool) {
	if !c.asked || c.q.Action.Name != action.Click || c.q.Target.Role != "button" || c.net || c.moved || len(c.appeared)+len(c.gone)+len(c.own)+len(c.changed) > 0 {
		return silent()
	}
	return found(0.15, "The page asks for a field first.")
}

func (c *evidenceCase) sentinel() (finding, bool) {
	if w := c.q.Witness; isTrue(w.SentinelPassed) || isTrue(w.HasSuccess) {
		return found(0.85, "The client's own check of the outcome passed.")
	} else if isFalse(w.SentinelPassed) {
		return found(0.3, "The client's own check of the outcome failed, and nothing on the page shows an effect.")
	}
	return silent()
}

// nothingOfIt: nothing that belongs to the control has changed and nothing went
// out. What else changed on the page did so by itself.
func (c *evidenceCase) nothingOfIt() (finding, bool) {
	if !c.clicks() || c.net || c.moved || c.jumped || c.mutated() && (!c.unmoved() || c.drawnAnew()) && !c.keptBack() {
		return silent()
	}
	if c.wasAsked() && !c.unmoved() {
		return silent()
	}
	if c.noVisibleEffect() && (!c.unmoved() || c.lex.In(lexicon.NoVisibleEffect, label(c.q.Target))) {
		return silent() // an icon or a player that looks as before has done nothing
	}
	if isTrue(c.q.Witness.TargetChanged) || c.answered() && !c.promises() && !c.keptBack() {
		return silent()
	}
	if len(c.own)+len(c.changed)+len(c.appeared)+len(c.gone)+len(c.alerts) > 0 || c.laidBare() || slices.ContainsFunc(c.texts, c.beside) || c.counted() {
		return silent()
	}
	if other := slices.Concat(c.texts, c.numbers, c.covered); len(other) > 0 {
		return found(0.15, "The page did not react to %s; something else on it changed: %s.", actionText(c.q), other[0].Text)
	}
	return found(0.15, "Nothing came of %s.", actionText(c.q))
}

// laidBare reports that something came out from under another thing. What is scrolled
// to does so too, where the page itself did nothing.
func (c *evidenceCase) laidBare() bool { return len(c.uncovered) > 0 && !c.unmoved() }

// counted reports a number that may be the action's doing: a count that changed, and
// of a client that does not tell what the page did at once, whatever stands there. So
// may what now lies over the page.
func (c *evidenceCase) counted() bool {
	if c.q.Witness.Direct == nil && len(c.numbers)+len(c.covered) > 0 {
		return true
	}
	return slices.ContainsFunc(c.numbers, func(o page.Observation) bool { return isCount(o.To) })
}

// keptBack reports that a form was to be sent, or something looked up, and nothing
// went out: what stirred are marks that cannot be read.
func (c *evidenceCase) keptBack() bool {
	return isFalse(c.q.Witness.NetworkOccurred) && c.present && !c.drawnAnew() && !c.stirred() && c.hasFields() && (c.sends() || c.lex.In(lexicon.Search, label(c.q.Target)))
}

// drawnAnew reports that more of the document came and went than turns by itself.
func (c *evidenceCase) drawnAnew() bool { return c.q.Witness.Added+c.q.Witness.Removed > banner }

// wasAsked reports that the page asked something in a dialog, which was accepted: it
// did not do nothing.
func (c *evidenceCase) wasAsked() bool {
	return slices.ContainsFunc(events(c.q.Witness.RecentEvents), func(e string) bool { return strings.HasPrefix(e, "a dialog (confirm") })
}

// promisedMore: the document stirred in ways nobody could read, but the control
// was to bring something to see. A clock stirs a document too.
func (c *evidenceCase) promisedMore() (finding, bool) {
	w := c.q.Witness
	if c.net || c.moved || c.jumped || c.stirred() || len(c.own) > 0 || w.Added+w.Removed > 0 || isTrue(w.TargetChanged) || c.noVisibleEffect() || !c.promises() || c.laidBare() || c.counted() && !c.lex.In(lexicon.Next, label(c.q.Target)) {
		return silent()
	}
	return found(0.3, "The document stirred, but %s should have brought something to see.", actionText(c.q))
}

// promises reports whether the control's kind or name promises a visible result.
func (c *evidenceCase) promises() bool {
	e := c.q.Target
	if c.q.Action.Name != action.Click || c.pages() {
		return false
	}
	return linkRoles[e.Role] || c.opensList() || c.sends() ||
		slices.ContainsFunc(key(label(e)), func(w string) bool {
			return createWords[w] || onWords[w] || w == "open" || w == "edit" || w == "menu"
		})
}
