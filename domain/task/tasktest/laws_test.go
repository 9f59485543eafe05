package tasktest_test

import (
	"strings"
	"testing"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/domain/task/tasktest"
)

func seen(turn int, meaning string) task.PageObserved {
	return task.PageObserved{Turn: turn, MeaningHash: meaning}
}

func did(turn, step int, text string) task.ActionGenerated {
	return task.ActionGenerated{Turn: turn, StepIndex: step, Kind: action.Press, Action: text}
}

func ended(turn int) task.TurnEnded { return task.TurnEnded{Turn: turn, Status: "action"} }

func asks(turn int) task.TurnEnded { return task.TurnEnded{Turn: turn, Status: "needs_user_input"} }

func waits(turn, step int) task.ActionGenerated {
	return task.ActionGenerated{Turn: turn, StepIndex: step, Kind: action.Wait, Action: `wait(1)`}
}

func submits(turn, step int, text string) task.ActionGenerated {
	e := did(turn, step, text)
	e.MaySubmit = true
	return e
}

func judged(turn, step int, confidence float64) task.ActionVerified {
	return task.ActionVerified{Turn: turn, StepIndex: step, Confidence: confidence, Succeeded: confidence >= 0.7}
}

func cancelled(turn int) task.TaskFailed {
	return task.TaskFailed{Turn: turn, Code: domain.CodeCancelled}
}

func open(turn, step int) task.ActionVerified {
	return task.ActionVerified{Turn: turn, StepIndex: step, Confidence: 0.5, Undecided: true, Missing: reasoning.MissingAnswer}
}

var proof = reasoning.Proof{Source: reasoning.OnPage, Quote: "Saved"}

func completes(turn int) task.TaskCompleted { return task.TaskCompleted{Turn: turn, Proof: proof} }

var (
	began  = []task.Event{seen(1, "a"), task.TaskStarted{}, did(1, 0, `press("a")`)}
	next   = append(began[:3:3], ended(1), seen(2, "b"))
	failed = append(next[:5:5], judged(2, 0, 0.2))
	worked = append(next[:5:5], judged(2, 0, 0.9))
	unsure = append(next[:5:5], open(2, 0))
	sent   = []task.Event{seen(1, "a"), task.TaskStarted{}, submits(1, 0, `press("a")`), ended(1), seen(2, "b"), open(2, 0)}
	done   = append(worked[:6:6], completes(2))
)

func holds(by string, kind task.PauseKind) task.TaskPaused {
	return task.TaskPaused{By: by, Kind: kind}
}

func back(note string) task.TaskHandedBack { return task.TaskHandedBack{By: "u2", Note: note} }

func told(turn int) task.UserInputProvided {
	return task.UserInputProvided{Turn: turn, HandedBack: true, Text: "x"}
}

// noted is a task in the turn after it was handed back with a note.
var noted = append(began[:3:3], ended(1), holds("u1", task.Paused), back("x"), seen(2, "b"))

