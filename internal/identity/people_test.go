package identity

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/account"
)

// actions are what a tenant's audit says was done, oldest first.
func actions(t *testing.T, s *Store, tenant string) (all []account.Action) {
	t.Helper()
	entries, err := s.Audit(t.Context(), account.AuditFilter{TenantID: tenant, Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range slices.Backward(entries) {
		all = append(all, e.Action)
	}
	return all
}

func invited(t *testing.T, s *Store, admin account.Principal, email string, role account.Role) (account.Invite, account.Secret) {
	t.Helper()
	i, token, err := s.Invite(t.Context(), admin.By("r-1"), account.Invite{TenantID: admin.TenantID, Email: email, Name: "Kim", Role: role})
	if err != nil {
		t.Fatal(err)
	}
	return i, token
}

func TestInvite_IsAcceptedOnce(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	admin := addUser(t, s, "jas@example.com")
	i, token := invited(t, s, admin, " Kim@Example.com ", account.Finance)
	if i.Email != "kim@example.com" || i.ExpiresAt.Sub(i.CreatedAt) != InviteLifetime {
		t.Errorf("invitation %+v", i)
	}
	l, err := s.AcceptInvite(t.Context(), token, "a password of kim", "", account.Client{Agent: "a\nbrowser"})
	if err != nil {
		t.Fatal(err)
	}
	want := account.Principal{TenantID: admin.TenantID, TenantName: "Acme", UserID: l.Principal.UserID, Email: "kim@example.com", Name: "Kim", Tier: TierFree, Role: account.Finance, LoginID: l.Principal.LoginID}
	if got, err := s.Authenticate(t.Context(), l.Token); err != nil || !cmp.Equal(got, want) {
		t.Errorf("the login is of %+v, %v; want %+v", got, err, want)
	}
	if logins, err := s.Logins(t.Context(), admin.TenantID, l.Principal.UserID, l.Principal.LoginID); err != nil || len(logins) != 1 || logins[0].Agent != "abrowser" || !logins[0].Current {
		t.Errorf("logins %+v, %v", logins, err)
	}
	_, err = s.AcceptInvite(t.Context(), token, "another password", "", account.Client{})
	wantCode(t, err, domain.NotFound, "NOT_FOUND")
	wantCode(t, s.RevokeInvite(t.Context(), admin.By(""), admin.TenantID, i.ID), domain.Conflict, "RESOURCE_CONFLICT")
	_, _, err = s.Invite(t.Context(), admin.By(""), account.Invite{TenantID: admin.TenantID, Email: "kim@example.com", Role: account.Member})
	wantCode(t, err, domain.Conflict, "RESOURCE_CONFLICT")
	if diff := cmp.Diff([]account.Action{account.TenantCreated, account.UserCreated, account.UserInvited, account.InviteAccepted, account.LoggedIn}, actions(t, s, admin.TenantID)); diff != "" {
		t.Errorf("audit (-want +got):\n%s", diff)
	}
}

func TestInvite_CannotBeAccepted(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	admin, other := addUser(t, s, "jas@example.com"), addUser(t, s, "eve@globex.example")
	_, replaced := invited(t, s, admin, "kim@example.com", account.Member)
	last, revoked := invited(t, s, admin, "kim@example.com", account.Member)
	for range 2 {
		if err := s.RevokeInvite(t.Context(), admin.By(""), admin.TenantID, last.ID); err != nil {
			t.Fatal(err)
		}
	}
	expired, old := invited(t, s, admin, "old@example.com", account.Member)
	exec(t, s, `update identity.invites set expires_at = now() where id = $1`, expired.ID)
	for name, token := range map[string]account.Secret{"replaced": replaced, "revoked": revoked, "expired": old, "unknown": "unknown", "empty": ""} {
		if _, err := s.AcceptInvite(t.Context(), token, "a good password", "", account.Client{}); domain.KindOf(err) != domain.NotFound {
			t.Errorf("%s: %v, want NotFound", name, err)
		}
	}
	// Another tenant can neither see nor revoke it.
	open, _ := invited(t, s, admin, "lee@example.com", account.Member)
	wantCode(t, s.RevokeInvite(t.Context(), other.By(""), other.TenantID, open.ID), domain.NotFound, "NOT_FOUND")
	if all, err := s.Invites(t.Context(), other.TenantID, 10); err != nil || len(all) != 0 {
		t.Errorf("another tenant's invitations: %+v, %v", all, err)
	}
	if all, err := s.Invites(t.Context(), admin.TenantID, 10); err != nil || len(all) != 4 || all[0].ID != open.ID {
		t.Errorf("invitations: %+v, %v", all, err)
	}
}

// Whether an address has an account elsewhere is told only to whoever holds the token.
func TestInvite_OfAnAddressWithAnAccountElsewhere(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	admin := addUser(t, s, "jas@example.com")
	addUser(t, s, "eve@globex.example")
	_, token := invited(t, s, admin, "eve@globex.example", account.Member)
	_, err := s.AcceptInvite(t.Context(), token, "a good password", "", account.Client{})
	wantCode(t, err, domain.Conflict, "RESOURCE_CONFLICT")
}

func TestInvite_AcceptedAtOnceMakesOneUser(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	admin := addUser(t, s, "jas@example.com")
	_, token := invited(t, s, admin, "kim@example.com", account.Member)
	var wg sync.WaitGroup
	errs := make([]error, 4)
	for i := range errs {
		wg.Go(func() { _, errs[i] = s.AcceptInvite(t.Context(), token, "a good password", "", account.Client{}) })
	}
	wg.Wait()
	failed := slices.DeleteFunc(errs, func(err error) bool { return err == nil })
	if len(failed) != 3 {
		t.Errorf("of four %d failed: %v", len(failed), failed)
	}
	for _, err := range failed {
		if domain.KindOf(err) != domain.NotFound {
			t.Errorf("%v, want NotFound", err)
		}
	}
}

func TestPersonalTenant_HasOneUser(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	id, err := s.CreateTenant(t.Context(), account.Actor{}, NewTenant{Name: "Jas", Tier: TierFree, Kind: account.Personal})
	if err != nil {
		t.Fatal(err)
	}
	jas := NewUser{TenantID: id, Email: "jas@example.com", Role: account.Admin, Password: password}
	if _, err := s.CreateUser(t.Context(), account.Actor{}, jas); err != nil {
		t.Fatal(err)
	}
	jas.Email = "kim@example.com"
	_, err = s.CreateUser(t.Context(), account.Actor{}, jas)
	wantCode(t, err, domain.Conflict, "RESOURCE_CONFLICT")
	_, _, err = s.Invite(t.Context(), account.Actor{}, account.Invite{TenantID: id, Email: "kim@example.com", Role: account.Member})
	wantCode(t, err, domain.Conflict, "RESOURCE_CONFLICT")
	_, err = s.CreateTenant(t.Context(), account.Actor{}, NewTenant{Name: "x", Tier: TierFree, Kind: "club"})
	wantCode(t, err, domain.Invalid, "VALIDATION_ERROR")
}

func TestSetRole(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	admin, stranger := addUser(t, s, "jas@example.com"), addUser(t, s, "eve@globex.example")
	_, token := invited(t, s, admin, "kim@example.com", account.Member)
	kim, err := s.AcceptInvite(t.Context(), token, "a good password", "", account.Client{})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := s.SetRole(t.Context(), admin.By("r-2"), admin.TenantID, kim.Principal.UserID, account.Engineer); err != nil {
			t.Fatal(err)
		}
	}
	if p, err := s.Authenticate(t.Context(), kim.Token); err != nil || p.Role != account.Engineer {
		t.Errorf("the login is now of %+v, %v: a role applies from the next request", p, err)
	}
	entries, err := s.Audit(t.Context(), account.AuditFilter{TenantID: admin.TenantID, SubjectID: kim.Principal.UserID, Action: account.RoleChanged, Limit: 10})
	if err != nil || len(entries) != 1 {
		t.Fatalf("audit %+v, %v: the second time changed nothing", entries, err)
	}
	want := account.Audited{ID: entries[0].ID, TenantID: admin.TenantID, At: entries[0].At, ActorID: admin.UserID, Action: account.RoleChanged, SubjectID: kim.Principal.UserID, Was: "member", Became: "engineer", Request: "r-2"}
	if diff := cmp.Diff(want, entries[0]); diff != "" {
		t.Errorf("audit (-want +got):\n%s", diff)
	}
	wantCode(t, s.SetRole(t.Context(), admin.By(""), admin.TenantID, admin.UserID, account.Member), domain.Conflict, "RESOURCE_CONFLICT")
	wantCode(t, s.Disable(t.Context(), admin.By(""), admin.TenantID, admin.UserID), domain.Conflict, "RESOURCE_CONFLICT")
	wantCode(t, s.SetRole(t.Context(), stranger.By(""), stranger.TenantID, kim.Principal.UserID, account.Admin), domain.NotFound, "NOT_FOUND")
	wantCode(t, s.SetRole(t.Context(), admin.By(""), admin.TenantID, kim.Principal.UserID, "owner"), domain.Invalid, "VALIDATION_ERROR")
	// With a second admin the first may go.
	if err := s.SetRole(t.Context(), admin.By(""), admin.TenantID, kim.Principal.UserID, account.Admin); err != nil {
		t.Fatal(err)
	}
	if err := s.SetRole(t.Context(), admin.By(""), admin.TenantID, admin.UserID, account.Member); err != nil {
		t.Error(err)
	}
}

// Of two admins who demote each other at once one stays.
func TestSetRole_TwoAtOnceLeaveAnAdmin(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	a := addUser(t, s, "jas@example.com")
	_, token := invited(t, s, a, "kim@example.com", account.Admin)
	b, err := s.AcceptInvite(t.Context(), token, "a good password", "", account.Client{})
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	var errs [2]error
	wg.Go(func() { errs[0] = s.SetRole(t.Context(), a.By(""), a.TenantID, b.Principal.UserID, account.Member) })
	wg.Go(func() { errs[1] = s.SetRole(t.Context(), b.Principal.By(""), a.TenantID, a.UserID, account.Member) })
	wg.Wait()
	if (errs[0] == nil) == (errs[1] == nil) {
		t.Errorf("%v and %v: one of them was to be refused", errs[0], errs[1])
	}
}

func TestEnable(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	jas := addUser(t, s, "jas@example.com")
	if err := s.Disable(t.Context(), account.Actor{}, jas.TenantID, jas.UserID); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := s.Enable(t.Context(), account.Actor{}, jas.TenantID, jas.UserID); err != nil {
			t.Fatal(err)
		}
	}
	login(t, s, "jas@example.com")
}

