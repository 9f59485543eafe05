package api

import (
	"context"

	"github.com/stepledger/stepledger/commands/replay"
)

// ReplayData is a task decided anew from its recorded pages and answers, turn by turn.
type ReplayData replay.Report

// taskReplay asks no model and writes nothing.
func (s *Server) taskReplay(ctx context.Context, in *taskInput) (*reply[ReplayData], error) {
	id, err := uuid("taskId", in.TaskID)
	if err != nil {
		return nil, err
	}
	report, err := s.Replays.Replay(ctx, caller(ctx).TenantID, id)
	if err != nil {
		return nil, err
	}
	return ok(ReplayData(report)), nil
}

type taskInput struct {
	TaskID string `path:"taskId" format:"uuid"`
}

// FoundData is the first revision at which a condition holds.
type FoundData replay.Found

type bisectInput struct {
	TaskID    string `path:"taskId" format:"uuid"`
	Condition string `query:"condition" required:"true" maxLength:"1000" example:"/consecutiveFailures >= 2" doc:"Comparisons of fields of the state, by JSON pointer, with values, joined by and."`
}

func (s *Server) taskBisect(ctx context.Context, in *bisectInput) (*reply[FoundData], error) {
	id, err := uuid("taskId", in.TaskID)
	if err != nil {
		return nil, err
	}
	condition, err := replay.ParsePredicate(in.Condition)
	if err != nil {
		return nil, invalid("condition", "this is no condition such as /consecutiveFailures >= 2")
	}
	found, err := s.Replays.Bisect(ctx, caller(ctx).TenantID, id, condition)
	if err != nil {
		return nil, err
	}
	return ok(FoundData(found)), nil
}

// ForkBody is what a fork changes of a turn.
type ForkBody struct {
	Turn     int               `json:"turn" minimum:"1" doc:"The turn to decide anew."`
	Settings map[string]string `json:"settings,omitempty" doc:"Settings of the server by their names, such as STEPLEDGER_MAX_CORRECTIONS; only limits, tokens of a page and models."`
	Page     string            `json:"page,omitempty" doc:"HTML in place of the page."`
	Answer   string            `json:"answer,omitempty" doc:"In place of the first answer of a model."`
}

// ForkData is what came of a fork.
type ForkData replay.Outcome

// taskFork asks no model: live forks, which cost the operator money, are for the command
// line.
func (s *Server) taskFork(ctx context.Context, in *taskInput, body []byte) (*reply[ForkData], error) {
	id, err := uuid("taskId", in.TaskID)
	if err != nil {
		return nil, err
	}
	var b ForkBody
	if err := decodeBody(body, &b, documentLimits); err != nil {
		return nil, err
	}
	if b.Turn < 1 {
		return nil, invalid("turn", "turns are numbered from 1")
	}
	who := caller(ctx)
	out, err := s.Replays.Fork(ctx, who.TenantID, who.UserID, id, replay.Change(b))
	if err != nil {
		return nil, err
	}
	return ok(ForkData(out)), nil
}