func correction(turn, step, attempt int) task.CorrectionIssued {
	return task.CorrectionIssued{
		Turn: turn, StepIndex: step, Attempt: attempt, FailedAction: `press("a")`, Kind: action.Press, RetryAction: `press("b")`,
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	limits := task.Limits{MaxSteps: 2, MaxCorrections: 1, MaxConsecutiveFailures: 2, MaxIdle: 1, MaxRepeats: 1, MaxRounds: 1, MaxQuestions: 1}
	with := func(history []task.Event, more ...task.Event) []task.Event {
		return append(history[:len(history):len(history)], more...)
	}
	for _, c := range []struct {
		name    string
		history []task.Event
		broken  string // what is said of it; "" if nothing is
	}{
		{"a task from its beginning to its end", with(failed, correction(2, 0, 1), ended(2), seen(3, "c"), judged(3, 0, 0.9),
			completes(3), ended(3)), ""},
		{"a turn within a turn", with(began, seen(2, "b")), "a turn is open"},
		{"a turn left out", with(began, ended(1), seen(3, "b")), "turn 3 follows turn 1"},
		{"another turn's end", with(began, ended(2)), "turn 2 is not open"},
		{"an action outside of a turn", with(worked, ended(2), did(2, 1, `press("b")`)), "no turn is open"},
		{"an action of another turn", with(worked, did(1, 1, `press("b")`)), "it speaks of turn 1"},
		{"an action nobody knows the task of", []task.Event{seen(1, "a"), did(1, 0, `press("a")`)}, "readers know of no task"},
		{"a task started twice", with(began, task.TaskStarted{}), "started once"},
		{"two actions at once", with(began, did(1, 1, `press("b")`)), "waits for its verdict"},
		{"a step left out", with(worked, did(2, 2, `press("b")`)), "step 2 comes after 1"},
		{"a verdict on nothing", with(worked, judged(2, 0, 0.9)), "nothing to judge"},
		{"a verdict on another step", with(next, judged(2, 1, 0.9)), "nothing to judge"},
		{"a verdict that is no probability", with(next, judged(2, 0, 2)), "no probability"},
		{"a verdict that contradicts itself", with(next, task.ActionVerified{Turn: 2, Confidence: 0.1, Succeeded: true}), "does not say what it says"},
		{"a correction of what worked", with(worked, correction(2, 0, 1)), "no verdict of its turn"},
		{"a correction of what waits", with(next, correction(2, 0, 1)), "waits for its verdict"},
		{"a correction of another step", with(failed, correction(2, 1, 1)), "no verdict caused it"},
		{"a correction in a later turn", with(failed, ended(2), seen(3, "c"), correction(3, 0, 1)), "no verdict of its turn"},
		{"one correction too many", with(failed, correction(2, 0, 2)), "correction 2 after 0"},
		{"a correction of another action", with(failed, did(2, 1, `press("b")`), judged(2, 1, 0.1), correction(2, 1, 1)), "another action than the one that failed"},
		{"an action judged until it is decided", with(unsure, ended(2), seen(3, "c"), open(3, 0), asks(3), seen(4, "c"), judged(4, 0, 0.9), completes(4)), ""},
		{"a verdict on what is decided", with(failed, judged(2, 0, 0.9)), "nothing to judge"},
		{"an undecided verdict that is sure", with(next, task.ActionVerified{Turn: 2, Undecided: true, Confidence: 0.9, Missing: "x"}), "does not say what it says"},
		{"a decided verdict that is not", with(next, task.ActionVerified{Turn: 2, Confidence: 0.6}), "does not say what it says"},
		{"a stand-in's verdict", with(next, task.ActionVerified{Turn: 2, Confidence: 0.6, Succeeded: true, Degraded: true}), ""},
		{"an undecided verdict of a task that is complete", with(next, task.ActionVerified{Turn: 2, Undecided: true, Confidence: 0.5, Missing: "x", TaskCompleted: true}), "undecided is not done"},
		{"an undecided verdict that waits for nothing", with(next, task.ActionVerified{Turn: 2, Undecided: true, Confidence: 0.5}), "undecided is not done"},
		{"a decided verdict that waits for something", with(next, task.ActionVerified{Turn: 2, Confidence: 0.2, Missing: "x"}), "undecided is not done"},
		{"a look, and then a correction of what came before it", with(unsure, waits(2, 1), ended(2), seen(3, "b"), judged(3, 1, 0.95),
			judged(3, 0, 0.2), correction(3, 0, 1)), ""},
		{"a correction while a look waits for its verdict", with(unsure, waits(2, 1), ended(2), seen(3, "b"), judged(3, 0, 0.2), correction(3, 0, 1)),
			"waits for its verdict"},
		{"an action after what may have been submitted", with(sent, did(2, 1, `press("b")`)), ""},
		{"one that may submit too", with(sent, submits(2, 1, `press("b")`)), "may submit"},
		{"one that may submit, as a correction of a look", with(sent, waits(2, 1), ended(2), seen(3, "b"), judged(3, 1, 0.1), task.CorrectionIssued{
			Turn: 3, StepIndex: 1, Attempt: 1, FailedAction: `wait(1)`, Kind: action.Press, RetryAction: `press("b")`, MaySubmit: true,
		}), "may submit"},
		{"one that may submit after one that failed", with(sent, judged(2, 0, 0.1), submits(2, 1, `press("b")`)), ""},
		{"the end after all was seen", with(sent,
			task.ActionGenerated{Turn: 2, StepIndex: 1, Kind: action.VerifySuccess, Action: `verifySuccess("x")`}, judged(2, 1, 0.9), completes(2)), ""},
		{"the end after not all was seen", with(sent,
			task.ActionGenerated{Turn: 2, StepIndex: 1, Kind: action.VerifySuccess, Action: `verifySuccess("x")`}, judged(2, 1, 0.1), completes(2)), "nobody knows"},
		{"an end without proof", with(worked, task.TaskCompleted{Turn: 2}), "nothing shows it"},
		{"an end while what was submitted is not decided", with(sent, completes(2)), "nobody knows"},
		{"questions without end", with(unsure, asks(2), seen(3, "c"), asks(3)), "2 turns in a row"},
		{"a question after an action", with(unsure, asks(2), seen(3, "c"), did(3, 1, `press("b")`), ended(3), seen(4, "c"), asks(4)), ""},
		{"one step too many", with(worked, did(2, 1, `press("b")`), judged(2, 1, 0.1), did(2, 2, `press("c")`)), "one step too many"},
		{"an action after the end", with(done, did(2, 1, `press("b")`)), "the task has ended"},
		{"a turn after the end", with(done, ended(2), seen(3, "c")), "the task has ended"},
		{"an interruption of a turn", with(began, task.TaskInterrupted{}), "between its turns"},
		{"stopped by its user after nobody continued it", with(began, ended(1), task.TaskInterrupted{}, task.TaskInterrupted{By: "jo"}), ""},
		{"stopped by its user twice", with(began, ended(1), task.TaskInterrupted{By: "jo"}, task.TaskInterrupted{By: "jo"}), "and once"},
		{"resumed by its user", with(began, ended(1), task.TaskInterrupted{By: "jo"}, task.TaskResumed{Turn: 1}, seen(2, "b"), judged(2, 0, 0.9)), ""},
		{"resumed by its user twice", with(began, ended(1), task.TaskInterrupted{}, task.TaskResumed{Turn: 1}, task.TaskResumed{Turn: 1}), "no turn is open"},
		{"cancelled by its user", with(began, ended(1), cancelled(1)), ""},
		{"cancelled before readers know of it", []task.Event{seen(1, "a"), ended(1), task.TaskStarted{}, cancelled(1)}, ""},
		{"cancelled where readers know of nothing", []task.Event{seen(1, "a"), ended(1), cancelled(1)}, "where readers know"},
		{"cancelled within a turn", with(began, cancelled(1)), "between its turns"},
		{"cancelled after its end", with(done, ended(2), cancelled(2)), "before its end"},
		{"a turn of a cancelled task", with(began, ended(1), cancelled(1), seen(2, "b")), "the task has ended"},
		{"an interrupted task that goes on unasked", with(began, ended(1), task.TaskInterrupted{}, seen(2, "b"), judged(2, 0, 0.9)), "resumed first"},
		{"a task resumed that was not interrupted", with(began, task.TaskResumed{Turn: 1}), "resumed first"},
		{"a turn of a task somebody holds", with(next[:4:4], holds("u1", task.Paused), seen(2, "b")), "somebody holds"},
		{"a turn under way when somebody takes it", with(began, holds("u1", task.Paused), ended(1)), ""},
		{"held twice by the same person", with(began, holds("u1", task.Paused), holds("u1", task.Paused)), "already"},
		{"taken over from somebody", with(began, holds("u1", task.Paused), holds("u2", task.TakenOver), ended(1), back("")), ""},
		{"handed back by nobody who holds it", with(began, back("")), "nobody holds"},
		{"held after its end", with(done, holds("u1", task.Paused)), "no task that goes on"},
		{"erased between its turns", with(next[:4:4], task.TaskErased{}), ""},
		{"erased under a turn", with(began, task.TaskErased{}), "could still append"},
		{"gone on with after it was erased", with(next[:4:4], task.TaskErased{}, seen(2, "b")), "has ended"},
		{"a note that is told", with(noted, told(2), judged(2, 0, 0.9), ended(2)), ""},
		{"a note that is not told", with(noted, judged(2, 0, 0.9)), "told first"},
		{"a note that is not told in a turn without events", with(noted, ended(2)), "told first"},
		{"a note told twice", with(noted, told(2), told(2)), "nothing was said"},
		{"an action blamed for what a person did", with(next[:4:4], holds("u1", task.TakenOver), back(""), seen(2, "b"), judged(2, 0, 0.2)), "held against"},
		{"an action that was seen to fail before", with(next, holds("u1", task.TakenOver), judged(2, 0, 0.2)), ""},
		{"an expectation of nothing", with(worked, task.OutcomePredicted{Turn: 2}), "does not wait"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			err := tasktest.Check(c.history, limits)
			if c.broken == "" && err != nil || c.broken != "" && (err == nil || !strings.Contains(err.Error(), c.broken)) {
				t.Errorf("%v; want %q", err, c.broken)
			}
		})
	}
}

