package main

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stepledger/stepledger/domain"
)

// badInput is a body that is refused: with which status, which code, and for
// which field's sake.
type badInput struct {
	name   string
	body   any
	status int
	code   string
	field  string
}

func badInputs() []badInput {
	dom := `<button id="1">Go</button>`
	return []badInput{
		{"broken JSON", []byte(`{"url":`), 400, "INVALID_REQUEST", ""},
		{"no page", map[string]any{"url": clinicURL, "query": "go"}, 400, "VALIDATION_ERROR", "dom"},
		{"no query on the first request", map[string]any{"url": clinicURL, "dom": dom}, 400, "VALIDATION_ERROR", "query"},
		{"a page of 600 KB", map[string]any{"url": clinicURL, "query": "go", "dom": strings.Repeat("x", 600_000)}, 400, "VALIDATION_ERROR", "dom"},
		{"a body past every cap", map[string]any{"url": clinicURL, "query": "go", "dom": strings.Repeat("x", 30_000_000)}, 413, "", ""},
		{"an unknown domMode", map[string]any{"url": clinicURL, "query": "go", "dom": dom, "domMode": "psychic"}, 400, "VALIDATION_ERROR", "domMode"},
		{"a url that is none", map[string]any{"url": "not a url", "query": "go", "dom": dom}, 400, "VALIDATION_ERROR", "url"},
		{"a url of the browser's own", map[string]any{"url": "chrome://settings", "query": "go", "dom": dom}, 400, "VALIDATION_ERROR", "url"},
		{"a taskId that is none", map[string]any{"url": clinicURL, "dom": dom, "taskId": "7"}, 400, "VALIDATION_ERROR", "taskId"},
		{"an unknown task", map[string]any{"url": clinicURL, "dom": dom, "taskId": domain.NewUUID()}, 404, "TASK_NOT_FOUND", ""},
		{"an unknown session", map[string]any{"url": clinicURL, "dom": dom, "query": "go", "sessionId": domain.NewUUID()}, 404, "SESSION_NOT_FOUND", ""},
	}
}

func TestInteract_BadInput(t *testing.T) {
	t.Parallel()
	s := newServer(t, hooks{})
	head, err := s.events.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range badInputs() {
		t.Run(c.name, func(t *testing.T) {
			r := s.post(t, "/api/agent/interact", c.body, nil)
			body := string(r.body)
			if r.status != c.status || c.code != "" && r.code() != c.code || !strings.Contains(body, `"success":false`) {
				t.Errorf("status %d: %.300s", r.status, body)
			}
			if !strings.Contains(body, c.field) {
				t.Errorf("the field %s is not named: %s", c.field, body)
			}
		})
	}
	if now, err := s.events.Head(t.Context()); err != nil || now != head {
		t.Errorf("the log went from %d to %d (%v) for requests that were refused", head, now, err)
	}
}

func TestInteract_WithoutAToken(t *testing.T) {
	t.Parallel()
	s := newServer(t, hooks{})
	for name, token := range map[string]string{"none": "", "unknown": "abc", "another scheme's": "Basic abc"} {
		c := client{base: s.base, token: token}
		r := c.post(t, "/api/agent/interact", map[string]any{"url": clinicURL}, nil)
		if r.status != http.StatusUnauthorized || r.code() != "UNAUTHORIZED" {
			t.Errorf("%s: status %d: %s", name, r.status, r.body)
		}
	}
}
