package tasks

import (
	_ "embed"
	"maps"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/secret"
	"github.com/stepledger/stepledger/domain/session"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/projections"
)

//go:embed tables.sql
var tables string

// Projection is the read model for a Runner.
var Projection = projections.Projection{
	Name:    "tasks",
	Version: 7,
	Filter: eventstore.Filter{
		Categories: []string{"session", "task"},
		Types: []string{
			session.NameSessionArchived,
			task.NamePageObserved, task.NameTurnEnded, task.NameTaskStarted, task.NameUserInputRequested, task.NameUserInputProvided,
			task.NameActionGenerated, task.NameCorrectionIssued, task.NameTaskCompleted, task.NameTaskFailed,
			task.NameTaskInterrupted, task.NameTaskResumed, task.NameTaskPaused, task.NameTaskHandedBack,
			task.NameTaskErased,
		},
	},
	Tables:   tables,
	Views:    []string{"task", "archived_session"},
	Searched: []projections.Searched{{View: "task_text", Table: "task", Columns: []string{"task_id", "tenant", "visible", "query"}}},
	// A session is asked about for the sake of its open tasks, which have an index by it.
	Through: map[string]projections.Parent{
		"archived_session": {Table: "task", Key: "session_id", Where: "parent.status in ('active', 'executing', 'correcting')"},
	},
	Apply:    apply,
	Forgets:  []string{task.NameTaskErased},
	OnPoison: projections.Park,
}

// The first page makes the row, later ones move it.
const pageSeen = `
	insert into task (task_id, tenant, user_id, session_id, query, url, url_key, url_origin,
		page_url, page_key, page_origin, created_at, updated_at, revision, position, host)
	values (@task, @tenant, @user, @session, @query, @url, @key, @origin,
		@url, @key, @origin, @at, @at, @revision, @position, @host)
	on conflict (task_id) do update set
		page_url = excluded.page_url, page_key = excluded.page_key, page_origin = excluded.page_origin,
		updated_at = excluded.updated_at, revision = excluded.revision, position = excluded.position`

// touched ends every other statement.
const touched = `, updated_at = @at, revision = @revision, position = @position where task_id = @task`

// letGo ends a pause.
const letGo = `, paused_kind = null, paused_by = null, paused_at = null`

const (
	started     = `update task set visible = true, started_at = coalesce(started_at, @at), query = @query, url = @url, url_key = @key, url_origin = @origin, host = @host` + touched
	asked       = `update task set status = 'active', message = @message` + touched
	replied     = `update task set message = ''` + touched
	generated   = `update task set visible = true, started_at = coalesce(started_at, @at), status = 'executing', message = '', current_step_index = @step, steps = @step::integer + 1` + touched
	corrected   = `update task set status = 'correcting', current_step_index = @step, corrections = corrections + 1` + touched
	completed   = `update task set status = 'completed', message = @message, ended_at = @at` + letGo + touched
	failed      = `update task set status = 'failed', message = @message, code = @code, ended_at = @at` + letGo + touched
	interrupted = `update task set status = 'interrupted'` + touched
	resumed     = `update task set status = 'active'` + touched
	paused      = `update task set paused_kind = @kind, paused_by = @by, paused_at = @at` + touched
	handedBack  = `update task set status = status` + letGo + touched
	erased      = `delete from task where task_id = @task`
)

// A task may come into a session that is archived already: the two streams race.
// So it is the session that is noted, not its tasks.
const archived = `
	insert into archived_session (session_id, archived_at) values (@session, @at)
	on conflict (session_id) do nothing`

func apply(b *projections.Batch, r eventstore.Recorded, s domain.Sealer) error {
	if r.Type == session.NameSessionArchived {
		b.Queue(archived, pgx.NamedArgs{"session": projections.Subject(r.Stream), "at": r.RecordedAt})
		return nil
	}
	event, err := task.Codec.Glance(r.Type, r.Data, r.ID, s)
	if err != nil {
		return err
	}
	secrets := task.SecretsOf(event)
	event = task.RedactForReaders(event, secret.New(secrets...))
	with := func(more pgx.NamedArgs) pgx.NamedArgs {
		args := pgx.NamedArgs{
			"task": projections.Subject(r.Stream), "at": r.RecordedAt,
			"revision": r.Revision, "position": r.Position,
		}
		maps.Copy(args, more)
		return args
	}
	switch e := event.(type) {
	case task.PageObserved:
		url := projections.BareURL(e.URL)
		key, origin := place(url)
		b.Queue(pageSeen, with(pgx.NamedArgs{
			"tenant": e.Tenant, "user": e.User, "session": e.Session,
			"query": e.Query, "url": url, "key": key, "origin": origin, "host": host(url),
		}))
	case task.TaskStarted:
		url := projections.BareURL(e.URL)
		key, origin := place(url)
		b.Queue(started, with(pgx.NamedArgs{"query": e.Query, "url": url, "key": key, "origin": origin, "host": host(url)}))
	case task.UserInputRequested:
		b.Queue(asked, with(pgx.NamedArgs{"message": e.Question}))
	case task.UserInputProvided:
		b.Queue(replied, with(nil))
	case task.ActionGenerated:
		b.Queue(generated, with(pgx.NamedArgs{"step": e.StepIndex}))
	case task.CorrectionIssued:
		b.Queue(corrected, with(pgx.NamedArgs{"step": e.StepIndex}))
	case task.TaskCompleted:
		b.Queue(completed, with(pgx.NamedArgs{"message": e.Message}))
	case task.TaskFailed:
		b.Queue(failed, with(pgx.NamedArgs{"message": e.Message, "code": e.Code}))
	case task.TaskInterrupted:
		b.Queue(interrupted, with(nil))
	case task.TaskResumed:
		b.Queue(resumed, with(nil))
	case task.TaskPaused:
		b.Queue(paused, with(pgx.NamedArgs{"kind": string(e.Kind), "by": e.By}))
	case task.TaskHandedBack:
		b.Queue(handedBack, with(nil))
	case task.TaskErased:
		b.Queue(erased, with(nil))
	}
	if len(secrets) > 0 {
		b.Conceal(secret.New(secrets...), with(nil), texts)
	}
	return nil
}

// texts are those of the task and its session.
var texts = projections.Texts{
	Table: "task", Key: "task_id", Where: "session_id = (select session_id from task where task_id = @task)",
	Columns: []string{"query", "url", "url_key", "page_url", "page_key", "message", "host"},
}
