package gemini_test

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
	"github.com/stepledger/stepledger/internal/llm/gemini"
	"github.com/stepledger/stepledger/internal/llm/llmtest"
)

const key = "AIza-a-secret-key"

func open(t *testing.T, url string) *gemini.Generator {
	t.Helper()
	g, err := gemini.Open(t.Context(), key, url)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestGenerator(t *testing.T) {
	t.Parallel()
	llmtest.Contract(t, provider)
}

func TestClient_overTheWire(t *testing.T) {
	t.Parallel()
	llmtest.Bills(t, provider)
}

func provider(t *testing.T, s llmtest.Script) llmtest.Provider {
	t.Helper()
	srv := llmtest.NewGemini(t, s)
	return llmtest.Provider{Generator: open(t, srv.URL), Requests: srv.Requests}
}

func TestGenerator_sendsTheRequest(t *testing.T) {
	t.Parallel()
	srv := llmtest.NewGemini(t, llmtest.Steps(llmtest.Step{Text: "{}"}))
	warm, none := 0.25, 0
	_, err := open(t, srv.URL).Generate(t.Context(), llm.Request{
		Model: "gemini-2.5-flash", System: "be brief",
		User:        []llm.Part{{Text: "look"}, {MIME: "image/png", Data: []byte("png")}},
		Schema:      json.RawMessage(`{"type":"object","properties":{"b":{"type":"string","maxLength":9},"a":{"const":"x"}},"required":["b"],"additionalProperties":false}`),
		Temperature: &warm, MaxOutputTokens: 77, ThinkingBudget: &none,
	})
	if err != nil {
		t.Fatal(err)
	}
	got := srv.Received()[0]
	if got.Path != "/v1beta/models/gemini-2.5-flash:generateContent" || got.Header.Get("X-Goog-Api-Key") != key {
		t.Errorf("sent to %s with key %q", got.Path, got.Header.Get("X-Goog-Api-Key"))
	}
	want := map[string]any{
		"systemInstruction": map[string]any{"role": "user", "parts": []any{map[string]any{"text": "be brief"}}},
		"contents": []any{map[string]any{"role": "user", "parts": []any{
			map[string]any{"text": "look"},
			map[string]any{"inlineData": map[string]any{"mimeType": "image/png", "data": "cG5n"}},
		}}},
		"generationConfig": map[string]any{
			"temperature": 0.25, "maxOutputTokens": 77.0, "responseMimeType": "application/json",
			"thinkingConfig": map[string]any{"thinkingBudget": 0.0},
			"responseJsonSchema": map[string]any{
				"type": "object", "required": []any{"b"}, "additionalProperties": false,
				"properties":       map[string]any{"b": map[string]any{"type": "string"}, "a": map[string]any{"enum": []any{"x"}}},
				"propertyOrdering": []any{"b", "a"},
			},
		},
	}
	if diff := cmp.Diff(want, got.Body); diff != "" {
		t.Error(diff)
	}
}

// respond is a server that gives one body, whatever is asked.
func respond(t *testing.T, status int, body string) string {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
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
		{"LibreChat#12855: cached is part of the prompt, thoughts are beside the candidates",
			`{"promptTokenCount":11125,"cachedContentTokenCount":7441,"candidatesTokenCount":20,"thoughtsTokenCount":409,"totalTokenCount":11554}`,
			&llm.Usage{InputUncached: 3684, InputCached: 7441, Output: 20, Thinking: 409, Total: total(11554)}},
		{"cached audio is cached",
			`{"promptTokenCount":100,"cachedContentTokenCount":60,"promptTokensDetails":[{"modality":"AUDIO","tokenCount":50},{"modality":"TEXT","tokenCount":50}],"cacheTokensDetails":[{"modality":"AUDIO","tokenCount":40}]}`,
			&llm.Usage{InputUncached: 30, InputCached: 60, InputAudio: 10}},
		{"tool results are input beside the prompt",
			`{"promptTokenCount":10,"toolUsePromptTokenCount":5,"totalTokenCount":15}`,
			&llm.Usage{InputUncached: 10, InputTool: 5, Total: total(15)}},
		{"counts that contradict each other are never negative",
			`{"promptTokenCount":10,"cachedContentTokenCount":50,"totalTokenCount":10}`,
			&llm.Usage{InputCached: 50, Total: total(10), Unclear: true}},
		{"litellm#37992: zeros are zeros", `{"promptTokenCount":0,"totalTokenCount":0}`, &llm.Usage{Total: total(0)}},
		{"an empty account is none", `{}`, nil},
		{"null is missing", `null`, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			url := respond(t, 200, `{"candidates":[{"finishReason":"STOP"}],"usageMetadata":`+tt.raw+`}`)
			got, err := open(t, url).Generate(t.Context(), llm.Request{Model: "m"})
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
		{"a model name with its collection", `{"modelVersion":"models/m-1","candidates":[{"finishReason":"RECITATION"}]}`,
			llm.Response{Finish: llm.Refused, Model: "m-1"}},
		{"several parts, one of them empty", `{"candidates":[{"finishReason":"STOP","content":{"parts":[{"text":"a"},null,{"text":"b"}]}}]}`,
			llm.Response{Text: "ab", Finish: llm.Stop}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := open(t, respond(t, 200, tt.body)).Generate(t.Context(), llm.Request{Model: "m"})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestGenerator_followsNoContinuation: the library would ask again by itself
// and add the usage of both attempts up into one bill.
func TestGenerator_followsNoContinuation(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		reason, more := "CONTINUATION", `,"continuationToken":"YQ=="`
		if asked.Add(1) > 1 {
			reason, more = "STOP", ""
		}
		_, _ = fmt.Fprintf(w, `{"candidates":[{"finishReason":%q%s,"content":{"parts":[{"text":"half"}]}}],"usageMetadata":{"promptTokenCount":50}}`, reason, more)
	}))
	t.Cleanup(srv.Close)
	got, err := open(t, srv.URL).Generate(t.Context(), llm.Request{Model: "m"})
	if err != nil || got.Text != "half" || got.Finish != llm.MaxTokens || got.Usage.InputUncached != 50 || asked.Load() != 1 {
		t.Fatalf("%d attempts gave %+v, %v", asked.Load(), got, err)
	}
}

func TestGenerator_errorsOfOddServers(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, url string
		kind      llm.Kind
		unbilled  bool
	}{
		{"a plain text error", respond(t, 502, "Bad Gateway"), llm.Unavailable, true},
		{"an error body with a code of its own", respond(t, 429, `{"error":{"code":7,"message":"m"}}`), llm.RateLimited, true},
		{"an empty body", respond(t, 200, ``), llm.Unavailable, false},
		{"an error under the status of an answer", respond(t, 200, `{"error":{"message":"m","code":429}}`), llm.RateLimited, false},
		{"nobody listens", "http://127.0.0.1:1", llm.Unavailable, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := open(t, tt.url).Generate(t.Context(), llm.Request{Model: "m"})
			var e *llm.Error
			if !errors.As(err, &e) || e.Kind != tt.kind || e.Unbilled != tt.unbilled {
				t.Fatalf("error %v of kind %s; want %s, unbilled %t", err, llm.KindOf(err), tt.kind, tt.unbilled)
			}
		})
	}
}

