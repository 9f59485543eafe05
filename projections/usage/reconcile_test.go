package usage_test

import (
	"strings"
	"testing"

	"github.com/stepledger/stepledger/projections"
	"github.com/stepledger/stepledger/projections/projtest"
	"github.com/stepledger/stepledger/projections/usage"
)

func reconcile(t *testing.T, e *projtest.Env) (usage.Reconciled, []usage.Difference) {
	t.Helper()
	var all []usage.Difference
	done, err := usage.Queries{DB: e.Pool}.Reconcile(t.Context(), e.Store, func(d usage.Difference) error {
		all = append(all, d)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if done.Differences != len(all) {
		t.Errorf("%d differences are counted, %d told", done.Differences, len(all))
	}
	return done, all
}

func TestReconcile_FindsNothingWhereNothingIs(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	l := e.Ledger(11)
	l.Write(200)
	e.CatchUp(usage.Projection)
	l.Write(100) // the read model is behind: that is no difference
	done, all := reconcile(t, e)
	if len(all) != 0 {
		t.Errorf("differences: %+v", all)
	}
	if n := e.Count(`select count(*) from read.call`); done.Calls != int64(n) || done.Ledgers == 0 {
		t.Errorf("%d calls of %d ledgers were compared, there are %d", done.Calls, done.Ledgers, n)
	}
}

func TestReconcile_FindsWhatDiffers(t *testing.T) {
	t.Parallel()
	for what, tt := range map[string]struct{ sql, finding string }{
		"a row that is missing":    {`delete from fact where (tableoid, ctid) = (select tableoid, ctid from fact limit 1)`, "row"},
		"an open call too many":    {`insert into open_call select (jsonb_populate_record(f, '{"state":"open","call_id":"ghost"}')).* from fact f limit 1`, "row"},
		"a bill there twice":       {`insert into fact select * from fact limit 1`, "row"},
		"a cost by a pico-dollar":  {`update fact set cost = cost + 0.000000000001 where (tableoid, ctid) = (select tableoid, ctid from fact where cost is not null limit 1)`, "cost"},
		"a token on another meter": {`update fact set output = output + 1, thinking = thinking - 1 where (tableoid, ctid) = (select tableoid, ctid from fact limit 1)`, "tokens"},
		"another user":             {`update fact set user_id = 'mallory' where (tableoid, ctid) = (select tableoid, ctid from fact limit 1)`, "user"},
		"a sum":                    {`update call_rollup_day set cost = cost + 0.000000000001 where (tableoid, ctid) = (select tableoid, ctid from call_rollup_day limit 1)`, "call_rollup_day"},
		"a sum that is gone":       {`delete from call_rollup_task where (tableoid, ctid) = (select tableoid, ctid from call_rollup_task limit 1)`, "call_rollup_task"},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			e := projtest.New(t)
			e.Ledger(12).Write(150)
			e.CatchUp(usage.Projection)
			schema := ""
			if err := e.Pool.QueryRow(t.Context(), `select 'read_usage_' || generation from read.checkpoint where projection = 'usage'`).Scan(&schema); err != nil {
				t.Fatal(err)
			}
			if err := inSchema(t, e, schema, tt.sql); err != nil {
				t.Fatal(err)
			}
			_, all := reconcile(t, e)
			found := false
			for _, d := range all {
				found = found || strings.Contains(d.What, tt.finding)
			}
			if !found {
				t.Errorf("it was not found: %+v", all)
			}
			r := projections.NewRunner(e.Config(usage.Projection))
			if err := r.Rebuild(t.Context(), "usage"); err != nil {
				t.Fatal(err)
			}
			if _, all := reconcile(t, e); len(all) != 0 {
				t.Errorf("after a rebuild: %+v", all)
			}
		})
	}
}

func inSchema(t *testing.T, e *projtest.Env, schema, sql string) error {
	t.Helper()
	tx, err := e.Pool.Begin(t.Context())
	if err != nil {
		return err
	}
	defer tx.Rollback(t.Context())
	if _, err := tx.Exec(t.Context(), `set local search_path to `+schema); err != nil {
		return err
	}
	tag, err := tx.Exec(t.Context(), sql)
	if err == nil && tag.RowsAffected() != 1 {
		t.Errorf("%d rows were changed", tag.RowsAffected())
	}
	if err != nil {
		return err
	}
	return tx.Commit(t.Context())
}
