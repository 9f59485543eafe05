package api

import (
	"context"
	"strings"

	"github.com/stepledger/stepledger/domain/reasoning"
	ledger "github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/projections/history"
)

// EventsData is a part of a task's stream, or of what was chosen of it. Secrets are
// masked, erased text shows as erased.
type EventsData struct {
	TaskID string          `json:"taskId" format:"uuid"`
	Events []history.Event `json:"events" nullable:"false"`
	Head   int64           `json:"head" doc:"The revision of the newest event there is."`
	More   bool            `json:"more" doc:"There are others after the last: go on from the revision after its."`
}

type eventsReply struct {
	ETag string `header:"ETag" doc:"The newest revision of the task's stream, quoted."`
	Body envelope[EventsData]
}

type eventsInput struct {
	TaskID     string   `path:"taskId" format:"uuid"`
	From       int64    `query:"from" default:"0" minimum:"0" doc:"The revision to begin at."`
	Limit      int      `query:"limit" default:"100" minimum:"1" maximum:"1000"`
	Type       []string `query:"type" maxItems:"50" doc:"Of these types, as task.action_verified.v1 or action_verified."`
	Text       string   `query:"text" maxLength:"500" doc:"With this in one of their texts, in any case."`
	Field      string   `query:"field" maxLength:"1000" doc:"With a value in a field of their data, as target/name=Save or stepIndex=3."`
	Verdict    string   `query:"verdict" enum:"succeeded,failed,undecided" doc:"Verdicts of this outcome."`
	Rule       string   `query:"rule" maxLength:"200" doc:"Verdicts this rule gave, and objections it made."`
	MinCost    string   `query:"minCost" maxLength:"40" example:"0.01" doc:"Of turns whose model calls cost at least so many USD."`
	Importance string   `query:"importance" enum:"low,normal,high" doc:"At least so important: normal leaves out claims, ends of turns, predictions, waits and looks; high leaves verdicts, corrections, questions and replies, and ends."`
	Turn       int      `query:"turn" minimum:"1" doc:"Of this turn."`
}

// taskEvents reads the log itself: there is nothing to wait for.
func (s *Server) taskEvents(ctx context.Context, in *eventsInput) (*eventsReply, error) {
	id, err := uuid("taskId", in.TaskID)
	if err != nil {
		return nil, err
	}
	f, err := in.filter()
	if err != nil {
		return nil, err
	}
	h, err := s.History.Events(ctx, caller(ctx).TenantID, id, f)
	if err != nil {
		return nil, err
	}
	d := EventsData{h.TaskID, append([]history.Event{}, h.Events...), h.Head, h.More}
	return &eventsReply{tag(h.Head, h.Log), envelope[EventsData]{true, d}}, nil
}

func (in *eventsInput) filter() (history.Filter, error) {
	f := history.Filter{
		From: in.From, Limit: in.Limit, Types: in.Type, Text: in.Text, Verdict: reasoning.Outcome(in.Verdict), Rule: in.Rule,
		Importance: history.Importance(in.Importance), Turn: in.Turn,
	}
	var named bool
	if f.Field, f.Value, named = strings.Cut(in.Field, "="); in.Field != "" && (!named || f.Field == "") {
		return f, invalid("field", "this is not like target/name=Save")
	}
	if in.MinCost != "" {
		least, err := ledger.ParsePico(in.MinCost)
		if err != nil {
			return f, invalid("minCost", "this is no amount of USD, as 0.01")
		}
		f.MinCost = &least
	}
	return f, nil
}
