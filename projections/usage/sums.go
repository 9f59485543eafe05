package usage

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
)

// addSums adds the page's sums to those there are. The table of everything gets
// nearly as many rows as there are calls, and nearly all of them new: a row costs a
// third in a COPY of what it does as one that may be there already.
func (p *page) addSums(ctx context.Context, tx pgx.Tx) error {
	if len(p.sums) == 0 {
		return nil
	}
	if err := tx.SendBatch(ctx, p.adds).Close(); err != nil {
		return err
	}
	for month, sums := range p.sums.byMonth() {
		if err := sums.replace(ctx, tx, partition(byEverything, month)); err != nil {
			return err
		}
	}
	return nil
}

// adds are the statements for the other tables.
func (r rollup) adds() *pgx.Batch {
	all := map[string]rollup{byEverything: r}
	var b pgx.Batch
	for _, t := range slices.Backward(sumTables) {
		if t.name != byEverything {
			all[t.name] = all[t.base].by(t.drop)
			all[t.name].addTo(&b, t)
		}
	}
	return &b
}

func (r rollup) byMonth() map[time.Time]rollup {
	months := map[time.Time]rollup{}
	for k, s := range r {
		m := monthOf(k.quarter)
		if months[m] == nil {
			months[m] = rollup{}
		}
		months[m][k] = s
	}
	return months
}

// takeSums removes the rows of tasks' quarters that any of the sums may belong to.
const takeSums = `
	delete from %s as r
	using unnest($1::text[], $2::text[], $3::timestamptz[]) as k (tenant, task, quarter)
	where r.tenant = k.tenant and r.task_id = k.task and r.quarter = k.quarter and r.purpose = any ($4) and r.model = any ($5)
	returning r.tenant, r.quarter, r.task_id, r.session_id, r.user_id, r.provider, r.model, r.purpose,
		r.calls, r.open_calls, r.estimated_calls, r.unpriced_calls, r.mismatched_calls,
		r.input_uncached, r.input_cached, r.input_tool, r.input_audio, r.output, r.thinking,
		trunc(r.cost)::bigint, ((r.cost - trunc(r.cost)) * 1000000000000)::bigint`

// replace takes the rows that change out of a partition and puts them back with the
// sums added, and with the new ones.
func (r rollup) replace(ctx context.Context, tx pgx.Tx, table string) error {
	rows, err := r.take(ctx, tx, table)
	if err != nil {
		return err
	}
	for k, s := range r {
		if was := rows[k]; was != nil {
			was.add(*s, 1)
		} else {
			rows[k] = s
		}
	}
	const rowSize = 400 // about
	data := newRows(len(rows) * rowSize)
	defer data.free()
	for k, s := range rows {
		data.sum(k, s)
	}
	return copyTo(ctx, tx, table, *data)
}

func (r rollup) take(ctx context.Context, tx pgx.Tx, table string) (rollup, error) {
	var tenants, tasks []string
	var quarters []time.Time
	purposes, models := map[string]bool{}, map[string]bool{}
	for k := range r.by(func(c cell) cell { return cell{tenant: c.tenant, task: c.task, quarter: c.quarter} }) {
		tenants, tasks, quarters = append(tenants, k.tenant), append(tasks, k.task), append(quarters, k.quarter)
	}
	for k := range r {
		purposes[k.purpose], models[k.model] = true, true
	}
	// Planned each time: a plan made while the table was small would read all of it.
	found, err := tx.Query(ctx, fmt.Sprintf(takeSums, table), pgx.QueryExecModeExec, tenants, tasks, quarters, listOf(purposes), listOf(models))
	if err != nil {
		return nil, err
	}
	taken := rollup{}
	var k cell
	var s sum
	_, err = pgx.ForEachRow(found, []any{
		&k.tenant, &k.quarter, &k.task, &k.session, &k.user, &k.provider, &k.model, &k.purpose,
		&s.calls, &s.open, &s.estimated, &s.unpriced, &s.mismatched,
		&s.meters.InputUncached, &s.meters.InputCached, &s.meters.InputTool, &s.meters.InputAudio, &s.meters.Output, &s.meters.Thinking,
		&s.dollars, &s.picos,
	}, func() error {
		k.quarter = k.quarter.UTC()
		was := s
		taken[k] = &was
		return nil
	})
	return taken, err
}

func listOf(set map[string]bool) []string { return slices.Collect(maps.Keys(set)) }
