package billing_test

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/projections"
	"github.com/stepledger/stepledger/projections/projtest"
	usageview "github.com/stepledger/stepledger/projections/usage"
)

// books is a billing schema with a log and the read model of usage.
type books struct {
	*bench
	env *projtest.Env
}

func newBooks(t *testing.T) *books {
	t.Helper()
	b := &books{newBench(t), projtest.WithoutDatabase(t)}
	b.env.Pool = b.pool
	b.env.CatchUp(usageview.Projection)
	return b
}

var decided = time.Date(2026, 12, 24, 0, 0, 0, 0, time.UTC)

// call is billed at a cost; "" is a price nobody knows.
func (b *books) call(id string, at time.Time, model, cost string) {
	charge := usage.Charge{CostStatus: usage.Unpriced}
	if cost != "" {
		charge = usage.Charge{Cost: pico(cost), CostStatus: usage.Priced, PriceVersion: "v1"}
	}
	b.append(id,
		usage.LLMCallStarted{Call: id, Tenant: projtest.Tenant, User: "ann", Session: "s", Task: "t-" + id, Purpose: usage.Planning, Provider: usage.Google, Model: model, Attempt: 1, StartedAt: at},
		usage.LLMCallCompleted{Call: id, TotalMatches: true, Charge: charge, Report: usage.Report{Outcome: usage.OK, Meters: usage.Meters{InputUncached: 10, Output: 5}, CompletedAt: at.Add(time.Second)}},
	)
}

func (b *books) corrected(id string, m usage.Meters, delta string) {
	b.append(id, usage.UsageCorrected{Call: id, Why: "recounted", Meters: m, CostDelta: pico(delta), CostStatus: usage.Priced, PriceVersion: "v2", CorrectedAt: decided})
}

func (b *books) append(id string, events ...usage.Event) {
	b.env.T.Helper()
	projtest.Append(b.env, usage.Codec, usage.Stream("t-"+id), events...)
	b.env.CatchUp(usageview.Projection)
}

func (b *books) issue(t *testing.T, month string) usage.Statement {
	t.Helper()
	st, err := b.IssueStatement(t.Context(), projtest.Tenant, month, decided)
	if err != nil {
		t.Fatalf("issue %s: %v", month, err)
	}
	return st
}

// lines are a statement's as text: kind month model calls tokens exact amount.
func lines(st usage.Statement) (out []string) {
	for _, l := range st.Lines {
		out = append(out, strings.TrimSpace(fmt.Sprintf("%s %s %s %d %d %s %s", l.Kind, l.Month, l.Model, l.Calls, l.Total(), l.Exact, l.Amount)))
	}
	return append(out, "total "+st.Exact+" "+st.Amount)
}

func utc(s string) time.Time {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		panic(err)
	}
	return t
}

