package usage_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/stepledger/stepledger/domain"
	ledger "github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/eventstore/postgres"
	"github.com/stepledger/stepledger/internal/pgtest"
	"github.com/stepledger/stepledger/projections"
	"github.com/stepledger/stepledger/projections/projtest"
	"github.com/stepledger/stepledger/projections/usage"
)

// These benchmarks compare the read model of the ledger with the barest thing
// Postgres can do to the same rows, on the same server and taking turns:
//
//	BAR ledger.catchup_vs_copy ours=.. ref=.. ratio=.. unit=calls/s
//
// The log is of calls as tasks make them: twenty a task, by two models and for six
// purposes, of as many tasks at a time as a busy tenant has.
const (
	benchRounds  = 5
	catchUpCalls = 150_000
	monthCalls   = 10_000_000
	callsOfTask  = 20
	tasksAtOnce  = 25
	benchUsers   = 200
)

var benchBook = ledger.Seed()

var benchTenant = domain.DeriveUUID("6ba7b810-9dad-11d1-80b4-00c04fd430c8", "tenant")

// benchCall is the n-th call of a tenant's month of ten million, with what became
// of it.
func benchCall(n int) (string, []ledger.Event) {
	derive := func(what string, i int) string { return domain.DeriveUUID(benchTenant, what+strconv.Itoa(i)) }
	lane, row := n%tasksAtOnce, n/tasksAtOnce
	task := lane + row/callsOfTask*tasksAtOnce
	at := time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC).Add(31 * 24 * time.Hour / monthCalls * time.Duration(n))
	purposes := []ledger.Purpose{ledger.ActionGeneration, ledger.Verification, ledger.SelfCorrection, ledger.Planning, ledger.Refinement, ledger.OutcomePrediction}
	model := []string{"gemini-3.1-pro-preview", "gemini-3.5-flash"}[n%2]
	m := ledger.Meters{InputUncached: int64(1200 + n%700), InputCached: int64(n % 1000), Output: int64(40 + n%60), Thinking: int64(n % 300)}
	charge := benchBook.Charge(ledger.Ware{Provider: ledger.Google, Models: []string{model}, At: at}, m)
	total := m.Total()
	hash := fmt.Sprintf("%064x", n)
	s := ledger.LLMCallStarted{
		Call: derive("call", n), Tenant: benchTenant, User: derive("user", task%benchUsers), Session: derive("session", task/5), Task: derive("task", task),
		Turn: row%callsOfTask/2 + 1, Request: derive("request", n/2), Purpose: purposes[row%len(purposes)], Role: ledger.Smart,
		Provider: ledger.Google, Model: model, Attempt: 1, PromptName: "act/3", PromptHash: hash, PromptRef: "prompt-" + hash,
		EstimatedInputTokens: m.Input() + 100, EstimatedOutputTokens: 1024, EstimatedCost: charge.Cost, Instance: derive("instance", 1), StartedAt: at,
	}
	c := ledger.LLMCallCompleted{Call: s.Call, TotalMatches: true, Charge: charge, Report: ledger.Report{
		Outcome: ledger.OK, Meters: m, ProviderTotal: &total, ResponseModel: model, ResponseID: "resp-" + hash[40:], DurationMS: int64(800 + n%2500),
		AnswerRef: "answer-" + hash, CompletedAt: at.Add(2 * time.Second),
		RawUsage: json.RawMessage(fmt.Sprintf(`{"promptTokenCount":%d,"cachedContentTokenCount":%d,"candidatesTokenCount":%d,"thoughtsTokenCount":%d,"totalTokenCount":%d,"promptTokensDetails":[{"modality":"TEXT","tokenCount":%[1]d}]}`,
			m.Prompt(), m.InputCached, m.Output, m.Thinking, total)),
	}}
	return ledger.Stream(s.Task), []ledger.Event{s, c}
}

// benchLog fills a log with calls, each ending while others begin.
func benchLog(b *testing.B, pool *pgxpool.Pool, calls int) {
	b.Helper()
	type entry struct {
		stream string
		event  ledger.Event
	}
	var all []entry
	var ends []entry
	for n := range calls {
		stream, events := benchCall(n)
		all, ends = append(all, entry{stream, events[0]}), append(ends, entry{stream, events[1]})
		if len(ends) == tasksAtOnce {
			all, ends = append(all, ends...), nil
		}
	}
	all = append(all, ends...)
	revisions := map[string]int64{}
	_, err := pool.CopyFrom(b.Context(), pgx.Identifier{"log", "events"},
		[]string{"position", "revision", "recorded_at", "id", "stream", "type", "data", "meta"},
		pgx.CopyFromSlice(len(all), func(i int) ([]any, error) {
			e := all[i]
			id := domain.NewUUID()
			name, data, err := ledger.Codec.Encode(e.event, id, nil)
			meta := eventstore.Metadata{Tenant: benchTenant, Actor: "system", Correlation: e.stream[len("usage-"):], Causation: id, Schema: 1}
			revision := revisions[e.stream]
			revisions[e.stream]++
			return []any{int64(i + 1), revision, time.Now(), id, e.stream, name, []byte(data), []byte(meta.Encode())}, err
		}))
	if err != nil {
		b.Fatal(err)
	}
	benchExec(b, pool, `vacuum analyze log.events`)
	benchExec(b, pool, `checkpoint`)
}

