package usage_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stepledger/stepledger/domain/usage"
)

var november = time.Date(2026, 11, 3, 12, 0, 0, 0, time.UTC)

func ware(provider string, at time.Time, models ...string) usage.Ware {
	return usage.Ware{Provider: provider, At: at, Models: models}
}

// TestSeed_replaysRealBills has the amounts of faults reported against other
// ledgers; each names the repository and issue.
func TestSeed_replaysRealBills(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, model, want string
		meters            usage.Meters
	}{
		{"BerriAI/litellm#14849: cached tokens are billed once, at the long tier", "gemini-2.5-pro", "0.10316125",
			usage.Meters{InputUncached: 262_960 - 257_955, InputCached: 257_955, Output: 1_744}},
		{"LibreChat#12855: cached and thinking tokens", "gemini-2.5-flash", "0.00240093",
			usage.Meters{InputUncached: 11_125 - 7_441, InputCached: 7_441, Output: 20, Thinking: 409}},
		{"vercel/ai#6082: thinking is billed as output", "gemini-2.5-pro", "0.04933625",
			usage.Meters{InputUncached: 7_477, Output: 2_060, Thinking: 1_939}},
		{"ai-tally#376: almost everything is thinking", "gemini-2.5-pro", "0.0815",
			usage.Meters{Output: 150, Thinking: 8_000}},
		{"hermes-agent#93469: the long tier", "gemini-3.1-pro-preview", "1",
			usage.Meters{InputUncached: 250_000}},
		{"exactly 200 000 tokens stay in the short tier", "gemini-2.5-pro", "0.25",
			usage.Meters{InputUncached: 200_000}},
		{"one token more moves the whole request", "gemini-2.5-pro", "0.5000025",
			usage.Meters{InputUncached: 200_001}},
		{"cached tokens count for the tier", "gemini-2.5-pro", "0.0500025",
			usage.Meters{InputUncached: 1, InputCached: 200_000}},
		{"what the provider's tools add does not", "gemini-2.5-pro", "0.5",
			usage.Meters{InputUncached: 200_000, InputTool: 200_000}},
		{"output does not count for the tier", "gemini-2.5-pro", "2.25",
			usage.Meters{InputUncached: 200_000, Output: 200_000}},
		{"audio and tool input have their rates", "gemini-2.5-flash", "0.0013",
			usage.Meters{InputAudio: 1_000, InputTool: 1_000}},
		{"a dated id keeps its own price (OpenMeter strips the date)", "gpt-4o-2024-05-13", "0.0065",
			usage.Meters{InputUncached: 1_000, Output: 100}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			provider := usage.Google
			if strings.HasPrefix(tt.model, "gpt") {
				provider = usage.OpenAI
			}
			c := usage.Seed().Charge(ware(provider, november, tt.model), tt.meters)
			if c.Cost == nil || c.CostStatus != usage.Priced || c.Cost.String() != tt.want {
				t.Fatalf("charged %v (%s), want %s", c.Cost, c.CostStatus, tt.want)
			}
			if c.PriceVersion == "" || len(c.UnitPrices) == 0 {
				t.Error("the charge does not say which prices were applied")
			}
		})
	}
}

func TestBook_unknownIsNeverZero(t *testing.T) {
	t.Parallel()
	some := usage.Meters{InputUncached: 10, Output: 1}
	tests := []struct {
		name   string
		charge usage.Charge
	}{
		{"litellm#36999: an unknown model", usage.Seed().Charge(ware(usage.Google, november, "gemini-99"), some)},
		{"a known model at another provider", usage.Seed().Charge(ware(usage.OpenAI, november, "gemini-2.5-pro"), some)},
		{"Langfuse PR#12647: a used meter without a rate", usage.Seed().Charge(ware(usage.Google, november, "gemini-2.5-pro"), usage.Meters{InputAudio: 5, Output: 1})},
		{"a call before the first price", usage.Seed().Charge(ware(usage.Google, november.AddDate(-2, 0, 0), "gemini-2.5-pro"), some)},
		{"no book", (*usage.Book)(nil).Charge(ware(usage.Google, november, "gemini-2.5-pro"), some)},
		{"an amount out of range", usage.Seed().Charge(ware(usage.Google, november, "gemini-2.5-pro"), usage.Meters{Output: 1 << 40})},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.charge.Cost != nil || tt.charge.CostStatus != usage.Unpriced {
				t.Fatalf("charged %v (%s)", tt.charge.Cost, tt.charge.CostStatus)
			}
		})
	}
}

func TestBook_nothingUsedIsFree(t *testing.T) {
	t.Parallel()
	c := usage.Seed().Charge(ware(usage.Google, november, "gemini-99"), usage.Meters{})
	if c.Cost == nil || *c.Cost != 0 || c.CostStatus != usage.Free {
		t.Fatalf("charged %v (%s)", c.Cost, c.CostStatus)
	}
}

