package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
	"time"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/account"
)

// Whatever is asked, the answer says how much more may be.
func TestEveryAnswerHasRateHeaders(t *testing.T) {
	t.Parallel()
	s := newWorld().server()
	large := padded(smallBody + 1)
	for name, a := range map[string]ask{
		"a success":                  {method: get, target: "/api/session", token: tokenA},
		"a bad parameter":            {method: get, target: "/api/session?limit=x", token: tokenA},
		"a bad body":                 {method: post, target: "/api/agent/interact", body: "{", token: tokenA},
		"a wrong media type":         {method: post, target: "/api/session", body: "{}", token: tokenA, header: map[string]string{"Content-Type": "text/html"}},
		"something not there":        {method: get, target: "/api/debug/tasks/" + taskB + "/state", token: tokenA},
		"preferences":                {method: get, target: "/api/v1/user/preferences", token: tokenA},
		"no content":                 {method: post, target: "/api/v1/auth/logout", token: tokenB},
		"an export":                  {method: get, target: "/api/usage/export", token: tokenA},
		"HEAD":                       {method: http.MethodHead, target: "/api/session", token: tokenA},
		"401":                        {method: get, target: "/api/session"},
		"a guessed token":            {method: get, target: "/api/session", token: "guessed"},
		"no route":                   {method: get, target: "/api/nothing"},
		"no route, with a token":     {method: get, target: "/api/nothing", token: tokenA},
		"no route, guessed":          {method: get, target: "/api/nothing", token: "guessed"},
		"wrong method":               {method: http.MethodPut, target: "/api/session"},
		"wrong method, with a token": {method: http.MethodPut, target: "/api/session", token: tokenA},
		"wrong method, public":       {method: http.MethodDelete, target: "/openapi.json"},
		"health":                     {method: get, target: "/api/health"},
		"health, badly asked":        {method: get, target: "/api/health?a=1&a=2"},
		"the description":            {method: get, target: "/openapi.json"},
		"the description as YAML":    {method: get, target: "/openapi.yaml"},
		"a login":                    {method: post, target: "/api/v1/auth/login", body: `{"email":"ann@example.com","password":"` + secret.Reveal() + `"}`},
		"a wrong login":              {method: post, target: "/api/v1/auth/login", body: `{"email":"ann@example.com","password":"x"}`},
		"a login that is no JSON":    {method: post, target: "/api/v1/auth/login", body: `{`},
		"a login without a password": {method: post, target: "/api/v1/auth/login", body: `{"email":"ann@example.com"}`},
		"a large login":              {method: post, target: "/api/v1/auth/login", body: large},
		"a login of another type":    {method: post, target: "/api/v1/auth/login", body: `{}`, header: map[string]string{"Content-Type": "text/plain"}},
		"a login with a bad query":   {method: post, target: "/api/v1/auth/login?x=%zz", body: `{}`},
	} {
		h := send(t, s, a).Header()
		reset, err := strconv.ParseInt(h.Get("X-RateLimit-Reset"), 10, 64)
		if h.Get("X-RateLimit-Limit") == "" || h.Get("X-RateLimit-Remaining") == "" || err != nil || reset < noon.Unix() {
			t.Errorf("%s: %v", name, h)
		}
	}
}

func TestPreflight_CostsNothing(t *testing.T) {
	t.Parallel()
	w := newWorld()
	s := w.server()
	for _, target := range []string{"/api/session", "/api/nothing", "/api/v1/auth/login"} {
		res := send(t, s, ask{method: http.MethodOptions, target: target, header: map[string]string{"Origin": "chrome-extension://abc"}})
		if res.Header().Get("X-RateLimit-Limit") != "" || len(w.taken) > 0 {
			t.Errorf("%s: counted %v, headers %v", target, w.taken, res.Header())
		}
	}
}

// What is counted by address is one limit, whichever way it is spent, and no header a
// client makes up moves it.
func TestStrays_AreLimitedByAddress(t *testing.T) {
	t.Parallel()
	w := newWorld()
	const here = account.Anonymous + ":192.0.2.1"
	strays := []ask{
		{method: get, target: "/api/nothing"}, {method: http.MethodPut, target: "/api/session"}, {method: get, target: "/api/nothing", token: "guessed"},
		{method: post, target: "/api/v1/auth/login", body: `{`}, {method: get, target: "/api/session"},
	}
	w.limits[here] = len(strays)
	s := w.server()
	for i, a := range strays {
		got := send(t, s, a)
		if got.Code == http.StatusTooManyRequests || got.Header().Get("X-RateLimit-Remaining") != strconv.Itoa(len(strays)-1-i) {
			t.Errorf("%s %s = %d, headers %v", a.method, a.target, got.Code, got.Header())
		}
	}
	for _, a := range strays {
		for _, name := range []string{"X-Forwarded-For", "X-Real-Ip", "Forwarded", "True-Client-Ip", "Cf-Connecting-Ip"} {
			a.header = map[string]string{name: "203.0.113.9"}
			wantFailure(t, send(t, s, a), http.StatusTooManyRequests, "RATE_LIMIT", "")
		}
	}
	if w.taken[here] != len(strays) || len(w.taken) != 1 {
		t.Errorf("counted: %v", w.taken)
	}
}

