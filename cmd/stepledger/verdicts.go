package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/stepledger/stepledger/internal/browser"
	"github.com/stepledger/stepledger/internal/verdicts"
	"github.com/stepledger/stepledger/internal/verdicts/record"
)

// verdictsCmd measures verdicts against the truth. It is for who works on them
// (make verdicts, make verdicts-record), not for operators.
func (p program) verdictsCmd() *cobra.Command {
	var l verdicts.Listing
	var show string
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
			judged, err := judgeAll(cmd.Context(), pages, show)
			switch {
			case err != nil:
				return err
			case show != "":
				return p.showVerdicts(judged, show)
			}
			return verdicts.Report(p.out, judged, l)
		},
	}
	cmd.Flags().BoolVar(&l.TestMisses, "misses", false, "name the wrong verdicts on held-out pages too: for audits, not for who writes rules")
	cmd.Flags().BoolVar(&l.Undecided, "undecided", false, "name the undecided cases too")
	cmd.Flags().StringVar(&show, "show", "", "print this one case whole, split/page/name")
	cmd.AddCommand(p.verdictsRecordCmd())
	return cmd
}

// judgeAll judges what was recorded of the pages, or the one case asked for.
func judgeAll(ctx context.Context, pages []verdicts.Page, only string) ([]verdicts.Judged, error) {
	var all []verdicts.Judged
	for _, page := range pages {
		recorded, err := page.Recorded()
		if err != nil {
			return nil, err
		}
		for _, r := range recorded {
			if only != "" && r.ID() != only {
				continue
			}
			j, err := verdicts.Judge(ctx, r)
			if err != nil {
				return nil, err
			}
			if j.Flow, err = verdicts.Follow(ctx, r); err != nil {
				return nil, err
			}
			all = append(all, j)
		}
	}
	return all, nil
}

func (p program) showVerdicts(judged []verdicts.Judged, asked string) error {
	if len(judged) == 0 {
		return fmt.Errorf("no case %s was recorded", asked)
	}
	for _, j := range judged {
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
