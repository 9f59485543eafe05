package llmtest

import (
	"encoding/json"
	"math"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/internal/llm"
)

// EmbedBills is Bills of the calls that make vectors.
func EmbedBills(t *testing.T, open func(t *testing.T, s Script) EmbedProvider) {
	t.Helper()
	nan := float32(math.NaN())
	p := open(t, Steps(
		Step{Status: 429, RetryAfter: time.Millisecond}, Step{},
		Step{Status: 500}, Step{Status: 503, RetryAfter: time.Millisecond}, Step{NoUsage: true},
		Step{Account: json.RawMessage(`["many"]`)},
		Step{Usage: &llm.Usage{}},
		Step{Vectors: [][]float32{{1, 2}}},
		Step{Vectors: [][]float32{{1, 2}, {1}}},
		Step{Vectors: [][]float32{{1, 2}, {1, nan}}},
		Step{Vectors: [][]float32{{1, 2}, {0, 0}}},
		Step{Vectors: [][]float32{{1, 2}, {3.4e38, float32(math.Inf(1))}}},
		Step{Status: 400},
		Step{Reset: true}, Step{Cut: true}, Step{},
		Step{Garbled: true}, Step{Huge: true}, Step{},
		Step{Hang: true}, Step{Stall: true},
	))
	b := &embedBilled{Ledger: NewLedger()}
	b.embed(t, p, "first", "")
	for _, usage := range []string{"missing", "no object", "nothing"} {
		b.embed(t, p, "usage "+usage, "")
	}
	for _, vectors := range []string{"too few", "of two lengths", "no numbers", "no direction", "no end"} {
		b.embed(t, p, vectors, llm.Malformed)
	}
	b.embed(t, p, "refused", llm.Rejected)
	b.embed(t, p, "broken twice", "")
	b.embed(t, p, "unreadable twice", "")
	b.timeout = 200 * time.Millisecond
	b.embed(t, p, "silent", llm.Timeout)
	b.embed(t, p, "silent half way", llm.Timeout)
	b.timeout = 0
	b.embed(t, p, "first", "") // paid for: no attempt
	b.embed(t, p, "too few", llm.Malformed)

	started, completed := b.Calls()
	var got []bill
	for i, c := range completed {
		if c.Call != started[i].Call {
			t.Errorf("call %s ends as %s", started[i].Call, c.Call)
		}
		got = append(got, bill{string(c.Outcome), c.Usage != nil, c.Unbilled})
	}
	unread, useless := bill{"unavailable", false, false}, bill{"schema_invalid", true, false}
	want := []bill{
		{"rate_limited", false, true}, {"ok", true, false},
		{"unavailable", false, true}, {"unavailable", false, true}, {"ok", false, false}, {"ok", false, false}, {"ok", false, false},
		useless, useless, useless, useless, useless, {"rejected", false, true},
		unread, unread, {"ok", true, false}, unread, unread, {"ok", true, false},
		{"timeout", false, false}, {"timeout", false, false},
	}
	// The silent ones may be given up before they reach the provider.
	if n := len(p.Requests()); n < len(want)-2 || n > len(want) {
		t.Errorf("%d attempts", n)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// embedBilled makes vectors on one ledger, each time by a client of its own.
type embedBilled struct {
	*Ledger
	calls   int
	timeout time.Duration // of attempts; zero is the Client's own
}

func (b *embedBilled) embed(t *testing.T, p EmbedProvider, text string, want llm.Kind) {
	t.Helper()
	client, err := llm.NewClient(llm.Options{
		Embedding: &llm.EmbeddingTarget{Provider: "p", Model: "m", Embedder: p.Embedder},
		Recorder:  b.Ledger,
		Tokens:    func(s string) int { return len(s) / 4 },
		NewID:     func() string { b.calls++; return strconv.Itoa(b.calls) },
		Jitter:    func() float64 { return 0 },
		MaxWait:   10 * time.Millisecond, AttemptTimeout: b.timeout,
	})
	if err != nil {
		t.Fatal(err)
	}
	vectors, err := client.Embed(t.Context(), llm.Embedding{
		On: llm.On{Tenant: "t", Task: "source"}, Purpose: "EMBEDDING", Key: "version.1", Texts: []string{text, "another text"},
	})
	if got := llm.KindOf(err); got != want || err == nil && len(vectors) != 2 {
		t.Errorf("%s: %d vectors, error %v of kind %q, want %q", text, len(vectors), err, got, want)
	}
}
