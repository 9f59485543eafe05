// Package tasktest checks the laws of a task's history: what holds for its events
// whatever commands led to them. It keeps its own account and uses nothing of the
// aggregate, so neither hides a fault of the other. It is for tests only.
package tasktest

import (
	"fmt"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/task"
)

// Check returns the first law a history breaks, or nil.
func Check(events []task.Event, l task.Limits) error {
	b := history{limits: l, seen: map[string]int{}}
	for i, e := range events {
		if why := b.apply(e); why != "" {
			return fmt.Errorf("event %d, %s: %s", i, task.Codec.Name(e), why)
		}
	}
	return nil
}

// history is the account of a task's events so far.
type history struct {
	limits task.Limits

	turn        int
	open        bool
	interrupted bool
	stopped     bool // by its user
	resumes     bool // the turn that is open was claimed while interrupted
	visible     bool
	ended       bool
	pause       *task.TaskPaused // who holds it
	takenOver   int              // the newest turn when it was taken over last
	notes       int              // of hand-backs, which no turn has told yet
	untold      int              // those the open turn has to tell first
	asked       int              // turns in a row that ended without an action
	meaning     string           // of the page of the turn

	attempts       []*attempt // oldest first
	steps          int
	failures, idle int
	seen           map[string]int // the turn in which a page was first acted on
	repeated       string
	repeats        int
}

// apply adds an event. It returns the law that the event breaks, or "".
func (b *history) apply(e task.Event) string {
	switch e := e.(type) {
	case task.PageObserved:
		return b.claimed(e)
	case task.TurnEnded:
		return b.answered(e)
	case task.TurnAbandoned:
		return b.closed(e.Turn)
	case task.TaskInterrupted:
		if b.open || b.ended || b.interrupted && (e.By == "" || b.stopped) {
			return "a task is interrupted between its turns, before its end, and once"
		}
		b.interrupted, b.stopped = true, e.By != ""
		return ""
	case task.TaskErased:
		if b.open {
			return "a turn is open that could still append"
		}
		b.ended = true
		return ""
	case task.TaskResumed:
		if !b.open && b.interrupted {
			b.interrupted, b.stopped = false, false
			return ""
		}
	case task.TaskStarted:
		if !b.open && b.turn > 0 && !b.ended && !b.visible { // a cancelled task is shown
			b.visible = true
			return ""
		}
	case task.TaskFailed:
		if e.Code == domain.CodeCancelled {
			return b.cancelled(e)
		}
	case task.TaskPaused:
		return b.paused(e)
	case task.TaskHandedBack:
		return b.handedBack(e)
	}
	if why := b.inTurn(e); why != "" {
		return why
	}
	return b.decided(e)
}

// cancelled: its user may end a task between its turns, whatever becomes of it.
func (b *history) cancelled(e task.TaskFailed) string {
	if b.open || b.ended || !b.visible || e.Turn != b.turn {
		return "a task is cancelled between its turns, before its end, where readers know of it"
	}
	b.ended = true
	return ""
}

func (b *history) paused(e task.TaskPaused) string {
	switch {
	case b.turn == 0 || b.ended:
		return "there is no task that goes on"
	case b.pause != nil && b.pause.By == e.By && b.pause.Kind == e.Kind:
		return "this person holds it like that already"
	}
	if b.pause = &e; e.Kind == task.TakenOver {
		b.takenOver = b.turn
	}
	return ""
}

func (b *history) handedBack(e task.TaskHandedBack) string {
	if b.pause == nil || b.ended {
		return "nobody holds the task"
	}
	if b.pause = nil; e.Note != "" {
		b.notes++
	}
	return ""
}

func (b *history) claimed(e task.PageObserved) string {
	switch {
	case b.ended:
		return "the task has ended"
	case b.pause != nil:
		return "somebody holds the task"
	case b.open:
		return "a turn is open"
	case e.Turn != b.turn+1:
		return fmt.Sprintf("turn %d follows turn %d", e.Turn, b.turn)
	}
	b.turn, b.open, b.resumes, b.meaning = e.Turn, true, b.interrupted, e.MeaningHash
	b.untold, b.notes = b.notes, 0
	return ""
}

