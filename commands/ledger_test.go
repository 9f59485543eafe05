package commands_test

import (
	"testing"
	"time"

	"github.com/stepledger/stepledger/commands"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/eventstore/memory"
)

const callID = "ca110000-0000-4000-8000-000000000001"

var noon = time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)

func newLedger() (commands.Ledger, *memory.Store) {
	store := memory.New(memory.Options{})
	return commands.Ledger{Log: store, Prices: usage.Seed(), Clock: func() time.Time { return noon }}, store
}

func startCall(t *testing.T, l commands.Ledger) {
	t.Helper()
	err := l.Start(t.Context(), usage.LLMCallStarted{
		Call: callID, Tenant: "acme", User: "jo", Task: "t1", Turn: 1, Request: "request-1", Purpose: usage.Verification,
		Role: usage.Fast, Provider: usage.Google, Model: "gemini-2.5-flash", Attempt: 1, PromptName: "verify/1",
		PromptHash: "h", EstimatedInputTokens: 1000, EstimatedOutputTokens: 100, StartedAt: noon,
	})
	if err != nil {
		t.Fatal(err)
	}
}

func report() usage.Report {
	return usage.Report{Outcome: usage.OK, Meters: usage.Meters{InputUncached: 1000, Output: 10}, CompletedAt: noon.Add(time.Second)}
}

func types(t *testing.T, store *memory.Store) (out []string) {
	t.Helper()
	slice, err := store.ReadStream(t.Context(), usage.Stream("t1"), eventstore.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range slice.Events {
		out = append(out, e.Type)
	}
	return out
}

func TestLedger_EachStepMayBeRepeated(t *testing.T) {
	t.Parallel()
	l, store := newLedger()
	for range 3 {
		startCall(t, l)
	}
	for range 3 {
		if err := l.Complete(t.Context(), "acme", "t1", callID, report()); err != nil {
			t.Fatal(err)
		}
		if err := l.Settle(t.Context(), "acme", "t1", callID, "late"); err != nil {
			t.Fatal(err)
		}
	}
	if got := types(t, store); len(got) != 2 {
		t.Errorf("events %v, want one start and one end", got)
	}
}

func TestLedger_ALateAnswerCorrectsTheEstimate(t *testing.T) {
	t.Parallel()
	l, store := newLedger()
	startCall(t, l)
	open, err := l.Open(t.Context(), "t1")
	if err != nil || len(open) != 1 || open[0].Started.Call != callID {
		t.Fatalf("open calls %v, %v", open, err)
	}
	if err := l.Settle(t.Context(), "acme", "t1", callID, "its process died"); err != nil {
		t.Fatal(err)
	}
	if open, err = l.Open(t.Context(), "t1"); err != nil || len(open) != 0 {
		t.Fatalf("open after settling: %v, %v", open, err)
	}
	if err := l.Complete(t.Context(), "acme", "t1", callID, report()); err != nil {
		t.Fatal(err)
	}
	want := []string{usage.NameLLMCallStarted, usage.NameLLMCallSettled, usage.NameUsageCorrected}
	if got := types(t, store); len(got) != 3 || got[1] != want[1] || got[2] != want[2] {
		t.Errorf("events %v, want %v", got, want)
	}
}

func TestLedger_SaysWhatLedToWhat(t *testing.T) {
	t.Parallel()
	l, store := newLedger()
	startCall(t, l)
	if err := l.Complete(t.Context(), "acme", "t1", callID, report()); err != nil {
		t.Fatal(err)
	}
	slice, err := store.ReadStream(t.Context(), usage.Stream("t1"), eventstore.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	started, completed := slice.Events[0], slice.Events[1]
	if m := started.Metadata(); m.Causation != "request-1" || m.Correlation != "t1" || m.Tenant != "acme" {
		t.Errorf("the start's envelope is %+v", m)
	}
	if m := completed.Metadata(); m.Causation != started.ID {
		t.Errorf("the end was caused by %s, want %s", m.Causation, started.ID)
	}
}

func TestLedger_ACallThatNeverStartedHasNoEnd(t *testing.T) {
	t.Parallel()
	l, _ := newLedger()
	if err := l.Complete(t.Context(), "acme", "t1", callID, report()); domain.KindOf(err) != domain.NotFound {
		t.Errorf("error %v", err)
	}
}
