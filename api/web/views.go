package web

import (
	"fmt"

	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/projections/history"
)

// Did is a turn in a few words: its last action, or what else came of it.
func (t turn) Did() string {
	if n := len(t.Actions); n > 0 {
		a := t.Actions[n-1]
		if a.TargetName != "" {
			return fmt.Sprintf("%s “%s”", a.Kind, a.TargetName)
		}
		return a.Action
	}
	switch {
	case t.Ended != nil:
		return string(t.Ended.Status)
	case t.Question != "":
		return "asked the user"
	}
	return t.Status
}

// Outcome is the last verdict on what a turn did, whichever of the turns listed gave
// it; how the task ended, if it did in this turn; else none.
func (v taskView) Outcome(n int) string {
	found := "none"
	for _, t := range v.Turns {
		if t.Turn.Turn == n && t.Ended != nil {
			switch t.Ended.Status {
			case "completed":
				return string(reasoning.Succeeded)
			case "failed":
				return string(reasoning.Failed)
			}
		}
		for _, given := range t.Verdicts {
			if given.Of != nil && given.Of.Turn == n {
				found = string(given.Outcome)
			}
		}
	}
	return found
}

// shot is a captured page with what it is called.
type shot struct {
	Label, Task string
	Shot        history.Snapshot
}

// Shot is for the template of a captured page.
func (v taskView) Shot(label string, s any) shot {
	out := shot{Label: label, Task: v.TaskID}
	switch s := s.(type) {
	case history.Snapshot:
		out.Shot = s
	case *history.Snapshot:
		out.Shot = *s
	}
	return out
}