// answered checks that a task does not ask for ever.
func (b *history) answered(e task.TurnEnded) string {
	if b.untold > 0 {
		return "what was said at the hand-back is told first"
	}
	if b.asked++; e.Status == "action" || b.ended {
		b.asked = 0
	}
	if b.asked > b.limits.MaxQuestions {
		return fmt.Sprintf("%d turns in a row ended without an action", b.asked)
	}
	return b.closed(e.Turn)
}

func (b *history) closed(turn int) string {
	if !b.open || turn != b.turn {
		return fmt.Sprintf("turn %d is not open", turn)
	}
	b.open = false
	return ""
}

// inTurn checks the laws for events within a turn.
func (b *history) inTurn(e task.Event) string {
	_, started := e.(task.TaskStarted)
	_, resumed := e.(task.TaskResumed)
	_, asked := e.(task.UserInputRequested)
	said, told := e.(task.UserInputProvided)
	_, blocked := e.(task.FinishBlocked)
	switch {
	case !b.open:
		return "no turn is open"
	case b.ended:
		return "the task has ended"
	case b.resumes != resumed:
		return "an interrupted task is resumed first, and only one that is interrupted"
	case b.untold > 0 && !resumed && !said.HandedBack:
		return "what was said at the hand-back is told first"
	case b.untold == 0 && said.HandedBack:
		return "nothing was said at a hand-back"
	case started && b.visible:
		return "a task is started once"
	case !started && !resumed && !asked && !told && !blocked && !b.visible && b.checkVisible(e):
		return "readers know of no task yet"
	case turnOf(e) != 0 && turnOf(e) != b.turn:
		return fmt.Sprintf("it speaks of turn %d in turn %d", turnOf(e), b.turn)
	}
	b.visible = b.visible || started
	if resumed {
		b.interrupted, b.resumes, b.stopped = false, false, false
	}
	if said.HandedBack {
		b.untold--
	}
	return ""
}

// checkVisible reports whether readers of the task should see the event.
func (b *history) checkVisible(e task.Event) bool {
	switch e.(type) {
	case task.ActionGenerated, task.TaskCompleted, task.TaskFailed:
		return true
	}
	return false
}

func turnOf(e task.Event) int {
	switch e := e.(type) {
	case task.ActionGenerated:
		return e.Turn
	case task.OutcomePredicted:
		return e.Turn
	case task.ChainPartiallyFailed:
		return e.Turn
	case task.ActionVerified:
		return e.Turn
	case task.CorrectionIssued:
		return e.Turn
	case task.FinishBlocked:
		return e.Turn
	case task.PlanMade:
		return e.Turn
	case task.PlanChecked:
		return e.Turn
	case task.ActionCriticised:
		return e.Turn
	case task.UserInputRequested:
		return e.Turn
	case task.UserInputProvided:
		return e.Turn
	case task.TaskCompleted:
		return e.Turn
	case task.TaskFailed:
		return e.Turn
	case task.TaskResumed:
		return e.Turn
	}
	return 0
}

func (b *history) decided(e task.Event) string {
	switch e := e.(type) {
	case task.ActionGenerated:
		return b.generated(e)
	case task.OutcomePredicted:
		if d := b.lastAttempt(); d == nil || d.judged || e.StepIndex != d.step {
			return "it is expected of an action that does not wait for its verdict"
		}
	case task.ChainPartiallyFailed:
		return b.chainStopped(e)
	case task.ActionVerified:
		return b.verified(e)
	case task.CorrectionIssued:
		return b.corrected(e)
	case task.UserInputProvided:
		b.idle, b.repeats, b.repeated = 0, 0, ""
	case task.TaskFailed:
		b.ended = true
	case task.TaskCompleted:
		return b.completed(e)
	}
	return ""
}

func (b *history) completed(e task.TaskCompleted) string {
	b.ended = true
	switch {
	case !isProbability(e.Confidence):
		return "its confidence is no probability"
	case e.Proof.Quote == "":
		return "nothing shows it"
	case b.submitUndecided():
		return "nobody knows whether what was submitted has worked"
	}
	return ""
}

func isProbability(p float64) bool { return p >= 0 && p <= 1 }
