package usage

import (
	"fmt"
	"time"
)

// Sources of the seeded prices. The two tables were compared row by row; if only one
// has a model, the row says so.
const (
	fromLiteLLM  = "BerriAI/litellm model_prices_and_context_window.json, 2026-07-24"
	fromLangfuse = "langfuse/langfuse default-model-prices.json, 2026-08-21"
	fromBoth     = fromLiteLLM + "; " + fromLangfuse
)

// Seed returns the price book every installation begins with. The rows were read on
// the dates in their sources and count from the beginning of that year. A price
// change is a new row, never an edit.
func Seed() *Book {
	b, err := NewBook(SeedRows())
	if err != nil {
		panic("usage: the seeded prices are constants and tested: " + err.Error())
	}
	return b
}

// SeedRows returns the rows of Seed. Rates on which the sources disagree are left
// out, so that their use is unpriced until they are known.
func SeedRows() []Price {
	return versioned([]Price{
		{Provider: Google, Model: "gemini-2.0-flash", Aliases: []string{"gemini-2.0-flash-001"}, Retires: day("2026-06-01"),
			Rates: perMillion("0.10", "0.025", "0.40", "0.70"), Source: fromLiteLLM},
		{Provider: Vertex, Model: "gemini-2.0-flash-001", Aliases: []string{"gemini-2.0-flash"}, Retires: day("2026-06-01"),
			Rates: perMillion("0.15", "0.0375", "0.60", "1.00"), Source: fromLiteLLM},
		{Provider: Google, Model: "gemini-2.5-flash",
			Rates: perMillion("0.30", "0.03", "2.50", "1.00"), Source: fromBoth},
		{Provider: Google, Model: "gemini-2.5-flash-lite",
			Rates: perMillion("0.10", "0.01", "0.40", "0.30"), Source: fromBoth},
		{Provider: Google, Model: "gemini-2.5-pro",
			Rates: perMillion("1.25", "0.125", "10.00", ""), Long: above200k("2.50", "0.25", "15.00"), Source: fromBoth},
		{Provider: Google, Model: "gemini-3-flash-preview",
			Rates: perMillion("0.50", "0.05", "3.00", "1.00"), Source: fromBoth},
		{Provider: Google, Model: "gemini-3-flash-preview", ServiceTier: Priority,
			Rates: perMillion("0.90", "0.09", "5.40", ""), Source: fromLiteLLM},
		{Provider: Google, Model: "gemini-3-pro-preview", Retires: day("2026-03-09"),
			Rates: perMillion("2.00", "0.20", "12.00", ""), Long: above200k("4.00", "0.40", "18.00"), Source: fromBoth},
		{Provider: Vertex, Model: "gemini-3-pro-preview", Retires: day("2026-03-26"),
			Rates: perMillion("2.00", "0.20", "12.00", ""), Long: above200k("4.00", "0.40", "18.00"), Source: fromBoth},
		{Provider: Google, Model: "gemini-3-pro-preview", ServiceTier: Batch, Retires: day("2026-03-09"),
			Rates: perMillion("1.00", "", "6.00", ""), Long: unknownLongTier(), Source: fromLiteLLM},
		{Provider: Google, Model: "gemini-3-pro-preview", ServiceTier: Priority, Retires: day("2026-03-09"),
			Rates: perMillion("3.60", "", "21.60", ""), Long: unknownLongTier(), Source: fromLiteLLM},
		{Provider: Google, Model: "gemini-3.1-pro-preview",
			Rates: perMillion("2.00", "0.20", "12.00", ""), Long: above200k("4.00", "0.40", "18.00"), Source: fromBoth},
		{Provider: Google, Model: "gemini-3.1-pro-preview", ServiceTier: Batch,
			Rates: perMillion("1.00", "", "6.00", ""), Long: unknownLongTier(), Source: fromLiteLLM},
		// The audio rate of this model is listed below its text rate: not believed.
		{Provider: Google, Model: "gemini-3.5-flash",
			Rates: perMillion("1.50", "0.15", "9.00", ""), Source: fromBoth},
		{Provider: Google, Model: "gemini-3.7-flash",
			Rates: perMillion("0.75", "0.075", "3.75", ""), Source: fromLangfuse},
		{Provider: Google, Model: "gemini-embedding-001",
			Rates: perMillion("0.15", "", "0", ""), Source: fromBoth},
		{Provider: Google, Model: "gemini-embedding-2", Aliases: []string{"gemini-embedding-2-preview"},
			Rates: perMillion("0.20", "", "0", ""), Source: fromBoth},
		{Provider: Google, Model: "text-embedding-004", Retires: day("2026-01-14"),
			Rates: perMillion("0.10", "", "0", ""), Source: fromLiteLLM},
		{Provider: OpenAI, Model: "gpt-4o",
			Rates: perMillion("2.50", "1.25", "10.00", ""), Source: fromBoth},
		{Provider: OpenAI, Model: "gpt-4o", ServiceTier: Batch,
			Rates: perMillion("1.25", "", "5.00", ""), Source: fromLiteLLM},
		{Provider: OpenAI, Model: "gpt-4o", ServiceTier: Priority,
			Rates: perMillion("4.25", "", "17.00", ""), Source: fromLiteLLM},
		{Provider: OpenAI, Model: "gpt-4o-2024-05-13",
			Rates: perMillion("5.00", "", "15.00", ""), Source: fromBoth},
		{Provider: OpenAI, Model: "gpt-4o-mini",
			Rates: perMillion("0.15", "0.075", "0.60", ""), Source: fromBoth},
		{Provider: OpenAI, Model: "gpt-4o-mini", ServiceTier: Batch,
			Rates: perMillion("0.075", "", "0.30", ""), Source: fromLiteLLM},
		{Provider: OpenAI, Model: "gpt-4o-mini", ServiceTier: Priority,
			Rates: perMillion("0.25", "", "1.00", ""), Source: fromLiteLLM},
		{Provider: OpenAI, Model: "text-embedding-3-small",
			Rates: perMillion("0.02", "", "0", ""), Source: fromBoth},
		{Provider: OpenAI, Model: "text-embedding-3-small", ServiceTier: Batch,
			Rates: perMillion("0.01", "", "0", ""), Source: fromLiteLLM},
		{Provider: OpenAI, Model: "text-embedding-3-large",
			Rates: perMillion("0.13", "", "0", ""), Source: fromBoth},
		{Provider: OpenAI, Model: "text-embedding-3-large", ServiceTier: Batch,
			Rates: perMillion("0.065", "", "0", ""), Source: fromLiteLLM},
		// One source has a tier above 200,000 tokens, the other none. Writing to the
		// prompt cache has no meter here.
		{Provider: Anthropic, Model: "claude-sonnet-4-5",
			Rates: perMillion("3.00", "0.30", "15.00", ""), Long: unknownLongTier(), Source: fromBoth},
		{Provider: Anthropic, Model: "claude-sonnet-4-6",
			Rates: perMillion("3.00", "0.30", "15.00", ""), Source: fromBoth},
		{Provider: Anthropic, Model: "claude-sonnet-5",
			Rates: perMillion("2.00", "0.20", "10.00", ""), Source: fromLangfuse},
	})
}

