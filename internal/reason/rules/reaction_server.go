package rules

import (
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
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
			t := toneOf(o.To)
			return t != busy && t != bad && t != mixed && !noWords.In(strings.ReplaceAll(o.To, d.Value, " "))
		}
		if slices.ContainsFunc(c.texts, shown) || slices.ContainsFunc(c.appeared, shown) {
			return found(0.9, "The page shows %s, which was entered.", quoted(d.Value))
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
		if c.sends() && !c.redrawnItself() || noWords.In(o.To) && isFalse(c.q.Witness.TargetChanged) && !isSearch(c.target) && !seekWords.In(label(c.q.Target)) && c.q.Action.Name == action.Click {
			return found(0.15, "Nothing was sent; the page says %s.", quoted(o.To))
		}
	}
	return silent()
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