func TestGenerator_followsNoRedirect(t *testing.T) {
	t.Parallel()
	var stolen atomic.Value
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		stolen.Store(r.Header.Get("X-Goog-Api-Key"))
	}))
	t.Cleanup(elsewhere.Close)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
	}))
	t.Cleanup(srv.Close)
	_, err := open(t, srv.URL).Generate(t.Context(), llm.Request{Model: "m"})
	if llm.KindOf(err) != llm.Rejected || stolen.Load() != nil {
		t.Fatalf("%v; the other host was sent the key %v", err, stolen.Load())
	}
}

func TestGenerator_refusesABrokenSchema(t *testing.T) {
	t.Parallel()
	srv := llmtest.NewGemini(t, llmtest.Steps(llmtest.Step{Text: "x"}))
	for _, schema := range []string{`{"type":`, `{"properties":{"a":{]}}`, `{"anyOf":{}}`} {
		_, err := open(t, srv.URL).Generate(t.Context(), llm.Request{Model: "m", Schema: json.RawMessage(schema)})
		if llm.KindOf(err) != llm.Rejected {
			t.Errorf("%s gave %v", schema, err)
		}
	}
	if srv.Attempts() != 0 {
		t.Error("it was sent")
	}
}

func TestOpen_refuses(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]string{{"", ""}, {"key\nwith a line", ""}, {key, "ftp://host"}, {key, "://"}, {key, "localhost"}} {
		_, err := gemini.Open(t.Context(), c[0], c[1])
		if err == nil {
			t.Errorf("key %q and URL %q were accepted", c[0], c[1])
		} else if c[0] != "" && strings.Contains(err.Error(), c[0]) {
			t.Errorf("the error holds the key: %v", err)
		}
	}
}

func TestGenerator_keepsTheKeyToItself(t *testing.T) {
	t.Parallel()
	echo := respond(t, 400, `{"error":{"message":"bad key `+key+`: `+strings.Repeat("é", 400)+`"}}`)
	var log strings.Builder
	logger := slog.New(slog.NewTextHandler(&log, nil))
	for _, url := range []string{echo, "http://127.0.0.1:1", respond(t, 200, key)} {
		g := open(t, url)
		_, err := g.Generate(t.Context(), llm.Request{Model: "m"})
		logger.Info("a call", "err", err, "generator", g)
		_, _ = fmt.Fprintf(&log, "%v %+v %#v %#v", err, err, err, g)
	}
	if strings.Contains(log.String(), key) {
		t.Errorf("the key got out: %s", log.String())
	}
}

// taped records anew with -record, from the provider if GEMINI_API_KEY is set.
var taped = llmtest.Taped{
	File: "testdata/answers.tape.json", Key: "GEMINI_API_KEY", Upstream: "https://generativelanguage.googleapis.com", Model: "gemini-2.5-flash",
	Local: llmtest.NewGemini,
	Open: func(t *testing.T, url, key string) llm.Generator {
		t.Helper()
		g, err := gemini.Open(t.Context(), key, url)
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
