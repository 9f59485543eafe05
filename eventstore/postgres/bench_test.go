package postgres

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
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
//	BAR eventstore.append_8 ours=14061 ref=13529 ratio=1.04 unit=events/s
//
// The reference of an append is one insert in a transaction of its own, through a
// pool with a connection for each writer; its uniqueness of (stream_id, version)
// is the guard. It keeps no order a reader could rely on, knows no repeats and
// tells no heads. The reference of a read is the bare select of the same rows from
// the same table, scanned into variables.
const (
	rounds    = 15 // short and many: whatever else the machine does then hits both alike
	roundTime = 300 * time.Millisecond
	batchRead = 1_000 // events a read of the whole log asks for

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

func BenchmarkAppend(b *testing.B) {
	url := database(b)
	s, ref := open(b, url, Options{}), referencePool(b, url, 80)
	benchExec(b, ref, referenceTable)
	ours := func(stream string, version int64) error {
		_, err := s.Append(context.Background(), stream, version-1, []eventstore.Proposed{benchEvent()})
		return err
	}
	insert := func(stream string, version int64) error {
		e := benchEvent()
		_, err := ref.Exec(context.Background(), referenceInsert, stream, version, e.ID, e.Type, e.Data, e.Meta)
		return err
	}
	for b.Loop() {
		for _, writers := range []int{1, 8, 32, 128} {
			benchExec(b, ref, "checkpoint")
			var rate, tail [2][]float64
			for range rounds {
				for i, write := range []func(string, int64) error{ours, insert} {
					r, p99 := appendRate(b, writers, write)
					rate[i], tail[i] = append(rate[i], r), append(tail[i], p99)
				}
			}
			bar(b, fmt.Sprintf("append_%d", writers), rate, "events/s")
			bar(b, fmt.Sprintf("append_%d_p99", writers), tail, "ms")
		}
	}
}

// appendRate gives the events a second and the 99th percentile, in milliseconds,
// of writers that each append to a stream of their own.
func appendRate(b *testing.B, writers int, write func(stream string, version int64) error) (rate, p99 float64) {
	b.Helper()
	took := make([][]time.Duration, writers)
	began := time.Now()
	var running sync.WaitGroup
	for w := range writers {
		running.Go(func() {
			stream := "task-" + uuid.NewString()
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
	slices.Sort(all)
	return float64(len(all)) / elapsed.Seconds(), all[len(all)*99/100].Seconds() * 1e3
}

func BenchmarkRead(b *testing.B) {
	const streams, each = 100, 400
	url := database(b)
	s, ref := open(b, url, Options{}), referencePool(b, url, 1)
	for i := range each { // interleaved, as streams are in a log
		var fill sync.WaitGroup
		for w := range streams {
			fill.Go(func() {
				if _, err := s.Append(context.Background(), fmt.Sprintf("task-%d", w), int64(i-1), []eventstore.Proposed{benchEvent()}); err != nil {
					b.Error(err)
				}
			})
		}
		fill.Wait()
	}
	benchExec(b, ref, "vacuum analyze log.events")
	for b.Loop() {
		next := 0
		name := func() string { next++; return fmt.Sprintf("task-%d", next%streams) }
		compareReads(b, "read_stream_400", func() (int, error) {
			slice, err := s.ReadStream(context.Background(), name(), eventstore.ReadOptions{})
			return len(slice.Events), err
		}, func() (int, error) {
			return scanAll(ref, `
				select position, revision, recorded_at, id, stream, type, data, meta
				from log.events where stream = $1 and revision >= $2 order by revision limit $3`, name(), 0, eventstore.MaxPage)
		})
		compareReads(b, "read_all", func() (n int, err error) {
			for after := int64(0); ; {
				p, err := s.ReadAll(context.Background(), after, batchRead, eventstore.Filter{})
				if err != nil || p.Scanned == after {
					return n, err
				}
				n, after = n+len(p.Events), p.Scanned
			}
		}, func() (n int, err error) {
			for after := 0; ; after += batchRead {
				got, err := scanAll(ref, `
					select position, revision, recorded_at, id, stream, type, data, meta
					from log.events where position > $1 order by position limit $2`, after, batchRead)
				n += got
				if err != nil || got == 0 {
					return n, err
				}
			}
		})
	}
}

// compareReads measures how many events a second each of two ways of reading gives.
func compareReads(b *testing.B, name string, ours, ref func() (events int, err error)) {
	b.Helper()
	var rate [2][]float64
	for range rounds {
		for i, read := range []func() (int, error){ours, ref} {
			began, events := time.Now(), 0
			for time.Since(began) < roundTime {
				n, err := read()
				if err != nil || n == 0 {
					b.Fatalf("%s: %d events, %v", name, n, err)
				}
				events += n
			}
			rate[i] = append(rate[i], float64(events)/time.Since(began).Seconds())
		}
	}
	bar(b, name, rate, "events/s")
}

func scanAll(pool *pgxpool.Pool, sql string, args ...any) (n int, err error) {
	rows, err := pool.Query(context.Background(), sql, args...)
	if err != nil {
		return 0, err
	}
	var (
		position, revision int64
		recordedAt         time.Time
		id                 pgtype.UUID
		stream, kind       string
		data, meta         []byte
	)
	_, err = pgx.ForEachRow(rows, []any{&position, &revision, &recordedAt, &id, &stream, &kind, &data, &meta}, func() error {
		n++
		return nil
	})
	return n, err
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
