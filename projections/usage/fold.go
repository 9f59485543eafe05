package usage

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/projections"
)

func callOf(event usage.Event) string {
	switch e := event.(type) {
	case usage.LLMCallStarted:
		return e.Call
	case *usage.LLMCallStarted:
		return e.Call
	case usage.LLMCallCompleted:
		return e.Call
	case *scannedCompleted:
		return e.Call
	case usage.LLMCallSettled:
		return e.Call
	case usage.UsageCorrected:
		return e.Call
	}
	return ""
}

// started is a call's row before it has a bill, nil if the event is no beginning.
func started(event usage.Event, at *eventstore.Recorded) *Call {
	switch e := event.(type) {
	case *usage.LLMCallStarted:
		return begun(e, at)
	case usage.LLMCallStarted:
		c := begun(&e, at)
		c.clean()
		return c
	}
	return nil
}

func begun(e *usage.LLMCallStarted, at *eventstore.Recorded) *Call {
	return &Call{
		ID: e.Call, Tenant: e.Tenant, User: e.User, Session: e.Session, Task: e.Task, Turn: e.Turn, Request: e.Request,
		Purpose: string(e.Purpose), Role: string(e.Role), Provider: e.Provider, Model: e.Model, Attempt: e.Attempt,
		Subject: projections.Text(projections.Subject(at.Stream)), Instance: e.Instance,
		PromptName: e.PromptName, PromptHash: e.PromptHash, PromptRef: e.PromptRef,
		ServiceTier: e.ServiceTier, EstimatedCost: e.EstimatedCost,
		State: Open, TotalMatches: true, StartedAt: e.StartedAt, Position: at.Position,
	}
}

// evolve folds a later event.
func (c *Call) evolve(event usage.Event, at *eventstore.Recorded) error {
	switch e := event.(type) {
	case *scannedCompleted:
		return c.complete(&e.LLMCallCompleted, e.prices, at)
	case usage.LLMCallCompleted:
		if err := c.complete(&e, unitPrices(e.UnitPrices), at); err != nil {
			return err
		}
	case usage.LLMCallSettled:
		if c.State != Open {
			return poison(at, "call %s has a bill already", c.ID)
		}
		c.bill(Settled, e.Meters, e.Charge, unitPrices(e.UnitPrices), at)
		c.SettledWhy, c.EndedAt = e.Why, &e.SettledAt
		if e.Report != nil {
			c.report(e.Report)
		}
	case usage.UsageCorrected:
		if c.State == Open {
			return poison(at, "call %s has no bill to correct", c.ID)
		}
		c.correct(e)
		c.Position = at.Position
	}
	c.clean()
	return nil
}

// clean makes all texts such as Postgres can hold.
func (c *Call) clean() {
	for _, s := range []*string{
		&c.ID, &c.Tenant, &c.User, &c.Session, &c.Task, &c.Request, &c.Purpose, &c.Role, &c.Provider, &c.Model, &c.Instance,
		&c.PromptName, &c.PromptHash, &c.PromptRef, &c.AnswerRef, &c.Outcome, &c.ResponseModel, &c.ResponseID,
		&c.CostStatus, &c.PriceVersion, &c.ServiceTier, &c.SettledWhy,
	} {
		*s = projections.Text(*s)
	}
}

func (c *Call) complete(e *usage.LLMCallCompleted, prices json.RawMessage, at *eventstore.Recorded) error {
	if c.State != Open {
		return poison(at, "call %s has a bill already", c.ID)
	}
	c.bill(Completed, e.Meters, e.Charge, prices, at)
	c.report(&e.Report)
	c.TotalMatches = e.TotalMatches
	return nil
}

func (c *Call) bill(state string, m usage.Meters, ch usage.Charge, prices json.RawMessage, at *eventstore.Recorded) {
	c.State, c.Meters, c.Position, c.BilledAt = state, m, at.Position, at.Position
	c.charge(ch, prices)
}

func (c *Call) charge(ch usage.Charge, prices json.RawMessage) {
	c.Cost, c.CostStatus, c.PriceVersion, c.UnitPrices = ch.Cost, string(ch.CostStatus), ch.PriceVersion, prices
}

func (c *Call) report(r *usage.Report) {
	c.Outcome, c.DurationMS, c.UsageMissing, c.RawUsage = string(r.Outcome), r.DurationMS, r.UsageMissing, r.RawUsage
	c.ResponseModel, c.ResponseID, c.AnswerRef, c.EndedAt = r.ResponseModel, r.ResponseID, r.AnswerRef, &r.CompletedAt
	if r.ServiceTier != "" {
		c.ServiceTier = usage.ServiceTier(r.ServiceTier)
	}
}

// correct adds a correction. Where the cost was unknown the delta is all of it;
// where it is now unknown there is none.
func (c *Call) correct(e usage.UsageCorrected) {
	before := c.Cost
	c.Corrections++
	c.Meters = c.Meters.Plus(e.Meters)
	after := usage.Charge{Cost: costAfter(before, e), CostStatus: e.CostStatus, PriceVersion: e.PriceVersion}
	c.charge(after, unitPrices(e.UnitPrices))
	if e.Late != nil {
		c.Late = true
		c.report(e.Late)
	}
}

func costAfter(before *usage.Pico, e usage.UsageCorrected) *usage.Pico {
	if e.CostStatus == usage.Unpriced || e.CostDelta == nil {
		return nil
	}
	after := *e.CostDelta
	if before != nil {
		after += *before // it fitted when it was decided
	}
	return &after
}

// unitPrices is a JSON object, nil where no price was applied. The same prices give
// the same text.
func unitPrices(prices usage.UnitPrices) json.RawMessage {
	if len(prices) == 0 {
		return nil
	}
	out := make([]byte, 0, 128)
	for _, m := range slices.Sorted(maps.Keys(prices)) {
		out = strconv.AppendQuote(append(out, ','), string(m))
		out = strconv.AppendQuote(append(out, ':'), prices[m].String())
	}
	out[0] = '{'
	return append(out, '}')
}

// correction is one change of a bill: what it was before, and the difference.
type correction struct {
	before   Call
	number   int
	position int64
	at       time.Time
	why      string
	late     bool
	meters   usage.Meters
	cost     *usage.Pico
	// after it
	status, priceVersion string
	prices               json.RawMessage
}

func correctionOf(before Call, e usage.UsageCorrected, at *eventstore.Recorded) correction {
	c := correction{
		before: before, number: before.Corrections + 1, position: at.Position, at: e.CorrectedAt, why: e.Why,
		late: e.Late != nil, meters: e.Meters,
		status: string(e.CostStatus), priceVersion: e.PriceVersion, prices: unitPrices(e.UnitPrices),
	}
	if e.CostStatus != usage.Unpriced {
		c.cost = e.CostDelta
	}
	return c
}
