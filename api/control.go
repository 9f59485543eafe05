package api

import (
	"context"
	"strconv"

	"github.com/stepledger/stepledger/commands"
)

// ControlledData is how a task stands after its user stopped, cancelled or resumed it.
type ControlledData struct {
	TaskID   string `json:"taskId" format:"uuid"`
	Status   string `json:"status" enum:"active,interrupted,failed" doc:"interrupted: a next request, or resume, lets it go on. A request that was at work comes to nothing: it is answered with TASK_STOPPED or TASK_COMPLETED."`
	Revision int64  `json:"revision" doc:"That of the task's newest event."`
}

type controlledReply struct {
	ETag     string `header:"ETag" doc:"The revision of the task's stream, quoted."`
	Position string `header:"X-Event-Position" doc:"Log position of that event; for atLeast."`
	Body     envelope[ControlledData]
}

// controlTask is for the tasks of the caller only.
func (s *Server) controlTask(do func(c Control, ctx context.Context, tenant, user, task string) (commands.Controlled, error)) func(context.Context, *taskInput) (*controlledReply, error) {
	return func(ctx context.Context, in *taskInput) (*controlledReply, error) {
		id, err := uuid("taskId", in.TaskID)
		if err != nil {
			return nil, err
		}
		who := caller(ctx)
		at, err := do(s.Control, ctx, who.TenantID, who.UserID, id)
		if err != nil {
			return nil, err
		}
		return &controlledReply{
			tag(at.Revision, at.Log), strconv.FormatInt(at.Position, 10),
			envelope[ControlledData]{true, ControlledData{id, string(at.Status), at.Revision}},
		}, nil
	}
}
