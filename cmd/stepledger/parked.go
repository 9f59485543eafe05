package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/stepledger/stepledger/eventstore/feed"
	"github.com/stepledger/stepledger/projections"
)

// parkedCmd lists what was put aside, or with --retry does what retry does.
func (p program) parkedCmd() *cobra.Command {
	var retry bool
	list := printParked(p, func(ctx context.Context, s *system, name string) ([]projections.Parked, error) {
		return s.runner.Parked(ctx, projections.ParkedFilter{Projection: name})
	})
	cmd := &cobra.Command{
		Use:     "parked [NAME]",
		Aliases: []string{"park"},
		Short:   "Print what was put aside and why, in the order of the log; of all read models if none is named",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if retry {
				return p.retryReadModels()(cmd, args)
			}
			return list(cmd, args)
		},
	}
	cmd.Flags().BoolVar(&retry, "retry", false, "apply it, as projection retry does")
	return cmd
}

func (p program) retryCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "retry [NAME]",
		Short: "Apply what was put aside, after the cause was mended, under live traffic; of all read models if none is named",
		Args:  cobra.MaximumNArgs(1),
		RunE:  p.retryReadModels(),
	}
}

func (p program) retryReadModels() func(*cobra.Command, []string) error {
	return p.retryParked("applied", readModelNames, func(ctx context.Context, s *system, name string) (int, int, error) {
		return s.runner.RetryParked(ctx, projections.ParkedFilter{Projection: name})
	})
}

func (p program) reactionsCmd() *cobra.Command {
	cmd := &cobra.Command{Use: "reactions", Short: "Look after the events that reactions have put aside"}
	cmd.AddCommand(&cobra.Command{
		Use:   "parked [REACTION]",
		Short: "Print what was put aside and why, in the order of the log; of all reactions if none is named",
		Args:  cobra.MaximumNArgs(1),
		RunE: printParked(p, func(ctx context.Context, s *system, name string) ([]feed.Parked, error) {
			return s.feed.Parking.Parked(ctx, name)
		}),
	}, &cobra.Command{
		Use:   "replay [REACTION]",
		Short: "Handle what was put aside, after the cause was mended; of all reactions if none is named",
		Args:  cobra.MaximumNArgs(1),
		RunE: p.retryParked("handled", reactionNames, func(ctx context.Context, s *system, name string) (int, int, error) {
			return s.feed.Replay(ctx, name)
		}),
	})
	return cmd
}

// printParked prints what list gives for the name that is the argument, "" if none is.
func printParked[T any](p program, list func(context.Context, *system, string) ([]T, error)) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		return p.withSystem(cmd.Context(), func(s *system) error {
			parked, err := list(cmd.Context(), s, append(args, "")[0])
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
	}
}

// retryParked retries what is put aside under the names given, or all of them, and says
// what became of it.
func (p program) retryParked(
	verb string, all func(*system) []string, retry func(ctx context.Context, s *system, name string) (done, left int, err error),
) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, names []string) error {
		return p.withSystem(cmd.Context(), func(s *system) error {
			if len(names) == 0 {
				names = all(s)
			}
			for _, name := range names {
				done, left, err := retry(cmd.Context(), s, name)
				if err != nil {
					return err
				}
				fmt.Fprintf(p.out, "%s: %d %s, %d left\n", name, done, verb, left)
			}
			return nil
		})
	}
}

func readModelNames(*system) (names []string) {
	for _, p := range readModels() {
		names = append(names, p.Name)
	}
	return names
}

func reactionNames(s *system) (names []string) {
	for _, r := range s.feed.Reactions {
		names = append(names, r.Name)
	}
	return names
}
