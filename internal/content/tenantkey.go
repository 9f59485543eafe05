package content

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/domain"
)

// tenantKey is an opened key of a tenant.
type tenantKey struct {
	number int
	key    []byte
	until  time.Time
}

// errFormerKey: a tenant's key is not there any more. What was wrapped under it is
// wrapped under another by now.
var errFormerKey = errors.New("the tenant's key was exchanged")

// currentKey returns the tenant's key that new data keys are wrapped under, making it if
// there never was one. It returns domain.ErrErased if it was dropped.
func (k *Keys) currentKey(ctx context.Context, tenant string) (tenantKey, error) {
	k.mu.Lock()
	known, ok := k.tenants[tenant]
	k.mu.Unlock()
	if ok && k.now().Before(known.until) {
		return known, nil
	}
	w, err := k.storedKey(ctx, tenant)
	if errors.Is(err, pgx.ErrNoRows) {
		w, err = k.makeKey(ctx, tenant)
	}
	switch {
	case err != nil:
		return tenantKey{}, unavailable("read the tenant's key", err)
	case w.wrapped == nil:
		return tenantKey{}, domain.ErrErased
	}
	return k.opened(tenant, w)
}

func (k *Keys) storedKey(ctx context.Context, tenant string) (w wrappedKey, err error) {
	err = k.db.QueryRow(ctx, `select number, wrapped, master from content.tenant_keys where tenant = $1`, tenant).
		Scan(&w.number, &w.wrapped, &w.master)
	return w, err
}

// makeKey makes a tenant's first key. Of several processes one makes it and all get it.
func (k *Keys) makeKey(ctx context.Context, tenant string) (w wrappedKey, err error) {
	err = pgx.BeginFunc(ctx, k.db, func(tx pgx.Tx) error {
		id, master, err := k.wrapsUnder(ctx, tx) // held until the end: nobody exchanges it meanwhile
		if err != nil {
			return err
		}
		fresh, err := wrap(master, randomBytes(keyBytes), []byte(tenant))
		if err != nil {
			return err
		}
		// The no-op update makes `returning` return an existing row.
		return tx.QueryRow(ctx, `
			insert into content.tenant_keys (tenant, wrapped, master) values ($1, $2, $3)
			on conflict (tenant) do update set tenant = excluded.tenant
			returning number, wrapped, master`, tenant, fresh, id).Scan(&w.number, &w.wrapped, &w.master)
	})
	return w, err
}

// opened opens the tenant's current key and remembers it.
func (k *Keys) opened(tenant string, w wrappedKey) (tenantKey, error) {
	key, err := k.masters.open(w, []byte(tenant))
	if err != nil {
		return tenantKey{}, err
	}
	t := tenantKey{w.number, key, k.now().Add(keyCacheFor)}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.tenants[tenant] = t
	return t, nil
}

// numberedKey returns one of the tenant's keys. It returns errFormerKey for one that is
// not there any more.
func (k *Keys) numberedKey(ctx context.Context, tenant string, number int) ([]byte, error) {
	k.mu.Lock()
	known, ok := k.tenants[tenant]
	k.mu.Unlock()
	if ok && known.number == number && k.now().Before(known.until) {
		return known.key, nil
	}
	w := wrappedKey{number: number}
	err := k.db.QueryRow(ctx, `
		select wrapped, master from content.tenant_keys where tenant = $1 and number = $2 and wrapped is not null
		union all select wrapped, master from content.former_tenant_keys where tenant = $1 and number = $2`,
		tenant, number).Scan(&w.wrapped, &w.master)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, errFormerKey
	}
	if err != nil {
		return nil, unavailable("read the tenant's key", err)
	}
	key, err := k.masters.open(w, []byte(tenant))
	if err != nil {
		return nil, fmt.Errorf("key %d of the tenant: %w", number, err)
	}
	return key, nil
}

// forgetTenant drops the tenant's key from memory, as it was exchanged or dropped.
func (k *Keys) forgetTenant(tenant string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.tenants, tenant)
}
