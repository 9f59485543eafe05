package interact

import (
	"encoding/json"
	"fmt"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
)

// askForFullDOM ends the turn by asking the client for the whole document.
func (t *turn) askForFullDOM(reason, element string) (outcome, error) {
	if err := t.state.MayAsk(t.Limits); err != nil {
		return t.stopAsking(err)
	}
	t.status = statusNeedsDOM
	t.answer.Status, t.answer.NeedsFullDOMReason = "needs_full_dom", reason
	t.answer.RequestedElement = conceal(element, t.secrets())
	t.answer.Thought = "I need to see the whole page before I can go on."
	t.answer.StepIndex = len(t.state.Steps)
	return asked, nil
}

// needsFullDOM returns why the whole document is needed to find an element ("" for
// any element at all). It asks once: a client that sends no more the second time has
// no more.
func (t *turn) needsFullDOM(sought string) (reason string, need bool) {
	reason, need = page.NeedFullDOM(t.now, sought)
	return reason, need && !t.alreadyAskedForDOM(reason)
}

// wantsWhole reports whether the whole page is needed before a question, a failure or an
// end that could rest on what the client left out of a partial one.
func (t *turn) wantsWhole() bool { return t.now.Partial() && !t.alreadyAskedForDOM(page.ReasonPartial) }

// alreadyAskedForDOM reports whether the previous turn asked for the document for
// this reason.
func (t *turn) alreadyAskedForDOM(reason string) bool {
	if t.state.Last.Status != statusNeedsDOM {
		return false
	}
	var before Answer
	return json.Unmarshal(t.state.Last.Answer, &before) == nil && before.NeedsFullDOMReason == reason
}

// targetMissing reports whether the page does not have the action's element.
func (t *turn) targetMissing(a action.Action) bool {
	_, ok := t.now.ByID(a.Target)
	return a.Target != "" && !ok
}

// describeEarlier describes the element with the id as an earlier step of the task
// saw it.
func (t *turn) describeEarlier(id string) string {
	for _, step := range t.state.Steps {
		for _, a := range step.Attempts {
			if a.Target.ID == id && describe(a.Target) != "" {
				return describe(a.Target)
			}
		}
	}
	return fmt.Sprintf("the element with the id %q", id)
}