// What came after a statement is on the next, to the last digit, and on no other.
func TestStatement_LaterCorrectionsAreOnTheNext(t *testing.T) {
	t.Parallel()
	b := newBooks(t)
	if err := b.SetZone(t.Context(), projtest.Tenant, "Asia/Kolkata"); err != nil {
		t.Fatal(err)
	}
	b.call("before", utc("2026-09-30T18:29:59Z"), "m-1", "100") // the last second of September there
	b.call("first", utc("2026-09-30T18:30:00Z"), "m-1", "0.123456789012")
	b.call("last", utc("2026-10-31T18:29:59.999999Z"), "m-2", "2")
	b.call("unpriced", utc("2026-10-10T00:00:00Z"), "m-3", "")
	b.call("next", utc("2026-10-31T18:30:00Z"), "m-1", "7")
	b.issue(t, "2026-09")
	october := b.issue(t, "2026-10")
	if diff := cmp.Diff([]string{
		"usage 2026-10 m-1 1 15 0.123456789012 0.12", "usage 2026-10 m-2 1 15 2 2.00", "usage 2026-10 m-3 1 15 0 0.00",
		"total 2.123456789012 2.12",
	}, lines(october)); diff != "" {
		t.Errorf("October (-want +got):\n%s", diff)
	}
	if n := october.Lines[2].Unpriced; n != 1 {
		t.Errorf("%d calls of m-3 are said to be unpriced, want 1", n)
	}

	b.corrected("first", usage.Meters{Output: -2}, "-0.023456789012")
	b.corrected("unpriced", usage.Meters{}, "0.5")
	b.call("late", utc("2026-10-15T00:00:00Z"), "m-1", "0.000000000001") // of October, heard of in December
	november := b.issue(t, "2026-11")
	if diff := cmp.Diff([]string{
		"usage 2026-11 m-1 1 15 7 7.00",
		"correction 2026-10 m-1 1 13 -0.023456789011 -0.02", "correction 2026-10 m-3 0 0 0.5 0.50",
		"total 7.476543210989 7.48",
	}, lines(november)); diff != "" {
		t.Errorf("November (-want +got):\n%s", diff)
	}
	if n := november.Lines[2].Unpriced; n != -1 {
		t.Errorf("unpriced calls changed by %d, want -1", n)
	}
	again, err := b.Statement(t.Context(), projtest.Tenant, "2026-10")
	if err != nil || again.ID != october.ID {
		t.Fatalf("%v, %s; want %s", err, again.ID, october.ID)
	}
	if diff := cmp.Diff(lines(october), lines(again)); diff != "" {
		t.Errorf("October is no longer what it was (-issued +now):\n%s", diff)
	}
	december, err := b.DraftStatement(t.Context(), projtest.Tenant, "2026-12")
	if err != nil || len(december.Lines) != 0 {
		t.Errorf("December: %v, %v; what was corrected once is corrected again", lines(december), err)
	}
}

