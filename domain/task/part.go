package task

import (
	"github.com/stepledger/stepledger/domain/plan"
)

// SubTaskStarted: the task goes on with a part of it. Index counts from 0.
type SubTaskStarted struct {
	Turn  int `json:"turn"`
	Index int `json:"index"`

	Goal string `json:"goal,omitzero" sealed:"true"`
}

// SubTaskCompleted: a part is done. Outputs are the values its contract promised.
type SubTaskCompleted struct {
	Turn  int `json:"turn"`
	Index int `json:"index"`

	Outputs map[string]string `json:"outputs,omitzero" sealed:"true"`
}

// SubTaskFailed: a part is given up. Parts that need what it would have given are
// skipped.
type SubTaskFailed struct {
	Turn  int `json:"turn"`
	Index int `json:"index"`

	Why string `json:"why,omitzero" sealed:"true"`
}

// SubTaskOutputChecked: what a part gives passed its checkpoint or did not (spec:
// Verification Checkpoint Logic, checkpoint 2). Attempt counts from 1.
type SubTaskOutputChecked struct {
	Turn    int               `json:"turn"`
	Index   int               `json:"index"`
	Attempt int               `json:"attempt"`
	Overall float64           `json:"overall"`
	Verdict plan.CheckVerdict `json:"verdict"`
	By      string            `json:"by"`

	Issues []string `json:"issues,omitzero" sealed:"true"`
}

// SynthesisChecked: the last message of a task with parts can be traced to what they
// gave, or cannot (spec: checkpoint 3). Overall is the share of its claims that can.
type SynthesisChecked struct {
	Turn    int               `json:"turn"`
	Attempt int               `json:"attempt"`
	Overall float64           `json:"overall"`
	Verdict plan.CheckVerdict `json:"verdict"`
	By      string            `json:"by"`

	Issues []string `json:"issues,omitzero" sealed:"true"`
}

// CompletePart ends the current part. Outputs are the values found in it.
type CompletePart struct{ Outputs map[string]string }

// FailPart gives the current part up.
type FailPart struct{ Why string }

// CheckOutput records what a checkpoint made of a part's output. Checked is the event to
// append without turn and index.
type CheckOutput struct{ Checked SubTaskOutputChecked }

// CheckSynthesis records what a checkpoint made of the last message. Checked is the
// event to append without its turn.
type CheckSynthesis struct{ Checked SynthesisChecked }

func (SubTaskStarted) isTaskEvent()       {}
func (SubTaskCompleted) isTaskEvent()     {}
func (SubTaskFailed) isTaskEvent()        {}
func (SubTaskOutputChecked) isTaskEvent() {}
func (SynthesisChecked) isTaskEvent()     {}
func (CompletePart) isTaskCommand()       {}
func (FailPart) isTaskCommand()           {}
func (CheckOutput) isTaskCommand()        {}
func (CheckSynthesis) isTaskCommand()     {}

// Part returns the current part of the task, if it has parts and one is left.
func (s State) Part() (plan.SubTask, bool) {
	if s.Parts == nil {
		return plan.SubTask{}, false
	}
	return s.Parts.SubTask()
}

// adoptPlan gives the task a plan and, if it says so, parts.
func adoptPlan(c AdoptPlan, s State) []Event {
	c.Made.Turn = s.Turn.Number
	if len(c.Made.SubTasks) == 0 {
		return []Event{c.Made}
	}
	return append([]Event{c.Made}, s.withParts(c.Made.SubTasks).start(s.Turn.Number)...)
}

// start is the event that begins the current part, if one is left.
func (s State) start(turn int) []Event {
	t, ok := s.Part()
	if !ok {
		return nil
	}
	return []Event{SubTaskStarted{turn, s.Parts.Current, t.Goal}}
}

// endPart ends the current part with an event, and begins the next.
func endPart(s State, event func(index int) Event) []Event {
	if _, ok := s.Part(); !ok {
		return nil
	}
	e := event(s.Parts.Current)
	return append([]Event{e}, Evolve(s, e).start(s.Turn.Number)...)
}

func checkOutput(c CheckOutput, s State) []Event {
	if _, ok := s.Part(); !ok {
		return nil
	}
	c.Checked.Turn, c.Checked.Index = s.Turn.Number, s.Parts.Current
	return []Event{c.Checked}
}

func (s State) withParts(list []plan.SubTask) State {
	if h, err := plan.Break(list); err == nil { // parts whose text is erased are none
		s.Parts = &h
	}
	return s
}

// changePart changes the hierarchy of a task that has one.
func (s State) changePart(change func(plan.Hierarchy) plan.Hierarchy) State {
	if s.Parts != nil {
		h := change(*s.Parts)
		s.Parts = &h
	}
	return s
}

// leavePart is the state after a part: the next knows the values of its contract, and
// nothing else of what was planned, noted and done.
func (s State) leavePart(change func(plan.Hierarchy) plan.Hierarchy) State {
	s = s.changePart(change)
	s.Plan, s.Note, s.PartFrom, s.OutputRetries = nil, "", len(s.Steps), 0
	return s
}
