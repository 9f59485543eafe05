package usage

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/eventstore"
)

// Ledgers are the streams the read model is of.
type Ledgers interface {
	eventstore.Log
	eventstore.Feed
}

// Difference is something the read model and the ledger disagree on.
type Difference struct {
	// Call is "" for a difference of sums.
	Call   string `json:"call,omitempty"`
	Tenant string `json:"tenant,omitempty"`
	What   string `json:"what"`
	Ledger string `json:"ledger"`
	Rows   string `json:"readModel"`
}

// Reconciled says how much was compared.
type Reconciled struct {
	Position    int64 `json:"position"` // of the log that the read model had seen
	Ledgers     int   `json:"ledgers"`
	Calls       int64 `json:"calls"`
	Differences int   `json:"differences"`
}

// reconcileAtOnce is how many ledgers are compared in one go; memory holds no more.
const reconcileAtOnce = 100

// Reconcile folds every ledger anew, by the domain and not as the projection does,
// and compares call by call what it says with the rows; then the rows with every
// table of sums. Differences are told as they are found. The log and the read model
// may go on meanwhile: each comparison is of one position.
func (q Queries) Reconcile(ctx context.Context, log Ledgers, tell func(Difference) error) (Reconciled, error) {
	r := reconciler{q: q, log: log, tell: tell}
	if err := r.run(ctx); err != nil {
		return r.Reconciled, fmt.Errorf("reconcile usage: %w", err)
	}
	return r.Reconciled, nil
}

type reconciler struct {
	Reconciled
	q    Queries
	log  Ledgers
	tell func(Difference) error
}

func (r *reconciler) run(ctx context.Context) error {
	var rows, began int64
	err := r.snapshot(ctx, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, `
			select position, (select count(*) from read.call)
			from read.checkpoint where projection = 'usage' and live`).Scan(&r.Position, &rows)
	})
	if err != nil {
		return err
	}
	var subjects []string
	for at := int64(0); at < r.Position; {
		page, err := r.log.ReadAll(ctx, at, 0, Projection.Filter)
		if err != nil {
			return err
		}
		for _, e := range page.Events {
			if e.Position > r.Position {
				break
			}
			if e.Type == usage.NameLLMCallStarted {
				began++
			}
			if e.Revision != 0 { // the first of a stream stands for it
				continue
			}
			if subjects = append(subjects, e.Stream[len(usage.Stream("")):]); len(subjects) == reconcileAtOnce {
				if err := r.compare(ctx, subjects); err != nil {
					return err
				}
				subjects = nil
			}
		}
		if page.Scanned <= at {
			break
		}
		at = page.Scanned
	}
	if err := r.compare(ctx, subjects); err != nil {
		return err
	}
	if rows != began {
		if err := r.differ(Difference{What: "number of calls", Ledger: strconv.FormatInt(began, 10), Rows: strconv.FormatInt(rows, 10)}); err != nil {
			return err
		}
	}
	return r.compareSums(ctx)
}

func (r *reconciler) differ(d Difference) error {
	r.Differences++
	return r.tell(d)
}

// snapshot is a transaction that sees one moment.
func (r *reconciler) snapshot(ctx context.Context, do func(pgx.Tx) error) error {
	return pgx.BeginFunc(ctx, r.q.DB, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `set transaction isolation level repeatable read read only`); err != nil {
			return err
		}
		return do(tx)
	})
}

// compare compares ledgers with their rows, as of the position the rows are of.
func (r *reconciler) compare(ctx context.Context, subjects []string) error {
	var position int64
	rows := map[string]Call{}
	var twice []Call
	err := r.snapshot(ctx, func(tx pgx.Tx) error {
		err := tx.QueryRow(ctx, `select position from read.checkpoint where projection = 'usage' and live`).Scan(&position)
		if err != nil {
			return err
		}
		found, err := tx.Query(ctx, `select `+columns+` from read.call where subject = any($1)`, subjects)
		if err != nil {
			return err
		}
		calls, err := pgx.CollectRows(found, pgx.RowToStructByName[Call])
		for _, c := range calls {
			if _, known := rows[c.ID]; known {
				twice = append(twice, c)
			}
			rows[c.ID] = c
		}
		return err
	})
	if err != nil {
		return err
	}
	for _, s := range subjects {
		ledger, err := r.fold(ctx, s, position)
		if err != nil {
			return err
		}
		r.Ledgers++
		for id, want := range ledger.Calls {
			r.Calls++
			if err := r.compareCall(want, rows[id]); err != nil {
				return err
			}
			delete(rows, id)
		}
	}
	for _, c := range rows {
		twice = append(twice, c)
	}
	for _, c := range twice {
		if err := r.differ(Difference{Call: c.ID, Tenant: c.Tenant, What: "row", Ledger: "none", Rows: "one too many"}); err != nil {
			return err
		}
	}
	return nil
}

