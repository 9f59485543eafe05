package identity

import (
	"context"
	"errors"
	"net/mail"
	"strings"
	"unicode"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/account"
)

// NewUser is the data of a new user.
type NewUser struct {
	TenantID, Email, Name string
	Password              account.Secret
}

// CreateUser creates a user and returns its id. An email address, whatever its case,
// belongs to one account in the whole system: a second one returns Conflict. A bad
// address or password returns Invalid, an unknown tenant NotFound.
func (s *Store) CreateUser(ctx context.Context, u NewUser) (id string, err error) {
	email, err := normalEmail(u.Email)
	if err != nil {
		return "", err
	}
	if err := checkPassword(u.Password, email); err != nil {
		return "", err
	}
	hash, err := s.hasher.hash(ctx, u.Password)
	if err != nil {
		return "", err
	}
	const insert = `
		insert into identity.users (id, tenant_id, email, name, password_hash)
		values ($1, $2, $3, $4, $5)`
	id = domain.NewUUID()
	_, err = s.pool.Exec(ctx, insert, id, u.TenantID, email, u.Name, hash)
	switch {
	case hasCode(err, uniqueViolation):
		return "", domain.Errorf(domain.Conflict, domain.CodeConflict, "there is an account for this address already").At("email")
	case hasCode(err, foreignKeyViolation):
		return "", domain.Errorf(domain.NotFound, domain.CodeNotFound, "there is no tenant %s", u.TenantID).At("tenantId")
	}
	return id, unavailable("create user", err)
}

// foreignKeyViolation is Postgres's SQLSTATE for a reference to a missing row.
const foreignKeyViolation = "23503"

// SetPassword changes a user's password and ends all logins made with the old one. It
// returns NotFound for an unknown address.
func (s *Store) SetPassword(ctx context.Context, email string, password account.Secret) error {
	email, err := normalEmail(email)
	if err != nil {
		return err
	}
	if err := checkPassword(password, email); err != nil {
		return err
	}
	hash, err := s.hasher.hash(ctx, password)
	if err != nil {
		return err
	}
	const update = `
		update identity.users
		set password_hash = $2
		where email = $1
		returning id`
	return s.changeUser(ctx, "set password", update, email, hash)
}

// DisableUser ends all logins of a user and refuses new ones. Repeating it does
// nothing. It returns NotFound for an unknown address.
func (s *Store) DisableUser(ctx context.Context, email string) error {
	email, err := normalEmail(email)
	if err != nil {
		return err
	}
	const update = `
		update identity.users
		set disabled_at = coalesce(disabled_at, now())
		where email = $1
		returning id`
	return s.changeUser(ctx, "disable user", update, email)
}

// changeUser runs an update that returns the user's id, and ends the logins made
// until then. The update is a statement of its own and comes first: it waits for a
// login that holds the row, and only a later statement sees that login's token.
func (s *Store) changeUser(ctx context.Context, op, update string, args ...any) error {
	err := pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		var id string
		if err := tx.QueryRow(ctx, update, args...).Scan(&id); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `delete from identity.tokens where user_id = $1`, id)
		return err
	})
	if noRows(err) {
		return domain.Errorf(domain.NotFound, domain.CodeNotFound, "there is no account for this address").At("email")
	}
	return unavailable(op, err)
}

// maxEmail is the longest address SMTP can deliver to (RFC 5321).
const maxEmail = 254

// normalEmail is the address in lower case, as it is stored.
func normalEmail(email string) (string, error) {
	email = strings.ToLower(strings.TrimSpace(email))
	a, err := mail.ParseAddress(email)
	if err != nil || a.Address != email || len(email) > maxEmail || strings.ContainsFunc(email, unicode.IsControl) {
		return "", domain.Errorf(domain.Invalid, domain.CodeValidation, "this is not an email address").At("email")
	}
	return email, nil
}

// HasUser reports whether a user belongs to a tenant.
func (s *Store) HasUser(ctx context.Context, tenantID, userID string) (bool, error) {
	const find = `
		select exists (
			select from identity.users
			where tenant_id = $1 and id = $2)`
	var found bool
	err := s.pool.QueryRow(ctx, find, tenantID, userID).Scan(&found)
	return found, unavailable("find user of tenant", err)
}

// UserOf returns the id of a tenant's user by the email address. It returns NotFound for a
// user of another tenant, and for one whose account is disabled.
func (s *Store) UserOf(ctx context.Context, tenantID, email string) (id string, err error) {
	const find = `
		select id::text from identity.users
		where tenant_id::text = $1 and email = lower($2) and disabled_at is null`
	err = s.pool.QueryRow(ctx, find, tenantID, strings.TrimSpace(email)).Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", domain.Errorf(domain.NotFound, domain.CodeNotFound, "the task's tenant has no user %s", email)
	}
	return id, unavailable("find user of tenant", err)
}
