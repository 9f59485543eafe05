package usage

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// Providers with prices of their own: the same model may cost something else at
// another provider.
const (
	Google    = "google"    // the Gemini API
	Vertex    = "vertex"    // Vertex AI
	OpenAI    = "openai"    // and whatever speaks its protocol under its prices
	Anthropic = "anthropic" //
)

// Rates are prices of one token. A nil rate is unknown; a zero one is free. Thinking
// is billed as output, tool results as input.
type Rates struct {
	Input  *Pico `json:"input,omitempty"`
	Cached *Pico `json:"cached,omitempty"`
	Audio  *Pico `json:"audio,omitempty"`
	Output *Pico `json:"output,omitempty"`
}

// LongTier are the rates of requests with a long prompt.
type LongTier struct {
	// Above is the prompt size in tokens, including cached ones, above which the
	// whole request has these rates.
	Above int64 `json:"above"`
	Rates
}

// Price is a provider's price of a model during some time.
type Price struct {
	// Version identifies this row for ever; events refer to it.
	Version  string `json:"version"`
	Provider string `json:"provider"`
	Model    string `json:"model"`
	// ServiceTier is the provider's service at this price (batch, flex, priority);
	// "" is the standard one.
	ServiceTier string `json:"serviceTier,omitempty"`
	// Aliases are other ids billed as this model. An id with a price of its own is
	// never an alias.
	Aliases []string `json:"aliases,omitempty"`
	Rates   Rates    `json:"rates"`
	// Long is nil if prompts of every size have the same rates.
	Long *LongTier `json:"long,omitempty"`
	// From is inclusive, To exclusive. A row without To holds until the next one of
	// the same provider, model and service tier begins.
	From time.Time `json:"from"`
	To   time.Time `json:"to,omitzero"`
	// Retires is when the provider will switch the model off.
	Retires time.Time `json:"retires,omitzero"`
	Source  string    `json:"source"`
	// Replaces is the version of a wrong row, which stays on record and no longer
	// counts; "" for none.
	Replaces string `json:"replaces,omitempty"`
}

// Holds reports whether the price is in force at a time.
func (p Price) Holds(at time.Time) bool {
	return !at.Before(p.From) && (p.To.IsZero() || at.Before(p.To))
}

// CostStatus is how a cost came about.
type CostStatus string

// The statuses.
const (
	Priced   CostStatus = "priced"
	Unpriced CostStatus = "unpriced" // used, or perhaps used, at a price nobody knows yet
	Free     CostStatus = "free"     // nothing was used: zero is the truth
)

// UnitPrices are the applied prices per token, for the meters that were used.
type UnitPrices map[Meter]Pico

// Charge is the cost of a call and how it came about.
type Charge struct {
	// Cost is nil when unpriced.
	Cost         *Pico      `json:"cost,omitempty"`
	CostStatus   CostStatus `json:"costStatus"`
	PriceVersion string     `json:"priceVersion,omitempty"`
	UnitPrices   UnitPrices `json:"unitPrices,omitempty"`
}

// Book is a price book. It is immutable and safe for concurrent use; a nil book knows
// no price.
type Book struct {
	models  map[sku][]Price
	aliases map[sku][]Price
}

type sku struct{ provider, model, tier string }

// Ware is the key of a price: provider, service, time and the model's ids, the surest
// first.
type Ware struct {
	Provider    string
	ServiceTier string
	At          time.Time
	Models      []string
}

// NewBook returns a book of the rows. It returns an error for rows without version,
// provider, model or beginning, for duplicate versions, for rows that replace none or
// one replaced already, for negative rates, for long tiers without a bound, and for
// rows of one model whose times overlap.
func NewBook(rows []Price) (*Book, error) {
	rows, err := inForce(rows)
	if err != nil {
		return nil, err
	}
	b := &Book{map[sku][]Price{}, map[sku][]Price{}}
	for _, p := range rows {
		if err := put(b.models, sku{p.Provider, p.Model, p.ServiceTier}, p); err != nil {
			return nil, err
		}
		for _, a := range p.Aliases {
			if err := put(b.aliases, sku{p.Provider, a, p.ServiceTier}, p); err != nil {
				return nil, err
			}
		}
	}
	return b, nil
}