func TestStatement_SaysWhatRoundingMakes(t *testing.T) {
	t.Parallel()
	b := newBooks(t)
	for i := range 3 {
		b.call(strconv.Itoa(i), utc("2026-10-10T00:00:00Z"), fmt.Sprintf("m-%d", i), "0.005")
	}
	b.call("negative", utc("2026-10-10T00:00:00Z"), "m-9", "1")
	b.corrected("negative", usage.Meters{}, "-1.025")
	if diff := cmp.Diff([]string{
		"usage 2026-10 m-0 1 15 0.005 0.01", "usage 2026-10 m-1 1 15 0.005 0.01", "usage 2026-10 m-2 1 15 0.005 0.01",
		"usage 2026-10 m-9 1 15 -0.025 -0.03", "rounding 2026-10  0 0 0 -0.01", "total -0.01 -0.01",
	}, lines(b.issue(t, "2026-10"))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestStatement_IsNotDue(t *testing.T) {
	t.Parallel()
	b := newBooks(t)
	b.call("september", utc("2026-09-10T00:00:00Z"), "m-1", "1")
	b.call("november", utc("2026-11-10T00:00:00Z"), "m-1", "1")
	b.append("open", usage.LLMCallStarted{Call: "open", Tenant: projtest.Tenant, User: "ann", Task: "t-open", Provider: usage.Google, Model: "m-1", StartedAt: utc("2026-11-20T00:00:00Z")})
	refused := func(month string, now time.Time, want string) {
		t.Helper()
		_, err := b.IssueStatement(t.Context(), projtest.Tenant, month, now)
		var e *domain.Error
		if !errors.As(err, &e) || e.Code != "STATEMENT_NOT_DUE" || !strings.Contains(e.Msg, want) {
			t.Errorf("%s: got %v; want that %s", month, err, want)
		}
	}
	refused("2026-09", utc("2026-09-30T23:59:59Z"), "the month ends")
	refused("2026-10", decided, "2026-09 has usage")
	b.issue(t, "2026-09")
	refused("2026-11", decided, "1 calls of the month have no bill")
	b.issue(t, "2026-10") // of nothing
	refused("2026-08", decided, "2026-10 is issued already")
	if _, err := b.Statement(t.Context(), projtest.Tenant, "2026-11"); err == nil {
		t.Error("a statement that was refused is there")
	}
	if _, err := b.DraftStatement(t.Context(), projtest.Tenant, "November"); err == nil {
		t.Error("November is no month like 2026-11")
	}
}

// Whoever can write to the database at all still cannot change a statement.
func TestStatement_NeverChanges(t *testing.T) {
	t.Parallel()
	b := newBooks(t)
	b.call("1", utc("2026-10-10T00:00:00Z"), "m-1", "1.005")
	before := b.issue(t, "2026-10")
	for _, sql := range []string{
		`update billing.statement set amount = 0`, `delete from billing.statement`, `truncate billing.statement cascade`,
		`update billing.statement_line set exact = 0`, `delete from billing.statement_line`, `truncate billing.statement_line`,
		`insert into billing.statement_line select statement, 99, kind, month, provider, model, calls, estimated, unpriced, input_uncached, input_cached, input_tool, input_audio, output, thinking, exact, amount from billing.statement_line`,
	} {
		if _, err := b.pool.Exec(t.Context(), sql); err == nil {
			t.Errorf("%s: it was done", sql)
		}
	}
	b.corrected("1", usage.Meters{}, "5")
	r := projections.NewRunner(b.env.Config(usageview.Projection))
	if err := r.Rebuild(t.Context(), "usage"); err != nil {
		t.Fatal(err)
	}
	again := b.issue(t, "2026-10")
	if diff := cmp.Diff(before.Lines, again.Lines); diff != "" || before.ID != again.ID || before.Amount != again.Amount {
		t.Errorf("after a rebuild (-before +after):\n%s", diff)
	}
}

func TestStatement_IsIssuedOnce_HoweverManyTry(t *testing.T) {
	t.Parallel()
	b := newBooks(t)
	b.call("1", utc("2026-10-10T00:00:00Z"), "m-1", "1")
	ids := make(chan string, 8)
	for range cap(ids) {
		go func() {
			st, err := b.IssueStatement(t.Context(), projtest.Tenant, "2026-10", decided)
			if err != nil {
				t.Error(err)
			}
			ids <- st.ID
		}()
	}
	first := <-ids
	for range cap(ids) - 1 {
		if id := <-ids; id != first {
			t.Errorf("statements %s and %s", first, id)
		}
	}
}

// Of any ledger, and whatever becomes of it after statements were issued: the FOCUS
// rows add up to the calls and, by their invoices, to the statements.
func TestFocus_AddsUp(t *testing.T) {
	t.Parallel()
	for seed := range uint64(3) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			t.Parallel()
			b := newBooks(t)
			if err := b.SetZone(t.Context(), projtest.Tenant, "America/St_Johns"); err != nil {
				t.Fatal(err)
			}
			l := b.env.Ledger(seed)
			l.Write(250)
			for _, month := range []string{"2026-09", "2026-10", "2026-11"} {
				l.Close()
				b.env.CatchUp(usageview.Projection)
				b.checkFocus(t)
				b.issue(t, month)
				b.checkFocus(t)
				b.checkInvoices(t)
				l.Write(120)
				b.env.CatchUp(usageview.Projection)
				b.checkFocus(t)
			}
			for what, sql := range map[string]string{
				"corrections": `select count(*) from billing.focus where "ChargeClass" = 'Correction'`,
				"adjustments": `select count(*) from billing.focus where "ChargeCategory" = 'Adjustment'`,
				"unpriced":    `select count(*) from billing.focus where "x_CostStatus" = 'unpriced'`,
				"invoiced":    `select count(*) from billing.focus where "InvoiceId" is not null`,
			} {
				if b.env.Count(sql) == 0 {
					t.Errorf("there are no %s: this proves little", what)
				}
			}
		})
	}
}

