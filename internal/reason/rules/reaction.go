package rules

import (
	"slices"
	"strings"
	"unicode"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
)

// Rules that judge what the page made of a click. What is counted as the action's
// doing has to belong to it: to lead where the link leads, to show what was
// entered, to stand beside the control.

// listOpened expects of a control with a popup that it opened and no more
// (spec: dropdown-aware verification).
func (c *evidenceCase) listOpened() (finding, bool) {
	if c.q.Action.Name != action.Click || !c.opensList() || c.moved {
		return silent()
	}
	name := quoted(label(c.q.Target))
	items := slices.ContainsFunc(c.q.Observations, page.Observation.OpensList)
	toggled := c.present && c.target.State.Expanded != c.q.Target.State.Expanded
	open := c.target.State.Expanded == "true"
	switch {
	case items && !(toggled && open) && !c.mentionsItem():
		return unsure("Something is open, but it does not say that it is that of %s.", name)
	case items, toggled && open && (c.blind() || len(c.appeared) > 0 || slices.ContainsFunc(c.texts, c.beside) || len(c.texts) > 0 && c.answeredTwice()):
		return found(0.92, "%s is open.", name)
	case toggled && !open && (len(c.gone) > 0 || !c.stirred()):
		return found(0.85, "%s is closed.", name)
	case toggled && open && c.alone():
		return found(0.2, "%s says that it is open, but nothing was shown.", name)
	case toggled:
		return unsure("%s says that it is open, but nothing was shown.", name)
	}
	return silent()
}

// opensList reads both pages: a record of the one before may be short.
func (c *evidenceCase) opensList() bool {
	return opensList(c.q.Target) || c.present && opensList(c.target)
}

func opensList(e page.Element) bool { return e.State.HasPopup || e.State.Expanded != "" }

func (c *evidenceCase) fieldFocused() (finding, bool) {
	if c.q.Action.Name != action.Click || !c.present || !isField(c.target) || len(c.own) > 0 || c.target.Role == "slider" {
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
		if strings.HasPrefix(e, "a download of ") || strings.HasPrefix(e, "a new window for ") {
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
		dated := digits(name) != "" && len([]rune(name)) <= 12 && hasYear(o.From+" "+o.To) && len(c.changed) <= 3
		switch {
		case dated && hasNumbers(o.To, name):
			return found(0.92, "%s was taken over.", quoted(name))
		case dated:
			return found(0.2, "Instead of %s another one was taken over: %s", quoted(name), quoted(o.To))
		case picked && name != "" && strings.Contains(o.To, name):
			return found(0.92, "%s was taken over.", quoted(name))
		}
	}
	return silent()
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
			t := toneOf(o.To)
			return t != busy && t != bad && t != mixed && !noWords.In(strings.ReplaceAll(o.To, d.Value, " "))
		}
		if slices.ContainsFunc(c.texts, shown) || slices.ContainsFunc(c.appeared, shown) {
			return found(0.9, "The page shows %s, which was entered.", quoted(d.Value))
		}
	}
	return silent()
}

// controlChanged: the control itself says that it was pressed. One that only
// became unusable says nothing.
func (c *evidenceCase) controlChanged() (finding, bool) {
	if c.q.Action.Name != action.Click || !c.present {
		return silent()
	}
	name, disabled := quoted(label(c.target)), c.lost()
	for _, o := range c.own {
		disabled = disabled || o.Attr == page.AttrDisabled
	}
	for _, o := range c.own {
		switch o.Attr {
		case page.AttrChecked, page.AttrSelected, page.AttrValue:
			if (c.narrowing() || c.target.Role == "columnheader") && !c.reacted() && !c.blind() {
				return unsure("%s changed, but what it is to change did not.", name)
			}
			return found(0.9, "%s changed: %s.", name, o.Text)
		case page.AttrText:
			if c.target.Role == "columnheader" && !c.reacted() && !c.blind() {
				return unsure("%s changed, but the rows did not.", name)
			}
			if disabled {
				return unsure("%s changed and cannot be used any more: %s.", name, o.Text)
			}
			if was := label(c.q.Target); mediaWords.In(was) || tracelessWords.In(was) {
				return unsure("%s changed: %s. Whether it did what it says cannot be read.", name, o.Text)
			}
			return found(0.85, "%s changed: %s.", name, o.Text)
		}
	}
	return silent()
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
	return c.q.Action.Name == action.Click && isFalse(c.q.Witness.NetworkOccurred) && !c.moved && c.keeps()
}

