package interact

import (
	"context"

	"github.com/stepledger/stepledger/domain/chain"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/task"
)

// runRecoverChain goes on with a chain that stopped: the failed action again at its
// element's present place, or the rest without it. If nothing of it can be done
// without looking, what is left is decided anew.
func runRecoverChain(_ context.Context, t *turn) (outcome, error) {
	r := *t.recovery
	if len(r.Rest) == 0 {
		return succeeded, nil
	}
	if err := t.state.MayGoOn(t.Limits); err != nil {
		return t.endAtLimit(err)
	}
	items := t.itemsOf(r.Rest)
	first, target := r.Rest[0].Action, items[0].Target
	if len(items) < 2 {
		items = nil
	}
	if err := t.state.MayDoChain(first, target, items, t.Limits); err != nil {
		return t.endAtLimit(err)
	}
	thought := recoveryThoughts[r.Kind]
	err := t.do(task.GenerateAction{Limits: t.Limits, Generated: task.ActionGenerated{
		Kind: first.Name, Confidence: recoveryConfidence, By: t.pending.By, Recovery: string(r.Kind),
		Thought: thought, Action: first.String(), Target: target, Chain: items,
		Final: t.pending.Final && r.Next == len(t.pending.Chain), Before: t.now.Before(),
	}})
	if err != nil {
		return "", err
	}
	t.setActionAnswer("executing", thought, first, target)
	t.setChainAnswer(items)
	return decided, t.predict(first, page.Outcome{}, thought, t.pending.By)
}

// recoveryConfidence is that the rest of a chain works, which was safe as a whole.
const recoveryConfidence = 0.8

var recoveryThoughts = map[chain.Kind]string{
	chain.Retry: "One of the fields has moved. I go on with it where it is now.",
	chain.Skip:  "One of the fields could not be filled in. I go on with the others.",
}
