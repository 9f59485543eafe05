package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/internal/billing"
	usageview "github.com/stepledger/stepledger/projections/usage"
)

func (p program) pricesCmd() *cobra.Command {
	cmd := &cobra.Command{Use: "prices", Short: "Look after what models cost"}
	cmd.AddCommand(p.pricesImportCmd(), p.pricesListCmd(), p.pricesCheckCmd(), p.pricesRepriceCmd())
	return cmd
}

func (p program) pricesImportCmd() *cobra.Command {
	var dry bool
	cmd := &cobra.Command{
		Use:   "import FILE",
		Short: "Add rows of a price list (CSV or JSON, - for standard input) to the price book, then price calls that had none",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			file, err := readInput(args[0], cmd.InOrStdin())
			if err != nil {
				return err
			}
			rows, err := billing.ReadPrices(file)
			if err != nil {
				return err
			}
			return p.withSystem(cmd.Context(), func(s *system) error {
				added, err := s.billing.Import(cmd.Context(), rows, dry)
				if err != nil {
					return err
				}
				for _, row := range added {
					fmt.Fprintln(p.out, row.Version)
				}
				fmt.Fprintf(p.out, "%d rows added, %d were there\n", len(added), len(rows)-len(added))
				if dry || len(added) == 0 {
					return nil
				}
				return p.reprice(cmd.Context(), s, usageview.BilledFilter{UnpricedOnly: true}, "prices were imported")
			})
		},
	}
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only check, and say what would be added")
	return cmd
}

// readInput reads a file, or standard input for "-".
func readInput(name string, stdin io.Reader) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(stdin)
	}
	return os.ReadFile(name) //nolint:gosec // whoever runs the tool names the file
}

func (p program) pricesListCmd() *cobra.Command {
	var asJSON bool
	var provider, model string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "Print the price book as prices import reads it, every row there ever was, in USD per million tokens",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.withSystem(cmd.Context(), func(s *system) error {
				all, err := s.billing.Prices(cmd.Context())
				if err != nil {
					return err
				}
				var rows []usage.Price
				for _, row := range all {
					if (provider == "" || row.Provider == provider) && (model == "" || row.Model == model) {
						rows = append(rows, row)
					}
				}
				if !asJSON {
					return billing.WriteCSV(p.out, rows)
				}
				lines := make([]billing.Line, len(rows))
				for i, row := range rows {
					if lines[i], err = billing.LineOf(row); err != nil {
						return err
					}
				}
				return p.printJSON(lines)
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "JSON instead of CSV")
	cmd.Flags().StringVar(&provider, "provider", "", "of this provider only")
	cmd.Flags().StringVar(&model, "model", "", "of this model only")
	return cmd
}

// errFindings ends the tool with a status that a cron job sees.
var errFindings = errors.New("the price book needs somebody's attention")

func (p program) pricesCheckCmd() *cobra.Command {
	within := 30 * 24 * time.Hour
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Print what is wrong, or soon will be, with the price book: gaps, ends, models in use that retire or have no price",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.withSystem(cmd.Context(), func(s *system) error {
				findings, err := s.auditPrices(cmd.Context(), time.Now(), within)
				if err != nil {
					return err
				}
				for _, f := range findings {
					if err := p.printJSON(f); err != nil {
						return err
					}
				}
				if len(findings) > 0 {
					return errFindings
				}
				return nil
			})
		},
	}
	cmd.Flags().DurationVar(&within, "within", within, "how far to look ahead")
	return cmd
}

// auditPrices looks through the price book with the eyes of this installation:
// the models it is configured with, those it has used lately, and the bills that
// have no price.
func (s *system) auditPrices(ctx context.Context, now time.Time, within time.Duration) ([]usage.Finding, error) {
	rows, err := s.billing.Prices(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.runner.CatchUp(ctx); err != nil {
		return nil, err
	}
	q := usageview.Queries{DB: s.db}
	inUse, err := q.Models(ctx, now.Add(-within))
	if err != nil {
		return nil, err
	}
	for _, w := range s.cfg.wares() {
		if !slices.ContainsFunc(inUse, func(u usage.Ware) bool { return u.Provider == w.Provider && u.Models[0] == w.Models[0] }) {
			inUse = append(inUse, w)
		}
	}
	findings, err := usage.Audit(rows, inUse, now, now.Add(within))
	if err != nil {
		return nil, err
	}
	unpriced, err := q.Unpriced(ctx)
	for _, m := range unpriced {
		findings = append(findings, usage.Finding{
			What: usage.NoPrice, Provider: m.Provider, Model: m.Model, From: m.First, To: m.Last, Calls: m.Calls,
		})
	}
	return findings, err
}

func (p program) pricesRepriceCmd() *cobra.Command {
	var from, to string
	var priced bool
	var f usageview.BilledFilter
	cmd := &cobra.Command{
		Use:   "reprice",
		Short: "Correct bills by the price book as it is now; those without a price unless told otherwise. It may be broken off and repeated",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if f.From, err = billing.ParseTime(from); err != nil {
				return fmt.Errorf("--from: %w", err)
			}
			if f.To, err = billing.ParseTime(to); err != nil {
				return fmt.Errorf("--to: %w", err)
			}
			f.UnpricedOnly = !priced
			return p.withSystem(cmd.Context(), func(s *system) error {
				return p.reprice(cmd.Context(), s, f, "the price book was changed")
			})
		},
	}
	cmd.Flags().BoolVar(&priced, "priced", false, "those that have a price too")
	cmd.Flags().StringVar(&f.Tenant, "tenant", "", "of this tenant only")
	cmd.Flags().StringVar(&f.Provider, "provider", "", "of this provider only")
	cmd.Flags().StringVar(&f.Model, "model", "", "of this model only")
	cmd.Flags().StringVar(&from, "from", "", "of calls started at or after this date or time")
	cmd.Flags().StringVar(&to, "to", "", "of calls started before it")
	return cmd
}

// repriceBatch is how many calls are read at a time.
const repriceBatch = 1000

// reprice corrects the bills a filter chooses. A bill that is right is left
// alone, so that going through them again changes nothing.
func (p program) reprice(ctx context.Context, s *system, f usageview.BilledFilter, why string) error {
	if err := s.runner.CatchUp(ctx); err != nil {
		return err
	}
	corrected, left := 0, 0
	var after usageview.BilledCall
	for {
		calls, err := usageview.Queries{DB: s.db}.Billed(ctx, f, after, repriceBatch)
		if err != nil {
			return err
		}
		for _, c := range calls {
			bill, changed, err := s.ledger.Reprice(ctx, c.Tenant, c.Subject, c.ID, why)
			switch {
			case err != nil:
				return fmt.Errorf("%w (%d bills were corrected; say it again to go on)", err, corrected)
			case changed:
				corrected++
			}
			if bill.Charge.CostStatus == usage.Unpriced {
				left++
			}
		}
		if len(calls) < repriceBatch {
			break
		}
		after = calls[len(calls)-1]
	}
	fmt.Fprintf(p.out, "%d bills corrected, %d still have no price\n", corrected, left)
	return nil
}

// wares are the models this installation asks.
func (c config) wares() (out []usage.Ware) {
	for _, m := range []modelConfig{c.Models.Smart.Model, c.Models.Smart.Fallback, c.Models.Fast.Model, c.Models.Fast.Fallback} {
		if m.Name != "" {
			out = append(out, usage.Ware{Provider: c.Models.at(m).PricedAs, Models: []string{m.Name}})
		}
	}
	return out
}
