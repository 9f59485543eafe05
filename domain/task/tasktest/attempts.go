package tasktest

import (
	"fmt"
	"slices"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/task"
)

// attempt is an action that was decided on, with its verdict.
type attempt struct {
	step, turn int
	text       string
	kind       action.Name
	submits    bool // doing it twice may do harm
	// judged: it has a verdict. decided: it has one that is not undecided.
	judged, decided bool
	failed          int // the turn in which it was found to have failed
	// covered: it is not decided itself, but the whole task was confirmed since.
	covered bool
	chain   chain
}

// looksOnly reports whether the action leaves the one before it under judgement.
func (d *attempt) looksOnly() bool {
	return slices.Contains([]action.Name{action.Wait, action.Scroll, action.Hover, action.GoogleSearch, action.VerifySuccess, action.Find, action.More}, d.kind)
}

// lastAttempt returns the last attempt, nil if there is none.
func (b *history) lastAttempt() *attempt {
	if len(b.attempts) == 0 {
		return nil
	}
	return b.attempts[len(b.attempts)-1]
}

// lastAttemptOf returns the last attempt of a step and the number of corrections
// before it.
func (b *history) lastAttemptOf(step int) (last *attempt, before int) {
	for _, d := range b.attempts {
		if d.step == step {
			if last != nil {
				before++
			}
			last = d
		}
	}
	return last, before
}

// lastActionUndecided reports whether the last action that does more than look is
// undecided.
func (b *history) lastActionUndecided() bool {
	for _, d := range slices.Backward(b.attempts) {
		if !d.looksOnly() {
			return !d.decided
		}
	}
	return false
}

// submitUndecided reports whether a submission is undecided.
func (b *history) submitUndecided() bool {
	return slices.ContainsFunc(b.attempts, func(d *attempt) bool { return d.submits && !d.decided && !d.covered })
}

func (b *history) generated(e task.ActionGenerated) string {
	switch last := b.lastAttempt(); {
	case last != nil && !last.judged:
		return "another action waits for its verdict"
	case e.StepIndex != b.steps:
		return fmt.Sprintf("step %d comes after %d steps", e.StepIndex, b.steps)
	case !isProbability(e.Confidence):
		return "its confidence is no probability"
	case b.steps >= b.limits.MaxSteps:
		return "it is one step too many"
	case b.failures >= b.limits.MaxConsecutiveFailures:
		return "too many verdicts in a row were bad"
	case b.idle >= b.limits.MaxIdle:
		return "too many good verdicts in a row brought nothing new"
	}
	if why := b.checkChain(e); why != "" {
		return why
	}
	b.steps++
	return b.addAttempt(attempt{step: e.StepIndex, text: e.Action, kind: e.Kind, submits: e.MaySubmit, chain: chainOf(e)}, e.Target)
}

func (b *history) corrected(e task.CorrectionIssued) string {
	failed, corrections := b.lastAttemptOf(e.StepIndex)
	switch last := b.lastAttempt(); {
	case last != nil && !last.judged:
		return "another action waits for its verdict"
	case failed == nil:
		return "no verdict caused it"
	case failed.failed != e.Turn:
		return fmt.Sprintf("no verdict of its turn caused it: %+v", *failed)
	case e.FailedAction != failed.text && !slices.Contains(failed.chain.texts, e.FailedAction):
		return "it corrects another action than the one that failed"
	case e.Attempt != corrections+1 || e.Attempt > b.limits.MaxCorrections:
		return fmt.Sprintf("it is correction %d after %d", e.Attempt, corrections)
	case b.failures >= b.limits.MaxConsecutiveFailures:
		return "too many verdicts in a row were bad"
	}
	return b.addAttempt(attempt{step: e.StepIndex, text: e.RetryAction, kind: e.Kind, submits: e.MaySubmit}, e.RetryTarget)
}

// addAttempt adds an action, which is now pending.
func (b *history) addAttempt(d attempt, on task.Target) string {
	if d.submits && b.submitUndecided() {
		return "it may submit, and nobody knows whether what was submitted before has worked"
	}
	d.turn = b.turn
	b.attempts = append(b.attempts, &d)
	if _, known := b.seen[b.meaning]; b.meaning != "" && !known {
		b.seen[b.meaning] = b.turn
	}
	a, _ := action.Parse(d.text)
	same := fmt.Sprint(a.Name, on.Role, on.Name, on.Group, on.Key, a.Text, a.Seconds, b.meaning, d.chain.does)
	if same != b.repeated {
		b.repeats, b.repeated = 0, same
	}
	if b.repeats++; b.meaning != "" && b.repeats > b.limits.MaxRepeats {
		return fmt.Sprintf("the same %d times in a row: %s", b.repeats, d.text)
	}
	return ""
}

func (b *history) verified(e task.ActionVerified) string {
	d, _ := b.lastAttemptOf(e.StepIndex)
	switch {
	case d == nil || d.decided:
		return "there is nothing to judge"
	case !isProbability(e.Confidence):
		return "its confidence is no probability"
	case e.Outcome() != outcome(e):
		return "its confidence does not say what it says"
	case e.Undecided && (e.TaskCompleted || e.Missing == ""), !e.Undecided && e.Missing != "":
		return "undecided is not done, and waits for something"
	}
	if e.Outcome() == reasoning.Failed && e.By != reasoning.ByUserWord && d.turn <= b.takenOver && b.turn > b.takenOver {
		return "a person had the page since, and it is held against the action"
	}
	waited := b.lastActionUndecided()
	d.judged, d.decided = true, !e.Undecided
	if e.Outcome() == reasoning.Failed {
		d.failed = e.Turn
	}
	if d.kind == action.VerifySuccess && e.Succeeded {
		for _, of := range b.attempts {
			of.covered = true
		}
	}
	b.countFailures(e, d)
	b.countIdle(e, d, waited)
	return ""
}

// outcome returns the outcome that follows from a verdict's confidence.
func outcome(e task.ActionVerified) reasoning.Outcome {
	enough := 0.7
	if e.Degraded {
		enough = 0.6
	}
	switch {
	case e.Confidence >= enough:
		return reasoning.Succeeded
	case e.Confidence < 0.5:
		return reasoning.Failed
	}
	return reasoning.Undecided
}

// countFailures counts failures in a row. A look at the page that worked does not end
// them.
func (b *history) countFailures(e task.ActionVerified, d *attempt) {
	switch {
	case e.Outcome() == reasoning.Failed:
		b.failures++
	case e.Succeeded && (!d.looksOnly() || d.kind == action.VerifySuccess):
		b.failures = 0
	}
}

// countIdle counts successes that found nothing new: a page that had been acted on by
// the time of the action.
func (b *history) countIdle(e task.ActionVerified, d *attempt, waited bool) {
	part := e.TaskCompleted || e.SubTaskCompleted != nil && *e.SubTaskCompleted
	since, known := b.seen[b.meaning]
	switch {
	case e.Undecided, d.kind == action.VerifySuccess, d.looksOnly() && waited:
	case !e.Succeeded, part, !known, since > d.turn:
		b.idle = 0
	default:
		b.idle++
	}
}
