package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/internal/browser"
)

const taskID = "11111111-2222-4333-8444-555555555555"

// request is what the scripted server keeps of one.
type request struct {
	key, raw string
	body     struct {
		Query, TaskID, DOMMode string
		LastActionError        *struct{ Code string }
	}
}

// server is a scripted brain: the nth interact request gets the nth answer, those
// after the last get the last.
type server struct {
	*httptest.Server
	script []func(http.ResponseWriter)

	mu       sync.Mutex
	requests []request
	usage    func(http.ResponseWriter)
}

func serve(t *testing.T, script ...func(http.ResponseWriter)) *server {
	t.Helper()
	s := &server{script: script, usage: succeed(map[string]any{"totals": map[string]any{"costUSD": "0"}})}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/v1/auth/session", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer secret-token" {
			refuse(http.StatusUnauthorized, "UNAUTHORIZED")(w)
			return
		}
		succeed(map[string]any{"user": map[string]any{"id": "user-1"}, "tenantId": "tenant-1"})(w)
	})
	mux.HandleFunc("GET /api/usage/summary", func(w http.ResponseWriter, r *http.Request) {
		if id := r.URL.Query().Get("taskId"); id != taskID && id != s.firstTask() {
			refuse(http.StatusNotFound, "TASK_NOT_FOUND")(w)
			return
		}
		s.usage(w)
	})
	mux.HandleFunc("POST /api/agent/interact", func(w http.ResponseWriter, r *http.Request) {
		raw, err := io.ReadAll(r.Body)
		got := request{key: r.Header.Get("Idempotency-Key"), raw: string(raw)}
		if err := errors.Join(err, json.Unmarshal(raw, &got.body)); err != nil {
			t.Error(err)
		}
		s.mu.Lock()
		s.requests = append(s.requests, got)
		n := len(s.requests)
		s.mu.Unlock()
		s.script[min(n, len(s.script))-1](w)
	})
	s.Server = httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

// firstTask is the id that a server gives the task of the first request.
func (s *server) firstTask() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.requests) == 0 {
		return ""
	}
	return task.IDFor("tenant-1", "user-1", s.requests[0].key)
}

func succeed(data map[string]any) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		_ = json.NewEncoder(w).Encode(map[string]any{"success": true, "data": data})
	}
}

func refuse(status int, code string, header ...string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		if len(header) == 2 {
			w.Header().Set(header[0], header[1])
		}
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"success":false,"code":%q,"message":"no"}`, code)
	}
}

// fields are those of an answer beside its task.
type fields = map[string]any

func answer(f fields) func(http.ResponseWriter) {
	f["taskId"], f["sessionId"] = taskID, "session-1"
	return succeed(f)
}

func do(act string, more ...fields) func(http.ResponseWriter) {
	f := fields{"thought": "I do " + act, "action": act}
	for _, m := range more {
		for k, v := range m {
			f[k] = v
		}
	}
	return answer(f)
}

func verdict(outcome string, ok bool, reason string) fields {
	return fields{"verification": fields{"outcome": outcome, "actionSucceeded": ok, "confidence": 0.9, "reason": reason, "tier": 1, "rule": "r"}}
}

// page is a page without a browser.
type page struct {
	opened   string
	executed []string
	open     error
	capture  func()
	shows    func() string
	execute  func(a action.Action) (browser.Report, error)
}

func (p *page) Open(_ context.Context, address string) error {
	p.opened = address
	return p.open
}

func (p *page) Capture(ctx context.Context) (browser.Capture, error) {
	if p.capture != nil {
		p.capture()
		return browser.Capture{}, ctx.Err()
	}
	c := browser.Capture{}
	c.URL, c.Title, c.Mode, c.DOM = "https://clinic.example/", "Patients", "semantic_v3", "<button>Save</button>"
	if p.shows != nil {
		c.DOM = p.shows()
	}
	return c, nil
}

func (p *page) CaptureFull(ctx context.Context) (browser.Capture, error) {
	c, err := p.Capture(ctx)
	c.Mode = "full"
	return c, err
}

func (p *page) Execute(_ context.Context, a action.Action) (browser.Report, error) {
	p.executed = append(p.executed, a.String())
	if p.execute != nil {
		return p.execute(a)
	}
	return browser.Report{Status: browser.StatusSuccess}, nil
}

func (p *page) Printable(text string) string { return strings.ReplaceAll(text, "hunter2", "[secret]") }

func (s *server) options(p *page) Options {
	return Options{
		Server: s.URL + "/", Token: "secret-token", Query: "save it", URL: "https://clinic.example/", Page: p,
		RetryFor: 20 * time.Second, Backoff: time.Millisecond,
	}
}