// keeps reports a control whose work is to be kept by a server.
func (c *evidenceCase) keeps() bool {
	e := c.q.Target
	name := label(e)
	return e.Role == "switch" || e.Role == "button" && (keepWords.In(name) || strings.ContainsAny(name, keepSigns))
}

// toldInstead: a button that was to send something sent nothing, and all that came
// of it is a line of text.
func (c *evidenceCase) toldInstead() (finding, bool) {
	if !c.clicks() || !isFalse(c.q.Witness.NetworkOccurred) || c.moved || c.jumped || !c.present && c.q.Action.Name == action.Click ||
		len(c.own)+len(c.changed)+len(c.appeared)+len(c.gone)+len(c.successes)+len(c.waits) > 0 || len(c.texts)+len(c.alerts) == 0 || len(c.texts) > 3 ||
		c.q.Witness.Added+c.q.Witness.Removed > banner || !c.hasFields() {
		return silent()
	}
	heard := events(c.q.Witness.RecentEvents)
	for _, o := range slices.Concat(c.alerts, c.texts) {
		if !c.told(o, heard) || c.answers(o.To) || wordless(o.To) {
			continue
		}
		if c.sends() || noWords.In(o.To) && isFalse(c.q.Witness.TargetChanged) && !isSearch(c.target) && !seekWords.In(label(c.q.Target)) && c.q.Action.Name == action.Click {
			return found(0.15, "Nothing was sent; the page says %s.", quoted(o.To))
		}
	}
	return silent()
}

