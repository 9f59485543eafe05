package main

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/stepledger/stepledger/api"
	"github.com/stepledger/stepledger/projections/tasks"
)

func (l looking) listCmd() *cobra.Command {
	var s tasks.Search
	var from, to, after string
	cmd := &cobra.Command{
		Use:   "list --tenant TENANT",
		Short: "List a tenant's tasks with what they cost, newest first",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if s.From, err = readTime("from", from); err != nil {
				return err
			}
			if s.To, err = readTime("to", to); err != nil {
				return err
			}
			if s.After, err = api.TasksAfter(after); err != nil {
				return err
			}
			return l.withSystem(cmd.Context(), func(sys *system) error {
				if s.Tenant, err = sys.identity.FindTenant(cmd.Context(), s.Tenant); err != nil {
					return err
				}
				page, err := tasks.Queries{DB: sys.db}.Find(cmd.Context(), s)
				if err != nil {
					return err
				}
				d := api.NewTasksData(page)
				return l.print(d, func(w io.Writer) { printTasks(w, d) })
			})
		},
	}
	cmd.Flags().StringVar(&s.Tenant, "tenant", "", "whose tasks, by id or name")
	cmd.Flags().StringVar(&s.Status, "status", "", "active, executing, correcting, completed, failed or interrupted; paused: those somebody holds")
	cmd.Flags().StringVar(&s.Host, "domain", "", "the host of the page they began on")
	cmd.Flags().StringVar(&s.Code, "code", "", "why they failed, as MAX_STEPS_EXCEEDED")
	cmd.Flags().StringVar(&s.Text, "text", "", "words of their query, each from its beginning on")
	cmd.Flags().StringVar(&from, "from", "", "started at or after this time or day (2026-11-01T00:00:00Z, 2026-11-01: in UTC)")
	cmd.Flags().StringVar(&to, "to", "", "started before it")
	cmd.Flags().IntVar(&s.Limit, "limit", 50, "how many")
	cmd.Flags().StringVar(&after, "after", "", "the place to go on from, as the page before printed it")
	_ = cmd.MarkFlagRequired("tenant") // the flag is there
	return cmd
}

func printTasks(w io.Writer, d api.TasksData) {
	fmt.Fprintln(w, "TASK\tSTARTED\tSTATUS\tDOMAIN\tSTEPS\tCALLS\tTOKENS\tUSD\tQUERY")
	for _, t := range d.Tasks {
		status := t.Status
		if t.Code != "" {
			status += " " + t.Code
		}
		if t.Paused != nil {
			status += ", " + heldWords[t.Paused.Kind]
		}
		spent := "-\t-\t-"
		if s := t.Spent; s != nil {
			spent = fmt.Sprintf("%d\t%d+%d\t%s", s.Calls, s.InputTokens, s.OutputTokens, s.CostUSD)
			if unknown := s.OpenCalls + s.UnpricedCalls; unknown > 0 {
				spent += fmt.Sprintf(" and %d unknown", unknown)
			}
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%d\t%s\t%s\n", t.TaskID, t.StartedAt.Format(time.DateTime), status, cell(t.Domain, nameCell), t.Steps, spent, cell(t.Query, valueCell))
	}
	if d.Next != "" {
		fmt.Fprintf(w, "more: --after %s\n", d.Next)
	}
}
