package main

import (
	"context"
	"crypto/rand"
	"fmt"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/account"
)

// login is what the demo user types in.
type login struct {
	email    string
	password account.Secret
	tenant   string
}

// ensureDemo creates the demo user, or gives it the password this installation
// keeps, so that the one printed always works.
func ensureDemo(ctx context.Context, s *system) (login, error) {
	kept, err := keep(s.cfg.StateDir, "demo.password", rand.Text)
	if err != nil {
		return login{}, fmt.Errorf("demo password: %w", err)
	}
	demo, err := s.identity.EnsureDemo(ctx)
	if err != nil {
		return login{}, fmt.Errorf("demo user: %w", err)
	}
	l := login{demo.Email, account.Secret(kept), demo.TenantID}
	_, err = s.identity.Login(ctx, l.email, l.password, account.Client{Agent: "stepledger"})
	if domain.KindOf(err) == domain.Unauthenticated {
		err = s.identity.SetPassword(ctx, account.Actor{}, demo.TenantID, demo.UserID, l.password)
	}
	if err != nil {
		return login{}, fmt.Errorf("demo user: %w", err)
	}
	return l, nil
}

// demoSession logs the demo user in.
func demoSession(ctx context.Context, s *system) (tenant, token string, err error) {
	user, err := ensureDemo(ctx, s)
	if err != nil {
		return "", "", err
	}
	session, err := s.identity.Login(ctx, user.email, user.password, account.Client{Agent: "stepledger"})
	if err != nil {
		return "", "", fmt.Errorf("demo user: %w", err)
	}
	return user.tenant, session.Token.Reveal(), nil
}
