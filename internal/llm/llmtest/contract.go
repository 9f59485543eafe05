package llmtest

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/stepledger/stepledger/internal/llm"
)

// Provider is a Generator whose provider follows a script.
type Provider struct {
	llm.Generator
	// Requests are those that arrived, as the provider understood them.
	Requests func() []llm.Request
}

// Contract is what every Generator keeps, except for what it says it lacks.
// open gives one whose provider follows a script.
func Contract(t *testing.T, open func(t *testing.T, s Script) Provider) {
	t.Helper()
	t.Run("the question arrives as it was asked", func(t *testing.T) {
		t.Parallel()
		testArrives(t, open)
	})
	t.Run("a schema is reduced to what the provider takes", func(t *testing.T) {
		t.Parallel()
		testSchemas(t, open)
	})
	t.Run("an answer comes with its usage", func(t *testing.T) {
		t.Parallel()
		testAnswers(t, open)
	})
	t.Run("an account nobody can read costs no answer", func(t *testing.T) {
		t.Parallel()
		testAccounts(t, open)
	})
	testAttempts(t, func(t *testing.T, s Script) attempt {
		t.Helper()
		p := open(t, s)
		return attempt{
			ask:  func(ctx context.Context) error { _, err := p.Generate(ctx, request()); return err },
			made: func() int { return len(p.Requests()) },
		}
	})
}

// attempt is a call of an adapter: how it is made, and how many requests that took so far.
type attempt struct {
	ask  func(ctx context.Context) error
	made func() int
}

// testAttempts is what every call keeps, whatever it asks for.
func testAttempts(t *testing.T, open func(*testing.T, Script) attempt) {
	t.Helper()
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
		for _, s := range []Step{
			{Text: "x", Finish: llm.Other}, {Text: "x", Finish: llm.MaxTokens}, {Status: 408}, {Status: 409}, {Status: 429},
			{Status: 429, RetryAfter: time.Millisecond}, {Status: 500}, {Status: 503}, {Reset: true}, {Cut: true}, {Garbled: true},
		} {
			a := open(t, Steps(s))
			_ = a.ask(t.Context())
			if n := a.made(); n != 1 {
				t.Errorf("%+v: %d attempts", s, n)
			}
		}
	})
}

