package task_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/task"
)

var erasedNow = task.TaskErased{Erasure: "e1"}

func TestDecide_erase(t *testing.T) {
	t.Parallel()
	tenant := started.Tenant
	forget := task.Erase{Tenant: tenant, Erasure: "e1"}
	for _, c := range []struct {
		name  string
		given []task.Event
		when  task.Erase
		then  []task.Event
		err   domain.Kind
	}{
		{name: "what never began", when: forget},
		{
			name: "a turn is under way: it can append no more", given: undecidedOnce(), when: forget,
			then: []task.Event{
				task.TurnAbandoned{Turn: 2, Why: "its content is erased"}, task.TaskInterrupted{Why: "its content is erased"}, erasedNow,
			},
		},
		{
			name: "it waits for its client", given: waiting(), when: forget,
			then: []task.Event{task.TaskInterrupted{Why: "its content is erased"}, erasedNow},
		},
		{name: "it has ended", given: append(waiting(), task.TaskFailed{Turn: 1, Code: "X"}), when: forget, then: []task.Event{erasedNow}},
		{name: "it is erased already", given: append(waiting(), erasedNow), when: forget},
		{name: "another tenant's", given: waiting(), when: task.Erase{Tenant: "globex"}, err: domain.NotFound},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := task.Decide(c.when, task.Decider.Fold(task.Initial(), c.given...))
			if domain.KindOf(err) != c.err {
				t.Fatalf("error %v", err)
			}
			if diff := cmp.Diff(c.then, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Whatever is asked of an erased task is refused, or does nothing.
func TestDecide_nothingFollowsAnErasure(t *testing.T) {
	t.Parallel()
	s := task.Decider.Fold(task.Initial(), append(undecidedOnce(), erasedNow)...)
	for _, c := range []task.Command{
		task.Claim{Page: observedFor(3, second), Now: time.Now(), OwnerDead: true}, task.EndTurn{Status: "action"}, task.Interrupt{Why: "idle"},
		task.PauseTask{Tenant: started.Tenant, By: "u2", Kind: task.Paused}, task.HandBack{Tenant: started.Tenant, By: "u2", Note: "go on"},
		task.RecordVerdict{}, task.GenerateAction{}, task.AskUser{Question: "which?"}, task.Fail{Code: "X"}, task.Complete{},
	} {
		events, err := task.Decide(c, s)
		if len(events) > 0 {
			t.Errorf("%T led to %v", c, events)
		}
		switch c.(type) {
		case task.EndTurn, task.Interrupt:
		default:
			if domain.KindOf(err) != domain.Conflict {
				t.Errorf("%T: %v", c, err)
			}
		}
	}
}

// Nothing is remembered that somebody said, typed or saw.
func TestEvolve_anErasedTaskRemembersNoText(t *testing.T) {
	t.Parallel()
	given := append(undecidedOnce(), task.TaskHandedBack{By: "u2", Note: "Jas is done", Secrets: []string{"hunter2"}})
	s := task.Decider.Fold(task.Initial(), append(given, erasedNow)...)
	want := task.State{
		Status: task.Active, Tenant: started.Tenant, User: started.User, Session: started.Session, Visible: true, Turn: task.Turn{Number: 2},
		Tokens: s.Tokens, Erased: true,
	}
	if diff := cmp.Diff(want, s); diff != "" {
		t.Error(diff)
	}
}
