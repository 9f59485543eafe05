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
	Goal    string   `json:"goal"`
	Inputs  []string `json:"inputs,omitempty"`
	Outputs []string `json:"outputs,omitempty"`
	Status  Status   `json:"status"`
	// Steps counts its verdicts, Failures the failed ones in a row.
	Steps    int `json:"steps,omitempty"`
	Failures int `json:"failures,omitempty"`
	// Why it failed or was skipped.
	Why string `json:"why,omitempty"`
}

// Hierarchy is a task divided into sub-tasks. Current is the active one,
// len(SubTasks) if none is left. Values are the values found so far, by name.
type Hierarchy struct {
	SubTasks []SubTask         `json:"subTasks"`
	Current  int               `json:"current"`
	Values   map[string]string `json:"values,omitempty"`
}

// Break returns a hierarchy. Every input must be an output of an earlier sub-task; the
// error, a *domain.Error of kind Invalid, names the one that is not.
func Break(subTasks []SubTask) (Hierarchy, error) {
	if len(subTasks) == 0 || len(subTasks) > MaxSubTasks {
		return Hierarchy{}, invalid("a task has 1 to %d sub-tasks", MaxSubTasks)
	}
	promised := map[string]bool{}
	h := Hierarchy{Values: map[string]string{}}
	for i, t := range subTasks {
		missing := lacking(t.Inputs, func(name string) bool { return promised[name] })
		switch {
		case strings.TrimSpace(t.Goal) == "":
			return Hierarchy{}, invalid("sub-task %d has no goal", i+1)
		case len(missing) > 0:
			return Hierarchy{}, invalid("sub-task %d needs %s, which none before it gives", i+1, strings.Join(missing, ", "))
		}
		for _, name := range t.Outputs {
			promised[name] = true
		}
		h.SubTasks = append(h.SubTasks, SubTask{Goal: t.Goal, Inputs: slices.Clone(t.Inputs), Outputs: slices.Clone(t.Outputs), Status: Pending})
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

// IsLast reports whether no sub-task comes after the current one.
func (h Hierarchy) IsLast() bool { return h.Current >= len(h.SubTasks)-1 }

// Counted returns the hierarchy after a decided verdict on an action of the current
// sub-task.
func (h Hierarchy) Counted(succeeded bool) Hierarchy {
	t, ok := h.SubTask()
	if !ok {
		return h
	}
	h = h.copied()
	t.Steps++
	t.Failures++
	if succeeded {
		t.Failures = 0
	}
	h.SubTasks[h.Current] = t
	return h
}

// Spent reports whether the current sub-task has used up its actions, and why it fails
// then.
func (h Hierarchy) Spent() (why string, spent bool) {
	t, _ := h.SubTask()
	switch {
	case t.Failures >= MaxSubTaskFailures:
		return "its actions did not work", true
	case t.Steps >= MaxSubTaskSteps:
		return "it was not done within its steps", true
	}
	return "", false
}

// Completed returns the hierarchy after its current sub-task is done. Of the values
// found those of its contract are kept; others are not for later sub-tasks. One that
// does not give all of its outputs has failed, since later ones could not begin.
func (h Hierarchy) Completed(found map[string]string) Hierarchy {
	t, ok := h.SubTask()
	if !ok {
		return h
	}
	h = h.copied()
	for _, name := range t.Outputs {
		if value, ok := found[name]; ok {
			h.Values[name] = value
		}
	}
	if missing := lacking(t.Outputs, h.knows); len(missing) > 0 {
		return h.Failed("it is done, but does not give " + strings.Join(missing, ", "))
	}
	t.Status = Completed
	return h.next(t)
}

// Failed gives up the current sub-task. The next one that does not depend on it is
// active then, if there is one.
func (h Hierarchy) Failed(why string) Hierarchy {
	t, ok := h.SubTask()
	if !ok {
		return h
	}
	t.Status, t.Why = Failed, why
	return h.copied().next(t)
}

func (h Hierarchy) copied() Hierarchy {
	h.SubTasks, h.Values = slices.Clone(h.SubTasks), maps.Clone(h.Values)
	if h.Values == nil {
		h.Values = map[string]string{}
	}
	return h
}

// next stores the current sub-task and activates the next one that can begin. Those
// that lack an input are skipped, since nothing will provide it.
func (h Hierarchy) next(t SubTask) Hierarchy {
	h.SubTasks[h.Current] = t
	for h.Current++; h.Current < len(h.SubTasks); h.Current++ {
		next := &h.SubTasks[h.Current]
		missing := lacking(next.Inputs, h.knows)
		if len(missing) == 0 {
			next.Status = Active
			return h
		}
		next.Status, next.Why = Skipped, "it needs "+strings.Join(missing, ", ")
	}
	return h
}

func (h Hierarchy) knows(name string) bool {
	_, ok := h.Values[name]
	return ok
}

// Undone are the sub-tasks that failed or were skipped.
func (h Hierarchy) Undone() (undone []SubTask) {
	for _, t := range h.SubTasks {
		if t.Status == Failed || t.Status == Skipped {
			undone = append(undone, t)
		}
	}
	return undone
}
