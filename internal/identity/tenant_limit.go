package identity

import (
	"context"
	"maps"
	"slices"

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
func (s *Store) SetLimit(ctx context.Context, tenantID string, class account.Class, perMinute int) error {
	if err := checkClass("", class); err != nil {
		return domain.Errorf(domain.Invalid, domain.CodeValidation, "%s", err).At("class")
	}
	if err := checkLimit(perMinute); err != nil {
		return domain.Errorf(domain.Invalid, domain.CodeValidation, "%s", err).At("perMinute")
	}
	const set = `
		insert into identity.tenant_limits (tenant_id, class, per_minute)
		select id, $2, $3 from identity.tenants where id = $1
		on conflict (tenant_id, class) do update
		set per_minute = excluded.per_minute, set_at = now()`
	tag, err := s.pool.Exec(ctx, set, tenantID, class, perMinute)
	if err == nil && tag.RowsAffected() == 0 {
		return noTenant(tenantID)
	}
	return unavailable("set limit", err)
}

// ClearLimits returns a tenant to the limits of its tier: of one class, or of all for "".
func (s *Store) ClearLimits(ctx context.Context, tenantID string, class account.Class) error {
	if class != "" {
		if err := checkClass("", class); err != nil {
			return domain.Errorf(domain.Invalid, domain.CodeValidation, "%s", err).At("class")
		}
	}
	const clear = `delete from identity.tenant_limits where tenant_id = $1 and ($2 = '' or class = $2)`
	_, err := s.pool.Exec(ctx, clear, tenantID, string(class))
	return unavailable("clear limits", err)
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
