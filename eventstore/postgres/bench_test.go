package postgres

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/stepledger/stepledger/eventstore"
)

// These benchmarks compare the store with what one would write first, in the same
// process, on the same server, taking turns, so that the ratio stands on any
// machine:
//
//	go test -run '^$' -bench . -benchtime 1x ./eventstore/postgres
//
// Each line names what was measured, the median of rounds for the store and for
// the reference, and their ratio:
//
//	BAR eventstore.append_8_vs_bare ours=24061 ref=17529 ratio=1.37 unit=events/s
//
// The reference of an append is one insert in a transaction of its own, through a
// pool with a connection for each writer; its uniqueness of (stream_id, version)
// is the guard. It keeps no order a reader could rely on, knows no repeats and
// tells no heads. The other reference is message-db, whose SQL is loaded from the
// folder of a checkout that MESSAGE_DB names; without it those lines are left out.
const (
	rounds    = 15 // short and many: whatever else the machine does then hits both alike
	roundTime = 300 * time.Millisecond

	// A server has a hundred connections by default.
	maxConnections = 80

	referenceTable = `
		create table reference (
			position    bigint generated always as identity primary key,
			stream_id   text        not null,
			version     bigint      not null,
			id          uuid        not null,
			type        text        not null,
			recorded_at timestamptz not null default now(),
			xid         xid8        not null default pg_current_xact_id(),
			data        jsonb       not null,
			meta        jsonb       not null,
			unique (stream_id, version)
		)`
	referenceInsert = `
		insert into reference (stream_id, version, id, type, data, meta)
		values ($1, $2, $3, $4, $5, $6)`

	// An action as the task stream holds it: 449 bytes, and 72 of metadata.
	benchData = `{"stepIndex":3,"thought":"The cart shows one item and a check out button, so the next step is to press it.","action":"click(\"14\")","before":{"url":"https://shop.example/cart","domHash":"9b1c0d5e7a","activeElement":"14"},"expected":{"kind":"navigation","text":"the order summary appears"},"confidence":0.93,"reasoner":"rules","skills":["b1946ac9","591785b7"],"elements":[{"id":"14","role":"button","name":"Check out"},{"id":"15","role":"link","name":"Back"}]}`
	benchMeta = `{"tenant":"acme","actor":"u-17","correlation":"task-4711","schema":1}`
)

func benchEvent() eventstore.Proposed {
	return eventstore.Proposed{ID: uuid.NewString(), Type: "task.action_generated.v1", Data: []byte(benchData), Meta: []byte(benchMeta)}
}

// way is one way of appending an event to a stream at a version.
type way struct {
	name  string
	write func(stream string, version int64) error
}

func BenchmarkAppend(b *testing.B) {
	url := database(b)
	ref := referencePool(b, url, maxConnections)
	ours := ourWay(open(b, url, Options{}))
	ways := []way{ours, bareWay(b, ref)}
	if dir := os.Getenv("MESSAGE_DB"); dir != "" {
		ways = append(ways, messageDB(b, ref, dir))
	}
	for b.Loop() {
		for _, writers := range []int{1, 8, 32, 128} {
			benchExec(b, ref, "checkpoint")
			measured := takeTurns(b, writers, "task-", ways)
			for i, w := range ways[1:] {
				if w.name == "messagedb" && writers != 1 && writers != 32 {
					continue
				}
				measured.bars(b, fmt.Sprintf("append_%d_vs_%s", writers, w.name), i+1)
			}
		}
		if len(ways) == 3 { // message-db takes turns by category
			measured := takeTurns(b, 32, "", []way{ours, ways[2]})
			measured.bars(b, "append_32_vs_messagedb_categories", 1)
		}
	}
}

func ourWay(s *Store) way {
	return way{"ours", func(stream string, version int64) error {
		_, err := s.Append(context.Background(), stream, version-1, []eventstore.Proposed{benchEvent()})
		return err
	}}
}

func bareWay(b *testing.B, pool *pgxpool.Pool) way {
	benchExec(b, pool, referenceTable)
	return way{"bare", func(stream string, version int64) error {
		e := benchEvent()
		_, err := pool.Exec(context.Background(), referenceInsert, stream, version, e.ID, e.Type, e.Data, e.Meta)
		return err
	}}
}

