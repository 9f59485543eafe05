package api

import (
	"net/http/httptest"
	"testing"

	"github.com/stepledger/stepledger/api/apitest"
)

func TestTenantIsolation(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(newWorld().server())
	defer server.Close()
	apitest.TenantIsolation(t, server.URL, tokenA, apitest.IDs{TaskID: taskB, SessionID: sessionB, UserID: userB, CallID: callA, InviteID: taskB, LoginID: taskB, ErasureID: taskB, TenantID: tenantB, SourceID: taskB, DocumentID: taskB})
}

// A route that says what is not the caller's own would pass the test above if
// it answered 404 to everything: the same requests with the caller's own ids
// must not.
func TestTenantIsolation_OwnThingsAreFound(t *testing.T) {
	t.Parallel()
	s := newWorld().server()
	for _, a := range []ask{
		{method: get, target: "/api/session/" + sessionA + "/messages"},
		{method: get, target: "/api/session/" + sessionA + "/task/active"},
		{method: post, target: "/api/session", body: `{"sessionId":"` + sessionA + `"}`},
		{method: post, target: "/api/agent/interact", body: `{"url":"https://example.com/","dom":"<p>","taskId":"` + taskA + `"}`},
		{method: get, target: "/api/usage/summary?taskId=" + taskA + "&sessionId=" + sessionA + "&userId=" + userA},
		{method: get, target: "/api/debug/tasks/" + taskA + "/events"},
		{method: get, target: "/api/debug/tasks/" + taskA + "/state"},
		{method: get, target: "/api/debug/tasks/" + taskA + "/state?at=2999-01-01T00:00:00Z"},
		{method: get, target: "/api/debug/tasks/" + taskA + "/diff"},
		{method: get, target: "/api/debug/tasks/" + taskA + "/fields"},
		{method: get, target: "/api/debug/tasks/" + taskA + "/turns"},
		{method: get, target: "/api/debug/tasks/" + taskA + "/turns/1"},
		{method: get, target: "/api/debug/tasks/" + taskA + "/turns/1/page"},
		{method: get, target: "/api/debug/tasks/" + taskA + "/graph"},
		{method: get, target: "/api/debug/compare?a=" + taskA + "&b=" + taskA},
		{method: get, target: "/api/debug/tasks/" + taskA + "/calls/" + callA},
		{method: get, target: "/api/debug/logs?taskId=" + taskA},
		{method: get, target: "/api/debug/session/" + taskA + "/export"},
		{method: get, target: "/api/admin/erasures/" + erasureA},
		{method: get, target: "/api/knowledge/sources/" + sourceA},
		{method: get, target: "/api/knowledge/sources/" + sourceA + "/documents"},
		{method: get, target: "/api/knowledge/sources/" + sourceA + "/documents/" + documentA},
		{method: post, target: "/api/knowledge/sources/" + sourceA + "/crawl"},
		{method: post, target: "/api/knowledge/sources/" + sourceA + "/documents/" + documentA + "/remove"},
		{method: post, target: "/api/knowledge/sources/" + sourceA + "/remove"},
		{method: post, target: "/api/knowledge/ingest", body: `{"name":"a.txt","text":"x","sourceId":"` + sourceA + `"}`},
		{method: post, target: "/api/admin/erasures", body: `{"kind":"task","id":"` + taskA + `","reason":"asked"}`},
	} {
		a.token = tokenA
		if w := send(t, s, a); w.Code != 200 {
			t.Errorf("%s %s = %d: %s", a.method, a.target, w.Code, w.Body)
		}
	}
}

func TestEveryRouteButThePublicOnesNeedsAToken(t *testing.T) {
	t.Parallel()
	s := newWorld().server()
	server := httptest.NewServer(s)
	defer server.Close()
	public := map[string]bool{
		"POST /api/v1/auth/login": true, "POST /api/v1/auth/invite/accept": true,
		"GET /api/health": true, "GET /api/health/live": true, "GET /api/health/ready": true,
	}
	for _, r := range apitest.Routes(t, server.URL) {
		if r.Public != public[r.String()] {
			t.Errorf("%s: described as public: %v", r, r.Public)
		}
		if public[r.String()] {
			continue
		}
		fresh := newWorld().server() // which counts no requests of other routes
		for name, header := range map[string]string{
			"no header": "", "no token": "Bearer", "another scheme": "Basic " + tokenA,
			"an unknown token": "Bearer nope", "a long token": "Bearer " + string(make([]byte, 600)),
		} {
			w := send(t, fresh, ask{method: r.Method, target: r.Path, header: map[string]string{"Authorization": header}})
			if e := failure(t, w); w.Code != 401 || e.Code != "UNAUTHORIZED" || w.Header().Get("WWW-Authenticate") != "Bearer" {
				t.Errorf("%s with %s = %d %s", r, name, w.Code, w.Body)
			}
		}
	}
}
