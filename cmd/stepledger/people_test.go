package main

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stepledger/stepledger/api"
	"github.com/stepledger/stepledger/domain/account"
)

// An operator makes a tenant by command, its admin invites over HTTP, the invited person
// chooses a password and works; then is demoted, disabled, let in again. The audit has
// all of it, and nobody's password, token or address.
func TestPeople_FromTenantToAudit(t *testing.T) {
	t.Parallel()
	s := newServer(t, hooks{})
	created := strings.Fields(s.tool(t, "tenant", "add", "Acme", "--email", "ann@acme2.example", "--name", "Ann"))
	tenant, password := created[1], created[3]
	admin := s.loginWith(t, "ann@acme2.example", password)

	invited := data[api.InvitedData](t, admin.post(t, "/api/admin/invites", map[string]any{"email": "bea@acme2.example", "name": "Bea", "role": "engineer"}, nil))
	accept := map[string]any{"token": invited.Token, "password": "a password of bea"}
	login := data[api.LoginData](t, client{base: s.base}.post(t, "/api/v1/auth/invite/accept", accept, nil))
	bea := client{base: s.base, token: login.AccessToken}
	if login.Role != account.Engineer || login.TenantID != tenant {
		t.Fatalf("the invited person is %+v", login)
	}
	bea.get(t, "/api/debug/tasks")
	bea.wants(t, http.MethodGet, "/api/admin/users", nil, http.StatusForbidden, "FORBIDDEN")

	user := "/api/admin/users/" + login.User.ID
	admin.post(t, user+"/role", map[string]any{"role": "member"}, nil)
	bea.wants(t, http.MethodGet, "/api/debug/tasks", nil, http.StatusForbidden, "FORBIDDEN")
	admin.post(t, user+"/disable", nil, nil)
	bea.wants(t, http.MethodGet, "/api/session", nil, http.StatusUnauthorized, "UNAUTHORIZED")
	credentials := map[string]any{"email": "bea@acme2.example", "password": "a password of bea"}
	client{base: s.base}.wants(t, http.MethodPost, "/api/v1/auth/login", credentials, http.StatusForbidden, "ACCOUNT_DISABLED")
	s.tool(t, "user", "enable", "bea@acme2.example")
	bea = s.loginWith(t, "bea@acme2.example", "a password of bea")
	changed := data[api.LoginData](t, bea.post(t, "/api/v1/auth/password", map[string]any{"currentPassword": "a password of bea", "newPassword": "another of bea's"}, nil))
	bea.wants(t, http.MethodGet, "/api/session", nil, http.StatusUnauthorized, "UNAUTHORIZED")
	bea.token = changed.AccessToken
	if logins := data[api.LoginsData](t, bea.get(t, "/api/v1/auth/logins")).Logins; len(logins) != 1 || !logins[0].Current {
		t.Errorf("logins %+v", logins)
	}
	s.tool(t, "tenant", "tier", tenant, "pro")
	admin.wants(t, http.MethodPost, "/api/admin/users/"+adminOf(t, admin)+"/disable", nil, http.StatusConflict, "RESOURCE_CONFLICT")

	seen := data[api.AuditData](t, admin.get(t, "/api/admin/audit?limit=1000"))
	count := map[account.Action]int{}
	for _, e := range seen.Entries {
		count[e.Action]++
	}
	for action, want := range map[account.Action]int{
		account.TenantCreated: 1, account.UserCreated: 1, account.UserInvited: 1, account.InviteAccepted: 1, account.RoleChanged: 1, account.UserDisabled: 1,
		account.LoginRefused: 1, account.UserEnabled: 1, account.PasswordChanged: 1, account.TierChanged: 1, account.LoggedIn: 4,
	} {
		if count[action] != want {
			t.Errorf("the audit has %s %d times, want %d", action, count[action], want)
		}
	}
	text, err := json.Marshal(seen)
	if err != nil {
		t.Fatal(err)
	}
	text = append(text, s.tool(t, "audit", "--tenant", tenant)...)
	for _, secret := range []string{"a password", "another of", invited.Token, login.AccessToken, password, "@acme2"} {
		if strings.Contains(string(text), secret) {
			t.Errorf("the audit shows %q", secret)
		}
	}
	if list := s.tool(t, "user", "list", "--tenant", tenant); !strings.Contains(list, "bea@acme2.example") || !strings.Contains(list, "member") {
		t.Errorf("user list: %s", list)
	}
}

func adminOf(t *testing.T, c client) string {
	t.Helper()
	return data[api.SessionData](t, c.get(t, "/api/v1/auth/session")).User.ID
}

// loginWith logs in over HTTP.
func (s *server) loginWith(t *testing.T, email, password string) client {
	t.Helper()
	c := client{base: s.base}
	l := data[api.LoginData](t, c.post(t, "/api/v1/auth/login", map[string]any{"email": email, "password": password}, nil))
	c.token = l.AccessToken
	return c
}

// wants sends a request that is to fail.
func (c client) wants(t *testing.T, method, target string, body any, status int, code string) {
	t.Helper()
	r, err := c.do(t.Context(), method, target, body, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.status != status || !strings.Contains(string(r.body), `"code":"`+code+`"`) {
		t.Errorf("%s %s: %d %s, want %d %s", method, target, r.status, r.body, status, code)
	}
}
