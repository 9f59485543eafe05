package main

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stepledger/stepledger/api"
	"github.com/stepledger/stepledger/commands"
	"github.com/stepledger/stepledger/commands/interact"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/eventstore/memory"
	"github.com/stepledger/stepledger/internal/llm"
	"github.com/stepledger/stepledger/internal/llm/gemini"
	"github.com/stepledger/stepledger/internal/llm/llmtest"
	"github.com/stepledger/stepledger/internal/llm/openai"
	"github.com/stepledger/stepledger/internal/pgtest"
)

// What each account comes to: the counts it has, or an estimate; and whether
// somebody is told that it contradicts itself.
var accounts = map[string][]struct {
	account string
	input   int64 // 0: by estimate
	cost    string
	unclear bool
}{
	byOpenAI: {
		{account: `{"input_tokens":1000,"output_tokens":10}`, input: 1000, cost: "0.00159"},
		{account: `{"prompt_tokens":1000.0,"completion_tokens":1e1,"total_tokens":"1010"}`, input: 1000, cost: "0.00159"},
		{account: `{"prompt_tokens":1000,"completion_tokens":10,"prompt_tokens_details":[]}`, input: 1000, cost: "0.00159", unclear: true},
		{account: `{"prompt_tokens":1000,"completion_tokens":10,"total_tokens":900}`, input: 1000, cost: "0.00159", unclear: true},
		{account: `{"prompt_tokens":1000,"completion_tokens":10,"total_tokens":1010,"prompt_tokens_details":{"cached_tokens":5000}}`, input: 5000, cost: "0.00084", unclear: true},
		{account: `{}`}, {account: `null`}, {account: `[]`}, {account: `"many"`},
		{account: `{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0}`},
		{account: `{"prompt_tokens":1000,"completion_tokens":0,"total_tokens":1000}`},
		{account: `{"completion_tokens":10}`}, {account: `{"prompt_tokens":-1000,"completion_tokens":10}`},
		{account: `{"prompt_tokens":"many","completion_tokens":10}`}, {account: `{"prompt_tokens":1e30,"completion_tokens":10}`},
		{account: `{"prompt_tokens":4611686018427387904,"completion_tokens":4611686018427387904}`},
	},
	byGemini: {
		{account: `{"promptTokenCount":1000.0,"candidatesTokenCount":"10"}`, input: 1000, cost: "0.00159"},
		{account: `{"promptTokenCount":1000,"candidatesTokenCount":10,"promptTokensDetails":{"modality":1}}`, input: 1000, cost: "0.00159", unclear: true},
		{account: `{}`}, {account: `[]`}, {account: `3`}, {account: `{"promptTokenCount":0,"totalTokenCount":0}`},
		{account: `{"promptTokenCount":1000}`}, {account: `{"promptTokenCount":[1000],"candidatesTokenCount":10}`},
		{account: `{"promptTokenCount":-1,"candidatesTokenCount":10}`}, {account: `{"promptTokenCount":1e300,"candidatesTokenCount":10}`},
	},
}

// An account of usage of whatever shape costs no answer and makes none free: over
// HTTP, one call is made, its answer is used, and its bill is by what can be read or
// by estimate, and says so.
func TestModel_AccountsOfAnyShape(t *testing.T) {
	t.Parallel()
	for adapter, all := range accounts {
		t.Run(adapter, func(t *testing.T) {
			t.Parallel()
			model := newFakeGemini(t)
			cfg := testConfig(pgtest.Database(t, "stepledger", migrate), t.TempDir())
			cfg.Models, cfg.MetricsAddr = modelsFrom(t, model.envFor(adapter)), "127.0.0.1:0"
			s := start(t, cfg, hooks{})
			s.client = s.loginAs(t, newUser(t, s.identity, "jo@acme.example"))
			for _, tt := range all {
				model.set(func(f *fakeGemini) { f.account = tt.account })
				c := answeredCall(t, s, tt.account)
				if tt.input > 0 {
					if c.InputTokens != tt.input || *c.CostUSD != tt.cost || c.State != "completed" || c.TotalMatches == tt.unclear {
						t.Errorf("%s: %+v for %s", tt.account, c, *c.CostUSD)
					}
				} else if c.State != "settled" || !c.UsageMissing || c.SettledWhy == "" {
					t.Errorf("%s: %+v", tt.account, c)
				}
			}
			for _, want := range []string{`stepledger_estimated_calls_total{`, `stepledger_mismatched_calls_total{`} {
				if !strings.Contains(s.scrape(t), want) {
					t.Errorf("the metrics have no %s", want)
				}
			}
		})
	}
}