func TestCheck_Limits(t *testing.T) {
	t.Parallel()
	wide := task.Limits{MaxSteps: 9, MaxCorrections: 9, MaxConsecutiveFailures: 9, MaxIdle: 9, MaxRepeats: 9, MaxQuestions: 9}
	history := append(failed[:6:6],
		did(2, 1, `press("b")`), judged(2, 1, 0.1), did(2, 2, `press("b")`), judged(2, 2, 0.9), did(2, 3, `press("c")`), judged(2, 3, 0.9),
		did(2, 4, `press("d")`))
	if err := tasktest.Check(history, wide); err != nil {
		t.Fatal(err)
	}
	for broken, narrow := range map[string]func(*task.Limits){
		"one step too many":         func(l *task.Limits) { l.MaxSteps = 4 },
		"were bad":                  func(l *task.Limits) { l.MaxConsecutiveFailures = 2 },
		"brought nothing new":       func(l *task.Limits) { l.MaxIdle = 2 },
		"the same 2 times in a row": func(l *task.Limits) { l.MaxRepeats = 1 },
	} {
		l := wide
		narrow(&l)
		if err := tasktest.Check(history, l); err == nil || !strings.Contains(err.Error(), broken) {
			t.Errorf("%v; want %q", err, broken)
		}
	}
}

