package usage

import (
	_ "embed"
	"encoding/json"
	"maps"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/projections"
)

//go:embed tables.sql
var tables string

// Projection is the read model for a Runner. It wants every event of the
// ledgers: one it does not know stops it, because it may be money.
var Projection = projections.Projection{
	Name:     "usage",
	Version:  1,
	Filter:   eventstore.Filter{Categories: []string{"usage"}},
	Tables:   tables,
	Views:    []string{"call"},
	Apply:    apply,
	OnPoison: projections.Stop,
}

const started = `
	insert into call (call_id, tenant, user_id, session_id, task_id, turn, request, purpose, role, provider, model,
		attempt, subject, instance, prompt_name, prompt_hash, prompt_ref, estimated_cost, started_at, position)
	values (@call, @tenant, @user, @session, @task, @turn, @request, @purpose, @role, @provider, @model,
		@attempt, @subject, @instance, @promptName, @promptHash, @promptRef, @estimate::text::numeric, @at, @position)`

const completed = `
	update call set state = 'completed', outcome = @outcome, duration_ms = @duration, usage_missing = @missing,
		total_matches = @matches, raw_usage = @raw, response_model = @responseModel, response_id = @responseID,
		answer_ref = @answerRef, ended_at = @at, position = @position,` + bill + `
	where call_id = @call and state = 'open'`

const settled = `
	update call set state = 'settled', ended_at = @at, position = @position,` + bill + `
	where call_id = @call and state = 'open'`

const bill = `
	input_uncached = @inputUncached, input_cached = @inputCached, input_tool = @inputTool,
	input_audio = @inputAudio, output = @output, thinking = @thinking,
	cost = @cost::text::numeric, cost_status = @costStatus, price_version = @priceVersion`

// Where the cost was unknown the delta is all of it; where it is now unknown
// there is none.
const corrected = `
	update call set corrections = corrections + 1, position = @position,
		input_uncached = input_uncached + @inputUncached, input_cached = input_cached + @inputCached,
		input_tool = input_tool + @inputTool, input_audio = input_audio + @inputAudio,
		output = output + @output, thinking = thinking + @thinking,
		cost = case when @costStatus <> 'unpriced' then coalesce(cost, 0) + @cost::text::numeric end,
		cost_status = @costStatus, price_version = @priceVersion
	where call_id = @call and state <> 'open'`

// The provider's own numbers for a call that was billed by estimate.
const reported = `
	update call set late = true, outcome = @outcome, duration_ms = @duration, usage_missing = @missing,
		raw_usage = @raw, response_model = @responseModel, response_id = @responseID, answer_ref = @answerRef,
		ended_at = @at
	where call_id = @call`

func apply(b *projections.Batch, r eventstore.Recorded, s domain.Sealer) error {
	event, err := usage.Codec.Decode(r.Type, r.Data, r.ID, s)
	if err != nil {
		return err
	}
	switch e := event.(type) {
	case usage.LLMCallStarted:
		b.Queue(started, startedArgs(e, r))
	case usage.LLMCallCompleted:
		args := pgx.NamedArgs{"call": e.Call, "position": r.Position, "matches": e.TotalMatches}
		b.Must(completed, join(args, reportArgs(e.Report), chargeArgs(e.Report.Meters, e.Charge)))
	case usage.LLMCallSettled:
		args := pgx.NamedArgs{"call": e.Call, "position": r.Position, "at": e.SettledAt}
		b.Must(settled, join(args, chargeArgs(e.Meters, e.Charge)))
	case usage.UsageCorrected:
		after := usage.Charge{Cost: e.CostDelta, CostStatus: e.CostStatus, PriceVersion: e.PriceVersion}
		args := pgx.NamedArgs{"call": e.Call, "position": r.Position}
		b.Must(corrected, join(args, chargeArgs(e.Meters, after)))
		if e.Late != nil {
			b.Must(reported, join(pgx.NamedArgs{"call": e.Call}, reportArgs(*e.Late)))
		}
	}
	return nil
}

func join(args pgx.NamedArgs, more ...pgx.NamedArgs) pgx.NamedArgs {
	for _, m := range more {
		maps.Copy(args, m)
	}
	return args
}

func startedArgs(e usage.LLMCallStarted, r eventstore.Recorded) pgx.NamedArgs {
	return pgx.NamedArgs{
		"call": e.Call, "tenant": e.Tenant, "user": e.User, "session": e.Session, "task": e.Task,
		"turn": e.Turn, "request": e.Request, "purpose": string(e.Purpose), "role": string(e.Role),
		"provider": e.Provider, "model": e.Model, "attempt": e.Attempt,
		"subject": projections.Subject(r.Stream), "instance": e.Instance, "promptName": e.PromptName,
		"promptHash": e.PromptHash, "promptRef": e.PromptRef, "estimate": decimal(e.EstimatedCost),
		"at": e.StartedAt, "position": r.Position,
	}
}

func reportArgs(r usage.Report) pgx.NamedArgs {
	return pgx.NamedArgs{
		"outcome": string(r.Outcome), "duration": r.DurationMS, "missing": r.UsageMissing,
		"raw": raw(r.RawUsage), "responseModel": r.ResponseModel, "responseID": r.ResponseID,
		"answerRef": r.AnswerRef, "at": r.CompletedAt,
	}
}

func chargeArgs(m usage.Meters, c usage.Charge) pgx.NamedArgs {
	return pgx.NamedArgs{
		"inputUncached": m.InputUncached, "inputCached": m.InputCached, "inputTool": m.InputTool,
		"inputAudio": m.InputAudio, "output": m.Output, "thinking": m.Thinking,
		"cost": decimal(c.Cost), "costStatus": string(c.CostStatus), "priceVersion": c.PriceVersion,
	}
}

// decimal is an amount as it goes to numeric: as text, exactly.
func decimal(p *usage.Pico) *string {
	if p == nil {
		return nil
	}
	s := p.String()
	return &s
}

// raw is nil for a provider that gave no account.
func raw(j json.RawMessage) *string {
	if len(j) == 0 {
		return nil
	}
	s := string(j)
	return &s
}
