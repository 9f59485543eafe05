package interact

import (
	"context"
	"fmt"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/task"
)

// maxClaims is how many claims may be put to the test in one turn. An agent that
// still has nothing to show then needs the user.
const maxClaims = 2

// finished takes the agent's word that the task is done where the page shows it.
// Otherwise, where the last action is not decided, and where some of the last ones
// failed, it has to be shown first (spec §4.10, finish validation).
func (t *turn) finished(answer reasoning.ActAnswer) (outcome, error) {
	message := t.told(answer.Action.Text, answer.Thought)
	j, open := t.state.UnderJudgement()
	proof, proven := t.proofOf(answer)
	switch {
	case proven && !t.unsettled() && !t.state.Doubtful:
		return t.give(task.Complete{Message: message, Confidence: answer.Confidence, Proof: proof})
	case open && !t.state.Told && j.Step == t.pending.Step && t.mayLook(j):
		return t.lookAgain(j)
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
		Page: t.now, Steps: t.steps(), Observations: t.observations, Unsettled: t.unsettled(),
	})
	t.tokens = t.tokens.Plus(v.Tokens)
	if err != nil {
		v = unknownVerdict("Nobody could tell whether the page shows it.")
	}
	v, _ = v.Sanitised()
	if v = t.shownBy(v); v.Outcome() == reasoning.Succeeded && v.Proof.Quote == "" {
		v = unknownVerdict("What is said to show it is not on the page.")
		v, _ = v.Sanitised()
	}
	v.Reason = conceal(v.Reason, t.secrets())
	step, _, _ := t.state.Pending()
	if err := t.do(task.RecordVerdict{Step: step.Index, Verdict: v}); err != nil {
		return "", err
	}
	return t.shown(claim, v)
}

func (t *turn) shown(claim string, v reasoning.Verdict) (outcome, error) {
	finishing := t.claimed.Action.Name == action.Finish
	switch {
	case v.ActionSucceeded && finishing:
		return t.give(task.Complete{Message: claim, Confidence: v.Confidence, Proof: v.Proof})
	case v.ActionSucceeded:
		return succeeded, nil
	case v.Undecided && finishing:
		return t.unshown(t.claimed)
	case t.state.ConsecutiveFailures >= t.Limits.MaxConsecutiveFailures:
		return t.failWith(domain.CodeMaxFailures, "I tried, but it does not show: "+v.Reason)
	}
	return failed, nil
}

// unsettled reports whether nobody knows of the last action whether it worked.
func (t *turn) unsettled() bool {
	_, open := t.state.UnderJudgement()
	return open || t.state.Unsettled
}

// proofOf is what shows that the task is done: what the agent quotes, what the last
// verdict rests on, or the user's word.
func (t *turn) proofOf(answer reasoning.ActAnswer) (reasoning.Proof, bool) {
	if proof, ok := t.evidence().Find(answer.Proof); ok {
		return proof, true
	}
	if t.state.Told && t.lastReply() == page.True {
		return reasoning.Proof{Source: reasoning.ByUser, Quote: t.state.Replies[len(t.state.Replies)-1]}, true
	}
	if v := t.verdict; v != nil && v.Outcome() == reasoning.Succeeded {
		return v.Proof, v.Proof.Quote != ""
	}
	return reasoning.Proof{}, false
}

// shownBy is a confirmation with its proof, which has to be found.
func (t *turn) shownBy(v reasoning.Verdict) reasoning.Verdict {
	v.Proof, _ = t.evidence().Find(v.Proof.Quote)
	v.Proof.Quote = conceal(v.Proof.Quote, t.secrets())
	return v
}

// unshown asks the user about what could not be shown: the action nobody knows of, or
// the whole.
func (t *turn) unshown(answer reasoning.ActAnswer) (outcome, error) {
	if j, open := t.state.UnsettledSubmit(); open {
		return t.askWhether(j)
	}
	if j, open := t.state.UnderJudgement(); open {
		return t.askWhether(j)
	}
	said := t.told(answer.Action.Text, answer.Thought)
	return t.askToJudge(fmt.Sprintf("I believe the task is done, but I could not see it on the page: %s Is it (yes or no), or what should I do?", said))
}
