package usage

import "time"

// Finding is something in a price book that needs attention.
type Finding struct {
	What     string `json:"finding"`
	Provider string `json:"provider"`
	Model    string `json:"model"`
	// ServiceTier of the price; "" is the standard one.
	ServiceTier string `json:"serviceTier,omitempty"`
	// Version is the row concerned, From and To the time without a price, Retires
	// when the provider switches the model off.
	Version string    `json:"version,omitempty"`
	From    time.Time `json:"from,omitzero"`
	To      time.Time `json:"to,omitzero"`
	Retires time.Time `json:"retires,omitzero"`
	// Above is the number of tokens above which a prompt has no price.
	Above int64 `json:"above,omitempty"`
	// Calls is how many bills it concerns.
	Calls int64 `json:"calls,omitempty"`
}

// The kinds of finding.
const (
	Gap      = "gap"      // between two prices of a model there is a time without one
	Ending   = "ending"   // a price ends soon, or has ended, and none follows it
	Retiring = "retiring" // a model in use is switched off soon, or has been
	NoPrice  = "unpriced" // a model in use has no price, or calls without one, or none for long prompts
)

// Audit checks the rows in force for gaps, for prices that end before until without a
// successor, and the models in use for those that retire before until, have no price
// now, or have none for long prompts.
func Audit(rows []Price, inUse []Ware, now, until time.Time) ([]Finding, error) {
	book, err := NewBook(rows)
	if err != nil {
		return nil, err
	}
	if rows, err = inForce(rows); err != nil {
		return nil, err
	}
	var out []Finding
	for i, p := range rows {
		f := Finding{Provider: p.Provider, Model: p.Model, ServiceTier: p.ServiceTier, Version: p.Version, From: p.To}
		switch {
		case p.To.IsZero():
		case i+1 < len(rows) && rows[i+1].sku() == p.sku():
			if next := rows[i+1].From; p.To.Before(next) {
				f.What, f.To = Gap, next
				out = append(out, f)
			}
		case p.To.Before(until):
			f.What = Ending
			out = append(out, f)
		}
	}
	for _, w := range inUse {
		w.At = now
		p, ok := book.Find(w)
		f := Finding{Provider: w.Provider, Model: w.Models[0], ServiceTier: w.ServiceTier, Version: p.Version}
		switch {
		case !ok:
			f.What = NoPrice
			out = append(out, f)
		case !p.Retires.IsZero() && p.Retires.Before(until):
			f.What, f.Retires = Retiring, p.Retires
			out = append(out, f)
		}
		if p.lacksLongRates() {
			f.What, f.Retires, f.Above = NoPrice, time.Time{}, p.Long.Above
			out = append(out, f)
		}
	}
	return out, nil
}

// lacksLongRates reports whether a meter that has a price in a short prompt has none
// in a long one.
func (p Price) lacksLongRates() bool {
	if p.Long == nil {
		return false
	}
	short, long := p.Rates, p.Long.Rates
	return short.Input != nil && long.Input == nil || short.Cached != nil && long.Cached == nil || short.Output != nil && long.Output == nil
}
