package rules

import (
	"slices"

	"github.com/stepledger/stepledger/domain/action"
)

// doubt is what speaks against a success that a rule has found.
type doubt struct {
	says  string
	about func(verdictRule) bool
	holds func(*evidenceCase) bool
}

// doubts in the order they are asked. One is enough to leave a success open.
var doubts = []doubt{
	{"But it has not been answered yet.", byAny, (*evidenceCase).unanswered},
	{"But a script of the page gave up.", byPage, (*evidenceCase).scriptGaveUp},
	{"But it speaks of another one.", byPage, func(c *evidenceCase) bool { return c.clicks() && c.standsAsItWas() && c.speaksOfAnother() }},
	{"But it does not say which one it is about.", byPage, func(c *evidenceCase) bool {
		return c.isClick() && c.standsAsItWas() && len(c.sameDeed()) > 1 && !c.mentionsItem()
	}},
	{"But several are called alike, and nothing says which one it is about.", byPage, func(c *evidenceCase) bool { return c.isClick() && c.isTwin() && c.standsAsItWas() && !c.saysAsked() }},
	{"But another one was chosen.", byPage, func(c *evidenceCase) bool { return c.clicks() && c.anotherChosen() }},
	{"But it names nothing of what was asked or entered.", byNews, func(c *evidenceCase) bool { return c.isClick() && c.saysNothing() }},
	{"But what changed is not what the user named.", byAny, func(c *evidenceCase) bool { return c.clicks() && c.changedUnasked() }},
	{"But the page speaks of another one than the user did.", byAny, func(c *evidenceCase) bool { return c.isClick() && c.saysUnasked() }},
	{"But what is gone is not what the user named.", byAny, func(c *evidenceCase) bool { return c.isClick() && c.tookUnasked() }},
	{"But it took the place of another.", byPage, func(c *evidenceCase) bool { return c.isClick() && c.displaced() }},
	{"But it names another number than the user did.", byAny, func(c *evidenceCase) bool { return c.isClick() && c.otherNumber() }},
	{"But it stands in another row than what the user named.", byPage, func(c *evidenceCase) bool { return c.isClick() && c.inAnotherRow() }},
	{"But it does not say that it is about what the user named.", byWord, func(c *evidenceCase) bool { return c.isClick() && c.keepsSilent() }},
	{"But it names another choice than was made.", byPage, func(c *evidenceCase) bool {
		return c.clicks() && slices.ContainsFunc(c.filled(), c.namedWithAnother)
	}},
	{"But the page did not answer the action: it changed by itself, or later.", byMarkup, func(c *evidenceCase) bool {
		return !c.net && !c.moved && c.unmoved()
	}},
	{"But it stands at another one.", byMarkup, func(c *evidenceCase) bool { return c.isClick() && c.standsAtAnother() }},
	{"But something is chosen elsewhere that nobody asked for.", byMarkup, func(c *evidenceCase) bool { return c.clicks() && c.chosenElse() }},
	{"But nothing was sent: it may not last.", byPage, (*evidenceCase).mayNotLast},
}

// doubt is what speaks against a success of the rule, "" if nothing.
func (c *evidenceCase) doubt(r verdictRule) string {
	for _, d := range doubts {
		if d.about(r) && d.holds(c) {
			return d.says
		}
	}
	return ""
}

func (c *evidenceCase) isClick() bool { return c.q.Action.Name == action.Click }

// standsAsItWas reports a control that is there and shows no change.
func (c *evidenceCase) standsAsItWas() bool { return c.present && len(c.own) == 0 }

// unanswered reports requests of the action that no server has answered.
func (c *evidenceCase) unanswered() bool {
	n := c.q.Witness.Pending
	return c.clicks() && n != nil && *n > 0
}

// scriptGaveUp reports an error of a script, where nothing else would have done what
// the page shows.
func (c *evidenceCase) scriptGaveUp() bool {
	n := c.q.Witness.ScriptErrors
	return !c.net && !c.moved && n != nil && *n > 0
}
