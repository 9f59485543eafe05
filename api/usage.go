package api

import (
	"context"
	"strings"
	"time"

	"github.com/stepledger/stepledger/domain"
	ledger "github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/projections/history"
	"github.com/stepledger/stepledger/projections/tasks"
	"github.com/stepledger/stepledger/projections/usage"
)

// UsageTotals are sums over model calls. Costs are exact decimals in strings, since
// JSON numbers would be rounded.
type UsageTotals struct {
	Calls           int64  `json:"calls"`
	OpenCalls       int64  `json:"openCalls" doc:"Started and not yet billed."`
	EstimatedCalls  int64  `json:"estimatedCalls" doc:"Billed by estimate: the provider's numbers never came."`
	UnpricedCalls   int64  `json:"unpricedCalls" doc:"Of a model without a known price; not in costUSD."`
	MismatchedCalls int64  `json:"mismatchedCalls" doc:"Whose provider's account contradicts itself: tokens that do not add up to its total, or cannot all be read."`
	InputTokens     int64  `json:"inputTokens"`
	OutputTokens    int64  `json:"outputTokens" doc:"Thinking included."`
	TotalTokens     int64  `json:"totalTokens"`
	Meters          Meters `json:"meters"`
	CostUSD         string `json:"costUSD" example:"0.001234" doc:"An exact decimal."`
}

// Meters are the tokens by how they are billed. Every token is on one.
type Meters struct {
	InputUncached int64 `json:"inputUncached"`
	InputCached   int64 `json:"inputCached"`
	InputTool     int64 `json:"inputTool"`
	InputAudio    int64 `json:"inputAudio"`
	Output        int64 `json:"output"`
	Thinking      int64 `json:"thinking"`
}

// UsageGroup is the totals of the calls with the same keys.
type UsageGroup struct {
	Key  string   `json:"key" doc:"The keys, joined by commas."`
	Keys []string `json:"keys" nullable:"false" doc:"One for each of groupBy, in its order."`
	UsageTotals
}

// UsageData is totals and, if grouped, the same by group. The groups add up to the
// totals.
type UsageData struct {
	Totals   UsageTotals  `json:"totals"`
	GroupBy  string       `json:"groupBy,omitempty"`
	TimeZone string       `json:"timeZone" doc:"In which days and months are."`
	Groups   []UsageGroup `json:"groups" nullable:"false" doc:"A page of them, in the order of their keys."`
	Next     string       `json:"next,omitempty" doc:"Send it as after to get the next page; absent on the last."`
}

// UsageChoice selects calls of the caller's tenant.
type UsageChoice struct {
	TaskID     string    `query:"taskId" format:"uuid"`
	SessionID  string    `query:"sessionId" format:"uuid"`
	UserID     string    `query:"userId" format:"uuid"`
	Provider   string    `query:"provider" maxLength:"200"`
	Model      string    `query:"model" maxLength:"200"`
	ActionType string    `query:"actionType" maxLength:"200"`
	From       time.Time `query:"from" doc:"Calls started at or after it."`
	To         time.Time `query:"to" doc:"Calls started before it."`
}

type usageInput struct {
	Freshness
	UsageChoice
	GroupBy  []string `query:"groupBy" enum:"user,session,task,model,provider,actionType,day,month" uniqueItems:"true" maxItems:"4"`
	TimeZone string   `query:"timeZone" maxLength:"64" doc:"IANA name, for day and month; the tenant's if absent."`
	Limit    int      `query:"limit" default:"50" minimum:"1" maximum:"1000" doc:"Of groups."`
	After    string   `query:"after" maxLength:"4000" doc:"next of the page before."`
}

