package identity

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/account"
)

// NewUser is the data of a new user.
type NewUser struct {
	TenantID, Email, Name string
	Role                  account.Role
	Password              account.Secret
}

// CreateUser creates a user and returns its id. An email address, whatever its case,
// belongs to one account in the whole system: a second one returns Conflict. A bad
// address, role or password returns Invalid, an unknown tenant NotFound.
func (s *Store) CreateUser(ctx context.Context, by account.Actor, u NewUser) (id string, err error) {
	if u.Email, err = normalEmail(u.Email); err != nil {
		return "", err
	}
	if err := checkRole(u.Role); err != nil {
		return "", err
	}
	hash, err := s.newHash(ctx, u.Password, u.Email)
	if err != nil {
		return "", err
	}
	err = s.change(ctx, "create user", func(tx pgx.Tx) error {
		if id, err = insertUser(ctx, tx, u, hash); err != nil {
			return err
		}
		return audit(ctx, tx, by, entry{tenant: u.TenantID, action: account.UserCreated, subject: id, became: string(u.Role)})
	})
	return id, err
}

// insertUser inserts a checked user. A second user of a personal tenant is a Conflict.
func insertUser(ctx context.Context, tx pgx.Tx, u NewUser, hash string) (id string, err error) {
	kind, err := lockTenant(ctx, tx, u.TenantID)
	if err != nil {
		return "", err
	}
	if kind == account.Personal {
		if err := mustBeEmpty(ctx, tx, u.TenantID); err != nil {
			return "", err
		}
	}
	const insert = `
		insert into identity.users (id, tenant_id, email, name, role, password_hash)
		values ($1, $2, $3, $4, $5, $6)`
	id = domain.NewUUID()
	_, err = tx.Exec(ctx, insert, id, u.TenantID, u.Email, u.Name, u.Role, hash)
	if hasCode(err, uniqueViolation) {
		return "", domain.Errorf(domain.Conflict, domain.CodeConflict, "there is an account for this address already").At("email")
	}
	return id, err
}

func mustBeEmpty(ctx context.Context, tx pgx.Tx, tenant string) error {
	var taken bool
	err := tx.QueryRow(ctx, `select exists (select from identity.users where tenant_id = $1)`, tenant).Scan(&taken)
	if err == nil && taken {
		return errPersonal()
	}
	return err
}

func errPersonal() error {
	return domain.Errorf(domain.Conflict, domain.CodeConflict, "a personal tenant has one user").At("tenantId")
}

func checkRole(r account.Role) error {
	if r.Known() {
		return nil
	}
	return domain.Errorf(domain.Invalid, domain.CodeValidation, "role %q is none of %v", r, account.Roles).At("role")
}

// newHash is the hash of a password that is good enough for an address.
func (s *Store) newHash(ctx context.Context, password account.Secret, email string) (string, error) {
	if err := checkPassword(password, email); err != nil {
		return "", err
	}
	return s.hasher.hash(ctx, password)
}

// SetPassword changes the password of a user of a tenant and ends all their logins. It
// returns NotFound for an unknown user. It does not ask for the old password: see
// ChangePassword.
func (s *Store) SetPassword(ctx context.Context, by account.Actor, tenant, user string, password account.Secret) error {
	u, err := s.User(ctx, tenant, user)
	if err != nil {
		return err
	}
	hash, err := s.newHash(ctx, password, u.Email)
	if err != nil {
		return err
	}
	return s.change(ctx, "set password", func(tx pgx.Tx) error {
		return setHash(ctx, tx, by, u.TenantID, u.ID, hash)
	})
}

// setHash stores a new password and ends the logins made until then.
func setHash(ctx context.Context, tx pgx.Tx, by account.Actor, tenant, user, hash string) error {
	if _, err := lockUser(ctx, tx, tenant, user); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `update identity.users set password_hash = $2 where id = $1`, user, hash); err != nil {
		return err
	}
	if err := endLogins(ctx, tx, user); err != nil {
		return err
	}
	return audit(ctx, tx, by, entry{tenant: tenant, action: account.PasswordChanged, subject: user})
}

// endLogins is a statement of its own after the one that has locked or changed the user:
// that waits for a login that holds the row, and only a later statement sees its token.
func endLogins(ctx context.Context, tx pgx.Tx, user string) error {
	_, err := tx.Exec(ctx, `delete from identity.tokens where user_id = $1`, user)
	return err
}

// Disable ends all logins of a user and refuses new ones. Repeating it does nothing. It
// returns NotFound for a user the tenant does not have; for its last admin it returns
// Conflict, unless the operator asks.
func (s *Store) Disable(ctx context.Context, by account.Actor, tenant, user string) error {
	return s.change(ctx, "disable user", func(tx pgx.Tx) error {
		u, err := lockUser(ctx, tx, tenant, user)
		if err != nil || u.DisabledAt != nil {
			return err
		}
		if err := mustLeaveAdmin(ctx, tx, by, u); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `update identity.users set disabled_at = now() where id = $1`, user); err != nil {
			return err
		}
		if err := endLogins(ctx, tx, user); err != nil {
			return err
		}
		return audit(ctx, tx, by, entry{tenant: tenant, action: account.UserDisabled, subject: user})
	})
}

