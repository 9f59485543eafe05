package billing

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/domain/usage"
)

// Budget is what a tenant may spend in every month from one on.
type Budget struct {
	Tenant string
	// From is a month like 2026-11; "" is the present one.
	From string
	// Amount is nil for no limit.
	Amount *usage.Pico
	// WarnAt are percentages at which a warning is given; nil is DefaultWarnAt.
	WarnAt []int32
}

// DefaultWarnAt are the thresholds of a budget without its own.
var DefaultWarnAt = []int32{50, 80, 100}

const setBudget = `
	insert into billing.budget (tenant, from_month, amount, warn_at)
	select @tenant, coalesce(to_date(nullif(@from, ''), 'YYYY-MM'), date_trunc('month', @now::timestamptz at time zone zone)::date),
		@amount::text::numeric, @warnAt
	from (select coalesce((select time_zone from billing.tenant where tenant = @tenant), 'UTC') as zone) as tenant`

// SetBudget adds a budget. It applies from the next call; earlier budgets stay on
// record.
func (s *Store) SetBudget(ctx context.Context, b Budget, now time.Time) error {
	if b.From != "" {
		if _, err := time.Parse("2006-01", b.From); err != nil {
			return invalid("from", "%q is no month like 2026-11", b.From)
		}
	}
	if b.Amount != nil && *b.Amount < 0 {
		return invalid("amount", "a budget is not negative")
	}
	if b.WarnAt == nil {
		b.WarnAt = DefaultWarnAt
	}
	if slices.ContainsFunc(b.WarnAt, func(p int32) bool { return p < 1 || p > 1000 }) {
		return invalid("warnAt", "a threshold is a percentage from 1 to 1000")
	}
	_, err := s.pool.Exec(ctx, setBudget, pgx.NamedArgs{
		"tenant": b.Tenant, "from": b.From, "amount": decimal(b.Amount), "warnAt": b.WarnAt, "now": now,
	})
	return unavailable("set budget", err)
}

// SetZone sets the time zone of a tenant's months by its IANA name. Earlier calls
// stay in the month they were counted in.
func (s *Store) SetZone(ctx context.Context, tenant, zone string) error {
	if err := checkZone(zone); err != nil {
		return err
	}
	var known bool
	const find = `select exists (select from pg_timezone_names where name = $1)`
	if err := s.pool.QueryRow(ctx, find, zone).Scan(&known); err != nil {
		return unavailable("set time zone", err)
	}
	if !known {
		return invalid("timeZone", "the database does not know the time zone %q", zone)
	}
	const set = `
		insert into billing.tenant (tenant, time_zone)
		values ($1, $2)
		on conflict (tenant) do update set time_zone = excluded.time_zone`
	_, err := s.pool.Exec(ctx, set, tenant, zone)
	return unavailable("set time zone", err)
}

func checkZone(zone string) error {
	if _, err := time.LoadLocation(zone); err != nil || zone == "" || zone == "Local" {
		return invalid("timeZone", "there is no time zone %q", zone)
	}
	return nil
}

// Zone returns the time zone of a tenant's months, UTC if none is set.
func (s *Store) Zone(ctx context.Context, tenant string) (zone string, err error) {
	const find = `select coalesce((select time_zone from billing.tenant where tenant = $1), 'UTC')`
	err = s.pool.QueryRow(ctx, find, tenant).Scan(&zone)
	return zone, unavailable("find time zone", err)
}

const standings = `
	select t.tenant, zone, to_char(first, 'YYYY-MM') as month, trim_scale(b.amount)::text as budget,
		coalesce(trim_scale(m.spent)::text, '0') as spent, coalesce(trim_scale(m.held)::text, '0') as held,
		b.warn_at,
		array(select percent from billing.warning as w
			where w.tenant = t.tenant and w.month = first and w.budget = b.amount order by percent) as warned
	from (
		select tenant, zone, date_trunc('month', @now::timestamptz at time zone zone)::date as first
		from (
			select tenant, coalesce((select time_zone from billing.tenant as z where z.tenant = k.tenant), 'UTC') as zone
			from (
				select @tenant as tenant where @tenant <> ''
				union
				select tenant from billing.budget where @tenant = ''
			) as k
		) as zoned
	) as t
	left join lateral (
		select amount, warn_at from billing.budget
		where tenant = t.tenant and from_month <= first
		order by from_month desc, id desc
		limit 1
	) as b on true
	left join billing.month as m on m.tenant = t.tenant and m.month = first
	order by t.tenant`

// Standing returns the state of a tenant's month at a time, or of all tenants with a
// budget if tenant is "".
func (s *Store) Standing(ctx context.Context, tenant string, now time.Time) ([]usage.Standing, error) {
	rows, err := s.pool.Query(ctx, standings, pgx.NamedArgs{"tenant": tenant, "now": now})
	if err != nil {
		return nil, unavailable("read budgets", err)
	}
	out, err := pgx.CollectRows(rows, pgx.RowToStructByName[usage.Standing])
	return out, unavailable("read budgets", err)
}
