package main

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/projections/skills"
)

// skillLine is a skill as the tool prints it (spec: Skills Library §A).
type skillLine struct {
	SkillID          string      `json:"skillId"`
	TenantID         string      `json:"tenantId"`
	Domain           string      `json:"domain"`
	Goal             string      `json:"goal"`
	FailedState      failedState `json:"failedState"`
	SuccessfulAction usedAction  `json:"successfulAction"`
	SuccessCount     int         `json:"successCount"`
	FailureCount     int         `json:"failureCount"`
	Shown            int         `json:"shown"`
	LastUsed         time.Time   `json:"lastUsed"`
	CreatedAt        time.Time   `json:"createdAt"`
	TaskID           string      `json:"taskId"`
}

type failedState struct {
	Action             string `json:"action"`
	ElementDescription string `json:"elementDescription,omitempty"`
	ErrorType          string `json:"errorType"`
}

type usedAction struct {
	Action             string `json:"action"`
	ElementDescription string `json:"elementDescription,omitempty"`
	Strategy           string `json:"strategy"`
}

func skillLineOf(e skills.Entry) skillLine {
	described := func(t reasoning.Target) string { return page.Describe(page.Element{Role: t.Role, Name: t.Name}) }
	return skillLine{
		SkillID: e.ID, TenantID: e.Tenant, Domain: e.Site, Goal: e.Goal,
		FailedState:      failedState{e.FailedAction, described(e.FailedTarget), e.ErrorType},
		SuccessfulAction: usedAction{e.UseAction, described(e.UseTarget), e.Strategy},
		SuccessCount:     e.Successes, FailureCount: e.Failures, Shown: e.Shown,
		LastUsed: e.LastUsed, CreatedAt: e.CreatedAt, TaskID: e.Task,
	}
}

func (p program) skillsCmd() *cobra.Command {
	var tenant, site string
	cmd := &cobra.Command{
		Use:   "skills",
		Short: "Print what corrections have taught, used last first",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.withSystem(cmd.Context(), func(s *system) error {
				list, err := skills.Queries{DB: s.db}.List(cmd.Context(), tenant, site)
				if err != nil {
					return err
				}
				for _, e := range list {
					if err := p.printJSON(skillLineOf(e)); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}
	cmd.Flags().StringVar(&tenant, "tenant", "", "of this tenant only")
	cmd.Flags().StringVar(&site, "site", "", "on this host only")
	return cmd
}
