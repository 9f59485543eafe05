package usage_test

import (
	"testing"
	"time"

	"github.com/stepledger/stepledger/domain/usage"
)

// TestSeed_HasEveryPriceThatWasRead quotes the price table the seed was made of,
// in USD per million tokens: input, cached, output, audio, then the same above
// 200,000 tokens; "" is not known. long says that there is such a tier.
func TestSeed_HasEveryPriceThatWasRead(t *testing.T) {
	t.Parallel()
	type row struct {
		provider, model, tier        string
		input, cached, output, audio string
		long                         bool
		longInput, longCached, longO string
		retires                      string
	}
	const g, v, o, a = usage.Google, usage.Vertex, usage.OpenAI, usage.Anthropic
	rows := []row{
		{g, "gemini-2.0-flash", "", "0.10", "0.025", "0.40", "0.70", false, "", "", "", "2026-06-01"},
		{v, "gemini-2.0-flash-001", "", "0.15", "0.0375", "0.60", "1.00", false, "", "", "", "2026-06-01"},
		{g, "gemini-2.5-flash", "", "0.30", "0.03", "2.50", "1.00", false, "", "", "", ""},
		{g, "gemini-2.5-flash-lite", "", "0.10", "0.01", "0.40", "0.30", false, "", "", "", ""},
		{g, "gemini-2.5-pro", "", "1.25", "0.125", "10.00", "", true, "2.50", "0.25", "15.00", ""},
		{g, "gemini-3-flash-preview", "", "0.50", "0.05", "3.00", "1.00", false, "", "", "", ""},
		{g, "gemini-3-flash-preview", "priority", "0.90", "0.09", "5.40", "", false, "", "", "", ""},
		{g, "gemini-3-pro-preview", "", "2.00", "0.20", "12.00", "", true, "4.00", "0.40", "18.00", "2026-03-09"},
		{g, "gemini-3-pro-preview", "batch", "1.00", "", "6.00", "", true, "", "", "", "2026-03-09"},
		{g, "gemini-3-pro-preview", "priority", "3.60", "", "21.60", "", true, "", "", "", "2026-03-09"},
		{v, "gemini-3-pro-preview", "", "2.00", "0.20", "12.00", "", true, "4.00", "0.40", "18.00", "2026-03-26"},
		{g, "gemini-3.1-pro-preview", "", "2.00", "0.20", "12.00", "", true, "4.00", "0.40", "18.00", ""},
		{g, "gemini-3.1-pro-preview", "batch", "1.00", "", "6.00", "", true, "", "", "", ""},
		{g, "gemini-3.5-flash", "", "1.50", "0.15", "9.00", "", false, "", "", "", ""},
		{g, "gemini-3.7-flash", "", "0.75", "0.075", "3.75", "", false, "", "", "", ""},
		{g, "gemini-embedding-001", "", "0.15", "", "0", "", false, "", "", "", ""},
		{g, "gemini-embedding-2", "", "0.20", "", "0", "", false, "", "", "", ""},
		{g, "gemini-embedding-2-preview", "", "0.20", "", "0", "", false, "", "", "", ""},
		{g, "text-embedding-004", "", "0.10", "", "0", "", false, "", "", "", "2026-01-14"},
		{o, "gpt-4o", "", "2.50", "1.25", "10.00", "", false, "", "", "", ""},
		{o, "gpt-4o", "batch", "1.25", "", "5.00", "", false, "", "", "", ""},
		{o, "gpt-4o", "priority", "4.25", "", "17.00", "", false, "", "", "", ""},
		{o, "gpt-4o-2024-05-13", "", "5.00", "", "15.00", "", false, "", "", "", ""},
		{o, "gpt-4o-mini", "", "0.15", "0.075", "0.60", "", false, "", "", "", ""},
		{o, "gpt-4o-mini", "batch", "0.075", "", "0.30", "", false, "", "", "", ""},
		{o, "gpt-4o-mini", "priority", "0.25", "", "1.00", "", false, "", "", "", ""},
		{a, "claude-sonnet-4-5", "", "3.00", "0.30", "15.00", "", true, "", "", "", ""}, // the sources disagree above 200,000
		{a, "claude-sonnet-4-6", "", "3.00", "0.30", "15.00", "", false, "", "", "", ""},
		{a, "claude-sonnet-5", "", "2.00", "0.20", "10.00", "", false, "", "", "", ""},
		{o, "text-embedding-3-small", "", "0.02", "", "0", "", false, "", "", "", ""},
		{o, "text-embedding-3-small", "batch", "0.01", "", "0", "", false, "", "", "", ""},
		{o, "text-embedding-3-large", "", "0.13", "", "0", "", false, "", "", "", ""},
		{o, "text-embedding-3-large", "batch", "0.065", "", "0", "", false, "", "", "", ""},
	}
	book := usage.Seed()
	for _, r := range rows {
		p, ok := book.Find(usage.Ware{Provider: r.provider, ServiceTier: r.tier, At: november, Models: []string{r.model}})
		if !ok {
			t.Errorf("%s/%s %s has no price", r.provider, r.model, r.tier)
			continue
		}
		var long usage.Rates
		if p.Long != nil {
			long = p.Long.Rates
		}
		retires := ""
		if !p.Retires.IsZero() {
			retires = p.Retires.Format(time.DateOnly)
		}
		got := row{r.provider, r.model, r.tier, printed(t, p.Rates.Input), printed(t, p.Rates.Cached), printed(t, p.Rates.Output), printed(t, p.Rates.Audio),
			p.Long != nil, printed(t, long.Input), printed(t, long.Cached), printed(t, long.Output), retires}
		for _, want := range []*string{&r.input, &r.cached, &r.output, &r.audio, &r.longInput, &r.longCached, &r.longO} {
			if *want != "" {
				rate, err := usage.ParseRate(*want)
				if err != nil {
					t.Fatal(err)
				}
				*want = printed(t, &rate)
			}
		}
		if got != r {
			t.Errorf("seeded\n%+v, read\n%+v", got, r)
		}
		if p.Source == "" || p.From.IsZero() || p.Version == "" {
			t.Errorf("%+v", p)
		}
	}
	if aliases := 1; len(usage.SeedRows()) != len(rows)-aliases {
		t.Errorf("%d rows are seeded, %d were read", len(usage.SeedRows()), len(rows)-aliases)
	}
}

func printed(t *testing.T, rate *usage.Pico) string {
	t.Helper()
	if rate == nil {
		return ""
	}
	s, err := rate.PerMillion()
	if err != nil {
		t.Fatal(err)
	}
	return s
}
