package main

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stepledger/stepledger/internal/pgtest"
)

// buffer is a log that is read while it is written.
type buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer.
func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

// lines are the records that are there, by their message.
func (b *buffer) lines(t *testing.T, message string) (found []map[string]any) {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for line := range strings.Lines(b.text.String()) {
		record := map[string]any{}
		if err := json.Unmarshal([]byte(line), &record); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		if record["msg"] == message {
			found = append(found, record)
		}
	}
	return found
}

// newLoggedServer is a server whose log is written in JSON, as it is set up by the
// environment.
func newLoggedServer(t *testing.T, level slog.Level) (*server, *buffer) {
	t.Helper()
	cfg := testConfig(pgtest.Database(t, "stepledger", migrate), t.TempDir())
	cfg.MetricsAddr, cfg.LogJSON = "127.0.0.1:0", true
	cfg.Level.Set(level)
	log := &buffer{}
	s := startWith(t, cfg, newLogger(cfg, log), hooks{})
	s.client = s.loginAs(t, newUser(t, s.identity, "jo@acme.example"))
	return s, log
}

// inside is a client of what operators are served.
func (s *server) inside(t *testing.T, method, path string, body []byte) reply {
	t.Helper()
	base := strings.TrimSuffix(s.feed.metricsURL, metricsPath)
	var payload any
	if body != nil {
		payload = body
	}
	r, err := client{base: base}.do(t.Context(), method, path, payload, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestLogLevel_WhileItRuns(t *testing.T) {
	t.Parallel()
	s, log := newLoggedServer(t, slog.LevelError)
	s.get(t, "/api/session")
	if n := len(log.lines(t, "request")); n != 0 {
		t.Fatalf("at error %d requests are logged", n)
	}
	if r := s.inside(t, http.MethodGet, logLevelPath, nil); r.status != http.StatusOK || string(r.body) != "error\n" {
		t.Errorf("it says %d %q", r.status, r.body)
	}
	if r := s.inside(t, http.MethodPut, logLevelPath, []byte("info")); r.status != http.StatusOK || string(r.body) != "info\n" {
		t.Errorf("set to info it says %d %q", r.status, r.body)
	}
	s.get(t, "/api/session")
	if n := len(log.lines(t, "request")); n != 1 {
		t.Errorf("at info %d requests are logged, want the one since", n)
	}
	for _, wrong := range []string{"loud", "", strings.Repeat("x", 1000)} {
		if r := s.inside(t, http.MethodPut, logLevelPath, []byte(wrong)); r.status != http.StatusBadRequest {
			t.Errorf("%.10q is taken: %d", wrong, r.status)
		}
	}
	if r := s.get(t, logLevelPath); r.status != http.StatusNotFound {
		t.Errorf("whoever may reach the API may see it: %d", r.status)
	}
}

// Every line of a turn, the model's included, names the request, the tenant and the task.
func TestLog_OfATurn(t *testing.T) {
	t.Parallel()
	model := newFakeGemini(t)
	model.says = "no JSON at all"
	cfg := testConfig(pgtest.Database(t, "stepledger", migrate), t.TempDir())
	cfg.LogJSON, cfg.Models = true, modelsFrom(t, model.env())
	cfg.Level.Set(slog.LevelInfo)
	log := &buffer{}
	s := startWith(t, cfg, newLogger(cfg, log), hooks{})
	s.client = s.loginAs(t, newUser(t, s.identity, "jo@acme.example"))
	p := newPursuit()
	if err := p.step(t.Context(), s.client); err != nil {
		t.Fatal(err)
	}
	var request map[string]any
	for _, line := range log.lines(t, "request") {
		if line["endpoint"] == "/api/agent/interact" {
			request = line
		}
	}
	deep := log.lines(t, "question without an answer")
	if request == nil || len(deep) == 0 {
		t.Fatalf("requests %v, questions %v", request, deep)
	}
	for _, id := range []string{"request", "trace", "tenant", "user", "task"} {
		if v, _ := request[id].(string); v == "" || deep[0][id] != request[id] {
			t.Errorf("%s: %v of the request, %v of what was logged on the way", id, request[id], deep[0][id])
		}
	}
	if request["task"] != p.task {
		t.Errorf("task %v, want %s", request["task"], p.task)
	}
}
