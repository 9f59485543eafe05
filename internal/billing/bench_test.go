package billing_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/internal/billing"
	"github.com/stepledger/stepledger/internal/pgtest"
	"github.com/stepledger/stepledger/projections/projtest"
	usageview "github.com/stepledger/stepledger/projections/usage"
)

// What finance waits for, beside the barest thing Postgres can do, on the same
// server and taking turns:
//
//	BAR ledger.summary_10m_vs_lookup ours=.. ref=.. ratio=.. unit=ms
//
// One tenant's month of calls: twenty a task, by two models and for six purposes, of
// two hundred users. `make bench-large` has ten million of them, `make bench` enough
// to see whether something has gone wrong. BENCH_CALLS says how many, to try it.
const (
	benchCalls   = 200_000
	largeCalls   = 10_000_000
	benchRounds  = 5
	summaryPage  = 50  // what the api gives by default
	summaryTimes = 200 // in a round
	// exportMemory is what an export may take beyond what the process had, in MiB.
	exportMemory = 32
)

func BenchmarkFinance(b *testing.B) { benchFinance(b, benchCalls, "") }

func BenchmarkFinanceLarge(b *testing.B) { benchFinance(b, largeCalls, "_10m") }

func benchFinance(b *testing.B, calls int, size string) {
	if n, err := strconv.Atoi(os.Getenv("BENCH_CALLS")); err == nil {
		calls = n
	}
	url := pgtest.Database(b, "billing", migrateAll)
	pool, err := pgxpool.New(b.Context(), url)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(pool.Close)
	fillCalls(b, pool, calls)
	store, err := billing.Open(b.Context(), url, billing.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(store.Close)
	for b.Loop() {
		benchSummary(b, pool, size)
		benchExport(b, store, pool, calls, size)
	}
}

// fillCalls fills the tables of the read model as the projection would.
func fillCalls(b *testing.B, pool *pgxpool.Pool, calls int) {
	b.Helper()
	env := projtest.WithoutDatabase(b)
	env.Pool = pool
	books := &books{&bench{pool: pool}, env}
	books.call("first", utc("2026-10-01T00:00:00Z"), "m-1", "1") // makes the tables of the month
	began := time.Now()
	err := pgx.BeginFunc(b.Context(), pool, func(tx pgx.Tx) error {
		const enter = `select set_config('search_path', 'read_usage_' || generation, true) from read.checkpoint where projection = 'usage' and live`
		if _, err := tx.Exec(b.Context(), enter); err != nil {
			return err
		}
		if _, err := tx.Exec(b.Context(), `create function pg_temp.id(what text, n bigint) returns text language sql immutable as 'select md5(what || n)'`); err != nil {
			return err
		}
		if _, err := tx.Exec(b.Context(), `truncate fact, call_rollup, call_rollup_task, call_rollup_model, call_rollup_quarter, call_rollup_day`); err != nil {
			return err
		}
		if _, err := tx.Exec(b.Context(), fmt.Sprintf(fillFacts, calls)); err != nil {
			return err
		}
		for table, dimensions := range map[string]string{
			"call_rollup": ", task_id, session_id, user_id, provider, model, purpose", "call_rollup_task": ", task_id, session_id, user_id",
			"call_rollup_model": ", provider, model, purpose", "call_rollup_quarter": "", "call_rollup_day": "",
		} {
			step := "15 minutes"
			if table == "call_rollup_day" {
				step = "1 day"
			}
			if _, err := tx.Exec(b.Context(), fmt.Sprintf(fillSums, table, dimensions, step)); err != nil {
				return fmt.Errorf("%s: %w", table, err)
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	for _, sql := range []string{`vacuum analyze`, `checkpoint`} {
		if _, err := pool.Exec(b.Context(), sql); err != nil {
			b.Fatal(err)
		}
	}
	fmt.Printf("# filled with %d calls in %v\n", calls, time.Since(began).Round(time.Second))
}

const fillFacts = `
	insert into fact_2026_10
	select pg_temp.id('call', g), 'acme', pg_temp.id('user', task %% 200), pg_temp.id('session', task / 5), pg_temp.id('task', task), turn, pg_temp.id('request', g / 2),
		('{ACTION_GENERATION,VERIFICATION,SELF_CORRECTION,PLANNING,REFINEMENT,OUTCOME_PREDICTION}'::text[])[1 + turn %% 6], 'smart',
		'google', case g %% 2 when 0 then 'gemini-3.1-pro-preview' else 'gemini-3.5-flash' end, 1, pg_temp.id('task', task), pg_temp.id('instance', 1),
		'act/3', md5(g::text), 'prompt-' || md5(g::text), 'answer-' || md5(g::text), 'completed', 'ok', 800 + g %% 2500, false, false, true,
		'{"promptTokenCount":2000,"candidatesTokenCount":60,"thoughtsTokenCount":100,"totalTokenCount":2160}',
		case g %% 2 when 0 then 'gemini-3.1-pro-preview' else 'gemini-3.5-flash' end, 'resp-' || md5(g::text),
		1200 + g %% 700, g %% 1000, 0, 0, 40 + g %% 60, g %% 300, (1200 + g %% 700) * 0.000002 + (g %% 360) * 0.000012, 'priced', 'v1',
		0.01, 0, at, at + interval '2 seconds', g + 1, '{"inputCached":"0.0000002","inputUncached":"0.000002","output":"0.000012","thinking":"0.000012"}',
		'', '', g + 1
	from generate_series(0::bigint, %[1]d - 1) as g
		cross join lateral (
			select g %% 25 + g / 25 / 20 * 25 as task, g / 25 %% 20 as turn, timestamptz '2026-10-01Z' + g * (interval '31 days' / 10000000) as at
		) as of_task`

const fillSums = `
	insert into %[1]s (tenant, quarter%[2]s, calls, open_calls, estimated_calls, unpriced_calls, mismatched_calls,
		input_uncached, input_cached, input_tool, input_audio, output, thinking, cost)
	select tenant, date_bin('%[3]s', started_at, '2000-01-01Z') as quarter%[2]s, count(*), 0, 0, 0, 0,
		sum(input_uncached), sum(input_cached), sum(input_tool), sum(input_audio), sum(output), sum(thinking), sum(cost)
	from fact
	group by tenant, 2%[2]s`

// bar prints the medians of both and their ratio.
func bar(name string, ours, ref []float64, unit string) {
	median := func(all []float64) float64 { return slices.Sorted(slices.Values(all))[len(all)/2] }
	o, r := median(ours), median(ref)
	fmt.Printf("BAR ledger.%s ours=%.4g ref=%.4g ratio=%.3g unit=%s\n", name, o, r, o/r, unit)
}

// benchSummary asks for a page of the month by task and user, from anywhere in the
// list, with the totals of the month. The reference is one row by a primary key.
func benchSummary(b *testing.B, pool *pgxpool.Pool, size string) {
	b.Helper()
	q := usageview.Queries{DB: pool}
	f := usageview.SummaryFilter{
		Selection: usage.Selection{Tenant: projtest.Tenant, From: utc("2026-10-01T00:00:00Z"), To: utc("2026-11-01T00:00:00Z")},
		GroupBy:   []usageview.GroupBy{usageview.ByTask, usageview.ByUser}, Limit: summaryPage,
	}
	var call, at = "", time.Time{}
	var keys [][]any
	rows, err := pool.Query(b.Context(), `select task_id, user_id, session_id, quarter from read.call_rollup_task limit 1000`)
	if err != nil {
		b.Fatal(err)
	}
	var task, user, session string
	if _, err := pgx.ForEachRow(rows, []any{&task, &user, &session, &at}, func() error {
		keys = append(keys, []any{projtest.Tenant, task, user, session, at})
		return nil
	}); err != nil {
		b.Fatal(err)
	}
	const lookup = `select calls::text || cost::text from read.call_rollup_task
		where tenant = $1 and task_id = $2 and user_id = $3 and session_id = $4 and quarter = $5`
	var ours, ref []float64
	for range benchRounds {
		began := time.Now()
		for range summaryTimes {
			f.After = []string{fmt.Sprintf("%08x", rand.Uint32N(1<<31)), ""}
			s, err := q.Summary(b.Context(), f)
			if err != nil || len(s.Groups) != summaryPage || s.Calls == 0 {
				b.Fatalf("%d groups, %d calls, %v", len(s.Groups), s.Calls, err)
			}
		}
		ours = append(ours, time.Since(began).Seconds()*1e3/summaryTimes)
		began = time.Now()
		for i := range summaryTimes {
			if err := pool.QueryRow(b.Context(), lookup, keys[i%len(keys)]...).Scan(&call); err != nil {
				b.Fatal(err)
			}
		}
		ref = append(ref, time.Since(began).Seconds()*1e3/summaryTimes)
	}
	bar("summary"+size+"_vs_lookup", ours, ref, "ms")
}

// benchExport writes the month as plain CSV and as FOCUS. The reference is a COPY of
// the columns of the same rows, as CSV, in no order.
func benchExport(b *testing.B, store *billing.Store, pool *pgxpool.Pool, calls int, size string) {
	b.Helper()
	month := usage.Selection{Tenant: projtest.Tenant, From: utc("2026-10-01T00:00:00Z"), To: utc("2026-11-01T00:00:00Z")}
	rounds := benchRounds
	if calls > 1_000_000 {
		rounds = 3
	}
	var ours, ref []float64
	most := watchMemory(b, func() {
		for range rounds {
			ours = append(ours, rate(b, calls, func(w io.Writer) error {
				return store.Export(b.Context(), w, usage.Export{Selection: month, Format: usage.PlainCSV})
			}))
			ref = append(ref, rate(b, calls, func(w io.Writer) error { return copyCalls(b.Context(), pool, w) }))
		}
	})
	bar("export"+size+"_vs_copy", ours, ref, "rows/s")
	fmt.Printf("# memory of %d exports of %d rows: at most %d MiB more than before\n", rounds, calls, most>>20)
	if most>>20 > exportMemory {
		b.Errorf("an export took %d MiB, more than %d", most>>20, exportMemory)
	}
	focus := rate(b, calls, func(w io.Writer) error {
		return store.Export(b.Context(), w, usage.Export{Selection: month, Format: usage.FocusCSV})
	})
	fmt.Printf("# FOCUS: %.4g calls/s\n", focus)
}

func copyCalls(ctx context.Context, pool *pgxpool.Pool, w io.Writer) error {
	return pool.AcquireFunc(ctx, func(c *pgxpool.Conn) error {
		_, err := c.Conn().PgConn().CopyTo(ctx, w, `copy (
			select tenant, user_id, session_id, task_id, call_id, request, started_at, ended_at, duration_ms, purpose, role, provider, model, response_model,
				service_tier, attempt, state, outcome, late, settled_why, usage_missing, total_matches, input_uncached, input_cached, input_tool, input_audio,
				output, thinking, cost, cost_status, price_version, estimated_cost, corrections
			from read.call where tenant = 'acme') to stdout with (format csv, header)`)
		return err
	})
}

// rate is the calls a second that something writes.
func rate(b *testing.B, calls int, write func(io.Writer) error) float64 {
	b.Helper()
	var out countingWriter
	began := time.Now()
	if err := write(&out); err != nil {
		b.Fatal(err)
	}
	if out.lines <= calls {
		b.Fatalf("%d lines of %d calls", out.lines, calls)
	}
	return float64(calls) / time.Since(began).Seconds()
}

type countingWriter struct{ lines int }

func (w *countingWriter) Write(p []byte) (int, error) {
	w.lines += bytes.Count(p, []byte("\n"))
	return len(p), nil
}

// watchMemory is the most that was in use while f ran, beyond what was before.
func watchMemory(b *testing.B, f func()) uint64 {
	b.Helper()
	inUse := func() uint64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapInuse + m.StackInuse
	}
	runtime.GC()
	before := inUse()
	var most atomic.Uint64
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
				most.Store(max(most.Load(), inUse()))
			}
		}
	}()
	f()
	close(stop)
	<-stopped
	return max(most.Load(), before) - before
}
