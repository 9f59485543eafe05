package task_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/task"
)

func holdBy(by string, kind task.PauseKind) task.PauseTask {
	return task.PauseTask{Tenant: "acme", By: by, Kind: kind, Note: "wait", Now: noon}
}

func heldBy(by string, kind task.PauseKind) task.TaskPaused {
	return task.TaskPaused{By: by, Kind: kind, At: noon, Note: "wait"}
}

func handBackWith(note string) task.HandBack {
	return task.HandBack{Tenant: "acme", By: "u2", Note: note, Now: noon}
}

func handedBackWith(note string) task.TaskHandedBack {
	return task.TaskHandedBack{By: "u2", At: noon, Note: note}
}

func TestDecide_Pause(t *testing.T) {
	t.Parallel()
	held := append(waiting(), heldBy("u1", task.Paused))
	over := append(waiting(), completed)
	stranger := holdBy("u1", task.Paused)
	stranger.Tenant = "globex"
	secretly := holdBy("u1", task.Paused)
	secretly.Note = "the password is hunter2!"
	cut := heldBy("u1", task.Paused)
	cut.Note = "the password is [secret]"
	asked := append(waiting(), observedFor(2, second), task.UserInputRequested{Turn: 2, Question: "What is the password?"}, task.TurnEnded{Turn: 2}, heldBy("u1", task.Paused))
	told := handedBackWith("hunter2!")
	told.Secrets = []string{"hunter2!"}
	for _, c := range []struct {
		name  string
		given []task.Event
		when  task.Command
		then  []task.Event
		err   string
	}{
		{name: "a task is paused between two turns", given: waiting(), when: holdBy("u1", task.Paused), then: []task.Event{heldBy("u1", task.Paused)}},
		{name: "and within one", given: []task.Event{observedFor(1, first)}, when: holdBy("u1", task.TakenOver), then: []task.Event{heldBy("u1", task.TakenOver)}},
		{name: "and while it is interrupted", given: append(waiting(), interrupted), when: holdBy("u1", task.Paused), then: []task.Event{heldBy("u1", task.Paused)}},
		{name: "the same again changes nothing", given: held, when: holdBy("u1", task.Paused)},
		{name: "a paused task is taken over", given: held, when: holdBy("u1", task.TakenOver), then: []task.Event{heldBy("u1", task.TakenOver)}},
		{name: "another person pauses it", given: held, when: holdBy("u2", task.Paused), then: []task.Event{heldBy("u2", task.Paused)}},
		{name: "a kind nobody knows", given: waiting(), when: holdBy("u1", "break"), err: domain.CodeValidation},
		{name: "a task that has ended", given: over, when: holdBy("u1", task.Paused), err: domain.CodeTaskCompleted},
		{name: "a task that is not there", when: holdBy("u1", task.Paused), err: domain.CodeTaskNotFound},
		{name: "a task of another tenant", given: waiting(), when: stranger, err: domain.CodeTaskNotFound},
		{name: "a secret of the note is not kept", given: waiting(), when: secretly, then: []task.Event{cut}},
		{name: "it is handed back", given: held, when: handBackWith("go on"), then: []task.Event{handedBackWith("go on")}},
		{name: "what nobody holds is left as it is", given: waiting(), when: handBackWith("go on")},
		{name: "handed back twice", given: append(held, handedBackWith("")), when: handBackWith("")},
		{name: "handed back after the end", given: over, when: handBackWith(""), err: domain.CodeTaskCompleted},
		{name: "handed back by another tenant", given: held, when: task.HandBack{Tenant: "globex", By: "u2", Now: noon}, err: domain.CodeTaskNotFound},
		{name: "a secret that was asked for is one", given: asked, when: handBackWith("hunter2!"), then: []task.Event{told}},
		{name: "no turn begins while somebody holds it", given: held, when: claimFor(second, ""), err: domain.CodeTaskPaused},
		{name: "nor instead of one whose owner is gone", given: []task.Event{observedFor(1, first), heldBy("u1", task.Paused)}, when: deadClaim(), err: domain.CodeTaskPaused},
		{name: "a turn that runs is busy, not paused", given: []task.Event{observedFor(1, first), heldBy("u1", task.Paused)}, when: claimFor(second, ""), err: domain.CodeConflict},
		{
			name: "a turn that runs ends as usual", given: []task.Event{observedFor(1, first), heldBy("u1", task.Paused)},
			when: task.EndTurn{Status: "action"}, then: []task.Event{task.TurnEnded{Turn: 1, Status: "action"}},
		},
		{name: "a task that is held is not idle", given: held, when: task.Interrupt{"idle", noon.Add(time.Hour)}},
		{name: "an archived session ends the wait", given: held, when: task.Interrupt{Why: "idle"}, then: []task.Event{interrupted}},
		{
			name: "the next turn goes on", given: append(held, handedBackWith("")), when: claimFor(second, ""),
			then: []task.Event{withQuery(observedFor(2, second), "")},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			check(t, c.given, c.when, c.then, c.err)
		})
	}
}

