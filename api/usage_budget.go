package api

import (
	"context"

	ledger "github.com/stepledger/stepledger/domain/usage"
)

// BudgetData is how the tenant's month stands.
type BudgetData ledger.Standing

// usageBudget is of the caller's tenant.
func (s *Server) usageBudget(ctx context.Context, _ *struct{}) (*reply[BudgetData], error) {
	all, err := s.Billing.Standing(ctx, caller(ctx).TenantID, s.Now())
	if err != nil {
		return nil, err
	}
	return ok(BudgetData(all[0])), nil
}