// Enable lets a disabled user log in again. Repeating it does nothing.
func (s *Store) Enable(ctx context.Context, by account.Actor, tenant, user string) error {
	return s.change(ctx, "enable user", func(tx pgx.Tx) error {
		u, err := lockUser(ctx, tx, tenant, user)
		if err != nil || u.DisabledAt == nil {
			return err
		}
		if _, err := tx.Exec(ctx, `update identity.users set disabled_at = null where id = $1`, user); err != nil {
			return err
		}
		return audit(ctx, tx, by, entry{tenant: tenant, action: account.UserEnabled, subject: user})
	})
}

// SetRole changes a user's role, from the next request on. Repeating it does nothing. It
// returns NotFound for a user the tenant does not have; for its last admin it returns
// Conflict, unless the operator asks.
func (s *Store) SetRole(ctx context.Context, by account.Actor, tenant, user string, role account.Role) error {
	if err := checkRole(role); err != nil {
		return err
	}
	return s.change(ctx, "set role", func(tx pgx.Tx) error {
		u, err := lockUser(ctx, tx, tenant, user)
		if err != nil || u.Role == role {
			return err
		}
		if err := mustLeaveAdmin(ctx, tx, by, u); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `update identity.users set role = $2 where id = $1`, user, role); err != nil {
			return err
		}
		return audit(ctx, tx, by, entry{tenant: tenant, action: account.RoleChanged, subject: user, was: string(u.Role), became: string(role)})
	})
}

// lockTenant returns a tenant's kind and holds its row, so that changes of its users
// come one after the other.
func lockTenant(ctx context.Context, tx pgx.Tx, tenant string) (kind account.Kind, err error) {
	err = tx.QueryRow(ctx, `select kind from identity.tenants where id = $1 for update`, tenant).Scan(&kind)
	if noRows(err) {
		return "", noTenant(tenant)
	}
	return kind, err
}

func lockUser(ctx context.Context, tx pgx.Tx, tenant, user string) (u account.User, err error) {
	if _, err := lockTenant(ctx, tx, tenant); err != nil {
		return u, err
	}
	const find = `
		select id::text, tenant_id::text, email, name, role, created_at, disabled_at
		from identity.users
		where tenant_id = $1 and id = $2
		for update`
	err = tx.QueryRow(ctx, find, tenant, user).Scan(&u.ID, &u.TenantID, &u.Email, &u.Name, &u.Role, &u.CreatedAt, &u.DisabledAt)
	if noRows(err) {
		return u, noUser()
	}
	return u, err
}

func noUser() error {
	return domain.Errorf(domain.NotFound, domain.CodeNotFound, "there is no such user").At("userId")
}

// mustLeaveAdmin refuses to take away a tenant's last admin, since nobody there could
// undo it. The operator can.
func mustLeaveAdmin(ctx context.Context, tx pgx.Tx, by account.Actor, u account.User) error {
	if u.Role != account.Admin || by.UserID == "" {
		return nil
	}
	const others = `
		select exists (
			select from identity.users
			where tenant_id = $1 and id <> $2 and role = 'admin' and disabled_at is null)`
	var found bool
	err := tx.QueryRow(ctx, others, u.TenantID, u.ID).Scan(&found)
	if err == nil && !found {
		return domain.Errorf(domain.Conflict, domain.CodeConflict, "this is the tenant's last admin").At("userId")
	}
	return err
}

const userColumns = `
	u.id::text, u.tenant_id::text, u.email, u.name, u.role, u.created_at, u.disabled_at,
	(select max(k.last_used_at) from identity.tokens k where k.user_id = u.id)`

// Users returns the users of a tenant by address, disabled ones too.
func (s *Store) Users(ctx context.Context, tenant string) ([]account.User, error) {
	rows, err := s.pool.Query(ctx, `select `+userColumns+` from identity.users u where u.tenant_id = $1 order by u.email`, tenant)
	if err != nil {
		return nil, unavailable("list users", err)
	}
	users, err := pgx.CollectRows(rows, pgx.RowToStructByPos[account.User])
	return users, unavailable("list users", err)
}

// User returns a user of a tenant, NotFound if it has none with this id.
func (s *Store) User(ctx context.Context, tenant, id string) (account.User, error) {
	return s.findUser(ctx, `u.tenant_id = $1 and u.id = $2`, tenant, id)
}

// FindUser returns a user by the email address, of whichever tenant.
func (s *Store) FindUser(ctx context.Context, email string) (account.User, error) {
	return s.findUser(ctx, `u.email = lower($1)`, strings.TrimSpace(email))
}

func (s *Store) findUser(ctx context.Context, where string, args ...any) (account.User, error) {
	rows, err := s.pool.Query(ctx, `select `+userColumns+` from identity.users u where `+where, args...)
	if err != nil {
		return account.User{}, unavailable("find user", err)
	}
	u, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[account.User])
	if noRows(err) {
		return account.User{}, noUser()
	}
	return u, unavailable("find user", err)
}

// normalEmail is the address in lower case, as it is stored.
func normalEmail(email string) (string, error) {
	email, ok := account.NormalEmail(email)
	if !ok {
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
	if noRows(err) {
		return "", domain.Errorf(domain.NotFound, domain.CodeNotFound, "the task's tenant has no user %s", email)
	}
	return id, unavailable("find user of tenant", err)
}
