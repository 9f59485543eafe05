package sessions

import (
	_ "embed"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/session"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/projections"
)

//go:embed tables.sql
var tables string

// Projection is the read model for a Runner.
var Projection = projections.Projection{
	Name:    "sessions",
	Version: 4,
	Filter: eventstore.Filter{
		Categories: []string{"session", "task", "usage"},
		Types: []string{
			session.NameSessionStarted, session.NameSessionArchived,
			task.NamePageObserved, task.NameTurnEnded, task.NameTaskStarted,
			task.NameUserInputRequested, task.NameUserInputProvided,
			task.NameActionGenerated, task.NameActionVerified, task.NameCorrectionIssued,
			task.NameTaskCompleted, task.NameTaskFailed, task.NameTaskInterrupted, task.NameTaskResumed, task.NameTaskErased,
			usage.NameLLMCallStarted, usage.NameLLMCallCompleted, usage.NameLLMCallSettled, usage.NameUsageCorrected,
		},
	},
	Tables: tables,
	Views:  []string{"session", "message", "turn"},
	Through: map[string]projections.Parent{
		"message": {Table: "session", Key: "session_id"},
		"turn":    {Table: "session_task", Key: "task_id"},
	},
	Apply:    apply,
	Forgets:  []string{task.NameTaskErased},
	OnPoison: projections.Park,
}

func apply(b *projections.Batch, r eventstore.Recorded, s domain.Sealer) error {
	switch eventstore.Category(r.Stream) {
	case "session":
		return applySession(b, r, s)
	case "usage":
		return applyUsage(b, r, s)
	}
	return applyTask(b, r, s)
}

const sessionStarted = `
	insert into session (session_id, tenant, user_id, created_at, updated_at)
	values (@session, @tenant, @user, @at, @at)
	on conflict (session_id) do nothing`

const sessionArchived = `
	update session set archived = true, updated_at = @at where session_id = @session`

func applySession(b *projections.Batch, r eventstore.Recorded, s domain.Sealer) error {
	event, err := session.Codec.Decode(r.Type, r.Data, r.ID, s)
	if err != nil {
		return err
	}
	args := pgx.NamedArgs{"session": projections.Subject(r.Stream), "at": r.RecordedAt}
	switch e := event.(type) {
	case session.SessionStarted:
		args["tenant"], args["user"] = e.Tenant, e.User
		b.Queue(sessionStarted, args)
	case session.SessionArchived:
		b.Queue(sessionArchived, args)
	}
	return nil
}

const callStarted = `
	insert into turn_call (call_id, task_id, turn)
	values (@call, @task, @turn)
	on conflict (call_id) do nothing`

const callCounted = `
	insert into turn (task_id, turn, calls, prompt_tokens, completion_tokens)
	select task_id, turn, @calls, @prompt, @completion from turn_call where call_id = @call
	on conflict (task_id, turn) do update set
		calls = turn.calls + excluded.calls,
		prompt_tokens = turn.prompt_tokens + excluded.prompt_tokens,
		completion_tokens = turn.completion_tokens + excluded.completion_tokens`

// applyUsage adds the tokens of model calls to their turns. Calls that were
// not made for a task concern no message.
func applyUsage(b *projections.Batch, r eventstore.Recorded, s domain.Sealer) error {
	event, err := usage.Codec.Decode(r.Type, r.Data, r.ID, s)
	if err != nil {
		return err
	}
	count := func(call string, calls int, m usage.Meters) {
		b.Queue(callCounted, pgx.NamedArgs{
			"call": call, "calls": calls, "prompt": m.Input(), "completion": m.Outputs(),
		})
	}
	switch e := event.(type) {
	case usage.LLMCallStarted:
		if domain.ValidUUID(e.Task) {
			b.Queue(callStarted, pgx.NamedArgs{"call": e.Call, "task": e.Task, "turn": e.Turn})
		}
	case usage.LLMCallCompleted:
		count(e.Call, 1, e.Meters)
	case usage.LLMCallSettled:
		count(e.Call, 1, e.Meters)
	case usage.UsageCorrected:
		count(e.Call, 0, e.Meters)
	}
	return nil
}
