package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/api"
	"github.com/stepledger/stepledger/commands/interact"
	"github.com/stepledger/stepledger/domain/account"
	"github.com/stepledger/stepledger/internal/identity"
)

// The first answer may be a question, before the task is in any list. Its ids were
// given out, so who asked can read what they name; nobody else can.
func TestProvisional_IsReadByWhoWasGivenItsIDs(t *testing.T) {
	t.Parallel()
	s := newServer(t, hooks{})
	body := map[string]any{"url": clinicURL, "query": "click Go", "dom": `<button id="1">Go</button><button id="2">Go</button>`}
	r := s.post(t, "/api/agent/interact", body, nil)
	a := data[interact.Answer](t, r)
	if a.Status != "needs_user_input" {
		t.Fatalf("%s", r.body)
	}
	position := r.header.Get("X-Event-Position")
	messages := "/api/session/" + a.SessionID + "/messages"
	own := []string{
		messages, "/api/session/" + a.SessionID + "/task/active", "/api/usage/summary?taskId=" + a.TaskID, "/api/usage/summary?sessionId=" + a.SessionID,
		"/api/debug/tasks/" + a.TaskID + "/events", "/api/debug/tasks/" + a.TaskID + "/state",
	}
	for _, path := range own {
		if got := s.atLeastOf(t, position, path); got.status != http.StatusOK {
			t.Errorf("%s: %d %s", path, got.status, got.body)
		}
	}
	m := data[api.MessagesData](t, s.get(t, messages))
	if len(m.Messages) != 2 || m.Total != 2 || m.Messages[0].Content != "click Go" || m.Messages[0].SequenceNumber != 0 || m.Messages[1].SequenceNumber != 1 {
		t.Errorf("messages %+v", m)
	}
	if active := data[api.ActiveTaskData](t, s.get(t, own[1])); active.TaskID != a.TaskID {
		t.Errorf("active task %+v, want %s", active, a.TaskID)
	}
	if list := data[api.SessionsData](t, s.get(t, "/api/session?includeArchived=true")); len(list.Sessions) != 0 {
		t.Errorf("it is listed: %+v", list)
	}
	owner := data[api.SessionData](t, s.get(t, "/api/v1/auth/session"))
	colleague := identity.NewUser{TenantID: owner.TenantID, Email: "kim@acme.example", Name: "Kim", Role: account.Admin, Password: testPassword}
	if _, err := s.identity.CreateUser(t.Context(), account.Actor{}, colleague); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]client{"a colleague": s.loginAs(t, colleague.Email), "a stranger": s.loginAs(t, newUser(t, s.identity, "eve@globex.example"))} {
		for _, path := range own[:2] {
			if got := c.get(t, path); got.status != http.StatusNotFound {
				t.Errorf("%s, %s: %d", name, path, got.status)
			}
		}
	}
	reply := map[string]any{"url": clinicURL, "query": "the second", "dom": body["dom"], "taskId": a.TaskID, "sessionId": a.SessionID}
	s.post(t, "/api/agent/interact", reply, nil)
	s.catchUp(t)
	after := data[api.MessagesData](t, s.get(t, messages))
	if len(after.Messages) < 3 || after.Messages[0].MessageID != m.Messages[0].MessageID || after.Messages[1].MessageID != m.Messages[1].MessageID {
		t.Errorf("after the answer: %+v", after)
	}
}

// atLeastOf is atLeast for the reads that know it.
func (c client) atLeastOf(t testing.TB, position, path string) reply {
	t.Helper()
	if strings.HasPrefix(path, "/api/debug") {
		return c.get(t, path)
	}
	return c.atLeast(t, position, path)
}

// Whoever has no token is told no a minute's worth of times, and then only when to
// come again; who has one is served from the same address.
func TestStrangers_AreLimited(t *testing.T) {
	t.Parallel()
	s := newServer(t, hooks{})
	statuses := map[int]int{}
	for i := range 120 {
		c := client{base: s.base, token: []string{"", "guessed"}[i%2]}
		r, err := c.do(t.Context(), http.MethodGet, "/api/session", nil, map[string]string{"X-Forwarded-For": fmt.Sprintf("203.0.113.%d", i)})
		if err != nil {
			t.Fatal(err)
		}
		statuses[r.status]++
		if r.header.Get("X-RateLimit-Limit") != "60" || r.status == http.StatusTooManyRequests && r.header.Get("Retry-After") == "" {
			t.Fatalf("request %d: %d %v", i+1, r.status, r.header)
		}
	}
	if statuses[http.StatusUnauthorized] < 60 || statuses[http.StatusTooManyRequests] < 30 {
		t.Errorf("statuses %v", statuses)
	}
	if r := s.get(t, "/api/session"); r.status != http.StatusOK {
		t.Errorf("with a token: %d", r.status)
	}
}

// A database that takes no writes is no place to send requests to, though it answers.
func TestHealth_WhereNothingCanBeWritten(t *testing.T) {
	t.Parallel()
	s := newServer(t, hooks{})
	health := func() int { return s.get(t, "/api/health").status }
	if got := health(); got != http.StatusOK {
		t.Fatalf("before: %d", got)
	}
	readOnly(t, s.url, "on")
	began := time.Now()
	eventually(t, "not ready", func() bool { return health() == http.StatusServiceUnavailable })
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("not ready after %v", took)
	}
	readOnly(t, s.url, "off")
	eventually(t, "ready again", func() bool { return health() == http.StatusOK })
}

// readOnly has a database take no writes from now on, as a full disk or a standby
// does, or take them again.
func readOnly(t *testing.T, url, value string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	var name string
	if err := conn.QueryRow(t.Context(), `select quote_ident(current_database())`).Scan(&name); err != nil {
		t.Fatal(err)
	}
	for _, sql := range []string{"set default_transaction_read_only = off", "alter database " + name + " set default_transaction_read_only = " + value} {
		if _, err := conn.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	disconnect(t, url)
}
