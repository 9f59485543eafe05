package identity

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/account"
)

func TestLogin(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	who := addUser(t, s, "jas@example.com")

	l := login(t, s, " Jas@Example.com ")
	who.LoginID = l.Principal.LoginID
	if diff := cmp.Diff(who, l.Principal); diff != "" {
		t.Errorf("principal (-want +got):\n%s", diff)
	}
	got, err := s.Authenticate(t.Context(), l.Token)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(who, got); diff != "" {
		t.Errorf("authenticated (-want +got):\n%s", diff)
	}
	if other := login(t, s, "jas@example.com"); other.Token == l.Token {
		t.Error("two logins gave the same token")
	}
	if n := len(l.Token.Reveal()); n < 43 {
		t.Errorf("a token of %d characters has not 256 bits", n)
	}

	for name, try := range map[string]struct {
		email    string
		password account.Secret
	}{
		"a wrong password":          {"jas@example.com", "another password"},
		"an empty password":         {"jas@example.com", ""},
		"an unknown address":        {"nobody@example.com", password},
		"what is not an address":    {"jas", password},
		"an address with a NUL":     {"\"j\x00s\"@example.com", password},
		"a name before the address": {"Jas <jas@example.com>", password},
	} {
		_, err := s.Login(t.Context(), try.email, try.password, account.Client{})
		wantCode(t, err, domain.Unauthenticated, "INVALID_CREDENTIALS")
		if t.Failed() {
			t.Fatalf("in case %s", name)
		}
	}
}

func TestLogin_KeepsNoSecrets(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	addUser(t, s, "jas@example.com")
	l := login(t, s, "jas@example.com")
	hashes := column[string](t, s, `select password_hash from identity.users`)
	if len(hashes) != 1 || !strings.HasPrefix(hashes[0], "$argon2id$v=19$m=47104,t=1,p=1$") {
		t.Errorf("password hashes = %q, want argon2id with 46 MiB, one pass, one lane", hashes)
	}
	for _, kept := range column[[]byte](t, s, `select hash from identity.tokens`) {
		if bytes.Contains(kept, []byte(l.Token.Reveal())) || !bytes.Equal(kept, fingerprint(l.Token)) {
			t.Errorf("the token is kept as %x", kept)
		}
	}
}

func TestLogin_OfADisabledAccount(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	jas := addUser(t, s, "jas@example.com")
	l := login(t, s, "jas@example.com")
	for range 2 {
		if err := s.Disable(t.Context(), account.Actor{}, jas.TenantID, jas.UserID); err != nil {
			t.Fatal(err)
		}
	}
	_, err := s.Authenticate(t.Context(), l.Token)
	wantCode(t, err, domain.Unauthenticated, "UNAUTHORIZED")
	_, err = s.Login(t.Context(), "jas@example.com", password, account.Client{})
	wantCode(t, err, domain.Denied, "ACCOUNT_DISABLED")
	_, err = s.Login(t.Context(), "jas@example.com", "not the password", account.Client{})
	wantCode(t, err, domain.Unauthenticated, "INVALID_CREDENTIALS")
}

func TestAuthenticate_Refuses(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	addUser(t, s, "jas@example.com")
	revoked, expired, live := login(t, s, "jas@example.com"), login(t, s, "jas@example.com"), login(t, s, "jas@example.com")
	exec(t, s, `update identity.tokens set expires_at = now() where hash = $1`, fingerprint(expired.Token))
	for range 2 {
		if err := s.Logout(t.Context(), revoked.Principal, ""); err != nil {
			t.Fatal(err)
		}
	}
	for name, token := range map[string]account.Secret{
		"a revoked token": revoked.Token, "an expired token": expired.Token,
		"an unknown token": "unknown", "no token": "",
	} {
		if _, err := s.Authenticate(t.Context(), token); domain.KindOf(err) != domain.Unauthenticated {
			t.Errorf("%s: %v, want Unauthenticated", name, err)
		}
	}
	if _, err := s.Authenticate(t.Context(), live.Token); err != nil {
		t.Errorf("a token beside revoked and expired ones: %v", err)
	}
	if n, err := s.PurgeTokens(t.Context(), time.Now().Add(time.Second)); n != 1 || err != nil {
		t.Errorf("PurgeTokens = %d, %v; want the expired one", n, err)
	}
}