// testArrives also is the test of what an adapter says it lacks: what it does
// not say has to arrive.
func testArrives(t *testing.T, open func(*testing.T, Script) Provider) {
	t.Helper()
	warm, none := 0.25, 0
	p := open(t, Steps(Step{Text: "{}"}))
	r := request()
	r.User = []llm.Part{{Text: "look"}, {MIME: "image/png", Data: []byte("\x89PNG\r\n\x1a\n")}, {Text: "what is it?"}}
	r.Temperature, r.MaxOutputTokens, r.ThinkingBudget = &warm, 77, &none
	plain := llm.Request{Model: "another-model-1.5", User: llm.Text("hello")}
	for _, q := range []llm.Request{r, plain} {
		if _, err := p.Generate(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
	want := []llm.Request{r, plain}
	want[1].MaxOutputTokens = llm.DefaultMaxOutputTokens
	if slices.Contains(llm.LacksOf(p.Generator), llm.LacksThinkingBudget) {
		want[0].ThinkingBudget = nil
	}
	got := p.Requests()
	for i := range got { // providers reduce a schema, and some do not take its name
		if (got[i].Schema == nil) != (want[i].Schema == nil) {
			t.Errorf("request %d has the schema %s", i, got[i].Schema)
		}
		got[i].Schema, got[i].SchemaName, want[i].Schema, want[i].SchemaName = nil, "", nil, ""
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
}

func request() llm.Request {
	return llm.Request{
		Model: "a-model", System: "be brief", User: llm.Text("hello"), SchemaName: "answer",
		Schema: json.RawMessage(`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`),
	}
}

// testSchemas asks by schemas providers are known to refuse as they are:
// browser-use#3786 and #7 (an object of no properties), midscene#344 and
// stagehand#1159 (strict mode), and words that are no provider's.
func testSchemas(t *testing.T, open func(*testing.T, Script) Provider) {
	t.Helper()
	for _, schema := range []string{
		`{"type":"object","properties":{"go_back":{"type":"object","properties":{}},"done":{"type":"object","properties":{"ok":{"type":"boolean"}}}}}`,
		`{"type":"object","properties":{}}`,
		`{"type":"object"}`,
		`{"type":"object","properties":{"any":{},"nothing":{"type":"null"}},"required":["any"]}`,
		`{"type":"object","properties":{"a":{"type":"string","minLength":1,"default":"x","examples":["y"]}},"$comment":"c","unevaluatedProperties":false}`,
		`{"type":"object","properties":{"one":{"oneOf":[{"type":"string"},{"type":"integer"}]},"k":{"const":"v"},"l":{"type":"array"}}}`,
		`{"type":"object","properties":{"tree":{"$ref":"#/$defs/node"}},"$defs":{"node":{"type":"object","properties":{"next":{"$ref":"#/$defs/node"}}}}}`,
		`{"type":"object","properties":{"m":{"type":"object","additionalProperties":{"type":"number"}}},"additionalProperties":true}`,
		`{"type":"array","items":{"type":"object","properties":{"a":{"type":["string","null"]}}}}`,
	} {
		p := open(t, Steps(Step{Text: "{}"}))
		r := request()
		r.Schema = json.RawMessage(schema)
		if _, err := p.Generate(t.Context(), r); err != nil {
			t.Errorf("%s: %v", schema, err)
		}
	}
}

func testAnswers(t *testing.T, open func(*testing.T, Script) Provider) {
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
		{"the service it gave", Step{Text: "x", ServiceTier: "flex"}, llm.Response{Text: "x", Finish: llm.Stop, Usage: &usage, ServiceTier: "flex"}},
		{"usage that was not told is missing", Step{Text: "x", NoUsage: true}, llm.Response{Text: "x", Finish: llm.Stop}},
		{"usage of zero is zero", Step{Text: "x", Usage: &llm.Usage{Total: &zero}}, llm.Response{Text: "x", Finish: llm.Stop, Usage: &llm.Usage{Total: &zero}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := open(t, Steps(tt.step))
			got, err := p.Generate(t.Context(), request())
			if err != nil {
				t.Fatal(err)
			}
			tt.want.Usage = metered(p.Generator, tt.want.Usage)
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

// metered is the usage as a Generator can tell it.
func metered(g llm.Generator, u *llm.Usage) *llm.Usage {
	if u == nil || !slices.Contains(llm.LacksOf(g), llm.LacksToolMeter) {
		return u
	}
	folded := *u
	folded.InputUncached, folded.InputTool = u.InputUncached+u.InputTool, 0
	return &folded
}

func testErrors(t *testing.T, open func(*testing.T, Script) attempt) {
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
		{"too many requests, come back tomorrow", Step{Status: 429, RetryAfter: 30 * time.Hour}, llm.RateLimited, 24 * time.Hour, true},
		{"overload", Step{Status: 503}, llm.Unavailable, 0, true},
		{"overload, with the wait asked for", Step{Status: 503, RetryAfter: 3 * time.Second}, llm.Unavailable, 3 * time.Second, true},
		{"a proxy that gave up", Step{Status: 408}, llm.Unavailable, 0, true},
		{"a server error", Step{Status: 500}, llm.Unavailable, 0, true},
		{"a bad request", Step{Status: 400}, llm.Rejected, 0, true},
		{"a bad key", Step{Status: 401}, llm.Rejected, 0, true},
		{"a forbidden model", Step{Status: 403}, llm.Rejected, 0, true},
		{"a retired model", Step{Status: 404}, llm.Rejected, 0, true},
		{"an answer nobody can read", Step{Garbled: true}, llm.Unavailable, 0, false},
		{"an answer that breaks off", Step{Cut: true}, llm.Unavailable, 0, false},
		{"a connection that breaks", Step{Reset: true}, llm.Unavailable, 0, false},
		{"an answer without end", Step{Huge: true}, llm.Unavailable, 0, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := open(t, Steps(tt.step)).ask(t.Context())
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

func testEnds(t *testing.T, open func(*testing.T, Script) attempt) {
	t.Helper()
	for _, s := range []Step{{Hang: true}, {Stall: true}} {
		short, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		if err := open(t, Steps(s)).ask(short); llm.KindOf(err) != llm.Timeout {
			t.Errorf("a deadline gave %v", err)
		}
	}
	hanging := open(t, Steps(Step{Hang: true}))
	gone, leave := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, leave)
	err := hanging.ask(gone)
	if llm.KindOf(err) != llm.Cancelled {
		t.Errorf("a cancelled context gave %v", err)
	}
	var e *llm.Error
	if errors.As(err, &e) && e.Unbilled {
		t.Error("an attempt the provider may have run is called unbilled")
	}
}
