package tasktest

import (
	"fmt"
	"slices"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/task"
)

// chain is the account of an attempt that is several actions.
type chain struct {
	// does names what each action does, and to what, whatever ids the page gives.
	does, texts []string
	stopped     bool
	executed    []string
}

func chainOf(e task.ActionGenerated) chain {
	items := e.Chain
	if len(items) == 0 {
		items = []task.ChainItem{{Action: e.Action, Target: e.Target}}
	}
	var c chain
	for _, i := range items {
		a, _ := action.Parse(i.Action)
		c.does = append(c.does, fmt.Sprint(a.Name, i.Target.Role, i.Target.Name, i.Target.Group, a.Text))
		c.texts = append(c.texts, i.Action)
	}
	return c
}

// checkChain: a chain has at least two actions and submits nothing, and one that goes
// on after a stop repeats nothing that was executed.
func (b *history) checkChain(e task.ActionGenerated) string {
	last, c := b.lastAttempt(), chainOf(e)
	switch {
	case len(e.Chain) == 1 || len(e.Chain) > 0 && e.Chain[0].Action != e.Action:
		return "it is no chain"
	case len(e.Chain) > 0 && e.MaySubmit:
		return "a chain may submit"
	case e.Recovery == "":
		return ""
	case last == nil || !last.chain.stopped:
		return "it goes on with a chain, and none has stopped"
	}
	for _, does := range c.does {
		if slices.Contains(last.chain.executed, does) {
			return "it does again what was executed: " + does
		}
	}
	return ""
}

func (b *history) chainStopped(e task.ChainPartiallyFailed) string {
	d := b.lastAttempt()
	switch {
	case d == nil || d.judged || d.step != e.StepIndex || len(d.chain.does) < 2:
		return "no chain waits for its verdict"
	case d.chain.stopped:
		return "the chain has stopped before"
	case e.Total != len(d.chain.does):
		return "it speaks of a chain of another length"
	case !slices.IsSorted(e.Executed) || slices.Contains(e.Executed, e.Failed):
		return fmt.Sprintf("%v were executed, and %d failed", e.Executed, e.Failed)
	}
	d.chain.stopped = true
	for _, i := range e.Executed {
		if i < 0 || i >= e.Total {
			return fmt.Sprintf("action %d of %d was executed", i, e.Total)
		}
		d.chain.executed = append(d.chain.executed, d.chain.does[i])
	}
	return ""
}
