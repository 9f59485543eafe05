package llmtest

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/internal/llm"
)

// Contract is what every Generator keeps. open gives one whose provider
// follows a script.
func Contract(t *testing.T, open func(t *testing.T, s Script) llm.Generator) {
	t.Helper()
	t.Run("an answer comes with its usage", func(t *testing.T) {
		t.Parallel()
		testAnswers(t, open)
	})
	t.Run("what the provider refuses is an error of a kind", func(t *testing.T) {
		t.Parallel()
		testErrors(t, open)
	})
	t.Run("a context that ends ends the attempt", func(t *testing.T) {
		t.Parallel()
		testEnds(t, open)
	})
	t.Run("one call is one attempt, whatever happens", func(t *testing.T) {
		t.Parallel()
		for _, s := range []Step{{Text: "x", Finish: llm.Other}, {Status: 503}, {Status: 429}, {Text: "x", Finish: llm.MaxTokens}} {
			n := 0
			g := open(t, func(int) Step { n++; return s })
			_, _ = g.Generate(t.Context(), request())
			if n != 1 {
				t.Errorf("%+v: %d attempts", s, n)
			}
		}
	})
}

func request() llm.Request {
	return llm.Request{
		Model: "a-model", System: "be brief", User: llm.Text("hello"), SchemaName: "answer",
		Schema: json.RawMessage(`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`),
	}
}

func testAnswers(t *testing.T, open func(*testing.T, Script) llm.Generator) {
	t.Helper()
	zero := int64(0)
	usage := DefaultUsage()
	tests := []struct {
		name string
		step Step
		want llm.Response
	}{
		{"a good answer", Step{Text: `{"a":"ü"}`}, llm.Response{Text: `{"a":"ü"}`, Finish: llm.Stop, Usage: &usage}},
		{"one cut off at its limit", Step{Text: `{"a":`, Finish: llm.MaxTokens}, llm.Response{Text: `{"a":`, Finish: llm.MaxTokens, Usage: &usage}},
		{"an answer that is withheld", Step{Finish: llm.Refused}, llm.Response{Finish: llm.Refused, Usage: &usage}},
		{"a prompt that is refused", Step{BlockPrompt: true}, llm.Response{Finish: llm.Refused, Usage: &usage}},
		{"an empty answer", Step{}, llm.Response{Finish: llm.Stop, Usage: &usage}},
		{"an answer that ended for a reason of its own", Step{Text: "x", Finish: llm.Other}, llm.Response{Text: "x", Finish: llm.Other, Usage: &usage}},
		{"usage that was not told is missing", Step{Text: "x", NoUsage: true}, llm.Response{Text: "x", Finish: llm.Stop}},
		{"usage of zero is zero", Step{Text: "x", Usage: &llm.Usage{Total: &zero}}, llm.Response{Text: "x", Finish: llm.Stop, Usage: &llm.Usage{Total: &zero}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := open(t, Steps(tt.step)).Generate(t.Context(), request())
			if err != nil {
				t.Fatal(err)
			}
			if (got.Usage == nil) != (got.RawUsage == nil) {
				t.Errorf("usage %v beside the raw account %s", got.Usage, got.RawUsage)
			}
			if got.Model == "" || got.ID == "" {
				t.Errorf("the answer names model %q and id %q", got.Model, got.ID)
			}
			got.RawUsage, got.Model, got.ID = nil, "", ""
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func testErrors(t *testing.T, open func(*testing.T, Script) llm.Generator) {
	t.Helper()
	tests := []struct {
		name     string
		step     Step
		kind     llm.Kind
		wait     time.Duration
		unbilled bool
	}{
		{"too many requests, with the wait asked for", Step{Status: 429, RetryAfter: 1500 * time.Millisecond}, llm.RateLimited, 1500 * time.Millisecond, true},
		{"too many requests", Step{Status: 429}, llm.RateLimited, 0, true},
		{"overload", Step{Status: 503}, llm.Unavailable, 0, true},
		{"a server error", Step{Status: 500}, llm.Unavailable, 0, true},
		{"a bad request", Step{Status: 400}, llm.Rejected, 0, true},
		{"a bad key", Step{Status: 401}, llm.Rejected, 0, true},
		{"a forbidden model", Step{Status: 403}, llm.Rejected, 0, true},
		{"a retired model", Step{Status: 404}, llm.Rejected, 0, true},
		{"an answer nobody can read", Step{Garbled: true}, llm.Unavailable, 0, false},
		{"an answer that breaks off", Step{Cut: true}, llm.Unavailable, 0, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := open(t, Steps(tt.step)).Generate(t.Context(), request())
			var e *llm.Error
			if !errors.As(err, &e) {
				t.Fatalf("error %v is no *llm.Error", err)
			}
			if e.Kind != tt.kind || e.RetryAfter != tt.wait || e.Unbilled != tt.unbilled {
				t.Errorf("kind %s, wait %s, unbilled %t; want %s, %s, %t", e.Kind, e.RetryAfter, e.Unbilled, tt.kind, tt.wait, tt.unbilled)
			}
			if tt.step.Status >= http.StatusBadRequest && e.Status != tt.step.Status {
				t.Errorf("status %d, want %d", e.Status, tt.step.Status)
			}
		})
	}
}

func testEnds(t *testing.T, open func(*testing.T, Script) llm.Generator) {
	t.Helper()
	g := open(t, Steps(Step{Hang: true}))
	short, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := g.Generate(short, request()); llm.KindOf(err) != llm.Timeout {
		t.Errorf("a deadline gave %v", err)
	}
	gone, leave := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, leave)
	_, err := g.Generate(gone, request())
	if llm.KindOf(err) != llm.Cancelled {
		t.Errorf("a cancelled context gave %v", err)
	}
	var e *llm.Error
	if errors.As(err, &e) && e.Unbilled {
		t.Error("an attempt the provider may have run is called unbilled")
	}
}
