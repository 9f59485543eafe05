package identity

import (
	"context"
	"maps"
	"slices"
	"strconv"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/account"
)

// Limit is what a tenant may ask of a class in a Window.
type Limit struct {
	Class     account.Class
	PerMinute int
	// Own: it is the tenant's own, not its tier's.
	Own bool
}

// SetLimit gives a tenant a limit of its own for a class, in place of its tier's. It holds
// from the next request, on all replicas.
func (s *Store) SetLimit(ctx context.Context, by account.Actor, tenantID string, class account.Class, perMinute int) error {
	if err := checkClass("", class); err != nil {
		return domain.Errorf(domain.Invalid, domain.CodeValidation, "%s", err).At("class")
	}
	if err := checkLimit(perMinute); err != nil {
		return domain.Errorf(domain.Invalid, domain.CodeValidation, "%s", err).At("perMinute")
	}
	const set = `
		insert into identity.tenant_limits (tenant_id, class, per_minute)
		values ($1, $2, $3)
		on conflict (tenant_id, class) do update
		set per_minute = excluded.per_minute, set_at = now()`
	return s.changeLimits(ctx, "set limit", tenantID, class, func(tx pgx.Tx, was []limited) error {
		e := entry{tenant: tenantID, action: account.LimitChanged, became: limited{class, perMinute}.String()}
		if len(was) > 0 {
			e.was = was[0].String()
		}
		if e.was == e.became {
			return nil
		}
		if _, err := tx.Exec(ctx, set, tenantID, class, perMinute); err != nil {
			return err
		}
		return audit(ctx, tx, by, e)
	})
}

// ClearLimits returns a tenant to the limits of its tier: of one class, or of all for "".
func (s *Store) ClearLimits(ctx context.Context, by account.Actor, tenantID string, class account.Class) error {
	if class != "" {
		if err := checkClass("", class); err != nil {
			return domain.Errorf(domain.Invalid, domain.CodeValidation, "%s", err).At("class")
		}
	}
	const clear = `delete from identity.tenant_limits where tenant_id = $1 and ($2 = '' or class = $2)`
	return s.changeLimits(ctx, "clear limits", tenantID, class, func(tx pgx.Tx, was []limited) error {
		if _, err := tx.Exec(ctx, clear, tenantID, string(class)); err != nil {
			return err
		}
		for _, l := range was {
			if err := audit(ctx, tx, by, entry{tenant: tenantID, action: account.LimitChanged, was: l.String()}); err != nil {
				return err
			}
		}
		return nil
	})
}

// limited is a limit of a tenant's own.
type limited struct {
	Class     account.Class
	PerMinute int
}

func (l limited) String() string { return string(l.Class) + " " + strconv.Itoa(l.PerMinute) }

// changeLimits changes a tenant's own limits, told what they were: of one class, or of all
// for "".
func (s *Store) changeLimits(ctx context.Context, op, tenantID string, class account.Class, do func(tx pgx.Tx, was []limited) error) error {
	return s.change(ctx, op, func(tx pgx.Tx) error {
		if _, err := lockTenant(ctx, tx, tenantID); err != nil {
			return err
		}
		rows, err := tx.Query(ctx, `
			select class, per_minute from identity.tenant_limits
			where tenant_id = $1 and ($2 = '' or class = $2)
			order by class`, tenantID, string(class))
		if err != nil {
			return err
		}
		was, err := pgx.CollectRows(rows, pgx.RowToStructByPos[limited])
		if err != nil {
			return err
		}
		return do(tx, was)
	})
}

// Limits returns a tenant's tier and its limits of every class.
func (s *Store) Limits(ctx context.Context, tenantID string) (tier string, all []Limit, err error) {
	const find = `
		select t.tier, (select jsonb_object_agg(l.class, l.per_minute) from identity.tenant_limits l where l.tenant_id = t.id)
		from identity.tenants t
		where t.id = $1`
	p := account.Principal{TenantID: tenantID}
	err = s.pool.QueryRow(ctx, find, tenantID).Scan(&p.Tier, &p.Limits)
	if noRows(err) {
		return "", nil, noTenant(tenantID)
	}
	if err != nil {
		return "", nil, unavailable("limits", err)
	}
	for _, class := range TenantClasses {
		all = append(all, Limit{class, s.limit(p, class), p.Limits[class] > 0})
	}
	// A class this program does not know is of a newer one, and is shown all the same.
	for _, class := range slices.Sorted(maps.Keys(p.Limits)) {
		if !slices.Contains(TenantClasses, class) {
			all = append(all, Limit{class, p.Limits[class], true})
		}
	}
	return p.Tier, all, nil
}
