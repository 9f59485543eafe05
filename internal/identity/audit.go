package identity

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/account"
)

// change runs a change and its entry in the audit in one transaction: there is neither
// without the other. Errors of the domain are returned unchanged.
func (s *Store) change(ctx context.Context, op string, do func(pgx.Tx) error) error {
	err := pgx.BeginFunc(ctx, s.pool, do)
	var e *domain.Error
	if errors.As(err, &e) {
		return err
	}
	return unavailable(op, err)
}

// entry is what is new in an entry of the audit; "" is null.
type entry struct {
	tenant      string
	action      account.Action
	subject     string
	was, became string
}

// execer is a pool or a transaction.
type execer interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}

func audit(ctx context.Context, db execer, by account.Actor, e entry) error {
	const insert = `
		insert into identity.audit (tenant_id, actor_id, action, subject_id, was, became, request)
		values (nullif($1, '')::uuid, nullif($2, '')::uuid, $3, nullif($4, '')::uuid, $5, $6, $7)`
	_, err := db.Exec(ctx, insert, e.tenant, by.UserID, e.action, e.subject, e.was, e.became, by.Request)
	return err
}

// Audit returns the newest entries of a tenant first.
func (s *Store) Audit(ctx context.Context, f account.AuditFilter) ([]account.Audited, error) {
	const find = `
		select id, tenant_id::text, at, coalesce(actor_id::text, ''), action, coalesce(subject_id::text, ''), was, became, request
		from identity.audit
		where tenant_id = $1
			and ($2 = '' or subject_id::text = $2)
			and ($3 = '' or action = $3)
			and ($4::bigint = 0 or id < $4)
		order by id desc
		limit $5`
	rows, err := s.pool.Query(ctx, find, f.TenantID, f.SubjectID, f.Action, f.Before, f.Limit)
	if err != nil {
		return nil, unavailable("read the audit", err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[account.Audited])
	return all, unavailable("read the audit", err)
}
