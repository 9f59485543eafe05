package identity

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/account"
)

// What is changed outside this schema is entered right after it was: a process that dies
// in between leaves a change without an entry, which a repeat of the change enters.

// AuditErasure enters that an erasure was requested, or that it was completed. There is
// one erasure of a subject, so what is entered already is not entered again. Subject is
// the user or the task, "" for the tenant; what is "kind, reason".
func (s *Store) AuditErasure(ctx context.Context, by account.Actor, tenant string, action account.Action, subject, what string) error {
	if !domain.ValidUUID(tenant) {
		return nil
	}
	if !domain.ValidUUID(subject) {
		subject = ""
	}
	return s.change(ctx, "audit an erasure", func(tx pgx.Tx) error {
		// The tenant's row may be gone, so there is none to hold.
		if _, err := tx.Exec(ctx, `select pg_advisory_xact_lock(hashtextextended($1, 0))`, "erasure of "+tenant+subject); err != nil {
			return err
		}
		const find = `
			select exists (
				select from identity.audit
				where tenant_id = $1 and action = $2 and subject_id is not distinct from nullif($3, '')::uuid)`
		var known bool
		if err := tx.QueryRow(ctx, find, tenant, action, subject).Scan(&known); err != nil || known {
			return err
		}
		return audit(ctx, tx, by, entry{tenant: tenant, action: action, subject: subject, became: what})
	})
}

// AuditKeys enters that a tenant's key was exchanged, or for "" the master key: that
// concerns every tenant.
func (s *Store) AuditKeys(ctx context.Context, by account.Actor, tenant string) error {
	if tenant != "" {
		return unavailable("audit keys", audit(ctx, s.pool, by, entry{tenant: tenant, action: account.KeyRotated}))
	}
	const enter = `
		insert into identity.audit (tenant_id, actor_id, action, request)
		select id, nullif($1, '')::uuid, $2, $3 from identity.tenants`
	_, err := s.pool.Exec(ctx, enter, by.UserID, account.MasterRotated, by.Request)
	return unavailable("audit keys", err)
}

// AuditBudget enters that a tenant's budget was changed, unless that is what the newest
// such entry says.
func (s *Store) AuditBudget(ctx context.Context, by account.Actor, tenant, became string) error {
	return s.change(ctx, "audit a budget", func(tx pgx.Tx) error {
		if _, err := lockTenant(ctx, tx, tenant); err != nil {
			return err
		}
		const newest = `
			select became from identity.audit
			where tenant_id = $1 and action = $2
			order by id desc
			limit 1`
		var was string
		err := tx.QueryRow(ctx, newest, tenant, account.BudgetChanged).Scan(&was)
		if err != nil && !noRows(err) || was == became {
			return err
		}
		return audit(ctx, tx, by, entry{tenant: tenant, action: account.BudgetChanged, was: was, became: became})
	})
}
