// Package account has the values in which identity speaks to the rest of
// Stepledger: who is calling, for how long, and how often they may. How a
// password or a token is kept is internal/identity's affair, what becomes of
// these values on the wire the api's.
package account

import (
	"log/slog"
	"time"
)

// Principal is a caller whose token was accepted. It is valid for the request
// it was made for and no longer: a token can be revoked at any time.
type Principal struct {
	TenantID, TenantName string
	UserID, Email, Name  string
	// Tier of the tenant decides its rate limits.
	Tier string
}

// LogValue keeps personal data out of logs: ids only.
func (p Principal) LogValue() slog.Value {
	return slog.GroupValue(slog.String("tenant", p.TenantID), slog.String("user", p.UserID))
}

// Login is a fresh token and whom it stands for. The token is shown once;
// nobody can read it again.
type Login struct {
	Token     Secret
	ExpiresAt time.Time
	Principal Principal
}

// Class of endpoints that share one rate limit of a tenant.
type Class string

// The classes (spec: rate limiting). SignIn is counted by account and address,
// since nobody is known yet, Anonymous by address; all others by tenant.
const (
	Interact Class = "interact"
	Resolve  Class = "resolve"
	Session  Class = "session"
	Usage    Class = "usage"
	Debug    Class = "debug"
	Account  Class = "account"
	SignIn   Class = "login"
	// Anonymous are requests without a token that holds.
	Anonymous Class = "anonymous"
)

// Quota is the answer to taking one request out of a limit.
type Quota struct {
	// Allowed: the request is within the limit and was counted.
	Allowed bool
	// Limit is how many requests fit into a full window, Remaining how many are
	// left now.
	Limit, Remaining int
	// ResetAt is when the whole limit is available again.
	ResetAt time.Time
	// RetryAfter is when one more request will be allowed, 0 if one is now.
	RetryAfter time.Duration
}
