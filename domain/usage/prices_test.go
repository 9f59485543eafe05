package usage_test

import (
	"testing"
	"time"

	"github.com/stepledger/stepledger/domain/usage"
)

var november = time.Date(2026, 11, 3, 12, 0, 0, 0, time.UTC)

func wareOf(provider string, at time.Time, models ...string) usage.Ware {
	return usage.Ware{Provider: provider, At: at, Models: models}
}

func TestBook_unknownIsNeverZero(t *testing.T) {
	t.Parallel()
	some := usage.Meters{InputUncached: 10, Output: 1}
	tests := []struct {
		name   string
		charge usage.Charge
	}{
		{"litellm#36999: an unknown model", usage.Seed().Charge(wareOf(usage.Google, november, "gemini-99"), some)},
		{"a known model at another provider", usage.Seed().Charge(wareOf(usage.OpenAI, november, "gemini-2.5-pro"), some)},
		{"Langfuse PR#12647: a used meter without a rate", usage.Seed().Charge(wareOf(usage.Google, november, "gemini-2.5-pro"), usage.Meters{InputAudio: 5, Output: 1})},
		{"a call before the first price", usage.Seed().Charge(wareOf(usage.Google, november.AddDate(-2, 0, 0), "gemini-2.5-pro"), some)},
		{"no book", (*usage.Book)(nil).Charge(wareOf(usage.Google, november, "gemini-2.5-pro"), some)},
		{"an amount out of range", usage.Seed().Charge(wareOf(usage.Google, november, "gemini-2.5-pro"), usage.Meters{Output: 1 << 40})},
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
	c := usage.Seed().Charge(wareOf(usage.Google, november, "gemini-99"), usage.Meters{})
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
			p, ok := b.Find(wareOf("p", tt.at, tt.models...))
			if !ok || p.Version != tt.want {
				t.Fatalf("found %q, want %q", p.Version, tt.want)
			}
		})
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
		"a negative long rate":        {with(func(p *usage.Price) { p.Long = &usage.LongTier{Above: 1, Rates: usage.Rates{Input: &negative}} })},
		"a long tier without bound":   {with(func(p *usage.Price) { p.Long = &usage.LongTier{} })},
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