// Looks at the page are no steps that could have brought anything, and undecided
// verdicts are neither good nor bad; a bad look is bad.
func TestCheck_LooksDoNotCount(t *testing.T) {
	t.Parallel()
	l := task.Limits{MaxSteps: 9, MaxCorrections: 9, MaxConsecutiveFailures: 2, MaxIdle: 1, MaxRepeats: 9, MaxQuestions: 9}
	look := func(turn, step int, confidence float64) []task.Event {
		return []task.Event{waits(turn, step), ended(turn), seen(turn+1, "a"), judged(turn+1, step, confidence), open(turn+1, 0)}
	}
	patient := append(began[:3:3], ended(1), seen(2, "a"), open(2, 0))
	patient = append(append(append(patient, look(2, 1, 0.9)...), look(3, 2, 0.9)...), look(4, 3, 0.9)...)
	if err := tasktest.Check(append(patient[:len(patient):len(patient)], did(5, 4, `press("b")`)), l); err != nil {
		t.Error(err)
	}
	for broken, more := range map[string][]task.Event{
		"brought nothing new": {judged(5, 0, 0.9), did(5, 4, `press("b")`)},
		"were bad":            append(append(look(5, 4, 0.1), look(6, 5, 0.1)...), did(7, 6, `press("b")`)),
	} {
		if err := tasktest.Check(append(patient[:len(patient):len(patient)], more...), l); err == nil || !strings.Contains(err.Error(), broken) {
			t.Errorf("%v; want %q", err, broken)
		}
	}
}

// A page that was first acted on after the action may be what that brought.
func TestCheck_WhatWasSeenSinceIsNew(t *testing.T) {
	t.Parallel()
	l := task.Limits{MaxSteps: 9, MaxConsecutiveFailures: 2, MaxIdle: 1, MaxRepeats: 9, MaxQuestions: 9}
	history := append(unsure[:6:6], waits(2, 1), ended(2), seen(3, "b"), judged(3, 1, 0.9), judged(3, 0, 0.9), did(3, 2, `press("b")`))
	if err := tasktest.Check(history, l); err != nil {
		t.Error(err)
	}
}
