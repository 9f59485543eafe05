package rules

import (
	"regexp"
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/internal/reason/rules/lexicon"
)

// The rules of a verdict, in the order of verdictRules. Each speaks only where it
// knows; confidences are the probability that the action succeeded. These judge
// what was reported and the element itself; reaction*.go have those that judge what
// the page made of a click.

func (c *evidenceCase) clientError() (finding, bool) {
	w := c.q.Witness
	switch {
	case c.q.MaySubmit && w.Error != nil && !notReached(*w.Error) && len(c.successes) > 0 && len(c.errors) == 0:
		return silent() // it was sent: the page says what came of it
	case c.q.MaySubmit && w.Error != nil && mayHaveSent(*w.Error):
		return unsure("The browser lost sight of it before its end; it may have been sent.")
	case w.Error != nil && w.Error.Message != "" && !c.q.Target.State.Secret: // the message may repeat the secret
		return found(0.05, "The browser could not do it: %s", quoted(w.Error.Message))
	case w.Error != nil && w.Error.Code != "":
		return found(0.05, "The browser could not do it (%s).", w.Error.Code)
	case w.Error != nil, w.Status == "failure":
		return found(0.05, "The browser could not do it.")
	}
	return silent()
}

// mayHaveSent reports an error that came after the action began, so that it does not
// say that nothing was done.
func mayHaveSent(e page.ActionError) bool {
	said := strings.ToLower(e.Code + " " + e.Message)
	return slices.ContainsFunc([]string{"timeout", "timed out", "context was destroyed", "net::err", "network", "connection", "target closed"},
		func(sign string) bool { return strings.Contains(said, sign) })
}

// notReached reports an error that says that the element was never acted on.
func notReached(e page.ActionError) bool {
	return slices.Contains([]string{"ELEMENT_NOT_FOUND", codeNotVisible, codeDisabled, codeOccluded}, e.Code)
}

func (c *evidenceCase) nothingToVerify() (finding, bool) {
	switch a := c.q.Action; {
	case len(c.q.Witness.Refused) > 0 && !a.EndsTask(): // the client reports that something failed
		return silent()
	case a.Name == action.Wait, a.Name == action.Scroll, a.Name == action.Hover, a.OnServer(), a.EndsTask():
		return found(0.95, "%s needs no check, and no error was reported.", a.Name)
	}
	return silent()
}

// requestRefused beats every word of success: a page can say "submitted!" over a
// server that answered 500.
func (c *evidenceCase) requestRefused() (finding, bool) {
	r, ok := refusal(c.q.Witness)
	switch {
	case !ok:
		return silent()
	case c.q.Action.Name == action.SetValue: // the field may hold it all the same
		if f, ok := c.fieldValue(); ok && !f.unsure && f.confidence < reasoning.SuccessThreshold {
			return silent()
		}
		return unsure("The server refused something. %s.", r.String())
	}
	return found(0.08, "The server refused it. %s.", r.String())
}

// reacted is stirred by more than one line of text, which may be a banner's.
func (c *evidenceCase) reacted() bool {
	return len(c.changed)+len(c.appeared)+len(c.gone)+len(c.alerts) > 0 || len(c.texts) > 1 || c.net && len(c.numbers) > 1
}

// narrows reports a control whose value says what a list is to show.
func (c *evidenceCase) narrows(e page.Element) bool {
	return isSearch(e) || c.lex.In(lexicon.Narrow, label(e))
}

// errorAppeared comes before every sign of success.
func (c *evidenceCase) errorAppeared() (finding, bool) {
	if c.q.Action.Name == action.SetValue {
		return silent() // a complaint about a half-filled form is no failure to type
	}
	if says := errorPage(c.q.Page); says != "" && (c.moved || len(c.gone) > 0) {
		return found(0.08, "An error page was opened: %s", quoted(says))
	}
	if says := slices.Concat(c.complaints, c.errors); len(says) > 0 && c.net && c.q.Witness.Direct != nil && len(c.q.Witness.Refused) == 0 {
		return unsure("The server took it, and the page says %s.", quoted(says[0]))
	}
	if len(c.complaints) > 0 {
		return found(0.08, "The page reports an error: %s", quoted(c.complaints[0]))
	}
	if len(c.errors) > 0 && len(c.waits) > 0 {
		return unsure("The page is still at it: %s", quoted(c.waits[0]))
	}
	if len(c.errors) > 0 && c.took() {
		return unsure("%s did what it is for, and the page says %s.", quoted(label(c.q.Target)), quoted(c.errors[0]))
	}
	if len(c.errors) > 0 && len(c.successes) == 0 && !c.mixed {
		return found(0.08, "The page reports an error: %s", quoted(c.errors[0]))
	}
	for _, o := range slices.Concat(c.own, c.changed, c.texts, c.alerts) {
		if spoilt.MatchString(o.To) && !spoilt.MatchString(o.From) {
			return found(0.15, "The page shows %s.", quoted(o.To))
		}
	}
	for _, o := range slices.Concat(c.own, c.changed) {
		if o.Attr == page.AttrInvalid && o.To == "true" {
			return found(0.12, "The page marks a field as wrong: %s", quoted(o.Text))
		}
	}
	if len(c.errors) > 0 || c.mixed {
		return found(0.3, "What the page says is good and bad at once.")
	}
	if c.sends() && !c.moved {
		for _, a := range c.q.Page.Alerts { // the same complaint again appears as no change
			if a.Kind == page.AlertError && !c.namesControls(a.Text) {
				return found(0.12, "The page still reports an error: %s", quoted(a.Text))
			}
		}
	}
	if isFalse(c.q.Witness.SentinelPassed) && c.q.Witness.SentinelMessage != "" && !c.moved && !c.stirred() {
		return found(0.2, "The client's own check failed: %s", quoted(c.q.Witness.SentinelMessage))
	}
	return silent()
}

