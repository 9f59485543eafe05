package interact

import (
	"context"
	"fmt"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/task"
)

// maxClaims is how many claims may be put to the test in one turn. An agent that
// still has nothing to show then needs the user.
const maxClaims = 2

// finished takes the agent's word that the task is done, unless some of its last
// actions failed: then it has to be shown first (spec §4.10, finish validation).
func (t *turn) finished(answer reasoning.ActAnswer) (outcome, error) {
	message := t.told(answer.Action.Text, answer.Thought)
	if !t.state.Doubtful {
		return t.give(task.Complete{Message: message, Confidence: answer.Confidence})
	}
	if err := t.do(task.BlockFinish{Claim: message}); err != nil {
		return "", err
	}
	return t.claim(answer)
}

// claim makes what the agent says to be so the next thing to be shown.
func (t *turn) claim(answer reasoning.ActAnswer) (outcome, error) {
	if t.claims++; t.claims > maxClaims {
		return t.unshown(answer)
	}
	t.claimed = answer
	return claimed, nil
}

// runConfirm looks whether the page shows what was claimed: a step of its own
// that needs no client. What is shown lets the agent finish; what is not, it
// learns from.
func runConfirm(ctx context.Context, t *turn) (outcome, error) {
	claim := t.told(t.claimed.Action.Text, or(t.claimed.Thought, t.state.Query))
	check := action.Action{Name: action.VerifySuccess, Text: claim}
	if err := t.state.MayDo(check, task.Target{}, t.Limits); err != nil {
		return t.stop(err)
	}
	err := t.do(task.GenerateAction{Limits: t.Limits, Generated: task.ActionGenerated{
		Kind: action.VerifySuccess, Confidence: t.claimed.Confidence, By: t.claimed.By,
		Thought: conceal(t.claimed.Thought, t.secrets()), Before: t.now.Before(),
		Action: check.String(),
	}})
	if err != nil {
		return "", err
	}
	v, err := t.Reasoner.Confirm(ctx, reasoning.ConfirmQuestion{
		On: t.on(), Query: t.state.Query, Answers: t.state.Replies, Claim: claim,
		Page: t.now, Steps: t.steps(), Observations: t.observations,
	})
	t.tokens = t.tokens.Plus(v.Tokens)
	if err != nil || v.Undecided {
		v = reasoning.Verdict{Confidence: 0.5, Tier: 1, By: reasoning.ByDefault, Reason: "Nobody could tell whether the page shows it."}
	}
	v, _ = v.Sanitised()
	v.Reason = conceal(v.Reason, t.secrets())
	if err := t.do(task.RecordVerdict{Verdict: v}); err != nil {
		return "", err
	}
	return t.shown(claim, v)
}

func (t *turn) shown(claim string, v reasoning.Verdict) (outcome, error) {
	finishing := t.claimed.Action.Name == action.Finish
	switch {
	case v.ActionSucceeded && finishing:
		return t.give(task.Complete{Message: claim, Confidence: v.Confidence})
	case v.ActionSucceeded:
		return succeeded, nil
	case v.By == reasoning.ByDefault && finishing:
		return t.unshown(t.claimed)
	case t.state.ConsecutiveFailures >= t.Limits.MaxConsecutiveFailures:
		return t.failWith(task.CodeMaxFailures, "I tried, but it does not show: "+v.Reason)
	}
	return failed, nil
}

// unshown asks the user about what could not be shown.
func (t *turn) unshown(answer reasoning.ActAnswer) (outcome, error) {
	said := t.told(answer.Action.Text, answer.Thought)
	return t.ask(fmt.Sprintf("I believe the task is done, but I could not see it on the page: %s Is it, or what should I do?", said), nil)
}
