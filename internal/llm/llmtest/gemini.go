package llmtest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stepledger/stepledger/internal/llm"
)

// Gemini is a local server that follows a script in the wire format of
// generateContent.
type Gemini struct {
	URL      string
	Client   *http.Client
	attempts counter
	mu       sync.Mutex
	received []Received
	closing  chan struct{}
}

// Received is one request as it arrived.
type Received struct {
	Path   string
	Header http.Header
	Body   map[string]any
}

// NewGemini starts the server; it stops with the test.
func NewGemini(t testing.TB, s Script) *Gemini {
	t.Helper()
	g := &Gemini{closing: make(chan struct{})}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { g.serve(w, r, s) }))
	g.URL, g.Client = srv.URL, srv.Client()
	t.Cleanup(func() {
		close(g.closing)
		srv.Close()
	})
	return g
}

// Attempts received so far.
func (g *Gemini) Attempts() int { return g.attempts.count() }

// Received requests so far, in order.
func (g *Gemini) Received() []Received {
	g.mu.Lock()
	defer g.mu.Unlock()
	return append([]Received(nil), g.received...)
}

func (g *Gemini) serve(w http.ResponseWriter, r *http.Request, s Script) {
	rec := Received{Path: r.URL.RequestURI(), Header: r.Header.Clone()}
	b, err := io.ReadAll(r.Body)
	if err == nil {
		err = json.Unmarshal(b, &rec.Body)
	}
	if err != nil {
		http.Error(w, "the test server cannot read the request: "+err.Error(), http.StatusTeapot)
		return
	}
	g.mu.Lock()
	g.received = append(g.received, rec)
	g.mu.Unlock()
	step := s(g.attempts.next())
	if step.Hang {
		select {
		case <-r.Context().Done():
		case <-g.closing:
		}
		return
	}
	step.write(w, modelOf(r.URL.Path))
}

func modelOf(path string) string {
	name := path[strings.LastIndexByte(path, '/')+1:]
	model, _, _ := strings.Cut(name, ":")
	return model
}

func (s Step) write(w http.ResponseWriter, model string) {
	w.Header().Set("Content-Type", "application/json")
	switch {
	case s.Status != 0 && s.Status != http.StatusOK:
		w.WriteHeader(s.Status)
		_ = json.NewEncoder(w).Encode(s.wireError())
	case s.Garbled:
		_, _ = io.WriteString(w, `{"candidates": [`)
	case s.Cut:
		w.Header().Set("Content-Length", "10000")
		_, _ = io.WriteString(w, `{"candidates": [`)
	default:
		_ = json.NewEncoder(w).Encode(s.wire(model))
	}
}

func (s Step) wireError() map[string]any {
	details := []any{}
	if s.RetryAfter > 0 {
		details = append(details,
			map[string]any{"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": []any{}},
			map[string]any{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": fmt.Sprintf("%.9gs", s.RetryAfter.Seconds())})
	}
	return map[string]any{"error": map[string]any{
		"code": s.Status, "message": s.Message, "status": wireStatus[s.Status], "details": details,
	}}
}

var wireStatus = map[int]string{
	400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND",
	429: "RESOURCE_EXHAUSTED", 500: "INTERNAL", 503: "UNAVAILABLE", 504: "DEADLINE_EXCEEDED",
}

func (s Step) wire(model string) map[string]any {
	out := map[string]any{"modelVersion": model, "responseId": "response"}
	if u := s.usage(); u != nil {
		out["usageMetadata"] = wireUsage(*u)
	}
	if s.BlockPrompt {
		out["promptFeedback"] = map[string]any{"blockReason": "SAFETY"}
		return out
	}
	candidate := map[string]any{"index": 0, "finishReason": wireFinish[s.finish()]}
	if s.Text != "" {
		candidate["content"] = map[string]any{"role": "model", "parts": []any{
			map[string]any{"text": "what the model thought", "thought": true},
			map[string]any{"text": s.Text},
		}}
	}
	out["candidates"] = []any{candidate}
	return out
}

var wireFinish = map[llm.Finish]string{
	llm.Stop: "STOP", llm.MaxTokens: "MAX_TOKENS", llm.Refused: "SAFETY", llm.Other: "OTHER",
}

// wireUsage puts the meters back into Gemini's overlapping counts. Like the
// real service it leaves zeros out, the prompt's excepted.
func wireUsage(u llm.Usage) map[string]any {
	prompt := u.InputUncached + u.InputCached + u.InputAudio
	out := map[string]any{"promptTokenCount": prompt}
	put := func(name string, n int64) {
		if n != 0 {
			out[name] = n
		}
	}
	put("cachedContentTokenCount", u.InputCached)
	put("toolUsePromptTokenCount", u.InputTool)
	put("candidatesTokenCount", u.Output)
	put("thoughtsTokenCount", u.Thinking)
	if u.Total != nil {
		out["totalTokenCount"] = *u.Total
	}
	details := []any{map[string]any{"modality": "TEXT", "tokenCount": prompt - u.InputAudio}}
	if u.InputAudio != 0 {
		details = append(details, map[string]any{"modality": "AUDIO", "tokenCount": u.InputAudio})
	}
	out["promptTokensDetails"] = details
	return out
}