// took reports that the target says of itself that it is chosen or open now.
func (c *evidenceCase) took() bool {
	return slices.ContainsFunc(c.own, func(o page.Observation) bool {
		return (o.Attr == page.AttrSelected || o.Attr == page.AttrExpanded || o.Attr == page.AttrChecked) && o.To == "true"
	})
}

// spoilt is what scripts write where they had no value.
var spoilt = regexp.MustCompile(`(^|\W)(NaN|undefined|\[object Object\]|Invalid Date)(\W|$)`)

func (c *evidenceCase) nothingChanged() (finding, bool) {
	if c.q.Action.Name == action.Navigate || !page.NothingChanged(c.q.Before, c.q.Page, c.q.Witness) {
		return silent()
	}
	if c.q.Action.Name == action.Click && c.present && isTick(c.target) {
		return silent() // it may have been in that state, which choiceState tells
	}
	if c.q.Action.Name == action.SetValue {
		return silent()
	}
	if c.q.Before.DOMHash != c.q.Page.DOMHash {
		return found(reasoning.NoChangeConfidence, "Nothing that can be seen changed after %s.", actionText(c.q))
	}
	return found(reasoning.NoChangeConfidence, "Nothing changed after %s.", actionText(c.q))
}

func (c *evidenceCase) addressOpened() (finding, bool) {
	same := func(a, b string) bool { return strings.TrimSuffix(a, "/") == strings.TrimSuffix(b, "/") }
	switch a := c.q.Action; {
	case a.Name != action.Navigate && a.Name != action.GoBack:
		return silent()
	case c.moved && a.Name == action.Navigate && c.askedToLogIn():
		return found(0.15, "Instead of it a page to log in was opened: %s", c.q.Page.URL)
	case c.moved && c.badPage() != "":
		return found(0.15, "A page was opened which says: %s", quoted(c.badPage()))
	case c.moved && c.addressOnly():
		return found(0.25, "The address changed to %s, but the page did not.", c.q.Page.URL)
	case c.moved && !c.reacted() && !c.blind():
		return unsure("The address changed to %s, but the page did not.", c.q.Page.URL)
	case a.Name == action.Navigate && same(a.Text, c.q.Page.URL):
		return found(0.95, "%s is open.", a.Text)
	case a.Name == action.Navigate && c.moved && !strings.HasPrefix(place(c.q.Page.URL), place(a.Text)):
		return unsure("Another address was opened: %s", c.q.Page.URL)
	case a.Name == action.Navigate && c.moved, a.Name == action.GoBack && c.moved:
		return found(0.9, "The browser went to another page.")
	case a.Name == action.Navigate:
		return found(0.15, "The address did not open: the browser is still on the same page.")
	}
	return silent()
}

// underWay leaves open what has not ended: a spinner is no success and no failure.
func (c *evidenceCase) underWay() (finding, bool) {
	if !c.clicks() || c.moved || len(c.waits) == 0 || len(c.successes) > 0 {
		return silent()
	}
	return unsure("The page is still at it: %s", quoted(c.waits[0]))
}

// choiceState reads the state of a checkbox, switch, radio or option clicked, and
// whether what hangs on it followed.
func (c *evidenceCase) choiceState() (finding, bool) {
	if c.q.Action.Name != action.Click || !c.present {
		return silent()
	}
	name, was, is := quoted(label(c.target)), c.q.Target.State, c.target.State
	switch {
	case c.target.Role == "radio" && is.Checked == "true":
		return found(0.95, "%s is selected.", name)
	case isTick(c.target) && is.Checked == was.Checked && is.Checked != "" && len(c.appeared) >= 2:
		return unsure("%s did not change, but something came up: %s.", name, c.appeared[0].Text)
	case c.target.Role == "radio" && is.Checked == "false" && (c.sameLook() || c.anotherRadio()):
		return found(0.1, "%s is not selected.", name)
	case isTick(c.target) && is.Checked != was.Checked:
		return c.tickChanged(name)
	case isTick(c.target) && is.Checked != "" && (c.sameLook() || c.redrawnItself() && !c.stirred() && !c.net):
		return found(0.15, "%s did not change.", name)
	case isTick(c.target):
		return unsure("The page changed, but %s shows nothing of it.", name)
	case (c.target.Role == "tab" || c.target.Role == "option") && is.Selected:
		if c.target.Role == "tab" && !c.consequence() && !c.blind() {
			return unsure("%s is selected, but nothing else was shown.", name)
		}
		return found(0.9, "%s is selected.", name)
	}
	return silent()
}

