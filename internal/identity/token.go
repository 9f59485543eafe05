package identity

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"time"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/account"
)

// tokenBytes of randomness cannot be guessed, so a plain SHA-256 may be stored (ASVS
// 6.5.2); a slow hash would only slow every request.
const tokenBytes = 32

// Login checks an address and a password and issues a token. A wrong password and an
// unknown address both return INVALID_CREDENTIALS after about the same time.
// ACCOUNT_DISABLED is returned only to someone who knows the password.
func (s *Store) Login(ctx context.Context, email string, password account.Secret) (account.Login, error) {
	u, err := s.credentials(ctx, email)
	if err != nil {
		return account.Login{}, err
	}
	ok, err := s.hasher.matches(ctx, password, u.hash)
	if err != nil {
		return account.Login{}, err
	}
	if !ok {
		return account.Login{}, domain.Errorf(domain.Unauthenticated, domain.CodeInvalidCredentials, "the email address or the password is wrong")
	}
	if u.disabled {
		return account.Login{}, domain.Errorf(domain.Denied, domain.CodeAccountDisabled, "this account is disabled")
	}
	return s.issue(ctx, u)
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
		select u.password_hash, u.disabled_at is not null, u.id, u.email, u.name, t.id, t.name, t.tier
		from identity.users u
		join identity.tenants t on t.id = u.tenant_id
		where u.email = $1`
	p := &u.who
	err = s.pool.QueryRow(ctx, find, email).
		Scan(&u.hash, &u.disabled, &p.UserID, &p.Email, &p.Name, &p.TenantID, &p.TenantName, &p.Tier)
	if noRows(err) {
		return credentials{}, nil
	}
	return u, unavailable("find user", err)
}

// issue creates a token and deletes the user's expired ones. It checks the user
// again, who may have been disabled or changed the password meanwhile.
func (s *Store) issue(ctx context.Context, u credentials) (account.Login, error) {
	raw := make([]byte, tokenBytes)
	rand.Read(raw)
	token := account.Secret(base64.RawURLEncoding.EncodeToString(raw))
	const insert = `
		with expired as (
			delete from identity.tokens
			where user_id = $2 and expires_at <= now()
		)
		insert into identity.tokens (hash, user_id, expires_at)
		select $1, id, now() + $3
		from identity.users
		where id = $2 and password_hash = $4 and disabled_at is null
		for share
		returning expires_at`
	l := account.Login{Token: token, Principal: u.who}
	err := s.pool.QueryRow(ctx, insert, fingerprint(token), u.who.UserID, s.lifetime, u.hash).Scan(&l.ExpiresAt)
	if noRows(err) {
		return account.Login{}, domain.Errorf(domain.Unauthenticated, domain.CodeInvalidCredentials, "the account was changed while logging in")
	}
	return l, unavailable("issue token", err)
}

// Authenticate returns the owner of a token. It returns UNAUTHORIZED for one that is
// unknown, expired or revoked, without saying which.
func (s *Store) Authenticate(ctx context.Context, token account.Secret) (account.Principal, error) {
	const find = `
		select u.id, u.email, u.name, t.id, t.name, t.tier
		from identity.tokens k
		join identity.users u on u.id = k.user_id
		join identity.tenants t on t.id = u.tenant_id
		where k.hash = $1 and k.expires_at > now() and u.disabled_at is null`
	var p account.Principal
	err := s.pool.QueryRow(ctx, find, fingerprint(token)).
		Scan(&p.UserID, &p.Email, &p.Name, &p.TenantID, &p.TenantName, &p.Tier)
	if noRows(err) {
		return account.Principal{}, domain.Errorf(domain.Unauthenticated, domain.CodeUnauthorized, "the token is unknown, expired or revoked")
	}
	return p, unavailable("authenticate", err)
}

// Logout revokes a token: once it returns, every replica refuses it. Revoking an
// unknown token does nothing.
func (s *Store) Logout(ctx context.Context, token account.Secret) error {
	_, err := s.pool.Exec(ctx, `delete from identity.tokens where hash = $1`, fingerprint(token))
	return unavailable("logout", err)
}

// PurgeTokens deletes tokens that expired before a time. It is called by the
// scheduler.
func (s *Store) PurgeTokens(ctx context.Context, before time.Time) (purged int64, err error) {
	tag, err := s.pool.Exec(ctx, `delete from identity.tokens where expires_at < $1`, before)
	return tag.RowsAffected(), unavailable("purge tokens", err)
}

// fingerprint is the stored form of a token.
func fingerprint(token account.Secret) []byte {
	sum := sha256.Sum256([]byte(token.Reveal()))
	return sum[:]
}
