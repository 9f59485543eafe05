package interact

import (
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/chain"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/task"
)

// chainOf returns the chain that an answer with several actions leads to: its longest
// safe beginning, if the client takes chains and that has more than one action. leftOut
// names the first action of the answer that is left out, and why, "" if none is. The
// answer's own action is resolved.
func (t *turn) chainOf(answer reasoning.ActAnswer) (items []task.ChainItem, leftOut string) {
	if len(answer.Next) == 0 {
		return nil, ""
	}
	if !t.in.Client.Has(action.CanChain) {
		return nil, t.leftOut(answer, 1, "the browser takes one action at a time")
	}
	candidates := []chain.Candidate{{Action: answer.Action, Description: answer.Description, CanFail: answer.CanFail, For: answer.For}}
	for _, next := range answer.Next[:min(len(answer.Next), reasoning.MaxActions-1)] {
		if _, err := t.resolveTarget(&next.Action); err != nil {
			break
		}
		candidates = append(candidates, chain.Candidate{Action: next.Action, Description: next.Description, CanFail: next.CanFail, For: next.For})
	}
	// A text with a secret in it goes to the client apart, which takes one a turn.
	secretAt := slices.IndexFunc(candidates, func(c chain.Candidate) bool { return conceal(c.Action.Text, t.secrets()) != c.Action.Text })
	if secretAt >= 0 {
		candidates = candidates[:secretAt]
	}
	c, end := chain.Longest(candidates, t.now)
	why := end.String()
	if end.Rule == "" && secretAt >= 0 {
		why = chain.End{Rule: chain.RuleSecret}.String()
	} else if end.Rule == "" {
		why = chain.End{Rule: chain.RuleMissing}.String()
	}
	if len(c) < 2 {
		return nil, t.leftOut(answer, 1, why)
	}
	return t.itemsOf(c), t.leftOut(answer, len(c), why)
}

// leftOut says of the first of the answer's actions that is not done, from 0, that it is
// not, "" if all are.
func (t *turn) leftOut(answer reasoning.ActAnswer, first int, why string) string {
	if first > len(answer.Next) {
		return ""
	}
	a := answer.Next[max(first, 1)-1].Action
	on, _ := t.now.ByID(a.Target)
	return conceal(strings.TrimSpace(string(a.Name)+" "+page.Describe(on)), t.secrets()) + ": " + why
}

// itemsOf returns a chain as it is stored.
func (t *turn) itemsOf(c chain.Chain) []task.ChainItem {
	var out []task.ChainItem
	for _, i := range c {
		out = append(out, task.ChainItem{
			Action: i.Action.String(), Description: conceal(i.Description, t.secrets()), CanFail: i.CanFail, Retried: i.Retried, For: i.For,
			Target: task.Target{
				Target: reasoning.Target{Role: i.Target.Role, Name: i.Target.Name, Group: i.Target.Group},
				ID:     i.Action.Target, Key: i.Key,
			},
		})
	}
	return out
}

// chainFrom returns a stored chain. It is empty if the attempt is none, or erased.
func chainFrom(a task.Attempt) chain.Chain {
	var c chain.Chain
	for i, l := range a.Chain {
		act, err := action.Parse(l.Action)
		if err != nil {
			return nil
		}
		c = append(c, chain.Item{
			Candidate: chain.Candidate{Action: act, Description: l.Description, CanFail: l.CanFail, For: l.For},
			Index:     i, Key: l.Target.Key, Retried: l.Retried,
			Target: page.Sought{Role: l.Target.Role, Name: l.Target.Name, Group: l.Target.Group},
		})
	}
	return c
}

// itemMillis is roughly what a client takes for one action of a chain, with the time
// until the page is stable.
const itemMillis = 800

// setChainAnswer adds a chain to the answer. Its first action is the answer's action,
// so a client that reads only that does what is safe, and is judged by it.
func (t *turn) setChainAnswer(items []task.ChainItem) {
	if len(items) == 0 {
		return
	}
	for i, item := range items {
		description := item.Description
		if description == "" {
			a, _ := action.Parse(item.Action)
			description = describeItem(a, item.Target)
		}
		t.answer.Actions = append(t.answer.Actions, ChainAction{item.Action, description, i, item.CanFail})
	}
	t.answer.ChainMetadata = &ChainMetadata{TotalActions: len(items), EstimatedDuration: itemMillis * len(items), SafeToChain: true}
}

func describeItem(a action.Action, on task.Target) string {
	name := "“" + page.Cut(page.Clean(on.Name), 80) + "”"
	if a.Name == action.SetValue {
		return "Fill in " + name
	}
	return "Select " + name
}

