package api

import (
	"context"
	"strconv"
	"time"

	"github.com/stepledger/stepledger/projections/history"
)

// StateData is a task's state right after the event at revision. State is what
// the aggregate remembers, field by field.
type StateData history.State

type stateReply struct {
	Status int
	ETag   string `header:"ETag" doc:"The revision of this state, quoted."`
	Body   envelope[StateData]
}

type stateInput struct {
	Conditional
	TaskID   string    `path:"taskId" format:"uuid"`
	Revision string    `query:"revision" pattern:"^[0-9]{1,18}$" doc:"The event to stand at; the newest without it. 404 if there is none."`
	At       time.Time `query:"at" doc:"In place of a revision: the last event recorded at or before this time. 404 if the task began later."`
}

func (s *Server) taskState(ctx context.Context, in *stateInput) (*stateReply, error) {
	id, err := uuid("taskId", in.TaskID)
	if err != nil {
		return nil, err
	}
	h, err := s.stateAt(ctx, id, in)
	if err != nil {
		return nil, err
	}
	tag := quoted(h.Revision)
	return &stateReply{in.status(tag), tag, envelope[StateData]{true, StateData(h)}}, nil
}

func (s *Server) stateAt(ctx context.Context, id string, in *stateInput) (history.State, error) {
	tenant := caller(ctx).TenantID
	if in.At.IsZero() {
		at, err := revision("revision", in.Revision)
		if err != nil {
			return history.State{}, err
		}
		return s.History.StateAt(ctx, tenant, id, at)
	}
	if in.Revision != "" {
		return history.State{}, invalid("at", "this is a second moment beside the revision")
	}
	return s.History.StateAtTime(ctx, tenant, id, in.At)
}

// revision reads the parameter of that name. Without one it is history.Latest, and
// history.Beginning, which is the same number: where a comparison begins and ends.
func revision(name, text string) (int64, error) {
	if text == "" {
		return history.Latest, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0, invalid(name, "this is not a revision")
	}
	return n, nil
}

func quoted(revision int64) string { return strconv.Quote(strconv.FormatInt(revision, 10)) }
