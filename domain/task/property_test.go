package task_test

import (
	"encoding/json"
	"errors"
	"math"
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
// correction tied to the verdict that caused it (tasktest has all the laws). What
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
			if err != nil && (!errors.As(err, &refused) || refused.Kind != domain.Invalid && refused.Kind != domain.Conflict || len(events) > 0) {
				t.Fatalf("%T: %d events and %v", c, len(events), err)
			}
			history = append(history, events...)
			state = task.Decider.Fold(state, events...)
			if err := tasktest.Check(history, l); err != nil {
				t.Fatalf("%T: %v", c, err)
			}
		}
		if diff := cmp.Diff(fold(history...), state); diff != "" {
			t.Fatal(diff)
		}
	})
}

func anyLimits(t *rapid.T) task.Limits {
	small := func(what string) int { return rapid.IntRange(1, 4).Draw(t, what) }
	return task.Limits{
		MaxSteps: 3 * small("steps"), MaxCorrections: small("corrections"), MaxConsecutiveFailures: small("failures"),
		MaxIdle: small("idle"), MaxRepeats: small("repeats"), MaxRounds: small("rounds"), Lease: time.Minute,
	}
}

// anyCommand is what may be asked of a task: mostly what the next thing would be,
// so that histories get long, and anything else at any time.
func anyCommand(t *rapid.T, s task.State, l task.Limits, now time.Time) task.Command {
	_, last, pending := s.Pending()
	failed := last.Verdict != nil && !last.Verdict.Succeeded
	kind := rapid.IntRange(0, 29).Draw(t, "command")
	switch {
	case kind >= 12 && !s.Turn.Open:
		return anyClaim(t, s, l, now)
	case kind >= 12 && pending && kind%4 > 0:
		return anyVerdict(t)
	case kind >= 24 && failed:
		return anyCorrection(t, l)
	case kind >= 20:
		return anyAction(t, l)
	case kind >= 12:
		return task.EndTurn{Status: "action", Answer: json.RawMessage(`{}`)}
	}
	return []func() task.Command{
		func() task.Command { return anyClaim(t, s, l, now) },
		func() task.Command { return anyVerdict(t) },
		func() task.Command { return anyAction(t, l) },
		func() task.Command { return anyCorrection(t, l) },
		func() task.Command { return task.EndTurn{Status: "error"} },
		func() task.Command {
			return task.AskUser{Question: rapid.SampledFrom([]string{"Which?", "When?"}).Draw(t, "question")}
		},
		func() task.Command { return task.BlockFinish{Claim: "done"} },
		func() task.Command { return task.Complete{Message: "done", Confidence: anyConfidence(t)} },
		func() task.Command { return task.Fail{Code: "X", Message: "no"} },
		func() task.Command { return task.Interrupt{Why: "archived"} },
		func() task.Command { return task.Interrupt{Why: "idle", Before: now} },
		func() task.Command {
			return task.PredictOutcome{Kind: page.KindGeneric, Outcome: page.Outcome{NextGoal: &page.NextGoal{Text: "Saved"}}}
		},
	}[kind%12]()
}

func anyClaim(t *rapid.T, s task.State, l task.Limits, now time.Time) task.Command {
	seen := observedFor(0, task.Request{Key: rapid.SampledFrom([]string{"", "k1", "k2"}).Draw(t, "key"), Body: "b"})
	seen.MeaningHash = rapid.SampledFrom([]string{"", "list", "form", "menu"}).Draw(t, "meaning")
	seen.URL = "https://a.example/" + rapid.SampledFrom([]string{"a", "b"}).Draw(t, "url")
	seen.Query = s.Query
	if rapid.IntRange(0, 9).Draw(t, "says") == 0 {
		seen.Query = rapid.SampledFrom([]string{"yes", "no"}).Draw(t, "reply")
	}
	seen.LeaseUntil = now.Add(l.Lease)
	return task.Claim{Page: seen, Now: now, OwnerDead: rapid.IntRange(0, 3).Draw(t, "owner") == 0}
}

func anyVerdict(t *rapid.T) task.Command {
	v := reasoning.Verdict{
		Confidence:      anyConfidence(t),
		ActionSucceeded: rapid.Bool().Draw(t, "says it worked"),
		TaskCompleted:   rapid.IntRange(0, 9).Draw(t, "completed") == 0,
	}
	if rapid.IntRange(0, 5).Draw(t, "part") == 0 {
		part := rapid.Bool().Draw(t, "part completed")
		v.SubTaskCompleted = &part
	}
	return task.RecordVerdict{Verdict: v}
}

func anyDeed(t *rapid.T) (action.Action, task.Target) {
	name := rapid.SampledFrom([]string{"Next", "Back"}).Draw(t, "button")
	id := rapid.SampledFrom([]string{"1", "2"}).Draw(t, "id")
	a := action.Action{Name: action.Click, Target: id}
	if rapid.IntRange(0, 9).Draw(t, "looks") == 0 {
		return action.Action{Name: action.VerifySuccess, Text: name}, task.Target{}
	}
	return a, target("button", name, id)
}

func anyAction(t *rapid.T, l task.Limits) task.Command {
	a, on := anyDeed(t)
	return task.GenerateAction{Limits: l, Generated: task.ActionGenerated{
		Turn: 99, StepIndex: 99, Kind: a.Name, Action: a.String(), Target: on, Confidence: anyConfidence(t),
	}}
}

func anyConfidence(t *rapid.T) float64 {
	return rapid.SampledFrom([]float64{0.9, 0.9, 0.7, 0.2, 0.2, math.NaN(), 7, -1}).Draw(t, "confidence")
}

func anyCorrection(t *rapid.T, l task.Limits) task.Command {
	a, on := anyDeed(t)
	return task.IssueCorrection{Limits: l, RetryTarget: on, Correction: reasoning.Correction{Strategy: reasoning.AlternativeSelector, Action: a}}
}
