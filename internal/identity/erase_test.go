package identity

import (
	"strings"
	"testing"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/account"
)

// everything is all rows of the tables that tell who somebody is.
func everything(t *testing.T, s *Store) string {
	t.Helper()
	var all []string
	for _, table := range []string{"tenants", "users", "tokens", "preferences", "rate_limits", "invites", "audit"} {
		all = append(all, column[string](t, s, `select r::text from identity.`+table+` r`)...)
	}
	return strings.Join(all, "\n")
}

func TestEraseUser(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	jas, eve := addUser(t, s, "jas@acme.example"), addUser(t, s, "eve@globex.example")
	l := login(t, s, jas.Email)
	if _, err := s.TakeLogin(t.Context(), jas.Email, ""); err != nil {
		t.Fatal(err)
	}
	if err := s.SavePreferences(t.Context(), jas, []byte(`{"theme":"zerzura"}`)); err != nil {
		t.Fatal(err)
	}
	invite := account.Invite{TenantID: jas.TenantID, Email: jas.Email, Name: "Jas", Role: account.Member}
	if _, _, err := s.Invite(t.Context(), account.Actor{}, invite); err != nil {
		t.Log(err) // who has an account may not be invited
		exec(t, s, `insert into identity.invites (id, tenant_id, email, name, role, expires_at)
			values ($1, $2, $3, 'Jas', 'member', now())`, domain.NewUUID(), jas.TenantID, jas.Email)
	}
	elsewhere := account.Invite{TenantID: eve.TenantID, Email: "jas@acme.example", Name: "J.", Role: account.Member}
	theirs, _, err := s.Invite(t.Context(), account.Actor{}, elsewhere)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := s.EraseUser(t.Context(), eve.TenantID, jas.UserID); err != nil || got != (Erased{}) {
		t.Errorf("as another tenant: %+v, %v", got, err)
	}
	for i, want := range []Erased{{Users: 1, Tokens: 1, Preferences: 1, Invites: 1}, {}} {
		if got, err := s.EraseUser(t.Context(), jas.TenantID, jas.UserID); err != nil || got != want {
			t.Errorf("time %d: %+v, %v; want %+v", i+1, got, err, want)
		}
	}
	if all, err := s.Invites(t.Context(), eve.TenantID, 10); err != nil || len(all) != 1 || all[0].RevokedAt != nil {
		t.Errorf("what another tenant has of the address: %+v, %v", all, err)
	}
	exec(t, s, `delete from identity.invites where id = $1`, theirs.ID)
	rows := everything(t, s)
	for _, left := range []string{"jas@", "Jas\"", "zerzura", loginKey("account", jas.Email)} {
		if strings.Contains(rows, left) {
			t.Errorf("%q is left in %s", left, rows)
		}
	}
	if !strings.Contains(rows, "eve@globex.example") {
		t.Error("another user is gone")
	}
	if _, err := s.Authenticate(t.Context(), l.Token); err == nil {
		t.Error("the token is good")
	}
	for _, email := range []string{jas.Email, jas.UserID + "@" + erasedDomain} {
		for _, p := range []account.Secret{password, ""} {
			if _, err := s.Login(t.Context(), email, p, account.Client{}); domain.KindOf(err) != domain.Unauthenticated {
				t.Errorf("%s: %v", email, err)
			}
		}
	}
	if id, err := s.AnyUser(t.Context(), jas.TenantID, jas.UserID); err != nil || id != jas.UserID {
		t.Errorf("by the id: %q, %v", id, err)
	}
	_, err = s.AnyUser(t.Context(), jas.TenantID, jas.Email)
	wantCode(t, err, domain.NotFound, domain.CodeNotFound)
}

// An address that was erased is free, as if it had never been here.
func TestEraseUser_AddressIsFree(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	jas := addUser(t, s, "jas@acme.example")
	if _, err := s.EraseUser(t.Context(), jas.TenantID, jas.UserID); err != nil {
		t.Fatal(err)
	}
	again := addUser(t, s, "jas@acme.example")
	if again.UserID == jas.UserID {
		t.Error("the same id")
	}
	login(t, s, again.Email)
}

func TestEraseTenant(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	jas, eve := addUser(t, s, "jas@acme.example"), addUser(t, s, "eve@globex.example")
	second := NewUser{TenantID: jas.TenantID, Email: "bo@acme.example", Name: "Bo", Role: account.Member, Password: password}
	if _, err := s.CreateUser(t.Context(), account.Actor{}, second); err != nil {
		t.Fatal(err)
	}
	login(t, s, jas.Email)
	login(t, s, second.Email)
	if err := s.SetAllowedDomains(t.Context(), account.Actor{}, jas.TenantID, []string{"zerzura.example"}); err != nil {
		t.Fatal(err)
	}
	for i, want := range []Erased{{Users: 2, Tokens: 2}, {}} {
		if got, err := s.EraseTenant(t.Context(), jas.TenantID); err != nil || got != want {
			t.Errorf("time %d: %+v, %v; want %+v", i+1, got, err, want)
		}
	}
	if strings.Contains(everything(t, s), "zerzura") {
		t.Error("the tenant's sites are known")
	}
	if names := column[string](t, s, `select name from identity.tenants where id = $1`, jas.TenantID); names[0] != domain.Erased {
		t.Errorf("the tenant is called %q", names[0])
	}
	login(t, s, eve.Email)
	for _, id := range []string{"nonsense", domain.NewUUID()} {
		if got, err := s.EraseTenant(t.Context(), id); err != nil || got != (Erased{}) {
			t.Errorf("%s: %+v, %v", id, got, err)
		}
	}
}
