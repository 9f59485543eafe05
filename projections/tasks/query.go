package tasks

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/projections"
)

// StaleAfter is how long Active offers an untouched task: as long as the extension
// remembers one (spec: taskId persistence, 30 minutes).
const StaleAfter = 30 * time.Minute

// Queries reads the model. Now is the clock; nil means time.Now.
type Queries struct {
	DB  projections.DB
	Now func() time.Time
}

func (q Queries) now() time.Time {
	if q.Now == nil {
		return time.Now()
	}
	return q.Now()
}

const columns = `task_id, session_id, tenant, user_id, url, page_url, query, status, current_step_index,
	steps, corrections, message, code, created_at, updated_at, ended_at, revision, position,
	paused_at, coalesce(paused_by, '') as paused_by, coalesce(paused_kind, '') as paused_kind`

const byID = `
	select ` + columns + `
	from read.task
	where task_id = @task and tenant = @tenant and user_id = @user`

// ByID returns a user's task, visible or not, since its id was given out. It returns
// NotFound if there is none.
func (q Queries) ByID(ctx context.Context, tenant, user, id string) (View, error) {
	if !domain.ValidUUID(id) {
		return View{}, NotFound().At("taskId")
	}
	v, err := q.one(ctx, byID, pgx.NamedArgs{"task": id, "tenant": tenant, "user": user})
	if err != nil {
		return View{}, fmt.Errorf("task %s: %w", id, err)
	}
	return v, nil
}

const newest = `
	select task_id, tenant
	from read.task
	where visible and @tenant in (tenant, '')
	order by updated_at desc, task_id
	limit @limit`

// Ref names a task of a tenant.
type Ref struct {
	ID     string `db:"task_id"`
	Tenant string `db:"tenant"`
}

// Newest returns the tasks that were touched last, of one tenant or, for "", of all.
func (q Queries) Newest(ctx context.Context, tenant string, limit int) ([]Ref, error) {
	rows, err := q.DB.Query(ctx, newest, pgx.NamedArgs{"tenant": tenant, "limit": limit})
	if err != nil {
		return nil, fmt.Errorf("newest tasks: %w", projections.Unavailable(err))
	}
	refs, err := pgx.CollectRows(rows, pgx.RowToStructByName[Ref])
	if err != nil {
		return nil, fmt.Errorf("newest tasks: %w", projections.Unavailable(err))
	}
	return refs, nil
}

// The page of a task counts before the URL it began on: a client that lost its
// task id asks from the tab the task was last seen in.
const active = `
	select ` + columns + `
	from read.task
	where tenant = @tenant and user_id = @user and session_id = @session
		and status in ('active', 'executing', 'correcting')
		and (updated_at >= @since or paused_at is not null)
		and not exists (select from read.archived_session where session_id = @session)
		and (@key = '' or @key in (page_key, url_key) or @origin <> '' and @origin in (page_origin, url_origin))
	order by
		(@key <> '' and page_key = @key) desc, (@key <> '' and url_key = @key) desc,
		(@key <> '' and page_origin = @origin) desc, updated_at desc, position desc
	limit 1`

// Active returns the task that a client without its task id should continue: the one
// on the same URL, or else on the same origin; without a URL the latest. Tasks that
// are not visible yet count, since they may wait for the user. Ended tasks, those
// untouched for StaleAfter (unless somebody holds them) and those of an archived session do not count. It returns
// NotFound if there is none.
func (q Queries) Active(ctx context.Context, tenant, user, session, url string) (View, error) {
	if !domain.ValidUUID(session) {
		return View{}, NotFound().At("sessionId")
	}
	key, origin := place(url)
	v, err := q.one(ctx, active, pgx.NamedArgs{
		"tenant": tenant, "user": user, "session": session,
		"since": q.now().Add(-StaleAfter), "key": key, "origin": origin,
	})
	if err != nil {
		return View{}, fmt.Errorf("active task of session %s: %w", session, err)
	}
	return v, nil
}

// Filter of a list. Empty fields select everything; Limit 0 means 20.
type Filter struct {
	Tenant, User, Session, Status string
	Limit, Offset                 int
}

const list = `
	select ` + columns + `
	from read.task
	where tenant = @tenant and (visible or @session <> '')
		and (@user = '' or user_id = @user)
		and (@session = '' or session_id::text = @session)
		and (@status = '' or status = @status)
	order by updated_at desc, position desc
	limit @limit offset @offset`

// List returns a tenant's visible tasks, most recently touched first; of one session
// it returns all.
func (q Queries) List(ctx context.Context, f Filter) ([]View, error) {
	const defaultLimit = 20
	if f.Limit == 0 {
		f.Limit = defaultLimit
	}
	rows, err := q.DB.Query(ctx, list, pgx.NamedArgs{
		"tenant": f.Tenant, "user": f.User, "session": f.Session, "status": f.Status,
		"limit": f.Limit, "offset": f.Offset,
	})
	if err != nil {
		return nil, fmt.Errorf("list tasks: %w", projections.Unavailable(err))
	}
	views, err := pgx.CollectRows(rows, pgx.RowToStructByName[View])
	if err != nil {
		return nil, fmt.Errorf("list tasks: %w", projections.Unavailable(err))
	}
	return views, nil
}

func (q Queries) one(ctx context.Context, sql string, args pgx.NamedArgs) (View, error) {
	rows, err := q.DB.Query(ctx, sql, args)
	if err != nil {
		return View{}, projections.Unavailable(err)
	}
	v, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[View])
	if errors.Is(err, pgx.ErrNoRows) {
		return View{}, NotFound()
	}
	return v, projections.Unavailable(err)
}
