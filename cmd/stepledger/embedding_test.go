package main

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/stepledger/stepledger/commands"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/eventstore/memory"
	"github.com/stepledger/stepledger/internal/llm"
	"github.com/stepledger/stepledger/internal/llm/openai"
	"github.com/stepledger/stepledger/internal/llm/wire"
)

// 25. pydantic/pydantic-ai#6781, googleapis/python-genai#2658, maximhq/bifrost
// PR#7295: the usage of embeddings is dropped by the libraries, and costs nothing.
// It is in the body, and goes the way of every call from there to its bill.
func TestReplay_AnEmbeddingCostsWhatItsBodySays(t *testing.T) {
	t.Parallel()
	const vector = `{"embeddings":[{"values":[0.013,-0.008]}]`
	const list = `{"object":"list","data":[{"object":"embedding","index":0,"embedding":[0.013,-0.008]}],"model":"m"`
	for _, tt := range []struct {
		name, provider, model, tier, body string
		want                              string // "" is unpriced
		meters                            usage.Meters
	}{
		{"gemini-embedding-001", usage.Google, "gemini-embedding-001", "",
			vector + `,"usageMetadata":{"promptTokenCount":20}}`, "0.000003", usage.Meters{InputUncached: 20}},
		{"with a total, and by modality", usage.Google, "gemini-embedding-2", "",
			vector + `,"usageMetadata":{"promptTokenCount":7,"totalTokenCount":7,"promptTokensDetails":[{"modality":"TEXT","tokenCount":7}]}}`, "0.0000014", usage.Meters{InputUncached: 7}},
		{"of audio, which has no price by the token", usage.Google, "gemini-embedding-2", "",
			vector + `,"usageMetadata":{"promptTokenCount":32,"promptTokensDetails":[{"modality":"AUDIO","tokenCount":32}]}}`, "", usage.Meters{InputAudio: 32}},
		// Another ledger exports these 4e-7 as 0.000000.
		{"text-embedding-3-small", usage.OpenAI, "text-embedding-3-small", "",
			list + `,"usage":{"prompt_tokens":20,"total_tokens":20}}`, "0.0000004", usage.Meters{InputUncached: 20}},
		{"text-embedding-3-large", usage.OpenAI, "text-embedding-3-large", "",
			list + `,"usage":{"prompt_tokens":8191,"total_tokens":8191}}`, "0.00106483", usage.Meters{InputUncached: 8191}},
		{"text-embedding-3-large as batch", usage.OpenAI, "text-embedding-3-large", usage.Batch,
			list + `,"usage":{"prompt_tokens":8191,"total_tokens":8191}}`, "0.000532415", usage.Meters{InputUncached: 8191}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			raw, said := usageIn(t, tt.provider, tt.body)
			c := embedded(t, tt.provider, tt.model, tt.tier, raw, said)
			got := ""
			if c.Charge.Cost != nil {
				got = c.Charge.Cost.String()
			}
			if got != tt.want || c.Meters != tt.meters || c.Settled || c.Started.Purpose != "EMBEDDING" || string(c.Report.RawUsage) != string(raw) {
				t.Errorf("cost %q, want %q; %+v", got, tt.want, c)
			}
			if wrong := c.Report.ProviderTotal != nil && *c.Report.ProviderTotal != c.Meters.Total(); wrong {
				t.Error("the meters do not add up to the total")
			}
		})
	}
}

// A body without usage that can be read is no embedding for nothing: it is billed by
// estimate.
func TestReplay_AnEmbeddingWithoutUsageIsEstimated(t *testing.T) {
	t.Parallel()
	for _, more := range []string{
		``, `,"usageMetadata":null`, `,"usageMetadata":{}`, `,"usageMetadata":[]`, `,"usageMetadata":{"promptTokenCount":0}`,
		`,"usageMetadata":{"promptTokenCount":"many"}`, `,"usageMetadata":{"promptTokenCount":-20}`, `,"usageMetadata":{"promptTokenCount":1e30}`,
	} {
		raw, said := usageIn(t, usage.Google, `{"embeddings":[{"values":[0.013,-0.008]}]`+more+`}`)
		c := embedded(t, usage.Google, "gemini-embedding-001", "", raw, said)
		if !c.Settled || c.Charge.Cost == nil || c.Charge.Cost.String() != "0.00000375" { // of the 25 tokens expected
			t.Errorf("%s: %+v", more, c)
		}
	}
}

// usageIn reads the usage out of a body as it came, as the adapters do.
func usageIn(t *testing.T, provider, body string) (json.RawMessage, *llm.Usage) {
	t.Helper()
	m, _ := wire.ReadMembers([]byte(body))
	if provider == usage.Google {
		raw := m.Of("usageMetadata")
		u, _ := wire.GeminiUsage(raw)
		return raw, u
	}
	raw := m.Of("usage")
	return raw, openai.Usage(raw, 0)
}

// embedded puts a call on a ledger, and gives it as the ledger has it.
func embedded(t *testing.T, provider, model, tier string, raw json.RawMessage, u *llm.Usage) usage.Call {
	t.Helper()
	log := memory.New(memory.Options{})
	at := time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)
	r := recorder{
		ledger: commands.Ledger{
			Log: log, Prices: seedPrices{}, Budget: unlimited{}, Clock: func() time.Time { return at }, IDs: domain.NewUUID,
		},
		billed: func(usage.Call) {},
	}
	on := llm.On{Tenant: "acme", User: "u", Task: "ingestion"}
	call := domain.NewUUID()
	err := r.Started(t.Context(), llm.CallStarted{
		On: on, Call: call, Purpose: string(usage.Embedding), Provider: provider, Model: model, ServiceTier: tier,
		Attempt: 1, EstimatedInputTokens: 25, StartedAt: at,
	})
	if err != nil {
		t.Fatal(err)
	}
	err = r.Completed(t.Context(), llm.CallCompleted{
		On: on, Call: call, Outcome: llm.OutcomeOK, Usage: u, RawUsage: raw, ServiceTier: tier, CompletedAt: at.Add(time.Second),
	})
	if err != nil {
		t.Fatal(err)
	}
	slice, err := log.ReadStream(t.Context(), usage.Stream(on.Task), eventstore.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	state := usage.Initial()
	for _, e := range slice.Events {
		event, err := usage.Codec.Decode(e.Type, e.Data, e.ID, nil)
		if err != nil {
			t.Fatal(err)
		}
		state = usage.Evolve(state, event)
	}
	return state.Calls[call]
}

// seedPrices is the book every installation begins with.
type seedPrices struct{}

func (seedPrices) Book(context.Context) (*usage.Book, error) { return usage.Seed(), nil }

// unlimited is a budget nobody has set.
type unlimited struct{}

func (unlimited) Reserve(context.Context, usage.Reservation) (string, error) { return "2026-11", nil }

func (unlimited) Charge(context.Context, usage.Booking) error { return nil }

func (unlimited) Release(context.Context, string) error { return nil }