// versioned sets the beginning and version all seeded rows share.
func versioned(rows []Price) []Price {
	for i := range rows {
		p := &rows[i]
		p.From = day("2026-01-01")
		p.Version = p.DefaultVersion()
	}
	return rows
}

// DefaultVersion is the version of a row that has none.
func (p Price) DefaultVersion() string {
	model := p.Model
	if p.ServiceTier != StandardTier {
		model += ":" + p.ServiceTier
	}
	return fmt.Sprintf("%s/%s@%s", p.Provider, model, p.From.UTC().Format(time.DateOnly))
}

// unknownLongTier is a long tier with unknown rates.
func unknownLongTier() *LongTier { return &LongTier{Above: 200_000} }

func day(date string) time.Time {
	t, err := time.Parse(time.DateOnly, date)
	if err != nil {
		panic("usage: the seeded date is not one: " + err.Error())
	}
	return t
}

// perMillion parses prices in USD per million tokens; "" is unknown.
func perMillion(input, cached, output, audio string) Rates {
	return Rates{Input: perToken(input), Cached: perToken(cached), Audio: perToken(audio), Output: perToken(output)}
}

func above200k(input, cached, output string) *LongTier {
	return &LongTier{Above: 200_000, Rates: perMillion(input, cached, output, "")}
}

func perToken(usdPerMillion string) *Pico {
	if usdPerMillion == "" {
		return nil
	}
	p, err := ParsePico(usdPerMillion)
	if err != nil || p%1_000_000 != 0 {
		panic("usage: the seeded price " + usdPerMillion + " is no whole number of pico-USD per token")
	}
	rate := p / 1_000_000
	return &rate
}