func TestSetPassword(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	jas := addUser(t, s, "jas@example.com")
	old := login(t, s, "jas@example.com")
	if err := s.SetPassword(t.Context(), account.Actor{}, jas.TenantID, jas.UserID, "another good password"); err != nil {
		t.Fatal(err)
	}
	_, err := s.Authenticate(t.Context(), old.Token)
	wantCode(t, err, domain.Unauthenticated, "UNAUTHORIZED")
	_, err = s.Login(t.Context(), "jas@example.com", password, account.Client{})
	wantCode(t, err, domain.Unauthenticated, "INVALID_CREDENTIALS")
	if _, err := s.Login(t.Context(), "jas@example.com", "another good password", account.Client{}); err != nil {
		t.Errorf("login with the new password: %v", err)
	}
	wantCode(t, s.SetPassword(t.Context(), account.Actor{}, jas.TenantID, domain.NewUUID(), "another good password"), domain.NotFound, "NOT_FOUND")
}

func TestCreateUser_Refuses(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	who := addUser(t, s, "jas@example.com")
	good := NewUser{TenantID: who.TenantID, Email: "new@example.com", Name: "New", Role: account.Admin, Password: password}
	with := func(change func(*NewUser)) NewUser {
		u := good
		change(&u)
		return u
	}
	tests := map[string]struct {
		user  NewUser
		kind  domain.Kind
		field string
	}{
		"an address that is taken":         {with(func(u *NewUser) { u.Email = "JAS@example.com" }), domain.Conflict, "email"},
		"what is no address":               {with(func(u *NewUser) { u.Email = "example.com" }), domain.Invalid, "email"},
		"a short password":                 {with(func(u *NewUser) { u.Password = "1234567" }), domain.Invalid, "password"},
		"a password without end":           {with(func(u *NewUser) { u.Password = account.Secret(strings.Repeat("x", 257)) }), domain.Invalid, "password"},
		"the address itself as a password": {with(func(u *NewUser) { u.Password = "New@example.com" }), domain.Invalid, "password"},
		"a tenant that is not there":       {with(func(u *NewUser) { u.TenantID = domain.NewUUID() }), domain.NotFound, "tenantId"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := s.CreateUser(t.Context(), account.Actor{}, tt.user)
			var e *domain.Error
			if !errors.As(err, &e) || e.Kind != tt.kind || e.Field != tt.field {
				t.Errorf("error = %v, want kind %d at %s", err, tt.kind, tt.field)
			}
		})
	}
}

func TestCreateTenant_Refuses(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	_, err := s.CreateTenant(t.Context(), account.Actor{}, NewTenant{Name: "Acme", Tier: "platinum"})
	wantCode(t, err, domain.Invalid, "VALIDATION_ERROR")
	_, err = s.CreateTenant(t.Context(), account.Actor{}, NewTenant{Name: "  ", Tier: TierFree})
	wantCode(t, err, domain.Invalid, "VALIDATION_ERROR")
	wantCode(t, s.SetTier(t.Context(), account.Actor{}, domain.NewUUID(), TierPro), domain.NotFound, "NOT_FOUND")
}

func TestPreferences(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	a, b := addUser(t, s, "a@example.com"), addUser(t, s, "b@example.com")
	const saved = `{"theme":"dark", "big":12345678901234567890, "odd":"\ud800\u0000"}`
	for range 2 {
		if err := s.SavePreferences(t.Context(), a, []byte(saved)); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := s.Preferences(t.Context(), a); string(got) != saved || err != nil {
		t.Errorf("Preferences = %s, %v; want them byte for byte", got, err)
	}
	if got, err := s.Preferences(t.Context(), b); string(got) != `{}` || err != nil {
		t.Errorf("another user's preferences = %s, %v; want {}", got, err)
	}
	elsewhere := a
	elsewhere.TenantID = b.TenantID
	if got, _ := s.Preferences(t.Context(), elsewhere); string(got) != `{}` {
		t.Errorf("preferences in another tenant = %s, want {}", got)
	}
	deep := `{"a":` + strings.Repeat(`[`, 9_000) + strings.Repeat(`]`, 9_000) + `}`
	if err := s.SavePreferences(t.Context(), b, []byte(deep)); err != nil {
		t.Errorf("a deep document: %v", err)
	}
	for _, doc := range []string{`[]`, `null`, `"x"`, `{`, ``, "{\"a\":\"\xff\"}"} {
		wantCode(t, s.SavePreferences(t.Context(), a, []byte(doc)), domain.Invalid, "VALIDATION_ERROR")
	}
}
