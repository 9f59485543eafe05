package sessions

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/projections"
)

// Queries reads the model.
type Queries struct{ DB projections.DB }

// Filter of List. Tenant and User are required. Without Status active sessions are
// listed, with IncludeArchived all. Limit 0 means 20.
type Filter struct {
	Tenant, User    string
	Status          string
	IncludeArchived bool
	Limit, Offset   int
}

// Page is a part of a list; Total counts all that match the filter.
type Page struct {
	Sessions      []Session
	Total         int
	Limit, Offset int
	HasMore       bool
}

const defaultSessions = 20

// sessionRows are the visible sessions of a user; an archived one is
// 'archived', whatever became of its tasks.
const sessionRows = `
	with mine as (
		select session_id, url, initial_query, created_at, updated_at,
			case when archived then 'archived' else status end as status,
			next_sequence - erased as message_count
		from read.session
		where tenant = @tenant and user_id = @user and visible
	)`

const listSessions = sessionRows + `
	select session_id, url, status, message_count, created_at, updated_at, initial_query
	from mine
	where @status = '' or status = @status
	order by updated_at desc, session_id
	limit @limit offset @offset`

const countSessions = sessionRows + `
	select count(*) from mine where @status = '' or status = @status`

// List is a user's sessions, most recently touched first (spec §4.8.2).
func (q Queries) List(ctx context.Context, f Filter) (Page, error) {
	if f.Limit == 0 {
		f.Limit = defaultSessions
	}
	if f.Status == "" && !f.IncludeArchived {
		f.Status = Active
	}
	p, err := q.list(ctx, f)
	if err != nil {
		return Page{}, fmt.Errorf("list sessions: %w", projections.Unavailable(err))
	}
	return p, nil
}

func (q Queries) list(ctx context.Context, f Filter) (Page, error) {
	args := pgx.NamedArgs{
		"tenant": f.Tenant, "user": f.User, "status": f.Status, "limit": f.Limit, "offset": f.Offset,
	}
	rows, err := q.DB.Query(ctx, listSessions, args)
	if err != nil {
		return Page{}, err
	}
	p := Page{Limit: f.Limit, Offset: f.Offset}
	if p.Sessions, err = pgx.CollectRows(rows, pgx.RowToStructByName[Session]); err != nil {
		return Page{}, err
	}
	if err := q.DB.QueryRow(ctx, countSessions, args).Scan(&p.Total); err != nil {
		return Page{}, err
	}
	p.HasMore = f.Offset+len(p.Sessions) < p.Total
	return p, nil
}

// Latest returns the user's most recently touched session with a status; "" means
// active (spec §4.8.4). It returns NotFound if there is none.
func (q Queries) Latest(ctx context.Context, tenant, user, status string) (Session, error) {
	p, err := q.List(ctx, Filter{Tenant: tenant, User: user, Status: status, Limit: 1})
	if err != nil {
		return Session{}, err
	}
	if len(p.Sessions) == 0 {
		return Session{}, NotFound()
	}
	return p.Sessions[0], nil
}

// MessageFilter of Messages. Limit 0 means 50. If Since is set only newer messages
// are returned.
type MessageFilter struct {
	Limit           int
	Since           time.Time
	IncludeArchived bool
}

// Messages are lines of one session, oldest first; Total counts all of them.
type Messages struct {
	SessionID string
	Messages  []Message
	Total     int
}

const defaultMessages = 50

// A session that is in no list yet is read by whoever was given its id.
const ownSession = `
	select next_sequence - erased + (select count(*) from read.message where session_id = @session and sequence is null)
	from read.session
	where session_id = @session and tenant = @tenant and user_id = @user
		and (@archived or not archived)`

// What was said with a task that is not visible yet comes last, with the numbers it
// will get if the task is the next to become visible.
const listMessages = `
	with hidden as (
		select m.message_id, s.next_sequence + row_number() over (order by m.position) - 1 as sequence
		from read.message m
			join read.session s on s.session_id = m.session_id
		where m.session_id = @session and m.sequence is null
	)
	select m.message_id, m.role, m.content, m.action_payload, m.action_string, m.status, m.error,
		coalesce(m.sequence, h.sequence) as sequence, m.timestamp, m.dom_summary, m.task_id,
		case when m.role = 'assistant' then jsonb_build_object(
			'tokens_used', case when t.calls > 0 then jsonb_build_object(
				'promptTokens', t.prompt_tokens, 'completionTokens', t.completion_tokens) end,
			'latency', (extract(epoch from t.ended_at - t.began_at) * 1000)::bigint,
			'llm_model', m.model
		) end as metadata
	from read.message m
		left join read.turn t on t.task_id = m.task_id and t.turn = m.turn
		left join hidden h on h.message_id = m.message_id
	where m.session_id = @session
		and (@since::timestamptz is null or m.timestamp > @since)
	order by coalesce(m.sequence, h.sequence)
	limit @limit`

// Messages returns a conversation (spec §4.8.1), also of a session that is not listed
// yet, since its id was in an answer. It returns NotFound for an archived session
// without IncludeArchived.
func (q Queries) Messages(ctx context.Context, tenant, user, session string, f MessageFilter) (Messages, error) {
	if !domain.ValidUUID(session) {
		return Messages{}, NotFound().At("sessionId")
	}
	m, err := q.messages(ctx, tenant, user, session, f)
	if err != nil {
		return Messages{}, fmt.Errorf("messages of session %s: %w", session, projections.Unavailable(err))
	}
	return m, nil
}

func (q Queries) messages(ctx context.Context, tenant, user, session string, f MessageFilter) (Messages, error) {
	out := Messages{SessionID: domain.NormalUUID(session)}
	err := q.DB.QueryRow(ctx, ownSession, pgx.NamedArgs{
		"session": session, "tenant": tenant, "user": user, "archived": f.IncludeArchived,
	}).Scan(&out.Total)
	if errors.Is(err, pgx.ErrNoRows) {
		return Messages{}, NotFound()
	}
	if err != nil {
		return Messages{}, err
	}
	args := pgx.NamedArgs{"session": session, "limit": f.Limit, "since": nil}
	if f.Limit == 0 {
		args["limit"] = defaultMessages
	}
	if !f.Since.IsZero() {
		args["since"] = f.Since
	}
	rows, err := q.DB.Query(ctx, listMessages, args)
	if err != nil {
		return Messages{}, err
	}
	out.Messages, err = pgx.CollectRows(rows, pgx.RowToStructByName[Message])
	return out, err
}
