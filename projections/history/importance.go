package history

import "github.com/stepledger/stepledger/domain/task"

// Importance is how much an event tells whoever looks at a task from above.
type Importance string

// The levels. Low is bookkeeping: claims of turns and their ends, predictions, waits
// and looks. High is what a story of the task would have: verdicts, corrections, what
// the user was asked and said, what was objected to a finish, and ends.
const (
	Low    Importance = "low"
	Normal Importance = "normal"
	High   Importance = "high"
)

// rank orders the levels; everything is at least "".
var rank = map[Importance]int{Low: 0, Normal: 1, High: 2}

// ImportanceOf returns the level of an event.
func ImportanceOf(e task.Event) Importance {
	switch e := e.(type) {
	case task.PageObserved, task.TurnEnded, task.OutcomePredicted:
		return Low
	case task.ActionGenerated:
		if e.Kind.LooksOnly() {
			return Low
		}
	case task.ActionVerified:
		if !e.Undecided {
			return High
		}
	case task.CorrectionIssued, task.ChainPartiallyFailed, task.UserInputRequested, task.UserInputProvided, task.FinishBlocked,
		task.SubTaskFailed, task.TaskCompleted, task.TaskFailed, task.TaskInterrupted, task.TaskResumed, task.TaskPaused, task.TaskHandedBack,
		task.TurnAbandoned, task.TaskErased, task.Unknown:
		return High
	}
	return Normal
}