// followChain finds out how far the client came with the chain under judgement, and
// records it if that is not its end. The verdict is then on what was executed.
func (t *turn) followChain() error {
	if _, a, pending := t.state.Pending(); pending && a.IsChain() && !a.Stopped() && t.pending.IsChain() {
		if r, stopped := t.chainReport(); stopped {
			if err := t.stopChain(r); err != nil {
				return err
			}
		}
	}
	if t.pending.Stopped() && len(t.pending.Done()) > 0 {
		t.witness = aboutExecuted(t.witness)
	}
	if t.pending.IsChain() { // of several actions, the client cannot say which had it
		t.witness.TargetChanged, t.witness.Direct = nil, nil
		if before := t.beforePage(); !before.Missing() {
			t.observations = page.Observe(before, t.now, t.witness)
		}
	}
	return nil
}

// aboutExecuted is a report without what it says of the action that failed.
func aboutExecuted(w page.Witness) page.Witness {
	w.Status, w.Error, w.Result = "success", nil, ""
	return w
}

// chainReport returns how the chain goes on, and whether it stopped. A client that
// does not say how far it came has executed the first action, and those whose effect
// the page shows.
func (t *turn) chainReport() (chain.Recovery, bool) {
	c, before, w := chainFrom(t.pending.Attempt), t.beforePage().Skeleton, t.witness
	var progress page.ChainProgress
	switch {
	case len(c) == 0:
		return chain.Recovery{}, false
	case w.Chain != nil:
		progress = *w.Chain
	case w.Error != nil || w.Status == "failure":
		progress.LastExecuted = -1
	default:
		return shownOnPage(c, before, t.now)
	}
	r := chain.Recover(c, before, progress, w.Error, t.now)
	return r, r.Kind != chain.Nothing || len(r.Executed) < len(c)
}

func shownOnPage(c chain.Chain, before page.Skeleton, now page.Page) (chain.Recovery, bool) {
	executed := c.Held(before, now)
	if !slices.Contains(executed, 0) {
		executed = append([]int{0}, executed...)
	}
	r := chain.Recovery{
		Kind: chain.Regenerate, Failed: -1, Executed: executed,
		Why: "the client did not say how far it came, and the page shows no more",
	}
	for r.From < len(c) && slices.Contains(executed, r.From) {
		r.From++
	}
	return r, len(executed) < len(c)
}

func (t *turn) stopChain(r chain.Recovery) error {
	stop := task.ChainPartiallyFailed{
		Executed: r.Executed, Failed: r.Failed, Recovery: string(r.Kind), From: r.From, Reason: conceal(r.Why, t.secrets()),
	}
	if r.Failed == -1 && r.Kind == chain.Nothing { // one that may fail did, and the client went on
		for stop.Failed = 0; slices.Contains(r.Executed, stop.Failed); {
			stop.Failed++
		}
	}
	if w := t.witness; w.Error != nil {
		stop.Code, stop.Error = reasoning.ErrorType(w), page.Cut(w.Error.Message, maxChainError)
	}
	if stop.Failed >= 0 {
		stop.FailedAction = t.pending.Chain[stop.Failed].Action
	}
	if err := t.do(task.StopChain{Stop: stop}); err != nil {
		return err
	}
	_, t.pending.Attempt, _ = t.state.Pending()
	t.recovery = &r
	return nil
}

// maxChainError bounds what is kept of a client's message, in characters.
const maxChainError = 300

// underJudgement returns the action a verdict is asked for, with its element, and all
// executed actions if it is a chain.
func (t *turn) underJudgement() (printed string, on task.Target, executed []reasoning.ChainStep) {
	done := t.pending.Done()
	switch {
	case !t.pending.IsChain():
		return t.pending.Action, t.pending.Target, nil
	case len(done) == 0:
		printed, on = t.pending.Culprit()
		return printed, on, nil
	}
	for _, i := range done {
		l := t.pending.Chain[i]
		act, err := action.Parse(l.Action)
		if err != nil {
			break
		}
		executed = append(executed, reasoning.ChainStep{Index: i, Action: act, Target: t.elementBefore(l.Target), For: l.For})
	}
	first := t.pending.Chain[done[0]]
	if len(executed) < 2 {
		executed = nil
	}
	return first.Action, first.Target, executed
}

// chainStands reports whether a stopped chain goes on without the stop being a failure
// to correct: something of it was executed and has not failed, or its rest can be done.
func (t *turn) chainStands(v reasoning.Verdict) bool {
	switch {
	case t.recovery == nil || t.recovery.Kind == chain.Nothing:
		return false
	case len(t.pending.Done()) == 0:
		return len(t.recovery.Rest) > 0
	}
	return v.Outcome() != reasoning.Failed
}
