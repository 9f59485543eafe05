package identity

import (
	"context"
	"crypto/rand"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/account"
)

// Erased is what the erasure of accounts found.
type Erased struct{ Users, Tokens, Preferences, Invites int64 }

// erasedDomain is that of the address in place of an erased one: nobody can have it.
const erasedDomain = "erased.invalid"

// anonymised replaces everything of a user that tells who it is; $1 is the hash of a
// password nobody knows.
const anonymised = `
	update identity.users set
		email = id::text || '@` + erasedDomain + `', name = '` + domain.Erased + `', password_hash = $1,
		disabled_at = coalesce(disabled_at, now())
	where id = any($2) and email not like '%@` + erasedDomain + `'`

// EraseUser ends all logins of a user for ever, deletes what the user has chosen, and puts
// something that identifies nobody in the place of address and name. The id stays: events
// name it. Repeating it finds nothing more, and so does an unknown user.
func (s *Store) EraseUser(ctx context.Context, tenantID, userID string) (e Erased, err error) {
	if !domain.ValidUUID(tenantID) || !domain.ValidUUID(userID) {
		return e, nil
	}
	return s.erase(ctx, "erase user", tenantID, `id = $2`, userID)
}

// EraseTenant does for all users of a tenant what EraseUser does, for whom it has invited
// as well, replaces the tenant's name and forgets its sites, in the audit too.
func (s *Store) EraseTenant(ctx context.Context, tenantID string) (e Erased, err error) {
	if !domain.ValidUUID(tenantID) {
		return e, nil
	}
	if e, err = s.erase(ctx, "erase tenant", tenantID, `true`); err != nil {
		return e, err
	}
	tag, err := s.pool.Exec(ctx, `delete from identity.invites where tenant_id = $1`, tenantID)
	if err != nil {
		return e, unavailable("erase tenant", err)
	}
	e.Invites += tag.RowsAffected()
	if _, err = s.pool.Exec(ctx, `update identity.tenants set name = $2, allowed_domains = '{}' where id = $1`, tenantID, domain.Erased); err != nil {
		return e, unavailable("erase tenant", err)
	}
	// The only entries of the audit that name something: the tenant's sites.
	_, err = s.pool.Exec(ctx, `update identity.audit set was = '', became = '' where tenant_id = $1 and action = $2`, tenantID, account.DomainsChanged)
	return e, unavailable("erase tenant", err)
}

// erase erases the users of a tenant that a condition selects.
func (s *Store) erase(ctx context.Context, op, tenantID, which string, args ...any) (e Erased, err error) {
	hash, err := s.hasher.hash(ctx, account.Secret(rand.Text()))
	if err != nil {
		return e, err
	}
	err = pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		e, err = eraseUsers(ctx, tx, hash, tenantID, which, args...)
		return err
	})
	if err != nil {
		return Erased{}, unavailable(op, err)
	}
	return e, nil
}

// eraseUsers locks the users first: that waits for a login that holds a row, and only a
// later statement sees that login's token.
func eraseUsers(ctx context.Context, tx pgx.Tx, hash, tenantID, which string, args ...any) (e Erased, err error) {
	rows, err := tx.Query(ctx, `
		select id::text, email from identity.users
		where tenant_id = $1 and `+which+`
		order by id
		for update`, append([]any{tenantID}, args...)...)
	if err != nil {
		return e, err
	}
	type user struct{ ID, Email string }
	users, err := pgx.CollectRows(rows, pgx.RowToStructByPos[user])
	if err != nil {
		return e, err
	}
	var ids, emails, keys []string
	for _, u := range users {
		ids, emails, keys = append(ids, u.ID), append(emails, u.Email), append(keys, loginKey("account", u.Email))
	}
	for _, step := range []struct {
		found *int64
		sql   string
		args  []any
	}{
		{&e.Users, anonymised, []any{hash, ids}},
		{&e.Tokens, `delete from identity.tokens where user_id = any($1)`, []any{ids}},
		{&e.Preferences, `delete from identity.preferences where user_id = any($1)`, []any{ids}},
		// What another tenant has of the address is that tenant's.
		{&e.Invites, `delete from identity.invites where tenant_id = $1 and email = any($2)`, []any{tenantID, emails}},
		{new(int64), `delete from identity.rate_limits where key = any($1)`, []any{keys}},
	} {
		tag, err := tx.Exec(ctx, step.sql, step.args...)
		if err != nil {
			return Erased{}, err
		}
		*step.found = tag.RowsAffected()
	}
	return e, nil
}

// AnyUser returns the id of a tenant's user by the id or the email address, disabled or
// not. It returns NotFound for a user of another tenant.
func (s *Store) AnyUser(ctx context.Context, tenantID, idOrEmail string) (id string, err error) {
	const find = `
		select id::text from identity.users
		where tenant_id::text = $1 and (id::text = lower($2) or email = lower($2))`
	err = s.pool.QueryRow(ctx, find, tenantID, idOrEmail).Scan(&id)
	if noRows(err) {
		return "", domain.Errorf(domain.NotFound, domain.CodeNotFound, "the tenant has no such user; one that was erased is known by its id only")
	}
	return id, unavailable("find user", err)
}
