package task_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/stepledger/stepledger/domain/task"
)

func fold(events ...task.Event) task.State {
	return task.Decider.Fold(task.Initial(), events...)
}

func TestState_Standing(t *testing.T) {
	t.Parallel()
	keyless := task.Request{Body: "b1"}
	open := []task.Event{observedFor(1, first)}
	openKeyless := []task.Event{observedFor(1, keyless)}
	done := append(open[:1:1], answered)
	doneKeyless := append(openKeyless[:1:1], answered)
	followed := append(done[:2:2], observedFor(2, second), task.TurnEnded{Turn: 2, Status: "action", Answer: json.RawMessage(`{}`)})
	followedKeyless := append(doneKeyless[:2:2], followed[2:]...)
	for _, c := range []struct {
		name  string
		given []task.Event
		when  task.Request
		want  task.Standing
	}{
		{"a new task knows no request", nil, first, task.Fresh},
		{"its turn is open", open, first, task.Running},
		{"its turn is open, key with another body", open, task.Request{Key: "k1", Body: "other"}, task.KeyReused},
		{"another key while a turn is open", open, second, task.Fresh},
		{"its turn was answered", done, first, task.AnsweredBefore},
		{"it was answered and followed", followed, first, task.AnsweredBefore},
		{"its key came with another body", done, task.Request{Key: "k1", Body: "other"}, task.KeyReused},
		{"keyless, its turn is open", openKeyless, keyless, task.Running},
		{"keyless, answered and not followed: the page stayed as it was", doneKeyless, keyless, task.Fresh},
		{"keyless, the turn of a request with a key is open", open, keyless, task.Running},
		{"with a key, the same body without one is open", openKeyless, first, task.Fresh},
		{"keyless, another body while its turn is open", openKeyless, task.Request{Body: "b9"}, task.Fresh},
		{"keyless, sent again while its second turn is open", append(doneKeyless[:2:2], observedFor(2, keyless)), keyless, task.Running},
		{"keyless, answered and followed", followedKeyless, keyless, task.Fresh},
		{"keyless, another body", doneKeyless, task.Request{Body: "b9"}, task.Fresh},
		{"keyless, its turn was abandoned", append(openKeyless[:1:1], task.TurnAbandoned{Turn: 1}), keyless, task.Fresh},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got, _ := fold(c.given...).Standing(c.when); got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

func TestState_StandingGivesTheStoredAnswer(t *testing.T) {
	t.Parallel()
	_, stored := fold(waiting()...).Standing(first)
	want := task.Stored{Body: "b1", Turn: 1, Status: "action", Answer: answered.Answer}
	if diff := cmp.Diff(want, stored); diff != "" {
		t.Error(diff)
	}
}

func TestEvolve_KeepsTheStateItWasGiven(t *testing.T) {
	t.Parallel()
	base := fold(append(refusedOnce(), issued)...)
	kept := snapshot(t, base)
	for name, e := range samples {
		a, b := task.Evolve(base, e), task.Evolve(base, e)
		task.Evolve(a, samples[task.NameActionVerified])
		task.Evolve(a, samples[task.NameCorrectionIssued])
		if snapshot(t, base) != kept {
			t.Fatalf("%s changed the state it was folded into", name)
		}
		if diff := cmp.Diff(a, b); diff != "" {
			t.Errorf("%s: two folds differ: %s", name, diff)
		}
	}
}

func snapshot(t *testing.T, s task.State) string {
	t.Helper()
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Evolve is total: whatever comes in whatever order, it folds, and folding in
// one go or in two makes no difference.
func TestEvolve_IsTotal(t *testing.T) {
	t.Parallel()
	all := make([]task.Event, 0, len(samples))
	for _, name := range task.Codec.Names() {
		all = append(all, samples[name])
	}
	rapid.Check(t, func(t *rapid.T) {
		events := rapid.SliceOf(rapid.SampledFrom(all)).Draw(t, "events")
		cut := rapid.IntRange(0, len(events)).Draw(t, "cut")
		whole := fold(events...)
		halves := task.Decider.Fold(fold(events[:cut]...), events[cut:]...)
		if diff := cmp.Diff(whole, halves); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestState_Pending(t *testing.T) {
	t.Parallel()
	if _, _, ok := fold().Pending(); ok {
		t.Error("a new task waits for a verdict")
	}
	step, attempt, ok := fold(waiting()...).Pending()
	if !ok || step.Index != 0 || attempt.Action != generated.Action || attempt.Before == nil {
		t.Errorf("pending %+v %+v %v", step, attempt, ok)
	}
	corrected := fold(append(refusedOnce(), issued)...)
	step, attempt, ok = corrected.Pending()
	if !ok || step.Index != 0 || attempt.Action != issued.RetryAction || step.Corrections() != 1 {
		t.Errorf("after a correction: pending %+v %v", attempt, ok)
	}
	if _, _, ok = fold(append(waiting(), observedFor(2, second), confirmed)...).Pending(); ok {
		t.Error("a verified action is still pending")
	}
}
