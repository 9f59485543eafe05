package model

import (
	"context"
	"strings"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/prompt"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/internal/llm"
)

// Critique asks whether a proposed action makes sense, without the page: a critic looks
// at the action and its element only, and is quick.
func (r *Reasoner) Critique(ctx context.Context, q reasoning.CritiqueQuestion) (reasoning.Critique, error) {
	var got reasoning.Critique
	about := "action: " + describeAction(masked(q.Action, q.Target), page.Describe(q.Target))
	if q.Target.Group != "" {
		about += "\nstands in: " + prompt.Clip(q.Target.Group, maxName)
	}
	reply, err := r.ask(ctx, question{
		on:      q.On,
		purpose: purposeCritique,
		role:    llm.Fast,
		prompt:  critiquePrompt,
		fields: map[string]string{
			"Task":       renderTask(q.Query, q.Answers),
			"History":    renderSteps(q.Steps),
			"Action":     about + "\nbecause: " + prompt.Clip(q.Thought, maxThought),
			"Objections": renderObjections(q.Objections),
		},
		check: func(answer string) error {
			o, err := readObject(answer, "approved")
			if err != nil {
				return err
			}
			if got.Approved, err = readBool(o, "approved"); err != nil {
				return err
			}
			reason, err := readText(o, "reason")
			got.Reason = prompt.Clip(blankSecrets(q.On, reason), maxThought)
			return err
		},
	})
	got.By, got.Tokens = reply.by, reply.tokens
	if err != nil {
		return reasoning.Critique{Undecided: true, Tokens: reply.tokens}, failure(err)
	}
	return got, nil
}

// renderObjections is one line each.
func renderObjections(list []string) string {
	var b strings.Builder
	for _, o := range list {
		b.WriteString("- " + prompt.Clip(o, maxThought) + "\n")
	}
	return strings.TrimRight(b.String(), "\n")
}
