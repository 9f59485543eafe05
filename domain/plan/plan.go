// Package plan is a plan for a task and the decisions about it that need nobody
// to be asked: whether it still fits the page (health.go), what was foreseen for a
// failure (contingency.go), where it stands after a verdict, and the same for the
// sub-tasks of a large task (subtask.go). It is plain functions over values; a
// plan is never changed in place. Who makes plans is not its business.
package plan

import (
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/page"
)

// Bounds of a plan. A task has at most fifty steps.
const (
	MaxSteps         = 50
	MaxContingencies = 20
)

// Tool says who carries a step out.
type Tool string

// The tools: the client on its page, or the server by itself (a search).
const (
	DOM    Tool = "DOM"
	Server Tool = "SERVER"
)

// Status of a step.
type Status string

// The statuses. Of a plan under way one step is active or, after a failed
// verdict, failed.
const (
	Pending   Status = "pending"
	Active    Status = "active"
	Completed Status = "completed"
	Failed    Status = "failed"
	// Skipped: the goal was reached without it.
	Skipped Status = "skipped"
)

// Step of a plan.
type Step struct {
	Description string
	Tool        Tool
	// Expected is what carrying it out should bring about; its NextGoal is what
	// the step after it needs on the page.
	Expected page.Outcome
	Status   Status
	// Contingency names the one the step came from, "" for the plan as made.
	Contingency string
}

// Plan is steps in order. Current is the one under way, len(Steps) when all are
// done.
type Plan struct {
	Steps         []Step
	Current       int
	Contingencies []Contingency
}

// New makes a plan of its first step and what follows. Plans are made by models:
// the error, a *domain.Error of kind Invalid, says what is wrong with one.
func New(steps []Step, contingencies []Contingency) (Plan, error) {
	if len(steps) == 0 {
		return Plan{}, invalid("a plan has at least one step")
	}
	if err := checkSteps(steps); err != nil {
		return Plan{}, err
	}
	if err := checkContingencies(contingencies); err != nil {
		return Plan{}, err
	}
	p := Plan{Steps: fresh(steps, ""), Contingencies: slices.Clone(contingencies)}
	return p.activate(), nil
}

func invalid(format string, args ...any) error {
	return domain.Errorf(domain.Invalid, domain.CodeInvalidPlan, format, args...)
}

func checkSteps(steps []Step) error {
	if len(steps) > MaxSteps {
		return invalid("a plan has at most %d steps", MaxSteps)
	}
	for i, s := range steps {
		switch {
		case strings.TrimSpace(s.Description) == "":
			return invalid("step %d says nothing", i)
		case s.Tool != DOM && s.Tool != Server:
			return invalid("step %d: there is no tool %q", i, s.Tool)
		}
	}
	return nil
}

// fresh are steps to be done, whatever whoever made them says of their status.
func fresh(steps []Step, contingency string) []Step {
	out := slices.Clone(steps)
	for i := range out {
		out[i].Status, out[i].Contingency = Pending, contingency
	}
	return out
}

func (p Plan) activate() Plan {
	if p.Current < len(p.Steps) {
		p.Steps[p.Current].Status = Active
	}
	return p
}

// copied is a plan whose steps may be changed.
func (p Plan) copied() Plan {
	p.Steps, p.Contingencies = slices.Clone(p.Steps), slices.Clone(p.Contingencies)
	return p
}

// Step is the one under way.
func (p Plan) Step() (Step, bool) {
	if p.Done() {
		return Step{}, false
	}
	return p.Steps[p.Current], true
}

// Done reports whether no step is left.
func (p Plan) Done() bool { return p.Current >= len(p.Steps) }

// Verdict is what a plan needs to know of the judgement on an action.
type Verdict struct {
	ActionSucceeded, TaskCompleted bool
	// SubTaskCompleted, nil if nobody was asked about a sub-task.
	SubTaskCompleted *bool
}

// Verified is the plan after the verdict on the action of its current step. An
// action that worked completes the step; one that did not leaves it current and
// failed, so that it can be foreseen, corrected or planned anew; a completed task
// needs no more steps.
func (p Plan) Verified(v Verdict) Plan {
	if p.Done() {
		return p
	}
	p = p.copied()
	switch {
	case v.ActionSucceeded && v.TaskCompleted:
		p.Steps[p.Current].Status = Completed
		for i := p.Current + 1; i < len(p.Steps); i++ {
			p.Steps[i].Status = Skipped
		}
		p.Current = len(p.Steps)
	case v.ActionSucceeded:
		p.Steps[p.Current].Status = Completed
		p.Current++
		return p.activate()
	default:
		p.Steps[p.Current].Status = Failed
	}
	return p
}
