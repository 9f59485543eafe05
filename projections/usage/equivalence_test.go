package usage_test

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	ledger "github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/projections"
	"github.com/stepledger/stepledger/projections/projtest"
	"github.com/stepledger/stepledger/projections/usage"
)

// The zones are those that make days begin at odd quarters, and two whose clocks
// change in the time the ledgers are of.
var zones = []string{
	"", "Asia/Kolkata", "Asia/Kathmandu", "Australia/Lord_Howe", "Pacific/Chatham", "America/St_Johns",
	"Europe/Berlin", "America/Los_Angeles", "Pacific/Kiritimati",
}

// A read model followed by pages of any size, by two runners at a time, is the one
// built anew, to the last digit, and both say what the domain's own fold of the
// events does.
func TestProjection_IsTheFoldOfTheLedger(t *testing.T) {
	t.Parallel()
	for seed := range uint64(3) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			t.Parallel()
			e := projtest.New(t)
			l := e.Ledger(seed)
			for i := range 12 {
				l.Write(60)
				c := e.Config(usage.Projection)
				c.PageSize = []int{1, 3, 7, 50, 0}[i%5]
				followByTwo(t, c)
			}
			before := e.Dump(usage.Projection)
			r := projections.NewRunner(e.Config(usage.Projection))
			if err := r.Rebuild(t.Context(), "usage"); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(before, e.Dump(usage.Projection)); diff != "" {
				t.Errorf("read model (-followed +rebuilt):\n%s", diff)
			}
			compareCalls(t, e, l.Calls())
			compareSums(t, e, l.Calls())
			compareRollups(t, e)
		})
	}
}

func followByTwo(t *testing.T, c projections.Config) {
	t.Helper()
	ended := make(chan error, 2)
	for range 2 {
		go func() { ended <- projections.NewRunner(c).CatchUp(t.Context()) }()
	}
	for range 2 {
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
	}
}

// compareCalls compares every row with the fold.
func compareCalls(t *testing.T, e *projtest.Env, want []ledger.Call) {
	t.Helper()
	page, err := usage.Queries{DB: e.Pool}.Calls(t.Context(), usage.CallFilter{Limit: len(want) + 1})
	if err != nil || len(page.Calls) != len(want) {
		t.Fatalf("%d calls, %v; want %d", len(page.Calls), err, len(want))
	}
	rows := map[string]usage.Call{}
	for _, c := range page.Calls {
		rows[c.ID] = c
	}
	late := 0
	for _, w := range want {
		got := rows[w.Started.Call]
		if got.Meters != w.Meters || got.CostStatus != string(w.Charge.CostStatus) || got.PriceVersion != w.Charge.PriceVersion ||
			str(got.Cost) != str(w.Charge.Cost) || got.Tenant != w.Started.Tenant || got.Task != w.Started.Task {
			t.Errorf("call %s: row %+v, fold %+v", w.Started.Call, got, w)
		}
		if (got.State == usage.Open) == w.Billed() || got.State == usage.Settled && !w.Settled {
			t.Errorf("call %s is %s, fold %+v", w.Started.Call, got.State, w)
		}
		if got.Late {
			late++
		}
	}
	if late == 0 {
		t.Error("no report came late: this proves little")
	}
}

func str(p *ledger.Pico) string {
	if p == nil {
		return "none"
	}
	return p.String()
}

// compareSums compares what summaries say with sums of the fold, made here.
func compareSums(t *testing.T, e *projtest.Env, calls []ledger.Call) {
	t.Helper()
	groupings := [][]usage.GroupBy{
		nil, by(usage.ByTenant), by(usage.ByMonth), by(usage.ByDay, usage.ByModel), by(usage.ByTask, usage.ByUser),
		by(usage.ByUser, usage.ByMonth), by(usage.BySession), by(usage.ByActionType, usage.ByProvider), by(usage.ByUser, usage.ByModel),
	}
	oct, nov := time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC), time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	selections := []ledger.Selection{
		{}, {Tenant: projtest.Tenant}, {Tenant: "globex", From: oct, To: nov}, {Tenant: projtest.Tenant, Model: "m-1"},
		{Task: "task3"}, {User: "user1", Purpose: ledger.Planning}, {Session: "session2", Provider: ledger.OpenAI},
		{From: nov.Add(-18*time.Hour - 30*time.Minute)}, {To: oct.Add(5*time.Hour + 45*time.Minute)},
		{From: nov.Add(-time.Hour), To: nov.Add(15 * time.Minute)}, {Tenant: projtest.Tenant, From: nov.Add(-10 * 24 * time.Hour).Add(15 * time.Minute), To: nov},
	}
	for i, selection := range selections {
		for j, grouping := range groupings {
			zone := zones[(i*len(groupings)+j)%len(zones)]
			compareSum(t, e, usage.SummaryFilter{Selection: selection, GroupBy: grouping, Zone: zone, Limit: 1 + (i+j)%7}, calls)
		}
	}
	for _, zone := range zones {
		compareSum(t, e, usage.SummaryFilter{GroupBy: by(usage.ByDay, usage.ByMonth, usage.ByTenant), Zone: zone}, calls)
	}
}

