package tasks

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/projections"
)

// Search chooses tasks of a tenant. Empty fields select everything.
type Search struct {
	Tenant string
	// Status is a status, or Paused.
	Status string
	// Host is that of the page a task began on, Code why it failed.
	Host, Code string
	// Text are words; a task has to have all of them, or words that begin so, in its
	// query.
	Text string
	// From and To bound when tasks started.
	From, To time.Time
	// After is the last task of the page before; nil is the first page.
	After *Mark
	// Limit of a page, from 1.
	Limit int
}

// Mark is a task's place in the list.
type Mark struct {
	StartedAt time.Time
	TaskID    string
}

// Found is a task in the list of all of a tenant, with what its model calls cost so
// far.
type Found struct {
	View
	StartedAt time.Time `db:"started_at"`
	Host      string    `db:"host"`
	// Spent is nil while there are no sums of usage: they are being built.
	Spent *Spent `db:"-"`
}

// Spent is what the model calls of a task used and cost.
type Spent struct {
	Calls int64
	// OpenCalls have no bill yet and UnpricedCalls no known price: what they cost is
	// not in Cost.
	OpenCalls, UnpricedCalls  int64
	InputTokens, OutputTokens int64
	// Cost in USD, an exact decimal.
	Cost string
}

// Page is a part of the list. More: there are others after the last.
type Page struct {
	Tasks []Found
	More  bool
}

// Find lists the tasks a search chooses that readers see, those started last first. A
// page costs about as much as its tasks looked up by key; with words more, the more
// tasks have them.
func (q Queries) Find(ctx context.Context, s Search) (Page, error) {
	if s.Limit < 1 {
		return Page{}, domain.Errorf(domain.Invalid, domain.CodeValidation, "a page has at least one task, not %d", s.Limit).At("limit")
	}
	found, err := q.find(ctx, s)
	if err != nil {
		return Page{}, fmt.Errorf("find tasks: %w", projections.Unavailable(err))
	}
	if len(found) == 0 {
		if err := q.built(ctx, s); err != nil {
			return Page{}, fmt.Errorf("find tasks: %w", projections.Unavailable(err))
		}
	}
	p := Page{found[:min(len(found), s.Limit)], len(found) > s.Limit}
	if err := q.addSpent(ctx, s.Tenant, p.Tasks); err != nil {
		return Page{}, fmt.Errorf("find tasks: %w", projections.Unavailable(err))
	}
	return p, nil
}

const (
	foundColumns = columns + `, started_at, host`
	newestFirst  = ` order by started_at desc, task_id desc limit `
	hasWords     = `to_tsvector('simple', left(query, 20000)) @@ to_tsquery('simple', @words)`
)

// find returns one more than a page has, if there are so many. Postgres does not know
// how many tasks have a word, and looking for a rare one task by task would take it
// seconds. So words are first looked for in the newest tasks, where common ones are; the
// rest is done from the words, which the array and the order that no index has make sure of. Only
// task_text has an index of them that readers behind row-level security use.
func (q Queries) find(ctx context.Context, s Search) ([]Found, error) {
	where, args := s.conditions()
	args["limit"] = s.Limit + 1
	if s.Text == "" {
		return q.list(ctx, `select `+foundColumns+` from read.task where `+where+newestFirst+`@limit`, args)
	}
	args["words"] = words(s.Text)
	found, err := q.list(ctx, `
		select * from (select `+foundColumns+` from read.task where `+where+newestFirst+`1000) newest
		where `+hasWords+newestFirst+`@limit`, args)
	if err != nil || len(found) > s.Limit {
		return found, err
	}
	return q.list(ctx, `
		select `+foundColumns+` from read.task where `+where+` and task_id = any (array(
			select task_id from read.task_text where tenant = @tenant and visible and `+hasWords+`))
		order by started_at + interval '0' desc, task_id desc limit @limit`, args)
}

func (q Queries) list(ctx context.Context, sql string, args pgx.NamedArgs) ([]Found, error) {
	rows, err := q.DB.Query(ctx, sql, args)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[Found])
}

// errBuilding: the tables that are read now are of a version without the list. A list of
// nothing would look like one without tasks.
var errBuilding = domain.Errorf(domain.Unavailable, domain.CodeDatabase, "the list of tasks is being built")

