package api

import (
	"context"
	"time"

	ledger "github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/projections/usage"
)

// StatementHead is a statement without its lines.
type StatementHead struct {
	ID       string     `json:"id,omitempty" format:"uuid" doc:"Absent on a draft."`
	Status   string     `json:"status" enum:"draft,issued"`
	Month    string     `json:"month" example:"2026-11" doc:"In the time zone."`
	TimeZone string     `json:"timeZone"`
	From     time.Time  `json:"from"`
	To       time.Time  `json:"to"`
	Currency string     `json:"currency"`
	IssuedAt *time.Time `json:"issuedAt,omitempty"`
	Exact    string     `json:"exact" doc:"Sum of the lines, as a decimal."`
	Amount   string     `json:"amount" doc:"It, rounded half away from zero to cents: what is due."`
}

func statementHead(st ledger.Statement) StatementHead {
	h := StatementHead{
		ID: st.ID, Status: "draft", Month: st.Month, TimeZone: st.TimeZone, From: st.From.UTC(), To: st.To.UTC(),
		Currency: st.Currency, Exact: st.Exact, Amount: st.Amount,
	}
	if st.ID != "" {
		h.Status, h.IssuedAt = "issued", new(st.IssuedAt.UTC())
	}
	return h
}

// StatementData is a statement with its lines.
type StatementData struct {
	StatementHead
	Lines []StatementLine `json:"lines" nullable:"false"`
}

// StatementLine is a line of a statement. On a correction the numbers are differences.
type StatementLine struct {
	Kind           string `json:"kind" enum:"usage,correction,rounding"`
	Month          string `json:"month" doc:"Of the calls."`
	Provider       string `json:"provider,omitempty"`
	Model          string `json:"model,omitempty"`
	Calls          int64  `json:"calls"`
	EstimatedCalls int64  `json:"estimatedCalls"`
	UnpricedCalls  int64  `json:"unpricedCalls" doc:"They cost nothing until a later statement."`
	Meters         Meters `json:"meters"`
	Exact          string `json:"exact"`
	Amount         string `json:"amount"`
}

func statementData(st ledger.Statement) StatementData {
	d := StatementData{statementHead(st), make([]StatementLine, 0, len(st.Lines))}
	for _, l := range st.Lines {
		d.Lines = append(d.Lines, StatementLine{l.Kind, l.Month, l.Provider, l.Model, l.Calls, l.Estimated, l.Unpriced, Meters(l.Meters), l.Exact, l.Amount})
	}
	return d
}

// StatementsData are the statements issued, the newest first.
type StatementsData struct {
	Statements []StatementHead `json:"statements" nullable:"false"`
}

func (s *Server) statements(ctx context.Context, _ *struct{}) (*reply[StatementsData], error) {
	all, err := s.Billing.Statements(ctx, caller(ctx).TenantID)
	if err != nil {
		return nil, err
	}
	d := StatementsData{make([]StatementHead, 0, len(all))}
	for _, st := range all {
		d.Statements = append(d.Statements, statementHead(st))
	}
	return ok(d), nil
}

type statementInput struct {
	Freshness
	Month string `path:"month" pattern:"^[0-9]{4}-(0[1-9]|1[0-2])$" patternDescription:"a month like 2026-11"`
}

// statement reads the month's statement as it was issued, or else a draft of it.
func (s *Server) statement(ctx context.Context, in *statementInput) (*reply[StatementData], error) {
	if err := s.await(ctx, in.Freshness, usage.Projection); err != nil {
		return nil, err
	}
	st, err := s.Billing.DraftStatement(ctx, caller(ctx).TenantID, in.Month)
	if err != nil {
		return nil, err
	}
	return ok(statementData(st)), nil
}

// issueStatement makes the month's statement final. Issued again it is the same.
func (s *Server) issueStatement(ctx context.Context, in *statementInput) (*reply[StatementData], error) {
	if err := s.await(ctx, in.Freshness, usage.Projection); err != nil {
		return nil, err
	}
	st, err := s.Billing.IssueStatement(ctx, caller(ctx).TenantID, in.Month, s.Now())
	if err != nil {
		return nil, err
	}
	return ok(statementData(st)), nil
}
