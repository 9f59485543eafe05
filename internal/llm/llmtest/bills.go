package llmtest

import (
	"encoding/json"
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/internal/llm"
)

// bill is how an attempt has to end on the ledger.
type bill struct {
	Outcome         string
	Usage, Unbilled bool
}

// Bills is that every attempt a Client makes by a Generator is on the ledger with
// one start and one end, whatever happens on the wire: refusals with the wait
// they ask for, useless answers, resets, half bodies, bodies without end,
// silence.
func Bills(t *testing.T, open func(t *testing.T, s Script) Provider) {
	t.Helper()
	steps := []Step{
		{Status: 429, RetryAfter: time.Millisecond},
		{Text: "I'll help you with that."},
		{Status: 503, RetryAfter: time.Millisecond},
		{Text: `{"a":1}`},
		{Text: `{"a":1}`, NoUsage: true},
		{Text: `{"a":1}`, Account: json.RawMessage(`{}`)},
		{Text: `{"a":1}`, Account: json.RawMessage(`["many"]`)},
		{Text: `{"a":1}`, Usage: &llm.Usage{}},
		{Text: `{"a":1}`, Usage: &llm.Usage{InputUncached: 9}},
		{BlockPrompt: true},
		{Text: `{"a"`, Finish: llm.MaxTokens},
		{Reset: true}, {Cut: true}, {Text: `{"a":2}`},
		{Garbled: true}, {Huge: true}, {Text: `{"a":3}`},
		{Hang: true},
		{Stall: true},
	}
	p := open(t, Steps(steps...))
	b := &billed{Ledger: NewLedger()}
	b.ask(t, p, "first", llm.Malformed)
	b.ask(t, p, "second", "")
	for _, what := range []string{"missing", "empty", "no object", "nothing", "none of the answer"} {
		b.ask(t, p, "usage "+what, "")
	}
	b.ask(t, p, "refused", llm.Blocked)
	b.ask(t, p, "cut off", llm.Truncated)
	b.ask(t, p, "broken twice", "")
	b.ask(t, p, "unreadable twice", "")
	b.timeout = 200 * time.Millisecond
	b.ask(t, p, "silent", llm.Timeout)
	b.ask(t, p, "silent half way", llm.Timeout)
	b.timeout = 0
	b.ask(t, p, "second", "") // paid for: no attempt

	started, completed := b.Calls()
	var got []bill
	for i, c := range completed {
		if c.Call != started[i].Call {
			t.Errorf("call %s ends as %s", started[i].Call, c.Call)
		}
		got = append(got, bill{string(c.Outcome), c.Usage != nil, c.Unbilled})
	}
	unread := bill{"unavailable", false, false}
	want := []bill{
		{"rate_limited", false, true}, {"schema_invalid", true, false},
		{"unavailable", false, true}, {"ok", true, false},
		{"ok", false, false}, {"ok", false, false}, {"ok", false, false}, {"ok", false, false}, {"ok", false, false},
		{"blocked", true, false}, {"truncated", true, false},
		unread, unread, {"ok", true, false}, unread, unread, {"ok", true, false},
		{"timeout", false, false}, {"timeout", false, false},
	}
	// The silent ones may be given up before they reach the provider.
	if n := len(p.Requests()); n < len(want)-2 || n > len(want) || len(started) != len(want) {
		t.Errorf("%d attempts, %d starts", n, len(started))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// billed asks on one ledger, each time by a client of its own: how a model has
// done so far must not count here.
type billed struct {
	*Ledger
	calls   int
	timeout time.Duration // of attempts; zero is the Client's own
}

func (b *billed) ask(t *testing.T, p Provider, prompt string, want llm.Kind) {
	t.Helper()
	client, err := llm.NewClient(llm.Options{
		Roles:    map[llm.Role][]llm.Target{llm.Smart: {{Provider: "p", Model: "m", Generator: p.Generator}}},
		Recorder: b.Ledger,
		Tokens:   func(s string) int { return len(s) / 4 },
		NewID:    func() string { b.calls++; return strconv.Itoa(b.calls) },
		Jitter:   func() float64 { return 0 },
		MaxWait:  10 * time.Millisecond, AttemptTimeout: b.timeout,
	})
	if err != nil {
		t.Fatal(err)
	}
	_, err = client.Ask(t.Context(), llm.Question{
		On: llm.On{Tenant: "t", Task: "k", Request: "r"}, Purpose: "PLANNING", Role: llm.Smart,
		Request: llm.Request{User: llm.Text(prompt), Schema: json.RawMessage(`{"type":"object","properties":{"a":{"type":"integer"}}}`)},
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
