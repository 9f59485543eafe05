package tasktest_test

import (
	"strings"
	"testing"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/domain/task/tasktest"
)

func seen(turn int, meaning string) task.PageObserved {
	return task.PageObserved{Turn: turn, MeaningHash: meaning}
}

func did(turn, step int, text string) task.ActionGenerated {
	return task.ActionGenerated{Turn: turn, StepIndex: step, Kind: action.Press, Action: text}
}

func judged(turn, step int, confidence float64) task.ActionVerified {
	return task.ActionVerified{Turn: turn, StepIndex: step, Confidence: confidence, Succeeded: confidence >= 0.7}
}

var (
	began  = []task.Event{seen(1, "a"), task.TaskStarted{}, did(1, 0, `press("a")`)}
	next   = append(began[:3:3], task.TurnEnded{Turn: 1}, seen(2, "b"))
	failed = append(next[:5:5], judged(2, 0, 0.2))
	worked = append(next[:5:5], judged(2, 0, 0.9))
	done   = append(worked[:6:6], task.TaskCompleted{Turn: 2})
)

func correction(turn, step, attempt int) task.CorrectionIssued {
	return task.CorrectionIssued{
		Turn: turn, StepIndex: step, Attempt: attempt, FailedAction: `press("a")`, Kind: action.Press, RetryAction: `press("b")`,
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	limits := task.Limits{MaxSteps: 2, MaxCorrections: 1, MaxConsecutiveFailures: 2, MaxIdle: 1, MaxRepeats: 1, MaxRounds: 1}
	with := func(history []task.Event, more ...task.Event) []task.Event {
		return append(history[:len(history):len(history)], more...)
	}
	for _, c := range []struct {
		name    string
		history []task.Event
		broken  string // what is said of it; "" if nothing is
	}{
		{"a task from its beginning to its end", with(failed, correction(2, 0, 1), task.TurnEnded{Turn: 2}, seen(3, "c"), judged(3, 0, 0.9),
			task.TaskCompleted{Turn: 3}, task.TurnEnded{Turn: 3}), ""},
		{"a turn within a turn", with(began, seen(2, "b")), "a turn is open"},
		{"a turn left out", with(began, task.TurnEnded{Turn: 1}, seen(3, "b")), "turn 3 follows turn 1"},
		{"another turn's end", with(began, task.TurnEnded{Turn: 2}), "turn 2 is not open"},
		{"an action outside of a turn", with(worked, task.TurnEnded{Turn: 2}, did(2, 1, `press("b")`)), "no turn is open"},
		{"an action of another turn", with(worked, did(1, 1, `press("b")`)), "it speaks of turn 1"},
		{"an action nobody knows the task of", []task.Event{seen(1, "a"), did(1, 0, `press("a")`)}, "readers know of no task"},
		{"a task started twice", with(began, task.TaskStarted{}), "started once"},
		{"two actions at once", with(began, did(1, 1, `press("b")`)), "waits for its verdict"},
		{"a step left out", with(worked, did(2, 2, `press("b")`)), "step 2 comes after 1"},
		{"a verdict on nothing", with(worked, judged(2, 0, 0.9)), "nothing to judge"},
		{"a verdict on another step", with(next, judged(2, 1, 0.9)), "judges step 1"},
		{"a verdict that is no probability", with(next, judged(2, 0, 2)), "no probability"},
		{"a verdict that contradicts itself", with(next, task.ActionVerified{Turn: 2, Confidence: 0.1, Succeeded: true}), "does not say what it says"},
		{"a correction of what worked", with(worked, correction(2, 0, 1)), "did not cause it"},
		{"a correction of what waits", with(next, correction(2, 0, 1)), "waits for its verdict"},
		{"a correction of another step", with(failed, correction(2, 1, 1)), "did not cause it"},
		{"a correction in a later turn", with(failed, task.TurnEnded{Turn: 2}, seen(3, "c"), correction(3, 0, 1)), "did not cause it"},
		{"one correction too many", with(failed, correction(2, 0, 2)), "correction 2 after 0"},
		{"a correction of another action", with(failed, did(2, 1, `press("b")`), judged(2, 1, 0.1), correction(2, 1, 1)), "another action than the one that failed"},
		{"one step too many", with(worked, did(2, 1, `press("b")`), judged(2, 1, 0.1), did(2, 2, `press("c")`)), "one step too many"},
		{"an action after the end", with(done, did(2, 1, `press("b")`)), "the task has ended"},
		{"a turn after the end", with(done, task.TurnEnded{Turn: 2}, seen(3, "c")), "the task has ended"},
		{"an interruption of a turn", with(began, task.TaskInterrupted{}), "between its turns"},
		{"an interrupted task that goes on unasked", with(began, task.TurnEnded{Turn: 1}, task.TaskInterrupted{}, seen(2, "b"), judged(2, 0, 0.9)), "resumed first"},
		{"a task resumed that was not interrupted", with(began, task.TaskResumed{Turn: 1}), "resumed first"},
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
	wide := task.Limits{MaxSteps: 9, MaxCorrections: 9, MaxConsecutiveFailures: 9, MaxIdle: 9, MaxRepeats: 9}
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
