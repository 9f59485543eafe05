package history

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/projections"
)

// States of a model call.
const (
	CallOpen      = "open"      // started, its end not known
	CallCompleted = "completed" // billed by the provider's numbers
	CallSettled   = "settled"   // billed by estimate
)

// ModelCall is a model call of a task as the ledger has it, corrections included.
type ModelCall struct {
	CallID string `json:"callId"`
	// Turn is the turn it was made in, Request the client request that led to it.
	Turn       int    `json:"turn"`
	Request    string `json:"requestId,omitempty"`
	Purpose    string `json:"purpose"`
	PromptName string `json:"promptName"`
	Role       string `json:"role"`
	Provider   string `json:"provider"`
	// Model is the one asked, ResponseModel the one that answered.
	Model         string     `json:"model"`
	ResponseModel string     `json:"responseModel,omitempty"`
	Attempt       int        `json:"attempt"`
	State         string     `json:"state"`
	Outcome       string     `json:"outcome,omitempty"`
	StartedAt     time.Time  `json:"startedAt"`
	EndedAt       *time.Time `json:"endedAt,omitempty"`
	// DurationMs is how long was waited for the answer.
	DurationMs     int64 `json:"durationMs"`
	InputTokens    int64 `json:"inputTokens"`
	CachedTokens   int64 `json:"cachedTokens"`
	OutputTokens   int64 `json:"outputTokens"`
	ThinkingTokens int64 `json:"thinkingTokens"`
	// CostUSD is an exact decimal, nil while there is no bill or no known price.
	CostUSD      *string `json:"costUSD"`
	CostStatus   string  `json:"costStatus"`
	PriceVersion string  `json:"priceVersion,omitempty"`
	Corrections  int     `json:"corrections"`
	PromptRef    string  `json:"promptRef,omitempty"`
	AnswerRef    string  `json:"answerRef,omitempty"`

	cost *usage.Pico
}

// CallTotals are sums over model calls.
type CallTotals struct {
	Calls int `json:"calls"`
	// OpenCalls have no bill yet, UnpricedCalls a bill without a known price: their
	// cost is not in CostUSD.
	OpenCalls     int   `json:"openCalls"`
	UnpricedCalls int   `json:"unpricedCalls"`
	InputTokens   int64 `json:"inputTokens"`
	OutputTokens  int64 `json:"outputTokens"`
	DurationMs    int64 `json:"durationMs"`
	// CostUSD is an exact decimal.
	CostUSD string `json:"costUSD"`
}

// Sum adds up calls. It returns usage.ErrOverflow for an amount no task can cost.
func Sum(calls []ModelCall) (CallTotals, error) {
	t := CallTotals{Calls: len(calls)}
	var cost usage.Pico
	for _, c := range calls {
		t.InputTokens += c.InputTokens
		t.OutputTokens += c.OutputTokens
		t.DurationMs += c.DurationMs
		switch {
		case c.State == CallOpen:
			t.OpenCalls++
		case c.cost == nil:
			t.UnpricedCalls++
		default:
			var err error
			if cost, err = cost.Plus(*c.cost); err != nil {
				return t, err
			}
		}
	}
	t.CostUSD = cost.String()
	return t, nil
}

// ledgerEvent is an event of a task's ledger.
type ledgerEvent struct {
	eventstore.Recorded
	call  string
	event usage.Event
}

