package gemini_test

import (
	"encoding/json"
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/internal/llm"
	"github.com/stepledger/stepledger/internal/llm/llmtest"
)

// TestClient_overTheWire bills every attempt the real library makes.
func TestClient_overTheWire(t *testing.T) {
	t.Parallel()
	srv := llmtest.NewGemini(t, llmtest.Steps(
		llmtest.Step{Status: 429, RetryAfter: time.Millisecond},
		llmtest.Step{Text: "I'll help you with that."},
		llmtest.Step{Status: 503},
		llmtest.Step{Text: `{"a":1}`},
		llmtest.Step{Text: `{"a":1}`, NoUsage: true},
		llmtest.Step{BlockPrompt: true},
		llmtest.Step{Text: `{"a"`, Finish: llm.MaxTokens},
		llmtest.Step{Hang: true},
	))
	ledger, ids := llmtest.NewLedger(), 0
	client, err := llm.NewClient(llm.Options{
		Roles:    map[llm.Role][]llm.Target{llm.Smart: {{Provider: "google", Model: "gemini-2.5-pro", Generator: open(t, srv.URL)}}},
		Recorder: ledger,
		Tokens:   func(s string) int { return len(s) / 4 },
		NewID:    func() string { ids++; return strconv.Itoa(ids) },
		MaxWait:  10 * time.Millisecond, AttemptTimeout: 300 * time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	ask := func(prompt string, want llm.Kind) {
		t.Helper()
		_, err := client.Ask(t.Context(), llm.Question{
			On: llm.On{Tenant: "t", Task: "k", Request: "r"}, Purpose: "PLANNING", Role: llm.Smart,
			Request: llm.Request{User: llm.Text(prompt), Schema: json.RawMessage(`{"type":"object"}`)},
			Check: func(s string) error {
				if !json.Valid([]byte(s)) {
					return errors.New("it is not JSON")
				}
				return nil
			},
		})
		if got := llm.KindOf(err); got != want {
			t.Errorf("%s: error %v of kind %q, want %q", prompt, err, got, want)
		}
	}
	ask("first", llm.Malformed)
	ask("repaired", "")
	ask("usage missing", "")
	ask("refused", llm.Blocked)
	ask("cut off", llm.Truncated)
	ask("silent", llm.Timeout)
	ask("repaired", "") // paid for: no attempt

	started, completed := ledger.Calls()
	type bill struct {
		Outcome         string
		Usage, Unbilled bool
	}
	var got []bill
	for i, c := range completed {
		if c.Call != started[i].Call {
			t.Errorf("call %s ends as %s", started[i].Call, c.Call)
		}
		got = append(got, bill{string(c.Outcome), c.Usage != nil, c.Unbilled})
	}
	want := []bill{
		{"rate_limited", false, true}, {"schema_invalid", true, false},
		{"unavailable", false, true}, {"ok", true, false},
		{"ok", false, false}, {"blocked", true, false}, {"truncated", true, false}, {"timeout", false, false},
	}
	if diff := cmp.Diff(want, got); diff != "" || srv.Attempts() != len(want) || len(started) != len(want) {
		t.Errorf("%d attempts, %d starts: %s", srv.Attempts(), len(started), diff)
	}
}
