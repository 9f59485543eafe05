package api

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/account"
	"github.com/stepledger/stepledger/domain/scope"
)

func TestErrors_HaveOneStatusPerKind(t *testing.T) {
	t.Parallel()
	for kind, status := range map[domain.Kind]int{
		domain.Internal: 500, domain.Invalid: 400, domain.Unauthenticated: 401, domain.Denied: 403, domain.NotFound: 404,
		domain.Conflict: 409, domain.Limited: 429, domain.TooLarge: 413, domain.Unsupported: 415, domain.Unavailable: 503,
	} {
		w := newWorld()
		w.fail = fmt.Errorf("wrapped: %w", domain.Errorf(kind, "SOME_CODE", "a message").At("someField"))
		res := postInteract(t, w.server(), goodInteract)
		if e := failure(t, res); res.Code != status || e.Code != "SOME_CODE" {
			t.Errorf("kind %d: %d %s, want %d", kind, res.Code, e.Code, status)
		}
		_, hinted := res.Header()["Retry-After"]
		if want := status == 429 || status == 503; hinted != want {
			t.Errorf("kind %d: Retry-After is there: %v, want %v", kind, hinted, want)
		}
	}
	if len(statuses) != int(domain.Unavailable)+1 {
		t.Errorf("the table has %d kinds, domain %d", len(statuses), int(domain.Unavailable)+1)
	}
}

func TestErrors_TooSlowIsATimeout(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.fail = fmt.Errorf("ask the model: %w", context.DeadlineExceeded)
	wantFailure(t, postInteract(t, w.server(), goodInteract), 503, "TIMEOUT", "")
}

func TestCORS(t *testing.T) {
	t.Parallel()
	s := newWorld().server()
	for origin, allowed := range map[string]bool{
		"chrome-extension://abc": true, "https://app.example.com": true,
		"chrome-extension://abcd": false, "chrome-extension://abcdefghijklmnop": false, "moz-extension://abc": false,
		"": false, "chrome-extension://": false, "chrome-extension://*": false, "*": false, "https://evil.example.com": false, "https://app.example.com.evil.com": false,
		"null": false, "http://app.example.com": false,
	} {
		header := map[string]string{"Origin": origin, "Access-Control-Request-Method": "POST"}
		preflight := send(t, s, ask{method: http.MethodOptions, target: "/api/agent/interact", header: header})
		if preflight.Code != http.StatusNoContent || preflight.Body.Len() > 0 {
			t.Errorf("preflight from %q = %d", origin, preflight.Code)
		}
		got := preflight.Header().Get("Access-Control-Allow-Headers")
		if permitted := strings.Contains(got, "Authorization") && strings.Contains(got, "Idempotency-Key"); permitted != allowed {
			t.Errorf("preflight from %q allows headers %q", origin, got)
		}
		for name, res := range map[string]*httptest.ResponseRecorder{
			"preflight":    preflight,
			"an answer":    send(t, s, ask{method: get, target: "/api/session", token: tokenA, header: header}),
			"an error":     send(t, s, ask{method: get, target: "/api/session", header: header}),
			"no route":     send(t, s, ask{method: get, target: "/api/nothing", header: header}),
			"wrong method": send(t, s, ask{method: "PUT", target: "/api/session", header: header}),
		} {
			want := ""
			if allowed {
				want = origin
			}
			if got := res.Header().Get("Access-Control-Allow-Origin"); got != want {
				t.Errorf("%s for %q: Access-Control-Allow-Origin = %q, want %q", name, origin, got, want)
			}
			if res.Header().Get("Access-Control-Allow-Credentials") != "" || res.Header().Get("Vary") != "Origin" {
				t.Errorf("%s for %q: %v", name, origin, res.Header())
			}
		}
	}
}

func TestCORS_AnyExtensionIfSo(t *testing.T) {
	t.Parallel()
	d := newWorld().server().Deps
	for origin, allowed := range map[string]bool{
		"chrome-extension://abc": true, "chrome-extension://other": true, "chrome-extension://": false, "chrome-extension://*": false,
		"https://app.example.com": false, "https://chrome-extension://x": false, "": false,
	} {
		d.Origins = []string{AnyExtension}
		got := send(t, New(d), ask{method: get, target: "/api/health", header: map[string]string{"Origin": origin}}).Header().Get("Access-Control-Allow-Origin")
		if allowed != (got == origin && origin != "") {
			t.Errorf("%q: allowed %q", origin, got)
		}
		d.Origins = nil
		if got := send(t, New(d), ask{method: get, target: "/api/health", header: map[string]string{"Origin": origin}}).Header().Get("Access-Control-Allow-Origin"); got != "" {
			t.Errorf("%q without origins: allowed %q", origin, got)
		}
	}
}

