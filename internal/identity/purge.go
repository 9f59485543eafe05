package identity

import (
	"context"
	"time"
)

// purgeBatch is how many rows are deleted in one transaction: so few that nobody waits for it.
const purgeBatch = 1000

// purge repeats a statement, each time in its own transaction, until it finds fewer rows
// than its last parameter allows or ctx ends, and returns how many it deleted, beside an
// error too.
func (s *Store) purge(ctx context.Context, what, sql string, args ...any) (purged int64, err error) {
	args = append(args, purgeBatch)
	for {
		tag, err := s.pool.Exec(ctx, sql, args...)
		if err != nil {
			return purged, unavailable(what, err)
		}
		if purged += tag.RowsAffected(); tag.RowsAffected() < purgeBatch {
			return purged, nil
		}
	}
}

// PurgeTokens deletes tokens that expired before a time, a thousand in a transaction. It is
// called by the scheduler.
func (s *Store) PurgeTokens(ctx context.Context, before time.Time) (purged int64, err error) {
	return s.purge(ctx, "purge tokens", `
		delete from identity.tokens where ctid = any (array(select ctid from identity.tokens where expires_at < $1 limit $2))`, before)
}

// PurgeAudit deletes refused logins of nobody that is known, older than a time, a thousand
// in a transaction. What a tenant's audit has stays. It is called by the scheduler.
func (s *Store) PurgeAudit(ctx context.Context, before time.Time) (purged int64, err error) {
	return s.purge(ctx, "purge the audit", `
		delete from identity.audit where ctid = any (array(select ctid from identity.audit where tenant_id is null and at < $1 limit $2))`, before)
}

// PurgeLimits deletes limits that are fully available again, and marks made by a wrong
// clock, a thousand in a transaction. It is called by the scheduler.
func (s *Store) PurgeLimits(ctx context.Context) (purged int64, err error) {
	// Those that are being counted are left for the next time: Admit holds two at once.
	return s.purge(ctx, "purge limits", `
		delete from identity.rate_limits where key in (
			select key from identity.rate_limits where tat < now() or tat > now() + $1::interval
			limit $2 for update skip locked)`, Window)
}