// listedSince is the version of the tables that have the list, pausedSince of those that
// know who holds a task.
const (
	listedSince = 5
	pausedSince = 6
)

func (q Queries) built(ctx context.Context, s Search) error {
	var version int
	err := q.DB.QueryRow(ctx, `select coalesce(max(version), 0) from read.checkpoint where projection = 'tasks' and live`).Scan(&version)
	if err == nil && (version < listedSince || s.Status == Paused && version < pausedSince) {
		return errBuilding
	}
	return err
}

// conditions are those an index helps with: all but the words.
func (s Search) conditions() (string, pgx.NamedArgs) {
	all := []string{"tenant = @tenant", "visible", "started_at is not null"} // null in older tables
	args := pgx.NamedArgs{"tenant": projections.Text(s.Tenant)}
	add := func(wanted bool, sql, name string, value any) {
		if wanted {
			all = append(all, sql)
			args[name] = value
		}
	}
	if s.Status == Paused {
		all = append(all, "paused_at is not null")
		s.Status = ""
	}
	add(s.Status != "", "status = @status", "status", projections.Text(s.Status))
	if s.Status != "" && s.Status != Completed {
		all = append(all, "status <> 'completed'") // as its index has it
	}
	add(s.Host != "", "host = @host", "host", strings.ToLower(projections.Text(s.Host)))
	add(s.Code != "", "code = @code and code <> ''", "code", projections.Text(s.Code))
	add(!s.From.IsZero(), "started_at >= @from", "from", s.From)
	add(!s.To.IsZero(), "started_at < @to", "to", s.To)
	if s.After != nil {
		add(true, "(started_at, task_id) < (@after, @id::uuid)", "after", s.After.StartedAt)
		args["id"] = s.After.TaskID
	}
	return strings.Join(all, " and "), args
}

// words is the query of all words of a text, each as the beginning of one. Quoted, a
// word is cut up by Postgres as it cuts up the texts it is looked for in.
func words(text string) string {
	quote := strings.NewReplacer("'", "''", `\`, `\\`)
	fields := strings.Fields(projections.Text(text))
	for i, f := range fields {
		fields[i] = "'" + quote.Replace(f) + "':*"
	}
	return strings.Join(fields, " & ")
}

// A call starts after its task; a day is for clocks that differ. It spares looking into
// the months before.
const spentBy = `
	select wanted.id, coalesce(calls, 0), coalesce(open_calls, 0), coalesce(unpriced_calls, 0),
		coalesce(input, 0), coalesce(output, 0), trim_scale(coalesce(cost, 0))::text
	from unnest(@ids::text[]) wanted (id)
	left join (
		select task_id, sum(calls)::bigint calls, sum(open_calls)::bigint open_calls, sum(unpriced_calls)::bigint unpriced_calls,
			sum(input_uncached + input_cached + input_tool + input_audio)::bigint input, sum(output + thinking)::bigint output, sum(cost) cost
		from read.call_rollup_task
		where tenant = @tenant and task_id = any (@ids) and quarter >= @since
		group by task_id
	) s on s.task_id = wanted.id
	where exists (select from read.checkpoint where projection = 'usage' and live)`

// addSpent sums up the usage of these tasks, and of no others.
func (q Queries) addSpent(ctx context.Context, tenant string, found []Found) error {
	if len(found) == 0 {
		return nil
	}
	since := found[0].CreatedAt
	ids := make([]string, len(found))
	at := make(map[string]int, len(found))
	for i, f := range found {
		ids[i], at[f.TaskID] = f.TaskID, i
		if f.CreatedAt.Before(since) {
			since = f.CreatedAt
		}
	}
	rows, err := q.DB.Query(ctx, spentBy, pgx.NamedArgs{"tenant": tenant, "ids": ids, "since": since.AddDate(0, 0, -1)})
	if err != nil {
		return err
	}
	var id string
	var s Spent
	_, err = pgx.ForEachRow(rows, []any{&id, &s.Calls, &s.OpenCalls, &s.UnpricedCalls, &s.InputTokens, &s.OutputTokens, &s.Cost}, func() error {
		spent := s
		found[at[id]].Spent = &spent
		return nil
	})
	return err
}
