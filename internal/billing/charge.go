package billing

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/domain/usage"
)

// A booking that is not there was given back, or is missing from a database
// restored from an older copy: the ledger knows better. Those of months long
// gone are forgotten.
const (
	bookingBefore = `
		insert into billing.booking as b (call, tenant, month, subject, reserved, cost, unsure_since)
		select @call, @tenant, first, @subject, @reserved::text::numeric, 0, null
		from to_date(@month, 'YYYY-MM') as first
		where first > now() - interval '3 months'
		on conflict (call) do update
		set call = b.call
		returning month, reserved::text, cost::text, revision`

	putBooking = `
		update billing.booking set cost = @cost::text::numeric, revision = @revision, unsure_since = null
		where call = @call`

	// What was set aside counts while there is no cost.
	moveMonth = `
		insert into billing.month as m (tenant, month, held, spent)
		values (@tenant, @first,
			case when @cost::text is null then @reserved::text::numeric else 0 end
				- case when @before::text is null then @reserved::text::numeric else 0 end,
			coalesce(@cost::text::numeric, 0) - coalesce(@before::text::numeric, 0))
		on conflict (tenant, month) do update
		set held = m.held + excluded.held, spent = m.spent + excluded.spent`

	warnOnce = `
		with budget as (
			select amount, warn_at from billing.budget
			where tenant = @tenant and from_month <= @first
			order by from_month desc, id desc
			limit 1
		)
		insert into billing.warning (tenant, month, percent, budget, spent)
		select m.tenant, m.month, percent, amount, m.spent
		from billing.month as m, budget, unnest(warn_at) as percent
		where m.tenant = @tenant and m.month = @first and m.spent * 100 >= amount * percent
		on conflict do nothing
		returning percent, trim_scale(budget)::text, trim_scale(spent)::text`
)

// Charge implements commands.Budget. It records and logs the budget's thresholds that
// are passed, each once a month.
func (s *Store) Charge(ctx context.Context, b usage.Booking) error {
	var passed []warning
	err := s.inTx(ctx, func(tx pgx.Tx) (err error) {
		passed, err = charge(ctx, tx, b)
		return err
	})
	if err != nil {
		return unavailable("charge", err)
	}
	for _, w := range passed {
		s.log.WarnContext(ctx, "a tenant has passed a threshold of its budget", "tenant", b.Tenant, "month", b.Month,
			"percent", w.Percent, "budgetUsd", w.Budget, "spentUsd", w.Spent)
	}
	return nil
}

// warning is a threshold that was passed.
type warning struct {
	Percent       int
	Budget, Spent string
}

func charge(ctx context.Context, tx pgx.Tx, b usage.Booking) ([]warning, error) {
	args := pgx.NamedArgs{
		"call": b.Call, "tenant": b.Tenant, "month": b.Month, "subject": b.Subject, "reserved": b.Reserved.String(),
		"cost": decimal(b.Cost), "revision": b.Revision,
	}
	var first time.Time
	var reserved string
	var before *string
	var revision int64
	err := tx.QueryRow(ctx, bookingBefore, args).Scan(&first, &reserved, &before, &revision)
	switch {
	case errors.Is(err, pgx.ErrNoRows), err == nil && revision >= b.Revision:
		return nil, nil
	case err != nil:
		return nil, err
	}
	args["first"], args["reserved"], args["before"] = first, reserved, before
	if _, err := tx.Exec(ctx, putBooking, args); err != nil {
		return nil, err
	}
	if _, err := tx.Exec(ctx, moveMonth, args); err != nil {
		return nil, err
	}
	rows, err := tx.Query(ctx, warnOnce, args)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[warning])
}

// decimal is an exact amount as text for a numeric column.
func decimal(p *usage.Pico) *string {
	if p == nil {
		return nil
	}
	s := p.String()
	return &s
}

// Unsure is a call whose end the budget may not know.
type Unsure struct{ Call, Subject string }

const unsure = `
	select call::text, subject from billing.booking
	where unsure_since < $1
	order by unsure_since
	limit $2`

// Unsure returns calls that were reserved before a time and have no booked bill,
// oldest first. Their process may have died.
func (s *Store) Unsure(ctx context.Context, before time.Time, limit int) ([]Unsure, error) {
	rows, err := s.pool.Query(ctx, unsure, before, limit)
	if err != nil {
		return nil, unavailable("list unsure bookings", err)
	}
	out, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Unsure])
	return out, unavailable("list unsure bookings", err)
}

// Later than Charge stops to count what comes late.
const forget = `
	delete from billing.booking where ctid = any (array(
		select ctid from billing.booking where month < now() - interval '4 months' limit $1))`

// forgetBatch is how many bookings are deleted in one transaction.
const forgetBatch = 1000

// Forget deletes the bookings of months long past, a thousand in a transaction, until none
// is left or ctx ends; the months' sums stay. A later correction of such a call changes its
// bill but no budget.
func (s *Store) Forget(ctx context.Context) (forgotten int64, err error) {
	for {
		tag, err := s.pool.Exec(ctx, forget, forgetBatch)
		if err != nil {
			return forgotten, unavailable("forget bookings", err)
		}
		if forgotten += tag.RowsAffected(); tag.RowsAffected() < forgetBatch {
			return forgotten, nil
		}
	}
}
