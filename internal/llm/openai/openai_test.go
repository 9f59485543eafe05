package openai_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/internal/llm"
	"github.com/stepledger/stepledger/internal/llm/llmtest"
	"github.com/stepledger/stepledger/internal/llm/openai"
)

const key = "sk-a-secret-key"

func open(t *testing.T, url string, compatible bool) *openai.Generator {
	t.Helper()
	g, err := openai.Open(openai.Options{APIKey: key, BaseURL: url, Compatible: compatible})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestGenerator(t *testing.T) {
	t.Parallel()
	for name, compatible := range map[string]bool{"OpenAI": false, "another endpoint": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			llmtest.Contract(t, provider(compatible))
		})
	}
}

func TestClient_overTheWire(t *testing.T) {
	t.Parallel()
	llmtest.Bills(t, provider(false))
}

func provider(compatible bool) func(*testing.T, llmtest.Script) llmtest.Provider {
	return func(t *testing.T, s llmtest.Script) llmtest.Provider {
		t.Helper()
		srv := llmtest.NewOpenAI(t, s)
		return llmtest.Provider{Generator: open(t, srv.URL+"/v1", compatible), Requests: srv.Requests}
	}
}

func TestGenerator_sendsTheRequest(t *testing.T) {
	t.Parallel()
	warm := 0.25
	request := llm.Request{
		Model: "meta-llama/Llama-3.3-70B", System: "be brief",
		User:        []llm.Part{{Text: "look"}, {MIME: "image/png", Data: []byte("png")}},
		Schema:      json.RawMessage(`{"type":"object","properties":{"b":{"type":"string","maxLength":9},"a":{"const":"x"}},"required":["b"]}`),
		SchemaName:  "act",
		Temperature: &warm, MaxOutputTokens: 77,
	}
	want := map[string]any{
		"model": "meta-llama/Llama-3.3-70B",
		"messages": []any{
			map[string]any{"role": "system", "content": "be brief"},
			map[string]any{"role": "user", "content": []any{
				map[string]any{"type": "text", "text": "look"},
				map[string]any{"type": "image_url", "image_url": map[string]any{"url": "data:image/png;base64,cG5n"}},
			}},
		},
		"temperature": 0.25,
	}
	b, a := map[string]any{"type": "string"}, map[string]any{"enum": []any{"x"}}
	for name, tt := range map[string]struct {
		compatible bool
		limit      string
		format     map[string]any
	}{
		"OpenAI": {false, "max_completion_tokens", map[string]any{"name": "act", "strict": true, "schema": map[string]any{
			"type": "object", "required": []any{"b", "a"}, "additionalProperties": false,
			"properties": map[string]any{"b": b, "a": map[string]any{"type": []any{"string", "null"}, "enum": []any{"x", nil}}},
		}}},
		"another endpoint": {true, "max_tokens", map[string]any{"name": "act", "strict": false, "schema": map[string]any{
			"type": "object", "required": []any{"b"}, "properties": map[string]any{"b": b, "a": a},
		}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := llmtest.NewOpenAI(t, llmtest.Steps(llmtest.Step{Text: "{}"}))
			if _, err := open(t, srv.URL+"/v1/", tt.compatible).Generate(t.Context(), request); err != nil {
				t.Fatal(err)
			}
			got := srv.Received()[0]
			if got.Path != "/v1/chat/completions" || got.Header.Get("Authorization") != "Bearer "+key {
				t.Errorf("sent to %s with %q", got.Path, got.Header.Get("Authorization"))
			}
			whole := map[string]any{tt.limit: 77.0, "response_format": map[string]any{"type": "json_schema", "json_schema": tt.format}}
			for k, v := range want {
				whole[k] = v
			}
			if diff := cmp.Diff(whole, got.Body); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// The library reads credentials and addresses from the environment unless kept
// from it.
func TestGenerator_readsNoEnvironment(t *testing.T) {
	t.Setenv("OPENAI_BASE_URL", "http://127.0.0.1:1")
	t.Setenv("OPENAI_API_KEY", "sk-of-somebody-else")
	t.Setenv("OPENAI_ORG_ID", "org-of-somebody-else")
	srv := llmtest.NewOpenAI(t, llmtest.Steps(llmtest.Step{Text: "hi"}))
	for _, k := range []string{"", key} {
		g, err := openai.Open(openai.Options{APIKey: k, BaseURL: srv.URL, Compatible: true})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := g.Generate(t.Context(), llm.Request{Model: "m", User: llm.Text("x")}); err != nil {
			t.Fatal(err)
		}
	}
	got := srv.Received()
	if got[0].Header.Get("Authorization") != "" || got[1].Header.Get("Authorization") != "Bearer "+key || got[1].Header.Get("OpenAI-Organization") != "" {
		t.Errorf("sent with %q and %q", got[0].Header, got[1].Header)
	}
}

// respond is a server that gives one body, whatever is asked.
func respond(t *testing.T, status int, body string) string {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = fmt.Fprint(w, body)
	}))
	t.Cleanup(srv.Close)
	return srv.URL
}

func TestGenerator_takesUsageApart(t *testing.T) {
	t.Parallel()
	total := func(n int64) *int64 { return &n }
	tests := []struct {
		name, raw string
		want      *llm.Usage
	}{
		{"cached is part of the prompt, reasoning of the completion",
			`{"prompt_tokens":5000,"completion_tokens":300,"total_tokens":5300,"prompt_tokens_details":{"cached_tokens":4900,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":256}}`,
			&llm.Usage{InputUncached: 100, InputCached: 4900, Output: 44, Thinking: 256, Total: total(5300)}},
		{"audio is on its own meter",
			`{"prompt_tokens":100,"completion_tokens":1,"total_tokens":101,"prompt_tokens_details":{"audio_tokens":30}}`,
			&llm.Usage{InputUncached: 70, InputAudio: 30, Output: 1, Total: total(101)}},
		{"no details, as Ollama and vLLM have it", `{"prompt_tokens":10,"completion_tokens":2,"total_tokens":12}`,
			&llm.Usage{InputUncached: 10, Output: 2, Total: total(12)}},
		{"details that are null", `{"prompt_tokens":10,"completion_tokens":2,"total_tokens":12,"prompt_tokens_details":null,"completion_tokens_details":null}`,
			&llm.Usage{InputUncached: 10, Output: 2, Total: total(12)}},
		{"no total", `{"prompt_tokens":10,"completion_tokens":2}`, &llm.Usage{InputUncached: 10, Output: 2}},
		{"vercel/ai#6082: Google's endpoint counts thoughts in the total only",
			`{"prompt_tokens":7477,"completion_tokens":2060,"total_tokens":11476}`,
			&llm.Usage{InputUncached: 7477, Output: 2060, Thinking: 1939, Total: total(11476), Derived: true}},
		{"ai-tally#376: and where it names them, they are beside the completion",
			`{"prompt_tokens":0,"completion_tokens":150,"total_tokens":8150,"completion_tokens_details":{"reasoning_tokens":8000}}`,
			&llm.Usage{Output: 150, Thinking: 8000, Total: total(8150)}},
		{"a total that fits neither is left for the ledger to flag",
			`{"prompt_tokens":10,"completion_tokens":20,"total_tokens":99,"completion_tokens_details":{"reasoning_tokens":5}}`,
			&llm.Usage{InputUncached: 10, Output: 15, Thinking: 5, Total: total(99)}},
		{"so is one that is too small", `{"prompt_tokens":10,"completion_tokens":2,"total_tokens":3}`,
			&llm.Usage{InputUncached: 10, Output: 2, Total: total(3)}},
		{"counts that contradict each other are never negative",
			`{"prompt_tokens":10,"completion_tokens":2,"total_tokens":12,"prompt_tokens_details":{"cached_tokens":50},"completion_tokens_details":{"reasoning_tokens":5}}`,
			&llm.Usage{InputCached: 50, Thinking: 5, Total: total(12), Unclear: true}},
		{"litellm#37992: zeros are zeros", `{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0}`, &llm.Usage{Total: total(0)}},
		{"null is missing", `null`, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			url := respond(t, 200, `{"choices":[{"finish_reason":"stop","message":{"content":"x"}}],"usage":`+tt.raw+`}`)
			got, err := open(t, url, true).Generate(t.Context(), llm.Request{Model: "m", User: llm.Text("x")})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got.Usage); diff != "" {
				t.Error(diff)
			}
			if tt.want != nil && string(got.RawUsage) != tt.raw {
				t.Errorf("raw usage %s is not as it came", got.RawUsage)
			}
		})
	}
}

