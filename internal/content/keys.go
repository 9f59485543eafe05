package content

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/internal/pgpool"
)

// keyCacheFor bounds how long a process uses a key that another process has dropped.
const keyCacheFor = 3 * time.Second

// maxCachedKeys bounds the memory of the cache; it is emptied when full.
const maxCachedKeys = 10_000

// Keys returns sealers. It is safe for concurrent use.
type Keys struct {
	db      *pgpool.Pool
	masters masters

	mu      sync.Mutex
	tenants map[string]tenantKey
	sealers map[subject]cached
	now     func() time.Time
}

type subject struct{ tenant, id string }

// cached is a sealer with the data key as it is stored: while that is the same, so is the
// sealer.
type cached struct {
	sealer  *sealer
	wrapped []byte
	until   time.Time
}

func newKeys(db *pgpool.Pool, m masters) *Keys {
	return &Keys{
		db: db, masters: m, now: time.Now,
		tenants: map[string]tenantKey{}, sealers: map[subject]cached{},
	}
}

// NewKey returns the subject's sealer, creating its data key if it never had one. If
// the key was dropped, or the tenant's was, the sealer returns domain.ErrErased.
func (k *Keys) NewKey(ctx context.Context, tenant, id string) (domain.Sealer, error) {
	s, err := k.sealer(ctx, subject{tenant, id}, true)
	return asPort(s, err)
}

// Key returns the subject's sealer for reading. If there is no key the sealer returns
// domain.ErrErased. If the tenant's key is wrapped under a master key that only other
// processes have, the error is Unavailable.
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

// Forget drops a subject's sealer from memory: another process has dropped its key.
func (k *Keys) Forget(tenant, id string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.sealers, subject{tenant, id})
}

func (k *Keys) forgetAll() {
	k.mu.Lock()
	defer k.mu.Unlock()
	clear(k.sealers)
	clear(k.tenants)
}

// maxExchanges bounds how often a key is looked for anew because it was exchanged between
// two statements. Exchanges are days apart.
const maxExchanges = 4

func (k *Keys) sealer(ctx context.Context, sub subject, create bool) (*sealer, error) {
	if s := k.fromCache(sub); s != nil {
		return s, nil
	}
	for try := 1; ; try++ {
		s, err := k.readSealer(ctx, sub, create)
		if !errors.Is(err, errFormerKey) || try == maxExchanges {
			return s, err
		}
		k.forgetTenant(sub.tenant)
	}
}

func (k *Keys) readSealer(ctx context.Context, sub subject, create bool) (*sealer, error) {
	d, err := k.dataKey(ctx, sub, create)
	if err != nil {
		return nil, err
	}
	if s := k.again(sub, d.wrapped); s != nil {
		return s, nil
	}
	outer, err := k.numberedKey(ctx, sub.tenant, d.tenantKey)
	if err != nil {
		return nil, err
	}
	dataKey, err := unwrap(outer, d.wrapped, sub.context())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", sub.id, domain.ErrBadKey)
	}
	s, err := newSealer(dataKey)
	if err != nil {
		return nil, err
	}
	k.cache(sub, s, d.wrapped)
	return s, nil
}

func (sub subject) context() []byte { return []byte(sub.tenant + "\x00" + sub.id) }

// wrappedData is a data key as it is stored, and the number of the tenant's key it is
// wrapped under.
type wrappedData struct {
	wrapped   []byte
	tenantKey int
}

// dataKey reads the wrapped key. With create it makes one first unless there is one.
func (k *Keys) dataKey(ctx context.Context, sub subject, create bool) (wrappedData, error) {
	var d wrappedData
	err := k.db.QueryRow(ctx, `select wrapped, tenant_key from content.data_keys where tenant = $1 and subject = $2`,
		sub.tenant, sub.id).Scan(&d.wrapped, &d.tenantKey)
	switch {
	case errors.Is(err, pgx.ErrNoRows) && create:
		return k.makeDataKey(ctx, sub)
	case errors.Is(err, pgx.ErrNoRows):
		return d, domain.ErrErased
	case err != nil:
		return d, unavailable("read a data key", err)
	}
	return present(d)
}

// insertDataKey stores a data key that is wrapped under a key of the tenant's, while that
// one is held: no exchange of it misses the new one.
const insertDataKey = `
	with held as (
		select number from content.tenant_keys where tenant = $1 and number = $4 and wrapped is not null for share
	)
	insert into content.data_keys (tenant, subject, wrapped, tenant_key)
	select $1, $2, $3, number from held`

// makeDataKey makes a data key under the tenant's current key. The row of that key is
// held until the data key is there, so that no exchange of it misses the new one: it
// returns errFormerKey if it came too late.
func (k *Keys) makeDataKey(ctx context.Context, sub subject) (d wrappedData, err error) {
	outer, err := k.currentKey(ctx, sub.tenant)
	if err != nil {
		return d, err
	}
	fresh, err := wrap(outer.key, randomBytes(keyBytes), sub.context())
	if err != nil {
		return d, err
	}
	// The no-op update makes `returning` return an existing row.
	err = k.db.QueryRow(ctx, insertDataKey+`
		on conflict (tenant, subject) do update set tenant = excluded.tenant
		returning wrapped, tenant_key`, sub.tenant, sub.id, fresh, outer.number).Scan(&d.wrapped, &d.tenantKey)
	if errors.Is(err, pgx.ErrNoRows) {
		return d, errFormerKey
	}
	if err != nil {
		return d, unavailable("make a data key", err)
	}
	return present(d)
}

func present(d wrappedData) (wrappedData, error) {
	if d.wrapped == nil {
		return d, domain.ErrErased
	}
	return d, nil
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

// again returns the sealer that was made of the same stored key before.
func (k *Keys) again(sub subject, wrapped []byte) *sealer {
	k.mu.Lock()
	defer k.mu.Unlock()
	c, ok := k.sealers[sub]
	if !ok || !bytes.Equal(c.wrapped, wrapped) {
		return nil
	}
	c.until = k.now().Add(keyCacheFor)
	k.sealers[sub] = c
	return c.sealer
}

func (k *Keys) cache(sub subject, s *sealer, wrapped []byte) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.sealers) >= maxCachedKeys {
		clear(k.sealers)
	}
	k.sealers[sub] = cached{s, wrapped, k.now().Add(keyCacheFor)}
}
