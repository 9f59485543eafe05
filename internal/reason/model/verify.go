package model

import (
	"context"
	"strings"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/prompt"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/internal/llm"
)

// Tiers of a verdict by a model (spec: tiered verification).
const (
	lightTier = 2
	fullTier  = 3
)

// A simple final step is judged by the light prompt. How many words a task has
// tells easy tasks from others well enough (measured: area under the curve
// 0.81 on Online-Mind2Web), and few observations leave little to weigh.
const (
	lightWords        = 12
	lightObservations = 8
)

// Verify asks whether the last action did what it was for, with the goal, the
// action and the observations only: a full page would tell more of what it
// wants to be believed than of what happened.
func (r *Reasoner) Verify(ctx context.Context, q reasoning.VerifyQuestion) (reasoning.Verdict, error) {
	a := asking{on: q.On, purpose: purposeVerify, role: llm.Smart, prompt: fullVerdict, fields: map[string]string{
		"Task":    renderTask(q.Query, q.Answers),
		"Action":  "action: " + deed(q.Action, page.Describe(q.Target)),
		"Changes": renderObservations(q.Observations),
	}}
	if q.Target.State.Secret {
		q.Action.Text = secretMask
		a.fields["Action"] = "action: " + deed(q.Action, page.Describe(q.Target))
	}
	tier, saved := fullTier, 0
	if isSimple(q) {
		tier, saved = lightTier, savedByLight()
		a.role, a.prompt = llm.Fast, lightVerify
	}
	var got reasoning.Verdict
	a.check = func(answer string) (err error) {
		got, err = readVerdict(answer)
		return err
	}
	reply, err := r.ask(ctx, a)
	if err != nil {
		return reasoning.Verdict{Tokens: reply.tokens}, failure(err)
	}
	got.Tier, got.TokensSaved, got.By, got.Tokens = tier, saved, reply.by, reply.tokens
	return got, nil
}

func isSimple(q reasoning.VerifyQuestion) bool {
	task := q.Query + " " + strings.Join(q.Answers, " ")
	return q.Final && len(strings.Fields(task)) <= lightWords && len(q.Observations) <= lightObservations &&
		q.Action.Name != action.Finish
}

// savedByLight is by how much the light prompt is shorter: the rest of the two
// requests is the same.
func savedByLight() int {
	return prompt.Tokens(fullVerdict.system) - prompt.Tokens(lightVerify.system)
}

// readVerdict reads an answer. The confidence is the probability that the
// action succeeded; a model that says it failed and is sure of that means a
// low one.
func readVerdict(answer string) (reasoning.Verdict, error) {
	o, err := readObject(answer, "actionSucceeded", "taskCompleted", "confidence")
	if err != nil {
		return reasoning.Verdict{}, err
	}
	succeeded, err := readBool(o, "actionSucceeded")
	if err != nil {
		return reasoning.Verdict{}, err
	}
	v := reasoning.Verdict{}
	if v.TaskCompleted, err = readBool(o, "taskCompleted"); err != nil {
		return reasoning.Verdict{}, err
	}
	if v.Reason, err = readText(o, "reason"); err != nil {
		return reasoning.Verdict{}, err
	}
	v.Reason = prompt.Clip(v.Reason, maxThought)
	v.Confidence = probability(readNumber(o, "confidence"))
	if !succeeded && v.Confidence > 0.5 {
		v.Confidence = 1 - v.Confidence
	}
	v, _ = v.Sanitised() // a probability by now
	v.TaskCompleted = v.TaskCompleted && v.ActionSucceeded
	return v, nil
}
