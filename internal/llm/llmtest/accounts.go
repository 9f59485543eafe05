package llmtest

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stepledger/stepledger/internal/llm"
)

// oddAccounts are accounts of usage in which no provider's counts can be found.
func oddAccounts() []string {
	deep := strings.Repeat("[", 5_000) + strings.Repeat("]", 5_000)
	return append(SmallAccounts(), deep, `{"a":`+deep+`}`, `{"a":"`+strings.Repeat("x", 20<<10)+`"}`)
}

// SmallAccounts are such for a fuzzer to begin with: large ones take it long to make
// smaller.
func SmallAccounts() []string {
	return []string{
		`{}`, `[]`, `[{}]`, `""`, `"1000"`, `0`, `-1`, `1e3`, `true`, `false`, `[[null]]`, `{"":null}`, `{"usage":{}}`,
		`{"prompt_tokens":"many","completion_tokens":10}`, `{"promptTokenCount":"many","candidatesTokenCount":10}`,
		`{"prompt_tokens":-5,"completion_tokens":10}`, `{"promptTokenCount":-5,"candidatesTokenCount":10}`,
		`{"prompt_tokens":1e300,"completion_tokens":10}`, `{"promptTokenCount":9223372036854775808,"candidatesTokenCount":10}`,
		`{"prompt_tokens":[1000],"completion_tokens":{"n":10}}`, `{"promptTokenCount":{},"candidatesTokenCount":[]}`,
		`{"prompt_tokens":0.5,"completion_tokens":10}`, `{"promptTokenCount":true,"candidatesTokenCount":10}`,
	}
}

func testAccounts(t *testing.T, open func(*testing.T, Script) Provider) {
	t.Helper()
	for _, account := range oddAccounts() {
		p := open(t, Steps(Step{Text: "hello", Account: json.RawMessage(account)}))
		got, err := p.Generate(t.Context(), request())
		if err != nil || got.Text != "hello" || got.Finish != llm.Stop || got.Usage != nil {
			t.Errorf("%.60s: %+v, %v", account, got, err)
		}
		if got.RawUsage != nil && string(got.RawUsage) != account {
			t.Errorf("%.60s is kept as %.60s", account, got.RawUsage)
		}
	}
}

// FuzzAccounts is that no account, of whatever shape, costs the answer beside it, and
// that what is read of one can be billed. body is that of the answer "hello" with an
// account in it.
func FuzzAccounts(f *testing.F, open func(testing.TB, string) llm.Generator, body func(account string) string) {
	f.Helper()
	var answer atomic.Value
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(answer.Load().(string)))
	}))
	f.Cleanup(srv.Close)
	g := open(f, srv.URL)
	for _, a := range append(SmallAccounts(), `null`, `NaN`, `{"prompt_tokens":Infinity}`) {
		f.Add(a)
	}
	f.Fuzz(func(t *testing.T, account string) {
		answer.Store(body(account))
		got, err := g.Generate(t.Context(), llm.Request{Model: "m", User: llm.Text("x")})
		if !json.Valid([]byte(account)) {
			return // it may have made anything of the body: no panic is all that is asked
		}
		if err != nil || got.Text != "hello" {
			t.Fatalf("%q: %+v, %v", account, got, err)
		}
		if got.RawUsage != nil && !json.Valid(got.RawUsage) {
			t.Errorf("%q is kept as %q", account, got.RawUsage)
		}
		if u := got.Usage; u != nil {
			billable(t, account, *u)
		}
	})
}

func billable(t *testing.T, account string, u llm.Usage) {
	t.Helper()
	const most = 1 << 40 // what the ledger takes on a meter
	for _, n := range []int64{u.InputUncached, u.InputCached, u.InputTool, u.InputAudio, u.Output, u.Thinking} {
		if n < 0 || n > most {
			t.Errorf("%q is %+v", account, u)
		}
	}
	if u.Total != nil && (*u.Total < 0 || *u.Total > most) {
		t.Errorf("%q has the total %d", account, *u.Total)
	}
}
