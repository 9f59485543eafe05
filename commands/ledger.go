package commands

import (
	"context"
	"fmt"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/eventstore"
)

// Ledgers is the aggregate of model calls.
var Ledgers = Aggregate[usage.State, usage.Command, usage.Event]{Decider: usage.Decider, Codec: usage.Codec}

// Ledger records model calls: each before it is made, and how it ended. Every method
// may be repeated; a call id gets one bill.
//
// The log is the truth and the budget follows it: a call is reserved before it is
// recorded, and its bill is booked after it is recorded. Reconcile repairs what a
// process that died left between the two.
type Ledger struct {
	Log    eventstore.Log
	Prices Prices
	Budget Budget
	Clock  Clock
	IDs    IDs
}

// Start records a call. It must return before the call is made. It returns
// QUOTA_EXCEEDED if the tenant's budget has no room for the call.
func (l Ledger) Start(ctx context.Context, e usage.LLMCallStarted) error {
	book, err := l.Prices.Book(ctx)
	if err != nil {
		return fmt.Errorf("start call %s: %w", e.Call, err)
	}
	amount := usage.Reserve(e, book)
	e.BudgetMonth, err = l.Budget.Reserve(ctx, usage.Reservation{
		Call: e.Call, Tenant: e.Tenant, Subject: e.Task, Amount: amount, At: e.StartedAt,
	})
	if err != nil {
		return fmt.Errorf("start call %s: %w", e.Call, err)
	}
	e.Reserved = &amount
	_, err = l.put(ctx, entry{e.Tenant, e.Task, e.Call, started, e.Request}, usage.StartCall{Started: e, Prices: book})
	if err != nil {
		// The call will not be made. If this fails too, or the call was recorded
		// after all, Reconcile finds it.
		_ = l.Budget.Release(context.WithoutCancel(ctx), e.Call)
	}
	return err
}

// Complete records how a call ended and returns it with its bill. A report that
// arrives after the call was settled by estimate corrects the estimate.
func (l Ledger) Complete(ctx context.Context, tenant, subject, call string, r usage.Report) (usage.Call, error) {
	book, err := l.Prices.Book(ctx)
	if err != nil {
		return usage.Call{}, fmt.Errorf("complete call %s: %w", call, err)
	}
	return l.bill(ctx, entry{tenant, subject, call, completed, ledgerID(call, started)},
		usage.CompleteCall{Call: call, Report: r, Prices: book})
}

// Settle bills a call by its estimate. A call that has a bill keeps it.
func (l Ledger) Settle(ctx context.Context, tenant, subject, call, why string) (usage.Call, error) {
	book, err := l.Prices.Book(ctx)
	if err != nil {
		return usage.Call{}, fmt.Errorf("settle call %s: %w", call, err)
	}
	return l.bill(ctx, entry{tenant, subject, call, settled, ledgerID(call, started)},
		usage.SettleCall{Call: call, Why: why, At: l.Clock(), Prices: book})
}

// Reprice corrects a bill by the price book and returns the call. A correct bill is
// left alone.
func (l Ledger) Reprice(ctx context.Context, tenant, subject, call, why string) (c usage.Call, changed bool, err error) {
	book, err := l.Prices.Book(ctx)
	if err != nil {
		return c, false, fmt.Errorf("reprice call %s: %w", call, err)
	}
	reprice := usage.RepriceCall{Call: call, Why: why, At: l.Clock(), Prices: book}
	v, err := l.load(ctx, subject)
	if err != nil {
		return c, false, fmt.Errorf("reprice call %s: %w", call, err)
	}
	if events, err := usage.Decide(reprice, v.State); err != nil || len(events) == 0 {
		return v.State.Calls[call], false, err
	}
	c, err = l.bill(ctx, entry{tenant, subject, call, corrected, ledgerID(call, started)}, reprice)
	return c, err == nil, err
}

// Open returns a subject's calls that have no bill yet.
func (l Ledger) Open(ctx context.Context, subject string) ([]usage.Call, error) {
	v, err := l.load(ctx, subject)
	if err != nil {
		return nil, fmt.Errorf("open calls of %s: %w", subject, err)
	}
	return v.State.Open(), nil
}

// Reconcile makes the budget match the ledger: it books the call's bill, or releases
// the reservation of a call that was never made. A call under way is left alone.
func (l Ledger) Reconcile(ctx context.Context, subject, call string) error {
	v, err := l.load(ctx, subject)
	if err != nil {
		return fmt.Errorf("reconcile call %s: %w", call, err)
	}
	c, known := v.State.Calls[call]
	if !known {
		return l.Budget.Release(ctx, call)
	}
	if b, ok := usage.BookingOf(subject, c, v.Revision); ok {
		return l.Budget.Charge(ctx, b)
	}
	return nil
}

func (l Ledger) load(ctx context.Context, subject string) (Version[usage.State], error) {
	return Ledgers.Load(ctx, l.Log, usage.Stream(subject), nil, Ledgers.Start())
}

// The events of a call; with the call's id they give the event's id. Corrections can
// be several, so each draws its own id.
const started, completed, settled, corrected = "started", "completed", "settled", "corrected"

func ledgerID(call, what string) string { return domain.DeriveUUID(call, what) }

// entry identifies the call something is recorded of, and its cause.
type entry struct{ tenant, subject, call, what, cause string }

// bill records a bill and books it. If booking fails, Reconcile does it later.
func (l Ledger) bill(ctx context.Context, e entry, c usage.Command) (usage.Call, error) {
	v, err := l.put(ctx, e, c)
	if err != nil {
		return usage.Call{}, err
	}
	call := v.State.Calls[e.call]
	if b, ok := usage.BookingOf(e.subject, call, v.Revision); ok {
		_ = l.Budget.Charge(ctx, b)
	}
	return call, nil
}

func (l Ledger) put(ctx context.Context, e entry, c usage.Command) (Version[usage.State], error) {
	w := Writing{
		Meta: eventstore.Metadata{
			Tenant: e.tenant, Actor: "system", Correlation: e.subject, Causation: e.cause, Schema: 1,
		},
		ID: func(int) string { return ledgerID(e.call, e.what) },
	}
	if e.what == corrected {
		w.ID = RandomIDs(l.IDs)
	}
	return Ledgers.Transact(ctx, l.Log, usage.Stream(e.subject), nil, w, c)
}