func deadClaim() task.Claim {
	c := claimFor(second, "")
	c.OwnerDead = true
	return c
}

// What was said at a hand-back is told by the next turn as the user's words, before
// what the client says; once, whatever becomes of that turn.
func TestDecide_Claim_TellsTheNotes(t *testing.T) {
	t.Parallel()
	asked := append(waiting(), observedFor(2, second), task.UserInputRequested{Turn: 2, Question: "Did it?", Judges: true}, task.TurnEnded{Turn: 2, Status: "needs_user_input"})
	noted := append(asked, heldBy("u1", task.Paused), handedBackWith("yes"), heldBy("u1", task.Paused), handedBackWith("and hurry"))
	third := task.Request{Key: "k3", Body: "b3"}
	note := func(turn int, text string) task.UserInputProvided {
		return task.UserInputProvided{Turn: turn, HandedBack: true, Text: text}
	}
	then := []task.Event{withQuery(observedFor(3, third), "also the address"), note(3, "yes"), note(3, "and hurry"), task.UserInputProvided{Turn: 3, Text: "also the address"}}
	check(t, noted, claimFor(third, "also the address"), then, "")
	state := fold(append(noted, then...)...)
	if !state.RepliedNow || state.Question != "" || len(state.Notes) != 0 {
		t.Errorf("replied %v, question %q, notes %v", state.RepliedNow, state.Question, state.Notes)
	}
	if diff := cmp.Diff([]string{"yes", "and hurry", "also the address"}, state.Replies); diff != "" {
		t.Error(diff)
	}
	// The turn dies; the client says the same as before.
	fourth := claimFor(task.Request{Key: "k4", Body: "b4"}, "also the address")
	fourth.OwnerDead = true
	check(t, append(noted, then...), fourth, []task.Event{
		task.TurnAbandoned{Turn: 3, Why: "its process is gone"}, withQuery(observedFor(4, fourth.Page.Request), "also the address"),
	}, "")
}

// A client that repeats its last message with every request has said nothing new after
// a note.
func TestDecide_Claim_TheLastMessageRepeatedAfterANote(t *testing.T) {
	t.Parallel()
	given := append(
		waiting(), withQuery(observedFor(2, second), "the first"), task.UserInputProvided{Turn: 2, Text: "the first"}, task.TurnEnded{Turn: 2, Status: "action"},
		heldBy("u1", task.Paused), handedBackWith("go on"))
	third := task.Request{Key: "k3", Body: "b3"}
	check(t, given, claimFor(third, "the first"), []task.Event{
		withQuery(observedFor(3, third), "the first"), task.UserInputProvided{Turn: 3, HandedBack: true, Text: "go on"},
	}, "")
}

