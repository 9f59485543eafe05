package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

func (p program) rebuildCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "rebuild [PROJECTION...]",
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
