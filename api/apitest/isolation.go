package apitest

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// IDs of one tenant: a task, a session and a model call of the task that exist, a user,
// an open invitation, a login, an erasure, the tenant itself, a source of what it knows
// and a document of that.
type IDs struct {
	TaskID, SessionID, UserID, CallID, InviteID, LoginID, ErasureID, TenantID string
	SourceID, DocumentID                                                      string
}

// nowhere are ids of nothing.
func nowhere() IDs {
	return IDs{anotherID(), anotherID(), anotherID(), anotherID(), anotherID(), anotherID(), anotherID(), anotherID(), anotherID(), anotherID()}
}

// probe is a request that names somebody else's thing. {taskId}, {sessionId} and the like
// stand for the ids.
type probe struct {
	id     string // the parameter or body field it fills
	target string
	body   string
	from   string // the address it is forwarded for, "" for none
}

// probes has an entry for every route: how its ids are filled, or that it has
// none.
var probes = map[string][]probe{
	"POST /api/v1/auth/login":                  nil,
	"GET /api/v1/auth/session":                 nil,
	"POST /api/v1/auth/logout":                 nil,
	"POST /api/v1/auth/invite/accept":          nil,
	"POST /api/v1/auth/password":               nil,
	"GET /api/v1/auth/logins":                  nil,
	"POST /api/v1/auth/logins/revoke":          nil,
	"GET /api/admin/tenant":                    nil,
	"POST /api/admin/tenant/domains":           nil,
	"GET /api/admin/users":                     nil,
	"GET /api/admin/invites":                   nil,
	"POST /api/admin/invites":                  nil,
	"GET /api/usage/statements":                nil,
	"GET /api/usage/statements/{month}":        nil,
	"POST /api/usage/statements/{month}/issue": nil,
	"POST /api/v1/auth/logins/{loginId}/revoke": {
		{id: "loginId", target: "/api/v1/auth/logins/{loginId}/revoke"},
	},
	"POST /api/admin/users/{userId}/role": {
		{id: "userId", target: "/api/admin/users/{userId}/role", body: `{"role":"member"}`},
	},
	"POST /api/admin/users/{userId}/disable": {
		{id: "userId", target: "/api/admin/users/{userId}/disable"},
	},
	"POST /api/admin/users/{userId}/enable": {
		{id: "userId", target: "/api/admin/users/{userId}/enable"},
	},
	"POST /api/admin/users/{userId}/revoke": {
		{id: "userId", target: "/api/admin/users/{userId}/revoke"},
	},
	"POST /api/admin/invites/{inviteId}/revoke": {
		{id: "inviteId", target: "/api/admin/invites/{inviteId}/revoke"},
	},
	"GET /api/admin/audit": {
		{id: "userId", target: "/api/admin/audit?userId={userId}"},
	},
	"GET /api/admin/erasures": nil,
	"POST /api/admin/erasures": {
		{id: "id", target: "/api/admin/erasures", body: `{"kind":"task","id":"{taskId}","reason":"asked"}`},
		{id: "id", target: "/api/admin/erasures", body: `{"kind":"user","id":"{userId}","reason":"asked"}`},
		{id: "id", target: "/api/admin/erasures", body: `{"kind":"tenant","id":"{tenantId}","reason":"asked"}`},
	},
	"GET /api/admin/erasures/{erasureId}": {
		{id: "erasureId", target: "/api/admin/erasures/{erasureId}"},
	},
	"GET /api/v1/user/preferences":   nil,
	"POST /api/v1/user/preferences":  nil,
	"GET /api/session":               nil,
	"GET /api/session/latest":        nil,
	"GET /api/health":                nil,
	"GET /api/health/live":           nil,
	"GET /api/health/ready":          nil,
	"GET /api/debug/calibration":     nil,
	"GET /api/debug/skills":          nil,
	"GET /api/debug/projections":     nil,
	"GET /api/usage/budget":          nil,
	"GET /api/knowledge/resolve":     nil,
	"GET /api/debug/tasks":           nil,
	"GET /api/knowledge/search":      nil,
	"GET /api/knowledge/sources":     nil,
	"POST /api/knowledge/seen":       nil,
	"POST /api/knowledge/index-link": nil,
	"POST /api/knowledge/ingest": {
		{id: "sourceId", target: "/api/knowledge/ingest", body: `{"name":"a.txt","text":"x","sourceId":"{sourceId}"}`},
	},
	"GET /api/knowledge/sources/{sourceId}": {
		{id: "sourceId", target: "/api/knowledge/sources/{sourceId}"},
	},
	"POST /api/knowledge/sources/{sourceId}/crawl": {
		{id: "sourceId", target: "/api/knowledge/sources/{sourceId}/crawl"},
	},
	"POST /api/knowledge/sources/{sourceId}/remove": {
		{id: "sourceId", target: "/api/knowledge/sources/{sourceId}/remove"},
	},
	"GET /api/knowledge/sources/{sourceId}/documents": {
		{id: "sourceId", target: "/api/knowledge/sources/{sourceId}/documents"},
		{id: "sourceId", target: "/api/knowledge/sources/{sourceId}/documents?status=indexed"},
	},
	"GET /api/knowledge/sources/{sourceId}/documents/{documentId}": {
		{id: "sourceId", target: "/api/knowledge/sources/{sourceId}/documents/{documentId}"},
		{id: "documentId", target: "/api/knowledge/sources/{sourceId}/documents/{documentId}"},
	},
	"POST /api/knowledge/sources/{sourceId}/documents/{documentId}/remove": {
		{id: "sourceId", target: "/api/knowledge/sources/{sourceId}/documents/{documentId}/remove"},
		{id: "documentId", target: "/api/knowledge/sources/{sourceId}/documents/{documentId}/remove"},
	},
	// They name a read model, which is everybody's; what is put aside is the caller's.
	"GET /api/debug/projections/parked":              nil,
	"POST /api/debug/projections/{projection}/retry": nil,
	"GET /api/debug/tasks/{taskId}/replay": {
		{id: "taskId", target: "/api/debug/tasks/{taskId}/replay"},
	},
	"GET /api/debug/tasks/{taskId}/bisect": {
		{id: "taskId", target: "/api/debug/tasks/{taskId}/bisect?condition=%2Fstatus%20%3D%20active"},
	},
	"POST /api/debug/tasks/{taskId}/forks": {
		{id: "taskId", target: "/api/debug/tasks/{taskId}/forks", body: `{"turn":1}`},
	},
	"POST /api/agent/interact": {
		{id: "taskId", target: "/api/agent/interact", body: `{"url":"https://example.com/","dom":"<p>x</p>","taskId":"{taskId}"}`},
		{id: "sessionId", target: "/api/agent/interact", body: `{"url":"https://example.com/","dom":"<p>x</p>","query":"look","sessionId":"{sessionId}"}`},
	},
	"POST /api/task/{taskId}/stop": {
		{id: "taskId", target: "/api/task/{taskId}/stop"},
	},
	"POST /api/task/{taskId}/cancel": {
		{id: "taskId", target: "/api/task/{taskId}/cancel"},
	},
	"POST /api/task/{taskId}/resume": {
		{id: "taskId", target: "/api/task/{taskId}/resume"},
	},
	"POST /api/session": {
		{id: "sessionId", target: "/api/session", body: `{"sessionId":"{sessionId}"}`},
	},
	"GET /api/session/{sessionId}/messages": {
		{id: "sessionId", target: "/api/session/{sessionId}/messages"},
		{id: "sessionId", target: "/api/session/{sessionId}/messages?includeArchived=true"},
	},
	"GET /api/session/{sessionId}/task/active": {
		{id: "sessionId", target: "/api/session/{sessionId}/task/active"},
	},
	"GET /api/usage/summary": {
		{id: "taskId", target: "/api/usage/summary?taskId={taskId}"},
		{id: "sessionId", target: "/api/usage/summary?sessionId={sessionId}"},
		{id: "userId", target: "/api/usage/summary?userId={userId}"},
	},
	"GET /api/usage/calls": {
		{id: "taskId", target: "/api/usage/calls?taskId={taskId}"},
		{id: "sessionId", target: "/api/usage/calls?sessionId={sessionId}"},
		{id: "userId", target: "/api/usage/calls?userId={userId}"},
	},
	"GET /api/usage/export": {
		{id: "taskId", target: "/api/usage/export?taskId={taskId}"},
		{id: "sessionId", target: "/api/usage/export?sessionId={sessionId}"},
		{id: "userId", target: "/api/usage/export?userId={userId}"},
	},
	"GET /api/debug/tasks/{taskId}/events": {
		{id: "taskId", target: "/api/debug/tasks/{taskId}/events"},
	},
	"GET /api/debug/tasks/{taskId}/state": {
		{id: "taskId", target: "/api/debug/tasks/{taskId}/state"},
		{id: "taskId", target: "/api/debug/tasks/{taskId}/state?revision=0"},
		{id: "taskId", target: "/api/debug/tasks/{taskId}/state?at=2999-01-01T00:00:00Z"},
	},
	"GET /api/debug/tasks/{taskId}/turns": {
		{id: "taskId", target: "/api/debug/tasks/{taskId}/turns"},
	},
	"GET /api/debug/tasks/{taskId}/turns/{turn}": {
		{id: "taskId", target: "/api/debug/tasks/{taskId}/turns/1"},
	},
	"GET /api/debug/tasks/{taskId}/turns/{turn}/page": {
		{id: "taskId", target: "/api/debug/tasks/{taskId}/turns/1/page"},
	},
	"GET /api/debug/tasks/{taskId}/calls/{callId}": {
		{id: "taskId", target: "/api/debug/tasks/{taskId}/calls/{callId}"},
		{id: "callId", target: "/api/debug/tasks/{taskId}/calls/{callId}"},
	},
	"GET /api/debug/tasks/{taskId}/graph": {
		{id: "taskId", target: "/api/debug/tasks/{taskId}/graph"},
		{id: "taskId", target: "/api/debug/tasks/{taskId}/graph?turn=1"},
	},
	"GET /api/debug/compare": {
		{id: "a", target: "/api/debug/compare?a={taskId}&b={taskId}"},
		{id: "b", target: "/api/debug/compare?b={taskId}&a={taskId}"},
	},
	"GET /api/debug/tasks/{taskId}/diff": {
		{id: "taskId", target: "/api/debug/tasks/{taskId}/diff"},
		{id: "taskId", target: "/api/debug/tasks/{taskId}/diff?from=0&to=1"},
	},
	"GET /api/debug/logs": {
		{id: "taskId", target: "/api/debug/logs?taskId={taskId}"},
		{id: "taskId", target: "/api/debug/logs?taskId={taskId}&logType=error"},
	},
	"GET /api/debug/session/{taskId}/export": {
		{id: "taskId", target: "/api/debug/session/{taskId}/export"},
	},
	"POST /api/debug/tasks/{taskId}/pause": {
		{id: "taskId", target: "/api/debug/tasks/{taskId}/pause", body: `{"note":"x"}`},
		{id: "taskId", target: "/api/debug/tasks/{taskId}/pause", body: `{"kind":"takeover"}`},
	},
	"POST /api/debug/tasks/{taskId}/resume": {
		{id: "taskId", target: "/api/debug/tasks/{taskId}/resume", body: `{"note":"x"}`},
	},
	"GET /api/debug/tasks/{taskId}/fields": {
		{id: "taskId", target: "/api/debug/tasks/{taskId}/fields"},
	},
}

