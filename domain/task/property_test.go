package task_test

import (
	"errors"
	"math"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/domain/task/tasktest"
)

// Whatever pages, verdicts and wishes come in whatever order: never more than the
// limits, never two pending actions, never an action after the end, every
// correction tied to the verdict that caused it, nothing submitted while nobody knows
// of what was submitted before, no end without proof (tasktest has all the laws). What
// is refused changes nothing, and the state is what its events say.
func TestDecide_KeepsTheLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		l := anyLimits(t)
		state := task.Initial()
		var history []task.Event
		now := noon
		for range rapid.IntRange(0, 60).Draw(t, "commands") {
			now = now.Add(rapid.SampledFrom([]time.Duration{0, time.Second, 3 * time.Minute}).Draw(t, "later"))
			c := anyCommand(t, state, l, now)
			events, err := task.Decide(c, state)
			var refused *domain.Error
			absent := refusedAsAbsent(c, state, err)
			if err != nil && !absent && (!errors.As(err, &refused) || refused.Kind != domain.Invalid && refused.Kind != domain.Conflict || len(events) > 0) {
				t.Fatalf("%T: %d events and %v", c, len(events), err)
			}
			if was := state; refused != nil && refused.Code == domain.CodeSubmitUndecided && !unsettled(history) {
				t.Fatalf("%T: refused for nothing: %+v", c, was.Steps)
			}
			history = append(history, events...)
			state = task.Decider.Fold(state, events...)
			if err := tasktest.Check(history, l); err != nil {
				t.Fatalf("%T: %v", c, err)
			}
			if state.SubmitUndecided != unsettled(history) {
				t.Fatalf("%T: unsettled %v", c, state.SubmitUndecided)
			}
		}
		if diff := cmp.Diff(fold(history...), state); diff != "" {
			t.Fatal(diff)
		}
	})
}

// refusedAsAbsent reports that a task that is not there cannot be held.
func refusedAsAbsent(c task.Command, s task.State, err error) bool {
	switch c.(type) {
	case task.PauseTask, task.HandBack:
		return !s.Exists() && domain.KindOf(err) == domain.NotFound
	}
	return false
}

// unsettled is an account of its own of what may have been submitted.
func unsettled(history []task.Event) bool {
	open, submits, kinds := map[int]bool{}, map[int]bool{}, map[int]action.Name{}
	for _, e := range history {
		switch e := e.(type) {
		case task.ActionGenerated:
			submits[e.StepIndex], open[e.StepIndex], kinds[e.StepIndex] = e.MaySubmit, e.MaySubmit, e.Kind
		case task.CorrectionIssued:
			submits[e.StepIndex], open[e.StepIndex], kinds[e.StepIndex] = e.MaySubmit, e.MaySubmit, e.Kind
		case task.ActionVerified:
			if kinds[e.StepIndex] == action.VerifySuccess && e.Succeeded {
				clear(open)
			}
			if !e.Undecided {
				delete(open, e.StepIndex)
			}
		}
	}
	for step := range open {
		if open[step] && submits[step] {
			return true
		}
	}
	return false
}

func anyLimits(t *rapid.T) task.Limits {
	small := func(what string) int { return rapid.IntRange(1, 4).Draw(t, what) }
	return task.Limits{
		MaxSteps: 3 * small("steps"), MaxCorrections: small("corrections"), MaxConsecutiveFailures: small("failures"),
		MaxIdle: small("idle"), MaxRepeats: small("repeats"), MaxRounds: small("rounds"),
		MaxLooks: small("looks"), MaxQuestions: small("questions"), Lease: time.Minute,
	}
}

