package usage

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/projections"
)

// Queries reads the model.
type Queries struct{ DB projections.DB }

// conditions are the parts of a where clause, with their arguments.
type conditions struct {
	all  []string
	args pgx.NamedArgs
}

func (c *conditions) add(sql string, name string, value any) {
	c.all = append(c.all, sql)
	c.args[name] = value
}

func (c *conditions) equal(column, value string) {
	if value != "" {
		c.add(column+" = @"+column, column, projections.Text(value))
	}
}

func (c *conditions) where() string {
	if len(c.all) == 0 {
		return ""
	}
	return " where " + strings.Join(c.all, " and ")
}

// columns of a call. An amount is read as a whole number of pico-dollars.
const columns = `call_id, tenant, user_id, session_id, task_id, turn, request, purpose, role, provider, model, attempt,
	subject, instance, prompt_name, prompt_hash, prompt_ref, answer_ref, state, outcome, duration_ms, late,
	usage_missing, total_matches, raw_usage, response_model, response_id,
	input_uncached, input_cached, input_tool, input_audio, output, thinking,
	(cost * 1000000000000)::bigint as cost, cost_status, price_version,
	(estimated_cost * 1000000000000)::bigint as estimated_cost, corrections, started_at, ended_at, position,
	unit_prices, service_tier, settled_why, billed_at_position`

// Calls lists the calls a filter chooses, newest first.
func (q Queries) Calls(ctx context.Context, f CallFilter) (Calls, error) {
	c := conditions{args: pgx.NamedArgs{"limit": f.Limit + 1}}
	c.selection(f.Selection)
	c.equal("state", f.State)
	c.equal("cost_status", f.CostStatus)
	if f.Before != nil {
		c.add("(started_at, call_id) < (@before, @call)", "before", f.Before.StartedAt)
		c.args["call"] = projections.Text(f.Before.ID)
	}
	sql := `select ` + columns + ` from read.call` + c.where() + ` order by started_at desc, call_id desc limit @limit`
	calls, err := q.list(ctx, sql, c.args)
	if err != nil {
		return Calls{}, fmt.Errorf("list calls: %w", projections.Unavailable(err))
	}
	more := len(calls) > f.Limit
	return Calls{calls[:min(len(calls), f.Limit)], more}, nil
}

// selection of rows of the view call. A ledger is its task's, and there is an
// index by ledger.
func (c *conditions) selection(s usage.Selection) {
	c.equal("tenant", s.Tenant)
	c.equal("subject", s.Task)
	c.equal("session_id", s.Session)
	c.equal("user_id", s.User)
	c.equal("provider", s.Provider)
	c.equal("model", s.Model)
	c.equal("purpose", string(s.Purpose))
	c.between("started_at", s)
}

func (c *conditions) between(column string, s usage.Selection) {
	if !s.From.IsZero() {
		c.add(column+" >= @from", "from", s.From)
	}
	if !s.To.IsZero() {
		c.add(column+" < @to", "to", s.To)
	}
}

const openCalls = `select ` + columns + `
	from read.call
	where state = 'open' and started_at < @before
	order by started_at
	limit @limit`

// maxOpen bounds one round of settling.
const maxOpen = 1000

// Open are calls that started before a time and have no bill yet, oldest
// first, at most 1000: what the scheduler has to settle.
func (q Queries) Open(ctx context.Context, before time.Time) ([]Call, error) {
	calls, err := q.list(ctx, openCalls, pgx.NamedArgs{"before": before, "limit": maxOpen})
	if err != nil {
		return nil, fmt.Errorf("open calls: %w", projections.Unavailable(err))
	}
	return calls, nil
}

func (q Queries) list(ctx context.Context, sql string, args pgx.NamedArgs) ([]Call, error) {
	rows, err := q.DB.Query(ctx, sql, args)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[Call])
}
