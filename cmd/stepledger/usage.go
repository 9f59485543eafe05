package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/stepledger/stepledger/domain/usage"
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

// chosenCalls are the flags that choose model calls.
type chosenCalls struct {
	usage.Selection
	from, to string
}

func (c *chosenCalls) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&c.Tenant, "tenant", "", "of this tenant only")
	cmd.Flags().StringVar(&c.Task, "task", "", "of this task only")
	cmd.Flags().StringVar(&c.User, "user", "", "of this user only")
	cmd.Flags().StringVar(&c.Model, "model", "", "of this model only")
	cmd.Flags().StringVar(&c.from, "from", "", "started at or after this time or day (2026-11-01T00:00:00Z, 2026-11-01: in UTC)")
	cmd.Flags().StringVar(&c.to, "to", "", "started before it")
}

func (c *chosenCalls) read() (err error) {
	if c.From, err = readTime("from", c.from); err != nil {
		return err
	}
	c.To, err = readTime("to", c.to)
	return err
}

func readTime(flag, text string) (t time.Time, err error) {
	if text == "" {
		return t, nil
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if t, err = time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	return t, fmt.Errorf("--%s: %q is no time like 2026-11-01T00:00:00Z and no day like 2026-11-01", flag, text)
}

func (p program) usageCmd() *cobra.Command {
	var c chosenCalls
	var f usageview.SummaryFilter
	var by []string
	cmd := &cobra.Command{
		Use:   "usage",
		Short: "Print what model calls used and cost",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := c.read(); err != nil {
				return err
			}
			f.Selection = c.Selection
			for _, b := range by {
				f.GroupBy = append(f.GroupBy, usageview.GroupBy(b))
			}
			return p.withSystem(cmd.Context(), func(s *system) error {
				sum, err := usageview.Queries{DB: s.db}.Summary(cmd.Context(), f)
				if err != nil {
					return err
				}
				for _, g := range sum.Groups {
					if err := p.printJSON(lineOf(strings.Join(g.Keys, ","), g.Totals)); err != nil {
						return err
					}
				}
				return p.printJSON(lineOf("", sum.Totals))
			})
		},
	}
	c.flags(cmd)
	cmd.Flags().StringSliceVar(&by, "by", nil, "a line for each tenant, user, session, task, model, provider, actionType, day or month, or several of them, before the total")
	cmd.Flags().StringVar(&f.Zone, "time-zone", "", "of days and months; UTC if not given")
	cmd.AddCommand(p.usageExportCmd(), p.usageStatementCmd(), p.usageReconcileCmd())
	return cmd
}

func (p program) usageExportCmd() *cobra.Command {
	var c chosenCalls
	e := usage.Export{Format: usage.PlainCSV}
	var file, format string
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Write model calls as CSV: a row for each call, or as FOCUS 1.4 wants them",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := c.read(); err != nil {
				return err
			}
			e.Selection, e.Format = c.Selection, usage.ExportFormat(format)
			return p.withSystem(cmd.Context(), func(s *system) error { return p.export(cmd.Context(), s, e, file) })
		},
	}
	c.flags(cmd)
	cmd.Flags().StringVar(&format, "format", string(usage.PlainCSV), "csv or focus")
	cmd.Flags().StringVar(&e.Zone, "time-zone", "", "of times, days and months in csv; the tenant's if not given")
	cmd.Flags().StringVarP(&file, "output", "o", "", "file to write, which must not exist; standard output if not given")
	return cmd
}

// export writes to a file that is not there before it is whole.
func (p program) export(ctx context.Context, s *system, e usage.Export, file string) (err error) {
	if file == "" {
		return s.billing.Export(ctx, p.out, e)
	}
	part, err := os.OpenFile(file+".part", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) //nolint:gosec // whoever runs the tool names the file
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(part.Name()))
		}
	}()
	err = errors.Join(s.billing.Export(ctx, part, e), part.Sync(), part.Close())
	if err != nil {
		return err
	}
	if _, err := os.Lstat(file); err == nil {
		return fmt.Errorf("%s is there already", file)
	}
	return os.Rename(part.Name(), file)
}

func (p program) usageStatementCmd() *cobra.Command {
	var issue bool
	cmd := &cobra.Command{
		Use:   "statement TENANT MONTH",
		Short: "Print a tenant's statement of a month (2026-11), as issued or as it would be now; --issue makes it final",
		Long: `Prints the statement that was issued for the month, or else a draft of it.

--issue makes it final: it never changes again, and what is corrected later stands on the next one. Statements are issued in order,
when their month is over (in the tenant's time zone) and every call of it has a bill. Issued again it is the same.`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.withSystem(cmd.Context(), func(s *system) error { return p.statement(cmd.Context(), s, args[0], args[1], issue) })
		},
	}
	cmd.Flags().BoolVar(&issue, "issue", false, "make it final")
	return cmd
}

func (p program) statement(ctx context.Context, s *system, tenant, month string, issue bool) error {
	tenant, err := s.identity.FindTenant(ctx, tenant)
	if err != nil {
		return err
	}
	if err := s.runner.CatchUp(ctx); err != nil { // be there a server at work or none
		return err
	}
	var st usage.Statement
	if issue {
		st, err = s.billing.IssueStatement(ctx, tenant, month, time.Now())
	} else {
		st, err = s.billing.DraftStatement(ctx, tenant, month)
	}
	if err != nil {
		return err
	}
	return p.printJSON(st)
}

func (p program) usageReconcileCmd() *cobra.Command {
	var file string
	var c comparison
	cmd := &cobra.Command{
		Use:   "reconcile",
		Short: "Compare the read model of usage with the ledger, call by call; and days of it with a provider's own CSV",
		Long: `Folds every ledger anew and prints every difference to the read model, a JSON object each, then how much was compared.

With --csv, the provider's list of what it counted is compared by day and model. Its columns are found by their names: a day (date,
day, start_time ...), a model, and what there is of requests, input tokens, output tokens and cost.

It ends with an error where anything differs.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var list io.Reader
			if file != "" {
				f, err := os.Open(file) //nolint:gosec // whoever runs the tool names the file
				if err != nil {
					return err
				}
				defer f.Close()
				list = f
			}
			return p.withSystem(cmd.Context(), func(s *system) error { return p.reconcile(cmd.Context(), s, list, c) })
		},
	}
	cmd.Flags().StringVar(&file, "csv", "", "the provider's list")
	cmd.Flags().StringVar(&c.provider, "provider", "", "whose list it is: google, vertex, openai, anthropic")
	cmd.Flags().StringVar(&c.tenant, "tenant", "", "compare the list with this tenant's calls only")
	cmd.Flags().StringVar(&c.zone, "time-zone", "UTC", "of the days in the list")
	cmd.Flags().StringVar(&c.tolerance, "tolerance", "0", "USD by which a day's cost of a model may differ")
	return cmd
}

func (p program) reconcile(ctx context.Context, s *system, list io.Reader, c comparison) error {
	if err := s.runner.CatchUp(ctx); err != nil { // be there a server at work or none
		return err
	}
	q := usageview.Queries{DB: s.db}
	done, err := q.Reconcile(ctx, s.events, func(d usageview.Difference) error { return p.printJSON(d) })
	if err != nil {
		return err
	}
	if err := p.printJSON(done); err != nil {
		return err
	}
	differences := done.Differences
	if list != nil {
		found, err := c.compare(ctx, q, list, func(d dayDifference) error { return p.printJSON(d) })
		if err != nil {
			return err
		}
		differences += found
	}
	if differences > 0 {
		return fmt.Errorf("%d differences", differences)
	}
	return nil
}