func (b *books) checkFocus(t *testing.T) {
	t.Helper()
	for what, sql := range map[string]string{
		"calls whose rows do not add up to their cost": `
			select count(*) from read.call c
			where state <> 'open' and cost is distinct from (
				select coalesce(sum("BilledCost"), case when c.cost = 0 then 0 end) from billing.focus f where f."ResourceId" = c.call_id)
			and not (c.cost is null and (select coalesce(sum("BilledCost"), 0) from billing.focus f where f."ResourceId" = c.call_id) = 0)`,
		"calls whose rows do not add up to their tokens": `
			select count(*) from billing.usage_call c
			where state <> 'open' and total_tokens <> (
				select coalesce(sum("ConsumedQuantity"), 0) from billing.focus f where f."ResourceId" = c.call_id)`,
		"rows on which quantity times price is not the cost": `
			select count(*) from billing.focus
			where "ChargeCategory" = 'Usage' and "x_CostStatus" <> 'unpriced'
				and coalesce("PricingQuantity" * "ListUnitPrice", 0) <> "BilledCost"`,
		"unpriced rows that cost something": `select count(*) from billing.focus where "x_CostStatus" = 'unpriced' and "BilledCost" is not null`,
		"corrections of months that are open": `
			select count(*) from billing.focus f
			where "ChargeClass" = 'Correction' and not exists (
				select from billing.statement s where s.tenant = f."BillingAccountId" and f."ChargePeriodStart" >= s.period_start and f."ChargePeriodStart" < s.period_end)`,
	} {
		if n := b.env.Count(sql); n != 0 {
			t.Errorf("%d %s", n, what)
		}
	}
}