func TestCORS_ExposesTheHeadersOfTheContract(t *testing.T) {
	t.Parallel()
	res := send(t, newWorld().server(), ask{
		method: get, target: "/api/session", token: tokenA, header: map[string]string{"Origin": "chrome-extension://abc"},
	})
	for _, name := range []string{"ETag", "X-Event-Position", "X-Projection-Lag", "Retry-After", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"} {
		if !strings.Contains(res.Header().Get("Access-Control-Expose-Headers"), name) {
			t.Errorf("%s is not exposed", name)
		}
	}
}

// seeds are secrets and personal data; whatever is asked, no log holds them.
func TestLog_HoldsNoSecrets(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.web = http.NotFoundHandler()
	s := w.server()
	login := `{"email":"ann@example.com","password":"` + secret.Reveal() + `"}`
	seeded := with(t, map[string]string{"query": text("my card is 4111-seed-card"), "dom": text("<p>seed-dom</p>"), "requestId": text("seed-key")})
	for _, a := range []ask{
		{method: post, target: "/api/v1/auth/login", body: login},
		{method: post, target: "/api/v1/auth/login?password=seed-query", body: `{"email":"x@example.com","password":"seed-password"}`},
		{method: post, target: "/api/v1/auth/login", body: `{"password":"seed-password","email":`},
		{method: post, target: "/api/agent/interact", token: tokenA, body: seeded},
		{method: post, target: "/api/agent/interact", token: tokenA, body: with(t, map[string]string{"url": text("chrome://seed-url")})},
		{method: get, target: "/api/session/" + sessionA + "/task/active?url=https://seed-url.example.com/", token: tokenA},
		{method: get, target: "/api/session?limit=seed-query", token: tokenA},
		{method: get, target: "/api/session", token: "seed-token"},
		{method: get, target: "/seed-path/seed-query"},
		{method: post, target: "/api/v1/user/preferences", token: tokenA, body: `{"preferences":{"note":"seed-note"}}`},
	} {
		send(t, s, a)
	}
	w.fail = domain.Errorf(domain.Unavailable, "EXTERNAL_SERVICE_ERROR", "down").Because(errors.New("connection refused"))
	send(t, s, ask{method: post, target: "/api/agent/interact", token: tokenA, body: seeded})

	lines := 0
	for in := bufio.NewScanner(bytes.NewReader(w.log.Bytes())); in.Scan(); {
		lines++
		for _, seed := range []string{"seed-", secret.Reveal(), "open sesame", tokenA, "ann@example.com", "Tenant ann", "4111-"} {
			if strings.Contains(in.Text(), seed) {
				t.Errorf("%q is in the log: %s", seed, in.Text())
			}
		}
	}
	if lines < 11 {
		t.Errorf("%d lines were logged, want one per request at least", lines)
	}
}

func TestLog_SaysWhatHappened(t *testing.T) {
	t.Parallel()
	w := newWorld()
	s := w.server()
	send(t, s, ask{method: get, target: "/api/session/" + sessionB + "/messages", token: tokenA})
	got := w.log.String()
	for _, want := range []string{
		`"endpoint":"/api/session/{sessionId}/messages"`, `"method":"GET"`, `"status":404`, `"code":"SESSION_NOT_FOUND"`,
		`"tenant":"` + tenantA + `"`, `"user":"` + userA + `"`, `"request":"test-request"`, `"durationMs":0`, `"bytesIn":0`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the log lacks %s: %s", want, got)
		}
	}
	if strings.Contains(got, sessionB) {
		t.Errorf("the log has the path instead of the route: %s", got)
	}
}

// requestLine is what the log says of the only request.
func requestLine(t *testing.T, w *world) map[string]any {
	t.Helper()
	for line := range strings.Lines(w.log.String()) {
		record := map[string]any{}
		if err := json.Unmarshal([]byte(line), &record); err != nil {
			t.Fatal(err)
		}
		if record["msg"] == "request" {
			return record
		}
	}
	t.Fatalf("no line in %s", w.log.String())
	return nil
}

func TestLog_NamesTheTaskAndItsTrace(t *testing.T) {
	t.Parallel()
	const theirs = "4bf92f3577b34da6a3ce929d0e0e4736"
	own := scope.TraceOf(taskA)
	traceparent := map[string]string{"traceparent": "00-" + theirs + "-00f067aa0ba902b7-01"}
	for name, tt := range map[string]struct {
		ask         ask
		task, trace any
	}{
		"in the path":       {ask{method: get, target: "/api/debug/tasks/" + taskA + "/turns", token: tokenA}, taskA, own},
		"in the query":      {ask{method: get, target: "/api/usage/summary?taskId=" + taskA, token: tokenA}, taskA, own},
		"the caller's":      {ask{method: get, target: "/api/debug/tasks/" + taskA + "/turns", token: tokenA, header: traceparent}, taskA, theirs},
		"no task":           {ask{method: get, target: "/api/session", token: tokenA, header: traceparent}, nil, theirs},
		"a task that is no": {ask{method: get, target: "/api/debug/tasks/secret%20words/turns", token: tokenA, header: traceparent}, nil, theirs},
	} {
		w := newWorld()
		send(t, w.server(), tt.ask)
		if got := requestLine(t, w); got["task"] != tt.task || got["trace"] != tt.trace {
			t.Errorf("%s: task %v of trace %v, want %v of %v", name, got["task"], got["trace"], tt.task, tt.trace)
		}
	}
}