func TestStrays_OfATenantAreItsOwn(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.limits[account.Account] = 2
	s := w.server()
	for i, a := range []ask{{method: get, target: "/api/nothing", token: tokenA}, {method: http.MethodPut, target: "/api/session", token: tokenA}} {
		got := send(t, s, a)
		if got.Code != []int{http.StatusNotFound, http.StatusMethodNotAllowed}[i] || got.Header().Get("X-RateLimit-Remaining") != strconv.Itoa(1-i) {
			t.Errorf("%s %s = %d, headers %v", a.method, a.target, got.Code, got.Header())
		}
	}
	wantFailure(t, send(t, s, ask{method: get, target: "/api/nothing", token: tokenA}), http.StatusTooManyRequests, "RATE_LIMIT", "")
}

// brokenLimits cannot count.
type brokenLimits struct{ *world }

func (brokenLimits) TakeAddress(context.Context, string) (account.Quota, error) {
	return account.Quota{}, fmt.Errorf("take: %w", domain.Errorf(domain.Unavailable, domain.CodeExternalService, "down").Because(errors.New("no route to host")))
}

// While nobody can count, what there is not is still not there, and health says what is
// wrong.
func TestLimits_ThatCannotBeAskedHideNothing(t *testing.T) {
	t.Parallel()
	w := newWorld()
	d := w.server().Deps
	d.Identity = brokenLimits{w}
	s := New(d)
	wantFailure(t, send(t, s, ask{method: get, target: "/api/nothing"}), http.StatusNotFound, "NOT_FOUND", "")
	wantFailure(t, send(t, s, ask{method: post, target: "/api/v1/auth/login", body: `{`}), http.StatusBadRequest, "INVALID_REQUEST", "")
	wantFailure(t, send(t, s, ask{method: get, target: "/api/session"}), http.StatusServiceUnavailable, "EXTERNAL_SERVICE_ERROR", "")
	if got := send(t, s, ask{method: get, target: "/api/health"}); got.Code != http.StatusOK || got.Header().Get("X-RateLimit-Limit") == "" {
		t.Errorf("health = %d, %v", got.Code, got.Header())
	}
}

func TestPublicRoutes_AreLimitedByAddress(t *testing.T) {
	t.Parallel()
	now := noon
	d := newWorld().server().Deps
	d.PublicLimit, d.Now = 2, func() time.Time { return now }
	s := New(d)
	from := func(address, target string) *httptest.ResponseRecorder {
		r := ask{method: get, target: target}.request(t)
		r.RemoteAddr = address + ":1234"
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		return w
	}
	for i, target := range []string{"/api/health", "/openapi.json"} {
		if got := from("192.0.2.1", target); got.Code != http.StatusOK || got.Header().Get("X-RateLimit-Remaining") != strconv.Itoa(1-i) || got.Header().Get("X-RateLimit-Limit") != "2" {
			t.Errorf("%s = %d, %v", target, got.Code, got.Header())
		}
	}
	for _, target := range []string{"/api/health", "/openapi.json", "/openapi.yaml"} {
		got := from("192.0.2.1", target)
		wantFailure(t, got, http.StatusTooManyRequests, "RATE_LIMIT", "")
		if got.Header().Get("Retry-After") != "30" {
			t.Errorf("%s: headers %v", target, got.Header())
		}
	}
	if got := from("192.0.2.2", "/api/health"); got.Code != http.StatusOK {
		t.Errorf("from another address: %d", got.Code)
	}
	now = now.Add(30 * time.Second)
	if got := from("192.0.2.1", "/api/health"); got.Code != http.StatusOK || got.Header().Get("X-RateLimit-Remaining") != "0" {
		t.Errorf("half a minute later: %d, %v", got.Code, got.Header())
	}
	wantFailure(t, from("192.0.2.1", "/api/health"), http.StatusTooManyRequests, "RATE_LIMIT", "")
}

// However many addresses ask, a bounded number is remembered.
func TestPublicLimit_RemembersABoundedNumberOfAddresses(t *testing.T) {
	t.Parallel()
	l := newPublicLimit(3)
	for i := range maxAddresses {
		l.take(strconv.Itoa(i), noon)
	}
	for i := range 5 {
		if q := l.take("new "+strconv.Itoa(i), noon); q.Allowed != (i < 3) {
			t.Errorf("address %d beyond the bound: %+v", i, q)
		}
	}
	if q := l.take("0", noon); !q.Allowed || q.Remaining != 1 {
		t.Errorf("a known address: %+v", q)
	}
	if q := l.take("new", noon.Add(time.Hour)); !q.Allowed || q.Remaining != 2 || len(l.next) > 1 {
		t.Errorf("an hour later: %+v, %d addresses", q, len(l.next))
	}
}
