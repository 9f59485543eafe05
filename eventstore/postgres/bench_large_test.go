package postgres

import (
	"context"
	"crypto/md5" //nolint:gosec // names as the server made them
	"fmt"
	"os"
	"runtime/metrics"
	"strconv"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/stepledger/stepledger/eventstore"
)

// A log of ten million events, in 25 000 streams of 400, some growing at a time, with what it takes to
// append to it and to read it, beside one of ten thousand. `make bench-large` runs
// this; it takes some ten minutes and 12 GB of disk. BENCH_EVENTS makes the log
// smaller, to try the benchmark itself.
const (
	largeEvents = 10_000_000
	smallEvents = 10_000
	streamOf    = 400
	atOnce      = 25 // streams that grow side by side
	// catchUpEvents is how far a subscriber follows while its memory is watched.
	catchUpEvents = 5_000_000
	// memoryLimit is what that may take beyond what the process had before, in MiB.
	memoryLimit = 64
	// expiredEvents of one stream are too old to be seen.
	expiredEvents = 1_000_000
)

func BenchmarkLarge(b *testing.B) {
	n := int64(largeEvents)
	if v := os.Getenv("BENCH_EVENTS"); v != "" {
		n, _ = strconv.ParseInt(v, 10, 64)
	}
	urls := []string{database(b), database(b)}
	var stores []*Store
	var pools []*pgxpool.Pool
	for i, events := range []int64{n, smallEvents} {
		pool := referencePool(b, urls[i], 4)
		began := time.Now()
		fillLog(b, pool, events)
		fmt.Printf("# filled with %d events in %v\n", events, time.Since(began).Round(time.Second))
		stores, pools = append(stores, open(b, urls[i], Options{Timeout: time.Minute})), append(pools, pool)
	}
	for b.Loop() {
		benchFlatness(b, stores, pools)
		benchStreamFlatness(b, stores, n)
		benchCatchUp(b, stores[0], min(n, catchUpEvents))
		benchExpired(b, stores[1], pools[1], min(n, expiredEvents))
	}
}

// fillLog adds events as if many streams had grown side by side. The indexes are
// made afterwards: the same, and sooner.
func fillLog(b *testing.B, pool *pgxpool.Pool, events int64) {
	b.Helper()
	for _, sql := range []string{
		`alter table log.events drop constraint events_position, drop constraint events_revision, drop constraint events_id`,
		fmt.Sprintf(`
			insert into log.events (position, revision, recorded_at, id, stream, type, data, meta)
			select nextval('log.position'), g %% (%[3]d * %[4]d) / %[3]d, now(), gen_random_uuid(),
			       'task-' || md5((g / (%[3]d * %[4]d) * %[3]d + g %% %[3]d)::text),
			       'task.action_generated.v1', convert_to('%[1]s', 'UTF8'), convert_to('%[2]s', 'UTF8')
			from generate_series(0::bigint, %[5]d - 1) g`,
			benchData, benchMeta, atOnce, streamOf, events),
		`alter table log.events add constraint events_position primary key (position),
		 add constraint events_revision unique (stream, revision), add constraint events_id unique (stream, id)`,
		`vacuum analyze log.events`,
		`checkpoint`,
	} {
		benchExec(b, pool, sql)
	}
}

// benchFlatness compares appends to a large log with those to a small one.
func benchFlatness(b *testing.B, stores []*Store, pools []*pgxpool.Pool) {
	for _, pool := range pools {
		benchExec(b, pool, "checkpoint")
	}
	ways := []way{ourWay(stores[0]), ourWay(stores[1])}
	for _, writers := range []int{1, 8, 32} {
		m := takeTurns(b, writers, "task-", ways)
		name := "append_p99_flatness"
		if writers != 8 {
			name += "_" + strconv.Itoa(writers)
		}
		bar(b, name, [2][]float64(m.p99), "ms")
	}
}

