package interact

import (
	"context"
	"strings"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/prompt"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/task"
)

// runVerify judges the pending action by what was observed.
func runVerify(ctx context.Context, t *turn) (outcome, error) {
	v := t.judge(ctx)
	v, _ = v.Sanitised()
	v = v.LookAhead(t.pending.Expected.NextGoal, t.now)
	v.Reason = conceal(v.Reason, t.secrets())
	if v.Tier == 1 {
		v.TokensSaved = modelVerdictTokens + prompt.Tokens(strings.Join(texts(t.observations), "\n"))
	}
	t.verdict = &v
	t.tokens = t.tokens.Plus(v.Tokens)
	if err := t.do(task.RecordVerdict{Verdict: v, Observations: t.seen()}); err != nil {
		return "", err
	}
	t.answer.Verification = &Verification{
		Success: v.ActionSucceeded, ActionSucceeded: v.ActionSucceeded, TaskCompleted: v.TaskCompleted,
		SubTaskCompleted: v.SubTaskCompleted, NextGoalMet: v.NextGoalMet,
		Confidence: v.Confidence, Reason: v.Reason, Observations: t.seen(),
		Tier: v.Tier, TokensSaved: v.TokensSaved,
	}
	switch {
	case v.GoalAchieved():
		return goalAchieved, nil
	case v.ActionSucceeded:
		return succeeded, nil
	}
	return failed, nil
}

// modelVerdictTokens is about what a model's full verdict takes beside the
// observations: 385 of instructions, then the goal, the action, fences and answer.
const modelVerdictTokens = 480

// judge asks the reasoner. Where nobody can tell, the action counts as done:
// doing it twice may do harm, and a later step shows whether it was. That is so
// too where the page before is not known (spec: verification is skipped).
func (t *turn) judge(ctx context.Context) reasoning.Verdict {
	act, err := action.Parse(t.pending.Action)
	if err != nil {
		return goOn("what was done before cannot be read any more")
	}
	v, err := t.Reasoner.Verify(ctx, reasoning.VerifyQuestion{
		On: t.on(), Query: t.state.Query, Answers: t.state.Replies,
		Action: act, Target: t.target(), Thought: t.pending.Thought, Expected: t.pending.Expected,
		Before: t.before(), Page: t.now, Witness: t.in.Witness,
		Observations: t.observations, Steps: t.steps(), Final: t.pending.Final,
	})
	switch {
	case err != nil:
		t.tokens = t.tokens.Plus(v.Tokens)
		return goOn("the verdict could not be obtained; going on")
	case v.Undecided:
		out := goOn("nothing speaks against it: " + v.Reason)
		out.Tokens = v.Tokens
		return out
	}
	return v
}

func goOn(reason string) reasoning.Verdict {
	return reasoning.Verdict{
		ActionSucceeded: true, Confidence: reasoning.SuccessThreshold, Reason: reason, Tier: 1, By: reasoning.ByDefault,
	}
}

// target is the pending action's element as it was when the action was decided.
func (t *turn) target() page.Element {
	old := t.pending.Target
	e := page.Element{
		ID: old.ID, Key: old.Key, Role: old.Role, Name: old.Name, Group: old.Group,
		State: page.State{Secret: old.Secret},
	}
	if t.pending.Before == nil {
		return e
	}
	for _, d := range t.pending.Before.Skeleton.Elements {
		if d.Key == old.Key {
			e.Value, e.Href = d.Value, d.Href
			e.State.Checked, e.State.Expanded = d.Checked, d.Expanded
			e.State.Disabled, e.State.Selected, e.State.Invalid = d.Disabled, d.Selected, d.Invalid
			e.State.HasPopup = d.Popup
			break
		}
	}
	return e
}
