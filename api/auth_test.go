package api

import (
	"context"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"github.com/stepledger/stepledger/domain/account"
)

func TestLogout_KillsTheTokenNow(t *testing.T) {
	t.Parallel()
	s := newWorld().server()
	session := ask{method: get, target: "/api/v1/auth/session", token: tokenA}
	if w := send(t, s, session); w.Code != http.StatusOK {
		t.Fatalf("before: %d", w.Code)
	}
	if w := send(t, s, ask{method: post, target: "/api/v1/auth/logout", token: tokenA}); w.Code != http.StatusNoContent || w.Body.Len() > 0 {
		t.Fatalf("logout = %d %q", w.Code, w.Body)
	}
	wantFailure(t, send(t, s, session), http.StatusUnauthorized, "UNAUTHORIZED", "")
	if w := send(t, s, ask{method: get, target: "/api/v1/auth/session", token: tokenB}); w.Code != http.StatusOK {
		t.Errorf("another token after it: %d", w.Code)
	}
}

func TestLogout_DoesNotReadItsBody(t *testing.T) {
	t.Parallel()
	w := send(t, newWorld().server(), ask{
		method: post, target: "/api/v1/auth/logout", token: tokenA, body: "not json", header: map[string]string{"Content-Type": "text/plain"},
	})
	if w.Code != http.StatusNoContent {
		t.Errorf("logout with a body = %d %s", w.Code, w.Body)
	}
}

func TestLogin_RefusesBadInput(t *testing.T) {
	t.Parallel()
	s := newWorld().server()
	for body, field := range map[string]string{
		`{"password":"x"}`:                                                        "email",
		`{"email":"","password":"x"}`:                                             "email",
		`{"email":"a@example.com"}`:                                               "password",
		`{"email":"a@example.com","password":""}`:                                 "password",
		`{"email":7,"password":"x"}`:                                              "email",
		`{"email":"a@example.com","password":["x"]}`:                              "password",
		`{"email":"` + strings.Repeat("a", 255) + `","password":"x"}`:             "email",
		`{"email":"a@example.com","password":"` + strings.Repeat("a", 257) + `"}`: "password",
	} {
		wantFailure(t, send(t, s, ask{method: post, target: "/api/v1/auth/login", body: body}), http.StatusBadRequest, "VALIDATION_ERROR", field)
	}
}

// countingLogins notes by what attempts are counted and how often a password
// is looked at.
type countingLogins struct {
	*world
	emails, addresses []string
	looked            int
}

func (c *countingLogins) TakeLogin(ctx context.Context, email, address string) (account.Quota, error) {
	c.emails, c.addresses = append(c.emails, email), append(c.addresses, address)
	return c.world.TakeLogin(ctx, email, address)
}

func (c *countingLogins) Login(ctx context.Context, email string, password account.Secret, from account.Client) (account.Login, error) {
	c.looked++
	return c.world.Login(ctx, email, password, from)
}

func TestLogin_IsLimitedBeforeAPasswordIsLookedAt(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.limits[account.SignIn] = 2
	c := &countingLogins{world: w}
	s := w.server()
	s.Identity = c
	try := ask{
		method: post, target: "/api/v1/auth/login", body: `{"email":"ann@example.com","password":"wrong"}`,
		header: map[string]string{"X-Forwarded-For": "203.0.113.9"},
	}
	for range 2 {
		wantFailure(t, send(t, s, try), http.StatusUnauthorized, "INVALID_CREDENTIALS", "")
	}
	w3 := send(t, s, try)
	wantFailure(t, w3, http.StatusTooManyRequests, "RATE_LIMIT", "")
	if w3.Header().Get("Retry-After") != "6" || c.looked != 2 {
		t.Errorf("Retry-After %q after %d looks, want 6 after 2", w3.Header().Get("Retry-After"), c.looked)
	}
	for i, address := range c.addresses {
		if address != "192.0.2.1" || c.emails[i] != "ann@example.com" {
			t.Errorf("attempt %d was counted for %s from %s, want the peer's address", i, c.emails[i], address)
		}
	}
}

func TestLogin_BelievesTrustedProxiesOnly(t *testing.T) {
	t.Parallel()
	for proxies, want := range map[string]string{"192.0.2.0/24": "203.0.113.9", "198.51.100.0/24": "192.0.2.1"} {
		w := newWorld()
		c := &countingLogins{world: w}
		d := w.server().Deps
		d.Identity, d.TrustedProxies = c, []string{proxies}
		send(t, New(d), ask{
			method: post, target: "/api/v1/auth/login", body: `{"email":"ann@example.com","password":"wrong"}`,
			header: map[string]string{"X-Forwarded-For": "10.9.9.9, 203.0.113.9"},
		})
		if len(c.addresses) != 1 || c.addresses[0] != want {
			t.Errorf("behind %s: counted %v, want %s", proxies, c.addresses, want)
		}
	}
}

func TestNetwork(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"192.0.2.7": "192.0.2.7", "2001:db8:1:2:3:4:5:6": "2001:db8:1:2::/64", "2001:db8:1:2::9": "2001:db8:1:2::/64",
	} {
		if got := network(netip.MustParseAddr(in)); got != want {
			t.Errorf("network(%s) = %s, want %s", in, got, want)
		}
	}
	if got := network(netip.Addr{}); got != "" {
		t.Errorf("network of an unknown address = %q", got)
	}
}

func TestPreferences_AreOneObject(t *testing.T) {
	t.Parallel()
	s := newWorld().server()
	save := func(body string) ask {
		return ask{method: post, target: "/api/v1/user/preferences", token: tokenA, body: body}
	}
	for _, body := range []string{`{}`, `{"preferences":null}`, `{"preferences":[]}`, `{"preferences":"x"}`, `{"theme":"dark"}`} {
		wantFailure(t, send(t, s, save(body)), http.StatusBadRequest, "VALIDATION_ERROR", "preferences")
	}
	const doc = `{"theme":"dark","big":12345678901234567890}`
	if w := send(t, s, save(`{"preferences":`+doc+`}`)); w.Code != http.StatusOK {
		t.Fatalf("save = %d %s", w.Code, w.Body)
	}
	for token, want := range map[string]string{tokenA: doc, tokenB: `{}`} {
		w := send(t, s, ask{method: get, target: "/api/v1/user/preferences", token: token})
		if got := w.Body.String(); got != `{"success":true,"data":{"preferences":`+want+"}}\n" {
			t.Errorf("preferences of %s = %s", token, got)
		}
	}
}
