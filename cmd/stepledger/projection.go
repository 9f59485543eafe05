package main

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
)

func (p program) projectionCmd() *cobra.Command {
	cmd := &cobra.Command{Use: "projection", Short: "Look after read models: how far they are, building them anew, and events they have put aside"}
	cmd.AddCommand(p.projectionListCmd(), p.rebuildCmd(), p.parkedCmd(), p.retryCmd())
	return cmd
}

func (p program) projectionListCmd() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "Print every read model with how many events it is behind the log, how old the oldest of them is, and what it has put aside",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.withSystem(cmd.Context(), func(s *system) error {
				all, err := s.runner.ReadModels(cmd.Context())
				if err != nil {
					return err
				}
				return looking{p, &asJSON}.print(all, func(w io.Writer) {
					fmt.Fprintln(w, "NAME\tVERSION\tPOSITION\tHEAD\tEVENTS BEHIND\tFOR\tPARKED\tREBUILDING")
					for _, m := range all {
						least, rebuilding := "", ""
						if m.LagIsLeast {
							least = "+"
						}
						if m.Rebuilding {
							rebuilding = "yes"
						}
						lag := time.Duration(m.LagSeconds * float64(time.Second)).Round(time.Second)
						fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d%s\t%v\t%d\t%s\n", m.Name, m.Version, m.Position, m.Head, m.LagEvents, least, lag, m.Parked, rebuilding)
					}
				})
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "for programs")
	return cmd
}

func (p program) rebuildCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "rebuild [NAME...]",
		Short: "Build read models anew from the log and swap them in; all of them if none is named",
		RunE: func(cmd *cobra.Command, names []string) error {
			return p.withSystem(cmd.Context(), func(s *system) error {
				if len(names) == 0 {
					names = readModelNames(s)
				}
				for _, name := range names {
					if err := s.runner.Rebuild(cmd.Context(), name); err != nil {
						return err
					}
					fmt.Fprintf(p.out, "%s is rebuilt\n", name)
				}
				return nil
			})
		},
	}
}
