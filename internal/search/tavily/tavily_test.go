package tavily_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/internal/search/tavily"
)

// found is an answer in Tavily's format.
const found = `{
	"query": "visiting hours", "follow_up_questions": null, "answer": null, "images": [], "response_time": 0.7, "request_id": "1",
	"results": [
		{"title": "Visiting\n hours ", "url": "https://clinic.example/visits", "content": "From 2 to 6 pm.", "score": 0.98, "raw_content": null},
		{"title": "No page", "url": "javascript:alert(1)", "content": "x", "score": 0.5},
		{"title": "Another", "url": "https://other.example/", "content": "LONG", "score": 0.4},
		{"title": "One too many", "url": "https://third.example/", "content": "", "score": 0.3}
	]}`

func serve(t *testing.T, answer http.HandlerFunc) *tavily.Client {
	t.Helper()
	s := httptest.NewServer(answer)
	t.Cleanup(s.Close)
	return tavily.New("tvly-key", s.URL+"/")
}

func TestClient_Find(t *testing.T) {
	t.Parallel()
	var asked map[string]any
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || r.URL.Path != "/search" || r.Header.Get("Authorization") != "Bearer tvly-key" || r.URL.RawQuery != "" {
			t.Errorf("%s %s, %v", r.Method, r.URL, r.Header)
		}
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			t.Error(err)
		}
		_, _ = io.WriteString(w, strings.Replace(found, "LONG", strings.Repeat("long ", 10_000), 1))
	})
	got, err := c.Find(t.Context(), reasoning.WebQuery{Text: " visiting\nhours", Domains: []string{"clinic.example"}, Max: 2})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"query": "visiting hours", "max_results": 2.0, "search_depth": "basic", "include_domains": []any{"clinic.example"}}
	if diff := cmp.Diff(want, asked); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
	if len(got) != 2 || got[0] != (reasoning.WebResult{Title: "Visiting hours", URL: "https://clinic.example/visits", Snippet: "From 2 to 6 pm."}) {
		t.Fatalf("found %+v", got)
	}
	if got[1].Title != "Another" || len(got[1].Snippet) > 1_100 {
		t.Errorf("found %s with %d bytes", got[1].Title, len(got[1].Snippet))
	}
}

func TestClient_Find_Trouble(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]http.HandlerFunc{
		"a wrong key": func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, `{"detail":{"error":"Unauthorized"}}`, http.StatusUnauthorized)
		},
		"too many":       func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "", http.StatusTooManyRequests) },
		"a used-up plan": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(432) },
		"an outage":      func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "<html>", http.StatusBadGateway) },
		"no JSON":        func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>") },
		"another shape":  func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"results":{"title":1}}`) },
		"half of it":     func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, found[:200]) },
		"more than is read": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, `{"results":[{"content":"`+strings.Repeat("x", 2<<20)+`"}]}`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := serve(t, answer).Find(t.Context(), reasoning.WebQuery{Text: "a private matter", Max: 3})
			if err == nil || len(got) > 0 || strings.Contains(err.Error(), "private") || strings.Contains(err.Error(), "tvly") {
				t.Errorf("found %v, %v", got, err)
			}
		})
	}
}

func TestClient_Find_EndsWithItsContext(t *testing.T) {
	t.Parallel()
	block := make(chan struct{})
	c := serve(t, func(http.ResponseWriter, *http.Request) { <-block })
	t.Cleanup(func() { close(block) })
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Find(ctx, reasoning.WebQuery{Text: "x"}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestClient_Find_Nothing(t *testing.T) {
	t.Parallel()
	c := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"results":[]}`) })
	if got, err := c.Find(t.Context(), reasoning.WebQuery{Text: "x", Max: 99}); err != nil || len(got) != 0 {
		t.Errorf("%v, %v", got, err)
	}
}
