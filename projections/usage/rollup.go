package usage

import (
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/domain/usage"
)

// Quarter is the step of the sums. No time zone in use begins its days anywhere
// else than on a quarter of an hour of UTC.
const Quarter = 15 * time.Minute

// cell is what calls have in common that are summed together.
type cell struct {
	tenant                   string
	quarter                  time.Time
	task, session, user      string
	provider, model, purpose string
}

// sum of the calls of a cell, or a difference to be added to one.
type sum struct {
	calls, open, estimated, unpriced, mismatched int64
	meters                                       usage.Meters
	// The cost is in two parts, since a page may cost more than fits into one:
	// whole dollars, and pico-dollars that need not be below one.
	dollars, picos int64
}

const picoPerDollar = 1_000_000_000_000

// rollup is sums by cell.
type rollup map[cell]*sum

// add counts a call, whose texts are clean, as it is now, or with times -1 takes away what it was.
func (r rollup) add(c *Call, times int64) {
	key := cell{
		c.Tenant, c.StartedAt.Truncate(Quarter).UTC(), c.Task, c.Session, c.User, c.Provider, c.Model, c.Purpose,
	}
	s := r[key]
	if s == nil {
		s = &sum{}
		r[key] = s
	}
	s.add(c.counted(), times)
}

// counted is one call as a sum.
func (c *Call) counted() sum {
	s := sum{calls: 1, meters: c.Meters}
	s.open = one(c.State == Open)
	s.estimated = one(c.estimated())
	s.unpriced = one(c.CostStatus == string(usage.Unpriced))
	s.mismatched = one(!c.TotalMatches)
	if c.Cost != nil {
		s.dollars, s.picos = int64(*c.Cost)/picoPerDollar, int64(*c.Cost)%picoPerDollar
	}
	return s
}

// estimated: nobody ever said what was used.
func (c *Call) estimated() bool { return c.State == Settled && (c.UsageMissing || !c.Late) }

func one(is bool) int64 {
	if is {
		return 1
	}
	return 0
}

func (s *sum) add(o sum, times int64) {
	s.calls += times * o.calls
	s.open += times * o.open
	s.estimated += times * o.estimated
	s.unpriced += times * o.unpriced
	s.mismatched += times * o.mismatched
	m := o.meters
	if times < 0 {
		m = usage.Meters{}.Minus(m)
	}
	s.meters = s.meters.Plus(m)
	s.dollars += times * o.dollars
	s.picos += times * o.picos
}

// cost is the exact amount.
func (s *sum) cost() (negative bool, dollars, picos uint64) {
	d, p := s.dollars+s.picos/picoPerDollar, s.picos%picoPerDollar
	switch { // both of one sign
	case d > 0 && p < 0:
		d, p = d-1, p+picoPerDollar
	case d < 0 && p > 0:
		d, p = d+1, p-picoPerDollar
	}
	if negative = d < 0 || p < 0; negative {
		d, p = -d, -p
	}
	return negative, uint64(d), uint64(p) //nolint:gosec // neither is below zero
}

func (s *sum) costText() string {
	negative, dollars, picos := s.cost()
	sign := ""
	if negative {
		sign = "-"
	}
	return fmt.Sprintf("%s%d.%012d", sign, dollars, picos)
}

// by sums cells that differ only in what key drops.
func (r rollup) by(key func(cell) cell) rollup {
	out := rollup{}
	for k, s := range r {
		k = key(k)
		if out[k] == nil {
			out[k] = &sum{}
		}
		out[k].add(*s, 1)
	}
	return out
}

// sumTable is a table of sums: its dimensions, and what of a cell they are. The sums
// are those of base without what drop leaves out.
type sumTable struct {
	name       string
	dimensions []string
	of         func(cell) []string
	base       string
	drop       func(cell) cell
	add        string // the statement that adds sums
}

// The tables without any dimension but the tenant, those with some, and with all.
const (
	byQuarter, byDay = "call_rollup_quarter", "call_rollup_day"
	byModel, byTask  = "call_rollup_model", "call_rollup_task"
	byEverything     = "call_rollup"
)

