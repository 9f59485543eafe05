package api

import (
	"context"
	"time"

	ledger "github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/projections/usage"
)

// UsageCall is one model call and its bill.
type UsageCall struct {
	CallID        string     `json:"callId" format:"uuid"`
	UserID        string     `json:"userId"`
	SessionID     string     `json:"sessionId,omitempty"`
	TaskID        string     `json:"taskId"`
	RequestID     string     `json:"requestId,omitempty" doc:"The client request that led to it."`
	StartedAt     time.Time  `json:"startedAt"`
	EndedAt       *time.Time `json:"endedAt,omitempty"`
	DurationMs    int64      `json:"durationMs"`
	ActionType    string     `json:"actionType" example:"VERIFICATION"`
	Role          string     `json:"role" enum:"smart,fast,"`
	Provider      string     `json:"provider"`
	Model         string     `json:"model" doc:"That was asked for."`
	ResponseModel string     `json:"responseModel,omitempty" doc:"That the provider says it ran."`
	ServiceTier   string     `json:"serviceTier,omitempty" doc:"The provider's; absent for the standard one."`
	Attempt       int        `json:"attempt" doc:"At the same question, from 1."`
	State         string     `json:"state" enum:"open,completed,settled" doc:"Settled: billed by estimate."`
	Outcome       string     `json:"outcome,omitempty" example:"ok"`
	SettledWhy    string     `json:"settledWhy,omitempty" doc:"Why it was billed by estimate."`
	Late          bool       `json:"late" doc:"The provider's numbers came after the estimate."`
	UsageMissing  bool       `json:"usageMissing" doc:"The provider gave no account of what was used that can be read and true."`
	TotalMatches  bool       `json:"totalMatches" doc:"The provider's account agrees with itself: the tokens add up to its total."`
	InputTokens   int64      `json:"inputTokens"`
	OutputTokens  int64      `json:"outputTokens" doc:"Thinking included."`
	TotalTokens   int64      `json:"totalTokens"`
	Meters        Meters     `json:"meters"`
	CostUSD       *string    `json:"costUSD" example:"0.001234" doc:"An exact decimal; null while it has no bill, or no known price."`
	CostStatus    string     `json:"costStatus" enum:"priced,unpriced,free,"`
	PriceVersion  string     `json:"priceVersion,omitempty"`
	Corrections   int        `json:"corrections" doc:"How often the bill was corrected since."`
}

// UsageCallsData is a page of calls, newest first.
type UsageCallsData struct {
	Calls []UsageCall `json:"calls" nullable:"false"`
	Next  string      `json:"next,omitempty" doc:"Send it as after to get the next page; absent on the last."`
}

type usageCallsInput struct {
	Freshness
	UsageChoice
	State      string `query:"state" enum:"open,completed,settled"`
	CostStatus string `query:"costStatus" enum:"priced,unpriced,free"`
	Limit      int    `query:"limit" default:"100" minimum:"1" maximum:"500"`
	After      string `query:"after" maxLength:"4000" doc:"next of the page before."`
}

// usageCalls lists the calls of the caller's tenant.
func (s *Server) usageCalls(ctx context.Context, in *usageCallsInput) (*reply[UsageCallsData], error) {
	f := usage.CallFilter{State: in.State, CostStatus: in.CostStatus, Limit: in.Limit}
	var err error
	if f.Selection, err = s.selection(ctx, in.UsageChoice); err != nil {
		return nil, err
	}
	if f.Before, err = readCursor[*usage.CallMark]("after", in.After); err != nil {
		return nil, err
	}
	if err := s.await(ctx, in.Freshness, usage.Projection); err != nil {
		return nil, err
	}
	page, err := s.Usage.Calls(ctx, f)
	if err != nil {
		return nil, err
	}
	d := UsageCallsData{Calls: make([]UsageCall, 0, len(page.Calls))}
	for _, c := range page.Calls {
		d.Calls = append(d.Calls, usageCall(c))
	}
	if page.More {
		last := page.Calls[len(page.Calls)-1]
		d.Next = cursor(usage.CallMark{StartedAt: last.StartedAt.UTC(), ID: last.ID})
	}
	return ok(d), nil
}

func usageCall(c usage.Call) UsageCall {
	return UsageCall{
		CallID: c.ID, UserID: c.User, SessionID: c.Session, TaskID: c.Task, RequestID: c.Request,
		StartedAt: c.StartedAt.UTC(), EndedAt: inUTC(c.EndedAt), DurationMs: c.DurationMS,
		ActionType: c.Purpose, Role: c.Role, Provider: c.Provider, Model: c.Model, ResponseModel: c.ResponseModel,
		ServiceTier: c.ServiceTier, Attempt: c.Attempt, State: c.State, Outcome: c.Outcome, SettledWhy: c.SettledWhy,
		Late: c.Late, UsageMissing: c.UsageMissing, TotalMatches: c.TotalMatches,
		InputTokens: c.Input(), OutputTokens: c.Outputs(), TotalTokens: c.Total(), Meters: Meters(c.Meters),
		CostUSD: decimal(c.Cost), CostStatus: c.CostStatus, PriceVersion: c.PriceVersion, Corrections: c.Corrections,
	}
}

func inUTC(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	u := t.UTC()
	return &u
}

func decimal(p *ledger.Pico) *string {
	if p == nil {
		return nil
	}
	s := p.String()
	return &s
}
