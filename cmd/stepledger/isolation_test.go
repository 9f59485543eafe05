package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stepledger/stepledger/api"
	"github.com/stepledger/stepledger/api/apitest"
	"github.com/stepledger/stepledger/domain/account"
	"github.com/stepledger/stepledger/internal/identity"
)

// Every route the server describes is asked for the ids of another tenant; a
// route that is new and not in apitest's table fails the test. The owner, who
// asks the same, finds all of it: what is hidden is there.
func TestTenantIsolation(t *testing.T) {
	t.Parallel()
	s := newModelServer(t, newFakeGemini(t), hooks{})
	p := newPursuit()
	if err := p.step(t.Context(), s.client); err != nil { // a task that goes on: the active one
		t.Fatal(err)
	}
	s.catchUp(t)
	owner := data[api.SessionData](t, s.get(t, "/api/v1/auth/session"))
	calls := data[api.UsageCallsData](t, s.get(t, "/api/usage/calls?taskId="+p.task)).Calls
	if len(calls) == 0 {
		t.Fatal("the owner's task has no model calls")
	}
	theirs := apitest.IDs{TaskID: p.task, SessionID: p.session, CallID: calls[0].CallID, TenantID: owner.TenantID}
	s.addPeople(t, owner, &theirs)
	file := s.known(t)
	theirs.SourceID, theirs.DocumentID = file.SourceID, file.DocumentID
	s.catchUp(t)
	stranger := s.loginAs(t, newUser(t, s.identity, "eve@globex.example"))
	heard := eavesdrop(t, s.base)
	apitest.TenantIsolation(t, heard.base, stranger.token, theirs)
	ids := []string{theirs.TaskID, theirs.SessionID, theirs.UserID, theirs.CallID, theirs.InviteID, theirs.LoginID, theirs.ErasureID, theirs.SourceID, theirs.DocumentID, owner.User.ID, owner.TenantID}
	t.Run("what a stranger is listed", func(t *testing.T) {
		strangersLists(t, stranger, ids)
	})
	t.Run("what the owner is shown", func(t *testing.T) {
		if seen := data[api.CalibrationData](t, s.get(t, "/api/debug/calibration")); len(seen.Actions) == 0 {
			t.Error("the owner's calibration has no actions")
		}
		asked := heard.about(ids)
		if len(asked) == 0 {
			t.Error("no question named anything of the owner's")
		}
		for _, q := range asked {
			r, err := s.do(t.Context(), q.method, q.target, q.body, nil)
			if err != nil || r.status == http.StatusNotFound || r.status >= http.StatusInternalServerError {
				t.Errorf("%s %s %s: status %d (%v): %s", q.method, q.target, q.body, r.status, err, r.body)
			}
		}
	})
}

// addPeople gives the owner's tenant a colleague, an open invitation and an erasure, and
// the owner a second login.
func (s *server) addPeople(t *testing.T, owner api.SessionData, ids *apitest.IDs) {
	t.Helper()
	colleague := identity.NewUser{TenantID: owner.TenantID, Email: "kim@acme.example", Role: account.Member, Password: testPassword}
	var err error
	if ids.UserID, err = s.identity.CreateUser(t.Context(), account.Actor{}, colleague); err != nil {
		t.Fatal(err)
	}
	ids.InviteID = data[api.InvitedData](t, s.post(t, "/api/admin/invites", map[string]any{"email": "lee@acme.example"}, nil)).InviteID
	second, err := s.identity.Login(t.Context(), owner.User.Email, testPassword, account.Client{})
	if err != nil {
		t.Fatal(err)
	}
	ids.LoginID = second.Principal.LoginID
	gone := identity.NewUser{TenantID: owner.TenantID, Email: "max@acme.example", Role: account.Member, Password: testPassword}
	id, err := s.identity.CreateUser(t.Context(), account.Actor{}, gone)
	if err != nil {
		t.Fatal(err)
	}
	ids.ErasureID = data[api.ErasureEntry](t, s.post(t, "/api/admin/erasures", map[string]any{"kind": "user", "id": id, "reason": "left"}, nil)).ErasureID
}

// strangersLists asks for what names nobody: lists and sums are of the caller's
// own.
func strangersLists(t *testing.T, stranger client, ids []string) {
	t.Helper()
	targets := []string{"/api/session?includeArchived=true", "/api/session/latest", "/api/v1/auth/session", "/api/debug/projections/parked", "/api/debug/calibration", "/api/debug/tasks", "/api/debug/logs", "/api/debug/skills", "/api/debug/projections", "/api/usage/budget",
		"/api/admin/tenant", "/api/admin/users", "/api/admin/invites", "/api/admin/audit?limit=1000", "/api/v1/auth/logins", "/api/usage/statements", "/api/admin/erasures",
		"/api/knowledge/sources", "/api/knowledge/search?q=gift+card"}
	for _, by := range []string{"user", "session", "task", "model"} {
		targets = append(targets, "/api/usage/summary?groupBy="+by)
	}
	for _, target := range targets {
		r := stranger.get(t, target)
		for _, id := range ids {
			if strings.Contains(string(r.body), id) {
				t.Errorf("GET %s tells of %s: %s", target, id, r.body)
			}
		}
	}
	sum := data[api.UsageData](t, stranger.get(t, "/api/usage/summary?groupBy=model"))
	if sum.Totals != (api.UsageTotals{CostUSD: "0"}) || len(sum.Groups) != 0 {
		t.Errorf("a stranger's usage is %+v", sum)
	}
	seen := data[api.CalibrationData](t, stranger.get(t, "/api/debug/calibration"))
	if len(seen.Checkpoints)+len(seen.Actions)+seen.Chains.Chains > 0 {
		t.Errorf("a stranger's calibration is %+v", seen)
	}
}

// question is a request as it went by.
type question struct {
	method, target string
	body           []byte
}

// eavesdropper is a way to a server that notes what is asked.
type eavesdropper struct {
	base string
	mu   sync.Mutex
	all  []question
}

func eavesdrop(t *testing.T, base string) *eavesdropper {
	t.Helper()
	to, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	e := &eavesdropper{}
	proxy := httputil.NewSingleHostReverseProxy(to)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		e.note(question{r.Method, r.URL.RequestURI(), body})
		r.Body = io.NopCloser(bytes.NewReader(body))
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(srv.Close)
	e.base = srv.URL
	return e
}

func (e *eavesdropper) note(q question) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.all = append(e.all, q)
}

// about are the questions that named one of the ids: first those that change nothing, and
// last those that archive, remove and erase what they are about.
func (e *eavesdropper) about(ids []string) []question {
	e.mu.Lock()
	defer e.mu.Unlock()
	named := slices.DeleteFunc(slices.Clone(e.all), func(q question) bool {
		return !slices.ContainsFunc(ids, func(id string) bool { return strings.Contains(q.target+string(q.body), id) })
	})
	order := func(q question) int {
		switch {
		case q.method == http.MethodGet:
			return 0
		case q.target == "/api/session", strings.HasSuffix(q.target, "/remove") && strings.Contains(q.target, "/documents/"):
			return 2
		case q.target == "/api/admin/erasures", strings.HasSuffix(q.target, "/remove"):
			return 3
		}
		return 1
	}
	slices.SortStableFunc(named, func(a, b question) int { return order(a) - order(b) })
	return named
}