func compareSum(t *testing.T, e *projtest.Env, f usage.SummaryFilter, calls []ledger.Call) {
	t.Helper()
	want := map[string]usage.Totals{}
	costs := map[string]*big.Int{}
	add := func(key string, c ledger.Call) {
		if costs[key] == nil {
			costs[key] = new(big.Int)
		}
		want[key] = plus(want[key], c)
		if c.Charge.Cost != nil {
			costs[key].Add(costs[key], big.NewInt(int64(*c.Charge.Cost)))
		}
	}
	for _, c := range calls {
		if !chosen(f.Selection, c.Started) {
			continue
		}
		add("", c)
		if len(f.GroupBy) > 0 {
			add("/"+strings.Join(keysOf(f, c.Started), "/"), c)
		}
	}
	for k, totals := range want {
		totals.Cost = ledger.Pico(costs[k].Int64()).String()
		want[k] = totals
	}
	if _, any := want[""]; !any {
		want[""] = usage.Totals{Cost: "0"}
	}
	got := map[string]usage.Totals{}
	var order []string
	for {
		s, err := usage.Queries{DB: e.Pool}.Summary(t.Context(), f)
		if err != nil {
			t.Fatalf("%+v: %v", f, err)
		}
		got[""] = s.Totals
		for _, g := range s.Groups {
			key := "/" + strings.Join(g.Keys, "/")
			got[key], f.After = g.Totals, g.Keys
			order = append(order, key)
		}
		if !s.More {
			break
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%+v (-fold +summary):\n%s", f, diff)
	}
	if len(f.GroupBy) > 0 && !slices.Equal(order, slices.Sorted(maps.Keys(withoutTotal(want)))) {
		t.Errorf("%+v: pages are %v", f, order)
	}
}

func withoutTotal(m map[string]usage.Totals) map[string]usage.Totals {
	m = maps.Clone(m)
	delete(m, "")
	return m
}

func plus(t usage.Totals, c ledger.Call) usage.Totals {
	count := func(n *int64, is bool) {
		if is {
			*n++
		}
	}
	count(&t.Calls, true)
	count(&t.OpenCalls, !c.Billed())
	count(&t.UnpricedCalls, c.Charge.CostStatus == ledger.Unpriced)
	count(&t.EstimatedCalls, c.Settled && (c.Report == nil || c.Report.UsageMissing))
	count(&t.MismatchedCalls, c.Report != nil && !c.Settled && c.Report.ProviderTotal != nil && *c.Report.ProviderTotal != c.Report.Meters.Total())
	t.Meters = t.Meters.Plus(c.Meters)
	return t
}

func chosen(s ledger.Selection, c ledger.LLMCallStarted) bool {
	is := func(want, got string) bool { return want == "" || want == got }
	return is(s.Tenant, c.Tenant) && is(s.User, c.User) && is(s.Session, c.Session) && is(s.Task, c.Task) && is(s.Provider, c.Provider) &&
		is(s.Model, c.Model) && is(string(s.Purpose), string(c.Purpose)) &&
		(s.From.IsZero() || !c.StartedAt.Before(s.From)) && (s.To.IsZero() || c.StartedAt.Before(s.To))
}

func keysOf(f usage.SummaryFilter, c ledger.LLMCallStarted) (keys []string) {
	zone, err := time.LoadLocation(f.Zone)
	if err != nil {
		panic(err)
	}
	local := c.StartedAt.In(zone)
	for _, g := range f.GroupBy {
		keys = append(keys, map[usage.GroupBy]string{
			usage.ByTenant: c.Tenant, usage.ByUser: c.User, usage.BySession: c.Session, usage.ByTask: c.Task, usage.ByModel: c.Model,
			usage.ByProvider: c.Provider, usage.ByActionType: string(c.Purpose),
			usage.ByDay: local.Format(time.DateOnly), usage.ByMonth: local.Format("2006-01"),
		}[g])
	}
	return keys
}

// compareRollups: all tables of sums say the same.
func compareRollups(t *testing.T, e *projtest.Env) {
	t.Helper()
	const sum = `select count(*) from (
		select tenant, date_trunc('day', quarter, 'UTC'), sum(calls), sum(open_calls), sum(estimated_calls), sum(unpriced_calls),
			sum(mismatched_calls), sum(input_uncached), sum(input_cached), sum(input_tool), sum(input_audio), sum(output), sum(thinking), sum(cost)
		from read.%s group by 1, 2
		except
		select tenant, date_trunc('day', started_at, 'UTC'), count(*), count(*) filter (where state = 'open'),
			count(*) filter (where state = 'settled' and (usage_missing or not late)), count(*) filter (where cost_status = 'unpriced'),
			count(*) filter (where not total_matches), sum(input_uncached), sum(input_cached), sum(input_tool), sum(input_audio), sum(output),
			sum(thinking), coalesce(sum(cost), 0)
		from read.call group by 1, 2) as differ`
	for _, table := range []string{"call_rollup", "call_rollup_task", "call_rollup_model", "call_rollup_quarter", "call_rollup_day"} {
		if n := e.Count(fmt.Sprintf(sum, table)); n != 0 {
			t.Errorf("%d days of %s are not the sums of their calls", n, table)
		}
	}
}