func benchExec(b *testing.B, pool *pgxpool.Pool, sql string, args ...any) {
	b.Helper()
	if _, err := pool.Exec(b.Context(), sql, args...); err != nil {
		b.Fatal(err)
	}
}

func benchPool(b *testing.B, url string) *pgxpool.Pool {
	b.Helper()
	c, err := pgxpool.ParseConfig(url)
	if err != nil {
		b.Fatal(err)
	}
	c.ConnConfig.RuntimeParams["synchronous_commit"] = "off" // as read models are written
	pool, err := pgxpool.NewWithConfig(b.Context(), c)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(pool.Close)
	return pool
}

// bar prints the medians of both and their ratio.
func bar(b *testing.B, name string, ours, ref []float64, unit string) {
	b.Helper()
	median := func(all []float64) float64 { return slices.Sorted(slices.Values(all))[len(all)/2] }
	o, r := median(ours), median(ref)
	fmt.Printf("BAR ledger.%s ours=%.4g ref=%.4g ratio=%.3g unit=%s\n", name, o, r, o/r, unit)
}

// benchSize is what BENCH_CALLS says, to try a benchmark, or what is usual.
func benchSize(usual int) int {
	if n, err := strconv.Atoi(os.Getenv("BENCH_CALLS")); err == nil {
		return n
	}
	return usual
}

// BenchmarkCatchUp applies a log of calls to empty tables. The reference is a COPY
// of the rows that come of it, as text, into a table without a key or an index.
func BenchmarkCatchUp(b *testing.B) {
	url := pgtest.Database(b, "usage-bench", func(ctx context.Context, url string) error {
		if err := postgres.Migrate(ctx, url); err != nil {
			return err
		}
		return projections.Migrate(ctx, url)
	})
	calls := benchSize(catchUpCalls)
	pool := benchPool(b, url)
	benchLog(b, pool, calls)
	store, err := postgres.Open(b.Context(), url, postgres.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(store.Close)
	r := projections.NewRunner(projections.Config{
		DB: pool, Feed: store, Keys: &projtest.Keys{}, Log: slog.New(slog.DiscardHandler), Projections: []projections.Projection{usage.Projection},
	})
	if err := r.CatchUp(b.Context()); err != nil { // a rebuild goes as far as the live tables are
		b.Fatal(err)
	}
	for b.Loop() {
		var ours, ref []float64
		var rows bytes.Buffer
		for range benchRounds {
			benchExec(b, pool, "checkpoint")
			began := time.Now()
			if err := r.Rebuild(b.Context(), "usage"); err != nil {
				b.Fatal(err)
			}
			ours = append(ours, float64(calls)/time.Since(began).Seconds())
			if rows.Len() == 0 {
				copyOut(b, pool, &rows)
			}
			benchExec(b, pool, "drop table if exists reference")
			benchExec(b, pool, "create table reference as select * from read.call limit 0")
			benchExec(b, pool, "checkpoint")
			began = time.Now()
			copyIn(b, pool, rows.Bytes(), calls)
			ref = append(ref, float64(calls)/time.Since(began).Seconds())
		}
		bar(b, "catchup_vs_copy", ours, ref, "calls/s")
	}
}

func copyOut(b *testing.B, pool *pgxpool.Pool, to *bytes.Buffer) {
	b.Helper()
	err := pool.AcquireFunc(b.Context(), func(c *pgxpool.Conn) error {
		_, err := c.Conn().PgConn().CopyTo(b.Context(), to, "copy (select * from read.call) to stdout")
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
}

func copyIn(b *testing.B, pool *pgxpool.Pool, rows []byte, want int) {
	b.Helper()
	err := pool.AcquireFunc(b.Context(), func(c *pgxpool.Conn) error {
		tag, err := c.Conn().PgConn().CopyFrom(b.Context(), bytes.NewReader(rows), "copy reference from stdin")
		if err == nil && tag.RowsAffected() != int64(want) {
			err = fmt.Errorf("%d rows, want %d", tag.RowsAffected(), want)
		}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
}
