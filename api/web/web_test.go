package web

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/api"
	"github.com/stepledger/stepledger/projections/calibration"
)

// visit asks pages over an API for one.
func visit(t *testing.T, api http.HandlerFunc, target string, header map[string]string) *httptest.ResponseRecorder {
	t.Helper()
	p := New(api, slog.New(slog.DiscardHandler), func() time.Time { return time.Date(2026, 1, 27, 12, 0, 0, 0, time.UTC) })
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, target, nil)
	r.AddCookie(&http.Cookie{Name: cookie, Value: "the-token"})
	for name, value := range header {
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	p.ServeHTTP(w, r)
	return w
}

func TestPages_AskInTheNameOfWhoLooks(t *testing.T) {
	t.Parallel()
	var asked []string
	w := visit(t, func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, fmt.Sprint(r.Method, " ", r.URL, " ", r.Header.Get("Authorization"), " ", r.RemoteAddr, " ", r.Header.Get("X-Forwarded-For")))
		fmt.Fprint(w, `{"success":true,"data":{"tasks":[],"next":"n&x"}}`)
	}, "/tasks?status=failed&text=a+b&from=2026-01-02&unknown=1", map[string]string{"X-Forwarded-For": "192.0.2.7"})
	want := []string{"GET /api/debug/tasks?from=2026-01-02T00%3A00%3A00Z&limit=50&status=failed&text=a+b Bearer the-token 192.0.2.1:1234 192.0.2.7"}
	if diff := cmp.Diff(want, asked); diff != "" || w.Code != http.StatusOK {
		t.Errorf("status %d, asked (-want +got):\n%s", w.Code, diff)
	}
	if !strings.Contains(w.Body.String(), `href="/tasks?after=n%26x&amp;from=2026-01-02&amp;status=failed&amp;text=a&#43;b&amp;unknown=1"`) {
		t.Errorf("the next page is not linked: %s", w.Body)
	}
	for name, want := range map[string]string{"Content-Type": "text/html; charset=utf-8"} {
		if got := w.Header().Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if policy := w.Header().Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") {
		t.Errorf("the policy is %q", policy)
	}
}

// Members see their own usage, without the tenant's budget.
func TestPages_UsageOfAMember(t *testing.T) {
	t.Parallel()
	w := visit(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/usage/budget" {
			refuses(403, `{"code":"FORBIDDEN","message":"this takes another role than member"}`)(w, r)
			return
		}
		fmt.Fprint(w, `{"success":true,"data":{"totals":{"costUsd":"1.25"},"timeZone":"UTC","groups":[]}}`)
	}, "/usage", nil)
	if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "1.25") || strings.Contains(w.Body.String(), "Budget of") {
		t.Errorf("status %d: %s", w.Code, w.Body)
	}
}

func TestPages_WhatTheAPIRefuses(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		answer    http.HandlerFunc
		part      string
		status    int
		says, at  string
		saysNever string
	}{
		"no login":              {answer: refuses(401, `{"code":"UNAUTHORIZED","message":"the token is unknown"}`), status: http.StatusSeeOther, at: "/login?next=%2Ftasks"},
		"no login, of a part":   {answer: refuses(401, `{"code":"UNAUTHORIZED","message":"the token is unknown"}`), part: "1", status: 401, says: "the token is unknown"},
		"another role":          {answer: refuses(403, `{"code":"FORBIDDEN","message":"this takes another role than member"}`), status: 403, says: `<a href="/usage">Your usage</a>`},
		"a limit":               {answer: refuses(429, `{"code":"RATE_LIMIT","message":"slow <b>down</b>"}`), status: 429, says: "slow &lt;b&gt;down&lt;/b&gt;"},
		"trouble":               {answer: refuses(503, `{"code":"SERVICE_UNAVAILABLE","message":"later"}`), status: 503, says: "later"},
		"no JSON":               {answer: refuses(502, `<html>`), status: 502, says: "Bad Gateway"},
		"an answer of no sense": {answer: refuses(200, `{"data":{"tasks":7,"secret":"x1"}}`), status: 500, says: "could not be made", saysNever: "x1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := visit(t, tt.answer, "/tasks", map[string]string{"X-Part": tt.part})
			if w.Code != tt.status || !strings.Contains(w.Body.String(), tt.says) || w.Header().Get("Location") != tt.at {
				t.Errorf("status %d to %q: %s", w.Code, w.Header().Get("Location"), w.Body)
			}
			if tt.saysNever != "" && strings.Contains(w.Body.String(), tt.saysNever) {
				t.Errorf("%s", w.Body)
			}
		})
	}
}