// anyCommand is what may be asked of a task: mostly what the next thing would be,
// so that histories get long, and anything else at any time.
func anyCommand(t *rapid.T, s task.State, l task.Limits, now time.Time) task.Command {
	_, last, pending := s.Pending()
	_, waits := s.UnderJudgement()
	_, _, failed := s.ToCorrect()
	kind := rapid.IntRange(0, 29).Draw(t, "command")
	switch {
	case rapid.IntRange(0, 9).Draw(t, "held") == 0:
		return anyHold(t, now)
	case s.Pause != nil && !s.Turn.Open && rapid.Bool().Draw(t, "hands back"):
		return anyHandBack(t, now)
	case kind >= 12 && !s.Turn.Open:
		return anyClaim(t, s, l, now)
	case kind >= 12 && (pending || waits) && kind%4 > 0:
		return anyVerdict(t, s)
	case kind >= 12 && pending && last.IsChain() && kind%4 == 0:
		return anyStop(t, last)
	case kind >= 24 && failed:
		return anyCorrection(t, l)
	case kind >= 20:
		return anyAction(t, l)
	case kind >= 12:
		return anyEnd(t, s, l)
	}
	return []func() task.Command{
		func() task.Command { return anyClaim(t, s, l, now) },
		func() task.Command { return anyVerdict(t, s) },
		func() task.Command { return anyAction(t, l) },
		func() task.Command { return anyCorrection(t, l) },
		func() task.Command { return anyEnd(t, s, l) },
		func() task.Command {
			return task.AskUser{Question: rapid.SampledFrom([]string{"Which?", "When?"}).Draw(t, "question"), Judges: rapid.Bool().Draw(t, "judges")}
		},
		func() task.Command { return task.BlockFinish{Message: "done"} },
		func() task.Command {
			return task.Complete{
				Message: "done", Confidence: anyConfidence(t),
				Proof: rapid.SampledFrom([]reasoning.Proof{{}, {Source: reasoning.OnPage}, shown}).Draw(t, "proof"),
			}
		},
		func() task.Command { return task.Fail{Code: "X", Message: "no"} },
		func() task.Command { return task.Interrupt{Why: "archived"} },
		func() task.Command { return task.Interrupt{Why: "idle", Before: now} },
		func() task.Command {
			return task.PredictOutcome{Kind: page.KindGeneric, Outcome: page.Outcome{NextGoal: &page.NextGoal{Text: "Saved"}}}
		},
	}[kind%12]()
}

// anyHold is somebody who pauses the task, takes it over or hands it back.
func anyHold(t *rapid.T, now time.Time) task.Command {
	if rapid.IntRange(0, 2).Draw(t, "back") == 0 {
		return anyHandBack(t, now)
	}
	return task.PauseTask{
		Tenant: "acme", By: rapid.SampledFrom([]string{"u1", "u2"}).Draw(t, "by"), Now: now,
		Kind: rapid.SampledFrom([]task.PauseKind{task.Paused, task.TakenOver}).Draw(t, "kind of pause"),
	}
}

func anyHandBack(t *rapid.T, now time.Time) task.Command {
	return task.HandBack{Tenant: "acme", By: "u2", Note: rapid.SampledFrom([]string{"", "yes", "I did it"}).Draw(t, "note"), Now: now}
}

// anyEnd ends a turn: with a question only while one may be asked.
func anyEnd(t *rapid.T, s task.State, l task.Limits) task.Command {
	end := task.EndTurn{Status: rapid.SampledFrom([]string{"action", "action", "needs_user_input", "needs_full_dom"}).Draw(t, "status")}
	if s.MayAsk(l) != nil {
		end.Status = "action"
	}
	return end
}

func anyClaim(t *rapid.T, s task.State, l task.Limits, now time.Time) task.Command {
	seen := observedFor(0, task.Request{Key: rapid.SampledFrom([]string{"", "k1", "k2"}).Draw(t, "key"), Body: "b"})
	seen.MeaningHash = rapid.SampledFrom([]string{"", "list", "form", "menu"}).Draw(t, "meaning")
	seen.URL = "https://a.example/" + rapid.SampledFrom([]string{"a", "b"}).Draw(t, "url")
	seen.Query = s.Query
	if rapid.IntRange(0, 9).Draw(t, "says") == 0 {
		seen.Query = rapid.SampledFrom([]string{"yes", "no"}).Draw(t, "reply")
	}
	seen.Alerts = rapid.SampledFrom([][]page.Alert{nil, {{Kind: page.AlertError, Text: "No"}}, {{Kind: page.AlertSuccess, Text: "Saved"}}}).Draw(t, "alerts")
	seen.LeaseUntil = now.Add(l.Lease)
	return task.Claim{Page: seen, Now: now, OwnerDead: rapid.IntRange(0, 3).Draw(t, "owner") == 0}
}

