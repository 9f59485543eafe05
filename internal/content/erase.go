package content

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Erased is what an erasure found: keys and blobs.
type Erased struct{ DataKeys, TenantKeys, Blobs int64 }

// eraseBatch bounds the rows one statement changes.
const eraseBatch = 1000

const dropDataKey = `
	insert into content.data_keys (tenant, subject, wrapped, dropped_at)
	values ($1, $2, null, now())
	on conflict (tenant, subject) do update set
		wrapped = null, dropped_at = coalesce(data_keys.dropped_at, now())
	where data_keys.wrapped is not null
	returning xmax <> 0`

// Erase destroys the subject's data key, which erases everything sealed with it wherever
// that is, and deletes its blobs. Repeating it finds nothing more; a subject that never
// had a key gets none afterwards.
func (s *Store) Erase(ctx context.Context, tenant, id string) (e Erased, err error) {
	s.takeTail(subject{tenant, id}, tail{})
	err = pgx.BeginFunc(ctx, s.db, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, dropDataKey, tenant, id)
		if err != nil {
			return err
		}
		hadKey, err := pgx.CollectRows(rows, pgx.RowTo[bool])
		if err != nil {
			return err
		}
		if len(hadKey) == 1 && hadKey[0] {
			e.DataKeys = 1
		}
		tag, err := tx.Exec(ctx, `delete from content.blobs where tenant = $1 and subject = $2`, tenant, id)
		e.Blobs = tag.RowsAffected()
		return err
	})
	s.Forget(tenant, id)
	if err != nil {
		return Erased{}, unavailable("erase a subject", err)
	}
	return e, nil
}

// Drop is Erase for whoever does not ask what was found.
func (s *Store) Drop(ctx context.Context, tenant, id string) error {
	_, err := s.Erase(ctx, tenant, id)
	return err
}

const dropTenantKey = `
	insert into content.tenant_keys (tenant, wrapped, dropped_at)
	values ($1, null, now())
	on conflict (tenant) do update set wrapped = null, dropped_at = coalesce(tenant_keys.dropped_at, now())
	where tenant_keys.wrapped is not null
	returning xmax <> 0`

// EraseTenant destroys all keys of a tenant and deletes its blobs. The tenant's own key
// goes first: from then on nothing of the tenant can be sealed or opened. It may be
// repeated; the tenant never gets a key again.
func (s *Store) EraseTenant(ctx context.Context, tenant string) (e Erased, err error) {
	if e.TenantKeys, err = s.dropTenantKeys(ctx, tenant); err != nil {
		return e, unavailable("drop the tenant's key", err)
	}
	s.forgetAll(tenant)
	for _, work := range []struct {
		found *int64
		sql   string
	}{
		{&e.DataKeys, `update content.data_keys set wrapped = null, dropped_at = now() where ctid = any (array(
			select ctid from content.data_keys where tenant = $1 and wrapped is not null limit $2))`},
		{&e.Blobs, `delete from content.blobs where ctid = any (array(
			select ctid from content.blobs where tenant = $1 limit $2))`},
	} {
		for {
			tag, err := s.db.Exec(ctx, work.sql, tenant, eraseBatch)
			if err != nil {
				return e, unavailable("erase a tenant", err)
			}
			if *work.found += tag.RowsAffected(); tag.RowsAffected() == 0 {
				break
			}
		}
	}
	s.forgetAll(tenant)
	return e, nil
}

func (s *Store) dropTenantKeys(ctx context.Context, tenant string) (n int64, err error) {
	err = pgx.BeginFunc(ctx, s.db, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, dropTenantKey, tenant)
		if err != nil {
			return err
		}
		had, err := pgx.CollectRows(rows, pgx.RowTo[bool])
		if err != nil {
			return err
		}
		if len(had) == 1 && had[0] {
			n = 1
		}
		tag, err := tx.Exec(ctx, `delete from content.former_tenant_keys where tenant = $1`, tenant)
		n += tag.RowsAffected()
		return err
	})
	return n, err
}

// forgetAll drops what is in memory of a tenant.
func (s *Store) forgetAll(tenant string) {
	s.forgetTenant(tenant)
	s.Keys.mu.Lock()
	for sub := range s.sealers {
		if sub.tenant == tenant {
			delete(s.sealers, sub)
		}
	}
	s.Keys.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	for sub, t := range s.tails {
		if sub.tenant == tenant {
			s.held -= len(t.body)
			delete(s.tails, sub)
		}
	}
}

// Forget drops what is in memory of a subject whose key another process has dropped.
func (s *Store) Forget(tenant, id string) {
	s.takeTail(subject{tenant, id}, tail{})
	s.Keys.Forget(tenant, id)
}

// Applied notes that an erasure was carried out on these tables.
func (s *Store) Applied(ctx context.Context, erasure string) error {
	_, err := s.db.Exec(ctx, `insert into content.erasures (erasure) values ($1) on conflict do nothing`, erasure)
	if err != nil {
		return unavailable("note an erasure", err)
	}
	return nil
}

// IsApplied reports whether these tables know of an erasure. A restored backup does not
// know those that were made since.
func (s *Store) IsApplied(ctx context.Context, erasure string) (known bool, err error) {
	err = s.db.QueryRow(ctx, `select exists (select from content.erasures where erasure = $1)`, erasure).Scan(&known)
	if err != nil {
		return false, fmt.Errorf("look for an erasure: %w", unavailable("read erasures", err))
	}
	return known, nil
}