func TestChangePassword(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	addUser(t, s, "jas@example.com")
	first, second := login(t, s, "jas@example.com"), login(t, s, "jas@example.com")
	_, err := s.ChangePassword(t.Context(), first.Principal, "not it", "another good password", account.Client{})
	wantCode(t, err, domain.Unauthenticated, "INVALID_CREDENTIALS")
	_, err = s.ChangePassword(t.Context(), first.Principal, password, "short", account.Client{})
	wantCode(t, err, domain.Invalid, "VALIDATION_ERROR")
	l, err := s.ChangePassword(t.Context(), first.Principal, password, "another good password", account.Client{})
	if err != nil {
		t.Fatal(err)
	}
	for _, old := range []account.Login{first, second} {
		_, err := s.Authenticate(t.Context(), old.Token)
		wantCode(t, err, domain.Unauthenticated, "UNAUTHORIZED")
	}
	if _, err := s.Authenticate(t.Context(), l.Token); err != nil {
		t.Error(err)
	}
}

func TestLogins(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	jas, eve := addUser(t, s, "jas@example.com"), addUser(t, s, "eve@globex.example")
	a, b, c := login(t, s, "jas@example.com"), login(t, s, "jas@example.com"), login(t, s, "jas@example.com")
	exec(t, s, `update identity.tokens set expires_at = now() where hash = $1`, fingerprint(c.Token))
	exec(t, s, `update identity.tokens set last_used_at = now() - interval '1 day' where hash = $1`, fingerprint(b.Token))
	if _, err := s.Authenticate(t.Context(), b.Token); err != nil {
		t.Fatal(err)
	}
	all, err := s.Logins(t.Context(), jas.TenantID, jas.UserID, a.Principal.LoginID)
	if err != nil || len(all) != 2 || all[0].ID != b.Principal.LoginID || time.Since(all[0].LastUsedAt) > time.Minute || !all[1].Current {
		t.Errorf("logins %+v, %v: the one used last comes first, without expired ones", all, err)
	}
	wantCode(t, s.RevokeLogin(t.Context(), eve, a.Principal.LoginID, ""), domain.NotFound, "NOT_FOUND")
	if err := s.RevokeLogin(t.Context(), a.Principal, b.Principal.LoginID, ""); err != nil {
		t.Fatal(err)
	}
	_, err = s.Authenticate(t.Context(), b.Token)
	wantCode(t, err, domain.Unauthenticated, "UNAUTHORIZED")
	login(t, s, "jas@example.com")
	if n, err := s.RevokeLogins(t.Context(), a.Principal.By(""), jas.TenantID, jas.UserID, a.Principal.LoginID); n != 1 || err != nil {
		t.Errorf("%d, %v; want the other one", n, err)
	}
	if _, err := s.Authenticate(t.Context(), a.Token); err != nil {
		t.Error(err)
	}
}