func TestGenerator_oddAnswers(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, body string
		want       llm.Response
	}{
		{"nothing in it", `{}`, llm.Response{Finish: llm.Other}},
		{"no choice: a prompt refused by a compatible endpoint", `{"choices":[],"model":"m-1","id":"i"}`, llm.Response{Finish: llm.Refused, Model: "m-1", ID: "i"}},
		{"a refusal in words", `{"choices":[{"finish_reason":"stop","message":{"content":null,"refusal":"no"}}]}`, llm.Response{Finish: llm.Refused}},
		{"no content", `{"choices":[{"finish_reason":"stop","message":{"content":null}}]}`, llm.Response{Finish: llm.Stop}},
		{"a tool call nobody asked for", `{"choices":[{"finish_reason":"tool_calls","message":{"content":null}}]}`, llm.Response{Finish: llm.Other}},
		{"reasoning beside the content", `{"choices":[{"finish_reason":"stop","message":{"content":"a","reasoning_content":"b"}}]}`, llm.Response{Text: "a", Finish: llm.Stop}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := open(t, respond(t, 200, tt.body), true).Generate(t.Context(), llm.Request{Model: "m", User: llm.Text("x")})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestGenerator_errorsOfOddServers(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, url string
		kind      llm.Kind
		unbilled  bool
	}{
		{"a proxy's page", respond(t, 502, "<html>Bad Gateway</html>"), llm.Unavailable, true},
		{"an account without money", respond(t, 429, `{"error":{"code":"insufficient_quota","message":"m"}}`), llm.Rejected, true},
		{"a filtered prompt", respond(t, 400, `{"error":{"code":"content_filter","message":"m"}}`), llm.Blocked, true},
		{"Ollama without the model", respond(t, 404, `{"error":{"message":"model 'x' not found","type":"api_error"}}`), llm.Rejected, true},
		{"Anthropic overloaded", respond(t, 529, `{"error":{"type":"overloaded_error"}}`), llm.Unavailable, true},
		{"an error under the status of an answer", respond(t, 200, `{"error":{"message":"upstream","code":502}}`), llm.Unavailable, false},
		{"a limit under the status of an answer", respond(t, 200, `{"choices":[],"error":{"message":"slow down","code":429}}`), llm.RateLimited, false},
		{"an answer that breaks off before its choices", respond(t, 200, `{"id":"i","usage":{"prompt_tokens":1}`), llm.Unavailable, false},
		{"an empty body", respond(t, 200, ``), llm.Unavailable, false},
		{"nobody listens", "http://127.0.0.1:1", llm.Unavailable, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := open(t, tt.url, true).Generate(t.Context(), llm.Request{Model: "m", User: llm.Text("x")})
			var e *llm.Error
			if !errors.As(err, &e) || e.Kind != tt.kind || e.Unbilled != tt.unbilled || e.RetryAfter != 0 {
				t.Fatalf("error %v of kind %s; want %s, unbilled %t", err, llm.KindOf(err), tt.kind, tt.unbilled)
			}
		})
	}
}

