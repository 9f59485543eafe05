package main

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/stepledger/stepledger/domain/account"
	"github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/internal/billing"
)

func (p program) tenantBudgetCmd() *cobra.Command {
	var amount, from, zone string
	var warnAt []int32
	cmd := &cobra.Command{
		Use:   "budget [TENANT]",
		Short: "Set what a tenant may spend in a month, and print how its month stands; of all with a budget if none is named",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			b := billing.Budget{From: from, WarnAt: warnAt}
			switch {
			case amount == "" && (from != "" || warnAt != nil):
				return errors.New("--from and --warn-at belong to an --amount")
			case len(args) == 0 && (amount != "" || zone != ""):
				return errors.New("whose budget? name a tenant")
			}
			if amount != "" && amount != "none" {
				limit, err := usage.ParsePico(amount)
				if err != nil {
					return err
				}
				b.Amount = &limit
			}
			return p.withSystem(cmd.Context(), func(s *system) (err error) {
				if len(args) == 0 {
					return p.printStanding(cmd.Context(), s, "")
				}
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
	if zone != "" {
		if err := s.billing.SetZone(ctx, b.Tenant, zone); err != nil {
			return err
		}
	}
	if set {
		if err := s.billing.SetBudget(ctx, b, time.Now()); err != nil {
			return err
		}
		if err := s.identity.AuditBudget(ctx, account.Actor{}, b.Tenant, budgetInWords(b)); err != nil {
			return err
		}
	}
	return p.printStanding(ctx, s, b.Tenant)
}

// budgetInWords is what the audit says of a budget.
func budgetInWords(b billing.Budget) string {
	amount := "none"
	if b.Amount != nil {
		amount = b.Amount.String() + " USD a month"
	}
	if b.From != "" {
		amount += " from " + b.From
	}
	return amount
}

// printStanding prints how a tenant's month stands, or those of all with a
// budget.
func (p program) printStanding(ctx context.Context, s *system, tenant string) error {
	all, err := s.billing.Standing(ctx, tenant, time.Now())
	for _, now := range all {
		if err := p.printJSON(now); err != nil {
			return err
		}
	}
	return err
}
