package postgres

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/stepledger/stepledger/eventstore"
)

// batchRead is how many events a read of the whole log asks for.
const batchRead = 1_000

// The reference of a read is the bare select of the same rows from the same
// table, nothing of them decoded; the store's are events with their data as it
// came.
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
		compareReads(b, "stream_read", func() (int, error) {
			slice, err := s.ReadStream(context.Background(), name(), eventstore.ReadOptions{})
			return len(slice.Events), err
		}, func() (int, error) {
			return passOver(ref, `
				select position, revision, recorded_at, id, stream, type, data, meta
				from log.events where stream = $1 and revision >= $2 order by revision limit $3`, name(), 0, eventstore.MaxPage)
		})
		compareReads(b, "log_read", func() (n int, err error) {
			for after := int64(0); ; {
				p, err := s.ReadAll(context.Background(), after, batchRead, eventstore.Filter{})
				if err != nil || p.Scanned == after {
					return n, err
				}
				n, after = n+len(p.Events), p.Scanned
			}
		}, func() (n int, err error) {
			for after := 0; ; after += batchRead {
				got, err := passOver(ref, `
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

// passOver reads rows and decodes none.
func passOver(pool *pgxpool.Pool, sql string, args ...any) (n int, err error) {
	rows, err := pool.Query(context.Background(), sql, args...)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	for rows.Next() {
		if len(rows.RawValues()) > 0 {
			n++
		}
	}
	return n, rows.Err()
}
