package plan

import (
	"maps"
	"slices"
	"strings"
)

// Limits of a sub-task; a longer one should have been split.
const (
	MaxSubTasks        = 20
	MaxSubTaskSteps    = 15
	MaxSubTaskFailures = 3
)

// SubTask is a part of a large task with a contract: the values it needs when it
// begins and those it has to provide when it is done.
type SubTask struct {
	ID, Goal        string
	Inputs, Outputs []string
	Status          Status
	// Steps counts its verdicts, Failures the failed ones in a row.
	Steps, Failures int
	// Why it failed.
	Why string
}

// Hierarchy is a task divided into sub-tasks. Current is the active one,
// len(SubTasks) if none is left. Values are the values known so far, by name.
type Hierarchy struct {
	SubTasks []SubTask
	Current  int
	Values   map[string]string
}

// Break returns a hierarchy. Every input must be given or be an output of an earlier
// sub-task; the error, a *domain.Error of kind Invalid, names the one that is not.
func Break(subTasks []SubTask, given map[string]string) (Hierarchy, error) {
	if len(subTasks) == 0 || len(subTasks) > MaxSubTasks {
		return Hierarchy{}, invalid("a task has 1 to %d sub-tasks", MaxSubTasks)
	}
	promised := map[string]bool{}
	for name := range given {
		promised[name] = true
	}
	h := Hierarchy{SubTasks: slices.Clone(subTasks), Values: maps.Clone(given)}
	for i, t := range subTasks {
		switch missing := lacking(t.Inputs, func(name string) bool { return promised[name] }); {
		case t.ID == "" || strings.TrimSpace(t.Goal) == "":
			return Hierarchy{}, invalid("sub-task %d has no id or no goal", i)
		case slices.ContainsFunc(subTasks[:i], func(other SubTask) bool { return other.ID == t.ID }):
			return Hierarchy{}, invalid("two sub-tasks have the id %q", t.ID)
		case len(missing) > 0:
			return Hierarchy{}, invalid("sub-task %q needs %s, which nothing before it gives", t.ID, strings.Join(missing, ", "))
		}
		for _, name := range t.Outputs {
			promised[name] = true
		}
		h.SubTasks[i].Status, h.SubTasks[i].Steps, h.SubTasks[i].Failures, h.SubTasks[i].Why = Pending, 0, 0, ""
	}
	h.SubTasks[0].Status = Active
	return h, nil
}

func lacking(names []string, known func(string) bool) (missing []string) {
	for _, name := range names {
		if !known(name) {
			missing = append(missing, name)
		}
	}
	return missing
}

// SubTask returns the current sub-task.
func (h Hierarchy) SubTask() (SubTask, bool) {
	if h.Current >= len(h.SubTasks) {
		return SubTask{}, false
	}
	return h.SubTasks[h.Current], true
}

// Inputs returns the values of the current sub-task's contract. It knows nothing else
// of what went before.
func (h Hierarchy) Inputs() map[string]string {
	t, ok := h.SubTask()
	if !ok {
		return nil
	}
	in := map[string]string{}
	for _, name := range t.Inputs {
		in[name] = h.Values[name]
	}
	return in
}

// Move is what a verdict did to a hierarchy.
type Move string

// The moves.
const (
	// Stays: the sub-task continues.
	Stays Move = "stays"
	// Advanced: it is completed, and another one is active.
	Advanced Move = "advanced"
	// Finished: it is completed and none is left, or the task's goal is reached.
	Finished Move = "finished"
	// Broken: it failed. The next one that does not depend on it is active, if there
	// is one.
	Broken Move = "failed"
)

// Verified returns the hierarchy after a verdict on its current sub-task. Outputs are
// the values found. A sub-task that is completed without all of its outputs has
// failed, since later ones could not begin.
func (h Hierarchy) Verified(v Verdict, outputs map[string]string) (Hierarchy, Move) {
	t, ok := h.SubTask()
	if !ok {
		return h, Finished
	}
	h = h.copied()
	t.Steps++
	t.Failures++
	if v.ActionSucceeded {
		t.Failures = 0
	}
	h.learn(t, outputs)
	missing := lacking(t.Outputs, h.knows)
	completed := v.ActionSucceeded && v.SubTaskCompleted != nil && *v.SubTaskCompleted
	switch {
	case v.ActionSucceeded && v.TaskCompleted:
		return h.done(t), Finished
	case completed && len(missing) == 0:
		t.Status = Completed
		return h.next(t, Advanced)
	case completed:
		return h.failed(t, "it is done, but does not give "+strings.Join(missing, ", "))
	case t.Failures >= MaxSubTaskFailures:
		return h.failed(t, "its actions did not work")
	case t.Steps >= MaxSubTaskSteps:
		return h.failed(t, "it was not done within its steps")
	}
	h.SubTasks[h.Current] = t
	return h, Stays
}

// Fail gives up the current sub-task.
func (h Hierarchy) Fail(why string) (Hierarchy, Move) {
	t, ok := h.SubTask()
	if !ok {
		return h, Finished
	}
	return h.copied().failed(t, why)
}

func (h Hierarchy) copied() Hierarchy {
	h.SubTasks, h.Values = slices.Clone(h.SubTasks), maps.Clone(h.Values)
	if h.Values == nil {
		h.Values = map[string]string{}
	}
	return h
}

// learn keeps the outputs named in the contract; others are not for later sub-tasks.
func (h Hierarchy) learn(t SubTask, outputs map[string]string) {
	for _, name := range t.Outputs {
		if value, ok := outputs[name]; ok {
			h.Values[name] = value
		}
	}
}

func (h Hierarchy) failed(t SubTask, why string) (Hierarchy, Move) {
	t.Status, t.Why = Failed, why
	return h.next(t, Broken)
}

// next stores the current sub-task and activates the next one that can begin. Those
// that lack an input are skipped, since nothing will provide it.
func (h Hierarchy) next(t SubTask, move Move) (Hierarchy, Move) {
	h.SubTasks[h.Current] = t
	for h.Current++; h.Current < len(h.SubTasks); h.Current++ {
		next := &h.SubTasks[h.Current]
		missing := lacking(next.Inputs, h.knows)
		if len(missing) == 0 {
			next.Status = Active
			return h, move
		}
		next.Status, next.Why = Skipped, "it needs "+strings.Join(missing, ", ")
	}
	if move == Advanced {
		move = Finished
	}
	return h, move
}

// done skips the remaining sub-tasks of a task whose goal is reached.
func (h Hierarchy) done(t SubTask) Hierarchy {
	t.Status = Completed
	h.SubTasks[h.Current] = t
	for i := h.Current + 1; i < len(h.SubTasks); i++ {
		h.SubTasks[i].Status = Skipped
	}
	h.Current = len(h.SubTasks)
	return h
}

func (h Hierarchy) knows(name string) bool {
	_, ok := h.Values[name]
	return ok
}

// Complete reports whether every sub-task is completed. A hierarchy can end without
// that.
func (h Hierarchy) Complete() bool {
	return !slices.ContainsFunc(h.SubTasks, func(t SubTask) bool { return t.Status != Completed })
}