func refuses(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}
}

func TestLocalPath(t *testing.T) {
	t.Parallel()
	for next, want := range map[string]string{
		"/usage": "/usage", "/tasks?status=failed": "/tasks?status=failed", "": "/tasks", "usage": "/tasks",
		"//evil.example": "/tasks", "https://evil.example": "/tasks", `/\evil.example`: "/tasks", "javascript:alert(1)": "/tasks", "/%zz": "/tasks",
	} {
		if got := localPath(next); got != want {
			t.Errorf("%q leads to %q, want %q", next, got, want)
		}
	}
}

func TestTarget(t *testing.T) {
	t.Parallel()
	got := target(url.Values{"a": {""}, "b": {"x y", "&"}}, "debug", "tasks", "../../admin?x#y")
	if want := "/api/debug/tasks/..%2F..%2Fadmin%3Fx%23y?b=x+y&b=%26"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestLeaves(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 81)
	for doc, want := range map[string][]leaf{
		``:                                  nil,
		`{`:                                 {{"", "{", true}},
		`"a"`:                               {{"", "a", false}},
		`{"b":[1,true,null],"a":{"c":"d"}}`: {{"a/c", "d", false}, {"b/0", "1", false}, {"b/1", "true", false}},
		`{"n":123456789012345678901.5}`:     {{"n", "123456789012345678901.5", false}},
		`["` + long + `","two\nlines"]`:     {{"0", long, true}, {"1", "two\nlines", true}},
	} {
		if diff := cmp.Diff(want, leaves(json.RawMessage(doc))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", doc, diff)
		}
	}
}

func TestPeriod(t *testing.T) {
	t.Parallel()
	asked, _, _, err := period("2026-01-01", "2026-01-31")
	if err != nil || asked.Get("from") != "2026-01-01T00:00:00Z" || asked.Get("to") != "2026-02-01T00:00:00Z" {
		t.Errorf("January is %v, %v", asked, err)
	}
	for _, wrong := range [][2]string{{"", ""}, {"2026-01-02", "2026-01-01"}, {"x", "2026-01-01"}, {"2024-01-01", "2026-01-01"}} {
		if _, _, _, err := period(wrong[0], wrong[1]); err == nil {
			t.Errorf("%v is a period", wrong)
		}
	}
}

// Every day has its bar, and the highest is as high as the chart.
func TestDayChart(t *testing.T) {
	t.Parallel()
	from := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	c := dayChart([]api.UsageGroup{
		{Key: "2026-01-02", UsageTotals: api.UsageTotals{CostUSD: "0.5"}}, {Key: "2026-01-03", UsageTotals: api.UsageTotals{CostUSD: "1.25"}},
	}, from, from.AddDate(0, 0, 4))
	var got []string
	for _, b := range c.Bars {
		got = append(got, fmt.Sprintf("%s %.1f", b.Label, b.Height))
	}
	want := []string{"2026-01-01: $0 0.0", "2026-01-02: $0.5 62.4", "2026-01-03: $1.25 156.0", "2026-01-04: $0 0.0"}
	if diff := cmp.Diff(want, got); diff != "" || c.Most != "1.25" {
		t.Errorf("most %s (-want +got):\n%s", c.Most, diff)
	}
}