// usageSummary covers the caller's whole tenant; sessions and users to narrow it to
// must belong to the tenant. Sums are kept by quarters of an hour, so from and to
// must be at one.
func (s *Server) usageSummary(ctx context.Context, in *usageInput) (*reply[UsageData], error) {
	f := usage.SummaryFilter{Zone: in.TimeZone, Limit: in.Limit}
	var err error
	if f.Selection, err = s.selection(ctx, in.UsageChoice); err != nil {
		return nil, err
	}
	for _, by := range in.GroupBy {
		f.GroupBy = append(f.GroupBy, usage.GroupBy(by))
	}
	if f.After, err = readCursor[[]string]("after", in.After); err != nil {
		return nil, err
	}
	if f.Zone == "" {
		if f.Zone, err = s.Billing.Zone(ctx, f.Tenant); err != nil {
			return nil, err
		}
	}
	if err := s.await(ctx, in.Freshness, usage.Projection); err != nil {
		return nil, err
	}
	sum, err := s.Usage.Summary(ctx, f)
	if err != nil {
		return nil, err
	}
	d := UsageData{usageTotals(sum.Totals), strings.Join(in.GroupBy, ","), f.Zone, make([]UsageGroup, 0, len(sum.Groups)), ""}
	for _, g := range sum.Groups {
		d.Groups = append(d.Groups, UsageGroup{strings.Join(g.Keys, ","), g.Keys, usageTotals(g.Totals)})
	}
	if sum.More {
		d.Next = cursor(sum.Groups[len(sum.Groups)-1].Keys)
	}
	return ok(d), nil
}

// selection of the caller's tenant; of those who do not see all of it, their own.
func (s *Server) selection(ctx context.Context, c UsageChoice) (f ledger.Selection, err error) {
	f = ledger.Selection{
		Tenant: caller(ctx).TenantID, Provider: c.Provider, Model: c.Model, Purpose: ledger.Purpose(c.ActionType),
		From: c.From, To: c.To,
	}
	if err = inOrder(c.From, c.To); err != nil {
		return f, err
	}
	if f.Task, err = optionalUUID("taskId", c.TaskID); err != nil {
		return f, err
	}
	if f.Session, err = optionalUUID("sessionId", c.SessionID); err != nil {
		return f, err
	}
	if f.User, err = optionalUUID("userId", c.UserID); err != nil {
		return f, err
	}
	if who := caller(ctx); !who.Role.SeesTenantUsage() {
		if f.User != "" && f.User != who.UserID {
			return f, noSuchUser()
		}
		f.User = who.UserID
	}
	return f, s.mustExist(ctx, f)
}

func noSuchUser() error {
	return domain.Errorf(domain.NotFound, domain.CodeNotFound, "there is no such user").At("userId")
}

// mustExist answers 404 for a task, session or user of another tenant, and for those
// whom the selection is not of: a sum of nothing would look like one that cost nothing.
func (s *Server) mustExist(ctx context.Context, f ledger.Selection) error {
	if f.Task != "" {
		if err := s.taskExists(ctx, f); err != nil {
			return err
		}
	}
	if f.Session != "" {
		found, err := s.Tasks.List(ctx, tasks.Filter{Tenant: f.Tenant, User: f.User, Session: f.Session, Limit: 1})
		if err != nil {
			return err
		}
		if len(found) == 0 {
			return domain.Errorf(domain.NotFound, domain.CodeSessionNotFound, "there is no such session").At("sessionId")
		}
	}
	if f.User != "" {
		return s.userExists(ctx, f.Tenant, f.User)
	}
	return nil
}

func (s *Server) userExists(ctx context.Context, tenant, user string) error {
	known, err := s.Identity.HasUser(ctx, tenant, user)
	if err == nil && !known {
		return noSuchUser()
	}
	return err
}

// taskExists asks the log, which knows a task from its first event on.
func (s *Server) taskExists(ctx context.Context, f ledger.Selection) error {
	first, err := s.History.Events(ctx, f.Tenant, f.Task, history.Filter{Limit: 1})
	if err != nil {
		return err
	}
	if f.User != "" && (len(first.Events) == 0 || first.Events[0].Actor != f.User) {
		return domain.Errorf(domain.NotFound, domain.CodeTaskNotFound, "there is no such task")
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
