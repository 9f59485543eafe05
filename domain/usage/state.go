package usage

import "maps"

// State is what is remembered of a ledger: its calls by id. It is a value:
// Evolve leaves the one it was given as it was.
type State struct {
	Calls map[string]Call
}

// Call is one attempt and its bill so far.
type Call struct {
	Started LLMCallStarted
	// Report is nil until the attempt's end was reported, in time or late.
	Report  *Report
	Settled bool
	// Meters and Charge are the bill, corrections included.
	Meters Meters
	Charge Charge
}

// Billed reports whether the call has a bill: it was completed or settled.
func (c Call) Billed() bool { return c.Settled || c.Report != nil }

// Initial is a ledger without calls.
func Initial() State { return State{} }

// Open are the calls that were started and never completed or settled.
func (s State) Open() []Call {
	var out []Call
	for _, c := range s.Calls {
		if !c.Billed() {
			out = append(out, c)
		}
	}
	return out
}

// Evolve folds an event.
func Evolve(s State, e Event) State {
	switch e := e.(type) {
	case LLMCallStarted:
		return s.with(e.Call, func(c *Call) { c.Started = e })
	case LLMCallCompleted:
		return s.with(e.Call, func(c *Call) { c.Report, c.Meters, c.Charge = &e.Report, e.Meters, e.Charge })
	case LLMCallSettled:
		return s.with(e.Call, func(c *Call) { c.Settled, c.Report, c.Meters, c.Charge = true, e.Report, e.Meters, e.Charge })
	case UsageCorrected:
		return s.with(e.Call, func(c *Call) { c.correct(e) })
	}
	return s
}

func (s State) with(id string, change func(*Call)) State {
	c := s.Calls[id]
	change(&c)
	calls := maps.Clone(s.Calls)
	if calls == nil {
		calls = map[string]Call{}
	}
	calls[id] = c
	return State{calls}
}

func (c *Call) correct(e UsageCorrected) {
	c.Meters = c.Meters.Plus(e.Meters)
	c.Charge = Charge{
		Cost:         costAfter(c.Charge.Cost, e),
		CostStatus:   e.CostStatus,
		PriceVersion: e.PriceVersion,
		UnitPrices:   e.UnitPrices,
	}
	if e.Late != nil {
		c.Report = e.Late
	}
}

// costAfter is the cost a correction leaves: unknown when it says so, its
// delta alone where nothing was known before.
func costAfter(before *Pico, e UsageCorrected) *Pico {
	if e.CostStatus == Unpriced || e.CostDelta == nil {
		return nil
	}
	after := *e.CostDelta
	if before != nil {
		after += *before // Decide has checked the sum
	}
	return &after
}
