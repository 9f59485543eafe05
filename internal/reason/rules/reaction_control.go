package rules

import (
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/internal/reason/rules/lexicon"
)

// Rules that judge a click by what became of the control itself, and what the client
// saw of it.

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
	opened := toggled && open
	switch {
	case items && !opened && !c.mentionsItem():
		return unsure("Something is open, but it does not say that it is that of %s.", name)
	case items, opened && (c.blind() || len(c.appeared) > 0 || slices.ContainsFunc(c.texts, c.beside) || len(c.texts) > 0 && c.answeredTwice()):
		return found(0.92, "%s is open.", name)
	case toggled && !open && (len(c.gone) > 0 || !c.stirred()):
		return found(0.85, "%s is closed.", name)
	case opened && c.alone():
		return found(0.2, "%s says that it is open, but nothing was shown.", name)
	case !toggled && c.answered() && !c.stirred() && !c.net && !isTrue(c.q.Witness.TargetChanged):
		return found(0.2, "%s did not stay open.", name)
	case toggled:
		return unsure("%s says that it is open, but nothing was shown.", name)
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
	if len(c.own) > 0 && c.own[0].Attr == page.AttrText && c.alone() && len(c.changed)+len(c.gone)+len(c.alerts) == 0 {
		return unsure("%s changed, and nothing else did: %s.", name, c.own[0].Text)
	}
	for _, o := range c.own {
		disabled = disabled || o.Attr == page.AttrDisabled
	}
	for _, o := range c.own {
		switch o.Attr {
		case page.AttrChecked, page.AttrSelected, page.AttrValue:
			if (c.narrowing() || c.target.Role == "columnheader") && !c.brings() && !c.blind() {
				return unsure("%s changed, but what it is to change did not.", name)
			}
			return found(0.9, "%s changed: %s.", name, o.Text)
		case page.AttrText:
			if c.target.Role == "columnheader" && !c.reacted() && !c.blind() {
				return unsure("%s changed, but the rows did not.", name)
			}
			if strings.HasSuffix(o.To, "?") || strings.HasSuffix(o.To, "？") || strings.HasSuffix(o.To, "؟") {
				return unsure("%s asks now: %s.", name, o.Text)
			}
			if disabled {
				return unsure("%s changed and cannot be used any more: %s.", name, o.Text)
			}
			if was := label(c.q.Target); !c.net && (c.lex.In(lexicon.Media, was) || c.lex.In(lexicon.NoVisibleEffect, was)) {
				return unsure("%s changed: %s. Whether it did what it says cannot be read.", name, o.Text)
			}
			return found(0.85, "%s changed: %s.", name, o.Text)
		}
	}
	return silent()
}

// brings is reacted by more than the marks of other controls.
func (c *evidenceCase) brings() bool {
	marks := func(o page.Observation) bool {
		return o.Attr == page.AttrChecked || o.Attr == page.AttrSelected || o.Attr == page.AttrExpanded || o.Attr == page.AttrDisabled
	}
	return len(c.appeared)+len(c.gone)+len(c.alerts) > 0 || len(c.texts) > 1 || c.net && len(c.numbers) > 1 ||
		slices.ContainsFunc(c.changed, func(o page.Observation) bool { return !marks(o) })
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
	names := func(o page.Observation) bool { return strings.Contains(o.To, label(c.target)) } // the line it stands in
	others := slices.DeleteFunc(slices.Clone(c.texts), names)
	return w.Direct != nil && *w.Direct == 1 && w.Added+w.Removed == 0 && !c.net && len(others)+len(c.appeared) == 0
}

// answeredTwice reports that it did more than one thing: the control's own state,
// and what hangs on it.
func (c *evidenceCase) answeredTwice() bool {
	return c.q.Witness.Direct != nil && *c.q.Witness.Direct >= 2
}

// noVisibleEffect reports a control whose work may leave nothing to read.
func (c *evidenceCase) noVisibleEffect() bool {
	e := c.q.Target
	return c.q.Action.Name == action.Click && (wordless(label(e)) || c.lex.In(lexicon.NoVisibleEffect, label(e)) || c.lex.In(lexicon.Media, label(e)) || nowhere(e.Href))
}