// serverTook: what was sent from the page was answered and not refused, and nothing
// the page says speaks against it. A page that was loaded anew may say it in words
// nobody knows.
func (c *evidenceCase) serverTook() (finding, bool) {
	w := c.q.Witness
	confirms := c.q.Target.Role == "button" && !c.present && len(c.itemWords()) == 0 && !c.oneOfMany()
	if !c.sends() && !confirms || !c.net || c.moved || w.Direct == nil || len(w.Refused)+len(c.errors)+len(c.waits) > 0 || c.mixed || c.asked {
		return silent()
	}
	if !isSearch(c.target) && !c.narrowing() && slices.ContainsFunc(slices.Concat(c.texts, c.alerts), func(o page.Observation) bool { return noWords.In(o.To) }) {
		return unsure("It was sent, and the page says that something is not.")
	}
	return found(0.8, "It was sent, and the server did not refuse it.")
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

// itemGone: the control went, and with it only what belongs to it; or it was there
// to close something.
func (c *evidenceCase) itemGone() (finding, bool) {
	if c.q.Action.Name != action.Click || c.present || len(c.gone) == 0 || picks[c.q.Target.Role] {
		return silent()
	}
	name := label(c.q.Target)
	switch {
	case undoWords.In(name):
		return silent() // what was undone has to show
	case closeWords.In(name), strings.Trim(name, " ×✕✖✗⨯xX") == "" && name != "":
		return found(0.88, "%s is gone, with what it was there to close.", quoted(name))
	case c.rowGone(), c.net && len(c.appeared)+len(c.errors)+len(c.texts) == 0,
		len(c.gone) == 1 && len(c.changed)+len(c.appeared)+len(c.alerts) == 0 && c.q.Witness.Removed > c.q.Witness.Added && !c.alertGone():
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
	if picks[c.q.Target.Role] && len(c.gone) > 1 || undoWords.In(name) && !closeWords.In(name) {
		return found(0.2, "%s is gone, and nothing else has changed.", quoted(name))
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
	if c.q.Action.Name != action.Press || c.q.Action.Text != "Escape" || len(c.gone) == 0 || len(c.appeared) > 0 {
		return silent()
	}
	return found(0.88, "What was open is closed: %s.", c.gone[0].Text)
}

func (c *evidenceCase) alertGone() bool {
	return slices.ContainsFunc(c.q.Observations, func(o page.Observation) bool { return o.Kind == page.AlertGone })
}

// openedInPlace: what appeared stands right behind the control, or a field right
// before it.
func (c *evidenceCase) openedInPlace() (finding, bool) {
	if c.q.Action.Name != action.Click || !c.present || len(c.appeared) == 0 || c.moved {
		return silent()
	}
	elements := c.q.Page.Elements
	at := slices.IndexFunc(elements, func(e page.Element) bool { return e.Key == c.target.Key && e.ID == c.target.ID })
	is := func(i int) bool {
		return i >= 0 && i < len(elements) && slices.ContainsFunc(c.appeared, func(o page.Observation) bool { return o.Key == elements[i].Key })
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

// looksDifferent: a class or a style of the control, or of what it stands in, is
// all there is to see of a colour, a size, or a mark that went from one choice to
// another. Of anything else it may be no more than a mark.
func (c *evidenceCase) looksDifferent() (finding, bool) {
	if c.q.Action.Name != action.Click || !isTrue(c.q.Witness.TargetChanged) || !c.present || c.sends() || c.opensList() || len(c.errors) > 0 || c.lost() {
		return silent()
	}
	if c.sorts() {
		return unsure("%s looks different, but what it is to change did not.", quoted(label(c.target)))
	}
	if c.traceless() || c.oneOfMany() && c.answeredTwice() {
		return found(0.8, "%s looks different now.", quoted(label(c.target)))
	}
	return unsure("%s looks different; whether it did what it is for cannot be read.", quoted(label(c.target)))
}

// sorts reports a control whose work is to be seen on a list: by its name, by the
// user's words, or by the head of a column it stands in.
func (c *evidenceCase) sorts() bool {
	name := label(c.target)
	return c.narrowing() || slices.ContainsFunc(c.q.Page.Elements, func(e page.Element) bool {
		return e.Role == "columnheader" && (e.Key == c.target.Key || name != "" && strings.HasPrefix(e.Name, name))
	})
}

// unmoved reports that the client saw the page do nothing at once, and the control
// look as before: what changed meanwhile did so by itself, or after a while.
func (c *evidenceCase) unmoved() bool {
	w := c.q.Witness
	return isFalse(w.TargetChanged) && w.Direct != nil && *w.Direct == 0
}

// answered reports that the page did something at once, wherever.
func (c *evidenceCase) answered() bool { return c.q.Witness.Direct != nil && *c.q.Witness.Direct > 0 }

// alone reports that the client saw the page do one thing at once, and no more:
// the control's own state.
func (c *evidenceCase) alone() bool {
	w := c.q.Witness
	return w.Direct != nil && *w.Direct == 1 && w.Added+w.Removed == 0 && !c.net && len(c.texts)+len(c.appeared) == 0
}

// answeredTwice reports that it did more than one thing: the control's own state,
// and what hangs on it.
func (c *evidenceCase) answeredTwice() bool {
	return c.q.Witness.Direct != nil && *c.q.Witness.Direct >= 2
}

// nothingOfIt: nothing that belongs to the control has changed and nothing went
// out. What else changed on the page did so by itself.
func (c *evidenceCase) nothingOfIt() (finding, bool) {
	if !c.clicks() || c.net || c.moved || c.jumped || c.traceless() && !(c.unmoved() && wordless(label(c.q.Target))) || c.mutated() && !c.unmoved() {
		return silent()
	}
	if isTrue(c.q.Witness.TargetChanged) || c.answered() && !c.promises() {
		return silent()
	}
	if len(c.own)+len(c.changed)+len(c.appeared)+len(c.gone)+len(c.alerts) > 0 || slices.ContainsFunc(c.texts, c.beside) ||
		slices.ContainsFunc(c.numbers, func(o page.Observation) bool { return isCount(o.To) }) {
		return silent()
	}
	return found(0.15, "Nothing came of %s.", actionText(c.q))
}

// promisedMore: the document stirred in ways nobody could read, but the control
// was to bring something to see. A clock stirs a document too.
func (c *evidenceCase) promisedMore() (finding, bool) {
	w := c.q.Witness
	if c.net || c.moved || c.jumped || c.stirred() || len(c.own) > 0 || w.Added+w.Removed > 0 || isTrue(w.TargetChanged) || c.traceless() || !c.promises() ||
		slices.ContainsFunc(c.numbers, func(o page.Observation) bool { return isCount(o.To) }) {
		return silent()
	}
	return found(0.3, "The document stirred, but %s should have brought something to see.", actionText(c.q))
}

// promises reports whether the control's kind or name promises a visible result.
func (c *evidenceCase) promises() bool {
	e := c.q.Target
	if c.q.Action.Name != action.Click {
		return false
	}
	return linkRoles[e.Role] || c.opensList() || c.sends() ||
		slices.ContainsFunc(key(label(e)), func(w string) bool {
			return createWords[w] || onWords[w] || w == "open" || w == "edit" || w == "menu"
		})
}

// traceless reports a control whose work may leave nothing to read.
func (c *evidenceCase) traceless() bool {
	e := c.q.Target
	return c.q.Action.Name == action.Click && (wordless(label(e)) || tracelessWords.In(label(e)) || mediaWords.In(label(e)) || nowhere(e.Href))
}
