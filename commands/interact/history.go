package interact

import (
	"cmp"
	"slices"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/task"
)

// steps are the earlier attempts as the reasoner sees them, in the order in which they
// were decided. The server's own waits for an effect are left out.
func (t *turn) steps() []reasoning.Step {
	type attempt struct {
		task.Attempt
		step int
	}
	var attempts []attempt
	for _, step := range t.state.Steps {
		if step.Index < t.state.PartFrom { // another part's, of which this one knows only the outputs
			continue
		}
		for _, a := range step.Attempts {
			if a.Kind != action.Wait || a.By != reasoning.ByDefault {
				attempts = append(attempts, attempt{a, step.Index})
			}
		}
	}
	slices.SortStableFunc(attempts, func(a, b attempt) int { return cmp.Compare(a.Turn, b.Turn) })
	var out []reasoning.Step
	for _, a := range attempts {
		out = append(out, past(a.step, a.Attempt)...)
	}
	return out
}

// stepsBefore are the steps before the action under judgement, and that action if it is
// no chain: of a chain the question has the actions itself.
func (t *turn) stepsBefore() []reasoning.Step {
	steps := t.steps()
	if t.pending.IsChain() {
		steps = slices.DeleteFunc(steps, func(s reasoning.Step) bool { return s.Index == t.pending.Step })
	}
	return steps
}

// past is an attempt as the reasoner sees it. Each action of a chain is one; those that
// were not reached are left out.
func past(index int, a task.Attempt) []reasoning.Step {
	if !a.IsChain() {
		return []reasoning.Step{pastAction(index, a)}
	}
	var out []reasoning.Step
	for i, l := range a.Chain {
		one := a
		one.Action, one.Target, one.Thought, one.For = l.Action, l.Target, l.Description, l.For
		s := pastAction(index, one)
		switch {
		case l.Fate == task.NotExecuted:
			continue
		case l.Fate == task.Broken:
			s.Verified, s.Undecided, s.Succeeded, s.Reason = true, false, false, "the browser could not do it: "+l.Reason
		case l.Outcome != "":
			s.Verified, s.Undecided, s.Succeeded, s.Reason = l.Outcome != reasoning.Undecided, l.Outcome == reasoning.Undecided, l.Outcome == reasoning.Succeeded, l.Reason
		}
		if s.Instead.Action != "" && i > 0 {
			s.Instead = reasoning.Instead{}
		}
		if i < len(a.Chain)-1 {
			s.LeftOut = ""
		}
		out = append(out, s)
	}
	return out
}

func pastAction(index int, a task.Attempt) reasoning.Step {
	act, _ := action.Parse(a.Action) // an erased action is no action
	s := reasoning.Step{
		Index: index, Action: act, Target: describe(a.Target), Thought: a.Thought, Correction: string(a.Strategy),
		LeftOut: a.LeftOut, Instead: a.Instead, Where: cmp.Or(a.Target.Row, a.Target.Group), For: a.For, Key: a.Target.Key, Clears: a.Clears,
	}
	if v := a.Verdict; v != nil {
		s.Verified, s.Undecided, s.Succeeded, s.Reason = a.Decided(), !a.Decided(), v.Succeeded, v.Reason
		s.Likely = s.Undecided && likely(v.Tier, v.Confidence)
		s.Code = v.Code
	}
	return s
}

// likely reports an undecided verdict of a model that thought the action worked, without
// being sure: a yes under the threshold is no failure.
func likely(tier int, confidence float64) bool {
	return tier > 1 && confidence > reasoning.FailureThreshold
}

func describe(t task.Target) string {
	if t.Role == "" && t.Name == "" {
		return ""
	}
	return page.Describe(page.Element{ID: t.ID, Role: t.Role, Name: t.Name})
}
