package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stepledger/stepledger/internal/pgtest"
)

// server is a real one: the program, as it is started by `stepledger serve --demo`, with
// a database of its own, and a model that plays the tables of pages. It is reached
// through a proxy that keeps what clients send, and that stays where it is while the
// process ends and is started again.
type server struct {
	// URL is the proxy's.
	URL             string
	email, password string

	model *model
	env   []string
	addr  string
	cmd   *exec.Cmd
}

// newServer builds the program and starts it. It ends with the test.
func newServer(t *testing.T) *server {
	t.Helper()
	m := newModel(t)
	s := &server{model: m, addr: freeAddress(t)}
	s.env = append(os.Environ(),
		"DATABASE_URL="+pgtest.Database(t, "empty", nil), "STEPLEDGER_STATE_DIR="+t.TempDir(), "STEPLEDGER_ADDR="+s.addr, "LOG_LEVEL=error",
		"GEMINI_API_KEY=", "OPENAI_API_KEY=key", "OPENAI_BASE_URL="+m.URL+"/v1", "OPENAI_PRICED_AS=openai",
		"SMART_MODEL_NAME=gpt-4o", "FAST_MODEL_NAME=gpt-4o-mini", "SMART_MODEL_FALLBACK=none", "FAST_MODEL_FALLBACK=none",
		"STEPLEDGER_RATE_LIMITS=free interact=100000 session=100000; pro interact=100000 session=100000; enterprise interact=100000 session=100000; login account=1000 address=1000",
	)
	s.start(t)
	t.Cleanup(s.kill)
	to := &url.URL{Scheme: "http", Host: s.addr}
	proxy := httptest.NewServer(m.listening(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) }}))
	t.Cleanup(proxy.Close)
	s.URL = proxy.URL
	return s
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// login is what the program prints of the demo's user.
var login = regexp.MustCompile(`login\s+(\S+)\s+password\s+(\S+)`)

// start starts the process, on the database and the address it had before.
func (s *server) start(t *testing.T) {
	t.Helper()
	s.cmd = exec.Command(program(t), "serve", "--demo")
	s.cmd.Env = s.env
	var failed strings.Builder
	s.cmd.Stderr = &failed
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	up := make(chan []string, 1)
	go func() {
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if said := login.FindStringSubmatch(lines.Text()); said != nil {
				up <- said
			}
		}
		_ = s.cmd.Wait()
		close(up)
	}()
	select {
	case said, ok := <-up:
		if !ok {
			t.Fatalf("the server did not start: %s", failed.String())
		}
		s.email, s.password = said[1], said[2]
	case <-time.After(patience):
		s.kill()
		t.Fatalf("the server did not start within %v", patience)
	}
}

// kill ends the process as a crash does.
func (s *server) kill() { _ = s.cmd.Process.Kill() }

// program builds stepledger, once for all tests.
func program(t *testing.T) string {
	t.Helper()
	built.Lock()
	defer built.Unlock()
	file := filepath.Join(builtDir(t), "stepledger")
	if _, err := os.Stat(file); err == nil {
		return file
	}
	cmd := exec.CommandContext(t.Context(), "go", "build", "-o", file, "./cmd/stepledger")
	cmd.Dir = repository
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build the server: %v\n%s", err, out)
	}
	return file
}

// token logs in over HTTP.
func (s *server) token(t *testing.T) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+"/api/v1/auth/login", strings.NewReader(js(t, map[string]string{"email": s.email, "password": s.password})))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	var said struct{ Data struct{ AccessToken string } }
	if err := json.Unmarshal(body, &said); err != nil || said.Data.AccessToken == "" {
		t.Fatalf("login: %s: %v", body, err)
	}
	return said.Data.AccessToken
}

// model is a model behind OpenAI's protocol. It is asked for an action in words; which
// element is meant it takes from what the client has sent last for the task.
type model struct {
	*httptest.Server
	mu    sync.Mutex
	plays map[string]*play
	tasks map[string]string // a task's play, by the server's id of the task
}

func newModel(t *testing.T) *model {
	t.Helper()
	m := &model{plays: map[string]*play{}, tasks: map[string]string{}}
	m.Server = httptest.NewServer(http.HandlerFunc(m.chat))
	t.Cleanup(m.Close)
	return m
}

// begin gives a task its actions. Its query has to begin with the id.
func (m *model) begin(id string, steps []step) *play {
	p := newPlay(id, steps)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.plays[id] = p
	return p
}

// listening keeps the requests of tasks that pass by.
func (m *model) listening(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/agent/interact" {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				return
			}
			r.Body = io.NopCloser(strings.NewReader(string(body)))
			m.hear(r.Header.Get("Idempotency-Key"), body)
		}
		next.ServeHTTP(w, r)
	})
}

func (m *model) hear(key string, body []byte) {
	req := request{raw: string(body)}
	if json.Unmarshal(body, &req) != nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for id, p := range m.plays {
		if strings.HasPrefix(req.Query, id+" ") || req.TaskID != "" && m.tasks[req.TaskID] == id {
			if req.TaskID != "" {
				m.tasks[req.TaskID] = id
			}
			p.hear(key, body, req)
		}
	}
}

// chat answers a question.
func (m *model) chat(w http.ResponseWriter, r *http.Request) {
	var q struct {
		Model    string
		Messages []struct {
			Role    string
			Content json.RawMessage
		}
	}
	if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var b strings.Builder
	for _, message := range q.Messages {
		b.WriteString(textOf(message.Content) + "\n")
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{
		"id": "answer", "object": "chat.completion", "model": q.Model,
		"usage":   map[string]int{"prompt_tokens": 1000, "completion_tokens": 20, "total_tokens": 1020},
		"choices": []any{map[string]any{"finish_reason": "stop", "message": map[string]any{"role": "assistant", "content": m.says(b.String())}}},
	})
}

// textOf is the text of a message, which may be in parts.
func textOf(content json.RawMessage) string {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return text
	}
	var parts []struct{ Text string }
	_ = json.Unmarshal(content, &parts) // a message without text has none
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.Text)
	}
	return b.String()
}

// says is sure of everything but of what to do next, which the table says.
func (m *model) says(prompt string) string {
	const scores = `"scores":{"completeness":0.9,"consistency":0.9,"groundedness":0.9,"routability":0.9},"issues":[]`
	has := func(heading string) bool { return strings.Contains(prompt, heading) }
	switch {
	case has("\nACTION AND CHANGES\n"):
		return `{"reason":"It is as it was to be.","actionSucceeded":true,"taskCompleted":false,"confidence":0.95}`
	case has("\nWHAT FAILED\n"):
		return `{"reason":"Nothing helps.","strategy":"FAIL","action":"","thought":"I give up."}`
	case has("\nCLAIM\n"):
		return `{"reason":"It is there.","shown":true,"confidence":0.95}`
	case has("\nPROPOSED ACTION\n"):
		return `{"approved":true,"reason":""}`
	case strings.HasPrefix(prompt, "You prepare a task "):
		return `{"sources":["PAGE"],"steps":[{"description":"Do it","toolType":"DOM"}],` + scores + `,"fits":true,"confidence":0.95}`
	case strings.HasPrefix(prompt, "An agent will do a task "):
		return "{" + scores + "}"
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for id, p := range m.plays {
		if strings.Contains(prompt, id+" ") {
			return p.think()
		}
	}
	return `{"thought":"I do not know this task.","action":"fail(\"unknown\")","confidence":0.9}`
}