func TestAllowedDomains(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	jas := addUser(t, s, "jas@example.com")
	for range 2 {
		if err := s.SetAllowedDomains(t.Context(), jas.By(""), jas.TenantID, []string{"*.Acme.com.", "app.acme.com", "*.acme.com"}); err != nil {
			t.Fatal(err)
		}
	}
	got, err := s.AllowedDomains(t.Context(), jas.TenantID)
	if diff := cmp.Diff([]string{"*.acme.com", "app.acme.com"}, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	for _, bad := range []string{"", "*", "*.", "https://acme.com", "acme.com/x", "a..b", "*.*.com", "-a.com", "a.com:80", "a b"} {
		wantCode(t, s.SetAllowedDomains(t.Context(), jas.By(""), jas.TenantID, []string{"a.com", bad}), domain.Invalid, "VALIDATION_ERROR")
	}
	all := actions(t, s, jas.TenantID)
	if n := len(all); all[n-1] != account.DomainsChanged || all[n-2] == account.DomainsChanged {
		t.Errorf("audit %v: the second time changed nothing", all)
	}
}

// Refused logins are in the audit, those of nobody known too, without the address.
func TestLogin_RefusedIsAudited(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	jas := addUser(t, s, "jas@example.com")
	for _, email := range []string{"jas@example.com", "nobody@example.com"} {
		if _, err := s.Login(t.Context(), email, "wrong", account.Client{}); err == nil {
			t.Fatal("a wrong password logs in")
		}
	}
	if all := actions(t, s, jas.TenantID); all[len(all)-1] != account.LoginRefused {
		t.Errorf("audit %v", all)
	}
	if n := column[int64](t, s, `select count(*) from identity.audit where tenant_id is null`); n[0] != 1 {
		t.Errorf("%d refused logins of nobody known, want 1", n[0])
	}
	if n, err := s.PurgeAudit(t.Context(), time.Now().Add(time.Minute)); n != 1 || err != nil {
		t.Errorf("PurgeAudit = %d, %v; want that of nobody", n, err)
	}
}

func TestSetTier_IsAudited(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	jas := addUser(t, s, "jas@example.com")
	for range 2 {
		if err := s.SetTier(t.Context(), account.Actor{}, jas.TenantID, TierPro); err != nil {
			t.Fatal(err)
		}
	}
	wantCode(t, s.SetTier(t.Context(), account.Actor{}, domain.NewUUID(), TierPro), domain.NotFound, "NOT_FOUND")
	if all := actions(t, s, jas.TenantID); len(all) != 3 || all[2] != account.TierChanged {
		t.Errorf("audit %v", all)
	}
}
