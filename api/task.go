package api

import (
	"context"
	"time"

	"github.com/stepledger/stepledger/projections/tasks"
)

// ActiveTaskData is what a client needs to continue a task (spec: taskId
// persistence).
type ActiveTaskData struct {
	TaskID           string    `json:"taskId" format:"uuid"`
	Query            string    `json:"query"`
	Status           string    `json:"status" enum:"active,executing,correcting"`
	CurrentStepIndex int       `json:"currentStepIndex"`
	CreatedAt        time.Time `json:"createdAt"`
	UpdatedAt        time.Time `json:"updatedAt"`
	Paused           *HeldBy   `json:"paused,omitempty" doc:"Who holds it: its requests are refused with TASK_PAUSED until it is handed back."`
}

type activeTaskInput struct {
	Freshness
	SessionID string `path:"sessionId" format:"uuid"`
	URL       string `query:"url" maxLength:"8192" doc:"Of the current tab: a task on the same url first, then on the same origin, else 404. Without it the latest."`
}

// activeTask finds the task of a client that lost its task id. A page no task can be
// on, such as chrome://newtab, has none.
func (s *Server) activeTask(ctx context.Context, in *activeTaskInput) (*reply[ActiveTaskData], error) {
	id, err := uuid("sessionId", in.SessionID)
	if err != nil {
		return nil, err
	}
	if err := s.await(ctx, in.Freshness, tasks.Projection); err != nil {
		return nil, err
	}
	who := caller(ctx)
	v, err := s.Tasks.Active(ctx, who.TenantID, who.UserID, id, in.URL)
	if err != nil {
		return nil, err
	}
	return ok(ActiveTaskData{v.TaskID, v.Query, v.Status, v.CurrentStepIndex, v.CreatedAt.UTC(), v.UpdatedAt.UTC(), heldBy(v)}), nil
}
