// Package account has the values of authentication and rate limiting: who is calling,
// for how long, and how often they may. How passwords and tokens are stored is up to
// internal/identity, how these values are sent is up to the api.
package account

import (
	"log/slog"
	"time"
)

// Principal is a caller whose token was accepted. It is valid for one request only,
// since a token can be revoked at any time.
type Principal struct {
	TenantID, TenantName string
	UserID, Email, Name  string
	// Tier of the tenant decides its rate limits, but for those of Limits.
	Tier string
	Role Role
	// LoginID names the login whose token was sent.
	LoginID string
	// Limits are the tenant's own requests per window, by class; nil if it has none.
	Limits map[Class]int
}

// By is the caller as the one who changes something.
func (p Principal) By(request string) Actor { return Actor{UserID: p.UserID, Request: request} }

// LogValue keeps personal data out of logs: ids only.
func (p Principal) LogValue() slog.Value {
	return slog.GroupValue(slog.String("tenant", p.TenantID), slog.String("user", p.UserID))
}

// Login is a new token and whom it belongs to. The token is shown once and cannot be
// read again.
type Login struct {
	Token     Secret
	ExpiresAt time.Time
	Principal Principal
}

// Class is a class of endpoints that share one rate limit.
type Class string

// The classes (spec: rate limiting). SignIn is counted by account and address,
// Anonymous and Public by address, all others by tenant.
const (
	Interact Class = "interact"
	Resolve  Class = "resolve"
	Session  Class = "session"
	Usage    Class = "usage"
	Debug    Class = "debug"
	// Replay decides recorded turns anew, which takes a processor as long as a turn.
	Replay  Class = "replay"
	Account Class = "account"
	SignIn  Class = "login"
	// Anonymous are requests without a valid token.
	Anonymous Class = "anonymous"
	// Public are the routes anybody may ask: health and the description of the API.
	Public Class = "public"
)

// Admission is a caller whose request was counted, or not: as Requests says.
type Admission struct {
	Principal Principal
	Requests  Quota
	// Bytes is of the request's bytes, if they were to be counted and the request was.
	Bytes Quota
}

// Quota is the result of taking one request out of a limit.
type Quota struct {
	// Allowed: the request is within the limit and was counted.
	Allowed bool
	// Limit is the number of requests in a full window, Remaining how many are left.
	Limit, Remaining int
	// ResetAt is when the whole limit is available again.
	ResetAt time.Time
	// RetryAfter is the time until one more request is allowed, 0 if one is now.
	RetryAfter time.Duration
}
