package api

import (
	"context"
	"time"

	"github.com/stepledger/stepledger/projections/history"
	"github.com/stepledger/stepledger/projections/tasks"
)

// LogsData are entries of the debug log, newest first.
type LogsData struct {
	Logs []history.LogEntry `json:"logs" nullable:"false"`
	From time.Time          `json:"from" doc:"The log was looked through back to here: since, or seven days."`
	More bool               `json:"more" doc:"There are older ones: ask again with before, the timestamp of the last; or they are in tasks that were not looked into."`
}

type logsInput struct {
	Freshness
	TaskID string    `query:"taskId" format:"uuid" doc:"Of this task; of all of the tenant without it."`
	Type   string    `query:"logType" enum:"request,task,plan,action,verification,correction,user,search,model,error"`
	Limit  int       `query:"limit" default:"100" minimum:"1" maximum:"1000"`
	Since  time.Time `query:"since" doc:"At or after it. The log goes back seven days; older events are read with their task."`
	Before time.Time `query:"before" doc:"Earlier than it."`
}

// maxLogged bounds how many tasks a question looks into.
const maxLogged = 50

// logs is a question about the newest events and model calls, not a store of its own.
func (s *Server) logs(ctx context.Context, in *logsInput) (*reply[LogsData], error) {
	f := history.LogFilter{Type: history.LogType(in.Type), From: s.Now().Add(-history.LogKept).UTC(), To: in.Before, Limit: in.Limit}
	if in.Since.After(f.From) {
		f.From = in.Since.UTC()
	}
	if !in.Before.IsZero() && in.Since.After(in.Before) {
		return nil, invalid("before", "this is earlier than since")
	}
	ids, cut, err := s.loggedTasks(ctx, in, f)
	if err != nil {
		return nil, err
	}
	entries, more, err := s.History.Logs(ctx, caller(ctx).TenantID, ids, f)
	if err != nil {
		return nil, err
	}
	return ok(LogsData{append([]history.LogEntry{}, entries...), f.From, more || cut}), nil
}

// loggedTasks are the tasks to look into: those touched last, as far back as the log goes,
// and whether there were too many.
func (s *Server) loggedTasks(ctx context.Context, in *logsInput, f history.LogFilter) (ids []string, cut bool, err error) {
	if in.TaskID != "" {
		id, err := uuid("taskId", in.TaskID)
		return []string{id}, false, err
	}
	if err := s.await(ctx, in.Freshness, tasks.Projection); err != nil {
		return nil, false, err
	}
	found, err := s.Tasks.List(ctx, tasks.Filter{Tenant: caller(ctx).TenantID, Limit: maxLogged + 1})
	if err != nil {
		return nil, false, err
	}
	for _, t := range found {
		switch {
		case t.UpdatedAt.Before(f.From):
			return ids, false, nil
		case len(ids) == maxLogged:
			return ids, true, nil
		}
		ids = append(ids, t.TaskID)
	}
	return ids, false, nil
}
