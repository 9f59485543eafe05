package interact

import (
	"cmp"
	"context"
	"time"

	"github.com/stepledger/stepledger/domain/complexity"
	"github.com/stepledger/stepledger/domain/plan"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/task"
)

// runPlan sees to it that a task that needs a plan has one that fits the page. A simple
// task has none, nor has any task if nobody can plan. A plan that cannot be had is gone
// on without: planning helps, and nothing depends on it.
func runPlan(ctx context.Context, t *turn) (outcome, error) {
	if t.Planner == nil {
		return ready, nil
	}
	q, needed := t.planQuestion()
	if !needed {
		return ready, nil
	}
	if t.planUntil.IsZero() {
		t.planUntil = time.Now().Add(planPatience)
	}
	ctx, cancel := context.WithDeadline(ctx, t.planUntil)
	defer cancel()
	for retries := 0; ; retries++ {
		answer, err := t.Planner.Plan(ctx, q)
		t.tokens = t.tokens.Plus(answer.Tokens)
		if err != nil || answer.Undecided {
			return ready, nil // the decorator around the port logs it
		}
		if left, err := t.route(answer, q); left != ready || err != nil {
			return left, err
		}
		if answer.Fits && q.Cause.IsAnother() {
			return ready, nil
		}
		made, err := plan.New(answer.Steps, answer.Contingencies)
		if err != nil {
			return ready, nil // a plan that is none is no plan
		}
		verdict, issues, err := t.checkPlan(ctx, answer, retries)
		switch {
		case err != nil:
			return failed, err
		case verdict == plan.Fail && q.Cause == reasoning.FirstPlan:
			return t.withoutPlan(issues)
		case verdict == plan.Fail:
			return ready, nil // the plan there was, or none, is better than one known to be bad
		case verdict == plan.Retry:
			q.Rejected, q.Issues = answer.Steps, issues
			continue
		}
		return ready, t.do(task.AdoptPlan{Made: task.PlanMade{
			Cause: string(q.Cause), By: answer.By, Confidence: answer.Confidence, Sources: answer.Sources,
			Reason: conceal(q.Reason, t.secrets()), Evidence: conceal(answer.Evidence, t.secrets()), Plan: made, SubTasks: answer.SubTasks,
		}})
	}
}

// planPatience bounds the planning of a turn, retries and searches included: a verdict
// and an action have to fit into its lease besides.
const planPatience = 40 * time.Second

// planQuestion is the question for a plan, if one is needed: the first of a task that is
// not simple, or another where the one there is may not fit the page any more.
func (t *turn) planQuestion() (q reasoning.PlanQuestion, needed bool) {
	q = reasoning.PlanQuestion{
		On: t.on(), Query: t.state.Query, Answers: t.state.Replies, Page: t.now, Steps: t.steps(), Cause: reasoning.FirstPlan,
		MaySearch: t.Search != nil, Searches: t.searches(), Knowledge: t.chunks, Part: t.part(),
	}
	if t.state.Plan == nil {
		if q.Part != nil {
			q.Cause = reasoning.PlanOfPart
		}
		q.MayDivide = q.Part == nil && t.long() >= adversarialFrom
		return q, len(t.state.Steps) == t.state.PartFrom && t.long() >= planFrom
	}
	health := plan.Health{Action: plan.Regenerate, Cause: t.planDoubt.Cause, Reason: t.replan}
	if t.replan == "" {
		if t.verdict == nil || t.verdict.Outcome() != reasoning.Succeeded {
			return q, false
		}
		health = plan.Check(t.beforePage(), t.now, t.pending.Expected)
		t.planDoubt = health
	}
	q.Plan, q.Cause, q.Reason = *t.state.Plan, reasoning.PlanCause(cmp.Or(health.Cause, plan.CauseActor)), health.Reason
	return q, health.Action == plan.Regenerate
}

// mayReplan reports whether whoever acts may have another plan made: once a turn.
func (t *turn) mayReplan() bool { return t.state.Plan != nil && t.Planner != nil && t.replan == "" }

// doubt is why the plan may not fit the page, for whoever acts: a changed page alone is
// no fault of it, and costs no call.
func (t *turn) doubt() string {
	switch {
	case t.replan != "":
		return "it was looked at again, because you said: " + t.replan
	case (t.planDoubt.Action == plan.Validate || t.deferredBy != "" && t.planDoubt.Action == plan.Regenerate) && t.mayReplan():
		return t.planDoubt.Reason
	}
	return ""
}

// foreseen puts the steps of a contingency before the failed step, if the plan foresaw
// the failure: they are tried before a correction is asked for.
func (t *turn) foreseen() (bool, error) {
	if t.state.Plan == nil {
		return false, nil
	}
	f := plan.Failure{Reason: t.verdict.Reason, Observations: t.observations, Page: t.now}
	i, ok := t.state.Plan.Foreseen(f)
	if !ok {
		return false, nil
	}
	return true, t.do(task.AdoptPlan{Made: task.PlanMade{
		Cause: "contingency", By: reasoning.ByDefault, Confidence: 1,
		Reason: conceal(t.state.Plan.Contingencies[i].Name, t.secrets()), Plan: t.state.Plan.Take(i),
	}})
}

// showPlan puts the plan into the answer.
func (t *turn) showPlan() {
	p := t.state.Plan
	if p == nil {
		p = &plan.Plan{}
	}
	shown := &Plan{Steps: []PlanStep{}, CurrentStepIndex: p.Current, SubTasks: t.showParts()}
	if len(p.Steps)+len(shown.SubTasks) == 0 {
		return
	}
	for i, s := range p.Steps {
		shown.Steps = append(shown.Steps, PlanStep{Index: i, Description: conceal(s.Description, t.secrets()), Status: string(s.Status), ToolType: string(s.Tool)})
	}
	current, total := p.Current, len(p.Steps)
	t.answer.Plan, t.answer.CurrentStep, t.answer.TotalSteps = shown, &current, &total
}

func (t *turn) showParts() (shown []SubTask) {
	if t.state.Parts == nil {
		return nil
	}
	for i, s := range t.state.Parts.SubTasks {
		shown = append(shown, SubTask{Index: i, Goal: conceal(s.Goal, t.secrets()), Status: string(s.Status)})
	}
	return shown
}

// long is the probability that the task, or its current part, takes so many steps that
// a plan is worth its call (spec: complexity routing). A shorter one is acted on
// directly: each page shows how far it is.
func (t *turn) long() float64 {
	if goal := t.partGoal(); goal != "" {
		return complexity.Of(goal, nil, t.now).Long
	}
	return t.complexity().Long
}

// complexity is how complex the task is, by what its user said without secrets: how a
// value looks that nobody may see decides nothing, so that a replay of an export, which
// does not have it, decides the same.
func (t *turn) complexity() complexity.Complexity {
	return complexity.Of(conceal(t.state.Query, t.secrets()), concealAll(t.state.Replies, t.secrets()), t.now)
}

// planFrom is the probability of a long task from which it is planned.
const planFrom = 0.5