// sumTables are all of them, the smallest first.
var sumTables = withSQL([]sumTable{
	{
		name: byQuarter, base: byModel,
		of:   func(cell) []string { return nil },
		drop: func(c cell) cell { return cell{tenant: c.tenant, quarter: c.quarter} },
	},
	{
		name: byDay, base: byModel,
		of:   func(cell) []string { return nil },
		drop: func(c cell) cell { return cell{tenant: c.tenant, quarter: c.quarter.Truncate(24 * time.Hour)} },
	},
	{
		name: byModel, base: byEverything, dimensions: []string{"provider", "model", "purpose"},
		of:   func(c cell) []string { return []string{c.provider, c.model, c.purpose} },
		drop: func(c cell) cell { c.task, c.session, c.user = "", "", ""; return c },
	},
	{
		name: byTask, base: byEverything, dimensions: []string{"task_id", "session_id", "user_id"},
		of:   func(c cell) []string { return []string{c.task, c.session, c.user} },
		drop: func(c cell) cell { c.provider, c.model, c.purpose = "", "", ""; return c },
	},
	{
		name: byEverything, dimensions: []string{"task_id", "session_id", "user_id", "provider", "model", "purpose"},
		of: func(c cell) []string { return []string{c.task, c.session, c.user, c.provider, c.model, c.purpose} },
	},
})

func withSQL(all []sumTable) []sumTable {
	for i := range all {
		all[i].add = all[i].addSQL()
	}
	return all
}

// measures are the columns of every table of sums but the cost.
var measures = []string{
	"calls", "open_calls", "estimated_calls", "unpriced_calls", "mismatched_calls",
	"input_uncached", "input_cached", "input_tool", "input_audio", "output", "thinking",
}

func (s *sum) measures() []int64 {
	m := s.meters
	return []int64{
		s.calls, s.open, s.estimated, s.unpriced, s.mismatched,
		m.InputUncached, m.InputCached, m.InputTool, m.InputAudio, m.Output, m.Thinking,
	}
}

// addSQL adds sums to those that are there: one array per column.
func (t sumTable) addSQL() string {
	columns := append([]string{"tenant", "quarter"}, t.dimensions...)
	key := strings.Join(columns, ", ")
	types := []string{"$1::text[]", "$2::timestamptz[]"}
	for range t.dimensions {
		types = append(types, fmt.Sprintf("$%d::text[]", len(types)+1))
	}
	var set []string
	for _, m := range measures {
		types = append(types, fmt.Sprintf("$%d::bigint[]", len(types)+1))
		columns = append(columns, m)
		set = append(set, fmt.Sprintf("%s = t.%[1]s + excluded.%[1]s", m))
	}
	types = append(types, fmt.Sprintf("$%d::text[]::numeric[]", len(types)+1))
	return fmt.Sprintf("insert into %s as t (%s, cost)\nselect * from unnest(%s)\non conflict (%s) do update set %s, cost = t.cost + excluded.cost",
		t.name, strings.Join(columns, ", "), strings.Join(types, ", "), key, strings.Join(set, ", "))
}

// addTo queues the sums for a table.
func (r rollup) addTo(b *pgx.Batch, t sumTable) {
	tenants, quarters := make([]string, 0, len(r)), make([]time.Time, 0, len(r))
	dimensions, counts := make([][]string, len(t.dimensions)), make([][]int64, len(measures))
	costs := make([]string, 0, len(r))
	for k, s := range r {
		tenants, quarters, costs = append(tenants, k.tenant), append(quarters, k.quarter), append(costs, s.costText())
		for i, v := range t.of(k) {
			dimensions[i] = append(dimensions[i], v)
		}
		for i, v := range s.measures() {
			counts[i] = append(counts[i], v)
		}
	}
	args := []any{tenants, quarters}
	for _, d := range dimensions {
		args = append(args, d)
	}
	for _, c := range counts {
		args = append(args, c)
	}
	b.Queue(t.add, append(args, costs)...)
}
