package api

import (
	"context"
	"time"
	"unicode/utf8"

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
	User       UserData     `json:"user"`
	TenantID   string       `json:"tenantId" format:"uuid"`
	TenantName string       `json:"tenantName"`
	Role       account.Role `json:"role" enum:"member,finance,engineer,admin"`
}

func sessionData(p account.Principal) SessionData {
	return SessionData{UserData{p.UserID, p.Email, p.Name}, p.TenantID, p.TenantName, p.Role}
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
	if err := s.takeLogin(ctx, c, b.Email); err != nil {
		return nil, err
	}
	return loggedIn(s.Identity.Login(ctx, b.Email, b.Password, c.client()))
}

// takeLogin counts what takes a password by account and address.
func (s *Server) takeLogin(ctx context.Context, c *call, email string) error {
	q, err := s.Identity.TakeLogin(ctx, email, c.address)
	if err != nil {
		return err
	}
	c.show(q)
	return refusal(q)
}

func loggedIn(l account.Login, err error) (*reply[LoginData], error) {
	if err != nil {
		return nil, err
	}
	return ok(LoginData{l.Token.Reveal(), l.ExpiresAt.UTC(), sessionData(l.Principal)}), nil
}

// Bounds on credentials: an address is at most 254 characters long, and nobody
// may have a megabyte hashed.
const (
	maxEmail    = 254
	minPassword = 8
	maxPassword = 256
)

func (b LoginBody) check() error {
	switch {
	case b.Email == "":
		return invalid("email", "email is required")
	case longerThan(b.Email, maxEmail):
		return invalid("email", "email is longer than %d characters", maxEmail)
	}
	return checkSecret("password", b.Password)
}

// checkSecret bounds what is hashed.
func checkSecret(field string, s account.Secret) error {
	switch n := units(s.Reveal()); {
	case n == 0:
		return invalid(field, "%s is required", field)
	case n > maxPassword:
		return invalid(field, "%s is longer than %d characters", field, maxPassword)
	}
	return nil
}

// checkNewPassword is checkSecret, and wants as many characters as a new password has.
func checkNewPassword(field string, s account.Secret) error {
	if err := checkSecret(field, s); err != nil {
		return err
	}
	if utf8.RuneCountInString(s.Reveal()) < minPassword {
		return invalid(field, "%s is shorter than %d characters", field, minPassword)
	}
	return nil
}

func (s *Server) currentSession(ctx context.Context, _ *struct{}) (*reply[SessionData], error) {
	return ok(sessionData(caller(ctx))), nil
}

// logout revokes the request's token. A body is not read.
func (s *Server) logout(ctx context.Context, _ *struct{}) (*struct{}, error) {
	c := callOf(ctx)
	return nil, s.Identity.Logout(ctx, c.who, c.id)
}
