package identity

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/account"
)

// tokenBytes of randomness cannot be guessed, so a plain SHA-256 may be stored (ASVS
// 6.5.2); a slow hash would only slow every request.
const tokenBytes = 32

// Login checks an address and a password and issues a token. A wrong password and an
// unknown address both return INVALID_CREDENTIALS after about the same time.
// ACCOUNT_DISABLED is returned only to someone who knows the password.
func (s *Store) Login(ctx context.Context, email string, password account.Secret, from account.Client) (account.Login, error) {
	u, err := s.credentials(ctx, email)
	if err != nil {
		return account.Login{}, err
	}
	ok, err := s.hasher.matches(ctx, password, u.hash)
	if err != nil {
		return account.Login{}, err
	}
	if !ok || u.disabled {
		// Also where nobody is known by the address: it takes the same time.
		refused := entry{tenant: u.who.TenantID, action: account.LoginRefused, subject: u.who.UserID}
		if err := audit(ctx, s.pool, account.Actor{Request: from.Request}, refused); err != nil {
			return account.Login{}, unavailable("note a refused login", err)
		}
	}
	if !ok {
		return account.Login{}, domain.Errorf(domain.Unauthenticated, domain.CodeInvalidCredentials, "the email address or the password is wrong")
	}
	if u.disabled {
		return account.Login{}, domain.Errorf(domain.Denied, domain.CodeAccountDisabled, "this account is disabled")
	}
	return s.issue(ctx, u, from)
}

// ChangePassword replaces the caller's password, if they know it, ends all their logins
// and returns a new one. A wrong password returns INVALID_CREDENTIALS.
func (s *Store) ChangePassword(ctx context.Context, p account.Principal, current, next account.Secret, from account.Client) (account.Login, error) {
	u, err := s.credentials(ctx, p.Email)
	if err != nil {
		return account.Login{}, err
	}
	ok, err := s.hasher.matches(ctx, current, u.hash)
	if err != nil {
		return account.Login{}, err
	}
	if !ok {
		return account.Login{}, domain.Errorf(domain.Unauthenticated, domain.CodeInvalidCredentials, "the current password is wrong").At("currentPassword")
	}
	hash, err := s.newHash(ctx, next, p.Email)
	if err != nil {
		return account.Login{}, err
	}
	err = s.change(ctx, "change password", func(tx pgx.Tx) error {
		return setHash(ctx, tx, p.By(from.Request), p.TenantID, p.UserID, hash)
	})
	if err != nil {
		return account.Login{}, err
	}
	u.hash = hash
	return s.issue(ctx, u, from)
}

type credentials struct {
	hash     string
	disabled bool
	who      account.Principal
}

// credentials returns those of an address, or zero ones if there is no such user.
func (s *Store) credentials(ctx context.Context, email string) (u credentials, err error) {
	email, err = normalEmail(email)
	if err != nil {
		return credentials{}, nil //nolint:nilerr // what is no address belongs to nobody
	}
	const find = `
		select u.password_hash, u.disabled_at is not null, u.id, u.email, u.name, u.role, t.id, t.name, t.tier
		from identity.users u
		join identity.tenants t on t.id = u.tenant_id
		where u.email = $1`
	p := &u.who
	err = s.pool.QueryRow(ctx, find, email).
		Scan(&u.hash, &u.disabled, &p.UserID, &p.Email, &p.Name, &p.Role, &p.TenantID, &p.TenantName, &p.Tier)
	if noRows(err) {
		return credentials{}, nil
	}
	return u, unavailable("find user", err)
}

// newToken returns a token nobody can guess.
func newToken() account.Secret {
	raw := make([]byte, tokenBytes)
	rand.Read(raw)
	return account.Secret(base64.RawURLEncoding.EncodeToString(raw))
}

// maxAgent is how much is kept of what a client calls itself.
const maxAgent = 120

// issue creates a token and deletes the user's expired ones. It checks the user
// again, who may have been disabled or changed the password meanwhile.
func (s *Store) issue(ctx context.Context, u credentials, from account.Client) (account.Login, error) {
	token := newToken()
	const insert = `
		with expired as (
			delete from identity.tokens
			where user_id = $2 and expires_at <= now()
		)
		insert into identity.tokens (hash, user_id, expires_at, agent)
		select $1, id, now() + $3::interval, $5
		from identity.users
		where id = $2 and password_hash = $4 and disabled_at is null
		for share
		returning id::text, expires_at`
	l := account.Login{Token: token, Principal: u.who}
	err := s.change(ctx, "issue token", func(tx pgx.Tx) error {
		err := tx.QueryRow(ctx, insert, fingerprint(token), u.who.UserID, s.lifetime, u.hash, agent(from)).Scan(&l.Principal.LoginID, &l.ExpiresAt)
		if noRows(err) {
			return domain.Errorf(domain.Unauthenticated, domain.CodeInvalidCredentials, "the account was changed while logging in")
		}
		if err != nil {
			return err
		}
		return audit(ctx, tx, u.who.By(from.Request), entry{tenant: u.who.TenantID, action: account.LoggedIn, subject: l.Principal.LoginID})
	})
	if err != nil {
		return account.Login{}, err
	}
	return l, nil
}