// checkInvoices compares what rows carry the id of a statement with its total, and
// what all statements say with what the ledger comes to.
func (b *books) checkInvoices(t *testing.T) {
	t.Helper()
	rows, err := b.pool.Query(t.Context(), `
		select s.month::text, s.exact::text, coalesce(sum(f."BilledCost"), 0)::numeric(30,12)::text
		from billing.statement s left join billing.focus f on f."InvoiceId" = s.id::text
		group by s.id`)
	if err != nil {
		t.Fatal(err)
	}
	var month, stated, exported string
	if _, err := pgx.ForEachRow(rows, []any{&month, &stated, &exported}, func() error {
		if stated != exported {
			t.Errorf("%s: the statement says %s, its rows come to %s", month, stated, exported)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	var all, ledger string
	if err := b.pool.QueryRow(t.Context(), `
		select sum(exact)::text, (
			select coalesce(sum(cost), 0)::numeric(30,12)::text from read.call
			where tenant = $1 and started_at < (select max(period_end) from billing.statement))
		from billing.statement`, projtest.Tenant).Scan(&all, &ledger); err != nil {
		t.Fatal(err)
	}
	if all != ledger {
		t.Errorf("all statements come to %s, the ledger to %s", all, ledger)
	}
}

func (b *books) export(t *testing.T, e usage.Export) [][]string {
	t.Helper()
	var out bytes.Buffer
	if err := b.Export(t.Context(), &out, e); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&out).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func column(t *testing.T, rows [][]string, name string) (out []string) {
	t.Helper()
	i := slices.Index(rows[0], name)
	if i < 0 {
		t.Fatalf("there is no column %s in %v", name, rows[0])
	}
	for _, r := range rows[1:] {
		out = append(out, r[i])
	}
	return out
}

func TestExport_TextsAreNoFormulas(t *testing.T) {
	t.Parallel()
	b := newBooks(t)
	hostile := []string{"=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx", "\nx", "＝1", "a=1", `"quoted",`, "ünïcode"}
	for i, model := range hostile {
		b.call(strconv.Itoa(i), utc("2026-10-10T00:00:00Z").Add(time.Duration(i)*time.Hour), model, "1")
	}
	b.corrected("0", usage.Meters{Output: -7}, "-1.5")
	var want []string
	for i, model := range hostile {
		if i < 8 {
			model = "'" + model
		}
		want = append(want, strings.ReplaceAll(model, "\r\n", "\n"))
	}
	rows := b.export(t, usage.Export{Format: usage.PlainCSV})
	if diff := cmp.Diff(want, column(t, rows, "model")); diff != "" {
		t.Errorf("models (-want +got):\n%s", diff)
	}
	if costs := column(t, rows, "cost_usd"); costs[0] != "-0.500000000000" || column(t, rows, "output")[0] != "-2" {
		t.Errorf("costs %v: a negative number is a number", costs)
	}
	skus := column(t, b.export(t, usage.Export{Format: usage.FocusCSV}), "SkuId")
	for _, sku := range skus {
		if strings.ContainsAny(sku[:1], "=+-@\t\r\n") {
			t.Errorf("SkuId %q would be a formula", sku)
		}
	}
}

func TestExport_AddsUp(t *testing.T) {
	t.Parallel()
	b := newBooks(t)
	l := b.env.Ledger(21)
	l.Write(400)
	b.env.CatchUp(usageview.Projection)
	for _, s := range []usage.Selection{
		{Tenant: projtest.Tenant}, {Tenant: "globex", From: utc("2026-10-01T00:00:00Z"), To: utc("2026-11-01T00:00:00Z")},
		{Tenant: projtest.Tenant, Model: "m-1", Purpose: usage.Planning}, {User: "user1", Provider: usage.OpenAI}, {Task: "task3"}, {Session: "session2"}, {Tenant: "no'body"},
	} {
		sum, err := usageview.Queries{DB: b.pool}.Summary(t.Context(), usageview.SummaryFilter{Selection: s})
		if err != nil {
			t.Fatal(err)
		}
		plain, focus := b.export(t, usage.Export{Selection: s, Format: usage.PlainCSV}), b.export(t, usage.Export{Selection: s, Format: usage.FocusCSV})
		if got := len(plain) - 1; int64(got) != sum.Calls {
			t.Errorf("%+v: %d rows, want %d", s, got, sum.Calls)
		}
		for what, costs := range map[string][]string{"csv": column(t, plain, "cost_usd"), "focus": column(t, focus, "BilledCost")} {
			if got := total(t, costs); got.Cmp(rat(t, sum.Cost)) != 0 {
				t.Errorf("%+v: %s adds up to %s, want %s", s, what, got.FloatString(12), sum.Cost)
			}
		}
	}
}

func total(t *testing.T, amounts []string) *big.Rat {
	t.Helper()
	sum := new(big.Rat)
	for _, a := range amounts {
		if a != "" {
			sum.Add(sum, rat(t, a))
		}
	}
	return sum
}

func rat(t *testing.T, s string) *big.Rat {
	t.Helper()
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		t.Fatalf("%q is no number", s)
	}
	return r
}

func TestExport_IsInTheTenantsTimeZone(t *testing.T) {
	t.Parallel()
	b := newBooks(t)
	b.call("1", utc("2026-10-31T20:00:00Z"), "m-1", "1")
	if err := b.SetZone(t.Context(), projtest.Tenant, "Asia/Kolkata"); err != nil {
		t.Fatal(err)
	}
	for zone, want := range map[string][2]string{
		"": {"2026-11-01", "2026-11-01 01:30:00+05:30"}, "UTC": {"2026-10-31", "2026-10-31 20:00:00+00"}, "America/Los_Angeles": {"2026-10-31", "2026-10-31 13:00:00-07"},
	} {
		rows := b.export(t, usage.Export{Selection: usage.Selection{Tenant: projtest.Tenant}, Format: usage.PlainCSV, Zone: zone})
		if got := [2]string{column(t, rows, "day")[0], column(t, rows, "started_at")[0]}; got != want {
			t.Errorf("in %q: %v, want %v", zone, got, want)
		}
	}
	focus := b.export(t, usage.Export{Selection: usage.Selection{Tenant: projtest.Tenant}, Format: usage.FocusCSV})
	if got := column(t, focus, "BillingPeriodStart")[0]; got != "2026-10-31T18:30:00Z" {
		t.Errorf("the billing period begins at %s", got)
	}
}

func TestExport_Refuses(t *testing.T) {
	t.Parallel()
	b := newBooks(t)
	for field, e := range map[string]usage.Export{"format": {Format: "xml"}, "timeZone": {Format: usage.PlainCSV, Zone: "Mars/Olympus"}} {
		err := b.Export(t.Context(), &bytes.Buffer{}, e)
		var told *domain.Error
		if !errors.As(err, &told) || told.Field != field {
			t.Errorf("%+v: %v, want an invalid %s", e, err, field)
		}
	}
}

// stuck takes nothing until it is let go.
type stuck struct{ begun, go_ chan struct{} }

func (s stuck) Write(p []byte) (int, error) {
	s.begun <- struct{}{}
	<-s.go_
	return len(p), nil
}

func TestExport_FewAtATime(t *testing.T) {
	t.Parallel()
	b := newBooks(t)
	s := stuck{make(chan struct{}), make(chan struct{})}
	ended := make(chan error, 2)
	for range 2 {
		go func() { ended <- b.Export(t.Context(), s, usage.Export{Format: usage.PlainCSV, Zone: "UTC"}) }()
		<-s.begun
	}
	err := b.Export(t.Context(), &bytes.Buffer{}, usage.Export{Format: usage.PlainCSV, Zone: "UTC"})
	var told *domain.Error
	if !errors.As(err, &told) || told.Code != "EXPORTS_BUSY" || told.RetryAfter == 0 {
		t.Errorf("a third export: %v", err)
	}
	close(s.go_)
	for range 2 {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

func TestViews_AreDocumented(t *testing.T) {
	t.Parallel()
	b := newBooks(t)
	if n := b.env.Count(`select count(*) from billing.column_comment where comment is null`); n != 0 {
		t.Errorf("%d columns are not explained; select * from billing.column_comment where comment is null", n)
	}
	if n := b.env.Count(`
		select count(*) from information_schema.role_table_grants
		where grantee = 'billing_reader' and obj_description((table_schema || '.' || table_name)::regclass, 'pg_class') is null`); n != 0 {
		t.Errorf("%d relations may be read and are not explained", n)
	}
}

// The role reads what it was given and nothing else, and writes nothing.
func TestReader(t *testing.T) {
	t.Parallel()
	b := newBooks(t)
	b.call("1", utc("2026-10-10T00:00:00Z"), "m-1", "1")
	b.issue(t, "2026-10")
	as := func(sql string) error {
		return pgx.BeginFunc(t.Context(), b.pool, func(tx pgx.Tx) error {
			if _, err := tx.Exec(t.Context(), `set local role billing_reader`); err != nil {
				return err
			}
			_, err := tx.Exec(t.Context(), sql)
			return err
		})
	}
	for _, sql := range []string{
		`select * from billing.usage_call`, `select * from billing.usage_correction`, `select * from billing.usage_daily`, `select * from billing.usage_monthly`,
		`select * from billing.focus`, `select * from billing.statement`, `select * from billing.statement_line`, `select * from billing.column_comment`,
		`select * from billing.price`, `select * from billing.budget`, `select * from billing.month`,
	} {
		if err := as(sql); err != nil {
			t.Errorf("%s: %v", sql, err)
		}
	}
	const denied = "42501"
	for _, sql := range []string{
		`select * from read.call`, `select * from identity.users`, `select * from billing.booking`, `select * from billing.tenant`,
		`insert into billing.budget (tenant, from_month) values ('acme', '2026-01-01')`, `delete from billing.statement`, `create table billing.mine (a int)`,
	} {
		var pg *pgconn.PgError
		if err := as(sql); !errors.As(err, &pg) || pg.Code != denied {
			t.Errorf("%s: %v, want it denied", sql, err)
		}
	}
}