func benchStreamFlatness(b *testing.B, stores []*Store, events int64) {
	var p99 [2][]float64
	for range rounds {
		for i, s := range stores {
			streams := max([]int64{events, smallEvents}[i]/streamOf, 1)
			var took []time.Duration
			for began, k := time.Now(), int64(0); time.Since(began) < roundTime; k++ {
				name := fmt.Sprintf("task-%x", md5.Sum([]byte(strconv.FormatInt(k*7919%streams, 10))))
				t := time.Now()
				slice, err := s.ReadStream(context.Background(), name, eventstore.ReadOptions{})
				if err != nil || len(slice.Events) != streamOf {
					b.Fatalf("%s: %d events, %v", name, len(slice.Events), err)
				}
				took = append(took, time.Since(t))
			}
			p99[i] = append(p99[i], percentile(took, 99))
		}
	}
	bar(b, "stream_read_p99_flatness", p99, "ms")
}

// benchCatchUp watches the memory of a subscriber that follows a log from its
// beginning.
func benchCatchUp(b *testing.B, s *Store, events int64) {
	before, most, seen, began := memoryInUse(), uint64(0), int64(0), time.Now()
	for p, err := range s.Subscribe(context.Background(), 0, eventstore.Filter{}) {
		if err != nil {
			b.Fatal(err)
		}
		most = max(most, memoryInUse())
		if seen += int64(len(p.Events)); seen >= events {
			break
		}
	}
	fmt.Printf("# caught up over %d events at %.0f events/s\n", seen, float64(seen)/time.Since(began).Seconds())
	extra := float64(most-min(before, most)) / (1 << 20)
	bar(b, "catchup_memory", [2][]float64{{extra}, {memoryLimit}}, "MiB")
}

// memoryInUse is what the process has from the system and has not given back.
func memoryInUse() uint64 {
	of := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(of)
	return of[0].Value.Uint64() - of[1].Value.Uint64()
}

// benchExpired reads the young end of a stream whose beginning has expired, beside
// one that never had more.
func benchExpired(b *testing.B, s *Store, pool *pgxpool.Pool, expired int64) {
	benchExec(b, pool, fmt.Sprintf(`
		insert into log.events (position, revision, recorded_at, id, stream, type, data, meta)
		select nextval('log.position'), g, now() - interval '2 days', gen_random_uuid(), 'old-1', 'task.action_generated.v1', '{}', ''
		from generate_series(0::bigint, %d - 1) g`, expired))
	benchExec(b, pool, "vacuum analyze log.events")
	ctx := context.Background()
	if err := s.SetRetention(ctx, "old-1", eventstore.Retention{MaxAge: 24 * time.Hour}); err != nil {
		b.Fatal(err)
	}
	for stream, head := range map[string]int64{"old-1": expired - 1, "young-1": eventstore.NoRevision} {
		for i := range int64(20) {
			if _, err := s.Append(ctx, stream, head+i, []eventstore.Proposed{benchEvent()}); err != nil {
				b.Fatal(err)
			}
		}
	}
	var p50 [2][]float64
	for range rounds {
		for i, stream := range []string{"old-1", "young-1"} {
			var took []time.Duration
			for began := time.Now(); time.Since(began) < roundTime; {
				t := time.Now()
				slice, err := s.ReadStream(ctx, stream, eventstore.ReadOptions{})
				if err != nil || len(slice.Events) != 20 {
					b.Fatalf("%s: %d events, %v", stream, len(slice.Events), err)
				}
				took = append(took, time.Since(t))
			}
			p50[i] = append(p50[i], percentile(took, 50))
		}
	}
	bar(b, "expired_read_p50", p50, "ms")
	benchExpiredLog(b, s, pool, expired)
}

// benchExpiredLog reads a log over the events that have expired, beside a bare
// read of them.
func benchExpiredLog(b *testing.B, s *Store, pool *pgxpool.Pool, expired int64) {
	rate := func(read func() int64) float64 {
		began := time.Now()
		n := read()
		return float64(n) / time.Since(began).Seconds()
	}
	var rates [2][]float64
	for range 3 {
		rates[0] = append(rates[0], rate(func() int64 {
			for after := int64(0); ; {
				p, err := s.ReadAll(context.Background(), after, 0, eventstore.Filter{})
				if err != nil {
					b.Fatal(err)
				}
				if p.Scanned == after {
					return expired
				}
				after = p.Scanned
			}
		}))
		rates[1] = append(rates[1], rate(func() int64 {
			n, err := passOver(pool, `select position, revision, recorded_at, id, stream, type, data, meta from log.events order by position`)
			if err != nil {
				b.Fatal(err)
			}
			return int64(n)
		}))
	}
	bar(b, "expired_log_read", rates, "events/s")
}
