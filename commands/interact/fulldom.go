package interact

import (
	"encoding/json"
	"fmt"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
)

// needFullDOM ends the turn with a request for the page.
func (t *turn) needFullDOM(reason, element string) (outcome, error) {
	if err := t.state.MayAsk(t.Limits); err != nil {
		return t.unheard(err)
	}
	t.status = statusNeedsDOM
	t.answer.Status, t.answer.NeedsFullDOMReason = "needs_full_dom", reason
	t.answer.RequestedElement = conceal(element, t.secrets())
	t.answer.Thought = "I need to see the whole page before I can go on."
	t.answer.StepIndex = len(t.state.Steps)
	return asked, nil
}

// lacks says why the whole document is needed, where the page as sent lacks what is
// sought ("" for anything at all). It is asked for once: a client that answers with no
// more has no more to show.
func (t *turn) lacks(sought string) (reason string, need bool) {
	reason, need = page.NeedFullDOM(t.now, sought)
	return reason, need && !t.wasAsked(reason)
}

// wasAsked reports whether the turn before asked for the page for this reason.
func (t *turn) wasAsked(reason string) bool {
	if t.state.Last.Status != statusNeedsDOM {
		return false
	}
	var before Answer
	return json.Unmarshal(t.state.Last.Answer, &before) == nil && before.NeedsFullDOMReason == reason
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
