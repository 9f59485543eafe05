package main

import (
	"github.com/spf13/cobra"

	usageview "github.com/stepledger/stepledger/projections/usage"
)

// usageLine is what one group of model calls used, as the tool prints it.
type usageLine struct {
	Key            string `json:"key,omitempty"`
	Calls          int64  `json:"calls"`
	OpenCalls      int64  `json:"openCalls"`
	EstimatedCalls int64  `json:"estimatedCalls"`
	UnpricedCalls  int64  `json:"unpricedCalls"`
	InputTokens    int64  `json:"inputTokens"`
	OutputTokens   int64  `json:"outputTokens"`
	CostUSD        string `json:"costUsd"`
}

func lineOf(key string, t usageview.Totals) usageLine {
	return usageLine{
		Key: key, Calls: t.Calls, OpenCalls: t.OpenCalls, EstimatedCalls: t.EstimatedCalls,
		UnpricedCalls: t.UnpricedCalls, InputTokens: t.Input(), OutputTokens: t.Outputs(), CostUSD: t.Cost,
	}
}

func (p program) usageCmd() *cobra.Command {
	var f usageview.SummaryFilter
	var by string
	cmd := &cobra.Command{
		Use:   "usage",
		Short: "Print what model calls used and cost",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			f.GroupBy = usageview.GroupBy(by)
			return p.withSystem(cmd.Context(), func(s *system) error {
				sum, err := usageview.Queries{DB: s.db}.Summary(cmd.Context(), f)
				if err != nil {
					return err
				}
				for _, g := range sum.Groups {
					if err := p.printJSON(lineOf(g.Key, g.Totals)); err != nil {
						return err
					}
				}
				return p.printJSON(lineOf("", sum.Totals))
			})
		},
	}
	cmd.Flags().StringVar(&f.Tenant, "tenant", "", "of this tenant only")
	cmd.Flags().StringVar(&f.Task, "task", "", "of this task only")
	cmd.Flags().StringVar(&by, "by", "", "a line for each tenant, user, session, task, model, provider, actionType, day or month, before the total")
	return cmd
}
