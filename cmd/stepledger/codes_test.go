package main

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stepledger/stepledger/api"
	"github.com/stepledger/stepledger/api/apitest"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/account"
	"github.com/stepledger/stepledger/internal/identity"
)

// elsewhere are the codes that take a story of their own, with the tests that tell it.
var elsewhere = map[string]string{
	"MAX_STEPS_EXCEEDED":            "cmd/stepledger/branches_limit_test.go",
	"CONSECUTIVE_FAILURES_EXCEEDED": "cmd/stepledger/branches_limit_test.go",
	"MAX_RETRIES_EXCEEDED":          "cmd/stepledger/branches_test.go",
	"FORBIDDEN":                     "cmd/stepledger/people_test.go",
	"QUOTA_EXCEEDED":                "cmd/stepledger/budget_test.go",
	"LLM_ERROR":                     "cmd/stepledger/branches_failure_test.go",
	"TOO_COMPLEX":                   "commands/interact/budget_test.go",
	"UNSETTLED":                     "domain/task/unsettled_test.go",
	"TASK_STOPPED":                  "commands/interact/stop_test.go",
	"SERVER_BUSY":                   "api/drain_test.go",
	"EXTERNAL_SERVICE_ERROR":        "api/server_test.go",
	"EXPORTS_BUSY":                  "internal/billing/finance_test.go",
	"NEWER_VERSION":                 "cmd/stepledger/newer_test.go",
}

// Every code that is documented is an answer of the running server: here, or in the
// test that is named. INTERNAL_ERROR is nobody's to ask for. DATABASE_ERROR and
// USAGE_BUILDING take a database that is gone or a read model that is not built.
func TestCodes_AreProduced(t *testing.T) {
	t.Parallel()
	s := newChangedServer(t, newFakeGemini(t).env(), hooks{}, func(c *config) { c.Limits.MaxTokens = 6000 })
	produced := map[string]bool{"INTERNAL_ERROR": true, "DATABASE_ERROR": true, "USAGE_BUILDING": true}
	for code, file := range elsewhere {
		produced[code] = mentions(t, file, code)
	}
	task := newPursuit()
	if err := task.step(t.Context(), s.client); err != nil {
		t.Fatal(err)
	}
	for _, c := range codeCases(t, s, task) {
		r, err := c.from.do(t.Context(), c.method, c.path, c.body, c.header)
		if err != nil {
			t.Fatal(err)
		}
		if r.code() != c.code || r.status != c.status {
			t.Errorf("%s %s is to be %d %s: %d %s", c.method, c.path, c.status, c.code, r.status, r.body)
		}
		produced[c.code] = true
	}
	for code, r := range map[string]reply{"RATE_LIMIT": floodLogin(t, s), "MAX_TOKENS_EXCEEDED": spendTokens(t, s), "TASK_COMPLETED": goOnAfterTheEnd(t, s)} {
		if r.code() != code {
			t.Errorf("%d %s, want %s", r.status, r.body, code)
		}
		produced[code] = true
	}
	for _, code := range apitest.DocumentedCodes(t) {
		if !produced[code] {
			t.Errorf("nothing produces %s", code)
		}
	}
}

type codeCase struct {
	code         string
	status       int
	from         client
	method, path string
	body         any
	header       map[string]string
}

