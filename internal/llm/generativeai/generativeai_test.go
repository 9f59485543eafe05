package generativeai_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/internal/llm"
	"github.com/stepledger/stepledger/internal/llm/generativeai"
	"github.com/stepledger/stepledger/internal/llm/llmtest"
)

const key = "AIza-a-secret-key"

func open(t *testing.T, url string) *generativeai.Generator {
	t.Helper()
	g, err := generativeai.Open(t.Context(), key, url)
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

// TestGenerator_sendsTheRequest: the library would put the key into the URL, or
// nowhere.
func TestGenerator_sendsTheRequest(t *testing.T) {
	t.Parallel()
	srv := llmtest.NewGemini(t, llmtest.Steps(llmtest.Step{Text: "{}"}))
	warm, some := 0.25, 100
	_, err := open(t, srv.URL+"/").Generate(t.Context(), llm.Request{
		Model: "gemini-2.5-flash", System: "be brief",
		User:        []llm.Part{{Text: "look"}, {MIME: "image/png", Data: []byte("png")}},
		Schema:      json.RawMessage(`{"type":"object","properties":{"b":{"type":"string","maxLength":9},"a":{"const":"x"}},"required":["b"],"additionalProperties":false}`),
		Temperature: &warm, MaxOutputTokens: 77, ThinkingBudget: &some,
	})
	if err != nil {
		t.Fatal(err)
	}
	got := srv.Received()[0]
	path, query, _ := strings.Cut(got.Path, "?")
	if path != "/v1beta/models/gemini-2.5-flash:generateContent" || got.Header.Get("X-Goog-Api-Key") != key || strings.Contains(query, key) {
		t.Errorf("sent to %s with key %q", got.Path, got.Header.Get("X-Goog-Api-Key"))
	}
	want := map[string]any{
		"model":             "models/gemini-2.5-flash",
		"systemInstruction": map[string]any{"role": "user", "parts": []any{map[string]any{"text": "be brief"}}},
		"contents": []any{map[string]any{"role": "user", "parts": []any{
			map[string]any{"text": "look"},
			map[string]any{"inlineData": map[string]any{"mimeType": "image/png", "data": "cG5n"}},
		}}},
		"generationConfig": map[string]any{
			"temperature": 0.25, "maxOutputTokens": 77.0, "responseMimeType": "application/json",
			"responseSchema": map[string]any{"type": 6.0, "required": []any{"b"}, "properties": map[string]any{
				"b": map[string]any{"type": 1.0}, "a": map[string]any{"type": 1.0, "format": "enum", "enum": []any{"x"}},
			}},
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

// TestGenerator_tellsWhatTheLibraryDrops: thoughts were 98 % of a bill.
func TestGenerator_tellsWhatTheLibraryDrops(t *testing.T) {
	t.Parallel()
	total := func(n int64) *int64 { return &n }
	tests := []struct {
		name, raw string
		want      *llm.Usage
	}{
		{"ai-tally#376: thoughts", `{"promptTokenCount":0,"candidatesTokenCount":150,"thoughtsTokenCount":8000,"totalTokenCount":8150}`,
			&llm.Usage{Output: 150, Thinking: 8000, Total: total(8150)}},
		{"LibreChat#12855: cached and thoughts",
			`{"promptTokenCount":11125,"cachedContentTokenCount":7441,"candidatesTokenCount":20,"thoughtsTokenCount":409,"totalTokenCount":11554}`,
			&llm.Usage{InputUncached: 3684, InputCached: 7441, Output: 20, Thinking: 409, Total: total(11554)}},
		{"tools, and audio by its number",
			`{"promptTokenCount":10,"toolUsePromptTokenCount":5,"promptTokensDetails":[{"modality":4,"tokenCount":3}],"totalTokenCount":15}`,
			&llm.Usage{InputUncached: 7, InputAudio: 3, InputTool: 5, Total: total(15)}},
		{"go-genai#282: null is missing", `null`, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, answer := range []string{
				`"candidates":[{"finishReason":1,"content":{"parts":[{"text":"x"}]}}]`, `"promptFeedback":{"blockReason":1}`, `"candidates":[{"finishReason":3}]`,
			} {
				got, err := open(t, respond(t, 200, `{`+answer+`,"usageMetadata":`+tt.raw+`}`)).Generate(t.Context(), llm.Request{Model: "m", User: llm.Text("x")})
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(tt.want, got.Usage); diff != "" {
					t.Errorf("%s: %s", answer, diff)
				}
				if tt.want != nil && string(got.RawUsage) != tt.raw {
					t.Errorf("raw usage %s is not as it came", got.RawUsage)
				}
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
		{"a model name with its collection", `{"modelVersion":"models/m-1","candidates":[{"finishReason":4}]}`, llm.Response{Finish: llm.Refused, Model: "m-1"}},
		{"a reason the library does not know", `{"candidates":[{"finishReason":9}]}`, llm.Response{Finish: llm.Refused}},
		{"one nobody knows", `{"candidates":[{"finishReason":99,"content":{"parts":[{"text":"a"}]}}]}`, llm.Response{Text: "a", Finish: llm.Other}},
		{"parts, a thought among them", `{"candidates":[{"finishReason":1,"content":{"parts":[{"text":"a"},{"text":"hm","thought":true},{"text":"b"}]}}]}`,
			llm.Response{Text: "ab", Finish: llm.Stop}},
		{"enums as words", `{"candidates":[{"finishReason":"STOP","content":{"parts":[{"text":"a"}]}}]}`, llm.Response{Text: "a", Finish: llm.Stop}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := open(t, respond(t, 200, tt.body)).Generate(t.Context(), llm.Request{Model: "m", User: llm.Text("x")})
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
		{"a plain text error", respond(t, 502, "Bad Gateway"), llm.Unavailable, true},
		{"an empty body", respond(t, 200, ``), llm.Unavailable, false},
		{"an error under the status of an answer", respond(t, 200, `{"error":{"message":"m","code":503}}`), llm.Unavailable, false},
		{"nobody listens", "http://127.0.0.1:1", llm.Unavailable, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := open(t, tt.url).Generate(t.Context(), llm.Request{Model: "m", User: llm.Text("x")})
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
	srv := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusTemporaryRedirect))
	t.Cleanup(srv.Close)
	_, err := open(t, srv.URL).Generate(t.Context(), llm.Request{Model: "m", User: llm.Text("x")})
	if llm.KindOf(err) != llm.Rejected || stolen.Load() != nil {
		t.Fatalf("%v; the other host was sent the key %v", err, stolen.Load())
	}
}

func TestGenerator_keepsTheKeyToItself(t *testing.T) {
	t.Parallel()
	echo := respond(t, 400, `{"error":{"message":"bad key `+key+`"}}`)
	var log strings.Builder
	logger := slog.New(slog.NewTextHandler(&log, nil))
	for _, url := range []string{echo, "http://127.0.0.1:1", respond(t, 200, key)} {
		g := open(t, url)
		_, err := g.Generate(t.Context(), llm.Request{Model: "m", User: llm.Text("x")})
		logger.Info("a call", "err", err, "generator", g)
		_, _ = fmt.Fprintf(&log, "%v %+v %#v %#v", err, err, err, g)
	}
	if strings.Contains(log.String(), key) {
		t.Errorf("the key got out: %s", log.String())
	}
}

// TestOpen_sendsNothing: the library has clients for more than is asked of it.
func TestOpen_sendsNothing(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	open(t, "http://"+l.Addr().String())
	if err := l.(*net.TCPListener).SetDeadline(time.Now().Add(100 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	if c, err := l.Accept(); err == nil {
		_ = c.Close()
		t.Error("a connection was made")
	}
	_ = l.Close()
}

func TestOpen_refuses(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]string{{"", ""}, {"key\nwith a line", ""}, {key, "ftp://host"}, {key, "localhost"}} {
		if _, err := generativeai.Open(t.Context(), c[0], c[1]); err == nil || c[0] != "" && strings.Contains(err.Error(), c[0]) {
			t.Errorf("key %q and URL %q: %v", c[0], c[1], err)
		}
	}
}

// taped records anew with -record, from the provider if GEMINI_API_KEY is set.
var taped = llmtest.Taped{
	File: "testdata/answers.tape.json", Key: "GEMINI_API_KEY", Upstream: "https://generativelanguage.googleapis.com", Model: "gemini-2.5-flash",
	Local: llmtest.NewGemini,
	Open: func(t *testing.T, url, key string) llm.Generator {
		t.Helper()
		g, err := generativeai.Open(t.Context(), key, url)
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
