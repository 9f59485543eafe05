package main

import (
	"testing"
	"time"

	"github.com/stepledger/stepledger/api"
	"github.com/stepledger/stepledger/api/apitest"
	"github.com/stepledger/stepledger/domain/account"
	"github.com/stepledger/stepledger/internal/identity"
	"github.com/stepledger/stepledger/internal/pgtest"
)

// Every route of the running system, by every role and with every kind of token that is
// no good (any more); and what a member is told of a colleague's things: that they do not
// exist.
func TestAccess(t *testing.T) {
	t.Parallel()
	cfg := testConfig(pgtest.Database(t, "stepledger", migrate), t.TempDir())
	cfg.TrustedProxies = []string{"127.0.0.0/8"}
	s := start(t, cfg, hooks{})
	s.client = s.loginAs(t, newUser(t, s.identity, "jo@acme.example"))
	p := newPursuit()
	if err := p.step(t.Context(), s.client); err != nil {
		t.Fatal(err)
	}
	s.catchUp(t)
	tenant := data[api.SessionData](t, s.get(t, "/api/v1/auth/session")).TenantID
	join := func(role account.Role, email string) account.Login {
		t.Helper()
		u := identity.NewUser{TenantID: tenant, Email: email, Role: role, Password: testPassword}
		if _, err := s.identity.CreateUser(t.Context(), account.Actor{}, u); err != nil {
			t.Fatal(err)
		}
		return s.login(t, email)
	}
	callers := apitest.Callers{ByRole: map[string]string{}, Refused: map[string]string{"no token": "", "one that was made up": "made-up"}}
	for _, role := range account.Roles {
		callers.ByRole[string(role)] = join(role, string(role)+"@acme.example").Token.Reveal()
	}
	callers.Refused["of a disabled user"] = s.disabled(t, join(account.Admin, "off@acme.example"))
	gone := join(account.Admin, "gone@acme.example")
	if err := s.identity.Logout(t.Context(), gone.Principal, ""); err != nil {
		t.Fatal(err)
	}
	callers.Refused["one that was revoked"] = gone.Token.Reveal()
	callers.Refused["one that has expired"] = s.expired(t, "gone@acme.example")

	t.Run("by role", func(t *testing.T) { apitest.Access(t, s.base, callers) })
	t.Run("a colleague's", func(t *testing.T) {
		admin := data[api.SessionData](t, s.get(t, "/api/v1/auth/session"))
		second := s.login(t, admin.User.Email)
		theirs := apitest.IDs{TaskID: p.task, SessionID: p.session, UserID: admin.User.ID, LoginID: second.Principal.LoginID}
		apitest.Colleague(t, s.base, callers.ByRole[string(account.Member)], theirs)
	})
}

func (s *server) login(t *testing.T, email string) account.Login {
	t.Helper()
	l, err := s.identity.Login(t.Context(), email, testPassword, account.Client{})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func (s *server) disabled(t *testing.T, l account.Login) (token string) {
	t.Helper()
	if err := s.identity.Disable(t.Context(), account.Actor{}, l.Principal.TenantID, l.Principal.UserID); err != nil {
		t.Fatal(err)
	}
	return l.Token.Reveal()
}

// expired is a token whose time was over at once.
func (s *server) expired(t *testing.T, email string) (token string) {
	t.Helper()
	ids, err := identity.Open(t.Context(), s.url, identity.Options{TokenLifetime: time.Nanosecond})
	if err != nil {
		t.Fatal(err)
	}
	defer ids.Close()
	l, err := ids.Login(t.Context(), email, testPassword, account.Client{})
	if err != nil {
		t.Fatal(err)
	}
	return l.Token.Reveal()
}
