package api

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stepledger/stepledger/domain/account"
)

func TestStranger_IsLimitedByAddress(t *testing.T) {
	t.Parallel()
	w := newWorld()
	const here, there = account.Anonymous + ":192.0.2.1", account.Anonymous + ":198.51.100.7"
	w.limits[here] = 3
	s := w.server()
	for i, a := range []ask{
		{method: get, target: "/api/session"}, {method: post, target: "/api/agent/interact", body: goodInteract, token: "guessed"},
		{method: get, target: "/api/usage/summary", header: map[string]string{"Authorization": "Basic x"}},
	} {
		got := send(t, s, a)
		wantFailure(t, got, http.StatusUnauthorized, "UNAUTHORIZED", "")
		if left := got.Header().Get("X-RateLimit-Remaining"); left != string(rune('2'-i)) || got.Header().Get("X-RateLimit-Limit") != "3" {
			t.Errorf("request %d: headers %v", i+1, got.Header())
		}
	}
	for _, a := range []ask{
		{method: get, target: "/api/session"}, {method: get, target: "/api/session", token: "guessed"},
		{method: get, target: "/api/session", header: map[string]string{"X-Forwarded-For": "203.0.113.9", "X-Real-Ip": "203.0.113.9", "Forwarded": "for=203.0.113.9"}},
	} {
		got := send(t, s, a)
		wantFailure(t, got, http.StatusTooManyRequests, "RATE_LIMIT", "")
		if got.Header().Get("Retry-After") == "" || got.Header().Get("X-RateLimit-Remaining") != "0" {
			t.Errorf("headers %v", got.Header())
		}
	}
	if got := send(t, s, ask{method: get, target: "/api/session", token: tokenA}); got.Code != http.StatusOK {
		t.Errorf("with a token, from the same address: %d", got.Code)
	}
	if got := send(t, s, ask{method: get, target: "/api/health"}); got.Code != http.StatusOK {
		t.Errorf("a probe: %d", got.Code)
	}
	if w.taken[here] != 3 || w.taken[there] != 0 {
		t.Errorf("counted: %v", w.taken)
	}
}

func TestStranger_BehindATrustedProxy(t *testing.T) {
	t.Parallel()
	w := newWorld()
	d := w.server().Deps
	d.TrustedProxies = []string{"192.0.2.0/24"}
	s := New(d)
	for forwarded, counted := range map[string]account.Class{
		"203.0.113.9": "203.0.113.9", "10.9.9.9, 203.0.113.10": "203.0.113.10", "": "192.0.2.1", "nonsense": "192.0.2.1",
		"2001:db8:1:2:3::4": "2001:db8:1:2::/64",
	} {
		before := w.taken[account.Anonymous+":"+counted]
		send(t, s, ask{method: get, target: "/api/session", header: map[string]string{"X-Forwarded-For": forwarded}})
		if w.taken[account.Anonymous+":"+counted] != before+1 {
			t.Errorf("forwarded for %q: counted %v", forwarded, w.taken)
		}
	}
}

// Repeats of what was answered before are not counted as requests, but their bytes
// are: 43 times 24 MB would be a gigabyte to read and compare.
func TestInteract_BytesAreCounted(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.limits[account.Interact], w.byteLimit = 10, 80<<20
	w.answer.Replayed = true
	s := w.server()
	large := padded(24 << 20)
	answered := 0
	for range 43 {
		got := postInteract(t, s, large)
		if got.Code == http.StatusOK {
			answered++
			continue
		}
		wantFailure(t, got, http.StatusTooManyRequests, "RATE_LIMIT", "")
		if got.Header().Get("Retry-After") == "" {
			t.Fatalf("headers %v", got.Header())
		}
	}
	if answered != 3 {
		t.Errorf("%d of 43 were answered, want 3", answered)
	}
	r := ask{method: post, target: "/api/agent/interact", token: tokenA, body: large}.request(t)
	r.ContentLength = -1
	got := httptest.NewRecorder()
	s.ServeHTTP(got, r)
	wantFailure(t, got, http.StatusTooManyRequests, "RATE_LIMIT", "")
}
