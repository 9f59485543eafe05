package usage

import (
	"fmt"
	"time"
)

// Providers with prices of their own: the same model can cost something else
// at another door.
const (
	Google    = "google"    // the Gemini API
	Vertex    = "vertex"    // Vertex AI
	OpenAI    = "openai"    // and whatever speaks its protocol under its prices
	Anthropic = "anthropic" //
)

// LongPrompt is the prompt size in tokens, cached ones included, above which
// (strictly) some models charge their second tier for the whole request.
const LongPrompt = 200_000

// Rates are prices of one token. A nil rate is not known; a zero one is free.
// Thinking is billed as output, tool results as input.
type Rates struct {
	Input  *Pico `json:"input,omitempty"`
	Cached *Pico `json:"cached,omitempty"`
	Audio  *Pico `json:"audio,omitempty"`
	Output *Pico `json:"output,omitempty"`
}

// Price is what a provider asks for a model during some time.
type Price struct {
	// Version names this row for ever; events refer to it.
	Version  string `json:"version"`
	Provider string `json:"provider"`
	Model    string `json:"model"`
	// Aliases are other ids the provider bills as this model. An id that has a
	// price of its own is never taken for an alias.
	Aliases []string `json:"aliases,omitempty"`
	Rates   Rates    `json:"rates"`
	// Long is the tier above LongPrompt, nil where there is none.
	Long *Rates `json:"long,omitempty"`
	// From is inclusive, To exclusive; a zero To is open.
	From time.Time `json:"from"`
	To   time.Time `json:"to,omitzero"`
	// Retires is when the provider said it would switch the model off.
	Retires time.Time `json:"retires,omitzero"`
	Source  string    `json:"source"`
}

func (p Price) holds(at time.Time) bool {
	return !at.Before(p.From) && (p.To.IsZero() || at.Before(p.To))
}

// CostStatus says what a cost is worth.
type CostStatus string

// The statuses.
const (
	Priced   CostStatus = "priced"
	Unpriced CostStatus = "unpriced" // used, or perhaps used, at a price nobody knows yet
	Free     CostStatus = "free"     // nothing was used: zero is the truth
)

// UnitPrices are the prices applied, per token and meter; a meter that had
// nothing on it has none.
type UnitPrices map[Meter]Pico

// Charge is the cost of a call and how it came about.
type Charge struct {
	// Cost is nil when unpriced.
	Cost         *Pico      `json:"cost,omitempty"`
	CostStatus   CostStatus `json:"costStatus"`
	PriceVersion string     `json:"priceVersion,omitempty"`
	UnitPrices   UnitPrices `json:"unitPrices,omitempty"`
}

// Book is a price book: immutable, safe for concurrent use. A nil book knows
// no price.
type Book struct {
	models  map[sku][]Price
	aliases map[sku][]Price
}

type sku struct{ provider, model string }

// NewBook checks the rows and makes a book of them. It refuses rows without
// version, provider, model or a beginning, versions used twice, negative rates
// and rows of one model whose times overlap.
func NewBook(rows []Price) (*Book, error) {
	b := &Book{map[sku][]Price{}, map[sku][]Price{}}
	versions := map[string]bool{}
	for _, p := range rows {
		if err := p.check(); err != nil {
			return nil, err
		}
		if versions[p.Version] {
			return nil, fmt.Errorf("price %s: the version is used twice", p.Version)
		}
		versions[p.Version] = true
		if err := put(b.models, sku{p.Provider, p.Model}, p); err != nil {
			return nil, err
		}
		for _, a := range p.Aliases {
			if err := put(b.aliases, sku{p.Provider, a}, p); err != nil {
				return nil, err
			}
		}
	}
	return b, nil
}

func (p Price) check() error {
	switch {
	case p.Version == "" || p.Provider == "" || p.Model == "":
		return fmt.Errorf("price %q of %s/%s: version, provider and model are needed", p.Version, p.Provider, p.Model)
	case p.From.IsZero() || !p.To.IsZero() && !p.From.Before(p.To):
		return fmt.Errorf("price %s: it has to begin, and to begin before it ends", p.Version)
	}
	for _, r := range []*Rates{&p.Rates, p.Long} {
		if r == nil {
			continue
		}
		for _, rate := range []*Pico{r.Input, r.Cached, r.Audio, r.Output} {
			if rate != nil && *rate < 0 {
				return fmt.Errorf("price %s: a rate is negative", p.Version)
			}
		}
	}
	return nil
}

func put(m map[sku][]Price, k sku, p Price) error {
	for _, q := range m[k] {
		if overlap(p, q) {
			return fmt.Errorf("prices %s and %s of %s/%s hold at the same time", q.Version, p.Version, k.provider, k.model)
		}
	}
	m[k] = append(m[k], p)
	return nil
}

func overlap(p, q Price) bool {
	return (q.To.IsZero() || p.From.Before(q.To)) && (p.To.IsZero() || q.From.Before(p.To))
}

// Find is the price of the first of the models that has one at a time; ids of
// their own are tried for all of them before aliases are.
func (b *Book) Find(provider string, at time.Time, models ...string) (Price, bool) {
	if b == nil {
		return Price{}, false
	}
	for _, rows := range []map[sku][]Price{b.models, b.aliases} {
		for _, m := range models {
			for _, p := range rows[sku{provider, m}] {
				if p.holds(at) {
					return p, true
				}
			}
		}
	}
	return Price{}, false
}

// Charge prices meters at a time. Nothing used is free whatever the model. An
// unknown model, a used meter without a rate, or an amount out of range is
// unpriced: never zero.
func (b *Book) Charge(provider string, at time.Time, m Meters, models ...string) Charge {
	if m == (Meters{}) {
		return Charge{Cost: new(Pico), CostStatus: Free}
	}
	p, ok := b.Find(provider, at, models...)
	if !ok {
		return Charge{CostStatus: Unpriced}
	}
	c := Charge{CostStatus: Unpriced, PriceVersion: p.Version, UnitPrices: UnitPrices{}}
	if total, ok := p.total(m, c.UnitPrices); ok {
		c.Cost, c.CostStatus = &total, Priced
	}
	return c
}

// total sums the meters and notes the rates it applied; false when a used
// meter has no rate or the sum does not fit.
func (p Price) total(m Meters, applied UnitPrices) (Pico, bool) {
	rates, complete := p.Rates, true
	if p.Long != nil && m.Prompt() > LongPrompt {
		rates = *p.Long
	}
	var sum Pico
	for _, q := range m.All() {
		if q.Tokens == 0 {
			continue
		}
		rate := rates.of(q.Meter)
		if rate == nil {
			complete = false
			continue
		}
		applied[q.Meter] = *rate
		cost, err := rate.Times(q.Tokens)
		if err == nil {
			sum, err = sum.Plus(cost)
		}
		complete = complete && err == nil
	}
	return sum, complete
}

func (r Rates) of(m Meter) *Pico {
	switch m {
	case InputUncached, InputTool:
		return r.Input
	case InputCached:
		return r.Cached
	case InputAudio:
		return r.Audio
	case Output, Thinking:
		return r.Output
	}
	return nil
}
