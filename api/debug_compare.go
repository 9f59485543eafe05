package api

import (
	"context"

	"github.com/stepledger/stepledger/projections/history"
)

// ComparisonData is two tasks side by side, turn by turn.
type ComparisonData history.Comparison

type compareInput struct {
	A string `query:"a" format:"uuid" required:"true" doc:"A task."`
	B string `query:"b" format:"uuid" required:"true" doc:"The task to put beside it."`
}

func (s *Server) taskCompare(ctx context.Context, in *compareInput) (*reply[ComparisonData], error) {
	a, err := uuid("a", in.A)
	if err != nil {
		return nil, err
	}
	b, err := uuid("b", in.B)
	if err != nil {
		return nil, err
	}
	c, err := s.History.Compare(ctx, caller(ctx).TenantID, a, b)
	if err != nil {
		return nil, err
	}
	return ok(ComparisonData(c)), nil
}
