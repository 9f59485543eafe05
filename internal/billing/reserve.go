package billing

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/domain/usage"
)

// One statement: the month's row is locked by the update, and its condition is
// judged on what the row then holds. A call that has a booking already is let
// through and sets nothing aside.
const reserve = `
	with zone as (
		select coalesce((select time_zone from billing.tenant where tenant = @tenant), 'UTC') as name
	), month as (
		select date_trunc('month', @at::timestamptz at time zone name)::date as first, name from zone
	), budget as (
		select amount from billing.budget, month
		where tenant = @tenant and from_month <= first
		order by from_month desc, id desc
		limit 1
	), known as (
		select month from billing.booking where call = @call
	), held as (
		insert into billing.month as m (tenant, month, held)
		select @tenant, first, @amount::text::numeric from month
		where not exists (select from known)
			and coalesce((select amount from budget) >= @amount::text::numeric, true)
		on conflict (tenant, month) do update
		set held = m.held + excluded.held
		where coalesce(m.spent + m.held + excluded.held <= (select amount from budget), true)
		returning m.month
	), booked as (
		insert into billing.booking (call, tenant, month, subject, reserved)
		select @call, @tenant, month, @subject, @amount::text::numeric from held
	)
	select coalesce((select month from known), (select month from held)) is not null as admitted,
		to_char(coalesce((select month from known), first), 'YYYY-MM') as month,
		(select trim_scale(amount)::text from budget) as budget,
		coalesce(trim_scale(m.spent)::text, '0') as spent, coalesce(trim_scale(m.held)::text, '0') as held,
		coalesce(m.spent, 0) + @amount::text::numeric <= (select amount from budget) as room_without_held,
		(first + interval '1 month') at time zone name as ends_at
	from month left join billing.month as m on m.tenant = @tenant and m.month = first`

// Reserve implements commands.Budget.
func (s *Store) Reserve(ctx context.Context, r usage.Reservation) (string, error) {
	var month, spent, held string
	var budget *string
	var admitted bool
	var room *bool
	var endsAt time.Time
	err := s.pool.QueryRow(ctx, reserve, pgx.NamedArgs{
		"call": r.Call, "tenant": r.Tenant, "subject": r.Subject, "amount": r.Amount.String(), "at": r.At,
	}).Scan(&admitted, &month, &budget, &spent, &held, &room, &endsAt)
	switch {
	case hasCode(err, uniqueViolation): // the same call, reserved at this very moment
		return s.Reserve(ctx, r)
	case err != nil:
		return "", unavailable("reserve", err)
	case admitted:
		return month, nil
	}
	now := usage.Spending{Month: month, Spent: spent, Held: held, EndsAt: endsAt}
	if budget != nil {
		now.Budget = *budget
	}
	return "", usage.QuotaExceeded(now, r, room != nil && *room)
}

const release = `
	with gone as (
		delete from billing.booking
		where call = $1 and cost is null and revision < 0
		returning tenant, month, reserved
	)
	update billing.month as m set held = m.held - gone.reserved
	from gone
	where m.tenant = gone.tenant and m.month = gone.month`

// Release implements commands.Budget.
func (s *Store) Release(ctx context.Context, call string) error {
	_, err := s.pool.Exec(ctx, release, call)
	return unavailable("release", err)
}
