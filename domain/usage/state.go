package usage

import (
	"cmp"
	"maps"
	"slices"
)

// State is the state of a ledger: its calls by id. Evolve does not change the state
// it is given.
type State struct {
	Calls map[string]Call
}

// Call is an attempt and its present bill.
type Call struct {
	Started LLMCallStarted
	// Report is nil until the end of the attempt was reported.
	Report  *Report
	Settled bool
	// Meters and Charge are the bill, including corrections.
	Meters Meters
	Charge Charge
}

// Billed reports whether the call has a bill: it was completed or settled.
func (c Call) Billed() bool { return c.Settled || c.Report != nil }

// Initial returns a ledger without calls.
func Initial() State { return State{} }

// Open returns the calls that were started and never completed or settled.
func (s State) Open() []Call {
	var out []Call
	for _, c := range s.Calls {
		if !c.Billed() {
			out = append(out, c)
		}
	}
	return out
}

// Evolve applies an event.
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

// costAfter is the cost after a correction: nil if it is unknown, the delta alone if
// it was unknown before.
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

// InOrder returns the calls in the order in which they were started.
func (s State) InOrder() []Call {
	out := slices.Collect(maps.Values(s.Calls))
	slices.SortFunc(out, func(a, b Call) int {
		return cmp.Or(a.Started.StartedAt.Compare(b.Started.StartedAt), cmp.Compare(a.Started.Call, b.Started.Call))
	})
	return out
}
