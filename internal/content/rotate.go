package content

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/domain"
)

// rotateBatch bounds the keys that are wrapped anew in one transaction, and so how long a
// reader of one of them may wait.
const rotateBatch = 200

// RotateMaster wraps all tenants' keys under the process's own master key, in batches,
// and returns how many it wrapped anew. Processes that have both keys work on meanwhile,
// whichever of the two is their own. It may be repeated, and goes on where it was
// interrupted.
//
// A process that has only the former key cannot open what is wrapped anew: its calls are
// Unavailable until it is started with both. So all get both first; when this has
// returned, the former one may be taken away.
func (k *Keys) RotateMaster(ctx context.Context) (wrapped int64, err error) {
	if err := k.useOwnMaster(ctx); err != nil {
		return 0, fmt.Errorf("rotate the master key: %w", err)
	}
	for _, table := range []string{"content.tenant_keys", "content.former_tenant_keys"} {
		for {
			n, err := k.rewrapTenants(ctx, table)
			if wrapped += n; err != nil {
				return wrapped, fmt.Errorf("rotate the master key: %w", err)
			}
			if n == 0 {
				break
			}
		}
	}
	return wrapped, nil
}

// useOwnMaster makes the process's own master key the one that new keys are wrapped under.
func (k *Keys) useOwnMaster(ctx context.Context) error {
	sealed, err := wrap(k.masters.keys[k.masters.own], masterContext(), masterContext())
	if err != nil {
		return err
	}
	_, err = k.db.Exec(ctx, `update content.master_check set sealed = $1, master = $2 where master <> $2`, sealed, k.masters.own)
	if err != nil {
		return unavailable("exchange the master key", err)
	}
	return nil
}

// rewrapTenants wraps some tenants' keys anew. The rows are held, so that no other
// exchange of them gets in between.
func (k *Keys) rewrapTenants(ctx context.Context, table string) (n int64, err error) {
	err = pgx.BeginFunc(ctx, k.db, func(tx pgx.Tx) error {
		if err := stillCurrent(ctx, tx, `select from content.master_check where master = $1 for share`, k.masters.own); err != nil {
			return err
		}
		rows, err := tx.Query(ctx, `
			select tenant, number, wrapped, master from `+table+`
			where master <> $1 and wrapped is not null
			order by tenant, number
			limit $2
			for update`, k.masters.own, rotateBatch)
		if err != nil {
			return unavailable("read tenants' keys", err)
		}
		type row struct {
			Tenant  string
			Number  int
			Wrapped []byte
			Master  string
		}
		found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[row])
		if err != nil {
			return unavailable("read tenants' keys", err)
		}
		for _, r := range found {
			key, err := k.masters.open(wrappedKey{r.Number, r.Wrapped, r.Master}, []byte(r.Tenant))
			if err != nil {
				return fmt.Errorf("tenant %s: %w", r.Tenant, err)
			}
			anew, err := wrap(k.masters.keys[k.masters.own], key, []byte(r.Tenant))
			if err != nil {
				return err
			}
			_, err = tx.Exec(ctx, `update `+table+` set wrapped = $3, master = $4 where tenant = $1 and number = $2`,
				r.Tenant, r.Number, anew, k.masters.own)
			if err != nil {
				return unavailable("wrap a tenant's key anew", err)
			}
			n++
		}
		return nil
	})
	return n, err
}

// RotateTenant gives a tenant a new key and wraps its data keys under it, in batches; it
// returns how many it wrapped anew. Whoever reads or writes meanwhile is served: the
// former key stays until no data key is wrapped under it, and none can be any more. It
// returns NotFound for a tenant that has no key. If it is interrupted, the next call
// brings it to an end.
func (k *Keys) RotateTenant(ctx context.Context, tenant string) (wrapped int64, err error) {
	key, err := k.exchange(ctx, tenant)
	if err != nil {
		return 0, fmt.Errorf("rotate the tenant's key: %w", err)
	}
	for {
		n, err := k.rewrapData(ctx, tenant, key)
		if wrapped += n; err != nil {
			return wrapped, fmt.Errorf("rotate the tenant's key: %w", err)
		}
		if n == 0 {
			break
		}
	}
	_, err = k.db.Exec(ctx, `
		delete from content.former_tenant_keys f
		where tenant = $1 and not exists (
			select from content.data_keys d
			where d.tenant = f.tenant and d.tenant_key = f.number and d.wrapped is not null)`, tenant)
	if err != nil {
		return wrapped, unavailable("drop a former key", err)
	}
	return wrapped, nil
}

