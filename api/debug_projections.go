package api

import (
	"context"
	"time"

	"github.com/stepledger/stepledger/projections"
)

// ProjectionStatus is how far a read model has come. What it has put aside is counted
// of the tenant only.
type ProjectionStatus struct {
	Projection string    `json:"projection"`
	Version    int       `json:"version"`
	Position   int64     `json:"position"`
	Lag        int64     `json:"lag" doc:"Events of the log it has not come to."`
	LagSeconds float64   `json:"lagSeconds" doc:"How long events have been waiting while nothing was applied; 0 if none wait."`
	UpdatedAt  time.Time `json:"updatedAt" doc:"When it last moved."`
	Building   bool      `json:"building" doc:"It is being built anew beside the tables that are read."`
	Parked     int       `json:"parked"`
	OK         bool      `json:"ok" doc:"Nobody has to look after it."`
}

// ProjectionsData are all read models.
type ProjectionsData struct {
	Projections []ProjectionStatus `json:"projections" nullable:"false"`
}

// projectionList says of all read models how they are. Why one has failed is for
// operators: the reason may repeat what is in an event of another tenant.
func (s *Server) projectionList(ctx context.Context, _ *struct{}) (*reply[ProjectionsData], error) {
	all, err := s.Parking.Health(ctx)
	if err != nil {
		return nil, err
	}
	parked, err := s.Parking.Parked(ctx, projections.ParkedFilter{Tenant: caller(ctx).TenantID})
	if err != nil {
		return nil, err
	}
	of := map[string]int{}
	for _, p := range parked {
		of[p.Projection]++
	}
	d := ProjectionsData{make([]ProjectionStatus, 0, len(all))}
	for _, p := range all {
		d.Projections = append(d.Projections, ProjectionStatus{
			p.Name, p.Version, p.Position, p.Lag, p.Standing.Seconds(), p.UpdatedAt.UTC(), p.Building, of[p.Name],
			p.Err == nil && p.Standing <= projections.MaxStanding && of[p.Name] == 0,
		})
	}
	return ok(d), nil
}