// codeCases are requests that are refused, in an order that matters: the task is paused
// at the end.
func codeCases(t *testing.T, s *server, p *pursuit) []codeCase {
	t.Helper()
	const off = "off@acme.example"
	tenant := data[api.SessionData](t, s.get(t, "/api/v1/auth/session")).TenantID
	user := identity.NewUser{TenantID: tenant, Email: off, Name: "Off", Role: account.Member, Password: testPassword}
	id, err := s.identity.CreateUser(t.Context(), account.Actor{}, user)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.identity.Disable(t.Context(), account.Actor{}, tenant, id); err != nil {
		t.Fatal(err)
	}
	login := func(email, password string) map[string]string {
		return map[string]string{"email": email, "password": password}
	}
	key := map[string]string{"Idempotency-Key": p.exchanges[0].key}
	page := func(more ...string) map[string]any {
		b := map[string]any{"url": clinicURL, "dom": p.page.dom(), "query": "Press Save"}
		for i := 0; i < len(more); i += 2 {
			b[more[i]] = more[i+1]
		}
		return b
	}
	const get, post, interact = http.MethodGet, http.MethodPost, "/api/agent/interact"
	nobody, debug := client{base: s.base}, "/api/debug/tasks/"+p.task
	return []codeCase{
		{"VALIDATION_ERROR", 400, s.client, get, "/api/session?limit=0", nil, nil},
		{"INVALID_REQUEST", 400, s.client, post, interact, []byte(`{`), nil},
		{"INVALID_ACTION_FORMAT", 400, s.client, post, interact, map[string]any{"url": clinicURL, "dom": "<p>x</p>", "query": "q", "lastActionError": map[string]string{"action": "explode(1)"}}, nil},
		{"STATEMENT_NOT_DUE", 409, s.client, post, "/api/usage/statements/" + time.Now().UTC().AddDate(0, 1, 0).Format("2006-01") + "/issue", nil, nil},
		{"UNAUTHORIZED", 401, nobody, get, "/api/session", nil, nil},
		{"INVALID_CREDENTIALS", 401, nobody, post, "/api/v1/auth/login", login("nobody@acme.example", "x"), nil},
		{"ACCOUNT_DISABLED", 403, nobody, post, "/api/v1/auth/login", login(off, testPassword.Reveal()), nil},
		{"NOT_FOUND", 404, s.client, get, "/api/nothing", nil, nil},
		{"TASK_NOT_FOUND", 404, s.client, post, interact, page("taskId", domain.NewUUID()), nil},
		{"SESSION_NOT_FOUND", 404, s.client, get, "/api/session/" + domain.NewUUID() + "/messages", nil, nil},
		{"CALL_NOT_FOUND", 404, s.client, get, debug + "/calls/" + domain.NewUUID(), nil, nil},
		{"PROJECTION_NOT_FOUND", 404, s.client, get, "/api/debug/projections/parked?projection=none", nil, nil},
		{"RESOURCE_CONFLICT", 409, s.client, post, interact, page(), key},
		{"TIMEOUT", 503, s.client, get, "/api/session?atLeast=1000000000", nil, nil},
		{"", 200, s.client, post, debug + "/pause", map[string]string{}, nil},
		{"TASK_PAUSED", 409, s.client, post, interact, page("taskId", p.task), nil},
	}
}

// floodLogin tries passwords until that is refused.
func floodLogin(t *testing.T, s *server) (r reply) {
	t.Helper()
	for range 30 {
		if r = (client{base: s.base}).post(t, "/api/v1/auth/login", map[string]string{"email": "guessed@acme.example", "password": "x"}, nil); r.status == http.StatusTooManyRequests {
			break
		}
	}
	return r
}

// spendTokens goes on with a task until its model calls have used what they may.
func spendTokens(t *testing.T, s *server) (r reply) {
	t.Helper()
	p := newModelPursuit()
	p.query = "Find out who is the youngest and tell me why"
	for range 20 {
		_, body := p.request()
		r = s.post(t, "/api/agent/interact", body, nil)
		if r.status != http.StatusOK {
			break
		}
		type answer struct{ TaskID, SessionID string }
		a := data[answer](t, r)
		p.task, p.session, p.pending, p.query = a.TaskID, a.SessionID, nil, p.query+"."
	}
	return r
}

// goOnAfterTheEnd asks for more of a task that is done.
func goOnAfterTheEnd(t *testing.T, s *server) reply {
	t.Helper()
	p := newModelPursuit()
	p.finish(t, s.client)
	return s.post(t, "/api/agent/interact", map[string]string{"url": p.page.url(), "dom": p.page.dom(), "taskId": p.task}, nil)
}

// mentions reports whether a test names a code, as text or as its constant.
func mentions(t *testing.T, file, code string) bool {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(apitest.Root(t), file))
	if err != nil {
		t.Fatal(err)
	}
	constants := map[string]string{"QUOTA_EXCEEDED": "CodeQuotaExceeded", "TOO_COMPLEX": "CodeTooComplex", "UNSETTLED": "CodeSubmitUndecided", "TASK_STOPPED": "CodeTaskStopped", "NEWER_VERSION": "CodeNewerVersion"}
	return slices.ContainsFunc([]string{`"` + code + `"`, "domain." + constants[code]}, func(name string) bool { return name != "domain." && strings.Contains(string(text), name) })
}