// anotherRadio reports that one other than the target was chosen.
func (c *evidenceCase) anotherRadio() bool {
	return slices.ContainsFunc(c.changed, func(o page.Observation) bool {
		e, ok, _ := c.again(o.Key)
		return ok && e.Role == "radio" && o.Attr == page.AttrChecked && o.To == "true"
	})
}

// sameLook reports that the control looks as before, by what the client saw of it;
// of a client that does not say, by nothing having changed.
func (c *evidenceCase) sameLook() bool {
	if t := c.q.Witness.TargetChanged; t != nil {
		return !*t
	}
	return !c.mutated()
}

// tickChanged: one that stands for all takes the others with it, one that narrows
// a list changes the list, and none takes others along unasked.
func (c *evidenceCase) tickChanged(name string) (finding, bool) {
	others := slices.ContainsFunc(c.changed, func(o page.Observation) bool { return o.Attr == page.AttrChecked })
	text := map[string]string{"true": "checked", "mixed": "partly checked", "false": "unchecked", "": "unchecked"}[c.target.State.Checked]
	switch all := c.lex.In(lexicon.All, label(c.target)); {
	case all && !others && len(c.boxes()) > 2:
		return found(0.25, "%s is now %s, and the others did not follow.", name, text)
	case all && !c.alike():
		return found(0.3, "%s is now %s, but not all others are.", name, text)
	case !others && !all && (c.asksFor(lexicon.All) && len(c.boxesAfter()) >= 2 || c.mayStandForAll()):
		return unsure("%s is now %s; whether it stands for the boxes after it is open.", name, text)
	case others && !all:
		return unsure("%s is now %s, and others with it.", name, text)
	}
	return found(0.95, "%s is now %s.", name, text)
}

// mayStandForAll reports a box before others that are called alike, whose own words
// are found nowhere else: a box of one row says what the row says.
func (c *evidenceCase) mayStandForAll() bool {
	var after [][]string
	for _, e := range c.boxesAfter() {
		after = append(after, key(label(e)))
	}
	if len(after) < 2 || !sharesEnd(after[0], after[1]) {
		return false
	}
	own, said := apartWords(key(label(c.target)), after[0]), map[string]bool{}
	for _, line := range c.pageLines() {
		if line != label(c.target) {
			for _, w := range key(line) {
				said[w] = true
			}
		}
	}
	return !slices.ContainsFunc(own, func(w string) bool { return said[w] })
}

// sharesEnd reports two names that begin or end with the same word, as those of rows
// do.
func sharesEnd(a, b []string) bool {
	return min(len(a), len(b)) > 1 && (a[0] == b[0] || a[len(a)-1] == b[len(b)-1])
}

// boxesAfter are the boxes behind the target.
func (c *evidenceCase) boxesAfter() []page.Element {
	boxes := c.boxes()
	at := slices.IndexFunc(boxes, func(e page.Element) bool { return e.Key == c.target.Key })
	if at < 0 {
		return nil
	}
	return boxes[at+1:]
}

// boxes are those of the page, in order.
func (c *evidenceCase) boxes() []page.Element {
	return slices.DeleteFunc(slices.Clone(c.q.Page.Elements), func(e page.Element) bool {
		return !tickRoles[e.Role] || e.Role == "switch" || e.State.Hidden || e.State.Disabled
	})
}

// alike reports whether no box was left behind: one that is called like those that
// followed, or stands in the target's group; nor most of those behind the target, or
// before it where it is the last.
func (c *evidenceCase) alike() bool {
	followed := map[string]bool{}
	n := 0
	for _, o := range c.changed {
		if e, ok, _ := c.again(o.Key); ok && o.Attr == page.AttrChecked {
			n++
			for _, w := range ends(key(label(e))) {
				followed[w] = true
			}
		}
	}
	of := len(c.boxesAfter())
	if of == 0 {
		of = len(c.boxes()) - 1
	}
	if 2*n < of {
		return false
	}
	return !slices.ContainsFunc(c.boxes(), func(e page.Element) bool {
		return e.State.Checked != c.target.State.Checked &&
			(e.Group == c.target.Group && e.Group != "" || slices.ContainsFunc(ends(key(label(e))), func(w string) bool { return followed[w] }))
	})
}

// ends are the first word and the last.
func ends(ws []string) []string {
	if len(ws) == 0 {
		return nil
	}
	return []string{ws[0], ws[len(ws)-1]}
}

// consequence reports that something other than the row of tabs has changed.
func (c *evidenceCase) consequence() bool {
	other := func(o page.Observation) bool {
		role, _, _ := strings.Cut(o.Key, "|")
		return role != "tab"
	}
	return slices.ContainsFunc(c.changed, func(o page.Observation) bool { return other(o) || o.Attr != page.AttrSelected }) ||
		slices.ContainsFunc(c.appeared, other) || slices.ContainsFunc(c.gone, other) || len(c.texts) > 1
}
