package usage

import (
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/projections"
)

// Queries reads the model.
type Queries struct{ DB projections.DB }

const matching = `
	from read.call
	where (@tenant = '' or tenant = @tenant) and (@task = '' or task_id = @task)
		and (@user = '' or user_id = @user) and (@session = '' or session_id = @session)
		and (@model = '' or model = @model) and (@purpose = '' or purpose = @purpose)
		and (@from::timestamptz is null or started_at >= @from)
		and (@to::timestamptz is null or started_at < @to)`

const totals = `
	count(*) as calls,
	count(*) filter (where state = 'open') as open_calls,
	count(*) filter (where state = 'settled' and not late) as estimated_calls,
	count(*) filter (where cost_status = 'unpriced') as unpriced_calls,
	count(*) filter (where not total_matches) as mismatched_calls,
	coalesce(sum(input_uncached), 0)::bigint as input_uncached,
	coalesce(sum(input_cached), 0)::bigint as input_cached,
	coalesce(sum(input_tool), 0)::bigint as input_tool,
	coalesce(sum(input_audio), 0)::bigint as input_audio,
	coalesce(sum(output), 0)::bigint as output,
	coalesce(sum(thinking), 0)::bigint as thinking,
	trim_scale(coalesce(sum(cost), 0))::text as cost`

// keys are the SQL of the groupings.
var keys = map[GroupBy]string{
	ByTenant: "tenant", ByUser: "user_id", BySession: "session_id", ByTask: "task_id",
	ByModel: "model", ByProvider: "provider", ByActionType: "purpose",
	ByDay:   "to_char(started_at at time zone @zone, 'YYYY-MM-DD')",
	ByMonth: "to_char(started_at at time zone @zone, 'YYYY-MM')",
}

// Summary sums the calls a filter chooses. Groups come in the order of their
// keys. Both are of one moment: the groups add up to the totals. It refuses a
// grouping or time zone it does not know.
func (q Queries) Summary(ctx context.Context, f SummaryFilter) (Summary, error) {
	args, err := f.args()
	if err != nil {
		return Summary{}, err
	}
	s, err := q.summary(ctx, f.GroupBy, args)
	if err != nil {
		return Summary{}, fmt.Errorf("sum usage: %w", projections.Unavailable(err))
	}
	return s, nil
}

// One statement gives groups and totals alike: the row of the empty grouping
// set is the sum of all.
func (q Queries) summary(ctx context.Context, by GroupBy, args pgx.NamedArgs) (Summary, error) {
	sql := `select '' as key, true as everything,` + totals + matching
	if by != ByNothing {
		sql = `select coalesce(key, '') as key, grouping(key) = 1 as everything,` + totals + `
			from (select *, ` + keys[by] + ` as key` + matching + `) as keyed
			group by grouping sets ((key), ())
			order by everything desc, key`
	}
	rows, err := q.DB.Query(ctx, sql, args)
	if err != nil {
		return Summary{}, err
	}
	sums, err := pgx.CollectRows(rows, pgx.RowToStructByName[struct {
		Group
		Everything bool `db:"everything"`
	}])
	var s Summary
	for _, sum := range sums {
		if sum.Everything {
			s.Totals = sum.Totals
		} else {
			s.Groups = append(s.Groups, sum.Group)
		}
	}
	return s, err
}

func (f SummaryFilter) args() (pgx.NamedArgs, error) {
	if _, ok := keys[f.GroupBy]; !ok && f.GroupBy != ByNothing {
		return nil, domain.Errorf(domain.Invalid, "VALIDATION_ERROR", "usage cannot be grouped by %q", f.GroupBy).At("groupBy")
	}
	if _, err := time.LoadLocation(f.Zone); err != nil || f.Zone == "Local" {
		return nil, domain.Errorf(domain.Invalid, "VALIDATION_ERROR", "there is no time zone %q", f.Zone).At("timeZone")
	}
	if f.Zone == "" {
		f.Zone = "UTC"
	}
	return pgx.NamedArgs{
		"tenant": f.Tenant, "task": f.Task, "user": f.User, "session": f.Session,
		"model": f.Model, "purpose": f.ActionType, "zone": f.Zone,
		"from": optional(f.From), "to": optional(f.To),
	}, nil
}

func optional(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

const columns = `call_id, tenant, user_id, session_id, task_id, turn, request, purpose, role, provider, model, attempt,
	subject, instance, prompt_name, prompt_hash, prompt_ref, answer_ref, state, outcome, duration_ms, late,
	usage_missing, total_matches, raw_usage, input_uncached, input_cached, input_tool, input_audio, output, thinking,
	trim_scale(cost)::text as cost, cost_status, price_version, trim_scale(estimated_cost)::text as estimated_cost,
	corrections, started_at, ended_at, position`

// Calls streams the calls a filter chooses, oldest first; an export of a year
// needs no memory. GroupBy is not used.
func (q Queries) Calls(ctx context.Context, f SummaryFilter) iter.Seq2[Call, error] {
	return func(yield func(Call, error) bool) {
		args, err := f.args()
		if err != nil {
			yield(Call{}, err)
			return
		}
		rows, err := q.DB.Query(ctx, `select `+columns+matching+` order by started_at, call_id`, args)
		if err != nil {
			yield(Call{}, fmt.Errorf("list calls: %w", projections.Unavailable(err)))
			return
		}
		defer rows.Close()
		for rows.Next() {
			c, err := pgx.RowToStructByName[Call](rows)
			if !yield(c, err) || err != nil {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(Call{}, fmt.Errorf("list calls: %w", projections.Unavailable(err)))
		}
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
	rows, err := q.DB.Query(ctx, openCalls, pgx.NamedArgs{"before": before, "limit": maxOpen})
	if err != nil {
		return nil, fmt.Errorf("open calls: %w", projections.Unavailable(err))
	}
	calls, err := pgx.CollectRows(rows, pgx.RowToStructByName[Call])
	if err != nil {
		return nil, fmt.Errorf("open calls: %w", projections.Unavailable(err))
	}
	return calls, nil
}
