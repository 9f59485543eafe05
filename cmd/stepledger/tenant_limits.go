package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/stepledger/stepledger/domain/account"
)

// limitsChange is what a call of the command changes.
type limitsChange struct {
	class     string
	perMinute int
	clear     bool
}

func (p program) tenantLimitsCmd() *cobra.Command {
	var c limitsChange
	cmd := &cobra.Command{
		Use:   "limits TENANT",
		Short: "Set how many requests a minute a tenant may make, and print it; it holds from the next request on all replicas",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case c.clear && cmd.Flags().Changed("per-minute"):
				return errors.New("--clear and --per-minute contradict each other")
			case c.perMinute != 0 && c.class == "":
				return errors.New("--per-minute of which --class?")
			case c.class != "" && !c.clear && !cmd.Flags().Changed("per-minute"):
				return errors.New("a --class takes --per-minute, or --clear")
			}
			return p.withSystem(cmd.Context(), func(s *system) error {
				tenant, err := s.identity.FindTenant(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				if err := c.apply(cmd, s, tenant); err != nil {
					return err
				}
				return p.printLimits(cmd.Context(), s, tenant)
			})
		},
	}
	cmd.Flags().StringVar(&c.class, "class", "", "class of endpoints: interact, resolve, session, usage, debug, replay, account")
	cmd.Flags().IntVar(&c.perMinute, "per-minute", 0, "requests a minute in place of the tier's")
	cmd.Flags().BoolVar(&c.clear, "clear", false, "back to the tier's limit, of --class or of all")
	return cmd
}

func (c limitsChange) apply(cmd *cobra.Command, s *system, tenant string) error {
	ctx := cmd.Context()
	if c.clear {
		return s.identity.ClearLimits(ctx, account.Actor{}, tenant, account.Class(c.class))
	}
	if cmd.Flags().Changed("per-minute") {
		return s.identity.SetLimit(ctx, account.Actor{}, tenant, account.Class(c.class), c.perMinute)
	}
	return nil
}

func (p program) printLimits(ctx context.Context, s *system, tenant string) error {
	tier, limits, err := s.identity.Limits(ctx, tenant)
	if err != nil {
		return err
	}
	fmt.Fprintf(p.out, "tenant %s, tier %s\n", tenant, tier)
	for _, l := range limits {
		whose := ""
		if l.Own {
			whose = "  (its own)"
		}
		fmt.Fprintf(p.out, "%-9s %7d a minute%s\n", l.Class, l.PerMinute, whose)
	}
	return nil
}
