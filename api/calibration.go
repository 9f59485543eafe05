package api

import (
	"context"
	"time"

	"github.com/stepledger/stepledger/projections/calibration"
)

// CalibrationData says how far the scores of checkpoints and the confidence of actions
// hold, and how chains went.
type CalibrationData calibration.Report

type calibrationInput struct {
	Freshness
	From time.Time `query:"from" doc:"Checks and actions made at or after it. They are kept for 90 days after the end of their task."`
	To   time.Time `query:"to" doc:"Checks and actions made before it."`
}

// calibration is of the caller's tenant.
func (s *Server) calibration(ctx context.Context, in *calibrationInput) (*reply[CalibrationData], error) {
	if err := inOrder(in.From, in.To); err != nil {
		return nil, err
	}
	if err := s.await(ctx, in.Freshness, calibration.Projection); err != nil {
		return nil, err
	}
	report, err := s.Calibration.Report(ctx, calibration.Filter{Tenant: caller(ctx).TenantID, From: in.From, To: in.To})
	if err != nil {
		return nil, err
	}
	return ok(CalibrationData(report)), nil
}

// inOrder refuses a time range that ends before it begins; zero is no bound.
func inOrder(from, to time.Time) error {
	if !from.IsZero() && !to.IsZero() && !from.Before(to) {
		return invalid("to", "to is not after from")
	}
	return nil
}