// answeredCall is the one call of a new task's first turn, whose answer was used. Only
// the model understands the task, and it is too short for a plan.
func answeredCall(t *testing.T, s *server, account string) api.UsageCall {
	t.Helper()
	p := visit()
	p.query = "Jas came in today, see to that"
	key, body := p.request()
	r := s.post(t, "/api/agent/interact", body, map[string]string{"Idempotency-Key": key})
	a := data[interact.Answer](t, r)
	calls := data[api.UsageCallsData](t, s.atLeast(t, r.header.Get("X-Event-Position"), "/api/usage/calls?taskId="+a.TaskID)).Calls
	if a.Status != "executing" || a.Action != `click("14")` || len(calls) != 1 {
		t.Fatalf("%s: %+v with %d calls", account, a, len(calls))
	}
	if c := calls[0]; c.CostStatus != "priced" || c.CostUSD == nil || *c.CostUSD == "0" || c.Outcome != "ok" {
		t.Errorf("%s: %+v", account, c)
	}
	return calls[0]
}

// A refusal after the model ran, an error under the status of an answer, an answer
// without choices: each attempt has one bill, by what it says was used.
func TestBill_WhatIsUselessIsPaidOnce(t *testing.T) {
	t.Parallel()
	const used = `"usage":{"prompt_tokens":1000,"completion_tokens":10,"total_tokens":1010}`
	for _, tt := range []struct {
		name   string
		status int
		body   string
		calls  int
		kind   llm.Kind
		each   string // "" is by estimate
	}{
		{"no choices", 200, `{"choices":[],` + used + `}`, 1, llm.Blocked, "0.0026"},
		{"choices missing", 200, `{` + used + `}`, 1, llm.Malformed, "0.0026"},
		{"nothing but thinking, cut off", 200, `{"choices":[{"finish_reason":"length","message":{"content":""}}],` + used + `}`, 1, llm.Truncated, "0.0026"},
		{"an error beside the usage", 200, `{"error":{"code":502,"message":"m"},` + used + `}`, 3, llm.Unavailable, "0.0026"},
		{"an error and nothing else", 200, `{"error":{"code":502,"message":"m"}}`, 3, llm.Unavailable, ""},
		{"refused after it ran", 400, `{"error":{"message":"m"},` + used + `}`, 1, llm.Rejected, "0.0026"},
		{"refused before", 400, `{"error":{"message":"m"}}`, 1, llm.Rejected, "0"},
		{"an answer in the name of another model", 200,
			`{"model":"openai/gpt-4o:nitro","choices":[{"finish_reason":"stop","message":{"content":"hello"}}],` + used + `}`, 1, "", "0.0026"},
		{"an answer in the name of a dearer one", 200,
			`{"model":"gpt-4o-2024-05-13","choices":[{"finish_reason":"stop","message":{"content":"hello"}}],` + used + `}`, 1, "", "0.00515"},
		{"an answer without choices and with an account of nothing", 200, `{"choices":[],"usage":{"prompt_tokens":0}}`, 1, llm.Blocked, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newBillBench(t)
			b.answers(tt.status, tt.body)
			_, err := b.ask(t, b.open(t, byOpenAI))
			if llm.KindOf(err) != tt.kind {
				t.Errorf("%v", err)
			}
			calls := b.calls(t)
			if len(calls) != tt.calls || len(calls) != int(b.asked.Load()) {
				t.Fatalf("%d calls for %d requests", len(calls), b.asked.Load())
			}
			for _, c := range calls {
				if cost := c.Charge.Cost.String(); tt.each != "" && cost != tt.each || c.Settled != (tt.each == "") || c.Settled && cost == "0" {
					t.Errorf("%s for %+v", cost, c)
				}
			}
		})
	}
}

