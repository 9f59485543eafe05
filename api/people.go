package api

import (
	"context"
	"time"

	"github.com/stepledger/stepledger/domain/account"
)

// TenantData is the caller's tenant.
type TenantData struct {
	ID             string       `json:"id" format:"uuid"`
	Name           string       `json:"name"`
	Kind           account.Kind `json:"kind" enum:"personal,organization"`
	Tier           string       `json:"tier" doc:"Decides the rate limits; the operator sets it."`
	AllowedDomains []string     `json:"allowedDomains" nullable:"false" doc:"Host patterns of the sites the tenant's own knowledge is about. A filter of what is known: no site is refused."`
	CreatedAt      time.Time    `json:"createdAt"`
}

func (s *Server) tenant(ctx context.Context, _ *struct{}) (*reply[TenantData], error) {
	t, err := s.Identity.Tenant(ctx, caller(ctx).TenantID)
	if err != nil {
		return nil, err
	}
	return ok(TenantData{t.ID, t.Name, t.Kind, t.Tier, append([]string{}, t.AllowedDomains...), t.CreatedAt.UTC()}), nil
}

// maxDomains bounds a tenant's list of host patterns.
const maxDomains = 1000

// DomainsBody replaces the tenant's host patterns.
type DomainsBody struct {
	AllowedDomains []string `json:"allowedDomains" nullable:"false" maxItems:"1000" doc:"Each a host, or *. and a domain for all hosts below it."`
}

func (s *Server) setDomains(ctx context.Context, _ *struct{}, body []byte) (*reply[TenantData], error) {
	var b DomainsBody
	if err := decodeBody(body, &b, documentLimits); err != nil {
		return nil, err
	}
	if b.AllowedDomains == nil {
		return nil, invalid("allowedDomains", "allowedDomains is required")
	}
	if len(b.AllowedDomains) > maxDomains {
		return nil, invalid("allowedDomains", "allowedDomains has more than %d entries", maxDomains)
	}
	if err := s.Identity.SetAllowedDomains(ctx, callOf(ctx).by(), caller(ctx).TenantID, b.AllowedDomains); err != nil {
		return nil, err
	}
	return s.tenant(ctx, nil)
}

// UserEntry is a user as admins see them.
type UserEntry struct {
	UserData
	Role       account.Role `json:"role" enum:"member,finance,engineer,admin"`
	CreatedAt  time.Time    `json:"createdAt"`
	DisabledAt *time.Time   `json:"disabledAt,omitempty" doc:"Absent for an account that may log in."`
	LastSeenAt *time.Time   `json:"lastSeenAt,omitempty" doc:"When a login was last in use, to about ten minutes; absent where there is none."`
}

// UsersData are the tenant's users by address.
type UsersData struct {
	Users []UserEntry `json:"users" nullable:"false"`
}

func (s *Server) users(ctx context.Context, _ *struct{}) (*reply[UsersData], error) {
	all, err := s.Identity.Users(ctx, caller(ctx).TenantID)
	if err != nil {
		return nil, err
	}
	d := UsersData{make([]UserEntry, 0, len(all))}
	for _, u := range all {
		d.Users = append(d.Users, UserEntry{UserData{u.ID, u.Email, u.Name}, u.Role, u.CreatedAt.UTC(), inUTC(u.DisabledAt), inUTC(u.LastSeenAt)})
	}
	return ok(d), nil
}

type userInput struct {
	UserID string `path:"userId" format:"uuid"`
}

// ChangedUser confirms what was done to a user.
type ChangedUser struct {
	UserID string `json:"userId" format:"uuid"`
}

// RoleBody is the body of setRole.
type RoleBody struct {
	Role account.Role `json:"role" enum:"member,finance,engineer,admin"`
}

func (s *Server) setRole(ctx context.Context, in *userInput, body []byte) (*reply[ChangedUser], error) {
	var b RoleBody
	if err := decodeBody(body, &b, documentLimits); err != nil {
		return nil, err
	}
	if err := oneOf("role", b.Role, account.Roles); err != nil {
		return nil, err
	}
	return s.changeUser(ctx, in, func(by account.Actor, tenant, user string) error {
		return s.Identity.SetRole(ctx, by, tenant, user, b.Role)
	})
}

// disableUser ends the user's logins at once, on all replicas.
func (s *Server) disableUser(ctx context.Context, in *userInput) (*reply[ChangedUser], error) {
	return s.changeUser(ctx, in, func(by account.Actor, tenant, user string) error {
		return s.Identity.Disable(ctx, by, tenant, user)
	})
}

func (s *Server) enableUser(ctx context.Context, in *userInput) (*reply[ChangedUser], error) {
	return s.changeUser(ctx, in, func(by account.Actor, tenant, user string) error {
		return s.Identity.Enable(ctx, by, tenant, user)
	})
}

func (s *Server) revokeUser(ctx context.Context, in *userInput) (*reply[ChangedUser], error) {
	return s.changeUser(ctx, in, func(by account.Actor, tenant, user string) error {
		_, err := s.Identity.RevokeLogins(ctx, by, tenant, user, "")
		return err
	})
}

func (s *Server) changeUser(ctx context.Context, in *userInput, do func(by account.Actor, tenant, user string) error) (*reply[ChangedUser], error) {
	user, err := uuid("userId", in.UserID)
	if err != nil {
		return nil, err
	}
	if err := do(callOf(ctx).by(), caller(ctx).TenantID, user); err != nil {
		return nil, err
	}
	return ok(ChangedUser{user}), nil
}
