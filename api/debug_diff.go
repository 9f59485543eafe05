package api

import (
	"context"

	"github.com/stepledger/stepledger/projections/history"
)

// DiffData is how two states of a task differ, each field with the event that set it.
type DiffData history.Diff

type diffInput struct {
	TaskID string `path:"taskId" format:"uuid"`
	From   string `query:"from" pattern:"^[0-9]{1,18}$" doc:"The revision to compare from; before the first event without it."`
	To     string `query:"to" pattern:"^[0-9]{1,18}$" doc:"The revision to compare to, earlier or later; the newest without it. 404 if there is none."`
}

func (s *Server) taskDiff(ctx context.Context, in *diffInput) (*reply[DiffData], error) {
	id, err := uuid("taskId", in.TaskID)
	if err != nil {
		return nil, err
	}
	from, err := revision("from", in.From)
	if err != nil {
		return nil, err
	}
	to, err := revision("to", in.To)
	if err != nil {
		return nil, err
	}
	d, err := s.History.Diff(ctx, caller(ctx).TenantID, id, from, to)
	if err != nil {
		return nil, err
	}
	return ok(DiffData(d)), nil
}

// FieldsData are all fields of a task's state, each with the event that set it.
type FieldsData history.Fields

type fieldsInput struct {
	TaskID   string `path:"taskId" format:"uuid"`
	Revision string `query:"revision" pattern:"^[0-9]{1,18}$" doc:"The event to stand at; the newest without it. 404 if there is none."`
}

func (s *Server) taskFields(ctx context.Context, in *fieldsInput) (*reply[FieldsData], error) {
	id, err := uuid("taskId", in.TaskID)
	if err != nil {
		return nil, err
	}
	at, err := revision("revision", in.Revision)
	if err != nil {
		return nil, err
	}
	f, err := s.History.FieldsAt(ctx, caller(ctx).TenantID, id, at)
	if err != nil {
		return nil, err
	}
	return ok(FieldsData(f)), nil
}
