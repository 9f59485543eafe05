package tasks_test

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/projections/projtest"
	"github.com/stepledger/stepledger/projections/tasks"
	"github.com/stepledger/stepledger/projections/usage"
)

const (
	benchTasks  = 1_000_000
	benchPage   = 20
	benchRounds = 200
)

// Tasks of two tenants, one a second, with a hundred sites; one in ten failed, and
// one in a thousand has a word of its own.
const fillTasks = `
	insert into task (task_id, tenant, user_id, session_id, visible, status, query, url, url_key, url_origin, page_url, page_key, page_origin,
		code, created_at, updated_at, revision, position, started_at, host)
	select md5('task' || n)::uuid, (array['acme', 'globex'])[n % 10 / 9 + 1], 'user' || n % 200, md5('session' || n / 5)::uuid, true,
		case when n % 10 = 3 then 'failed' when n % 5000 = 5 then 'executing' else 'completed' end,
		'Add a patient with the name ' || md5(n::text) || case when n % 1000 = 0 then ' urgently' else '' end,
		'https://site.example/', 'https://site.example', 'https://site.example', 'https://site.example/', 'https://site.example', 'https://site.example',
		case when n % 10 = 3 then (array['GAVE_UP', 'LOOP_DETECTED', 'VELOCITY'])[n % 3 + 1] else '' end,
		at, at, 20, n, at, 'site' || n % 100 || '.example'
	from (select n, timestamptz '2026-11-01' + n * interval '1 second' as at from generate_series(1, @n) n) all_of_them`

const fillSpent = `
	insert into call_rollup_task
	select tenant, date_trunc('hour', created_at), task_id::text, session_id::text, user_id, 20, 0, 0, 0, 0, 30000, 10000, 0, 0, 1000, 500, 0.0123
	from read.task`

// BenchmarkFind reads pages of the list of a tenant's tasks as the API does, behind
// row-level security, from anywhere in it and by every filter. The reference is a task looked up by its key.
//
//	BAR timetravel.list_1m_vs_lookup ours=.. ref=.. ratio=.. unit=µs
func BenchmarkFind(b *testing.B) {
	n := benchTasks
	if s, err := strconv.Atoi(os.Getenv("BENCH_TASKS")); err == nil {
		n = s
	}
	e := projtest.New(b)
	e.CatchUp(tasks.Projection, usage.Projection)
	benchFill(b, e, n)
	q := tasks.Queries{DB: e.Behind(tasks.Projection, usage.Projection)}
	ctx := projtest.For(b.Context(), projtest.Tenant)
	all := map[string]tasks.Search{
		"list_1m":        {},
		"list_1m_host":   {Host: "site7.example"},
		"list_1m_failed": {Status: tasks.Failed},
		"list_1m_open":   {Status: tasks.Executing},
		"list_1m_code":   {Code: "GAVE_UP"},
		"list_1m_word":   {Text: "urgent"},
		"list_1m_common": {Text: "patient"},
		"list_1m_nobody": {Text: "nobody has this"},
	}
	for b.Loop() {
		for name, s := range all {
			var ours, ref []float64
			for round := range benchRounds {
				key := (round*7919 + 1) % n
				ref = append(ref, micros(b, func() error {
					_, err := e.Pool.Exec(b.Context(), `select query, status, code, created_at from read.task where task_id = md5('task' || $1::int)::uuid`, key)
					return err
				}))
				s.Tenant, s.Limit = projtest.Tenant, benchPage
				s.After = &tasks.Mark{StartedAt: time.Date(2026, 11, 1, 0, 0, n-key/2, 0, time.UTC), TaskID: "00000000-0000-4000-8000-000000000000"}
				ours = append(ours, micros(b, func() error {
					p, err := q.Find(ctx, s)
					if err == nil && len(p.Tasks) < benchPage && n == benchTasks && s.Text != "nobody has this" {
						err = fmt.Errorf("%s: %d tasks", name, len(p.Tasks))
					}
					return err
				}))
			}
			o, r := median(ours), median(ref)
			fmt.Printf("BAR timetravel.%s_vs_lookup ours=%.0f ref=%.0f ratio=%.2f unit=µs\n", name, o, r, o/r)
		}
	}
}

func benchFill(b *testing.B, e *projtest.Env, n int) {
	b.Helper()
	for _, fill := range []struct{ projection, sql string }{{"tasks", fillTasks}, {"usage", fillSpent}} {
		var schema string
		err := e.Pool.QueryRow(b.Context(), `select 'read_' || projection || '_' || generation from read.checkpoint where live and projection = $1`, fill.projection).Scan(&schema)
		if err != nil {
			b.Fatal(err)
		}
		err = pgx.BeginFunc(b.Context(), e.Pool, func(tx pgx.Tx) error {
			if _, err := tx.Exec(b.Context(), "set local search_path to "+schema); err != nil {
				return err
			}
			if fill.projection == "usage" {
				for month := 11; month <= 12; month++ {
					part := fmt.Sprintf(`create table call_rollup_task_%d partition of call_rollup_task for values from ('2026-%02d-01') to ('%s')`,
						month, month, time.Date(2026, time.Month(month+1), 1, 0, 0, 0, 0, time.UTC).Format(time.DateOnly))
					if _, err := tx.Exec(b.Context(), part); err != nil {
						return err
					}
				}
				_, err := tx.Exec(b.Context(), fill.sql)
				return err
			}
			_, err := tx.Exec(b.Context(), fill.sql, pgx.NamedArgs{"n": n})
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := e.Pool.Exec(b.Context(), "vacuum analyze"); err != nil {
			b.Fatal(err)
		}
	}
}

func micros(b *testing.B, f func() error) float64 {
	b.Helper()
	began := time.Now()
	if err := f(); err != nil {
		b.Fatal(err)
	}
	return float64(time.Since(began).Nanoseconds()) / 1000
}

func median(all []float64) float64 { return slices.Sorted(slices.Values(all))[len(all)/2] }
