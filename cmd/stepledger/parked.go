package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

func (p program) reactionsCmd() *cobra.Command {
	cmd := &cobra.Command{Use: "reactions", Short: "Look after the events that reactions have put aside"}
	cmd.AddCommand(p.parkedCmd(), p.replayCmd())
	return cmd
}

func (p program) parkedCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "parked [REACTION]",
		Short: "Print what was put aside and why, in the order of the log; of all reactions if none is named",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.withSystem(cmd.Context(), func(s *system) error {
				parked, err := s.feed.Parking.Parked(cmd.Context(), nameOf(args))
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

func (p program) replayCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "replay [REACTION]",
		Short: "Handle what was put aside, after the cause was mended; of all reactions if none is named",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.withSystem(cmd.Context(), func(s *system) error {
				names := args
				if len(names) == 0 {
					for _, r := range s.feed.Reactions {
						names = append(names, r.Name)
					}
				}
				for _, name := range names {
					handled, left, err := s.feed.Replay(cmd.Context(), name)
					if err != nil {
						return err
					}
					fmt.Fprintf(p.out, "%s: %d handled, %d left\n", name, handled, left)
				}
				return nil
			})
		},
	}
}

// nameOf is the argument of a command that takes one or none.
func nameOf(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}
