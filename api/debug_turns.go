package api

import (
	"context"

	"github.com/stepledger/stepledger/projections/history"
)

// TurnsData is a part of a task's timeline, oldest turn first.
type TurnsData history.Turns

type turnsInput struct {
	TaskID string `path:"taskId" format:"uuid"`
	From   int    `query:"from" default:"1" minimum:"1" doc:"The turn to begin at."`
	Limit  int    `query:"limit" default:"20" minimum:"1" maximum:"200"`
}

// taskTurns reads the log itself, the ledger's part included: there is nothing to wait
// for.
func (s *Server) taskTurns(ctx context.Context, in *turnsInput) (*reply[TurnsData], error) {
	id, err := uuid("taskId", in.TaskID)
	if err != nil {
		return nil, err
	}
	t, err := s.History.Turns(ctx, caller(ctx).TenantID, id, in.From, in.Limit)
	if err != nil {
		return nil, err
	}
	return ok(TurnsData(t)), nil
}

// TurnData is one turn of a task.
type TurnData history.Turn

type turnInput struct {
	TaskID string `path:"taskId" format:"uuid"`
	Turn   int    `path:"turn" minimum:"1" doc:"Turns are numbered from 1."`
}

func (s *Server) taskTurn(ctx context.Context, in *turnInput) (*reply[TurnData], error) {
	id, err := uuid("taskId", in.TaskID)
	if err != nil {
		return nil, err
	}
	t, err := s.History.Turn(ctx, caller(ctx).TenantID, id, in.Turn)
	if err != nil {
		return nil, err
	}
	return ok(TurnData(t)), nil
}

// CallData is a model call with its prompt and answer, as far as they are kept.
type CallData history.CallTexts

type callInput struct {
	TaskID string `path:"taskId" format:"uuid"`
	CallID string `path:"callId" format:"uuid"`
}

func (s *Server) taskCall(ctx context.Context, in *callInput) (*reply[CallData], error) {
	id, err := uuid("taskId", in.TaskID)
	if err != nil {
		return nil, err
	}
	call, err := uuid("callId", in.CallID)
	if err != nil {
		return nil, err
	}
	c, err := s.History.Call(ctx, caller(ctx).TenantID, id, call)
	if err != nil {
		return nil, err
	}
	return ok(CallData(c)), nil
}
