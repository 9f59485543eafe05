package commands_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/commands"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/eventstore/memory"
)

const callID = "ca110000-0000-4000-8000-000000000001"

var noon = time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)

// book is a price book that can be changed, and be out of reach.
type book struct {
	now *usage.Book
	err error
}

func (b *book) Book(context.Context) (*usage.Book, error) { return b.now, b.err }

// budget notes what it is told.
type budget struct {
	refuses error
	held    map[string]usage.Reservation
	bills   map[string]usage.Booking
	down    bool
}

func (b *budget) Reserve(_ context.Context, r usage.Reservation) (string, error) {
	if b.refuses != nil {
		return "", b.refuses
	}
	b.held[r.Call] = r
	return r.At.Format("2006-01"), nil
}

func (b *budget) Release(_ context.Context, call string) error {
	delete(b.held, call)
	return nil
}

func (b *budget) Charge(_ context.Context, k usage.Booking) error {
	if b.down {
		return errors.New("the database is away")
	}
	delete(b.held, k.Call)
	b.bills[k.Call] = k
	return nil
}

type world struct {
	commands.Ledger
	store  *memory.Store
	prices *book
	budget *budget
}

func newWorld() *world {
	w := &world{
		store: memory.New(memory.Options{}), prices: &book{now: usage.Seed()},
		budget: &budget{held: map[string]usage.Reservation{}, bills: map[string]usage.Booking{}},
	}
	w.Ledger = commands.Ledger{
		Log: w.store, Prices: w.prices, Budget: w.budget, Clock: func() time.Time { return noon }, IDs: domain.NewUUID,
	}
	return w
}

func newLedger() (commands.Ledger, *memory.Store) {
	w := newWorld()
	return w.Ledger, w.store
}

func aCall() usage.LLMCallStarted {
	return usage.LLMCallStarted{
		Call: callID, Tenant: "acme", User: "jo", Task: "t1", Turn: 1, Request: "request-1", Purpose: usage.Verification,
		Role: usage.Fast, Provider: usage.Google, Model: "gemini-2.5-flash", Attempt: 1, PromptName: "verify/1",
		PromptHash: "h", EstimatedInputTokens: 1000, EstimatedOutputTokens: 100, StartedAt: noon,
	}
}

