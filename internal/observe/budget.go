package observe

import (
	"context"
	"log/slog"

	"github.com/stepledger/stepledger/commands"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/usage"
)

// Budget logs refused calls, and bills that could not be booked although the ledger
// has them.
type Budget struct {
	Next commands.Budget
	Log  *slog.Logger
	// Refused is told of every refusal.
	Refused func(tenant string)
}

// Reserve implements commands.Budget.
func (b Budget) Reserve(ctx context.Context, r usage.Reservation) (string, error) {
	month, err := b.Next.Reserve(ctx, r)
	if domain.KindOf(err) == domain.Limited {
		b.Log.WarnContext(ctx, "a model call was refused: no room in the budget",
			"tenant", r.Tenant, "task", r.Subject, "neededUsd", r.Amount.String(), "error", err)
		b.Refused(r.Tenant)
	}
	return month, err
}

// Release implements commands.Budget.
func (b Budget) Release(ctx context.Context, call string) error {
	err := b.Next.Release(ctx, call)
	b.unbooked(ctx, "release", call, err)
	return err
}

// Charge implements commands.Budget.
func (b Budget) Charge(ctx context.Context, k usage.Booking) error {
	err := b.Next.Charge(ctx, k)
	b.unbooked(ctx, "charge", k.Call, err)
	return err
}

func (b Budget) unbooked(ctx context.Context, what, call string, err error) {
	if err != nil {
		b.Log.WarnContext(ctx, "a budget is behind its ledger until it is reconciled", "what", what, "call", call, "error", err)
	}
}
