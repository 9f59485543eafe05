package model

import (
	"context"

	"github.com/stepledger/stepledger/domain/prompt"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/internal/llm"
)

// Confirm asks whether the page shows what the agent says is done (spec:
// verifySuccess). Neither the page nor the agent's statement is trusted.
func (r *Reasoner) Confirm(ctx context.Context, q reasoning.ConfirmQuestion) (reasoning.Verdict, error) {
	task := renderTask(q.Query, q.Answers)
	statement := prompt.Clip(q.Statement, maxThought)
	got, reply, err := r.judge(ctx, question{
		on:      q.On,
		purpose: purposeVerify,
		role:    llm.Smart,
		prompt:  confirmPrompt,
		fields: map[string]string{
			"Task":    task,
			"Claim":   statement,
			"Part":    prompt.Clip(q.SubTask, maxThought),
			"History": renderSteps(q.Steps),
			"Changes": renderObservations(q.Observations),
			"Page":    prompt.Page(q.Page, prompt.View{Task: task + "\n" + statement, Tokens: r.PageTokens}).Text,
		},
	}, readProof)
	if err != nil {
		return reasoning.Verdict{Tokens: reply.tokens}, failure(err)
	}
	got.Tier, got.By, got.Tokens = fullTier, reply.by, reply.tokens
	return got, nil
}

func readProof(answer string, degraded bool) (reasoning.Verdict, error) {
	o, err := readObject(answer, "shown")
	if err != nil {
		return reasoning.Verdict{}, err
	}
	shown, err := readBool(o, "shown")
	if err != nil {
		return reasoning.Verdict{}, err
	}
	v, err := readConfidence(o, shown, degraded)
	v.TaskCompleted = v.ActionSucceeded
	v.Proof.Quote = readQuote(o)
	return v, err
}