// fold is a ledger's state up to a position of the log.
func (r *reconciler) fold(ctx context.Context, subject string, position int64) (usage.State, error) {
	state := usage.Initial()
	for from := int64(0); ; {
		slice, err := r.log.ReadStream(ctx, usage.Stream(subject), eventstore.ReadOptions{From: from})
		if err != nil {
			return state, err
		}
		for _, e := range slice.Events {
			if e.Position > position {
				return state, nil
			}
			event, err := usage.Codec.Decode(e.Type, e.Data, e.ID, nil)
			if domain.IsNewer(err) {
				from = e.Revision + 1 // the read model has not seen it either
				continue
			}
			if err != nil {
				return state, fmt.Errorf("%s@%d: %w", e.Stream, e.Revision, err)
			}
			state, from = usage.Evolve(state, event), e.Revision+1
		}
		if !slice.More {
			return state, nil
		}
	}
}

func (r *reconciler) compareCall(want usage.Call, got Call) error {
	s := want.Started
	for _, field := range []struct{ what, ledger, row string }{
		{"row", s.Call, got.ID}, {"tenant", s.Tenant, got.Tenant}, {"user", s.User, got.User}, {"session", s.Session, got.Session},
		{"task", s.Task, got.Task}, {"provider", s.Provider, got.Provider}, {"model", s.Model, got.Model},
		{"action type", string(s.Purpose), got.Purpose}, {"start", micros(s.StartedAt), micros(got.StartedAt)},
		{"billed", strconv.FormatBool(want.Billed()), strconv.FormatBool(got.State != Open)},
		{"tokens", fmt.Sprint(want.Meters), fmt.Sprint(got.Meters)},
		{"cost", amount(want.Charge.Cost), amount(got.Cost)},
		{"cost status", string(want.Charge.CostStatus), got.CostStatus},
		{"price version", want.Charge.PriceVersion, got.PriceVersion},
	} {
		if field.ledger == field.row {
			continue
		}
		if err := r.differ(Difference{s.Call, s.Tenant, field.what, field.ledger, field.row}); err != nil || got.ID == "" {
			return err
		}
	}
	return nil
}

func micros(t time.Time) string {
	return t.UTC().Truncate(time.Microsecond).Format(time.RFC3339Nano)
}

func amount(p *usage.Pico) string {
	if p == nil {
		return "unknown"
	}
	return p.String()
}

// differingSums are the days of a table of sums that are not those of its calls.
const differingSums = `
	with wanted as (
		select tenant, date_trunc('day', started_at, 'UTC') as day, count(*)::numeric as calls,
			count(*) filter (where state = 'open')::numeric as open_calls,
			count(*) filter (where cost_status = 'unpriced')::numeric as unpriced_calls,
			sum(input_uncached + input_cached + input_tool + input_audio) as input, sum(output + thinking) as output,
			coalesce(sum(cost), 0) as cost
		from read.call
		group by 1, 2
	),
	found as (
		select tenant, date_trunc('day', quarter, 'UTC') as day, sum(calls) as calls, sum(open_calls) as open_calls,
			sum(unpriced_calls) as unpriced_calls,
			sum(input_uncached + input_cached + input_tool + input_audio) as input, sum(output + thinking) as output,
			sum(cost) as cost
		from read.%s
		group by 1, 2
	)
	select coalesce(w.tenant, f.tenant collate "default"), coalesce(w.day, f.day), coalesce(to_jsonb(w)::text, 'none'), coalesce(to_jsonb(f)::text, 'none')
	from wanted w full join found f on f.tenant = w.tenant collate "C" and f.day = w.day
	where (w.calls, w.open_calls, w.unpriced_calls, w.input, w.output, w.cost)
		is distinct from (f.calls, f.open_calls, f.unpriced_calls, f.input, f.output, f.cost)
	order by 1, 2`

func (r *reconciler) compareSums(ctx context.Context) error {
	for _, t := range sumTables {
		var found []Difference
		rows, err := r.q.DB.Query(ctx, fmt.Sprintf(differingSums, t.name))
		if err != nil {
			return err
		}
		var d Difference
		var day time.Time
		_, err = pgx.ForEachRow(rows, []any{&d.Tenant, &day, &d.Ledger, &d.Rows}, func() error {
			d.What = t.name + " of " + day.UTC().Format(time.DateOnly)
			found = append(found, d)
			return nil
		})
		for _, d := range found {
			err = errors.Join(err, r.differ(d))
		}
		if err != nil {
			return err
		}
	}
	return nil
}
