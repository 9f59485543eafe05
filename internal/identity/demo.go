package identity

import (
	"context"
	"crypto/rand"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/account"
)

// The demo account of a first run.
const (
	DemoTenant = "Demo"
	DemoEmail  = "demo@stepledger.local"
)

// Demo is the demo account. Password is set only by the call that created the
// account, since only its hash is stored.
type Demo struct {
	TenantID, UserID, Email string
	Password                account.Secret
}

// EnsureDemo creates the demo tenant and user with a random password if they do not
// exist. Of several processes one creates them. A forgotten password is replaced with
// SetPassword.
func (s *Store) EnsureDemo(ctx context.Context) (Demo, error) {
	d := Demo{TenantID: domain.DeriveUUID("tenant", "demo"), UserID: domain.DeriveUUID("user", "demo"), Email: DemoEmail}
	const found = `select exists (select from identity.users where id = $1)`
	var exists bool
	if err := s.pool.QueryRow(ctx, found, d.UserID).Scan(&exists); err != nil || exists {
		return d, unavailable("find demo user", err)
	}
	password := account.Secret(rand.Text())
	hash, err := s.hasher.hash(ctx, password)
	if err != nil {
		return Demo{}, err
	}
	const insert = `
		with tenant as (
			insert into identity.tenants (id, name, tier)
			values ($1, $2, $3)
			on conflict (id) do nothing
		)
		insert into identity.users (id, tenant_id, email, name, role, password_hash)
		values ($4, $1, $5, 'Demo', 'admin', $6)
		on conflict (id) do nothing`
	tag, err := s.pool.Exec(ctx, insert, d.TenantID, DemoTenant, TierDemo, d.UserID, d.Email, hash)
	if err != nil {
		return Demo{}, unavailable("create demo user", err)
	}
	if tag.RowsAffected() == 1 {
		d.Password = password
	}
	return d, nil
}