// anyVerdict is on what waits for one, or on any step.
func anyVerdict(t *rapid.T, s task.State) task.Command {
	v := reasoning.Verdict{
		Confidence:      anyConfidence(t),
		Undecided:       rapid.IntRange(0, 3).Draw(t, "undecided") == 0,
		Missing:         rapid.SampledFrom([]reasoning.Missing{"", reasoning.MissingAnswer}).Draw(t, "missing"),
		ActionSucceeded: rapid.Bool().Draw(t, "says it worked"),
		TaskCompleted:   rapid.IntRange(0, 9).Draw(t, "completed") == 0,
		Degraded:        rapid.IntRange(0, 9).Draw(t, "degraded") == 0,
	}
	if rapid.IntRange(0, 5).Draw(t, "part") == 0 {
		part := rapid.Bool().Draw(t, "part completed")
		v.SubTaskCompleted = &part
	}
	step, _, pending := s.Pending()
	j, waits := s.UnderJudgement()
	at := rapid.IntRange(0, 3).Draw(t, "of")
	switch {
	case pending && at > 0:
		at = step.Index
	case waits && at > 0:
		at = j.Step
	}
	return task.RecordVerdict{Step: at, Verdict: v}
}

func anyTargetedAction(t *rapid.T) (a action.Action, on task.Target, maySubmit bool) {
	name := rapid.SampledFrom([]string{"Next", "Back", "Save"}).Draw(t, "button")
	id := rapid.SampledFrom([]string{"1", "2"}).Draw(t, "id")
	switch rapid.IntRange(0, 19).Draw(t, "looks") {
	case 0, 1:
		return action.Action{Name: action.VerifySuccess, Text: name}, task.Target{}, false
	case 2, 3, 4, 5:
		return action.Action{Name: action.Wait, Seconds: float64(len(id))}, task.Target{}, false
	case 6:
		return action.Action{Name: action.Scroll}, task.Target{}, false
	case 7:
		return action.Action{Name: action.Hover, Target: id}, target("button", name, id), false
	}
	return action.Action{Name: action.Click, Target: id}, target("button", name, id), name == "Save"
}

func anyAction(t *rapid.T, l task.Limits) task.Command {
	if rapid.IntRange(0, 3).Draw(t, "chain") == 0 {
		return anyChain(t, l)
	}
	a, on, maySubmit := anyTargetedAction(t)
	return task.GenerateAction{Limits: l, Generated: task.ActionGenerated{
		Turn: 99, StepIndex: 99, Kind: a.Name, Action: a.String(), Target: on, Confidence: anyConfidence(t), MaySubmit: maySubmit,
	}}
}

// anyChain is several fields to fill in, or what is no chain.
func anyChain(t *rapid.T, l task.Limits) task.Command {
	g := task.ActionGenerated{Confidence: anyConfidence(t), MaySubmit: rapid.IntRange(0, 9).Draw(t, "submits") == 0}
	for i := range rapid.IntRange(1, 4).Draw(t, "items") {
		id := strconv.Itoa(i)
		g.Chain = append(g.Chain, task.ChainItem{
			Action: `setValue("` + id + `", "` + rapid.SampledFrom([]string{"a", "b"}).Draw(t, "text") + `")`,
			Target: field(id, "Field "+id), CanFail: rapid.Bool().Draw(t, "can fail"),
		})
	}
	g.Kind, g.Action, g.Target = action.SetValue, g.Chain[0].Action, g.Chain[0].Target
	return task.GenerateAction{Limits: l, Generated: g}
}

// anyStop is a stop of a chain, or what cannot be one.
func anyStop(t *rapid.T, a task.Attempt) task.Command {
	stop := task.ChainPartiallyFailed{
		Failed:   rapid.IntRange(-1, len(a.Chain)).Draw(t, "failed"),
		Recovery: rapid.SampledFrom([]string{"retry", "skip", "regenerate", "nothing"}).Draw(t, "recovery"),
	}
	for i := range rapid.IntRange(0, len(a.Chain)).Draw(t, "executed") {
		stop.Executed = append(stop.Executed, i)
	}
	return task.StopChain{Stop: stop}
}

func anyConfidence(t *rapid.T) float64 {
	return rapid.SampledFrom([]float64{0.9, 0.9, 0.7, 0.6, 0.5, 0.2, 0.2, math.NaN(), 7, -1}).Draw(t, "confidence")
}

func anyCorrection(t *rapid.T, l task.Limits) task.Command {
	a, on, maySubmit := anyTargetedAction(t)
	return task.IssueCorrection{
		Limits: l, RetryTarget: on, MaySubmit: maySubmit,
		Correction: reasoning.Correction{Strategy: reasoning.AlternativeSelector, Action: a},
	}
}
