package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
)

func (p program) retentionCmd() *cobra.Command {
	var dry bool
	cmd := &cobra.Command{
		Use:   "retention",
		Short: "Delete what is older than it is kept, as the server does every minute, and say what was deleted",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.withSystem(cmd.Context(), func(s *system) error {
				if dry {
					return s.printExpired(cmd.Context(), p.out, time.Now())
				}
				return printRetention(p.out, s.retain(cmd.Context(), time.Now()))
			})
		},
	}
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only say what would be deleted")
	return cmd
}

func printRetention(out io.Writer, reports []retentionReport) (failed error) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "job\tkept\trecords deleted\terrors\tduration")
	for _, r := range reports {
		more := ""
		if r.more {
			more = ", and there is more"
		}
		fmt.Fprintf(w, "%s\t%s\t%d%s\t%d\t%v\n", r.job.name, r.job.keeps, r.deleted, more, r.errors(), r.took.Round(time.Millisecond))
		if r.err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", r.job.name, r.err))
		}
	}
	return errors.Join(w.Flush(), failed)
}

func (s *system) printExpired(ctx context.Context, out io.Writer, now time.Time) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "job\tkept\twould be deleted")
	for _, job := range s.retention() {
		if job.count == nil {
			fmt.Fprintf(w, "%s\t%s\tnot counted\n", job.name, job.keeps)
			continue
		}
		n, err := job.count(ctx, now)
		if err != nil {
			return fmt.Errorf("%s: %w", job.name, err)
		}
		fmt.Fprintf(w, "%s\t%s\t%d\n", job.name, job.keeps, n)
	}
	return w.Flush()
}
