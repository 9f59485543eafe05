package main

import (
	"testing"
	"time"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/domain/usage"
)

func TestSweep_InterruptsWhatNobodyAsksFor(t *testing.T) {
	t.Parallel()
	s := newServer(t, hooks{})
	p := newPursuit()
	if err := p.step(t.Context(), s.client); err != nil {
		t.Fatal(err)
	}
	s.catchUp(t)
	if err := s.sweep(t.Context(), time.Now()); err != nil {
		t.Fatal(err)
	}
	if _, was := last(streamOf(t, s.system, p.task)).(task.TaskInterrupted); was {
		t.Fatal("a task just asked for was interrupted")
	}
	if err := s.sweep(t.Context(), time.Now().Add(idleTask+time.Minute)); err != nil {
		t.Fatal(err)
	}
	if _, was := last(streamOf(t, s.system, p.task)).(task.TaskInterrupted); !was {
		t.Fatal("a task left alone for half an hour was not interrupted")
	}
	p.finish(t, s.client) // its client comes back
	if p.page.screen != "saved" {
		t.Errorf("the page is %q", p.page.screen)
	}
}

func TestSweep_SettlesCallsWithoutAnEnd(t *testing.T) {
	t.Parallel()
	s := newServer(t, hooks{})
	id, call, younger := domain.NewUUID(), domain.NewUUID(), domain.NewUUID()
	s.startCall(t, id, call, 1, time.Now())
	s.startCall(t, id, younger, 1, time.Now().Add(openCall))
	s.catchUp(t)
	if err := s.sweep(t.Context(), time.Now()); err != nil {
		t.Fatal(err)
	}
	if ledgerOf(t, s.system, id).Calls[call].Settled {
		t.Fatal("a call just made was settled")
	}
	if err := s.sweep(t.Context(), time.Now().Add(openCall+time.Minute)); err != nil {
		t.Fatal(err)
	}
	settled := ledgerOf(t, s.system, id).Calls[call]
	if !settled.Settled || settled.Charge.Cost == nil || *settled.Charge.Cost == 0 {
		t.Errorf("the call is %+v", settled)
	}
	if ledgerOf(t, s.system, id).Calls[younger].Settled {
		t.Error("a call of the same task that may still be under way was settled")
	}
}

// startCall notes a model call of a task that has no end yet.
func (s *server) startCall(t *testing.T, id, call string, turn int, at time.Time) {
	t.Helper()
	err := s.ledger.Start(t.Context(), usage.LLMCallStarted{
		Call: call, Tenant: "acme", User: "jo", Task: id, Turn: turn, Purpose: usage.Verification, Role: usage.Fast,
		Provider: usage.Google, Model: "gemini-2.5-flash", Attempt: 1, PromptName: "verify.v1", PromptHash: "h",
		EstimatedInputTokens: 1000, EstimatedOutputTokens: 100, StartedAt: at,
	})
	if err != nil {
		t.Fatal(err)
	}
}

// catchUp waits until the read models have seen the whole log.
func (s *server) catchUp(t testing.TB) {
	t.Helper()
	head, err := s.events.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, p := range readModels() {
		names = append(names, p.Name)
	}
	lag, err := s.waiter().Wait(t.Context(), names, head, 30*time.Second)
	if err != nil || lag != 0 {
		t.Fatalf("the read models are %d behind (%v)", lag, err)
	}
}

func last(events []task.Event) task.Event { return events[len(events)-1] }
