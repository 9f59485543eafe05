// Package tasktest has the laws of a task's history: what holds of its events
// whatever was asked of it, in whatever order. It keeps its own account of them
// and asks nothing of the aggregate, so that neither can hide the other's fault.
// It is for tests only.
package tasktest

import (
	"fmt"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/task"
)

// Check gives the first law that a history breaks, nil if it breaks none.
func Check(events []task.Event, l task.Limits) error {
	b := book{limits: l, seen: map[string]bool{}}
	for i, e := range events {
		if why := b.note(e); why != "" {
			return fmt.Errorf("event %d, %s: %s", i, task.Codec.Name(e), why)
		}
	}
	return nil
}

// book is the account of a history so far.
type book struct {
	limits task.Limits

	turn        int
	open        bool
	interrupted bool
	resumes     bool // the turn that is open was claimed while interrupted
	visible     bool
	ended       bool
	meaning     string // of the page of the turn

	steps, corrections int
	pending            bool
	verdict            *task.ActionVerified // the last event that counts is this
	action             string               // the last one
	failures, idle     int
	look               bool // the pending action only looks at the page
	seen               map[string]bool
	repeated           string
	repeats            int
}

// note takes an event down, or says which law it breaks.
func (b *book) note(e task.Event) string {
	switch e := e.(type) {
	case task.PageObserved:
		return b.claimed(e)
	case task.TurnEnded:
		return b.closed(e.Turn)
	case task.TurnAbandoned:
		return b.closed(e.Turn)
	case task.TaskInterrupted:
		if b.open || b.ended || b.interrupted {
			return "a task is interrupted between its turns, before its end, and once"
		}
		b.interrupted = true
		return ""
	}
	if why := b.inTurn(e); why != "" {
		return why
	}
	return b.decided(e)
}

func (b *book) claimed(e task.PageObserved) string {
	switch {
	case b.ended:
		return "the task has ended"
	case b.open:
		return "a turn is open"
	case e.Turn != b.turn+1:
		return fmt.Sprintf("turn %d follows turn %d", e.Turn, b.turn)
	}
	b.turn, b.open, b.resumes, b.meaning = e.Turn, true, b.interrupted, e.MeaningHash
	return ""
}

func (b *book) closed(turn int) string {
	if !b.open || turn != b.turn {
		return fmt.Sprintf("turn %d is not open", turn)
	}
	b.open = false
	return ""
}

// inTurn are the laws of everything that happens within a turn.
func (b *book) inTurn(e task.Event) string {
	_, started := e.(task.TaskStarted)
	_, resumed := e.(task.TaskResumed)
	_, asked := e.(task.UserInputRequested)
	_, told := e.(task.UserInputProvided)
	_, blocked := e.(task.FinishBlocked)
	switch {
	case !b.open:
		return "no turn is open"
	case b.ended:
		return "the task has ended"
	case b.resumes != resumed:
		return "an interrupted task is resumed first, and only one that is interrupted"
	case started && b.visible:
		return "a task is started once"
	case !started && !resumed && !asked && !told && !blocked && !b.visible && b.shows(e):
		return "readers know of no task yet"
	case turnOf(e) != 0 && turnOf(e) != b.turn:
		return fmt.Sprintf("it speaks of turn %d in turn %d", turnOf(e), b.turn)
	}
	b.visible = b.visible || started
	if resumed {
		b.interrupted, b.resumes = false, false
	}
	return ""
}

// shows holds for what a reader of the task should see.
func (b *book) shows(e task.Event) bool {
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
	case task.ActionVerified:
		return e.Turn
	case task.CorrectionIssued:
		return e.Turn
	case task.FinishBlocked:
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

func (b *book) decided(e task.Event) string {
	switch e := e.(type) {
	case task.ActionGenerated:
		return b.generated(e)
	case task.OutcomePredicted:
		if !b.pending || e.StepIndex != b.steps-1 {
			return "it is expected of an action that does not wait for its verdict"
		}
	case task.ActionVerified:
		return b.verified(e)
	case task.CorrectionIssued:
		return b.corrected(e)
	case task.UserInputProvided:
		b.idle, b.repeats, b.repeated = 0, 0, ""
	case task.TaskFailed:
		b.ended = true
	case task.TaskCompleted:
		if b.ended = true; !(e.Confidence >= 0 && e.Confidence <= 1) {
			return "its confidence is no probability"
		}
	}
	return ""
}

func (b *book) generated(e task.ActionGenerated) string {
	switch {
	case b.pending:
		return "another action waits for its verdict"
	case e.StepIndex != b.steps:
		return fmt.Sprintf("step %d comes after %d steps", e.StepIndex, b.steps)
	case !(e.Confidence >= 0 && e.Confidence <= 1):
		return "its confidence is no probability"
	case b.steps >= b.limits.MaxSteps:
		return "it is one step too many"
	case b.failures >= b.limits.MaxConsecutiveFailures:
		return "too many verdicts in a row were bad"
	case b.idle >= b.limits.MaxIdle:
		return "too many good verdicts in a row brought nothing new"
	}
	b.steps, b.corrections = b.steps+1, 0
	return b.tried(e.Action, e.Target)
}

func (b *book) corrected(e task.CorrectionIssued) string {
	switch {
	case b.pending:
		return "another action waits for its verdict"
	case b.verdict == nil:
		return "no verdict caused it"
	case b.verdict.Succeeded || b.verdict.Turn != e.Turn || b.verdict.StepIndex != e.StepIndex:
		return fmt.Sprintf("the verdict before it did not cause it: %+v", *b.verdict)
	case e.FailedAction != b.action:
		return "it corrects another action than the one that failed"
	case e.Attempt != b.corrections+1 || e.Attempt > b.limits.MaxCorrections:
		return fmt.Sprintf("it is correction %d after %d", e.Attempt, b.corrections)
	case b.failures >= b.limits.MaxConsecutiveFailures:
		return "too many verdicts in a row were bad"
	}
	b.corrections++
	return b.tried(e.RetryAction, e.RetryTarget)
}

// tried notes an action that is pending from now on.
func (b *book) tried(text string, on task.Target) string {
	a, _ := action.Parse(text)
	b.pending, b.verdict, b.action, b.look = true, nil, text, a.Name == action.VerifySuccess
	if b.meaning != "" {
		b.seen[b.meaning] = true
	}
	deed := fmt.Sprint(a.Name, on.Role, on.Name, on.Group, on.Key, a.Text, a.Seconds, b.meaning)
	if deed != b.repeated {
		b.repeats, b.repeated = 0, deed
	}
	if b.repeats++; b.meaning != "" && b.repeats > b.limits.MaxRepeats {
		return fmt.Sprintf("the same %d times in a row: %s", b.repeats, text)
	}
	return ""
}

func (b *book) verified(e task.ActionVerified) string {
	switch {
	case !b.pending:
		return "there is nothing to judge"
	case e.StepIndex != b.steps-1:
		return fmt.Sprintf("it judges step %d of %d", e.StepIndex, b.steps)
	case !(e.Confidence >= 0 && e.Confidence <= 1):
		return "its confidence is no probability"
	case e.Succeeded != (e.Confidence >= reasoning.SuccessThreshold):
		return "its confidence does not say what it says"
	}
	b.pending, b.verdict = false, &e
	if b.failures++; e.Succeeded {
		b.failures = 0
	}
	part := e.TaskCompleted || e.SubTaskCompleted != nil && *e.SubTaskCompleted
	switch known := b.seen[b.meaning]; {
	case b.look:
	case !e.Succeeded, part, !known:
		b.idle = 0
	default:
		b.idle++
	}
	return ""
}
