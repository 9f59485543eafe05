package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/stepledger/stepledger/projections"
)

func (p program) projectionCmd() *cobra.Command {
	cmd := &cobra.Command{Use: "projection", Short: "Look after the events that read models have put aside"}
	cmd.AddCommand(p.projectionParkedCmd(), p.projectionRetryCmd())
	return cmd
}

func (p program) projectionParkedCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "parked [NAME]",
		Short: "Print what was put aside and why, in the order of the log; of all read models if none is named",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.withSystem(cmd.Context(), func(s *system) error {
				parked, err := s.runner.Parked(cmd.Context(), projections.ParkedFilter{Projection: nameOf(args)})
				if err != nil {
					return err
				}
				for _, e := range parked {
					if err := p.printJSON(e); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}
}

func (p program) projectionRetryCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "retry [NAME]",
		Short: "Apply what was put aside, after the cause was mended, under live traffic; of all read models if none is named",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, names []string) error {
			return p.withSystem(cmd.Context(), func(s *system) error {
				if len(names) == 0 {
					for _, p := range readModels() {
						names = append(names, p.Name)
					}
				}
				for _, name := range names {
					applied, left, err := s.runner.RetryParked(cmd.Context(), projections.ParkedFilter{Projection: name})
					if err != nil {
						return err
					}
					fmt.Fprintf(p.out, "%s: %d applied, %d left\n", name, applied, left)
				}
				return nil
			})
		},
	}
}
