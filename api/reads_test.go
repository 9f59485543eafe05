package api

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	ledger "github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/projections/usage"
)

func TestParameters_AreChecked(t *testing.T) {
	t.Parallel()
	s := newWorld().server()
	session, task := "/api/session/"+sessionA, "/api/debug/tasks/"+taskA
	for target, field := range map[string]string{
		"/api/session?limit=0": "limit", "/api/session?limit=101": "limit", "/api/session?limit=ten": "limit",
		"/api/session?offset=-1": "offset", "/api/session?status=done": "status", "/api/session?includeArchived=maybe": "includeArchived",
		"/api/session?atLeast=-1": "atLeast", "/api/session?atLeast=x": "atLeast", "/api/session?atLeast=99999999999999999999": "atLeast",
		"/api/session/latest?status=archived": "status",
		"/api/session/42/messages":            "sessionId", "/api/session/%00/messages": "sessionId",
		"/api/session/%7B" + sessionA + "%7D/messages": "sessionId",
		session + "/messages?limit=201":                "limit", session + "/messages?since=yesterday": "since",
		"/api/session/42/task/active": "sessionId", session + "/task/active?url=" + strings.Repeat("x", 8193): "url",
		session + "/task/active?url=%00": "url",
		"/api/debug/tasks/42/events":     "taskId", task + "/events?from=-1": "from", task + "/events?limit=1001": "limit",
		"/api/debug/tasks/42/state": "taskId", task + "/state?revision=-1": "revision", task + "/state?revision=1.5": "revision",
		"/api/usage/summary?model=%00": "model", "/api/usage/summary?actionType=%ff": "actionType",
		"/api/usage/summary?groupBy=mood": "groupBy", "/api/usage/summary?groupBy=day,day": "groupBy",
		"/api/usage/summary?after=!": "after", "/api/usage/calls?after=e30x": "after", "/api/usage/calls?limit=501": "limit",
		"/api/usage/export?format=xml": "format", "/api/usage/summary?taskId=42": "taskId",
		"/api/usage/summary?from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z":     "to",
		"/api/debug/calibration?from=2026-02-01T00:00:00Z&to=2026-02-01T00:00:00Z": "to", "/api/debug/calibration?to=now": "to",
		"/api/debug/logs?taskId=42": "taskId", "/api/debug/logs?logType=noise": "logType", "/api/debug/logs?limit=1001": "limit", "/api/debug/logs?since=now": "since",
		"/api/debug/logs?since=2026-01-27T11:00:00Z&before=2026-01-27T10:00:00Z": "before", "/api/debug/session/42/export": "taskId",
		"/api/usage/summary?from=now": "from", "/api/usage/summary?timeZone=Nowhere": "timeZone",
	} {
		w := send(t, s, ask{method: get, target: target, token: tokenA})
		if e := failure(t, w); w.Code != http.StatusBadRequest || e.Code != "VALIDATION_ERROR" || e.Details["field"] != field {
			t.Errorf("%s: %d %s, want 400 naming %s", target, w.Code, w.Body, field)
		}
	}
}

func TestParameters_HaveToBeDecodable(t *testing.T) {
	t.Parallel()
	w := send(t, newWorld().server(), ask{method: get, target: "/api/session?status=%zz", token: tokenA})
	wantFailure(t, w, http.StatusBadRequest, "INVALID_REQUEST", "")
}

func TestArchive_RefusesBadInput(t *testing.T) {
	t.Parallel()
	s := newWorld().server()
	for _, body := range []string{`{}`, `{"sessionId":null}`, `{"sessionId":7}`, `{"sessionId":"42"}`} {
		w := send(t, s, ask{method: post, target: "/api/session", token: tokenA, body: body})
		wantFailure(t, w, http.StatusBadRequest, "VALIDATION_ERROR", "sessionId")
	}
}

func TestReads_WaitForTheirProjection(t *testing.T) {
	t.Parallel()
	usual := func(name string) []wait { return []wait{{[]string{name}, 40, 250 * time.Millisecond}} }
	for target, want := range map[string][]wait{
		"/api/session":                              usual("sessions"),
		"/api/session/latest":                       usual("sessions"),
		"/api/session/" + sessionA + "/messages":    usual("sessions"),
		"/api/session/" + sessionA + "/task/active": usual("tasks"),
		"/api/usage/summary":                        usual("usage"),
		"/api/usage/calls":                          usual("usage"),
		"/api/usage/export":                         usual("usage"),
		"/api/debug/calibration":                    usual("calibration"),
		"/api/debug/logs":                           usual("tasks"),
		"/api/debug/logs?taskId=" + taskA:           nil,
		"/api/session?atLeast=77":                   {{[]string{"sessions"}, 77, 5 * time.Second}},
		"/api/debug/tasks/" + taskA + "/state":      nil,
	} {
		w := newWorld()
		res := send(t, w.server(), ask{method: get, target: target, token: tokenA})
		if diff := cmp.Diff(want, w.waits, cmp.AllowUnexported(wait{})); diff != "" || res.Code != http.StatusOK {
			t.Errorf("%s: status %d, waits (-want +got):\n%s", target, res.Code, diff)
		}
		if res.Header().Get("X-Projection-Lag") != "" {
			t.Errorf("%s: X-Projection-Lag without lag", target)
		}
	}
}

// filters notes what usage is asked for.
type filters struct{ got []usage.SummaryFilter }

func (f *filters) Summary(_ context.Context, q usage.SummaryFilter) (usage.Summary, error) {
	f.got = append(f.got, q)
	return usage.Summary{}, nil
}

