package commands

import (
	"context"
	"fmt"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/eventstore"
)

// Ledgers is the aggregate of model calls.
var Ledgers = Aggregate[usage.State, usage.Command, usage.Event]{usage.Decider, usage.Codec}

// Ledger puts model calls on record: each before it is made, and how it ended.
// Every method may be repeated; one call id gets one bill.
//
// The log has the truth, the budget follows it: a call has a reservation before
// it is on the ledger, and its bill is booked after it is there. What is missing
// between the two because a process died is made good by Reconcile.
type Ledger struct {
	Log    eventstore.Log
	Prices Prices
	Budget Budget
	Clock  Clock
	IDs    IDs
}

// Start notes a call. It must have returned before the call is made. The error
// is QUOTA_EXCEEDED where the tenant's budget has no room for it.
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
		// It will not be made. If this fails too, or the call is on record after all,
		// Reconcile finds it.
		_ = l.Budget.Release(context.WithoutCancel(ctx), e.Call)
	}
	return err
}

// Complete notes how a call ended and gives its bill. A report that comes after
// the call was settled by estimate corrects the estimate.
func (l Ledger) Complete(ctx context.Context, tenant, subject, call string, r usage.Report) (usage.Call, error) {
	book, err := l.Prices.Book(ctx)
	if err != nil {
		return usage.Call{}, fmt.Errorf("complete call %s: %w", call, err)
	}
	return l.bill(ctx, entry{tenant, subject, call, completed, ledgerID(call, started)},
		usage.CompleteCall{Call: call, Report: r, Prices: book})
}

// Settle bills one call by its estimate; a call that has a bill keeps it.
func (l Ledger) Settle(ctx context.Context, tenant, subject, call, why string) (usage.Call, error) {
	book, err := l.Prices.Book(ctx)
	if err != nil {
		return usage.Call{}, fmt.Errorf("settle call %s: %w", call, err)
	}
	return l.bill(ctx, entry{tenant, subject, call, settled, ledgerID(call, started)},
		usage.SettleCall{Call: call, Why: why, At: l.Clock(), Prices: book})
}

// Reprice corrects a bill by the price book, and gives what it is then. A bill
// that is right is left alone.
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

// Open are a subject's calls that have no bill yet.
func (l Ledger) Open(ctx context.Context, subject string) ([]usage.Call, error) {
	v, err := l.load(ctx, subject)
	if err != nil {
		return nil, fmt.Errorf("open calls of %s: %w", subject, err)
	}
	return v.State.Open(), nil
}

// Reconcile brings the budget in line with what the ledger says of a call: a
// bill is booked, and what was set aside for a call that was never made is given
// back. A call under way is left alone.
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

// What happened to a call; with its id, the id of the event that says so.
// Corrections can be several: each has an id drawn for it.
const started, completed, settled, corrected = "started", "completed", "settled", "corrected"

func ledgerID(call, what string) string { return domain.DeriveUUID(call, what) }

// entry says of which call something is noted, and what led to it.
type entry struct{ tenant, subject, call, what, cause string }

// bill notes a bill and books it. The bill is what counts: where booking fails,
// Reconcile does it later.
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
