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

// maxConfirmations bounds the statements that are checked in one turn. After that the
// user is asked.
const maxConfirmations = 2

// acceptFinish ends the task if the page proves what the agent says. If the last
// action is undecided or recent actions failed, the statement is checked first (spec
// §4.10, finish validation).
func (t *turn) acceptFinish(answer reasoning.ActAnswer) (outcome, error) {
	message := t.endMessage(answer.Action.Text, answer.Thought)
	j, open := t.state.UnderJudgement()
	proof, proven := t.proofOf(answer)
	switch {
	case t.now.Partial() && !t.state.RepliedNow: // what is left to do may be on the rest
		return t.askWhetherDone(answer)
	case proven && !t.lastActionUndecided() && !t.state.FinishNeedsProof:
		return t.finished(answer, task.Complete{Message: message, Confidence: answer.Confidence, Proof: proof})
	case open && !t.state.RepliedNow && j.Step == t.pending.Step && t.mayLookAgain(j):
		return t.lookAgain(j)
	}
	if err := t.do(task.BlockFinish{Message: message}); err != nil {
		return "", err
	}
	return t.confirmNext(answer)
}

// confirmNext has the agent's statement checked next.
func (t *turn) confirmNext(answer reasoning.ActAnswer) (outcome, error) {
	if t.confirmations++; t.confirmations > maxConfirmations {
		return t.askWhetherDone(answer)
	}
	t.toConfirm = answer
	return claimed, nil
}

// runConfirm checks whether the page shows what the agent said. It is a step of its
// own that needs no client. A confirmed finish ends the task; otherwise the agent
// goes on knowing the result.
func runConfirm(ctx context.Context, t *turn) (outcome, error) {
	statement := t.endMessage(t.toConfirm.Action.Text, orElse(t.toConfirm.Thought, t.state.Query))
	check := action.Action{Name: action.VerifySuccess, Text: statement}
	if err := t.state.MayDo(check, task.Target{}, t.Limits); err != nil {
		return t.endAtLimit(err)
	}
	steps := t.steps() // without the check itself, which nobody chose
	err := t.do(task.GenerateAction{Limits: t.Limits, Generated: task.ActionGenerated{
		Kind: action.VerifySuccess, Confidence: t.toConfirm.Confidence, By: t.toConfirm.By,
		Thought: conceal(t.toConfirm.Thought, t.secrets()), Before: t.now.Before(),
		Action: check.String(),
	}})
	if err != nil {
		return "", err
	}
	v, err := t.Reasoner.Confirm(ctx, reasoning.ConfirmQuestion{
		On: t.on(), Query: t.state.Query, Answers: t.state.Replies, SubTask: t.unfinishedPart(), Statement: statement,
		Page: t.now, Steps: steps, Observations: t.observations, LastUndecided: t.lastActionUndecided(),
	})
	t.tokens = t.tokens.Plus(v.Tokens)
	if err != nil {
		v = unknownVerdict("I could not find out whether the page shows it.")
	}
	v, _ = v.Sanitised()
	if v = t.withFoundProof(v); v.Outcome() == reasoning.Succeeded && v.Proof.Quote == "" {
		v = unknownVerdict("I could not find the proof on the page.")
		v, _ = v.Sanitised()
	}
	v.Reason = conceal(v.Reason, t.secrets())
	step, _, _ := t.state.Pending()
	if err := t.do(task.RecordVerdict{Step: step.Index, Verdict: v}); err != nil {
		return "", err
	}
	return t.afterConfirmation(statement, v)
}

func (t *turn) afterConfirmation(statement string, v reasoning.Verdict) (outcome, error) {
	finishing := t.toConfirm.Action.Name == action.Finish
	switch {
	case v.ActionSucceeded && finishing:
		return t.finished(t.toConfirm, task.Complete{Message: statement, Confidence: v.Confidence, Proof: v.Proof})
	case v.ActionSucceeded:
		return succeeded, nil
	case v.Undecided && finishing:
		return t.askWhetherDone(t.toConfirm)
	case t.state.ConsecutiveFailures >= t.Limits.MaxConsecutiveFailures:
		return t.endWithError(domain.CodeMaxFailures, "I could not see the result on the page: "+v.Reason)
	}
	return failed, nil
}

// lastActionUndecided reports whether it is unknown if the last action, or an earlier
// submission, worked.
func (t *turn) lastActionUndecided() bool {
	_, open := t.state.UnderJudgement()
	return open || t.state.SubmitUndecided
}

// proofOf returns the proof that the task is done: the agent's quote, the user's
// reply or the proof of the last verdict.
func (t *turn) proofOf(answer reasoning.ActAnswer) (reasoning.Proof, bool) {
	if proof, ok := t.evidence().Find(answer.Proof); ok {
		return proof, true
	}
	if t.state.RepliedNow && t.lastReply() == page.True {
		return reasoning.Proof{Source: reasoning.ByUser, Quote: t.state.Replies[len(t.state.Replies)-1]}, true
	}
	if v := t.verdict; v != nil && v.Outcome() == reasoning.Succeeded && t.pending.Step >= t.state.PartFrom { // of this part, where there are parts
		return v.Proof, v.Proof.Quote != ""
	}
	return reasoning.Proof{}, false
}

// withFoundProof returns v with its proof as found on the page, or with none.
func (t *turn) withFoundProof(v reasoning.Verdict) reasoning.Verdict {
	v.Proof, _ = t.evidence().Find(v.Proof.Quote)
	v.Proof.Quote = conceal(v.Proof.Quote, t.secrets())
	return v
}

// askWhetherDone asks the user about the undecided action or, if there is none, about
// the whole task.
func (t *turn) askWhetherDone(answer reasoning.ActAnswer) (outcome, error) {
	if j, open := t.state.UndecidedSubmit(); open {
		return t.askWhetherItWorked(j)
	}
	if j, open := t.state.UnderJudgement(); open {
		return t.askWhetherItWorked(j)
	}
	said := t.endMessage(answer.Action.Text, answer.Thought)
	return t.askToJudge(fmt.Sprintf("I think the task is done, but I cannot see it on the page: %s Is it done (yes or no), or what should I do?", said))
}
