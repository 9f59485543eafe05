package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/internal/billing"
)

func (p program) tenantBudgetCmd() *cobra.Command {
	var amount, from, zone string
	var warnAt []int32
	cmd := &cobra.Command{
		Use:   "budget TENANT",
		Short: "Set what a tenant may spend in a month, in USD (\"none\" for no limit), and print how its month stands",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			b := billing.Budget{From: from, WarnAt: warnAt}
			if amount == "" && (from != "" || warnAt != nil) {
				return errors.New("--from and --warn-at belong to an --amount")
			}
			if amount != "" && amount != "none" {
				limit, err := usage.ParsePico(amount)
				if err != nil {
					return err
				}
				b.Amount = &limit
			}
			return p.withSystem(cmd.Context(), func(s *system) (err error) {
				if b.Tenant, err = s.identity.FindTenant(cmd.Context(), args[0]); err != nil {
					return err
				}
				return p.setBudget(cmd.Context(), s, b, amount != "", zone)
			})
		},
	}
	cmd.Flags().StringVar(&amount, "amount", "", "USD a month, like 250 or 99.50; none for no limit")
	cmd.Flags().StringVar(&from, "from", "", "from this month on, like 2026-12; the present one if left out")
	cmd.Flags().Int32SliceVar(&warnAt, "warn-at", nil, "warn at these percentages (50,80,100 if left out)")
	cmd.Flags().StringVar(&zone, "time-zone", "", "where the tenant's months begin, like Europe/Berlin")
	return cmd
}

func (p program) setBudget(ctx context.Context, s *system, b billing.Budget, set bool, zone string) error {
	now := time.Now()
	if zone != "" {
		if err := s.billing.SetZone(ctx, b.Tenant, zone); err != nil {
			return err
		}
	}
	if set {
		if err := s.billing.SetBudget(ctx, b, now); err != nil {
			return err
		}
	}
	all, err := s.billing.Standing(ctx, b.Tenant, now)
	if err != nil {
		return err
	}
	if len(all) != 1 {
		return fmt.Errorf("%d tenants stand for %s", len(all), b.Tenant)
	}
	return p.printJSON(all[0])
}
