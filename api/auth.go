package api

import (
	"context"
	"time"

	"github.com/stepledger/stepledger/domain/account"
)

// LoginBody is the body of login.
type LoginBody struct {
	Email    string         `json:"email" minLength:"1" maxLength:"254"`
	Password account.Secret `json:"password" minLength:"1" maxLength:"256"`
}

// UserData is a user as they see themselves.
type UserData struct {
	ID    string `json:"id" format:"uuid"`
	Email string `json:"email" format:"email"`
	Name  string `json:"name"`
}

// LoginData is the answer to a login. The token is shown only here.
type LoginData struct {
	AccessToken string    `json:"accessToken" doc:"Send it as Authorization: Bearer <token>."`
	ExpiresAt   time.Time `json:"expiresAt"`
	SessionData
}

// SessionData says who is logged in where.
type SessionData struct {
	User       UserData `json:"user"`
	TenantID   string   `json:"tenantId" format:"uuid"`
	TenantName string   `json:"tenantName"`
}

func sessionData(p account.Principal) SessionData {
	return SessionData{UserData{p.UserID, p.Email, p.Name}, p.TenantID, p.TenantName}
}

// login counts the attempt before it looks at the password: hashing one costs
// 46 MiB and a tenth of a second of a core.
func (s *Server) login(ctx context.Context, _ *struct{}, body []byte) (*reply[LoginData], error) {
	var b LoginBody
	if err := decodeBody(body, &b, documentLimits); err != nil {
		return nil, err
	}
	if err := b.check(); err != nil {
		return nil, err
	}
	c := callOf(ctx)
	q, err := s.Identity.TakeLogin(ctx, b.Email, c.address)
	if err != nil {
		return nil, err
	}
	c.quota = q
	c.showQuota()
	if err := refusal(q); err != nil {
		return nil, err
	}
	l, err := s.Identity.Login(ctx, b.Email, b.Password)
	if err != nil {
		return nil, err
	}
	return ok(LoginData{l.Token.Reveal(), l.ExpiresAt, sessionData(l.Principal)}), nil
}

// Bounds on credentials: an address is at most 254 characters long, and nobody
// may have a megabyte hashed.
const (
	maxEmail    = 254
	maxPassword = 256
)

func (b LoginBody) check() error {
	switch n := units(b.Password.Reveal()); {
	case b.Email == "":
		return invalid("email", "email is required")
	case longerThan(b.Email, maxEmail):
		return invalid("email", "email is longer than %d characters", maxEmail)
	case n == 0:
		return invalid("password", "password is required")
	case n > maxPassword:
		return invalid("password", "password is longer than %d characters", maxPassword)
	}
	return nil
}

func (s *Server) currentSession(ctx context.Context, _ *struct{}) (*reply[SessionData], error) {
	return ok(sessionData(caller(ctx))), nil
}

// logout revokes the request's token. A body is not read.
func (s *Server) logout(ctx context.Context, _ *struct{}) (*struct{}, error) {
	return nil, s.Identity.Logout(ctx, callOf(ctx).token)
}