// After a takeover an action from before it is not judged failed by what the page
// shows; the user's word, another's success and a pause in which nobody touched the page
// are what they are.
func TestDecide_RecordVerdict_AfterATakeover(t *testing.T) {
	t.Parallel()
	at := func(kind task.PauseKind) []task.Event {
		return append(waiting(), heldBy("u1", kind), handedBackWith(""), observedFor(2, second))
	}
	failed := reasoning.Verdict{Confidence: 0.2, Reason: "an error", Tier: 2, By: "model", Rule: "r"}
	worked := reasoning.Verdict{Confidence: 0.9, Reason: "saved", Tier: 2, By: "model"}
	byUser := reasoning.Verdict{Confidence: 0.05, Reason: "You said so.", Tier: 1, By: reasoning.ByUserWord}
	second := generated
	second.Turn, second.StepIndex = 2, 1
	later := append(at(task.TakenOver), unsure, second, task.TurnEnded{Turn: 2, Status: "action"}, observedFor(3, task.Request{Key: "k3"}))
	for _, c := range []struct {
		name  string
		given []task.Event
		step  int
		said  reasoning.Verdict
		want  reasoning.Outcome
	}{
		{"it failed after a takeover", at(task.TakenOver), 0, failed, reasoning.Undecided},
		{"it worked after a takeover", at(task.TakenOver), 0, worked, reasoning.Succeeded},
		{"the user says that it failed", at(task.TakenOver), 0, byUser, reasoning.Failed},
		{"it failed after a pause", at(task.Paused), 0, failed, reasoning.Failed},
		{"a takeover that became a pause is one", append(waiting(), heldBy("u1", task.TakenOver), heldBy("u1", task.Paused), handedBackWith(""), observedFor(2, task.Request{Key: "k2"})), 0, failed, reasoning.Undecided},
		{"an action decided since", later, 1, failed, reasoning.Failed},
		{"seen before the takeover", append(waiting(), observedFor(2, task.Request{Key: "k2"}), heldBy("u1", task.TakenOver)), 0, failed, reasoning.Failed},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			events, err := task.Decide(task.RecordVerdict{Step: c.step, Verdict: c.said}, fold(c.given...))
			if err != nil || len(events) != 1 {
				t.Fatalf("%v, %v", events, err)
			}
			if v, ok := events[0].(task.ActionVerified); !ok || v.Outcome() != c.want || v.By != c.said.By {
				t.Errorf("%+v, want %s", events[0], c.want)
			}
		})
	}
}

// What may have been submitted stays undecided over a takeover, so nothing else may be.
func TestDecide_ATakeoverSubmitsNothingAgain(t *testing.T) {
	t.Parallel()
	sends := generated
	sends.MaySubmit = true
	given := []task.Event{observedFor(1, first), started, sends, answered, heldBy("u1", task.TakenOver), handedBackWith("it is saved"), observedFor(2, second)}
	state := fold(given...)
	events, err := task.Decide(task.RecordVerdict{Verdict: reasoning.Verdict{Confidence: 0.1, By: "rules"}}, state)
	if err != nil {
		t.Fatal(err)
	}
	state = task.Decider.Fold(state, events...)
	if !state.SubmitUndecided {
		t.Fatal("it counts as decided")
	}
	again := sends
	again.Action = `click("3")`
	check(t, append(given, events...), task.GenerateAction{again, task.DefaultLimits}, nil, domain.CodeSubmitUndecided)
}

// A turn's events and those of a pause and hand-back in the middle of it lead to the
// same state in either order: a turn may end on a stream that grew by them.
func TestEvolve_APauseAndATurnDoNotTouchEachOther(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		l := anyLimits(t)
		state, now := task.Initial(), noon
		take := func(c task.Command) []task.Event {
			events, err := task.Decide(c, state)
			if err != nil {
				return nil
			}
			state = task.Decider.Fold(state, events...)
			return events
		}
		for range rapid.IntRange(0, 20).Draw(t, "commands before") {
			now = now.Add(time.Minute)
			take(anyCommand(t, state, l, now))
		}
		if state.Ended() || state.Pause != nil {
			return
		}
		claim, ok := anyClaim(t, state, l, now).(task.Claim)
		if !ok {
			t.Fatal("no claim")
		}
		claim.OwnerDead = true
		take(claim)
		claimed := state
		var turn []task.Event
		for range rapid.IntRange(1, 6).Draw(t, "commands in the turn") {
			switch c := anyCommand(t, state, l, now).(type) {
			case task.Claim, task.Interrupt, task.PauseTask, task.HandBack:
			default:
				turn = append(turn, take(c)...)
			}
		}
		held := []task.Event{heldBy("u1", rapid.SampledFrom([]task.PauseKind{task.Paused, task.TakenOver}).Draw(t, "kind")), handedBackWith("go on")}
		between := task.Decider.Fold(task.Decider.Fold(claimed, held...), turn...)
		after := task.Decider.Fold(task.Decider.Fold(claimed, turn...), held...)
		if diff := cmp.Diff(after, between, cmpopts.EquateEmpty()); diff != "" {
			t.Fatal(diff)
		}
	})
}