// inForce returns the rows that are not replaced, by model and time, each with the
// end its successor gives it.
func inForce(rows []Price) ([]Price, error) {
	replaced, err := checkRows(rows)
	if err != nil {
		return nil, err
	}
	rows = slices.DeleteFunc(slices.Clone(rows), func(p Price) bool { return replaced[p.Version] })
	slices.SortFunc(rows, func(p, q Price) int {
		return cmp.Or(cmp.Compare(p.Provider, q.Provider), cmp.Compare(p.Model, q.Model),
			cmp.Compare(p.ServiceTier, q.ServiceTier), p.From.Compare(q.From))
	})
	for i := range rows[:max(0, len(rows)-1)] {
		p, next := &rows[i], rows[i+1]
		if p.To.IsZero() && p.sku() == next.sku() && p.From.Before(next.From) {
			p.To = next.From
		}
	}
	return rows, nil
}

// checkRows checks each row and returns the versions that are replaced.
func checkRows(rows []Price) (replaced map[string]bool, err error) {
	versions := map[string]bool{}
	for _, p := range rows {
		if err := p.check(); err != nil {
			return nil, err
		}
		if versions[p.Version] {
			return nil, fmt.Errorf("price %s: the version is used twice", p.Version)
		}
		versions[p.Version] = true
	}
	replaced = map[string]bool{}
	for _, p := range rows {
		switch {
		case p.Replaces == "":
			continue
		case !versions[p.Replaces] || p.Replaces == p.Version:
			return nil, fmt.Errorf("price %s: there is no other price %s to replace", p.Version, p.Replaces)
		case replaced[p.Replaces]:
			return nil, fmt.Errorf("price %s: %s has been replaced already", p.Version, p.Replaces)
		}
		replaced[p.Replaces] = true
	}
	return replaced, nil
}

func (p Price) sku() sku { return sku{p.Provider, p.Model, p.ServiceTier} }

func (p Price) check() error {
	switch {
	case p.Version == "" || p.Provider == "" || p.Model == "":
		return fmt.Errorf("price %q of %s/%s: version, provider and model are needed", p.Version, p.Provider, p.Model)
	case p.From.IsZero() || !p.To.IsZero() && !p.From.Before(p.To):
		return fmt.Errorf("price %s: it has to begin, and to begin before it ends", p.Version)
	case p.ServiceTier != ServiceTier(p.ServiceTier):
		return fmt.Errorf("price %s: the service tier %q is written %q here", p.Version, p.ServiceTier, ServiceTier(p.ServiceTier))
	}
	all := []Rates{p.Rates}
	if p.Long != nil {
		if all = append(all, p.Long.Rates); p.Long.Above <= 0 {
			return fmt.Errorf("price %s: the tier for long prompts needs the number of tokens above which it holds", p.Version)
		}
	}
	for _, r := range all {
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

// Find returns the price of the first of the models that has one at the time. Own ids
// of all models are tried before aliases. It never substitutes another service tier:
// a batch call has no price if only the standard one is known.
func (b *Book) Find(w Ware) (Price, bool) {
	if b == nil {
		return Price{}, false
	}
	for _, rows := range []map[sku][]Price{b.models, b.aliases} {
		for _, m := range w.Models {
			for _, p := range rows[sku{w.Provider, m, w.ServiceTier}] {
				if p.Holds(w.At) {
					return p, true
				}
			}
		}
	}
	return Price{}, false
}

// Charge prices meters. Nothing used is free whatever the model. With an unknown
// model, a used meter without a rate, or an amount out of range it is unpriced, never
// zero.
func (b *Book) Charge(w Ware, m Meters) Charge {
	if m == (Meters{}) {
		return Charge{Cost: new(Pico), CostStatus: Free}
	}
	p, ok := b.Find(w)
	if !ok {
		return Charge{CostStatus: Unpriced}
	}
	c := Charge{CostStatus: Unpriced, PriceVersion: p.Version, UnitPrices: UnitPrices{}}
	if total, ok := p.total(m, c.UnitPrices); ok {
		c.Cost, c.CostStatus = &total, Priced
	}
	return c
}

// Ceiling returns the most that any model of the provider, or of any provider if that
// has none, would cost at a time. Budgets reserve it for a call with an unknown
// price.
func (b *Book) Ceiling(provider string, at time.Time, m Meters) Pico {
	var own, any Pico
	if b == nil {
		return 0
	}
	for k, rows := range b.models {
		for _, p := range rows {
			cost, ok := p.total(m, UnitPrices{})
			if !ok || !p.Holds(at) {
				continue
			}
			any = max(any, cost)
			if k.provider == provider {
				own = max(own, cost)
			}
		}
	}
	if own > 0 {
		return own
	}
	return any
}

// total prices the meters and records the rates applied. It is false if a used meter
// has no rate or the sum does not fit.
func (p Price) total(m Meters, applied UnitPrices) (Pico, bool) {
	rates, complete := p.Rates, true
	if p.Long != nil && m.Prompt() > p.Long.Above {
		rates = p.Long.Rates
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