// agent is what is kept of a client's name: the beginning, without control characters.
func agent(c account.Client) string {
	name := []rune(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(c.Agent, "")))
	return string(name[:min(len(name), maxAgent)])
}

// usedEvery is how often it is noted that a token is in use: not with every request.
const usedEvery = 10 * time.Minute

// findToken finds who has a token ($1), with the limits of their tenant as they are now,
// and whether it is to be noted that they use it.
const findToken = `
		select u.id, u.email, u.name, u.role, t.id as tenant, t.name as tenant_name, t.tier, k.id::text as login, k.last_used_at < now() - $2::interval as stale,
			(select jsonb_object_agg(l.class, l.per_minute) from identity.tenant_limits l where l.tenant_id = t.id) as limits
		from identity.tokens k
		join identity.users u on u.id = k.user_id
		join identity.tenants t on t.id = u.tenant_id
		where k.hash = $1 and k.expires_at > now() and u.disabled_at is null`

// used notes that a token is in use.
func (s *Store) used(ctx context.Context, token account.Secret) error {
	_, err := s.pool.Exec(ctx, `update identity.tokens set last_used_at = now() where hash = $1`, fingerprint(token))
	return err
}

// Logout revokes the caller's token: once it returns, every replica refuses it. Revoking
// it again does nothing.
func (s *Store) Logout(ctx context.Context, p account.Principal, request string) error {
	return s.endLogin(ctx, p.By(request), p, p.LoginID, account.LoggedOut, false)
}

// RevokeLogin ends one of the caller's own logins. It returns NotFound for another's.
func (s *Store) RevokeLogin(ctx context.Context, p account.Principal, id, request string) error {
	return s.endLogin(ctx, p.By(request), p, id, account.LoginsRevoked, true)
}

func (s *Store) endLogin(ctx context.Context, by account.Actor, p account.Principal, id string, action account.Action, must bool) error {
	return s.change(ctx, "end a login", func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `delete from identity.tokens where user_id = $1 and id::text = $2`, p.UserID, id)
		if err != nil {
			return err
		}
		if tag.RowsAffected() == 0 {
			if must {
				return domain.Errorf(domain.NotFound, domain.CodeNotFound, "there is no such login").At("loginId")
			}
			return nil
		}
		return audit(ctx, tx, by, entry{tenant: p.TenantID, action: action, subject: id})
	})
}

// RevokeLogins ends all logins of a user of a tenant but one ("" for all), and returns
// how many there were. It returns NotFound for a user the tenant does not have.
func (s *Store) RevokeLogins(ctx context.Context, by account.Actor, tenant, user, but string) (n int64, err error) {
	err = s.change(ctx, "end logins", func(tx pgx.Tx) error {
		if _, err := lockUser(ctx, tx, tenant, user); err != nil {
			return err
		}
		tag, err := tx.Exec(ctx, `delete from identity.tokens where user_id = $1 and id::text <> $2`, user, but)
		if err != nil || tag.RowsAffected() == 0 {
			return err
		}
		n = tag.RowsAffected()
		return audit(ctx, tx, by, entry{tenant: tenant, action: account.LoginsRevoked, subject: user, became: strconv.FormatInt(n, 10)})
	})
	return n, err
}

// Logins returns the logins of a user of a tenant that hold, the one used last first.
// The caller's own is marked.
func (s *Store) Logins(ctx context.Context, tenant, user, current string) ([]account.LoginInfo, error) {
	const find = `
		select k.id::text, k.agent, k.created_at, k.last_used_at, k.expires_at, k.id::text = $3
		from identity.tokens k
		join identity.users u on u.id = k.user_id
		where u.tenant_id = $1 and u.id = $2 and k.expires_at > now()
		order by k.last_used_at desc, k.id`
	rows, err := s.pool.Query(ctx, find, tenant, user, current)
	if err != nil {
		return nil, unavailable("list logins", err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[account.LoginInfo])
	return all, unavailable("list logins", err)
}

// fingerprint is the stored form of a token.
func fingerprint(token account.Secret) []byte {
	sum := sha256.Sum256([]byte(token.Reveal()))
	return sum[:]
}