func TestLog_CountsBytes(t *testing.T) {
	t.Parallel()
	w := newWorld()
	res := postInteract(t, w.server(), goodInteract)
	if got := requestLine(t, w); got["bytesIn"] != float64(len(goodInteract)) || got["bytesOut"] != float64(res.Body.Len()) {
		t.Errorf("%v in and %v out, want %d and %d", got["bytesIn"], got["bytesOut"], len(goodInteract), res.Body.Len())
	}
}

func TestLog_NamesThePageThatAnswered(t *testing.T) {
	t.Parallel()
	pages := http.NewServeMux()
	pages.HandleFunc("GET /tasks/{task}", func(http.ResponseWriter, *http.Request) {})
	for target, want := range map[string]string{"/tasks/seed": "/tasks/{task}", "/seed": noEndpoint} {
		w := newWorld()
		w.web = pages
		send(t, w.server(), ask{method: get, target: target})
		if got := requestLine(t, w); got["endpoint"] != want {
			t.Errorf("%s is logged as %v, want %s", target, got["endpoint"], want)
		}
	}
}

// counted is told of requests.
type counted struct {
	began int
	ended []Served
}

func (c *counted) Began()         { c.began++ }
func (c *counted) Ended(s Served) { c.ended = append(c.ended, s) }

func TestRequests_AreTold(t *testing.T) {
	t.Parallel()
	w, seen := newWorld(), &counted{}
	s := w.server()
	s.Requests = seen
	send(t, s, ask{method: "BREW", target: "/api/session"})
	w.panicking = true
	postInteract(t, s, goodInteract)
	want := []Served{
		{Endpoint: noEndpoint, Method: "other", Status: 405, Code: domain.CodeInvalidRequest},
		{Endpoint: "/api/agent/interact", Method: post, Status: 500, Code: domain.CodeInternal, In: int64(len(goodInteract))},
	}
	if diff := cmp.Diff(want, seen.ended, cmpopts.IgnoreFields(Served{}, "Out")); diff != "" || seen.began != len(want) {
		t.Errorf("%d began, those that ended (-want +got):\n%s", seen.began, diff)
	}
}

func TestLog_NamesTheCauseOfA500Once(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.fail = errors.New("column does not exist")
	postInteract(t, w.server(), goodInteract)
	if n := strings.Count(w.log.String(), "column does not exist"); n != 1 {
		t.Errorf("the cause is in the log %d times, want once: %s", n, w.log.String())
	}
}

func TestRequestID(t *testing.T) {
	t.Parallel()
	s := newWorld().server()
	for given, kept := range map[string]bool{
		"abc-DEF_1.2": true, strings.Repeat("x", 64): true,
		"": false, strings.Repeat("x", 65): false, "a b": false, "a\"b": false, "ä": false,
	} {
		got := send(t, s, ask{method: get, target: "/api/health", header: map[string]string{"X-Request-Id": given}}).Header().Get("X-Request-Id")
		if kept != (got == given) || !kept && !domain.ValidUUID(got) {
			t.Errorf("X-Request-Id %q became %q", given, got)
		}
	}
}

func TestWeb_ServesWhatIsNotTheAPIs(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.web = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("a page")) })
	s := w.server()
	for target, page := range map[string]bool{"/": true, "/tasks/1": true, "/api/nothing": false, "/openapi.json": false} {
		if got := send(t, s, ask{method: get, target: target}).Body.String(); (got == "a page") != page {
			t.Errorf("GET %s = %.40s", target, got)
		}
	}
}

func TestHead_IsAGetWithoutABody(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(newWorld().server())
	defer server.Close()
	res, err := http.Head(server.URL + "/api/health")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK || res.ContentLength <= 0 {
		t.Errorf("HEAD /api/health = %d, length %d", res.StatusCode, res.ContentLength)
	}
}

func BenchmarkNew(b *testing.B) {
	w := newWorld()
	for b.Loop() {
		w.server()
	}
}

// What the api itself costs, beside identity and the turn.
func BenchmarkInteract(b *testing.B) {
	world := newWorld()
	world.limits[account.Interact] = math.MaxInt
	s := world.server()
	body := with(b, map[string]string{"dom": text(strings.Repeat("<p>some text</p>", 12_000))})
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, ask{method: post, target: "/api/agent/interact", token: tokenA, body: body}.request(b))
		if w.Code != http.StatusOK {
			b.Fatal(w.Code, w.Body)
		}
	}
}
