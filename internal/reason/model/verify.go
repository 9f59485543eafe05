package model

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/prompt"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/internal/llm"
)

// Tiers of a model's verdict (spec: tiered verification).
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

// Verify asks whether the last action worked, unless a text that was expected of it has
// appeared: by the goal, the action and the
// observations only. A full page would say more about what it wants to be believed
// than about what happened.
func (r *Reasoner) Verify(ctx context.Context, q reasoning.VerifyQuestion) (reasoning.Verdict, error) {
	if v, shown := q.ExpectedShown(); shown {
		return v, nil
	}
	a := question{on: q.On, purpose: purposeVerify, role: llm.Smart, prompt: fullVerdict, fields: map[string]string{
		"Task":    renderTask(q.Query, q.Answers),
		"Action":  renderJudged(q),
		"Changes": renderObservations(q.Observations),
	}}
	tier, saved := fullTier, 0
	switch {
	case isSimple(q):
		tier, saved = lightTier, savedByLight()
		a.role, a.prompt = llm.Fast, lightVerdict
	case q.SubTask != "":
		a.prompt = partVerdict
		a.fields["Part"] = "part of the goal: " + prompt.Clip(q.SubTask, maxThought)
	}
	if tier == fullTier && q.Final { // whether all of it is done is not told by the last action alone
		a.fields["History"] = renderSteps(q.Steps)
	}
	if tier == fullTier && q.Expected.Description != "" {
		a.fields["Expected"] = "expected: " + prompt.Clip(q.Expected.Description, maxName)
	}
	got, reply, err := r.judge(ctx, a, func(answer string, degraded bool) (reasoning.Verdict, error) {
		return readVerdict(answer, a.prompt.name == partVerdict.name, degraded)
	})
	if err != nil {
		return reasoning.Verdict{Tokens: reply.tokens}, failure(err)
	}
	got.Tier, got.TokensSaved, got.By, got.Tokens = tier, saved, reply.by, reply.tokens
	return got, nil
}

// renderJudged is the action under judgement, or the executed actions of a chain, which
// are judged together.
func renderJudged(q reasoning.VerifyQuestion) string {
	if len(q.Chain) == 0 {
		return "action: " + describeAction(masked(q.Action, q.Target), page.Describe(q.Target))
	}
	var b strings.Builder
	b.WriteString("actions, done one after the other and judged together:")
	for _, s := range q.Chain {
		b.WriteString("\n  " + describeAction(masked(s.Action, s.Target), page.Describe(s.Target)))
	}
	return b.String()
}

// judge asks for a verdict. Whether it is degraded is known only with the answer.
func (r *Reasoner) judge(
	ctx context.Context, a question, read func(answer string, degraded bool) (reasoning.Verdict, error),
) (reasoning.Verdict, reply, error) {
	var last string
	a.check = func(answer string) error {
		last = answer
		_, err := read(answer, false)
		return err
	}
	reply, err := r.ask(ctx, a)
	if err != nil {
		return reasoning.Verdict{}, reply, err
	}
	v, err := read(last, reply.degraded)
	return v, reply, err
}

// masked is an action without secret values, for a prompt.
func masked(a action.Action, target page.Element) action.Action {
	if target.State.Secret && a.Name == action.SetValue {
		a.Text = secretMask
	}
	return a
}

// isSimple reports a final step of a short task with few observations, and neither an
// error nor a failed request among them, which a light prompt may overlook. Steps
// before the last are left to the rules; those they leave open are not simple.
func isSimple(q reasoning.VerifyQuestion) bool {
	task := q.Query + " " + strings.Join(q.Answers, " ")
	return q.Final && q.SubTask == "" && q.Action.Name != action.Finish &&
		len(strings.Fields(task)) <= lightWords && len(q.Observations) <= lightObservations && len(q.Witness.Refused) == 0 &&
		!slices.ContainsFunc(q.Observations, func(o page.Observation) bool { return o.Alert == page.AlertError })
}

// savedByLight is how many tokens shorter the light prompt is.
func savedByLight() int {
	return prompt.Tokens(fullVerdict.system) - prompt.Tokens(lightVerdict.system)
}

// readVerdict reads an answer. parts: it must say whether the part of the task is
// done.
func readVerdict(answer string, parts, degraded bool) (reasoning.Verdict, error) {
	keys := []string{"actionSucceeded", "taskCompleted"}
	if parts {
		keys = append(keys, "subTaskCompleted")
	}
	o, err := readObject(answer, keys...)
	if err != nil {
		return reasoning.Verdict{}, err
	}
	said := map[string]bool{}
	for _, k := range keys {
		if said[k], err = readBool(o, k); err != nil {
			return reasoning.Verdict{}, err
		}
	}
	v, err := readConfidence(o, said["actionSucceeded"], degraded)
	if err != nil {
		return v, err
	}
	v.TaskCompleted = said["taskCompleted"] && v.ActionSucceeded
	v.Proof.Quote = readQuote(o)
	if parts {
		completed := said["subTaskCompleted"] && v.ActionSucceeded
		v.SubTaskCompleted = &completed
	}
	return v, nil
}

// readQuote reads the quoted proof. The caller checks whether the page has it.
func readQuote(o map[string]json.RawMessage) string {
	quote, err := readText(o, "evidence")
	if err != nil {
		return ""
	}
	return prompt.Clip(strings.Trim(quote, "\"“”'"), maxThought)
}

// readConfidence reads confidence and reason. The confidence is the probability of
// success, so a model that is sure of a no gives a low one. An invalid confidence is
// kept for the caller to see, and is no success.
func readConfidence(o map[string]json.RawMessage, yes, degraded bool) (reasoning.Verdict, error) {
	reason, err := readText(o, "reason")
	if err != nil {
		return reasoning.Verdict{}, err
	}
	v := reasoning.Verdict{Degraded: degraded, Reason: prompt.Clip(reason, maxThought), Confidence: confidenceOf(o)}
	clean, sane := v.Sanitised()
	switch {
	case !sane:
		return v, nil
	case !yes && clean.Confidence > 0.5:
		clean.Confidence = 1 - clean.Confidence
		clean, _ = clean.Sanitised()
	}
	return clean, nil
}
