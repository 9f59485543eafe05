package api

import (
	"context"

	"github.com/stepledger/stepledger/projections"
)

// ProjectionStatus is how far a read model has come. What it has put aside is counted
// of the tenant only.
type ProjectionStatus struct {
	Projection string  `json:"projection"`
	Version    int     `json:"version"`
	Position   int64   `json:"position"`
	Head       int64   `json:"head" doc:"The end of the log."`
	LagEvents  int64   `json:"lagEvents" doc:"Events it takes and has not applied yet."`
	LagIsLeast bool    `json:"lagIsLeast,omitempty" doc:"There are more than were counted."`
	LagSeconds float64 `json:"lagSeconds" doc:"How long the oldest of them has been in the log; 0 if none waits."`
	Rebuilding bool    `json:"rebuilding" doc:"It is being built anew beside the tables that are read."`
	Parked     int     `json:"parked"`
	OK         bool    `json:"ok" doc:"Nobody has to look after it."`
}

// ProjectionsData are all read models.
type ProjectionsData struct {
	Projections []ProjectionStatus `json:"projections" nullable:"false"`
}

// projectionList says of all read models how they are. Why one has failed is for
// operators: the reason may repeat what is in an event of another tenant.
func (s *Server) projectionList(ctx context.Context, _ *struct{}) (*reply[ProjectionsData], error) {
	all, err := s.Parking.ReadModels(ctx)
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
	for _, m := range all {
		d.Projections = append(d.Projections, ProjectionStatus{
			m.Name, m.Version, m.Position, m.Head, m.LagEvents, m.LagIsLeast, m.LagSeconds, m.Rebuilding, of[m.Name],
			m.LagSeconds <= projections.MaxStanding.Seconds() && of[m.Name] == 0,
		})
	}
	return ok(d), nil
}