func TestReliability(t *testing.T) {
	t.Parallel()
	mean := 0.75
	r := reliabilityOf([]calibration.Bin{{From: 0, To: 0.5}, {From: 0.5, To: 1, Count: 5, Succeeded: 3, Failed: 1, Mean: &mean}})
	if b := r.Bins[0]; b.Bar.Height != 0 || b.Wanted != reliabilitySize*0.75 {
		t.Errorf("nothing known: %+v", b)
	}
	if b := r.Bins[1]; b.Bar.Height != reliabilitySize*0.75 || b.Wanted != reliabilitySize*0.25 || b.Bar.Label != "estimated 0.50 to 1.00: 3 of 4 came true" {
		t.Errorf("three of four: %+v", b)
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"needs_user_input": "needs user input", "lowCatchRate": "low catch rate", "ALTERNATIVE_TOOL": "alternative tool", "failed": "failed", "": ""} {
		if got := words(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	for d, want := range map[time.Duration]string{999 * time.Millisecond: "999 ms", 1500 * time.Millisecond: "1.5 s", 61 * time.Second: "1 min 1 s", 90 * time.Minute: "1 h 30 min"} {
		if got := took(d); got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
	for name, want := range map[string]string{"task.action_verified.v1": "action_verified", "turn_ended": "turn_ended", "": ""} {
		if got := shortType(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

func TestSettings(t *testing.T) {
	t.Parallel()
	got := settings(" STEPLEDGER_MAX_STEPS = 3 \r\n\nFAST_MODEL_NAME=a=b\nnothing\n=x")
	want := map[string]string{"STEPLEDGER_MAX_STEPS": "3", "FAST_MODEL_NAME": "a=b", "nothing": ""}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A turn says which pieces of documents it was shown, or why none.
func TestPages_KnowledgeOfATurn(t *testing.T) {
	t.Parallel()
	const cited = `{"documentId":"d1","versionId":"v1","chunkId":"v1.3","documentTitle":"Hand<book","section":"Wards","page":4,"indexedAt":"2026-11-02T09:00:00Z"},{"documentId":"d2","chunkId":"v9.1","documentTitle":"Help","public":true}`
	for name, tt := range map[string]struct {
		knowledge  string
		says, lack []string
	}{
		"two pieces": {`{"revision":7,"known":true,"value":"visiting hours","citations":[` + cited + `]}`, []string{
			"What documents said", "Hand&lt;book › Wards, page 4", "the organisation’s, indexed 2026-11-02 09:00:00", "<code>v1.3</code>", "Help", "public", "visiting hours", "state?revision=7",
		}, nil},
		"nothing that fits": {`{"revision":7,"known":true,"citations":[]}`, []string{"Nothing that fits."}, []string{"<ol><li>"}},
		"nothing at all":    {`{"revision":7,"known":false,"citations":[]}`, []string{"knows nothing about this site"}, nil},
		"out of reach":      {`{"revision":7,"known":false,"failed":true,"citations":[]}`, []string{"They could not be asked."}, []string{"Nothing"}},
		"none was found":    {`null`, nil, []string{"What documents said"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := visit(t, func(w http.ResponseWriter, r *http.Request) {
				if strings.HasSuffix(r.URL.Path, "/state") {
					fmt.Fprint(w, `{"success":true,"data":{"taskId":"t","revision":9,"state":{"status":"active"}}}`)
					return
				}
				fmt.Fprintf(w, `{"success":true,"data":{"taskId":"t","last":1,"turns":[{"turn":1,"status":"action","before":{"turn":1,"page":"p"},"knowledge":%s}]}}`, tt.knowledge)
			}, "/tasks/t?turn=1", nil)
			body := w.Body.String()
			for _, s := range tt.says {
				if !strings.Contains(body, s) {
					t.Errorf("%q is not in %s", s, body)
				}
			}
			for _, s := range tt.lack {
				if strings.Contains(body, s) {
					t.Errorf("%q is in %s", s, body)
				}
			}
			if w.Code != http.StatusOK {
				t.Errorf("status %d", w.Code)
			}
		})
	}
}
