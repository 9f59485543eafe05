package tasktest

import (
	"fmt"
	"slices"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/task"
)

// deed is an action that was decided on, with what became of it.
type deed struct {
	step, turn int
	text       string
	kind       action.Name
	submits    bool // doing it twice may do harm
	// judged: there was a verdict on it. decided: one that says how it went.
	judged, decided bool
	failed          int // the turn in which it was found to have failed
	// settled: not decided itself, and the whole has been seen since.
	settled bool
}

// looksOnly holds for what leaves the action before it under judgement.
func (d *deed) looksOnly() bool {
	return slices.Contains([]action.Name{action.Wait, action.Scroll, action.Hover, action.GoogleSearch, action.VerifySuccess}, d.kind)
}

// newest is the last deed, nil if there is none.
func (b *book) newest() *deed {
	if len(b.deeds) == 0 {
		return nil
	}
	return b.deeds[len(b.deeds)-1]
}

// newestOf is the last deed of a step with the number of those before it.
func (b *book) newestOf(step int) (last *deed, before int) {
	for _, d := range b.deeds {
		if d.step == step {
			if last != nil {
				before++
			}
			last = d
		}
	}
	return last, before
}

// waits reports whether the last action that does more than look is not decided.
func (b *book) waits() bool {
	for _, d := range slices.Backward(b.deeds) {
		if !d.looksOnly() {
			return !d.decided
		}
	}
	return false
}

// unsettled reports whether something that may submit is not decided.
func (b *book) unsettled() bool {
	return slices.ContainsFunc(b.deeds, func(d *deed) bool { return d.submits && !d.decided && !d.settled })
}

func (b *book) generated(e task.ActionGenerated) string {
	switch last := b.newest(); {
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
	b.steps++
	return b.tried(deed{step: e.StepIndex, text: e.Action, kind: e.Kind, submits: e.MaySubmit}, e.Target)
}

func (b *book) corrected(e task.CorrectionIssued) string {
	failed, corrections := b.newestOf(e.StepIndex)
	switch last := b.newest(); {
	case last != nil && !last.judged:
		return "another action waits for its verdict"
	case failed == nil:
		return "no verdict caused it"
	case failed.failed != e.Turn:
		return fmt.Sprintf("no verdict of its turn caused it: %+v", *failed)
	case e.FailedAction != failed.text:
		return "it corrects another action than the one that failed"
	case e.Attempt != corrections+1 || e.Attempt > b.limits.MaxCorrections:
		return fmt.Sprintf("it is correction %d after %d", e.Attempt, corrections)
	case b.failures >= b.limits.MaxConsecutiveFailures:
		return "too many verdicts in a row were bad"
	}
	return b.tried(deed{step: e.StepIndex, text: e.RetryAction, kind: e.Kind, submits: e.MaySubmit}, e.RetryTarget)
}

// tried notes an action that is pending from now on.
func (b *book) tried(d deed, on task.Target) string {
	if d.submits && b.unsettled() {
		return "it may submit, and nobody knows whether what was submitted before has worked"
	}
	d.turn = b.turn
	b.deeds = append(b.deeds, &d)
	if _, known := b.seen[b.meaning]; b.meaning != "" && !known {
		b.seen[b.meaning] = b.turn
	}
	a, _ := action.Parse(d.text)
	same := fmt.Sprint(a.Name, on.Role, on.Name, on.Group, on.Key, a.Text, a.Seconds, b.meaning)
	if same != b.repeated {
		b.repeats, b.repeated = 0, same
	}
	if b.repeats++; b.meaning != "" && b.repeats > b.limits.MaxRepeats {
		return fmt.Sprintf("the same %d times in a row: %s", b.repeats, d.text)
	}
	return ""
}

func (b *book) verified(e task.ActionVerified) string {
	d, _ := b.newestOf(e.StepIndex)
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
	waited := b.waits()
	d.judged, d.decided = true, !e.Undecided
	if e.Outcome() == reasoning.Failed {
		d.failed = e.Turn
	}
	if d.kind == action.VerifySuccess && e.Succeeded {
		for _, of := range b.deeds {
			of.settled = true
		}
	}
	b.count(e, d)
	b.idles(e, d, waited)
	return ""
}

// outcome is what the confidence of a verdict says.
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

// count counts bad verdicts in a row. That a look at the page worked says nothing.
func (b *book) count(e task.ActionVerified, d *deed) {
	switch {
	case e.Outcome() == reasoning.Failed:
		b.failures++
	case e.Succeeded && (!d.looksOnly() || d.kind == action.VerifySuccess):
		b.failures = 0
	}
}

// idles counts good verdicts that brought nothing new: they found a page that had
// been acted on by the time of the action.
func (b *book) idles(e task.ActionVerified, d *deed, waited bool) {
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
