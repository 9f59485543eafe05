package interact

import (
	"fmt"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
)

// needFullDOM ends the turn with a request for the whole document where the
// page as sent lacks what is sought. It asks once: a client that answers with
// less has no more to show.
func (t *turn) needFullDOM(sought string) bool {
	reason, need := page.NeedFullDOM(t.now, sought)
	if !need || t.state.Last.Status == statusNeedsDOM {
		return false
	}
	t.status = statusNeedsDOM
	t.answer.Status, t.answer.NeedsFullDOMReason = "needs_full_dom", reason
	t.answer.RequestedElement = conceal(sought, t.secrets())
	t.answer.Thought = "I need to see the whole page before I can go on."
	t.answer.StepIndex = len(t.state.Steps)
	return true
}

// missing reports whether an action is for an element that the page as sent has
// not.
func (t *turn) missing(a action.Action) bool {
	_, ok := t.now.ByID(a.Target)
	return a.Target != "" && !ok
}

// formerly says what an element was that an earlier step of the task was for.
func (t *turn) formerly(id string) string {
	for _, step := range t.state.Steps {
		for _, a := range step.Attempts {
			if a.Target.ID == id && describe(a.Target) != "" {
				return describe(a.Target)
			}
		}
	}
	return fmt.Sprintf("the element with the id %q", id)
}
