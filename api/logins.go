package api

import (
	"context"
	"time"

	"github.com/stepledger/stepledger/domain/account"
)

// PasswordBody changes the caller's password.
type PasswordBody struct {
	CurrentPassword account.Secret `json:"currentPassword" minLength:"1" maxLength:"256"`
	NewPassword     account.Secret `json:"newPassword" minLength:"8" maxLength:"256"`
}

// changePassword ends all logins of the caller and answers with a new one. It counts as
// a login of the account: a stolen token is no way to guess the password.
func (s *Server) changePassword(ctx context.Context, _ *struct{}, body []byte) (*reply[LoginData], error) {
	var b PasswordBody
	if err := decodeBody(body, &b, documentLimits); err != nil {
		return nil, err
	}
	if err := checkSecret("currentPassword", b.CurrentPassword); err != nil {
		return nil, err
	}
	if err := checkNewPassword("newPassword", b.NewPassword); err != nil {
		return nil, err
	}
	c := callOf(ctx)
	if err := s.takeLogin(ctx, c, c.who.Email); err != nil {
		return nil, err
	}
	return loggedIn(s.Identity.ChangePassword(ctx, c.who, b.CurrentPassword, b.NewPassword, c.client()))
}

// LoginEntry is a login that holds, without its token.
type LoginEntry struct {
	LoginID    string    `json:"loginId" format:"uuid"`
	Client     string    `json:"client" doc:"What the client called itself when it logged in."`
	CreatedAt  time.Time `json:"createdAt"`
	LastUsedAt time.Time `json:"lastUsedAt" doc:"To about ten minutes."`
	ExpiresAt  time.Time `json:"expiresAt"`
	Current    bool      `json:"current" doc:"This request was made with it."`
}

// LoginsData are the logins that hold, the one used last first.
type LoginsData struct {
	Logins []LoginEntry `json:"logins" nullable:"false"`
}

func (s *Server) logins(ctx context.Context, _ *struct{}) (*reply[LoginsData], error) {
	who := caller(ctx)
	all, err := s.Identity.Logins(ctx, who.TenantID, who.UserID, who.LoginID)
	if err != nil {
		return nil, err
	}
	d := LoginsData{make([]LoginEntry, 0, len(all))}
	for _, l := range all {
		d.Logins = append(d.Logins, LoginEntry{l.ID, shownText(l.Agent), l.CreatedAt.UTC(), l.LastUsedAt.UTC(), l.ExpiresAt.UTC(), l.Current})
	}
	return ok(d), nil
}

type loginInput struct {
	LoginID string `path:"loginId" format:"uuid"`
}

// RevokedLogins says how many logins were ended.
type RevokedLogins struct {
	Revoked int64 `json:"revoked"`
}

func (s *Server) revokeLogin(ctx context.Context, in *loginInput) (*reply[RevokedLogins], error) {
	id, err := uuid("loginId", in.LoginID)
	if err != nil {
		return nil, err
	}
	c := callOf(ctx)
	if err := s.Identity.RevokeLogin(ctx, c.who, id, c.id); err != nil {
		return nil, err
	}
	return ok(RevokedLogins{1}), nil
}

// revokeOtherLogins leaves the login the request was made with.
func (s *Server) revokeOtherLogins(ctx context.Context, _ *struct{}) (*reply[RevokedLogins], error) {
	c := callOf(ctx)
	n, err := s.Identity.RevokeLogins(ctx, c.by(), c.who.TenantID, c.who.UserID, c.who.LoginID)
	if err != nil {
		return nil, err
	}
	return ok(RevokedLogins{n}), nil
}
