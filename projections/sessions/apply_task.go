package sessions

import (
	"encoding/json"
	"maps"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/secret"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/projections"
)

// taskEvent is an event of a task being applied.
type taskEvent struct {
	*projections.Batch
	eventstore.Recorded
	task string
}

// seenPage is as much of the page before an action as its line shows. The elements are read
// one by one, until the line is full.
type seenPage struct {
	URL      string `json:"url"`
	Skeleton struct {
		Elements json.RawMessage `json:"elements"`
	} `json:"skeleton"`
}

// line is the line of the page an action was decided on: of a large page little is shown,
// so that the rest is neither read nor looked through for secrets.
func line(r eventstore.Recorded, s domain.Sealer, known *secret.Set) (string, error) {
	var seen struct {
		Before seenPage `json:"before"`
	}
	if err := task.Codec.Apart(r.Type, r.Data, r.ID, s, &seen); err != nil {
		return "", err
	}
	return summary(seen.Before, known)
}

func applyTask(b *projections.Batch, r eventstore.Recorded, s domain.Sealer) error {
	event, err := task.Codec.Glance(r.Type, r.Data, r.ID, s)
	if err != nil {
		return err
	}
	secrets := task.SecretsOf(event)
	known := secret.New(secrets...)
	event = task.RedactForReaders(event, known)
	t := taskEvent{b, r, projections.Subject(r.Stream)}
	if len(secrets) > 0 {
		defer t.Conceal(known, pgx.NamedArgs{"task": t.task}, texts...)
	}
	switch e := event.(type) {
	case task.PageObserved:
		t.pageObserved(e)
	case task.TurnEnded:
		t.queue(turnEnded, pgx.NamedArgs{"turn": e.Turn})
	case task.TaskStarted:
		t.taskStarted(e)
	case task.UserInputRequested:
		t.message(message{role: RoleAssistant, turn: e.Turn, content: e.Question})
	case task.UserInputProvided:
		t.message(message{role: RoleUser, turn: e.Turn, content: e.Text})
	case task.ActionGenerated:
		seen, err := line(r, s, known)
		if err != nil {
			return err
		}
		m := actionMessage(e.Kind, e.Action, seen)
		m.turn, m.step, m.content, m.by = e.Turn, &e.StepIndex, e.Thought, e.By
		t.message(m)
	case task.CorrectionIssued:
		seen, err := line(r, s, known)
		if err != nil {
			return err
		}
		m := actionMessage(e.Kind, e.RetryAction, seen)
		m.turn, m.step, m.content, m.by = e.Turn, &e.StepIndex, firstOf(e.Thought, e.Reason), e.By
		t.message(m)
	case task.ActionVerified:
		t.verified(e)
	case task.TaskErased:
		for _, sql := range erased {
			t.queue(sql, nil)
		}
	default:
		t.statusChanged(e)
	}
	return nil
}

// texts are those of the task's session.
var texts = []projections.Texts{
	{
		Table: "session", Key: "session_id", Where: "session_id = (select session_id from session_task where task_id = @task)",
		Columns: []string{"url", "initial_query"},
	},
	{
		Table: "message", Key: "message_id", Where: "session_id = (select session_id from session_task where task_id = @task)",
		Columns: []string{"content", "action_string", "dom_summary"}, JSON: []string{"action_payload", "error"},
	},
}

func firstOf(texts ...string) string {
	for _, s := range texts {
		if s != "" {
			return s
		}
	}
	return ""
}

// queue adds a statement with the event's arguments and some more.
func (t taskEvent) queue(sql string, more pgx.NamedArgs) {
	args := pgx.NamedArgs{"task": t.task, "at": t.RecordedAt, "position": t.Position}
	maps.Copy(args, more)
	t.Queue(sql, args)
}

const taskSeen = `
	insert into session_task (task_id, session_id, tenant, user_id)
	values (@task, @session, @tenant, @user)
	on conflict (task_id) do nothing`

const turnBegan = `
	insert into turn (task_id, turn, began_at)
	values (@task, @turn, @at)
	on conflict (task_id, turn) do update set began_at = excluded.began_at`

const turnEnded = `
	update turn set ended_at = @at where task_id = @task and turn = @turn`

const sessionTouched = `
	update session set updated_at = @at
	from session_task t
	where t.task_id = @task and t.visible and session.session_id = t.session_id`

func (t taskEvent) pageObserved(e task.PageObserved) {
	t.queue(taskSeen, pgx.NamedArgs{"session": e.Session, "tenant": e.Tenant, "user": e.User})
	t.queue(turnBegan, pgx.NamedArgs{"turn": e.Turn})
	t.queue(sessionTouched, nil)
	if e.Turn == 1 { // what later turns say that is new has an event of its own
		t.message(message{role: RoleUser, turn: e.Turn, content: e.Query})
	}
}

