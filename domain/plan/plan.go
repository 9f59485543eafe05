// Package plan has plans for tasks and the decisions about them that need no model:
// whether a plan still fits the page (health.go), which contingency applies to a
// failure (contingency.go), where it stands, and the same for the
// sub-tasks of a large task (subtask.go). It consists of plain functions over values;
// a plan is never changed in place. It does not make plans.
package plan

import (
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain"
)

// Bounds of a plan. A task has at most fifty steps.
const (
	MaxSteps         = 50
	MaxContingencies = 20
)

// Tool says who carries out a step.
type Tool string

// The tools: the client on its page, or the server by itself (a search).
const (
	DOM    Tool = "DOM"
	Server Tool = "SERVER"
)

// Status of a step.
type Status string

// The statuses. Of a plan one step is active. Only a sub-task fails or is skipped.
const (
	Pending   Status = "pending"
	Active    Status = "active"
	Completed Status = "completed"
	Failed    Status = "failed"
	Skipped   Status = "skipped"
)

// Step is a step of a plan.
type Step struct {
	Description string `json:"description"`
	Tool        Tool   `json:"toolType"`
	Status      Status `json:"status"`
	// Contingency names the contingency the step came from, "" for a step of the
	// original plan.
	Contingency string `json:"contingency,omitempty"`
}

// Plan is steps in order. Current is the active one.
type Plan struct {
	Steps         []Step        `json:"steps"`
	Current       int           `json:"currentStepIndex"`
	Contingencies []Contingency `json:"contingencies,omitempty"`
}

// New returns a plan. Plans are made by models, so the error, a *domain.Error of kind
// Invalid, says what is wrong with the plan.
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

// fresh returns steps with their status reset to pending.
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

// copied returns a copy whose steps may be changed.
func (p Plan) copied() Plan {
	p.Steps, p.Contingencies = slices.Clone(p.Steps), slices.Clone(p.Contingencies)
	return p
}

// At returns the plan with another current step, as told by whoever carries it out:
// those before it are completed, those from it on are not. An index that is none leaves
// the plan as it is.
func (p Plan) At(index int) Plan {
	if index < 0 || index >= len(p.Steps) || index == p.Current {
		return p
	}
	p = p.copied()
	for i := range p.Steps {
		switch {
		case i < index:
			p.Steps[i].Status = Completed
		case i > index:
			p.Steps[i].Status = Pending
		}
	}
	p.Current = index
	return p.activate()
}

// Step returns the current step.
func (p Plan) Step() (Step, bool) {
	if p.Done() {
		return Step{}, false
	}
	return p.Steps[p.Current], true
}

// Done reports whether no step is left, as of a plan whose text is erased.
func (p Plan) Done() bool { return p.Current >= len(p.Steps) }
