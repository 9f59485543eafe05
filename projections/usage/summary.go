package usage

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/projections"
)

// keys are the SQL of the groupings over a table of sums.
var keys = map[GroupBy]string{
	ByTenant: "tenant", ByUser: "user_id", BySession: "session_id", ByTask: "task_id",
	ByModel: "model", ByProvider: "provider", ByActionType: "purpose",
	ByDay:   `to_char(quarter at time zone @zone, 'YYYY-MM-DD') collate "C"`,
	ByMonth: `to_char(quarter at time zone @zone, 'YYYY-MM') collate "C"`,
}

const sums = `
	coalesce(sum(calls), 0)::bigint,
	coalesce(sum(open_calls), 0)::bigint,
	coalesce(sum(estimated_calls), 0)::bigint,
	coalesce(sum(unpriced_calls), 0)::bigint,
	coalesce(sum(mismatched_calls), 0)::bigint,
	coalesce(sum(input_uncached), 0)::bigint,
	coalesce(sum(input_cached), 0)::bigint,
	coalesce(sum(input_tool), 0)::bigint,
	coalesce(sum(input_audio), 0)::bigint,
	coalesce(sum(output), 0)::bigint,
	coalesce(sum(thinking), 0)::bigint,
	trim_scale(coalesce(sum(cost), 0))::text,
	(select max(version) from read.checkpoint where projection = 'usage' and live)`

// Summary sums the calls a filter chooses. It is of one moment: all groups add up
// to the totals. It refuses a grouping or time zone it does not know, and a range
// that does not begin and end where sums do.
func (q Queries) Summary(ctx context.Context, f SummaryFilter) (Summary, error) {
	if err := f.check(); err != nil {
		return Summary{}, err
	}
	s, err := q.summary(ctx, f)
	if err != nil {
		return Summary{}, fmt.Errorf("sum usage: %w", projections.Unavailable(err))
	}
	return s, nil
}

// errBuilding: the tables of sums are being built for the first time, and the views
// of them are empty. A sum of nothing would look like one that cost nothing.
var errBuilding = domain.Errorf(domain.Unavailable, domain.CodeUsageBuilding, "the sums of usage are being built")

func (f SummaryFilter) check() error {
	for _, by := range f.GroupBy {
		if keys[by] == "" {
			return invalid("groupBy", "usage cannot be grouped by %q", by)
		}
	}
	if f.After != nil && len(f.After) != len(f.GroupBy) {
		return invalid("after", "this is no place in the list of these groups")
	}
	if _, err := time.LoadLocation(f.Zone); err != nil || f.Zone == "Local" {
		return invalid("timeZone", "there is no time zone %q", f.Zone)
	}
	for field, t := range map[string]time.Time{"from": f.From, "to": f.To} {
		if !t.IsZero() && !t.Truncate(Quarter).Equal(t) {
			return invalid(field, "sums begin and end at a quarter of an hour")
		}
	}
	return nil
}

func invalid(field, format string, args ...any) error {
	return domain.Errorf(domain.Invalid, domain.CodeValidation, format, args...).At(field)
}

// summary is one statement, for the groups to add up to the totals.
func (q Queries) summary(ctx context.Context, f SummaryFilter) (s Summary, err error) {
	sql, args := f.totals()
	if len(f.GroupBy) > 0 {
		groups, more := f.groups()
		for name, value := range more {
			args[name] = value
		}
		sql += "\nunion all (" + groups + ")"
	}
	rows, err := q.DB.Query(ctx, sql, args)
	if err != nil {
		return s, err
	}
	var everything bool
	var version *int // of the tables there are
	var g Group
	t := &g.Totals
	_, err = pgx.ForEachRow(rows, []any{
		&everything, &g.Keys, &t.Calls, &t.OpenCalls, &t.EstimatedCalls, &t.UnpricedCalls, &t.MismatchedCalls,
		&t.InputUncached, &t.InputCached, &t.InputTool, &t.InputAudio, &t.Output, &t.Thinking, &t.Cost, &version,
	}, func() error {
		if version == nil || *version < Projection.Version {
			return errBuilding
		}
		if everything {
			s.Totals = g.Totals
		} else {
			s.Groups = append(s.Groups, Group{slices.Clone(g.Keys), g.Totals})
		}
		return nil
	})
	slices.SortFunc(s.Groups, func(a, b Group) int { return slices.Compare(a.Keys, b.Keys) })
	if s.More = f.Limit > 0 && len(s.Groups) > f.Limit; s.More {
		s.Groups = s.Groups[:f.Limit]
	}
	return s, err
}