// TenantIsolation asks every route of the server for things of another tenant.
// The answer has to be 404, and the same as for things that do not exist at
// all: nobody learns that they do. A route without an entry in the table here,
// or with an id its entry does not fill, fails the test.
func TenantIsolation(t *testing.T, base, token string, theirs IDs) {
	t.Helper()
	for _, r := range Routes(t, base) {
		t.Run(strings.ReplaceAll(r.String(), "/", "·"), func(t *testing.T) {
			for _, gap := range gaps(r) {
				t.Error(gap)
			}
			for _, p := range probes[r.String()] {
				p.run(t, r.Method, base, token, theirs)
			}
		})
	}
}

// gaps says what of a route the table of probes leaves out.
func gaps(r Route) (gaps []string) {
	entry, ok := probes[r.String()]
	if !ok {
		return []string{"no entry in apitest.probes: say how its ids are filled, or that it has none"}
	}
	for _, id := range r.IDs {
		if !slices.ContainsFunc(entry, func(p probe) bool { return p.id == id }) {
			gaps = append(gaps, "its entry in apitest.probes does not fill "+id)
		}
	}
	return gaps
}

func (p probe) run(t *testing.T, method, base, token string, theirs IDs) {
	t.Helper()
	status, got := p.send(t, method, base, token, theirs)
	if status != http.StatusNotFound {
		t.Errorf("%s with another tenant's %s: status %d, want 404: %s", p.target, p.id, status, got)
	}
	if _, want := p.send(t, method, base, token, nowhere()); got != want {
		t.Errorf("%s tells another tenant's %s from one that does not exist:\n%s\n%s", p.target, p.id, got, want)
	}
}

func (p probe) send(t *testing.T, method, base, token string, ids IDs) (status int, body string) {
	t.Helper()
	fill := strings.NewReplacer("{taskId}", ids.TaskID, "{sessionId}", ids.SessionID, "{userId}", ids.UserID, "{callId}", ids.CallID,
		"{inviteId}", ids.InviteID, "{loginId}", ids.LoginID, "{erasureId}", ids.ErasureID, "{tenantId}", ids.TenantID,
		"{sourceId}", ids.SourceID, "{documentId}", ids.DocumentID)
	req, err := http.NewRequestWithContext(t.Context(), method, base+fill.Replace(p.target), strings.NewReader(fill.Replace(p.body)))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	if p.from != "" {
		req.Header.Set("X-Forwarded-For", p.from)
	}
	if p.body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(raw)
}
