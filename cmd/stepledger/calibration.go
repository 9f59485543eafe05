package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/stepledger/stepledger/projections/calibration"
)

func (p program) calibrationCmd() *cobra.Command {
	var f calibration.Filter
	var from, to string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "calibration",
		Short: "Compare scores of plans and confidence of actions with what happened, and tell how chains went",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if f.From, err = readTime("from", from); err != nil {
				return err
			}
			if f.To, err = readTime("to", to); err != nil {
				return err
			}
			return p.withSystem(cmd.Context(), func(s *system) error {
				report, err := calibration.Queries{DB: s.db}.Report(cmd.Context(), f)
				switch {
				case err != nil:
					return err
				case asJSON:
					return p.printJSON(report)
				}
				return printCalibration(p.out, report)
			})
		},
	}
	cmd.Flags().StringVar(&f.Tenant, "tenant", "", "of this tenant only")
	cmd.Flags().StringVar(&from, "from", "", "checks and actions made at or after this time or day (2026-11-01T00:00:00Z, 2026-11-01: in UTC)")
	cmd.Flags().StringVar(&to, "to", "", "made before it")
	cmd.Flags().BoolVar(&asJSON, "json", false, "for programs, as the API has it")
	return cmd
}

// printCalibration prints a report as tables.
func printCalibration(out io.Writer, r calibration.Report) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, c := range r.Checkpoints {
		printCheckpoint(w, c)
	}
	for _, d := range r.Actions {
		fmt.Fprintf(w, "actions of %s\nconfidence\tactions\tsucceeded\tfailed\tmean confidence\tsuccess\n", d.By)
		printBins(w, d.Bins)
	}
	c := r.Chains
	fmt.Fprintf(w, "chains\t%d\nmean length\t%s\nran whole\t%s\n", c.Chains, known(c.MeanLength), fraction(c.Whole))
	for _, by := range c.Recoveries {
		fmt.Fprintf(w, "stopped, then %s\t%d\n", by.Recovery, by.Chains)
	}
	return w.Flush()
}

func printCheckpoint(w io.Writer, c calibration.Checkpoint) {
	fmt.Fprintf(w, "checkpoint %s\n%d checks, mean score %.2f\njudged by\tverdict\tchecks\tmean score\n", c.Checkpoint, c.Checks, c.MeanScore)
	for _, v := range c.Verdicts {
		fmt.Fprintf(w, "%s\t%s\t%d\t%.2f\n", v.Option, v.Verdict, v.Checks, v.MeanScore)
	}
	fmt.Fprintln(w, "\nscore\ttasks\tcompleted\tfailed\tmean score\tsuccess")
	printBins(w, c.Bins)
	correlation := fmt.Sprintf("not given: %d ended tasks, %d needed", c.Correlation.Of, c.Correlation.Needed)
	if c.Correlation.Of >= c.Correlation.Needed {
		correlation = fmt.Sprintf("%s (%d ended tasks)", known(c.Correlation.Value), c.Correlation.Of)
	}
	fmt.Fprintf(w, "correlation\t%s\ncatch rate\t%s\nfalse positives\t%s\nretry success\t%s\n",
		correlation, fraction(c.CatchRate), fraction(c.FalsePositiveRate), fraction(c.RetrySuccess))
	for _, a := range c.Alerts {
		fmt.Fprintf(w, "ALERT (%s) %s: %.2f of %d, threshold %.2f\n", a.Severity, a.Name, a.Rate, a.Of, a.Threshold)
	}
	fmt.Fprintln(w)
}

func printBins(w io.Writer, bins []calibration.Bin) {
	for _, b := range bins {
		success := "-"
		if of := b.Succeeded + b.Failed; of > 0 {
			success = fmt.Sprintf("%.2f", float64(b.Succeeded)/float64(of))
		}
		fmt.Fprintf(w, "%.1f-%.1f\t%d\t%d\t%d\t%s\t%s\n", b.From, b.To, b.Count, b.Succeeded, b.Failed, known(b.Mean), success)
	}
	fmt.Fprintln(w)
}

func fraction(r calibration.Rate) string {
	return fmt.Sprintf("%s (%d of %d)", known(r.Rate), r.Count, r.Of)
}

// known is a figure that may not be known.
func known(v *float64) string {
	if v == nil {
		return "-"
	}
	return fmt.Sprintf("%.2f", *v)
}
