package api

import (
	"context"

	"github.com/stepledger/stepledger/projections/history"
)

// GraphData is what led to what in a task.
type GraphData history.CausalGraph

type graphInput struct {
	TaskID string `path:"taskId" format:"uuid"`
	Turn   int    `query:"turn" minimum:"1" doc:"Only what this turn's events and model calls are connected with."`
}

func (s *Server) taskGraph(ctx context.Context, in *graphInput) (*reply[GraphData], error) {
	id, err := uuid("taskId", in.TaskID)
	if err != nil {
		return nil, err
	}
	g, err := s.History.Graph(ctx, caller(ctx).TenantID, id, in.Turn)
	if err != nil {
		return nil, err
	}
	return ok(GraphData(g)), nil
}
