package api

import (
	"context"
	"strconv"
	"strings"
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
	etag := tag(h.Revision, h.Log)
	return &stateReply{in.status(etag), etag, envelope[StateData]{true, StateData(h)}}, nil
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

// tag is the ETag of what is at a revision: where the log was put back to an earlier
// state, also which epoch it is of, because revisions come a second time then.
func tag(revision int64, log string) string {
	_, epoch, _ := strings.Cut(log, ".")
	return strconv.Quote(strings.TrimSuffix(strconv.FormatInt(revision, 10)+"."+epoch, "."))
}