// measured has, for each way, a figure from each round.
type measured struct{ rate, p50, p99 [][]float64 }

// takeTurns measures ways of appending with so many writers, each to streams of
// its own, in a category of its own where none is given.
func takeTurns(b *testing.B, writers int, category string, ways []way) measured {
	b.Helper()
	m := measured{make([][]float64, len(ways)), make([][]float64, len(ways)), make([][]float64, len(ways))}
	for range rounds {
		for i, w := range ways {
			rate, p50, p99 := appendRate(b, writers, category, w.write)
			m.rate[i], m.p50[i], m.p99[i] = append(m.rate[i], rate), append(m.p50[i], p50), append(m.p99[i], p99)
		}
	}
	return m
}

// bars prints how the first way compares with another.
func (m measured) bars(b *testing.B, name string, with int) {
	b.Helper()
	bar(b, name, [2][]float64{m.rate[0], m.rate[with]}, "events/s")
	bar(b, name+"_p50", [2][]float64{m.p50[0], m.p50[with]}, "ms")
	bar(b, name+"_p99", [2][]float64{m.p99[0], m.p99[with]}, "ms")
}

// appendRate gives the events a second and the percentiles, in milliseconds, of
// writers that each append to a stream of their own.
func appendRate(b *testing.B, writers int, category string, write func(stream string, version int64) error) (rate, p50, p99 float64) {
	b.Helper()
	took := make([][]time.Duration, writers)
	began := time.Now()
	var running sync.WaitGroup
	for w := range writers {
		running.Go(func() {
			stream := category + uuid.NewString()
			if category == "" {
				stream = fmt.Sprintf("category%d-%s", w, uuid.NewString())
			}
			for version := int64(0); time.Since(began) < roundTime; version++ {
				t := time.Now()
				if err := write(stream, version); err != nil {
					b.Error(err)
					return
				}
				took[w] = append(took[w], time.Since(t))
			}
		})
	}
	running.Wait()
	elapsed := time.Since(began)
	all := slices.Concat(took...)
	if len(all) == 0 {
		b.Fatal("nothing was appended")
	}
	return float64(len(all)) / elapsed.Seconds(), percentile(all, 50), percentile(all, 99)
}

// percentile is in milliseconds.
func percentile(all []time.Duration, p int) float64 {
	all = slices.Sorted(slices.Values(all))
	return all[len(all)*p/100].Seconds() * 1e3
}

func referencePool(b *testing.B, url string, connections int32) *pgxpool.Pool {
	b.Helper()
	c, err := pgxpool.ParseConfig(url)
	if err != nil {
		b.Fatal(err)
	}
	c.MaxConns = connections
	pool, err := pgxpool.NewWithConfig(context.Background(), c)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(pool.Close)
	for setting, want := range map[string]string{"fsync": "on", "synchronous_commit": "on", "full_page_writes": "on"} {
		var got string
		if err := pool.QueryRow(context.Background(), "show "+setting).Scan(&got); err != nil || got != want {
			b.Fatalf("%s is %s, %v: a benchmark of a log that may lose events says nothing", setting, got, err)
		}
	}
	return pool
}

func benchExec(b *testing.B, pool *pgxpool.Pool, sql string) {
	b.Helper()
	if _, err := pool.Exec(context.Background(), sql); err != nil {
		b.Fatalf("%s: %v", sql, err)
	}
}

// bar prints the medians of ours and of the reference, and their ratio.
func bar(b *testing.B, name string, measured [2][]float64, unit string) {
	b.Helper()
	ours, ref := median(measured[0]), median(measured[1])
	fmt.Printf("BAR eventstore.%s ours=%.3f ref=%.3f ratio=%.2f unit=%s\n", name, ours, ref, ours/ref, unit)
	b.ReportMetric(ours/ref, name+"_ratio")
}

func median(x []float64) float64 {
	x = slices.Sorted(slices.Values(x))
	return x[len(x)/2]
}
