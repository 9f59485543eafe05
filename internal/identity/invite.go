package identity

import (
	"cmp"
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/account"
)

// InviteLifetime is how long an invitation can be accepted.
const InviteLifetime = 7 * 24 * time.Hour

// Invite invites an address to a tenant, with a name and a role, and returns the token that accepts it, which is
// shown once. An open invitation of the same address is replaced. An address that has an
// account in the tenant is a Conflict; that it has one elsewhere is told only to whoever
// holds the token.
func (s *Store) Invite(ctx context.Context, by account.Actor, i account.Invite) (_ account.Invite, token account.Secret, err error) {
	if i.Email, err = normalEmail(i.Email); err != nil {
		return i, "", err
	}
	if err := checkRole(i.Role); err != nil {
		return i, "", err
	}
	token = newToken()
	err = s.change(ctx, "invite", func(tx pgx.Tx) error {
		if err := mayInvite(ctx, tx, i); err != nil {
			return err
		}
		const insert = `
			insert into identity.invites (id, tenant_id, email, name, role, hash, expires_at)
			values ($1, $2, $3, $4, $5, $6, now() + $7::interval)
			returning ` + inviteColumns
		rows, err := tx.Query(ctx, insert, domain.NewUUID(), i.TenantID, i.Email, i.Name, i.Role, fingerprint(token), InviteLifetime)
		if err != nil {
			return err
		}
		if i, err = pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[account.Invite]); err != nil {
			return err
		}
		return audit(ctx, tx, by, entry{tenant: i.TenantID, action: account.UserInvited, subject: i.ID, became: string(i.Role)})
	})
	if err != nil {
		return i, "", err
	}
	return i, token, nil
}

const inviteColumns = `id::text, tenant_id::text, email, name, role, created_at, expires_at, accepted_at, revoked_at`

// mayInvite checks the tenant and closes an open invitation of the address.
func mayInvite(ctx context.Context, tx pgx.Tx, i account.Invite) error {
	kind, err := lockTenant(ctx, tx, i.TenantID)
	if err != nil {
		return err
	}
	if kind == account.Personal {
		return errPersonal()
	}
	var member bool
	const known = `select exists (select from identity.users where tenant_id = $1 and email = $2)`
	if err := tx.QueryRow(ctx, known, i.TenantID, i.Email).Scan(&member); err != nil {
		return err
	}
	if member {
		return domain.Errorf(domain.Conflict, domain.CodeConflict, "there is an account for this address already").At("email")
	}
	const replace = `
		update identity.invites
		set hash = null, revoked_at = now()
		where tenant_id = $1 and email = $2 and hash is not null`
	_, err = tx.Exec(ctx, replace, i.TenantID, i.Email)
	return err
}

// Invites returns a tenant's invitations, the newest first, at most limit.
func (s *Store) Invites(ctx context.Context, tenant string, limit int) ([]account.Invite, error) {
	rows, err := s.pool.Query(ctx, `
		select `+inviteColumns+` from identity.invites where tenant_id = $1
		order by created_at desc, id limit $2`, tenant, limit)
	if err != nil {
		return nil, unavailable("list invites", err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[account.Invite])
	return all, unavailable("list invites", err)
}

// RevokeInvite closes an open invitation. Repeating it does nothing; one that was
// accepted is a Conflict.
func (s *Store) RevokeInvite(ctx context.Context, by account.Actor, tenant, id string) error {
	return s.change(ctx, "revoke invite", func(tx pgx.Tx) error {
		var accepted, revoked bool
		const find = `
			select accepted_at is not null, revoked_at is not null
			from identity.invites
			where tenant_id = $1 and id = $2
			for update`
		err := tx.QueryRow(ctx, find, tenant, id).Scan(&accepted, &revoked)
		switch {
		case noRows(err):
			return domain.Errorf(domain.NotFound, domain.CodeNotFound, "there is no such invitation").At("inviteId")
		case err != nil || revoked:
			return err
		case accepted:
			return domain.Errorf(domain.Conflict, domain.CodeConflict, "the invitation was accepted").At("inviteId")
		}
		if _, err := tx.Exec(ctx, `update identity.invites set hash = null, revoked_at = now() where id = $1`, id); err != nil {
			return err
		}
		return audit(ctx, tx, by, entry{tenant: tenant, action: account.InviteRevoked, subject: id})
	})
}

// AcceptInvite makes the invited user with a password of their own and logs them in. The
// name replaces the one in the invitation unless it is "". A token that is unknown,
// expired, used or revoked is NotFound, without saying which.
func (s *Store) AcceptInvite(ctx context.Context, token, password account.Secret, name string, from account.Client) (account.Login, error) {
	i, err := s.openInvite(ctx, s.pool, token, "")
	if err != nil {
		return account.Login{}, err
	}
	// Hashed before the row is held: it takes a tenth of a second of a core.
	hash, err := s.newHash(ctx, password, i.Email)
	if err != nil {
		return account.Login{}, err
	}
	err = s.change(ctx, "accept invite", func(tx pgx.Tx) error {
		if _, err := lockTenant(ctx, tx, i.TenantID); err != nil {
			return err
		}
		if i, err = s.openInvite(ctx, tx, token, " for update"); err != nil {
			return err
		}
		u := NewUser{TenantID: i.TenantID, Email: i.Email, Name: cmp.Or(name, i.Name), Role: i.Role}
		user, err := insertUser(ctx, tx, u, hash)
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `update identity.invites set hash = null, accepted_at = now() where id = $1`, i.ID); err != nil {
			return err
		}
		by := account.Actor{UserID: user, Request: from.Request}
		return audit(ctx, tx, by, entry{tenant: i.TenantID, action: account.InviteAccepted, subject: i.ID, became: string(i.Role)})
	})
	if err != nil {
		return account.Login{}, err
	}
	u, err := s.credentials(ctx, i.Email)
	if err != nil {
		return account.Login{}, err
	}
	return s.issue(ctx, u, from)
}

// querier is a pool or a transaction.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

func (s *Store) openInvite(ctx context.Context, db querier, token account.Secret, lock string) (account.Invite, error) {
	rows, err := db.Query(ctx, `select `+inviteColumns+` from identity.invites where hash = $1 and expires_at > now()`+lock, fingerprint(token))
	if err != nil {
		return account.Invite{}, unavailable("find invite", err)
	}
	i, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[account.Invite])
	if noRows(err) {
		return i, domain.Errorf(domain.NotFound, domain.CodeNotFound, "the invitation is unknown, expired or was used").At("token")
	}
	return i, unavailable("find invite", err)
}