func TestGenerator_followsNoRedirect(t *testing.T) {
	t.Parallel()
	var stolen atomic.Value
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		stolen.Store(r.Header.Get("Authorization"))
	}))
	t.Cleanup(elsewhere.Close)
	srv := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusTemporaryRedirect))
	t.Cleanup(srv.Close)
	_, err := open(t, srv.URL, false).Generate(t.Context(), llm.Request{Model: "m", User: llm.Text("x")})
	if llm.KindOf(err) != llm.Rejected || stolen.Load() != nil {
		t.Fatalf("%v; the other host was sent %v", err, stolen.Load())
	}
}

func TestGenerator_keepsTheKeyToItself(t *testing.T) {
	t.Parallel()
	echo := respond(t, 401, `{"error":{"message":"Incorrect API key provided: `+key+`"}}`)
	var log strings.Builder
	logger := slog.New(slog.NewTextHandler(&log, nil))
	for _, url := range []string{echo, "http://127.0.0.1:1", respond(t, 200, key)} {
		g := open(t, url, false)
		_, err := g.Generate(t.Context(), llm.Request{Model: "m", User: llm.Text("x")})
		logger.Info("a call", "err", err, "generator", g)
		_, _ = fmt.Fprintf(&log, "%v %+v %#v %#v", err, err, err, g)
	}
	if strings.Contains(log.String(), key) {
		t.Errorf("the key got out: %s", log.String())
	}
}

func TestOpen_refuses(t *testing.T) {
	t.Parallel()
	for _, o := range []openai.Options{
		{}, {APIKey: "key\nwith a line"}, {APIKey: key, BaseURL: "ftp://host"}, {APIKey: "bad key", BaseURL: "http://h", Compatible: true},
	} {
		if _, err := openai.Open(o); err == nil || o.APIKey != "" && strings.Contains(err.Error(), o.APIKey) {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

func TestIsOpenAI(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]bool{
		"": true, "https://api.openai.com/v1": true, "https://eu.api.openai.com/v1/": true, "https://x.openai.azure.com/openai/v1": true,
		"http://localhost:11434/v1": false, "https://generativelanguage.googleapis.com/v1beta/openai/": false,
		"https://api.openai.com.evil.example/v1": false, "://": false,
	} {
		if got := openai.IsOpenAI(url); got != want {
			t.Errorf("%q: %t", url, got)
		}
	}
}

// taped records anew with -record, from the provider if OPENAI_API_KEY is set.
var taped = llmtest.Taped{
	File: "testdata/answers.tape.json", Key: "OPENAI_API_KEY", Upstream: "https://api.openai.com", Model: "gpt-4o-mini",
	Local: llmtest.NewOpenAI,
	Open: func(t *testing.T, url, key string) llm.Generator {
		t.Helper()
		g, err := openai.Open(openai.Options{APIKey: key, BaseURL: url + "/v1"})
		if err != nil {
			t.Fatal(err)
		}
		return g
	},
}

// TestGenerator_onTape: what goes over the wire is what was recorded, whatever
// version of the library.
func TestGenerator_onTape(t *testing.T) { taped.Run(t) }

func TestTape(t *testing.T) { taped.TestTape(t, key) }
