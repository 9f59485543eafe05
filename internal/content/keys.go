package content

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/stepledger/stepledger/domain"
)

// keyCacheFor bounds how long a process uses a data key that another process has
// dropped.
const keyCacheFor = time.Minute

// maxCachedKeys bounds the memory of the cache; it is emptied when full.
const maxCachedKeys = 10_000

// ErrMasterKey is returned if the database was created with another master key. It is
// a domain.ErrBadKey.
var ErrMasterKey = fmt.Errorf("the master key is not the one this database was begun with: %w", domain.ErrBadKey)

// Keys returns sealers. It is safe for concurrent use.
type Keys struct {
	db     *pgxpool.Pool
	master []byte

	mu      sync.Mutex
	tenants map[string][]byte
	sealers map[subject]cached
	now     func() time.Time
}

type subject struct{ tenant, id string }

type cached struct {
	sealer *sealer
	until  time.Time
}

func newKeys(db *pgxpool.Pool, master []byte) *Keys {
	return &Keys{
		db: db, master: master, now: time.Now,
		tenants: map[string][]byte{}, sealers: map[subject]cached{},
	}
}

// NewKey returns the subject's sealer, creating its data key if it never had one. If
// the key was dropped the sealer returns domain.ErrErased.
func (k *Keys) NewKey(ctx context.Context, tenant, id string) (domain.Sealer, error) {
	s, err := k.sealer(ctx, subject{tenant, id}, true)
	return asPort(s, err)
}

// Key returns the subject's sealer for reading. If there is no key the sealer returns
// domain.ErrErased.
func (k *Keys) Key(ctx context.Context, tenant, id string) (domain.Sealer, error) {
	s, err := k.sealer(ctx, subject{tenant, id}, false)
	return asPort(s, err)
}

func asPort(s *sealer, err error) (domain.Sealer, error) {
	switch {
	case errors.Is(err, domain.ErrErased):
		return erased{}, nil
	case err != nil:
		return nil, err
	}
	return s, nil
}

// Drop destroys the subject's data key, which erases everything sealed with it.
// Dropping a key twice, or one that never existed, is no error. No key can be created
// for the subject afterwards.
func (k *Keys) Drop(ctx context.Context, tenant, id string) error {
	_, err := k.db.Exec(ctx, `
		insert into content.data_keys (tenant, subject, wrapped, dropped_at)
		values ($1, $2, null, now())
		on conflict (tenant, subject) do update set
			wrapped = null, dropped_at = coalesce(data_keys.dropped_at, now())`, tenant, id)
	if err != nil {
		return unavailable("drop the data key", err)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.sealers, subject{tenant, id})
	return nil
}

func (k *Keys) sealer(ctx context.Context, sub subject, create bool) (*sealer, error) {
	if s := k.fromCache(sub); s != nil {
		return s, nil
	}
	tenantKey, err := k.tenantKey(ctx, sub.tenant)
	if err != nil {
		return nil, err
	}
	wrapped, err := k.dataKey(ctx, sub, tenantKey, create)
	if err != nil {
		return nil, err
	}
	dataKey, err := unwrap(tenantKey, wrapped, sub.context())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", sub.id, domain.ErrBadKey)
	}
	s, err := newSealer(dataKey)
	if err != nil {
		return nil, err
	}
	k.cache(sub, s)
	return s, nil
}

func (sub subject) context() []byte { return []byte(sub.tenant + "\x00" + sub.id) }

// dataKey reads the wrapped key. With create it creates one first unless there is
// one.
func (k *Keys) dataKey(ctx context.Context, sub subject, tenantKey []byte, create bool) (wrapped []byte, err error) {
	if create {
		fresh, err := wrap(tenantKey, randomBytes(keyBytes), sub.context())
		if err != nil {
			return nil, err
		}
		// The no-op update makes `returning` return an existing row.
		err = k.db.QueryRow(ctx, `
			insert into content.data_keys (tenant, subject, wrapped) values ($1, $2, $3)
			on conflict (tenant, subject) do update set tenant = excluded.tenant
			returning wrapped`, sub.tenant, sub.id, fresh).Scan(&wrapped)
		if err != nil {
			return nil, unavailable("make a data key", err)
		}
		return present(wrapped)
	}
	err = k.db.QueryRow(ctx, `select wrapped from content.data_keys where tenant = $1 and subject = $2`,
		sub.tenant, sub.id).Scan(&wrapped)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, domain.ErrErased
	}
	if err != nil {
		return nil, unavailable("read a data key", err)
	}
	return present(wrapped)
}

func present(wrapped []byte) ([]byte, error) {
	if wrapped == nil {
		return nil, domain.ErrErased
	}
	return wrapped, nil
}

// checkMaster seals a known text with a new database's master key, and opens it with
// that of an existing one.
func (k *Keys) checkMaster(ctx context.Context) error {
	context := []byte("stepledger master key")
	fresh, err := wrap(k.master, context, context)
	if err != nil {
		return err
	}
	var sealed []byte
	err = k.db.QueryRow(ctx, `
		insert into content.master_check (sealed) values ($1)
		on conflict (singleton) do update set singleton = true
		returning sealed`, fresh).Scan(&sealed)
	if err != nil {
		return unavailable("check the master key", err)
	}
	if _, err := unwrap(k.master, sealed, context); err != nil {
		return ErrMasterKey
	}
	return nil
}

func (k *Keys) tenantKey(ctx context.Context, tenant string) ([]byte, error) {
	k.mu.Lock()
	key := k.tenants[tenant]
	k.mu.Unlock()
	if key != nil {
		return key, nil
	}
	fresh, err := wrap(k.master, randomBytes(keyBytes), []byte(tenant))
	if err != nil {
		return nil, err
	}
	var wrapped []byte
	err = k.db.QueryRow(ctx, `
		insert into content.tenant_keys (tenant, wrapped) values ($1, $2)
		on conflict (tenant) do update set tenant = excluded.tenant
		returning wrapped`, tenant, fresh).Scan(&wrapped)
	if err != nil {
		return nil, unavailable("read the tenant's key", err)
	}
	if key, err = unwrap(k.master, wrapped, []byte(tenant)); err != nil {
		return nil, ErrMasterKey
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.tenants[tenant] = key
	return key, nil
}

func (k *Keys) fromCache(sub subject) *sealer {
	k.mu.Lock()
	defer k.mu.Unlock()
	c, ok := k.sealers[sub]
	if !ok || k.now().After(c.until) {
		return nil
	}
	return c.sealer
}

func (k *Keys) cache(sub subject, s *sealer) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.sealers) >= maxCachedKeys {
		clear(k.sealers)
	}
	k.sealers[sub] = cached{s, k.now().Add(keyCacheFor)}
}
