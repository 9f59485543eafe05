package identity

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/account"
)

// NewTenant is the data of a new tenant.
type NewTenant struct {
	Name, Tier string
	// Kind is an organization unless it says otherwise.
	Kind account.Kind
}

// CreateTenant creates a tenant and returns its id. It returns Invalid for an empty
// name, an unknown tier or kind.
func (s *Store) CreateTenant(ctx context.Context, by account.Actor, t NewTenant) (id string, err error) {
	if strings.TrimSpace(t.Name) == "" {
		return "", domain.Errorf(domain.Invalid, domain.CodeValidation, "a tenant needs a name").At("name")
	}
	t.Kind = cmp.Or(t.Kind, account.Organization)
	if t.Kind != account.Organization && t.Kind != account.Personal {
		return "", domain.Errorf(domain.Invalid, domain.CodeValidation, "kind %q is neither %s nor %s", t.Kind, account.Organization, account.Personal).At("kind")
	}
	if err := s.checkTier(t.Tier); err != nil {
		return "", err
	}
	const insert = `
		insert into identity.tenants (id, name, tier, kind)
		values ($1, $2, $3, $4)`
	id = domain.NewUUID()
	err = s.change(ctx, "create tenant", func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, insert, id, t.Name, t.Tier, t.Kind); err != nil {
			return err
		}
		return audit(ctx, tx, by, entry{tenant: id, action: account.TenantCreated, became: t.Tier})
	})
	return id, err
}

const tenantColumns = `id::text, name, tier, kind, allowed_domains, created_at`

// Tenant returns a tenant by its id.
func (s *Store) Tenant(ctx context.Context, id string) (account.Tenant, error) {
	rows, err := s.pool.Query(ctx, `select `+tenantColumns+` from identity.tenants where id = $1`, id)
	if err != nil {
		return account.Tenant{}, unavailable("find tenant", err)
	}
	t, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[account.Tenant])
	if noRows(err) {
		return t, noTenant(id)
	}
	return t, unavailable("find tenant", err)
}

// Tenants returns all tenants, the oldest first.
func (s *Store) Tenants(ctx context.Context) ([]account.Tenant, error) {
	rows, err := s.pool.Query(ctx, `select `+tenantColumns+` from identity.tenants order by created_at, id`)
	if err != nil {
		return nil, unavailable("list tenants", err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[account.Tenant])
	return all, unavailable("list tenants", err)
}

func noTenant(id string) error {
	return domain.Errorf(domain.NotFound, domain.CodeNotFound, "there is no tenant %s", id).At("tenantId")
}

// FindTenant returns the id of a tenant by its id or name. Names need not be unique;
// if several tenants have it, the error lists their ids.
func (s *Store) FindTenant(ctx context.Context, idOrName string) (string, error) {
	const find = `select id::text from identity.tenants where id::text = $1 or name = $1 order by id::text <> $1, created_at limit 20`
	rows, err := s.pool.Query(ctx, find, idOrName)
	if err != nil {
		return "", unavailable("find tenant", err)
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	switch {
	case err != nil:
		return "", unavailable("find tenant", err)
	case len(ids) == 0:
		return "", domain.Errorf(domain.NotFound, domain.CodeNotFound, "there is no tenant %s", idOrName)
	case len(ids) > 1 && ids[0] != idOrName:
		return "", domain.Errorf(domain.Conflict, domain.CodeConflict, "%d tenants are called %s: %s", len(ids), idOrName, strings.Join(ids, ", "))
	}
	return ids[0], nil
}

// SetTier changes a tenant's tier. It applies from the next request.
func (s *Store) SetTier(ctx context.Context, by account.Actor, tenant, tier string) error {
	if err := s.checkTier(tier); err != nil {
		return err
	}
	return s.change(ctx, "set tier", func(tx pgx.Tx) error {
		if _, err := lockTenant(ctx, tx, tenant); err != nil {
			return err
		}
		var was string
		if err := tx.QueryRow(ctx, `select tier from identity.tenants where id = $1`, tenant).Scan(&was); err != nil || was == tier {
			return err
		}
		if _, err := tx.Exec(ctx, `update identity.tenants set tier = $2 where id = $1`, tenant, tier); err != nil {
			return err
		}
		return audit(ctx, tx, by, entry{tenant: tenant, action: account.TierChanged, was: was, became: tier})
	})
}

// maxDomains bounds a tenant's list of host patterns.
const maxDomains = 1000

// SetAllowedDomains replaces the host patterns of the sites a tenant's own knowledge is
// about: a host, or *. and a domain for all hosts below it. It is a filter of what is
// known, and refuses nobody anything.
func (s *Store) SetAllowedDomains(ctx context.Context, by account.Actor, tenant string, patterns []string) error {
	if len(patterns) > maxDomains {
		return domain.Errorf(domain.Invalid, domain.CodeValidation, "more than %d patterns", maxDomains).At("allowedDomains")
	}
	normal := []string{}
	for i, p := range patterns {
		n, ok := account.DomainPattern(p)
		if !ok {
			return domain.Errorf(domain.Invalid, domain.CodeValidation, "%q is neither a host nor *. and a domain", p).At("allowedDomains[" + strconv.Itoa(i) + "]")
		}
		normal = append(normal, n)
	}
	slices.Sort(normal)
	normal = slices.Compact(normal)
	return s.change(ctx, "set domains", func(tx pgx.Tx) error {
		if _, err := lockTenant(ctx, tx, tenant); err != nil {
			return err
		}
		const update = `
			update identity.tenants new
			set allowed_domains = $2
			from identity.tenants old
			where new.id = $1 and old.id = new.id and old.allowed_domains <> $2
			returning array_to_string(old.allowed_domains, ' ')`
		var was string
		err := tx.QueryRow(ctx, update, tenant, normal).Scan(&was)
		if noRows(err) { // it is so already
			return nil
		}
		if err != nil {
			return err
		}
		return audit(ctx, tx, by, entry{tenant: tenant, action: account.DomainsChanged, was: was, became: strings.Join(normal, " ")})
	})
}

// AllowedDomains returns the patterns SetAllowedDomains has set.
func (s *Store) AllowedDomains(ctx context.Context, tenant string) ([]string, error) {
	t, err := s.Tenant(ctx, tenant)
	return t.AllowedDomains, err
}

func (s *Store) checkTier(tier string) error {
	known := s.tiers.assignable()
	if slices.Contains(known, tier) {
		return nil
	}
	return domain.Errorf(domain.Invalid, domain.CodeValidation,
		"tier %q is none of %s", tier, strings.Join(known, ", ")).At("tier")
}
