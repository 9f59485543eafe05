package interact

import (
	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/task"
)

// steps are the earlier attempts as the reasoner sees them.
func (t *turn) steps() []reasoning.Step {
	var out []reasoning.Step
	for _, step := range t.state.Steps {
		for _, a := range step.Attempts {
			out = append(out, past(step.Index, a))
		}
	}
	return out
}

func past(index int, a task.Attempt) reasoning.Step {
	act, _ := action.Parse(a.Action) // an erased action is no action
	s := reasoning.Step{
		Index: index, Action: act, Target: describe(a.Target), Thought: a.Thought, Correction: string(a.Strategy),
		Instead: a.Instead,
	}
	if v := a.Verdict; v != nil {
		s.Verified, s.Undecided, s.Succeeded, s.Reason = a.Decided(), !a.Decided(), v.Succeeded, v.Reason
		s.Likely = s.Undecided && likely(v.Tier, v.Confidence)
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
