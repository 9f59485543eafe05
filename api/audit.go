package api

import (
	"context"
	"time"

	"github.com/stepledger/stepledger/domain/account"
)

// AuditEntry is one entry of the audit.
type AuditEntry struct {
	ID        int64          `json:"id"`
	At        time.Time      `json:"at"`
	ActorID   string         `json:"actorId,omitempty" format:"uuid" doc:"The user who did it; absent for the operator, and for a refused login."`
	Action    account.Action `json:"action" example:"user.role_changed"`
	SubjectID string         `json:"subjectId,omitempty" format:"uuid" doc:"The user, invitation or login it was done to; absent where it was the tenant."`
	Was       string         `json:"was,omitempty"`
	Became    string         `json:"became,omitempty"`
	RequestID string         `json:"requestId,omitempty" doc:"As in the header X-Request-Id."`
}

// AuditData is a page of the audit, newest first.
type AuditData struct {
	Entries []AuditEntry `json:"entries" nullable:"false"`
	Next    int64        `json:"next,omitempty" doc:"Send it as before to get the next page; absent on the last."`
}

type auditInput struct {
	UserID string         `query:"userId" format:"uuid" doc:"Only what was done to this user."`
	Action account.Action `query:"action" maxLength:"100" doc:"Only this kind of change."`
	Before int64          `query:"before" minimum:"0" doc:"next of the page before."`
	Limit  int            `query:"limit" default:"100" minimum:"1" maximum:"1000"`
}

// audit reads who changed what in the caller's tenant.
func (s *Server) audit(ctx context.Context, in *auditInput) (*reply[AuditData], error) {
	user, err := optionalUUID("userId", in.UserID)
	if err != nil {
		return nil, err
	}
	tenant := caller(ctx).TenantID
	if user != "" {
		if err := s.userExists(ctx, tenant, user); err != nil {
			return nil, err
		}
	}
	all, err := s.Identity.Audit(ctx, account.AuditFilter{TenantID: tenant, SubjectID: user, Action: in.Action, Before: in.Before, Limit: in.Limit + 1})
	if err != nil {
		return nil, err
	}
	d := AuditData{Entries: make([]AuditEntry, 0, len(all))}
	if len(all) > in.Limit {
		all = all[:in.Limit]
		d.Next = all[in.Limit-1].ID
	}
	for _, a := range all {
		d.Entries = append(d.Entries, AuditEntry{a.ID, a.At.UTC(), a.ActorID, a.Action, a.SubjectID, a.Was, a.Became, a.Request})
	}
	return ok(d), nil
}
