package reasoning

import (
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/plan"
)

// Source is where the information a task needs is found (spec: context analysis).
type Source string

// The sources. A task may need several.
const (
	FromMemory Source = "MEMORY"     // the user's words, what was done so far, and what documents say that were found
	FromPage   Source = "PAGE"       // the pages of the task's site
	FromWeb    Source = "WEB_SEARCH" // a search outside
	FromUser   Source = "ASK_USER"   // only the user knows
)

// Sources are all of them.
var Sources = []Source{FromMemory, FromPage, FromWeb, FromUser}

// PlanCause is why a plan is asked for.
type PlanCause string

// FirstPlan is the cause of a task's first plan, PlanOfPart of the first of a part of it.
// Every other cause is that of a check of the plan (plan.Cause).
const (
	FirstPlan  PlanCause = "first"
	PlanOfPart PlanCause = "sub-task"
)

// IsAnother reports whether there was a plan before.
func (c PlanCause) IsAnother() bool { return c != FirstPlan && c != PlanOfPart }

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
	// MaySearch: the web can be searched. Searches are those made for the task so far.
	MaySearch bool
	Searches  []WebSearch
	Knowledge []Chunk
	// Part is the current part of a task that is done in parts. MayDivide: the task is
	// so large that it may be divided.
	Part      *Part
	MayDivide bool
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
	// Search is what to search the web for, refined by what was found before; "" if
	// nothing.
	Search string
	// Fits: the plan of the question can be kept.
	Fits          bool
	Steps         []plan.Step
	Contingencies []plan.Contingency
	// SubTasks are the parts of a task that is done in parts; Steps are then for the
	// first.
	SubTasks []plan.SubTask
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
	// Knowledge is what documents say that whoever made the plan was shown.
	Knowledge []Chunk
	// Part is the part of the task the plan is for, SubTasks those it divides it into.
	Part     *Part
	SubTasks []plan.SubTask
}

// PlanCheck are the scores of a plan. Issues are sentences for whoever makes the next.
type PlanCheck struct {
	Scores plan.Scores
	Issues []string
	By     string
	Tokens Tokens
}
