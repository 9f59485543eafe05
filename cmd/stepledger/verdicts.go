package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/stepledger/stepledger/cmd/internal/verdicts"
	"github.com/stepledger/stepledger/cmd/internal/verdicts/record"
	"github.com/stepledger/stepledger/internal/browser"
)

// verdictsCmd measures verdicts against the truth. It is for who works on them
// (make verdicts, make verdicts-record), not for operators.
func (p program) verdictsCmd() *cobra.Command {
	var l verdicts.Listing
	cmd := &cobra.Command{
		Use:    "verdicts FOLDER...",
		Short:  "Judge the recorded cases in folders and compare with the truth",
		Hidden: true,
		Args:   cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			pages, err := verdicts.Find(args...)
			if err != nil {
				return err
			}
			judged, err := judgePages(cmd.Context(), pages)
			if err != nil {
				return err
			}
			return verdicts.Report(p.out, judged, l)
		},
	}
	cmd.Flags().BoolVar(&l.TestMisses, "misses", false, "name the wrong verdicts on held-out pages too: for audits, not for who writes rules")
	cmd.Flags().BoolVar(&l.Undecided, "undecided", false, "name the undecided cases too")
	cmd.AddCommand(p.verdictsRecordCmd(), p.verdictsShowCmd())
	return cmd
}

// judgePages judges what was recorded of the pages.
func judgePages(ctx context.Context, pages []verdicts.Page) ([]verdicts.Judged, error) {
	var all []verdicts.Judged
	for _, page := range pages {
		recorded, err := page.Recorded()
		if err != nil {
			return nil, err
		}
		for _, r := range recorded {
			j, err := judgeCase(ctx, r)
			if err != nil {
				return nil, err
			}
			j.Hand = page.Hand
			all = append(all, j)
		}
	}
	return all, nil
}

// judgeCase gives the verdict on a case and what the agent does after it.
func judgeCase(ctx context.Context, r verdicts.Recorded) (verdicts.Judged, error) {
	j, err := verdicts.Judge(ctx, r)
	if err != nil {
		return j, err
	}
	j.Flow, err = verdicts.Follow(ctx, r)
	return j, err
}

func (p program) verdictsShowCmd() *cobra.Command {
	var set string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show ID...",
		Short: "Print recorded cases whole: split/page/case, or all of split/page",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			recorded, err := verdicts.Select(set, args...)
			if err != nil {
				return err
			}
			if asJSON {
				return verdicts.WriteLines(p.out, recorded)
			}
			return p.showCases(cmd.Context(), recorded)
		},
	}
	cmd.Flags().StringVar(&set, "set", "verdicts", "folder of the set")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the lines as they were recorded, without a verdict")
	return cmd
}

func (p program) showCases(ctx context.Context, recorded []verdicts.Recorded) error {
	for _, r := range recorded {
		j, err := judgeCase(ctx, r)
		if err != nil {
			return err
		}
		if err := verdicts.Show(p.out, j); err != nil {
			return err
		}
	}
	return nil
}

func (p program) verdictsRecordCmd() *cobra.Command {
	var o record.Options
	cmd := &cobra.Command{
		Use:   "record FOLDER...",
		Short: "Drive the cases in folders through a real Chromium and keep what a client would send",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			_, log, err := p.config()
			if err != nil {
				return err
			}
			pages, err := verdicts.Find(args...)
			if err != nil {
				return err
			}
			path, err := browser.Ensure(cmd.Context(), log)
			if err != nil {
				return err
			}
			chromium, err := browser.Start(cmd.Context(), browser.Options{Path: path, Log: log, Naming: record.Naming})
			if err != nil {
				return err
			}
			defer chromium.Close()
			o.Out = p.out
			return record.Pages(cmd.Context(), chromium, pages, o)
		},
	}
	cmd.Flags().IntVar(&o.Tabs, "tabs", 2, "cases driven at once")
	cmd.Flags().StringVar(&o.Only, "case", "", "drive only the cases of this name and keep the rest as it is")
	cmd.Flags().BoolVar(&o.Missing, "missing", false, "drive only the cases that were never recorded")
	return cmd
}