// FuzzBill is that no account costs an answer or makes one free, from the body to
// the ledger.
func FuzzBill(f *testing.F) {
	for _, a := range llmtest.SmallAccounts() {
		f.Add(true, a)
		f.Add(false, a)
	}
	for adapter, all := range accounts {
		for _, a := range all {
			f.Add(adapter == byOpenAI, a.account)
		}
	}
	b := newBillBench(f)
	generators := map[bool]llm.Generator{true: b.open(f, byOpenAI), false: b.open(f, byGemini)}
	f.Fuzz(func(t *testing.T, chat bool, account string) {
		if !json.Valid([]byte(account)) {
			return
		}
		b.fresh()
		if b.answers(http.StatusOK, `{"usageMetadata":`+account+`,"candidates":[{"finishReason":"STOP","content":{"parts":[{"text":"hello"}]}}]}`); chat {
			b.answers(http.StatusOK, `{"usage":`+account+`,"choices":[{"finish_reason":"stop","message":{"content":"hello"}}]}`)
		}
		answer, err := b.ask(t, generators[chat])
		if err != nil || answer.Text != "hello" {
			t.Fatalf("%q: %+v, %v", account, answer, err)
		}
		calls := b.calls(t)
		if len(calls) != 1 {
			t.Fatalf("%q: %d calls", account, len(calls))
		}
		for _, c := range calls {
			// gpt-4o has no price for audio here: what has some on its meter is unpriced.
			priced := c.Charge.CostStatus == usage.Priced && *c.Charge.Cost > 0
			if unpriced := c.Charge.CostStatus == usage.Unpriced && c.Charge.Cost == nil && c.Meters.InputAudio > 0; !priced && !unpriced {
				t.Errorf("%q: charged %+v for %+v", account, c.Charge, c.Meters)
			}
			for _, q := range c.Meters.All() {
				if q.Tokens < 0 {
					t.Errorf("%q: %+v", account, c.Meters)
				}
			}
			if c.Settled != c.Report.UsageMissing {
				t.Errorf("%q: %+v", account, c)
			}
		}
	})
}

// billBench is a model behind HTTP, and a ledger in memory that is told by the
// recorder what it cost.
type billBench struct {
	recorder
	log    *memory.Store
	url    string
	status atomic.Int64
	body   atomic.Value
	asked  atomic.Int64
}

func newBillBench(t testing.TB) *billBench {
	t.Helper()
	b := &billBench{}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		b.asked.Add(1)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(int(b.status.Load()))
		_, _ = w.Write([]byte(b.body.Load().(string)))
	}))
	t.Cleanup(srv.Close)
	b.url = srv.URL
	b.fresh()
	return b
}

func (b *billBench) answers(status int, body string) {
	b.status.Store(int64(status))
	b.body.Store(body)
}

// fresh begins a new ledger.
func (b *billBench) fresh() {
	b.log = memory.New(memory.Options{})
	b.recorder = recorder{
		ledger: commands.Ledger{Log: b.log, Prices: seedPrices{}, Budget: unlimited{}, Clock: time.Now, IDs: domain.NewUUID},
		billed: func(usage.Call) {},
	}
}

func (b *billBench) open(t testing.TB, adapter string) llm.Generator {
	t.Helper()
	var g llm.Generator
	var err error
	if adapter == byOpenAI {
		g, err = openai.Open(openai.Options{BaseURL: b.url, Compatible: true})
	} else {
		g, err = gemini.Open(t.Context(), "test-key", b.url)
	}
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func (b *billBench) ask(t *testing.T, g llm.Generator) (llm.Answer, error) {
	t.Helper()
	client, err := llm.NewClient(llm.Options{
		Roles:    map[llm.Role][]llm.Target{llm.Smart: {{Provider: usage.OpenAI, Model: "gpt-4o", Generator: g}}},
		Recorder: b, NewID: domain.NewUUID, Tokens: func(s string) int { return len(s) },
		Jitter: func() float64 { return 0 }, MaxWait: time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	return client.Ask(t.Context(), llm.Question{
		On: llm.On{Tenant: "acme", User: "jo", Task: "t1", Request: "r"}, Purpose: "PLANNING", Role: llm.Smart,
		PromptName: "p/1", PromptHash: "h", Request: llm.Request{User: llm.Text("hi")},
	})
}

func (b *billBench) calls(t *testing.T) map[string]usage.Call {
	t.Helper()
	v, err := commands.Ledgers.Load(t.Context(), b.log, usage.Stream("t1"), nil, commands.Ledgers.Start())
	if err != nil {
		t.Fatal(err)
	}
	return v.State.Calls
}

// Nothing is kept: these tests are of bills.

func (b *billBench) KeepPrompt(context.Context, llm.On, []byte) (string, error) { return "prompt", nil }

func (b *billBench) KeepAnswer(context.Context, llm.On, string, []byte) (string, error) {
	return "answer", nil
}

func (b *billBench) KeptAnswer(context.Context, llm.On, string) ([]byte, string, bool, error) {
	return nil, "", false, nil
}
