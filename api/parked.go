package api

import (
	"context"

	"github.com/stepledger/stepledger/projections"
)

// ParkedData is what read models have put aside of the tenant: events they could not
// apply, and the later ones of the same streams.
type ParkedData struct {
	Parked []projections.Parked `json:"parked" nullable:"false"`
}

type parkedInput struct {
	Projection string `query:"projection" maxLength:"100" doc:"Of this read model only (tasks, sessions, skills, calibration); 404 if there is none of that name."`
}

// parked lists streams of the caller's tenant only: an operator, who looks after all
// of them, has the command line.
func (s *Server) parked(ctx context.Context, in *parkedInput) (*reply[ParkedData], error) {
	list, err := s.Parking.Parked(ctx, projections.ParkedFilter{Projection: in.Projection, Tenant: caller(ctx).TenantID})
	if err != nil {
		return nil, err
	}
	d := ParkedData{append([]projections.Parked{}, list...)}
	for i := range d.Parked {
		d.Parked[i].Error = shownText(d.Parked[i].Error) // it may repeat what is in the event
	}
	return ok(d), nil
}

// RetriedData says what came of a retry, in events of the tenant.
type RetriedData struct {
	Projection string `json:"projection"`
	Applied    int    `json:"applied"`
	Left       int    `json:"left" doc:"Those that still cannot be applied, and those behind them."`
}

type retryInput struct {
	Projection string `path:"projection" maxLength:"100" doc:"tasks, sessions, skills or calibration; 404 if there is none of that name."`
}

func (s *Server) retryParked(ctx context.Context, in *retryInput) (*reply[RetriedData], error) {
	applied, left, err := s.Parking.RetryParked(ctx, projections.ParkedFilter{Projection: in.Projection, Tenant: caller(ctx).TenantID})
	if err != nil {
		return nil, err
	}
	return ok(RetriedData{in.Projection, applied, left}), nil
}
