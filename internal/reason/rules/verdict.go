package rules

import (
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
)

// The rules of a verdict, in the order of verdictRules. Each speaks only where
// it knows; confidences are the probability that the action succeeded.

func (c *evidenceCase) clientError() (finding, bool) {
	w := c.q.Witness
	switch {
	case w.Error != nil && w.Error.Message != "" && !c.q.Target.State.Secret: // the message may repeat the secret
		return found(0.05, "The browser could not do it: %s", quoted(w.Error.Message))
	case w.Error != nil && w.Error.Code != "":
		return found(0.05, "The browser could not do it (%s).", w.Error.Code)
	case w.Error != nil, w.Status == "failure":
		return found(0.05, "The browser could not do it.")
	}
	return silent()
}

func (c *evidenceCase) nothingToVerify() (finding, bool) {
	switch a := c.q.Action; {
	case a.Name == action.Wait, a.Name == action.Scroll, a.Name == action.Hover, a.OnServer(), a.EndsTask():
		return found(0.95, "%s needs no check, and no error was reported.", a.Name)
	}
	return silent()
}

// fieldValue reads the field itself: what it holds decides, whatever else
// happened on the page. Secret fields do not tell.
func (c *evidenceCase) fieldValue() (finding, bool) {
	if c.q.Action.Name != action.SetValue || !c.present {
		return silent()
	}
	name, want := quoted(label(c.target)), c.q.Action.Text
	switch e := c.target; {
	case e.State.Secret || c.q.Target.State.Secret:
		return c.secretValue(name)
	case len(e.Options) > 0:
		return selected(e, name, want)
	case sameValue(want, e.Value), e.Type == "date" && sameISO(want, e.Value):
		return found(0.97, "The field %s now holds what was entered.", name)
	case e.Value == "":
		return found(0.1, "The field %s is still empty.", name)
	case isTick(e):
		return silent()
	default:
		return found(0.15, "The field %s holds %s instead of what was entered.", name, quoted(e.Value))
	}
}

func (c *evidenceCase) secretValue(name string) (finding, bool) {
	w := c.q.Witness
	switch {
	case len(c.newErrors) > 0 || c.target.State.Invalid && !c.q.Target.State.Invalid:
		return silent()
	case isTrue(w.DOMMutated), isTrue(w.ElementFound), isTrue(w.SentinelPassed), w.Status == "success":
		return found(0.85, "%s is a secret field and cannot be read; the browser entered the value without an error.", name)
	}
	return found(0.75, "%s is a secret field and cannot be read; no error was reported.", name)
}

func selected(e page.Element, name, want string) (finding, bool) {
	o, ok := optionOf(e, want)
	if ok && (o.Selected || e.Value != "" && (sameText(e.Value, o.Label) || sameText(e.Value, o.Value))) {
		return found(0.97, "%s is selected in %s.", quoted(o.Label), name)
	}
	if !ok {
		return found(0.1, "%s has no option %s.", name, quoted(want))
	}
	return found(0.1, "%s is not selected in %s.", quoted(o.Label), name)
}

// errorAppeared beats every word of success: a page can say "submitted!" over
// a server that refused.
func (c *evidenceCase) errorAppeared() (finding, bool) {
	if c.q.Action.Name == action.SetValue {
		return silent() // a complaint about a half-filled form is no failure to type
	}
	if len(c.newErrors) > 0 {
		return found(0.08, "The page reports an error: %s", quoted(c.newErrors[0]))
	}
	if says := errorPage(c.q.Page); says != "" && c.moved {
		return found(0.08, "An error page was opened: %s", quoted(says))
	}
	for _, o := range c.changed {
		if o.Attr == page.AttrInvalid && o.To == "true" {
			return found(0.12, "The page marks a field as wrong: %s", quoted(o.Text))
		}
	}
	if c.sends() && !c.moved {
		for _, a := range c.q.Page.Alerts { // the same complaint again appears as no change
			if a.Kind == page.AlertError {
				return found(0.12, "The page still reports an error: %s", quoted(a.Text))
			}
		}
	}
	if isFalse(c.q.Witness.SentinelPassed) && c.q.Witness.SentinelMessage != "" && !c.moved && len(c.changed) == 0 {
		return found(0.2, "The client's own check failed: %s", quoted(c.q.Witness.SentinelMessage))
	}
	return silent()
}

// sends reports whether the action was to send a form.
func (c *evidenceCase) sends() bool {
	a := c.q.Action
	return a.Name == action.Press && a.Text == "Enter" || a.Name == action.Click && c.q.Target.Role == "button" && isSubmitWord(label(c.q.Target))
}

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
	return found(reasoning.NoChangeConfidence, "Nothing changed after %s.", actionText(c.q))
}

func (c *evidenceCase) addressOpened() (finding, bool) {
	same := func(a, b string) bool { return strings.TrimSuffix(a, "/") == strings.TrimSuffix(b, "/") }
	switch a := c.q.Action; {
	case a.Name == action.Navigate && same(a.Text, c.q.Page.URL):
		return found(0.95, "%s is open.", a.Text)
	case a.Name == action.Navigate && c.moved, a.Name == action.GoBack && c.moved:
		return found(0.9, "The browser went to another page.")
	case a.Name == action.Navigate:
		return found(0.15, "The address did not open: the browser is still on the same page.")
	}
	return silent()
}