func startCall(t *testing.T, l commands.Ledger) {
	t.Helper()
	if err := l.Start(t.Context(), aCall()); err != nil {
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
		if _, err := l.Complete(t.Context(), "acme", "t1", callID, report()); err != nil {
			t.Fatal(err)
		}
		if _, err := l.Settle(t.Context(), "acme", "t1", callID, "late"); err != nil {
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
	if _, err := l.Settle(t.Context(), "acme", "t1", callID, "its process died"); err != nil {
		t.Fatal(err)
	}
	if open, err = l.Open(t.Context(), "t1"); err != nil || len(open) != 0 {
		t.Fatalf("open after settling: %v, %v", open, err)
	}
	if _, err := l.Complete(t.Context(), "acme", "t1", callID, report()); err != nil {
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
	if _, err := l.Complete(t.Context(), "acme", "t1", callID, report()); err != nil {
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
	if _, err := l.Complete(t.Context(), "acme", "t1", callID, report()); domain.KindOf(err) != domain.NotFound {
		t.Errorf("error %v", err)
	}
}

func (w *world) call(t *testing.T) usage.Call {
	t.Helper()
	v, err := commands.Ledgers.Load(t.Context(), w.store, usage.Stream("t1"), nil, commands.Ledgers.Start())
	if err != nil {
		t.Fatal(err)
	}
	return v.State.Calls[callID]
}

func TestLedger_ReservesBeforeACallAndBooksItsBill(t *testing.T) {
	t.Parallel()
	w := newWorld()
	startCall(t, w.Ledger)
	held, started := w.budget.held[callID], w.call(t).Started
	if held.Amount.String() != "0.00055" || held.Subject != "t1" || held.Tenant != "acme" || !held.At.Equal(noon) {
		t.Errorf("set aside: %+v", held)
	}
	if started.Reserved == nil || *started.Reserved != held.Amount || started.BudgetMonth != "2026-11" {
		t.Errorf("on the ledger: %+v", started)
	}
	bill, err := w.Complete(t.Context(), "acme", "t1", callID, report())
	if err != nil || bill.Charge.Cost.String() != "0.000325" {
		t.Fatalf("%+v, %v", bill, err)
	}
	want := usage.Booking{
		Call: callID, Tenant: "acme", Subject: "t1", Month: "2026-11", Reserved: held.Amount, Cost: bill.Charge.Cost, Revision: 1,
	}
	if diff := cmp.Diff(want, w.budget.bills[callID]); diff != "" {
		t.Errorf("booked: %s", diff)
	}
}

func TestLedger_WithoutRoomInTheBudgetNothingIsOnTheLedger(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.budget.refuses = usage.QuotaExceeded(usage.Spending{}, usage.Reservation{}, false)
	if err := w.Start(t.Context(), aCall()); domain.KindOf(err) != domain.Limited {
		t.Errorf("error %v", err)
	}
	if got := types(t, w.store); len(got) != 0 {
		t.Errorf("events %v", got)
	}
}

func TestLedger_ACallThatCannotBeNotedGivesItsReservationBack(t *testing.T) {
	t.Parallel()
	w := newWorld()
	e := aCall()
	e.Tenant = ""
	if err := w.Start(t.Context(), e); err == nil {
		t.Fatal("a call of nobody was started")
	}
	if len(w.budget.held) != 0 {
		t.Errorf("set aside: %+v", w.budget.held)
	}
}

// BerriAI/litellm PR#35913: a model without a price passed every budget.
func TestLedger_ACallWithoutAPriceReservesTheMostAModelWouldCost(t *testing.T) {
	t.Parallel()
	w := newWorld()
	e := aCall()
	e.Model = "gemini-99"
	if err := w.Start(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	// gemini-3-pro-preview at priority: 1000 at 3.60, 100 at 21.60 a million.
	if held := w.budget.held[callID]; held.Amount.String() != "0.00576" {
		t.Errorf("set aside: %s", held.Amount)
	}
	if started := w.call(t).Started; started.EstimatedCost != nil {
		t.Errorf("the estimate is %s", started.EstimatedCost)
	}
	unpriced, err := w.Complete(t.Context(), "acme", "t1", callID, report())
	if err != nil || unpriced.Charge.CostStatus != usage.Unpriced || w.budget.bills[callID].Cost != nil {
		t.Errorf("%+v, booked %+v, %v", unpriced.Charge, w.budget.bills[callID], err)
	}
}

func TestLedger_WhatWasLeftBetweenLedgerAndBudgetIsReconciled(t *testing.T) {
	t.Parallel()
	w := newWorld()
	reconcile := func() {
		t.Helper()
		if err := w.Reconcile(t.Context(), "t1", callID); err != nil {
			t.Fatal(err)
		}
	}
	_, _ = w.budget.Reserve(t.Context(), usage.Reservation{Call: callID, Tenant: "acme", Subject: "t1", At: noon})
	reconcile() // reserved, and then its process died
	if len(w.budget.held) != 0 {
		t.Error("a call that was never made holds its reservation")
	}
	startCall(t, w.Ledger)
	reconcile()
	if len(w.budget.held) != 1 {
		t.Error("a call under way lost its reservation")
	}
	w.budget.down = true // or its process died
	if _, err := w.Settle(t.Context(), "acme", "t1", callID, "its process died"); err != nil {
		t.Fatalf("the budget's trouble became the ledger's: %v", err)
	}
	w.budget.down = false
	reconcile()
	if k := w.budget.bills[callID]; len(w.budget.held) != 0 || k.Cost == nil || k.Cost.String() != "0.00055" {
		t.Errorf("booked %+v, held %+v", k, w.budget.held)
	}
}

// An answer that comes after its call was settled, and in another month, changes
// the bill of the month the call was made in.
func TestLedger_ALateAnswerIsBookedInTheMonthOfItsCall(t *testing.T) {
	t.Parallel()
	w := newWorld()
	e := aCall()
	e.StartedAt = time.Date(2026, 11, 30, 23, 59, 59, 0, time.UTC)
	if err := w.Start(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Settle(t.Context(), "acme", "t1", callID, "its process died"); err != nil {
		t.Fatal(err)
	}
	r := report()
	r.CompletedAt = e.StartedAt.Add(time.Hour)
	if _, err := w.Complete(t.Context(), "acme", "t1", callID, r); err != nil {
		t.Fatal(err)
	}
	if k := w.budget.bills[callID]; k.Month != "2026-11" || k.Cost.String() != "0.000325" || k.Revision != 2 {
		t.Errorf("booked %+v", k)
	}
}

func TestLedger_RepricingIsIdempotentAndFollowsTheBook(t *testing.T) {
	t.Parallel()
	w := newWorld()
	seeded := w.prices.now
	w.prices.now = nil // the model is not in the book
	startCall(t, w.Ledger)
	if _, err := w.Complete(t.Context(), "acme", "t1", callID, report()); err != nil {
		t.Fatal(err)
	}
	reprice := func(want string, events int) {
		t.Helper()
		before := len(types(t, w.store))
		c, changed, err := w.Reprice(t.Context(), "acme", "t1", callID, "prices were imported")
		if err != nil || changed != (events > before) {
			t.Fatalf("changed %v, %v", changed, err)
		}
		got := ""
		if c.Charge.Cost != nil {
			got = c.Charge.Cost.String()
		}
		if n := len(types(t, w.store)); got != want || n != events {
			t.Errorf("the bill is %q with %d events, want %q with %d", got, n, want, events)
		}
	}
	reprice("", 2)
	w.prices.now = seeded
	for range 3 {
		reprice("0.000325", 3)
	}
	if k := w.budget.bills[callID]; k.Cost == nil || k.Cost.String() != "0.000325" || k.Revision != 2 {
		t.Errorf("booked %+v", k)
	}
	w.prices.now = nil // withdrawn again
	reprice("", 4)
	w.prices.now = seeded
	reprice("0.000325", 5)
}

func TestLedger_NothingIsStartedWithoutAPriceBook(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.prices.err = errors.New("away")
	if err := w.Start(t.Context(), aCall()); err == nil || len(w.budget.held) != 0 {
		t.Errorf("error %v, set aside %+v", err, w.budget.held)
	}
}
