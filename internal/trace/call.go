package trace

import (
	"context"
	"fmt"
	"math/big"
	"time"

	otlp "go.opentelemetry.io/proto/slim/otlp/trace/v1"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/eventstore"
)

// called returns the call a ledger event is about, "" if none.
func called(e eventstore.Recorded) (string, error) {
	event, err := decodeUsage(e)
	switch event := event.(type) {
	case usage.LLMCallCompleted:
		return event.Call, err
	case usage.LLMCallSettled:
		return event.Call, err
	case usage.UsageCorrected:
		return event.Call, err
	}
	return "", err
}

func decodeUsage(e eventstore.Recorded) (usage.Event, error) {
	event, err := usage.Codec.Decode(e.Type, e.Data, e.ID, noKey{})
	if err != nil {
		return nil, fmt.Errorf("read %s of %s: %w", e.Type, e.Stream, err)
	}
	return event, nil
}

// callSpan is the span of an attempt with its bill after e.
func callSpan(ctx context.Context, log Log, e eventstore.Recorded, id string) (*otlp.Span, error) {
	ledger := usage.Initial()
	for from, more := int64(0), true; more; {
		page, err := log.ReadStream(ctx, e.Stream, eventstore.ReadOptions{From: from})
		if err != nil {
			return nil, err
		}
		for _, r := range page.Events {
			if r.Revision > e.Revision {
				break
			}
			event, err := decodeUsage(r)
			if domain.IsNewer(err) {
				from = r.Revision + 1
				continue
			}
			if err != nil {
				return nil, err
			}
			ledger, from = usage.Evolve(ledger, event), r.Revision+1
		}
		more = page.More && from <= e.Revision && len(page.Events) > 0
	}
	c, ok := ledger.Calls[id]
	if !ok || c.Started.Call == "" {
		return nil, fmt.Errorf("%s of %s is about a call that was never started", e.Type, e.Stream)
	}
	return attempt(subject(e.Stream), c, e.RecordedAt), nil
}

// attempt is the span of a call that ended, by its report or at a time by which it
// was over.
func attempt(subject string, c usage.Call, over time.Time) *otlp.Span {
	s, ended := c.Started, over
	if c.Report != nil && !c.Report.CompletedAt.IsZero() {
		ended = c.Report.CompletedAt
	}
	operation, observation, turn := "generate_content", "generation", TurnID(subject, s.Turn)
	if s.Purpose == usage.Embedding {
		operation, observation, turn = "embeddings", "embedding", nil // no turn asks for one
	}
	span := newSpan(operation+" "+s.Model, otlp.Span_SPAN_KIND_CLIENT, subject, CallID(s.Call), turn, s.StartedAt, ended)
	var of attributes
	of.owner(owner{s.Tenant, s.User, s.Session, subject})
	of.text("langfuse.observation.type", observation)
	of.text("gen_ai.operation.name", operation)
	of.text("gen_ai.provider.name", provider(s.Provider))
	of.text("gen_ai.request.model", s.Model)
	of.asked(s)
	outcome := "unknown" // nobody saw how it ended
	if r := c.Report; r != nil {
		outcome = string(r.Outcome)
		of.text("gen_ai.response.model", r.ResponseModel)
		of.text("gen_ai.response.id", r.ResponseID)
		of.text("stepledger.service_tier", r.ServiceTier)
	}
	of.text("stepledger.outcome", outcome)
	of.texts("gen_ai.response.finish_reasons", outcome)
	if outcome != string(usage.OK) {
		failed(span, &of, outcome)
	}
	of.billed(c)
	span.Attributes = of
	return span
}

// provider is OpenTelemetry's name of a provider.
func provider(name string) string {
	switch name {
	case usage.Google:
		return "gcp.gemini"
	case usage.Vertex:
		return "gcp.vertex_ai"
	}
	return name
}

func (a *attributes) asked(s usage.LLMCallStarted) {
	a.text("stepledger.call", s.Call)
	a.text("stepledger.request", s.Request)
	a.number("stepledger.turn", int64(s.Turn))
	a.number("stepledger.attempt", int64(s.Attempt))
	a.text("stepledger.purpose", string(s.Purpose))
	a.text("stepledger.role", string(s.Role))
	a.text("stepledger.prompt.name", s.PromptName)
	a.text("stepledger.prompt.hash", s.PromptHash)
	a.text("langfuse.observation.metadata.purpose", string(s.Purpose))
	a.text("langfuse.observation.metadata.prompt", s.PromptName)
}

// billed adds usage and cost. The gen_ai counts overlap, as OpenTelemetry defines
// them; the meters do not, as Langfuse expects.
func (a *attributes) billed(c usage.Call) {
	m := c.Meters
	a.number("gen_ai.usage.input_tokens", m.Input())
	a.number("gen_ai.usage.output_tokens", m.Outputs())
	a.number("gen_ai.usage.cache_read.input_tokens", m.InputCached)
	a.number("gen_ai.usage.reasoning.output_tokens", m.Thinking)
	tokens, costs := map[string]any{}, map[string]any{}
	for _, q := range m.All() {
		a.number("stepledger.meter."+string(q.Meter), q.Tokens)
		if q.Tokens == 0 {
			continue
		}
		tokens[string(q.Meter)] = q.Tokens
		if price, ok := c.Charge.UnitPrices[q.Meter]; ok {
			costs[string(q.Meter)] = usd(price, q.Tokens)
		}
	}
	a.json("langfuse.observation.usage_details", tokens)
	a.text("stepledger.cost.status", string(c.Charge.CostStatus))
	a.text("stepledger.cost.price_version", c.Charge.PriceVersion)
	a.flag("stepledger.cost.estimated", c.Settled)
	if cost := c.Charge.Cost; cost != nil {
		a.text("stepledger.cost.usd", cost.String())
		a.fraction("gen_ai.usage.cost", usd(*cost, 1))
		costs["total"] = usd(*cost, 1)
		a.json("langfuse.observation.cost_details", costs)
	}
}

// usd is an approximate amount for charts; stepledger.cost.usd is exact.
func usd(price usage.Pico, n int64) float64 {
	const picoPerUSD = 1_000_000_000_000
	v, _ := new(big.Rat).Mul(big.NewRat(int64(price), picoPerUSD), big.NewRat(n, 1)).Float64()
	return v
}