func (f *filters) Calls(context.Context, usage.CallFilter) (usage.Calls, error) {
	return usage.Calls{}, nil
}

func TestUsage_IsOfTheCallersTenant(t *testing.T) {
	t.Parallel()
	s := newWorld().server()
	f := &filters{}
	s.Usage = f
	w := send(t, s, ask{method: get, token: tokenA, target: "/api/usage/summary?tenant=" + tenantB + "&tenantId=" + tenantB +
		"&taskId=" + taskA + "&sessionId=" + sessionA + "&userId=" + userA +
		"&model=m&actionType=PLANNING&from=2026-01-01T00:00:00Z&to=2026-02-01T00:00:00%2B01:00&groupBy=day,user&timeZone=Asia/Tokyo&limit=7&after=" + cursor([]string{"a", "b"})})
	want := []usage.SummaryFilter{{
		Selection: ledger.Selection{
			Tenant: tenantA, Task: taskA, Session: sessionA, User: userA, Model: "m", Purpose: "PLANNING",
			From: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), To: time.Date(2026, 1, 31, 23, 0, 0, 0, time.UTC),
		},
		GroupBy: []usage.GroupBy{usage.ByDay, usage.ByUser}, Zone: "Asia/Tokyo", Limit: 7, After: []string{"a", "b"},
	}}
	if diff := cmp.Diff(want, f.got); diff != "" || w.Code != http.StatusOK {
		t.Errorf("status %d, filter (-want +got):\n%s", w.Code, diff)
	}
}

func TestHealth(t *testing.T) {
	t.Parallel()
	well := func(context.Context) error { return nil }
	ill := func(context.Context) error { return errors.New("postgres://user:pass@db refused") }
	for name, tt := range map[string]struct {
		checks []Check
		status int
		body   string
	}{
		"all well":                {[]Check{{"postgres", true, well}, {"models", false, well}}, 200, `{"status":"healthy","services":{"models":{"status":"healthy","latencyMs":0},"postgres":{"status":"healthy","latencyMs":0}}}`},
		"something is ill":        {[]Check{{"postgres", true, well}, {"models", false, ill}}, 200, `{"status":"degraded","services":{"models":{"status":"unhealthy","latencyMs":0},"postgres":{"status":"healthy","latencyMs":0}}}`},
		"what all need is ill":    {[]Check{{"postgres", true, ill}, {"models", false, ill}}, 503, `{"status":"unhealthy","services":{"models":{"status":"unhealthy","latencyMs":0},"postgres":{"status":"unhealthy","latencyMs":0}}}`},
		"a probe without a bound": {[]Check{{"models", false, func(context.Context) error { select {} }}}, 200, `{"status":"degraded","services":{"models":{"status":"unhealthy","latencyMs":0}}}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			w.checks = tt.checks
			res := send(t, w.server(), ask{method: get, target: "/api/health"})
			if res.Code != tt.status || res.Body.String() != tt.body+"\n" {
				t.Errorf("health = %d %s, want %d %s", res.Code, res.Body, tt.status, tt.body)
			}
		})
	}
}

func TestLive_AsksNobody(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.checks = []Check{{"postgres", true, func(context.Context) error { select {} }}}
	s := w.server()
	s.Close()
	if res := send(t, s, ask{method: get, target: "/api/health/live"}); res.Code != http.StatusOK || res.Body.String() != `{"status":"live"}`+"\n" {
		t.Errorf("live = %d %s", res.Code, res.Body)
	}
}

func TestReady(t *testing.T) {
	t.Parallel()
	well := func(context.Context) error { return nil }
	ill := func(context.Context) error { return errors.New("refused") }
	for name, tt := range map[string]struct {
		checks []Check
		closed bool
		status int
		body   string
	}{
		"all well":             {[]Check{{"postgres", true, well}, {"models", false, well}}, false, 200, `{"status":"ready","services":{"postgres":{"status":"healthy","latencyMs":0}}}`},
		"turns go on without":  {[]Check{{"postgres", true, well}, {"models", false, ill}}, false, 200, `{"status":"ready","services":{"postgres":{"status":"healthy","latencyMs":0}}}`},
		"what all need is ill": {[]Check{{"postgres", true, ill}}, false, 503, `{"status":"unready","services":{"postgres":{"status":"unhealthy","latencyMs":0}}}`},
		"it is about to stop":  {[]Check{{"postgres", true, well}}, true, 503, `{"status":"stopping","services":{"postgres":{"status":"healthy","latencyMs":0}}}`},
	} {
		w := newWorld()
		w.checks = tt.checks
		s := w.server()
		if tt.closed {
			s.Close()
		}
		if res := send(t, s, ask{method: get, target: "/api/health/ready"}); res.Code != tt.status || res.Body.String() != tt.body+"\n" {
			t.Errorf("%s: %d %s, want %d %s", name, res.Code, res.Body, tt.status, tt.body)
		}
	}
}

func TestHealth_ProbesAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		slow := func(ctx context.Context) error {
			select {
			case <-time.After(time.Second):
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		w := newWorld()
		for _, name := range []string{"a", "b", "c", "d", "e"} {
			w.checks = append(w.checks, Check{name, true, slow})
		}
		s := w.server()
		s.Now = time.Now
		began := time.Now()
		res := send(t, s, ask{method: get, target: "/api/health"})
		if took := time.Since(began); took != time.Second || res.Code != http.StatusOK {
			t.Errorf("five probes of a second: %d after %v, want 200 after 1s: %s", res.Code, took, res.Body)
		}
	})
}
