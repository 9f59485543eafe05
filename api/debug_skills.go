package api

import (
	"context"
	"time"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/projections/skills"
)

// SkillEntry is something a correction has taught.
type SkillEntry struct {
	SkillID          string      `json:"skillId"`
	TenantID         string      `json:"tenantId"`
	Domain           string      `json:"domain"`
	Goal             string      `json:"goal"`
	FailedState      FailedState `json:"failedState"`
	SuccessfulAction UsedAction  `json:"successfulAction"`
	SuccessCount     int         `json:"successCount"`
	FailureCount     int         `json:"failureCount"`
	Shown            int         `json:"shown" doc:"Actions it was shown for, heeded or not."`
	LastUsed         time.Time   `json:"lastUsed"`
	CreatedAt        time.Time   `json:"createdAt"`
	TaskID           string      `json:"taskId" doc:"The task that taught it."`
}

// FailedState is what a skill is about: the action that failed, on what, and how.
type FailedState struct {
	Action             string `json:"action"`
	ElementDescription string `json:"elementDescription,omitempty"`
	ErrorType          string `json:"errorType"`
}

// UsedAction is what worked instead.
type UsedAction struct {
	Action             string `json:"action"`
	ElementDescription string `json:"elementDescription,omitempty"`
	Strategy           string `json:"strategy"`
}

// NewSkillEntry is a skill as it is sent; the command line prints the same.
func NewSkillEntry(e skills.Entry) SkillEntry {
	described := func(t reasoning.Target) string { return page.Describe(page.Element{Role: t.Role, Name: t.Name}) }
	return SkillEntry{
		SkillID: e.ID, TenantID: e.Tenant, Domain: e.Site, Goal: e.Goal,
		FailedState:      FailedState{e.FailedAction, described(e.FailedTarget), e.ErrorType},
		SuccessfulAction: UsedAction{e.UseAction, described(e.UseTarget), e.Strategy},
		SuccessCount:     e.Successes, FailureCount: e.Failures, Shown: e.Shown,
		LastUsed: e.LastUsed, CreatedAt: e.CreatedAt, TaskID: e.Task,
	}
}

// SkillsData is a tenant's library, last used first.
type SkillsData struct {
	Skills []SkillEntry `json:"skills" nullable:"false"`
}

type skillsInput struct {
	Freshness
	Domain string `query:"domain" maxLength:"253" doc:"Of this host only."`
}

// skillList is of the caller's tenant, with the skills that fail too often to be shown.
func (s *Server) skillList(ctx context.Context, in *skillsInput) (*reply[SkillsData], error) {
	if err := s.await(ctx, in.Freshness, skills.Projection); err != nil {
		return nil, err
	}
	list, err := s.Skills.List(ctx, caller(ctx).TenantID, in.Domain)
	if err != nil {
		return nil, err
	}
	d := SkillsData{make([]SkillEntry, 0, len(list))}
	for _, e := range list {
		d.Skills = append(d.Skills, NewSkillEntry(e))
	}
	return ok(d), nil
}
