package task_test

import (
	"testing"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/domain/task/tasktest"
)

var (
	stop   = task.Stop{Tenant: "acme", User: "jo"}
	cancel = task.Cancel{Tenant: "acme", User: "jo"}
	resume = task.Resume{Tenant: "acme", User: "jo"}

	stoppedByJo = task.TaskInterrupted{Why: "its user stopped it", By: "jo"}
	nobodyAsked = task.TaskInterrupted{Why: "nobody continued it"}
)

func cancelledIn(turn int) task.TaskFailed {
	return task.TaskFailed{Turn: turn, Code: domain.CodeCancelled, Message: "The task was cancelled."}
}

func givenUp(turn int) task.TurnAbandoned {
	return task.TurnAbandoned{Turn: turn, Why: "its user stopped it"}
}

func TestDecide_Control(t *testing.T) {
	t.Parallel()
	working := append(waiting(), observedFor(2, second))
	stopped := append(waiting(), stoppedByJo)
	asked := []task.Event{observedFor(1, first), task.UserInputRequested{Turn: 1, Question: "Which one?"}, task.TurnEnded{Turn: 1}}
	held := append(waiting(), heldBy("u1", task.Paused))
	for _, c := range []struct {
		name  string
		given []task.Event
		when  task.Command
		then  []task.Event
		err   string
	}{
		{name: "stopped between two turns", given: waiting(), when: stop, then: []task.Event{stoppedByJo}},
		{name: "stopped while a turn is at work", given: working, when: stop, then: []task.Event{givenUp(2), stoppedByJo}},
		{name: "stopped while somebody holds it", given: held, when: stop, then: []task.Event{stoppedByJo}},
		{name: "stopped twice", given: stopped, when: stop},
		{name: "stopped after nobody continued it", given: append(waiting(), nobodyAsked), when: stop, then: []task.Event{stoppedByJo}},
		{name: "stopped by another user", given: waiting(), when: task.Stop{Tenant: "acme", User: "ann"}, err: domain.CodeTaskNotFound},
		{name: "stopped from another tenant", given: waiting(), when: task.Stop{Tenant: "globex", User: "jo"}, err: domain.CodeTaskNotFound},
		{name: "stopped after its end", given: append(waiting(), completed), when: stop, err: domain.CodeTaskCompleted},
		{name: "stopped where there is none", when: stop, err: domain.CodeTaskNotFound},

		{name: "cancelled between two turns", given: waiting(), when: cancel, then: []task.Event{cancelledIn(1)}},
		{name: "cancelled while a turn is at work", given: working, when: cancel, then: []task.Event{givenUp(2), cancelledIn(2)}},
		{name: "cancelled before readers know of it", given: asked, when: cancel, then: []task.Event{started, cancelledIn(1)}},
		{name: "cancelled after it was stopped", given: stopped, when: cancel, then: []task.Event{cancelledIn(1)}},
		{name: "cancelled while somebody holds it", given: held, when: cancel, then: []task.Event{cancelledIn(1)}},
		{name: "cancelled twice", given: append(waiting(), cancelledIn(1)), when: cancel},
		{name: "cancelled by another user", given: append(waiting(), cancelledIn(1)), when: task.Cancel{Tenant: "acme", User: "ann"}, err: domain.CodeTaskNotFound},
		{name: "cancelled after its end", given: append(waiting(), completed), when: cancel, err: domain.CodeTaskCompleted},

		{name: "resumed after it was stopped", given: stopped, when: resume, then: []task.Event{task.TaskResumed{Turn: 1}}},
		{name: "resumed after nobody continued it", given: append(waiting(), nobodyAsked), when: resume, then: []task.Event{task.TaskResumed{Turn: 1}}},
		{name: "resumed though it goes on", given: working, when: resume},
		{name: "resumed by another user", given: stopped, when: task.Resume{Tenant: "acme", User: "ann"}, err: domain.CodeTaskNotFound},
		{name: "resumed after it was cancelled", given: append(waiting(), cancelledIn(1)), when: resume, err: domain.CodeTaskCompleted},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			check(t, c.given, c.when, c.then, c.err)
			if all := append(c.given[:len(c.given):len(c.given)], c.then...); len(c.then) > 0 {
				if err := tasktest.Check(all, task.DefaultLimits); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// Only the request that was at work is refused after a stop, and only until the task is
// resumed.
func TestDecide_ClaimAfterAStop(t *testing.T) {
	t.Parallel()
	keyless := task.Request{Body: "b2"}
	for _, c := range []struct {
		name    string
		at      task.Request // of the turn that was given up
		ended   task.TaskInterrupted
		claims  task.Request
		resumed bool
		err     string
	}{
		{name: "the request that was at work", at: second, ended: stoppedByJo, claims: second, err: domain.CodeTaskStopped},
		{name: "the same key with another body", at: second, ended: stoppedByJo, claims: task.Request{Key: "k2", Body: "b3"}, err: domain.CodeTaskStopped},
		{name: "after it was resumed", at: second, ended: stoppedByJo, claims: second, resumed: true},
		{name: "another request", at: second, ended: stoppedByJo, claims: task.Request{Key: "k3", Body: "b2"}},
		{name: "one without a key", at: keyless, ended: stoppedByJo, claims: keyless},
		{name: "after nobody continued it", at: second, ended: nobodyAsked, claims: second},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			given := append(waiting(), observedFor(2, c.at), givenUp(2), c.ended)
			want := []task.Event{observedFor(3, c.claims), task.TaskResumed{Turn: 3}}
			if c.resumed {
				given, want = append(given, task.TaskResumed{Turn: 2}), want[:1]
			}
			if c.err != "" {
				want = nil
			}
			check(t, given, claimFor(c.claims, observedFor(1, first).Query), want, c.err)
		})
	}
}
