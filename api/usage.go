package api

import (
	"context"
	"time"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/projections/tasks"
	"github.com/stepledger/stepledger/projections/usage"
)

// UsageTotals are sums over model calls. Costs are exact decimals in text:
// numbers in JSON would be rounded.
type UsageTotals struct {
	Calls           int64  `json:"calls"`
	OpenCalls       int64  `json:"openCalls" doc:"Started and not yet billed."`
	EstimatedCalls  int64  `json:"estimatedCalls" doc:"Billed by estimate: the provider's numbers never came."`
	UnpricedCalls   int64  `json:"unpricedCalls" doc:"Of a model without a known price; not in costUSD."`
	MismatchedCalls int64  `json:"mismatchedCalls" doc:"Whose tokens do not add up to the provider's total."`
	InputTokens     int64  `json:"inputTokens"`
	OutputTokens    int64  `json:"outputTokens" doc:"Thinking included."`
	TotalTokens     int64  `json:"totalTokens"`
	Meters          Meters `json:"meters"`
	CostUSD         string `json:"costUSD" example:"0.001234" doc:"An exact decimal."`
}

// Meters are the tokens by what they are billed as. Every token is on one.
type Meters struct {
	InputUncached int64 `json:"inputUncached"`
	InputCached   int64 `json:"inputCached"`
	InputTool     int64 `json:"inputTool"`
	InputAudio    int64 `json:"inputAudio"`
	Output        int64 `json:"output"`
	Thinking      int64 `json:"thinking"`
}

// UsageGroup is the totals of one key of the grouping.
type UsageGroup struct {
	Key string `json:"key"`
	UsageTotals
}

// UsageData is a summary: totals, and the same by group. The groups add up to
// the totals.
type UsageData struct {
	Totals  UsageTotals  `json:"totals"`
	GroupBy string       `json:"groupBy,omitempty"`
	Groups  []UsageGroup `json:"groups" nullable:"false"`
}

type usageInput struct {
	Freshness
	TaskID     string    `query:"taskId" format:"uuid"`
	SessionID  string    `query:"sessionId" format:"uuid"`
	UserID     string    `query:"userId" format:"uuid"`
	Model      string    `query:"model" maxLength:"200"`
	ActionType string    `query:"actionType" maxLength:"200"`
	From       time.Time `query:"from" doc:"Calls started at or after it."`
	To         time.Time `query:"to" doc:"Calls started before it."`
	GroupBy    string    `query:"groupBy" enum:"user,session,task,model,provider,actionType,day,month"`
	TimeZone   string    `query:"timeZone" maxLength:"64" doc:"IANA name, for day and month; UTC if absent."`
}

// usageSummary is of the caller's whole tenant; what else it can be narrowed
// to has to be of that tenant too.
func (s *Server) usageSummary(ctx context.Context, in *usageInput) (*reply[UsageData], error) {
	f, err := s.usageFilter(ctx, in)
	if err != nil {
		return nil, err
	}
	if err := s.await(ctx, in.Freshness, usage.Projection); err != nil {
		return nil, err
	}
	sum, err := s.Usage.Summary(ctx, f)
	if err != nil {
		return nil, err
	}
	d := UsageData{usageTotals(sum.Totals), in.GroupBy, make([]UsageGroup, 0, len(sum.Groups))}
	for _, g := range sum.Groups {
		d.Groups = append(d.Groups, UsageGroup{g.Key, usageTotals(g.Totals)})
	}
	return ok(d), nil
}

func (s *Server) usageFilter(ctx context.Context, in *usageInput) (f usage.SummaryFilter, err error) {
	f = usage.SummaryFilter{
		Tenant: caller(ctx).TenantID, Model: in.Model, ActionType: in.ActionType,
		From: in.From, To: in.To, GroupBy: usage.GroupBy(in.GroupBy), Zone: in.TimeZone,
	}
	if !in.From.IsZero() && !in.To.IsZero() && !in.From.Before(in.To) {
		return f, invalid("to", "to is not after from")
	}
	if f.Task, err = optionalUUID("taskId", in.TaskID); err != nil {
		return f, err
	}
	if f.Session, err = optionalUUID("sessionId", in.SessionID); err != nil {
		return f, err
	}
	if f.User, err = optionalUUID("userId", in.UserID); err != nil {
		return f, err
	}
	return f, s.mustBeOwn(ctx, f)
}

// mustBeOwn answers 404 for a task, session or user of another tenant: a sum of
// nothing would look like one that cost nothing.
func (s *Server) mustBeOwn(ctx context.Context, f usage.SummaryFilter) error {
	if f.Task != "" {
		if _, err := s.History.Events(ctx, f.Tenant, f.Task, 0, 1); err != nil {
			return err
		}
	}
	if f.Session != "" {
		found, err := s.Tasks.List(ctx, tasks.Filter{Tenant: f.Tenant, Session: f.Session, Limit: 1})
		if err != nil {
			return err
		}
		if len(found) == 0 {
			return domain.Errorf(domain.NotFound, "SESSION_NOT_FOUND", "there is no such session").At("sessionId")
		}
	}
	if f.User != "" {
		known, err := s.Identity.HasUser(ctx, f.Tenant, f.User)
		if err != nil {
			return err
		}
		if !known {
			return domain.Errorf(domain.NotFound, codeNotFound, "there is no such user").At("userId")
		}
	}
	return nil
}

func usageTotals(t usage.Totals) UsageTotals {
	return UsageTotals{
		Calls: t.Calls, OpenCalls: t.OpenCalls, EstimatedCalls: t.EstimatedCalls,
		UnpricedCalls: t.UnpricedCalls, MismatchedCalls: t.MismatchedCalls,
		InputTokens: t.Input(), OutputTokens: t.Outputs(), TotalTokens: t.Total(),
		Meters: Meters(t.Meters), CostUSD: t.Cost,
	}
}
