package reasoning

import (
	"slices"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/plan"
)

// Source is where the information a task needs is found (spec: context analysis).
type Source string

// The sources. A task may need several.
const (
	FromMemory Source = "MEMORY"     // the user's words, and what was done so far
	FromPage   Source = "PAGE"       // the pages of the task's site
	FromWeb    Source = "WEB_SEARCH" // a search outside
	FromUser   Source = "ASK_USER"   // only the user knows
)

// Sources are all of them.
var Sources = []Source{FromMemory, FromPage, FromWeb, FromUser}

// PlanCause is why a plan is asked for.
type PlanCause string

// FirstPlan is the cause of a task's first plan. Every other cause is that of a check
// of the plan (plan.Cause).
const FirstPlan PlanCause = "first"

// Confidence in what is known (spec §4.7.2, confidence matrix): from CertainEnough the
// agent acts on it, under Uncertain the user is asked; in between a search may help.
const (
	CertainEnough = 0.90
	Uncertain     = 0.50
)

// PlanQuestion asks what a task needs and how to go about it.
type PlanQuestion struct {
	On      On
	Query   string
	Answers []string
	Page    page.Page
	Steps   []Step
	// Plan is the plan that may no longer fit, Cause and Reason why; zero for the first.
	Plan   plan.Plan
	Cause  PlanCause
	Reason string
	// Rejected is a plan that did not pass its checkpoint, Issues what was found fault
	// with: make a better one.
	Rejected []plan.Step
	Issues   []string
}

// PlanAnswer is a plan, or what is missing for one.
type PlanAnswer struct {
	Undecided bool
	// Sources are where the information is that the task needs; Evidence says by what.
	Sources  []Source
	Evidence string
	// Question is for the user if only they know what is missing.
	Question string
	Missing  []string
	// Fits: the plan of the question can be kept.
	Fits          bool
	Steps         []plan.Step
	Contingencies []plan.Contingency
	// Check is what whoever made the plan thinks of it; nil if they did not say.
	Check      *PlanCheck
	Confidence float64
	By         string
	Tokens     Tokens
}

// PlanCheckQuestion asks somebody who did not make a plan what is wrong with it.
type PlanCheckQuestion struct {
	On      On
	Query   string
	Answers []string
	Page    page.Page
	Steps   []plan.Step
}

// PlanCheck are the scores of a plan. Issues are sentences for whoever makes the next.
type PlanCheck struct {
	Scores plan.Scores
	Issues []string
	By     string
	Tokens Tokens
}

// Asks reports whether the user has to be asked before anything is done: only they know
// something, and whoever answered is not certain enough to go on without.
func (a PlanAnswer) Asks() bool {
	return a.Question != "" && slices.Contains(a.Sources, FromUser) && a.Confidence < CertainEnough
}
