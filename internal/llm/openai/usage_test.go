package openai_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/internal/llm"
	"github.com/stepledger/stepledger/internal/llm/llmtest"
	"github.com/stepledger/stepledger/internal/llm/openai"
)

func told(n int64) *int64 { return &n }

// Endpoints that imitate the protocol write its usage in their own way.
func TestUsage_OfImitations(t *testing.T) {
	t.Parallel()
	plain := llm.Usage{InputUncached: 1000, Output: 10}
	with := func(change func(*llm.Usage)) *llm.Usage {
		u := plain
		change(&u)
		return &u
	}
	for _, tt := range []struct {
		name, account string
		want          *llm.Usage
	}{
		{"the other spelling", `{"input_tokens":1000,"output_tokens":10}`, &plain},
		{"the other spelling, with its details", `{"input_tokens":1000,"output_tokens":10,"total_tokens":1010,
			"input_tokens_details":{"cached_tokens":900},"output_tokens_details":{"reasoning_tokens":4}}`,
			&llm.Usage{InputUncached: 100, InputCached: 900, Output: 6, Thinking: 4, Total: told(1010)}},
		{"camel case", `{"promptTokens":1000,"completionTokens":10}`, &plain},
		{"both spellings, one of them at zero", `{"prompt_tokens":1000,"completion_tokens":10,"input_tokens":0,"output_tokens":0}`, &plain},
		{"both spellings, the other at zero", `{"prompt_tokens":0,"completion_tokens":0,"input_tokens":1000,"output_tokens":10}`, &plain},
		{"both spellings that differ", `{"prompt_tokens":900,"completion_tokens":10,"input_tokens":1000,"output_tokens":10}`,
			with(func(u *llm.Usage) { u.Unclear = true })},
		{"one spelling cannot be read", `{"prompt_tokens":"?","input_tokens":1000,"output_tokens":10}`,
			with(func(u *llm.Usage) { u.Unclear = true })},
		{"whole numbers as fractions", `{"prompt_tokens":1000.0,"completion_tokens":10.00}`, &plain},
		{"exponents", `{"prompt_tokens":1e3,"completion_tokens":1.0E+1}`, &plain},
		{"numbers in quotes", `{"prompt_tokens":"1000","completion_tokens":" 10.0 "}`, &plain},
		{"details that are a list", `{"prompt_tokens":1000,"completion_tokens":10,"prompt_tokens_details":[]}`,
			with(func(u *llm.Usage) { u.Unclear = true })},
		{"a part that cannot be read", `{"prompt_tokens":1000,"completion_tokens":10,"prompt_tokens_details":{"cached_tokens":"most"}}`,
			with(func(u *llm.Usage) { u.Unclear = true })},
		{"a total that cannot be read", `{"prompt_tokens":1000,"completion_tokens":10,"total_tokens":[1010]}`,
			with(func(u *llm.Usage) { u.Unclear = true })},
		{"a total beyond what the answer could take", `{"prompt_tokens":1000,"completion_tokens":10,"total_tokens":90000000}`,
			with(func(u *llm.Usage) { u.Total = told(90_000_000) })},
		{"more reasoning than completion", `{"prompt_tokens":1000,"completion_tokens":10,"completion_tokens_details":{"reasoning_tokens":40}}`,
			with(func(u *llm.Usage) { u.Thinking, u.Unclear = 40, true })},
		{"DeepSeek's cache", `{"prompt_tokens":1000,"completion_tokens":10,"prompt_cache_hit_tokens":600,"prompt_cache_miss_tokens":400}`,
			with(func(u *llm.Usage) { u.InputUncached, u.InputCached = 400, 600 })},
		{"Anthropic's cache is beside the input", `{"input_tokens":1000,"output_tokens":10,"cache_read_input_tokens":500}`,
			with(func(u *llm.Usage) { u.InputCached = 500 })},
		{"unless the total says otherwise", `{"input_tokens":1000,"output_tokens":10,"cache_read_input_tokens":500,"total_tokens":1010}`,
			with(func(u *llm.Usage) { u.InputUncached, u.InputCached, u.Total = 500, 500, told(1010) })},
		{"writing to a cache has no meter of its own", `{"input_tokens":1000,"output_tokens":10,"cache_creation_input_tokens":200}`,
			with(func(u *llm.Usage) { u.InputUncached, u.Unclear = 1200, true })},
		{"only the prompt is told", `{"prompt_tokens":1000}`, &llm.Usage{InputUncached: 1000}},
		{"the completion cannot be read", `{"prompt_tokens":1000,"completion_tokens":{}}`, nil},
		{"only the total is told", `{"total_tokens":1010}`, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, openai.Usage([]byte(tt.account), llm.DefaultMaxOutputTokens)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// What stands beside the answer in a form nobody expects does not cost it.
func TestGenerator_readsTheAnswerApart(t *testing.T) {
	t.Parallel()
	const choice = `{"finish_reason":"stop","message":{"content":"hello"}}`
	for name, body := range map[string]string{
		"numbers for names":               `{"id":7,"created":"now","model":[],"choices":[` + choice + `]}`,
		"a count that is not a number":    `{"choices":[` + choice + `],"usage":{"prompt_tokens":NaN,"completion_tokens":-Infinity},"model":"m"}`,
		"before the answer too":           `{"usage":{"prompt_tokens":NaN,"note":"\"NaN\" \\"},"choices":[` + choice + `]}`,
		"usage that is not JSON":          `{"choices":[` + choice + `],"usage":{"prompt_tokens":}}`,
		"a body that breaks off after it": `{"choices":[` + choice + `],"usage":{"prompt`,
		"an error beside it":              `{"choices":[` + choice + `],"error":{"code":500,"message":"m"}}`,
		"content in parts":                `{"choices":[{"finish_reason":"stop","message":{"content":[{"type":"thinking","text":"hm"},{"type":"text","text":"hello"}]}}]}`,
	} {
		for _, status := range []int{200, 201} {
			got, err := open(t, respond(t, status, body), true).Generate(t.Context(), llm.Request{Model: "m", User: llm.Text("x")})
			if err != nil || got.Text != "hello" || got.Finish != llm.Stop || got.Usage != nil {
				t.Errorf("%s: %+v, %v", name, got, err)
			}
		}
	}
}

// A refusal that says what was used is billed for it.
func TestGenerator_tellsWhatARefusalUsed(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		status   int
		usage    string
		unbilled bool
		input    int64
	}{
		{"nothing said", 400, "null", true, 0},
		{"nothing used", 400, `{"prompt_tokens":0,"completion_tokens":0}`, true, 0},
		{"a prompt", 400, `{"prompt_tokens":50,"completion_tokens":3}`, false, 50},
		{"what nobody can read", 503, `{"prompt_tokens":"some"}`, false, 0},
		{"under the status of an answer", 200, `{"prompt_tokens":50,"completion_tokens":3}`, false, 50},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			url := respond(t, tt.status, `{"error":{"message":"m","code":"json_validate_failed"},"usage":`+tt.usage+`}`)
			_, err := open(t, url, true).Generate(t.Context(), llm.Request{Model: "m", User: llm.Text("x")})
			var e *llm.Error
			if !errors.As(err, &e) || e.Unbilled != tt.unbilled {
				t.Fatalf("%v", err)
			}
			if got := e.Usage; tt.input > 0 && (got == nil || got.Input() != tt.input) || (tt.usage == "null") != (e.RawUsage == nil) {
				t.Errorf("usage %+v of %s", got, e.RawUsage)
			}
		})
	}
}

func FuzzGenerator_account(f *testing.F) {
	f.Add(`{"prompt_tokens":5000,"completion_tokens":300,"total_tokens":5300,"prompt_tokens_details":{"cached_tokens":4900,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":256}}`)
	f.Add(`{"input_tokens":"1e3","output_tokens":10.0,"cache_read_input_tokens":5,"cache_creation_input_tokens":5,"total_tokens":3}`)
	llmtest.FuzzAccounts(f, func(t testing.TB, url string) llm.Generator {
		g, err := openai.Open(openai.Options{BaseURL: url, Compatible: true})
		if err != nil {
			t.Fatal(err)
		}
		return g
	}, func(account string) string {
		return strings.Replace(`{"usage":ACCOUNT,"choices":[{"finish_reason":"stop","message":{"content":"hello"}}]}`, "ACCOUNT", account, 1)
	})
}