const taskVisible = `
	update session_task set visible = true where task_id = @task`

const sessionVisible = `
	insert into session (session_id, tenant, user_id, visible, url, initial_query, created_at, updated_at, initial_task)
	values (@session, @tenant, @user, true, @url, @query, @at, @at, @task)
	on conflict (session_id) do update set
		visible = true, status = 'active', updated_at = excluded.updated_at,
		initial_task = case when session.visible then session.initial_task else excluded.initial_task end,
		url = case when session.visible then session.url else excluded.url end,
		initial_query = case when session.visible then session.initial_query else excluded.initial_query end`

// What was said before gets its numbers now, in the order it was said.
const messagesVisible = `
	with hidden as (
		select message_id, row_number() over (order by position) - 1 as i
		from message
		where task_id = @task and sequence is null
	), numbered as (
		update session set next_sequence = next_sequence + (select count(*) from hidden)
		where session_id = @session
		returning next_sequence - (select count(*) from hidden) as base
	)
	update message set sequence = numbered.base + hidden.i
	from hidden, numbered
	where message.message_id = hidden.message_id`

func (t taskEvent) taskStarted(e task.TaskStarted) {
	t.queue(taskVisible, nil)
	t.queue(sessionVisible, pgx.NamedArgs{
		"session": e.Session, "tenant": e.Tenant, "user": e.User,
		"url": projections.BareURL(e.URL), "query": e.Query,
	})
	t.queue(messagesVisible, pgx.NamedArgs{"session": e.Session})
}

// The verdict is on what is pending in the step: its newest attempt.
const actionVerified = `
	update message set status = @status, error = @error
	where task_id = @task and step_index = @step and status = 'pending'`

func (t taskEvent) verified(e task.ActionVerified) {
	if e.Undecided { // another verdict may follow
		return
	}
	args := pgx.NamedArgs{"step": e.StepIndex, "status": StatusSuccess, "error": nil}
	if !e.Succeeded {
		args["status"] = StatusFailure
		args["error"] = projections.JSON(&MessageError{Message: e.Reason, Code: reasoning.VerificationFailed})
	}
	t.queue(actionVerified, args)
}

// An ended task leaves nothing pending: an action whose verdict never came
// shares the fate of the task.
const nothingPending = `
	update message set status = @outcome where task_id = @task and status = 'pending'`

const taskStatus = `
	update session_task set status = @status where task_id = @task`

const sessionStatus = `
	update session set updated_at = @at, status = case
		when exists (
			select from session_task o
			where o.session_id = session.session_id and o.visible and o.status = 'active'
		) then 'active'
		else @status end
	from session_task t
	where t.task_id = @task and t.visible and session.session_id = t.session_id`

// What was said with the task goes. A session all of whose tasks are erased goes with
// them; another keeps its place in lists, without the words of the task it began with.
var erased = []string{
	`update session set
		erased = erased + (select count(*) from message where task_id = @task and sequence is not null),
		url = case when initial_task = @task then '' else url end,
		initial_query = case when initial_task = @task then '` + domain.Erased + `' else initial_query end
	from session_task t
	where t.task_id = @task and session.session_id = t.session_id`,
	`delete from message where task_id = @task`,
	`delete from turn_call where task_id = @task`,
	`delete from turn where task_id = @task`,
	`with gone as (delete from session_task where task_id = @task returning session_id)
	delete from session using gone
	where session.session_id = gone.session_id and not exists (
		select from session_task other where other.session_id = gone.session_id and other.task_id <> @task)`,
}

func (t taskEvent) statusChanged(event task.Event) {
	status := Active
	switch e := event.(type) {
	case task.TaskCompleted:
		status = Completed
		t.closing(e.Turn, e.Message, StatusSuccess, nil)
	case task.TaskFailed:
		status = Failed
		t.closing(e.Turn, e.Message, StatusFailure, &MessageError{Message: e.Message, Code: e.Code})
	case task.TaskInterrupted:
		status = Interrupted
	}
	t.queue(taskStatus, pgx.NamedArgs{"status": status})
	t.queue(sessionStatus, pgx.NamedArgs{"status": status})
}

// closing adds the agent's final message, unless it was an action of its own.
func (t taskEvent) closing(turn int, content, outcome string, why *MessageError) {
	m := message{role: RoleAssistant, turn: turn, content: content, status: outcome, err: why, closing: true}
	if outcome == StatusSuccess {
		m.action = action.Action{Name: action.Finish, Text: content}.String()
		m.payload = &ActionPayload{Type: string(action.Finish), Text: content}
	}
	t.message(m)
	t.queue(nothingPending, pgx.NamedArgs{"outcome": outcome})
}
