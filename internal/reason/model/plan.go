package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/plan"
	"github.com/stepledger/stepledger/domain/prompt"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/internal/llm"
)

// Plan asks what a task needs and how to go about it, or whether its plan can be kept.
func (r *Reasoner) Plan(ctx context.Context, q reasoning.PlanQuestion) (reasoning.PlanAnswer, error) {
	task := renderTask(q.Query, q.Answers)
	var got reasoning.PlanAnswer
	reply, err := r.ask(ctx, question{
		on:      q.On,
		purpose: purposePlan,
		role:    llm.Smart,
		prompt:  planPrompt,
		fields: map[string]string{
			"Task":     task,
			"History":  renderSteps(q.Steps),
			"Plan":     renderPlan(q.Plan),
			"Why":      prompt.Clip(q.Reason, maxThought),
			"Page":     prompt.Page(q.Page, prompt.View{Task: task, Tokens: r.PageTokens}).Text,
			"Rejected": renderPlan(plan.Plan{Steps: q.Rejected}),
			"Issues":   renderObjections(q.Issues),
			"Web":      yes(q.MaySearch),
			"Search":   renderSearches(q.Searches),
			"Known":    renderKnown(q.Knowledge),
			"Part":     renderPart(q.Part),
			"Divide":   yes(q.MayDivide),
		},
		check: func(answer string) (err error) {
			got, err = readPlan(answer, q)
			return err
		},
	})
	if err != nil {
		return reasoning.PlanAnswer{Tokens: reply.tokens}, failure(err)
	}
	got.By, got.Tokens = reply.by, reply.tokens
	return got, nil
}

// renderPlan lists the steps of a plan, numbered from 1, with their status.
func renderPlan(p plan.Plan) string {
	var b strings.Builder
	for i, s := range p.Steps {
		fmt.Fprintf(&b, "%d. %s (%s)\n", i+1, prompt.Clip(s.Description, maxName), s.Status)
	}
	return strings.TrimRight(b.String(), "\n")
}

// planStep is a step as a model writes it.
type planStep struct {
	Description, ToolType string
}

// readPlan reads and checks an answer. Its errors are written for the model.
func readPlan(answer string, q reasoning.PlanQuestion) (reasoning.PlanAnswer, error) {
	o, err := readObject(answer, "sources", "steps")
	if err != nil {
		return reasoning.PlanAnswer{}, err
	}
	var said struct {
		Sources       []reasoning.Source
		Missing       []string
		Steps         []planStep
		Parts         []plan.SubTask
		Contingencies []struct {
			Name, Text string
			Steps      []planStep
		}
	}
	for key, into := range map[string]any{"sources": &said.Sources, "missing": &said.Missing, "steps": &said.Steps, "parts": &said.Parts, "contingencies": &said.Contingencies} {
		if raw := o[key]; raw != nil && json.Unmarshal(raw, into) != nil {
			return reasoning.PlanAnswer{}, fmt.Errorf("%q does not have the form that was asked for", key)
		}
	}
	a := reasoning.PlanAnswer{Sources: known(said.Sources), Confidence: probability(confidenceOf(o))}
	for key, into := range map[string]*string{"evidence": &a.Evidence, "question": &a.Question, "search": &a.Search} {
		s, err := readText(o, key)
		if err != nil {
			return a, err
		}
		*into = prompt.Clip(blankSecrets(q.On, s), maxThought)
	}
	for _, m := range said.Missing {
		a.Missing = append(a.Missing, prompt.Clip(blankSecrets(q.On, m), maxName))
	}
	a.Fits, _ = readBool(o, "fits")
	a.Check = selfCheck(q.On, o)
	a.Steps = stepsOf(q.On, said.Steps)
	if q.MayDivide && len(said.Parts) > 1 {
		a.SubTasks = partsOf(q.On, said.Parts)
	}
	for _, c := range said.Contingencies {
		a.Contingencies = append(a.Contingencies, plan.Contingency{
			Name: prompt.Clip(page.Clean(c.Name), maxName), Trigger: plan.Trigger{Text: prompt.Clip(page.Clean(c.Text), maxName)}, Steps: stepsOf(q.On, c.Steps),
		})
	}
	return checked(a, q)
}