// exchange makes a new key the tenant's current one and keeps the former.
func (k *Keys) exchange(ctx context.Context, tenant string) (key tenantKey, err error) {
	key = tenantKey{key: randomBytes(keyBytes)}
	err = pgx.BeginFunc(ctx, k.db, func(tx pgx.Tx) error {
		id, master, err := k.wrapsUnder(ctx, tx)
		if err != nil {
			return err
		}
		fresh, err := wrap(master, key.key, []byte(tenant))
		if err != nil {
			return err
		}
		// Whoever makes a data key holds the row: this waits for them.
		var former []byte
		err = tx.QueryRow(ctx, `select wrapped from content.tenant_keys where tenant = $1 for update`, tenant).Scan(&former)
		if errors.Is(err, pgx.ErrNoRows) || err == nil && former == nil {
			return domain.Errorf(domain.NotFound, domain.CodeNotFound, "the tenant %s has no key", tenant)
		}
		if err != nil {
			return unavailable("read the tenant's key", err)
		}
		_, err = tx.Exec(ctx, `
			insert into content.former_tenant_keys (tenant, number, wrapped, master)
			select tenant, number, wrapped, master from content.tenant_keys where tenant = $1`, tenant)
		if err != nil {
			return unavailable("keep the former key", err)
		}
		err = tx.QueryRow(ctx, `
			update content.tenant_keys set number = number + 1, wrapped = $2, master = $3
			where tenant = $1 returning number`, tenant, fresh, id).Scan(&key.number)
		if err != nil {
			return unavailable("exchange the tenant's key", err)
		}
		return nil
	})
	k.forgetTenant(tenant)
	return key, err
}

// rewrapData wraps some data keys of a tenant under its new key.
func (k *Keys) rewrapData(ctx context.Context, tenant string, to tenantKey) (n int64, err error) {
	err = pgx.BeginFunc(ctx, k.db, func(tx pgx.Tx) error {
		const current = `select from content.tenant_keys where tenant = $1 and number = $2 and wrapped is not null for share`
		if err := stillCurrent(ctx, tx, current, tenant, to.number); err != nil {
			return err
		}
		rows, err := tx.Query(ctx, `
			select subject, wrapped, tenant_key from content.data_keys
			where tenant = $1 and tenant_key < $2 and wrapped is not null
			order by subject
			limit $3
			for update`, tenant, to.number, rotateBatch)
		if err != nil {
			return unavailable("read data keys", err)
		}
		type row struct {
			Subject   string
			Wrapped   []byte
			TenantKey int
		}
		found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[row])
		if err != nil {
			return unavailable("read data keys", err)
		}
		var out pgx.Batch
		outer := map[int][]byte{}
		for _, r := range found {
			if outer[r.TenantKey] == nil {
				if outer[r.TenantKey], err = k.numberedKey(ctx, tenant, r.TenantKey); err != nil {
					return err
				}
			}
			anew, err := rewrapOne(outer[r.TenantKey], to.key, r.Wrapped, subject{tenant, r.Subject})
			if err != nil {
				return err
			}
			out.Queue(`update content.data_keys set wrapped = $3, tenant_key = $4 where tenant = $1 and subject = $2`,
				tenant, r.Subject, anew, to.number)
		}
		n = int64(len(found))
		if err := tx.SendBatch(ctx, &out).Close(); err != nil {
			return unavailable("wrap data keys anew", err)
		}
		return nil
	})
	return n, err
}

// stillCurrent holds the key that others are wrapped under, so that it is not exchanged and
// dropped before they are stored. It returns Conflict if that has happened: whoever did it
// brings the work to an end.
func stillCurrent(ctx context.Context, tx pgx.Tx, sql string, args ...any) error {
	tag, err := tx.Exec(ctx, sql, args...)
	if err != nil {
		return unavailable("hold a key", err)
	}
	if tag.RowsAffected() == 0 {
		return domain.Errorf(domain.Conflict, domain.CodeConflict, "the key was exchanged or dropped again meanwhile")
	}
	return nil
}

func rewrapOne(from, to, wrapped []byte, sub subject) ([]byte, error) {
	key, err := unwrap(from, wrapped, sub.context())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", sub.id, domain.ErrBadKey)
	}
	return wrap(to, key, sub.context())
}

// KeyStatus is how the keys of the database are wrapped.
type KeyStatus struct {
	// Master is the id of the master key that new keys are wrapped under, Own that of the
	// process's own. Known are those it can open.
	Master, Own string
	Known       []string
	Tenants     []TenantKeyStatus
}

// TenantKeyStatus is how the keys of a tenant are wrapped.
type TenantKeyStatus struct {
	Tenant string
	// Number counts the keys it has had; Master is the id of that it is wrapped under.
	Number  int
	Master  string
	Dropped bool
	// Former keys still have data keys wrapped under them. DataKeys are those of its
	// subjects that were not dropped, Behind those not under the current key.
	Former, DataKeys, Behind int64
}

// Status lists the keys, by tenant. It tells nothing of the keys themselves.
func (k *Keys) Status(ctx context.Context) (KeyStatus, error) {
	s := KeyStatus{Own: k.masters.own, Known: k.masters.ids()}
	if err := k.db.QueryRow(ctx, `select master from content.master_check`).Scan(&s.Master); err != nil {
		return s, unavailable("read the keys", err)
	}
	rows, err := k.db.Query(ctx, `
		select t.tenant, t.number, t.master, t.wrapped is null,
			(select count(*) from content.former_tenant_keys f where f.tenant = t.tenant),
			count(d.wrapped), count(d.wrapped) filter (where d.tenant_key <> t.number)
		from content.tenant_keys t left join content.data_keys d using (tenant)
		group by t.tenant
		order by t.tenant`)
	if err != nil {
		return s, unavailable("read the keys", err)
	}
	if s.Tenants, err = pgx.CollectRows(rows, pgx.RowToStructByPos[TenantKeyStatus]); err != nil {
		return s, unavailable("read the keys", err)
	}
	return s, nil
}