// choiceState reads the state of a checkbox, switch, radio or option clicked.
func (c *evidenceCase) choiceState() (finding, bool) {
	if c.q.Action.Name != action.Click || !c.present {
		return silent()
	}
	name, was, is := quoted(label(c.target)), c.q.Target.State, c.target.State
	switch {
	case c.target.Role == "radio" && is.Checked == "true":
		return found(0.95, "%s is selected.", name)
	case c.target.Role == "radio" && is.Checked == "false":
		return found(0.1, "%s is not selected.", name)
	case isTick(c.target) && is.Checked != was.Checked:
		return found(0.95, "%s is now %s.", name, map[string]string{"true": "checked", "mixed": "partly checked", "false": "unchecked", "": "unchecked"}[is.Checked])
	case isTick(c.target) && is.Checked != "":
		return found(0.15, "%s did not change.", name)
	case (c.target.Role == "tab" || c.target.Role == "option") && is.Selected:
		return found(0.9, "%s is selected.", name)
	}
	return silent()
}

// listOpened expects of a control with a popup that it opened and no more
// (spec: dropdown-aware verification).
func (c *evidenceCase) listOpened() (finding, bool) {
	if c.q.Action.Name != action.Click || !c.opensList() {
		return silent()
	}
	name := quoted(label(c.q.Target))
	items := slices.ContainsFunc(c.changed, func(o page.Observation) bool {
		role, _, _ := strings.Cut(o.Key, "|")
		return o.Kind == page.ElementAppeared && slices.Contains([]string{"menuitem", "option", "listitem", "list", "listbox", "menu", "menuitemradio", "treeitem"}, role)
	})
	toggled := c.present && c.target.State.Expanded != c.q.Target.State.Expanded
	switch {
	case c.moved:
		return silent()
	case items, c.q.Witness.DropdownOpened, toggled && c.target.State.Expanded == "true":
		return found(0.92, "%s is open.", name)
	case toggled:
		return found(0.85, "%s is closed.", name)
	case c.present && c.target.State.Expanded == "true" && len(c.changed) > 0:
		return found(0.75, "%s is open.", name)
	}
	return silent()
}

// opensList reads both pages: a record of the one before may be short.
func (c *evidenceCase) opensList() bool {
	return opensList(c.q.Target) || c.present && opensList(c.target)
}

func opensList(e page.Element) bool { return e.State.HasPopup || e.State.Expanded != "" }

func (c *evidenceCase) successMessage() (finding, bool) {
	if c.q.Action.Name == action.SetValue || len(c.newSuccess) == 0 {
		return silent()
	}
	return found(0.95, "The page says %s.", quoted(c.newSuccess[0]))
}

func (c *evidenceCase) urlChanged() (finding, bool) {
	if !c.moved || c.q.Action.Name != action.Click && c.q.Action.Name != action.Press {
		return silent()
	}
	return found(0.9, "Another page was opened: %s", c.q.Page.URL)
}

func (c *evidenceCase) fieldFocused() (finding, bool) {
	if c.q.Action.Name != action.Click || !c.present || !isField(c.target) {
		return silent()
	}
	if c.target.State.Focused || c.target.ID == c.q.Page.ActiveElement {
		return found(0.9, "The field %s has the focus.", quoted(label(c.target)))
	}
	return silent()
}

func (c *evidenceCase) elementsChanged() (finding, bool) {
	if c.q.Action.Name == action.SetValue || len(c.changed) == 0 {
		return silent()
	}
	for _, kind := range []page.ObservationKind{page.AlertAppeared, page.ElementAppeared, page.ElementChanged, page.ElementGone} {
		if i := slices.IndexFunc(c.changed, func(o page.Observation) bool { return o.Kind == kind }); i >= 0 {
			return found(0.85, "The page reacted: %s.", c.changed[i].Text)
		}
	}
	return silent()
}

func (c *evidenceCase) sentinel() (finding, bool) {
	if w := c.q.Witness; isTrue(w.SentinelPassed) || isTrue(w.HasSuccess) {
		return found(0.85, "The client's own check of the outcome passed.")
	} else if isFalse(w.SentinelPassed) {
		return found(0.3, "The client's own check of the outcome failed, and nothing on the page shows an effect.")
	}
	return silent()
}

// onlyWitnessed weighs what the client saw where the page shows nothing. About
// one effective click in twelve changes nothing readable (a colour, a text), so
// a mutation counts for controls that may do just that. A control that promises
// something to see, a link or "New", has not kept its promise: a ticking clock
// mutates the document too.
func (c *evidenceCase) onlyWitnessed() (finding, bool) {
	w := c.q.Witness
	switch mutated := isTrue(w.DOMMutated) || w.Added+w.Removed > 0; {
	case c.q.Action.Name == action.SetValue && !c.present && (mutated || isTrue(w.NetworkOccurred)):
		return silent()
	case c.promises() && (mutated || isTrue(w.NetworkOccurred)):
		if c.sends() && isTrue(w.NetworkOccurred) {
			return found(0.72, "The page sent something in the background and shows no error.")
		}
		return found(0.35, "The document stirred, but %s should have brought something to see.", actionText(c.q))
	case isTrue(w.NetworkOccurred):
		return found(0.75, "The page talked to its server in the background.")
	case mutated:
		return found(0.7, "The client saw the page change, though nothing readable did.")
	}
	return silent()
}

// promises reports whether the control's kind or name promises a visible result.
func (c *evidenceCase) promises() bool {
	e := c.q.Target
	if c.q.Action.Name != action.Click {
		return false
	}
	return e.Role == "link" || e.Role == "menuitem" || c.opensList() || c.sends() ||
		slices.ContainsFunc(key(label(e)), func(w string) bool {
			return createWords[w] || onWords[w] || w == "open" || w == "edit" || w == "menu"
		})
}

// documentOnly: the document differs in ways nobody could read, and nobody
// witnessed why. For a control that promised a result that is a failure.
func (c *evidenceCase) documentOnly() (finding, bool) {
	if c.promises() && !c.moved && len(c.changed) == 0 {
		return found(0.25, "Nothing to see changed after %s.", actionText(c.q))
	}
	return silent()
}