func TestBook_pricesByTheTimeOfTheCall(t *testing.T) {
	t.Parallel()
	rate := func(p usage.Pico) usage.Rates { return usage.Rates{Input: &p, Cached: &p, Output: &p} }
	change := time.Date(2026, 11, 15, 0, 0, 0, 0, time.UTC)
	next := change.AddDate(0, 1, 0)
	b, err := usage.NewBook([]usage.Price{
		{Version: "1", Provider: "p", Model: "m", Rates: rate(1), From: change.AddDate(0, -1, 0), To: change},
		{Version: "2", Provider: "p", Model: "m", Rates: rate(2), From: change, To: next, Aliases: []string{"m-latest", "n"}},
		{Version: "3", Provider: "p", Model: "m", Rates: rate(3), From: next},
		{Version: "4", Provider: "p", Model: "n", Rates: rate(9), From: change},
	})
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name   string
		at     time.Time
		models []string
		want   string
	}{
		{"the day before a change has the old price", change.Add(-time.Nanosecond), []string{"m"}, "1"},
		{"the change itself has the new one", change, []string{"m"}, "2"},
		{"a price in the future is not used (Langfuse modelMatch.ts)", change.Add(time.Hour), []string{"m"}, "2"},
		{"an alias finds the model", change, []string{"m-latest"}, "2"},
		{"an id with a price of its own is no alias", change, []string{"n"}, "4"},
		{"what ran comes before what was asked for", change, []string{"n", "m"}, "4"},
		{"what was asked for, where nobody knows what ran", change, []string{"m-0042", "m"}, "2"},
		{"an exact id of either comes before an alias of either", change, []string{"m-latest", "n"}, "4"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, ok := b.Find(ware("p", tt.at, tt.models...))
			if !ok || p.Version != tt.want {
				t.Fatalf("found %q, want %q", p.Version, tt.want)
			}
		})
	}
}

// TestBook_oldDiscount is litellm#14849 at the cached rate of its day.
func TestBook_oldDiscount(t *testing.T) {
	t.Parallel()
	r := func(p usage.Pico) *usage.Pico { return &p }
	b, err := usage.NewBook([]usage.Price{{
		Version: "2025", Provider: usage.Google, Model: "gemini-2.5-pro", From: november.AddDate(-2, 0, 0), To: november,
		Rates: usage.Rates{Input: r(1_250_000), Cached: r(312_500), Output: r(10_000_000)},
		Long:  &usage.Rates{Input: r(2_500_000), Cached: r(625_000), Output: r(15_000_000)},
	}})
	if err != nil {
		t.Fatal(err)
	}
	c := b.Charge(ware(usage.Google, november.AddDate(-1, 0, 0), "gemini-2.5-pro"), usage.Meters{InputUncached: 5_005, InputCached: 257_955, Output: 1_744})
	if c.Cost == nil || c.Cost.String() != "0.199894375" {
		t.Fatalf("charged %v, want 0.199894375", c.Cost)
	}
}

func TestNewBook_refuses(t *testing.T) {
	t.Parallel()
	good := usage.Price{Version: "1", Provider: "p", Model: "m", From: november}
	with := func(change func(*usage.Price)) usage.Price {
		p := good
		change(&p)
		return p
	}
	negative := usage.Pico(-1)
	for name, rows := range map[string][]usage.Price{
		"a row without a version":     {with(func(p *usage.Price) { p.Version = "" })},
		"a row without a provider":    {with(func(p *usage.Price) { p.Provider = "" })},
		"a row without a beginning":   {with(func(p *usage.Price) { p.From = time.Time{} })},
		"a row that ends as it began": {with(func(p *usage.Price) { p.To = p.From })},
		"a negative rate":             {with(func(p *usage.Price) { p.Rates.Output = &negative })},
		"a negative long rate":        {with(func(p *usage.Price) { p.Long = &usage.Rates{Input: &negative} })},
		"one version twice":           {good, with(func(p *usage.Price) { p.Model = "n" })},
		"two rows that begin at once": {good, with(func(p *usage.Price) { p.Version = "2" })},
		"a row that begins before another has ended": {
			with(func(p *usage.Price) { p.To = november.AddDate(0, 2, 0) }),
			with(func(p *usage.Price) { p.Version, p.From = "2", november.AddDate(0, 1, 0) }),
		},
		"a row that replaces one nobody knows":      {with(func(p *usage.Price) { p.Replaces = "0" })},
		"a row that replaces itself":                {with(func(p *usage.Price) { p.Replaces = "1" })},
		"a service tier by the provider's spelling": {with(func(p *usage.Price) { p.ServiceTier = "Batch" })},
		"the standard tier spelt out":               {with(func(p *usage.Price) { p.ServiceTier = "standard" })},
		"two rows that replace one": {
			good,
			with(func(p *usage.Price) { p.Version, p.Replaces, p.To = "2", "1", november.AddDate(0, 1, 0) }),
			with(func(p *usage.Price) { p.Version, p.Replaces, p.From = "3", "1", november.AddDate(0, 1, 0) }),
		},
		"an alias of two models": {
			with(func(p *usage.Price) { p.Aliases = []string{"x"} }),
			with(func(p *usage.Price) { p.Version, p.Model, p.Aliases = "2", "n", []string{"x"} }),
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := usage.NewBook(rows); err == nil {
				t.Fatal("accepted")
			}
		})
	}
}
