package identity

import (
	"context"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/domain"
)

// CreateTenant creates a tenant and returns its id. It returns Invalid for an empty
// name or an unknown tier.
func (s *Store) CreateTenant(ctx context.Context, name, tier string) (id string, err error) {
	if strings.TrimSpace(name) == "" {
		return "", domain.Errorf(domain.Invalid, domain.CodeValidation, "a tenant needs a name").At("name")
	}
	if err := s.checkTier(tier); err != nil {
		return "", err
	}
	const insert = `
		insert into identity.tenants (id, name, tier)
		values ($1, $2, $3)`
	id = domain.NewUUID()
	_, err = s.pool.Exec(ctx, insert, id, name, tier)
	return id, unavailable("create tenant", err)
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
func (s *Store) SetTier(ctx context.Context, tenantID, tier string) error {
	if err := s.checkTier(tier); err != nil {
		return err
	}
	tag, err := s.pool.Exec(ctx, `update identity.tenants set tier = $2 where id = $1`, tenantID, tier)
	if err == nil && tag.RowsAffected() == 0 {
		return domain.Errorf(domain.NotFound, domain.CodeNotFound, "there is no tenant %s", tenantID)
	}
	return unavailable("set tier", err)
}

func (s *Store) checkTier(tier string) error {
	if _, ok := s.tiers[tier]; ok {
		return nil
	}
	var known []string
	for name := range s.tiers {
		known = append(known, name)
	}
	slices.Sort(known)
	return domain.Errorf(domain.Invalid, domain.CodeValidation,
		"tier %q is none of %s", tier, strings.Join(known, ", ")).At("tier")
}