// groups is the statement of a page of groups: one more than asked for tells
// whether there are others.
func (f SummaryFilter) groups() (string, pgx.NamedArgs) {
	c := f.conditions()
	all := make([]string, len(f.GroupBy))
	for i, by := range f.GroupBy {
		all[i] = keys[by]
		if by == ByDay || by == ByMonth {
			c.args["zone"] = f.zone()
		}
	}
	key := strings.Join(all, ", ")
	if f.After != nil {
		marks := make([]string, len(f.After))
		for i, after := range f.After {
			name := fmt.Sprintf("after%d", i)
			marks[i], c.args[name] = "@"+name, projections.Text(after)
		}
		c.all = append(c.all, "("+key+") > ("+strings.Join(marks, ", ")+")")
	}
	sql := "select false, array[" + key + "]::text[]," + sums + " from read." + f.table().name + c.where() +
		" group by " + key + " order by " + key
	if f.Limit > 0 {
		sql, c.args["limit"] = sql+" limit @limit", f.Limit+1
	}
	return sql, c.args
}

func (f SummaryFilter) zone() string {
	if f.Zone == "" {
		return "UTC"
	}
	return f.Zone
}

// conditions choose the quarters of a selection.
func (f SummaryFilter) conditions() conditions {
	c := conditions{args: pgx.NamedArgs{}}
	c.dimensions(f.Selection)
	c.between("quarter", f.Selection)
	return c
}

func (c *conditions) dimensions(s usage.Selection) {
	c.equal("tenant", s.Tenant)
	c.equal("task_id", s.Task)
	c.equal("session_id", s.Session)
	c.equal("user_id", s.User)
	c.equal("provider", s.Provider)
	c.equal("model", s.Model)
	c.equal("purpose", string(s.Purpose))
}

// table is the smallest that has what is asked for.
func (f SummaryFilter) table() sumTable {
	return smallest(append(f.filtered(), f.grouped()...))
}

func smallest(asked []string) sumTable {
	i := slices.IndexFunc(sumTables, func(t sumTable) bool {
		return !slices.ContainsFunc(asked, func(d string) bool { return !slices.Contains(t.dimensions, d) })
	})
	return sumTables[i]
}

func (f SummaryFilter) filtered() (asked []string) {
	c := conditions{args: pgx.NamedArgs{}}
	c.dimensions(f.Selection)
	for name := range c.args {
		if name != "tenant" {
			asked = append(asked, name)
		}
	}
	return asked
}

func (f SummaryFilter) grouped() (asked []string) {
	for _, by := range f.GroupBy {
		if by != ByTenant && by != ByDay && by != ByMonth {
			asked = append(asked, keys[by])
		}
	}
	return asked
}

// totals is the statement of the sum of everything.
func (f SummaryFilter) totals() (string, pgx.NamedArgs) {
	c, t := f.conditions(), smallest(f.filtered())
	if t.name != byQuarter {
		return "select true, '{}'::text[]," + sums + " from read." + t.name + c.where(), c.args
	}
	args := pgx.NamedArgs{}
	var parts []string
	for i, s := range spans(f.From, f.To) {
		c := conditions{args: args}
		c.equal("tenant", f.Tenant)
		for name, at := range map[string]time.Time{"quarter >= @from": s.from, "quarter < @to": s.to} {
			if !at.IsZero() {
				c.add(fmt.Sprintf("%s%d", name, i), fmt.Sprintf("%s%d", name[strings.IndexByte(name, '@')+1:], i), at)
			}
		}
		parts = append(parts, "select * from read."+s.table+c.where())
	}
	return "select true, '{}'::text[]," + sums + " from (" + strings.Join(parts, " union all ") + ") spans", args
}

// span is a time in which one table has the sums; zero is open.
type span struct {
	table    string
	from, to time.Time
}

// spans divide a time into its whole days, which are summed already, and the
// quarters before and after them.
func spans(from, to time.Time) []span {
	const day = 24 * time.Hour
	first, last := from.Truncate(day), to.Truncate(day)
	if !first.Equal(from) {
		first = first.Add(day)
	}
	if !from.IsZero() && !to.IsZero() && !first.Before(last) {
		return []span{{byQuarter, from, to}}
	}
	all := []span{{byDay, first, last}}
	if !from.Equal(first) {
		all = append(all, span{byQuarter, from, first})
	}
	if !to.Equal(last) {
		all = append(all, span{byQuarter, last, to})
	}
	return all
}
