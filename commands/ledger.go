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
type Ledger struct {
	Log    eventstore.Log
	Prices *usage.Book
	Clock  Clock
}

// Start notes a call. It must have returned before the call is made.
func (l Ledger) Start(ctx context.Context, e usage.LLMCallStarted) error {
	return l.put(ctx, e.Tenant, e.Task, e.Call, started, e.Request, usage.StartCall{Started: e, Prices: l.Prices})
}

// Complete notes how a call ended. A report that comes after the call was
// settled by estimate corrects the estimate.
func (l Ledger) Complete(ctx context.Context, tenant, subject, call string, r usage.Report) error {
	complete := usage.CompleteCall{Call: call, Report: r, Prices: l.Prices}
	return l.put(ctx, tenant, subject, call, completed, ledgerID(call, started), complete)
}

// Open are a subject's calls that have no bill yet.
func (l Ledger) Open(ctx context.Context, subject string) ([]usage.Call, error) {
	v, err := Ledgers.Load(ctx, l.Log, usage.Stream(subject), nil, Ledgers.Start())
	if err != nil {
		return nil, fmt.Errorf("open calls of %s: %w", subject, err)
	}
	return v.State.Open(), nil
}

// Settle bills one call by its estimate; a call that has a bill keeps it.
func (l Ledger) Settle(ctx context.Context, tenant, subject, call, why string) error {
	settle := usage.SettleCall{Call: call, Why: why, At: l.Clock(), Prices: l.Prices}
	return l.put(ctx, tenant, subject, call, settled, ledgerID(call, started), settle)
}

// What happened to a call; with its id, the id of the event that says so.
const started, completed, settled = "started", "completed", "settled"

func ledgerID(call, what string) string { return domain.DeriveUUID(call, what) }

func (l Ledger) put(ctx context.Context, tenant, subject, call, what, cause string, c usage.Command) error {
	w := Writing{
		Meta: eventstore.Metadata{
			Tenant: tenant, Actor: "system", Correlation: subject, Causation: cause, Schema: 1,
		},
		ID: func(int) string { return ledgerID(call, what) },
	}
	_, err := Ledgers.Transact(ctx, l.Log, usage.Stream(subject), nil, w, c)
	return err
}