// CheckPlan asks what is wrong with a plan, as somebody who did not make it.
func (r *Reasoner) CheckPlan(ctx context.Context, q reasoning.PlanCheckQuestion) (reasoning.PlanCheck, error) {
	task := renderTask(q.Query, q.Answers)
	var got reasoning.PlanCheck
	reply, err := r.ask(ctx, question{
		on:      q.On,
		purpose: purposePlanCheck,
		role:    llm.Smart,
		prompt:  planCheckPrompt,
		fields: map[string]string{
			"Task":  task,
			"Plan":  renderPlan(plan.Plan{Steps: q.Steps}),
			"Part":  renderPart(q.Part),
			"Parts": renderParts(q.SubTasks),
			"Known": renderKnown(q.Knowledge),
			"Page":  prompt.Page(q.Page, prompt.View{Task: task, Tokens: r.PageTokens}).Text,
		},
		check: func(answer string) error {
			o, err := readObject(answer, "scores")
			if err != nil {
				return err
			}
			check := selfCheck(q.On, o)
			if check == nil {
				return errors.New(`"scores" are four numbers from 0 to 1: completeness, consistency, groundedness, routability`)
			}
			got = *check
			return nil
		},
	})
	got.By, got.Tokens = reply.by, reply.tokens
	if err != nil {
		return reasoning.PlanCheck{Tokens: reply.tokens}, failure(err)
	}
	return got, nil
}

// selfCheck reads the scores of an answer and what it finds fault with, nil if it has
// no four scores.
func selfCheck(on reasoning.On, o map[string]json.RawMessage) *reasoning.PlanCheck {
	var scores struct{ Completeness, Consistency, Groundedness, Routability *float64 }
	if raw := o["scores"]; raw == nil || json.Unmarshal(raw, &scores) != nil ||
		scores.Completeness == nil || scores.Consistency == nil || scores.Groundedness == nil || scores.Routability == nil {
		return nil
	}
	check := &reasoning.PlanCheck{Scores: plan.Scores{
		Completeness: *scores.Completeness, Consistency: *scores.Consistency,
		Groundedness: *scores.Groundedness, Routability: *scores.Routability,
	}}
	if !check.Scores.Sane() {
		return nil
	}
	var issues []string
	if raw := o["issues"]; raw != nil && json.Unmarshal(raw, &issues) == nil {
		for _, s := range issues[:min(len(issues), maxIssues)] {
			check.Issues = append(check.Issues, prompt.Clip(page.Clean(blankSecrets(on, s)), maxThought))
		}
	}
	return check
}

// maxIssues bounds what is found fault with in one plan.
const maxIssues = 8

// checked refuses an answer that is neither a plan, nor a question, nor that the plan
// can be kept. A contingency that is none is left out: the plan stands without it.
func checked(a reasoning.PlanAnswer, q reasoning.PlanQuestion) (reasoning.PlanAnswer, error) {
	if a.Question != "" && len(a.Steps) == 0 || a.Fits && len(q.Plan.Steps) > 0 || a.Search != "" && q.MaySearch && len(a.Steps) == 0 {
		return a, nil
	}
	if len(a.SubTasks) > 0 {
		if _, err := plan.Break(a.SubTasks); err != nil {
			return a, err
		}
	}
	if len(a.Steps) == 0 {
		return a, errors.New(`there are no "steps"`)
	}
	if _, err := plan.New(a.Steps, nil); err != nil {
		return a, err
	}
	a.Contingencies = slices.DeleteFunc(a.Contingencies, func(c plan.Contingency) bool {
		_, err := plan.New(a.Steps, []plan.Contingency{c})
		return err != nil
	})
	return a, nil
}

// partsOf are the parts of a task as a model divides it.
func partsOf(on reasoning.On, said []plan.SubTask) []plan.SubTask {
	var parts []plan.SubTask
	for _, s := range said {
		parts = append(parts, plan.SubTask{Goal: prompt.Clip(page.Clean(blankSecrets(on, s.Goal)), maxThought), Inputs: namesOf(s.Inputs), Outputs: namesOf(s.Outputs)})
	}
	return parts
}

// namesOf are the names of a contract's values.
func namesOf(said []string) []string {
	var out []string
	for _, s := range said[:min(len(said), maxValues)] {
		if s = prompt.Clip(page.Clean(s), maxPastTarget); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// maxValues bounds the values that a part needs or gives.
const maxValues = 8

func known(sources []reasoning.Source) []reasoning.Source {
	return slices.DeleteFunc(sources, func(s reasoning.Source) bool { return !slices.Contains(reasoning.Sources, s) })
}

func stepsOf(on reasoning.On, said []planStep) []plan.Step {
	var steps []plan.Step
	for _, s := range said {
		tool := plan.DOM
		if strings.EqualFold(s.ToolType, string(plan.Server)) {
			tool = plan.Server
		}
		steps = append(steps, plan.Step{Description: prompt.Clip(page.Clean(blankSecrets(on, s.Description)), maxName), Tool: tool})
	}
	return steps
}
