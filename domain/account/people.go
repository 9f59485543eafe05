package account

import (
	"log/slog"
	"time"
)

// Actor is who changes something: a user over HTTP, or with the zero value the operator
// by a command.
type Actor struct {
	UserID string
	// Request is the id of the HTTP request, "" for a command.
	Request string
}

// Client is what logs in.
type Client struct {
	// Agent is what it calls itself; it is kept shortened.
	Agent string
	// Request is the id of the HTTP request.
	Request string
}

// Tenant is a tenant as its admins see it.
type Tenant struct {
	ID, Name, Tier string
	Kind           Kind
	// AllowedDomains are the host patterns of the sites its own knowledge is about.
	AllowedDomains []string
	CreatedAt      time.Time
}

// User is a user as admins see them.
type User struct {
	ID, TenantID, Email, Name string
	Role                      Role
	CreatedAt                 time.Time
	// DisabledAt is when the account was disabled, nil if it was not.
	DisabledAt *time.Time
	// LastSeenAt is when one of the user's logins was last used, nil if there is none.
	LastSeenAt *time.Time
}

// LogValue keeps personal data out of logs: ids only.
func (u User) LogValue() slog.Value {
	return slog.GroupValue(slog.String("tenant", u.TenantID), slog.String("user", u.ID))
}

// Invite is an invitation to a tenant. Open ones can be accepted until ExpiresAt.
type Invite struct {
	ID, TenantID, Email, Name string
	Role                      Role
	CreatedAt, ExpiresAt      time.Time
	// AcceptedAt and RevokedAt are nil while it is open.
	AcceptedAt, RevokedAt *time.Time
}

// LogValue keeps personal data out of logs: ids only.
func (i Invite) LogValue() slog.Value {
	return slog.GroupValue(slog.String("tenant", i.TenantID), slog.String("invite", i.ID))
}

// LoginInfo is a login that holds: its token, without the token.
type LoginInfo struct {
	ID string
	// Agent is what the client called itself, shortened.
	Agent                            string
	CreatedAt, LastUsedAt, ExpiresAt time.Time
	// Current: the request that asks was made with it.
	Current bool
}

// Action is a kind of entry in the audit.
type Action string

// What is audited.
const (
	TenantCreated   Action = "tenant.created"
	TierChanged     Action = "tenant.tier_changed"
	DomainsChanged  Action = "tenant.domains_changed"
	UserCreated     Action = "user.created"
	UserInvited     Action = "user.invited"
	InviteAccepted  Action = "invite.accepted"
	InviteRevoked   Action = "invite.revoked"
	RoleChanged     Action = "user.role_changed"
	UserDisabled    Action = "user.disabled"
	UserEnabled     Action = "user.enabled"
	PasswordChanged Action = "user.password_changed"
	LoggedIn        Action = "login.succeeded"
	LoginRefused    Action = "login.refused"
	LoggedOut       Action = "login.ended"
	LoginsRevoked   Action = "login.revoked"
	LimitChanged    Action = "tenant.limit_changed"
	BudgetChanged   Action = "tenant.budget_changed"
	KeyRotated      Action = "key.rotated"
	MasterRotated   Action = "key.master_rotated"
	// The subject of these is the user or the task, none if it was the tenant.
	ErasureRequested Action = "erasure.requested"
	ErasureCompleted Action = "erasure.completed"
)

// Audited is one entry of the audit: ids only, neither addresses nor secrets.
type Audited struct {
	// ID grows with time; entries are read newest first, from an ID on.
	ID       int64     `json:"id"`
	TenantID string    `json:"tenantId"`
	At       time.Time `json:"at"`
	// ActorID is the user who did it, "" for the operator.
	ActorID string `json:"actorId,omitempty"`
	Action  Action `json:"action"`
	// SubjectID is the user, invitation or login it was done to, "" if it was the tenant.
	SubjectID string `json:"subjectId,omitempty"`
	// Was and Became are the value before and after, where there is one.
	Was     string `json:"was,omitempty"`
	Became  string `json:"became,omitempty"`
	Request string `json:"request,omitempty"`
}

// AuditFilter chooses entries of one tenant.
type AuditFilter struct {
	TenantID string
	// SubjectID and Action choose, "" is all.
	SubjectID string
	Action    Action
	// Before is an entry's ID: older ones only; 0 begins with the newest.
	Before int64
	Limit  int
}