// ledger reads the events of a task's model calls. There is no personal text in them.
func (r Reader) ledger(ctx context.Context, id string) (out []ledgerEvent, err error) {
	recorded, _, err := r.readAll(ctx, usage.Stream(id))
	if err != nil {
		return nil, err
	}
	for _, e := range recorded {
		event, err := usage.Codec.Decode(e.Type, e.Data, e.ID, nil)
		if domain.IsNewer(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		out = append(out, ledgerEvent{e, callOf(event), event})
	}
	return out, nil
}

func callOf(event usage.Event) string {
	switch e := event.(type) {
	case usage.LLMCallStarted:
		return e.Call
	case usage.LLMCallCompleted:
		return e.Call
	case usage.LLMCallSettled:
		return e.Call
	case usage.UsageCorrected:
		return e.Call
	}
	return ""
}

// callsOf folds each call by itself, in the order in which they started.
func callsOf(events []ledgerEvent) []ModelCall {
	var order []string
	byCall := map[string][]usage.Event{}
	for _, e := range events {
		if byCall[e.call] == nil {
			order = append(order, e.call)
		}
		byCall[e.call] = append(byCall[e.call], e.event)
	}
	calls := make([]ModelCall, 0, len(order))
	for _, id := range order {
		folded := usage.Decider.Fold(usage.Initial(), byCall[id]...).Calls[id]
		calls = append(calls, modelCall(id, folded, byCall[id]))
	}
	slices.SortStableFunc(calls, func(a, b ModelCall) int { return a.StartedAt.Compare(b.StartedAt) })
	return calls
}

func modelCall(id string, c usage.Call, events []usage.Event) ModelCall {
	s := c.Started
	m := ModelCall{
		CallID: id, Turn: s.Turn, Request: s.Request, Purpose: string(s.Purpose), PromptName: s.PromptName, Role: string(s.Role),
		Provider: s.Provider, Model: s.Model, Attempt: s.Attempt, State: CallOpen, StartedAt: s.StartedAt.UTC(),
		InputTokens: c.Meters.Input(), CachedTokens: c.Meters.InputCached, OutputTokens: c.Meters.Outputs(), ThinkingTokens: c.Meters.Thinking,
		CostStatus: string(c.Charge.CostStatus), PriceVersion: c.Charge.PriceVersion, PromptRef: s.PromptRef,
		cost: c.Charge.Cost,
	}
	if m.cost != nil {
		cost := m.cost.String()
		m.CostUSD = &cost
	}
	for _, e := range events {
		switch e := e.(type) {
		case usage.LLMCallSettled:
			at := e.SettledAt.UTC()
			m.EndedAt = &at
		case usage.UsageCorrected:
			m.Corrections++
		}
	}
	if c.Billed() {
		m.State = CallCompleted
	}
	if c.Settled {
		m.State = CallSettled
	}
	if r := c.Report; r != nil {
		at := r.CompletedAt.UTC()
		m.Outcome, m.ResponseModel, m.DurationMs, m.AnswerRef, m.EndedAt = string(r.Outcome), r.ResponseModel, r.DurationMS, r.AnswerRef, &at
	}
	return m
}

// What has become of a text in the content store.
const (
	TextKept    = "kept"
	TextErased  = "erased"  // the task's key was dropped
	TextExpired = "expired" // kept for its time, and gone
	TextNone    = "none"    // there never was one
)

// CallText is a prompt as it was sent, or an answer as it came, without secrets.
type CallText struct {
	State string `json:"state"`
	// Content is missing unless the text is kept.
	Content json.RawMessage `json:"content,omitempty"`
}

// CallTexts is a model call with its texts.
type CallTexts struct {
	TaskID string    `json:"taskId"`
	Call   ModelCall `json:"call"`
	Prompt CallText  `json:"prompt"`
	Answer CallText  `json:"answer"`
}

// Call returns a model call of a task with its prompt and answer. It returns a NotFound
// error for a task of another tenant, and for a call that is not the task's.
func (r Reader) Call(ctx context.Context, tenant, id, call string) (CallTexts, error) {
	c, err := r.call(ctx, tenant, id, call)
	if err != nil {
		return CallTexts{}, fmt.Errorf("call %s of task %s: %w", call, id, projections.Unavailable(err))
	}
	return c, nil
}

func (r Reader) call(ctx context.Context, tenant, id, call string) (CallTexts, error) {
	h, err := r.read(ctx, tenant, id)
	if err != nil {
		return CallTexts{}, err
	}
	events, err := r.ledger(ctx, h.id)
	if err != nil {
		return CallTexts{}, err
	}
	calls := callsOf(events)
	i := slices.IndexFunc(calls, func(c ModelCall) bool { return c.CallID == domain.NormalUUID(call) })
	if i < 0 {
		return CallTexts{}, domain.Errorf(domain.NotFound, domain.CodeCallNotFound, "the task has no such model call")
	}
	out := CallTexts{TaskID: h.id, Call: calls[i]}
	if out.Prompt, err = r.text(ctx, tenant, h, out.Call.PromptRef); err != nil {
		return CallTexts{}, err
	}
	out.Answer, err = r.text(ctx, tenant, h, out.Call.AnswerRef)
	return out, err
}

// text returns what is kept under a reference. Secrets that became known later are cut
// out here.
func (r Reader) text(ctx context.Context, tenant string, h stream, ref string) (CallText, error) {
	body, state, err := r.kept(ctx, tenant, h.id, ref)
	if err != nil || state != TextKept {
		return CallText{State: state}, err
	}
	if !json.Valid(body) {
		if body, err = json.Marshal(string(body)); err != nil {
			return CallText{}, err
		}
	}
	return CallText{state, h.secrets.CutJSON(body)}, nil
}

// kept gets a blob of the content store, or says what became of it.
func (r Reader) kept(ctx context.Context, tenant, id, ref string) (body []byte, state string, err error) {
	if ref == "" {
		return nil, TextNone, nil
	}
	body, err = r.Content.Get(ctx, tenant, id, ref)
	var missing *domain.Error
	switch {
	case err == nil:
		return body, TextKept, nil
	case errors.Is(err, domain.ErrErased):
		return nil, TextErased, nil
	case errors.As(err, &missing) && missing.Kind == domain.NotFound:
		return nil, TextExpired, nil
	}
	return nil, "", err
}

// byTurn groups calls; Known says which turns there are. Calls of any other come last.
func byTurn(calls []ModelCall, known map[int]bool) (turns map[int][]ModelCall, others []ModelCall) {
	turns = map[int][]ModelCall{}
	for _, c := range calls {
		if known[c.Turn] {
			turns[c.Turn] = append(turns[c.Turn], c)
		} else {
			others = append(others, c)
		}
	}
	slices.SortFunc(others, func(a, b ModelCall) int { return cmp.Compare(a.Turn, b.Turn) })
	return turns, others
}
