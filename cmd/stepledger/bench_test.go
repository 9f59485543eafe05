package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/net/html"
)

// The benchmark of the turn. Ours is a whole interact turn over HTTP with the
// rules reasoner on a page of 200 kB; the reference is what no such turn can do
// without: one html.Parse of that page and two durable inserts, one after the
// other. Both run in one process on one database, in rounds that alternate; a
// figure is the median of the rounds.
const (
	benchPageBytes = 200_000
	benchRounds    = 5
	benchOps       = 60 // per round and worker
	// crowdOps are those of all workers of a crowd together, in its one round.
	crowdOps = 480
)

// padding is markup of a given size: a form-rich page, as large ones are.
func padding(size int) string {
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, `<section class="card p-4 m-2" id="s%d"><h3>Section %[1]d</h3><p>Some text about it, as pages have.</p>
<ul><li class="item">first</li><li class="item">second</li></ul><div class="row"><span class="badge">%[1]d</span>
<a class="link" data-llm-id="%[2]d" href="/section/%[1]d">Details of section %[1]d</a></div></section>`, i, i+1000)
	}
	return b.String()
}

func BenchmarkTurn(b *testing.B) {
	for range b.N {
		s := newServer(b, hooks{})
		ref, use := newReference(b, s.url), newDatabaseUse(b, s.url)
		idle := use.idle(b)
		bar("turn.idle_transactions", idle.transactions, 2, "tx/s")
		benchTurn(b, s, ref, use, idle)
		for _, workers := range []int{32, 128} {
			benchCrowd(b, s, ref, workers)
		}
	}
}

// BenchmarkComplexTurn is the first turn of a task that is planned beside the first
// turn of a simple one, on the same page, asked of the same model, which answers at
// once: what planning costs without the time a model thinks. The plan of the longest
// tasks is checked by a second call.
func BenchmarkComplexTurn(b *testing.B) {
	for range b.N {
		model := newFakeGemini(b)
		model.speaks = func(prompt string) string {
			switch askingOf(prompt) {
			case forPlanCheck:
				return finds(0.95, "").text
			case forPlan:
				return `{"sources":["PAGE"],"evidence":"","question":"","missing":[],"fits":false,"confidence":0.95,"contingencies":[],` +
					`"steps":[{"description":"Open the form","toolType":"DOM"},{"description":"Enter the name and save","toolType":"DOM"}]}`
			}
			return `{"thought":"I go on.","action":"click(\"14\")","expected":"a form","confidence":0.95,"planStep":1}`
		}
		s := newServerWith(b, model.env(), hooks{})
		for _, kind := range []struct {
			figure, task string
			calls        int // of one turn
		}{
			{"turn.complex_overhead_vs_simple", complexTask, 2},
			{"turn.checked_overhead_vs_simple", checkedTask, 3},
		} {
			var ours, theirs samples
			before := len(model.given())
			complicated, simple := firstTurns(b, s.client, kind.task), firstTurns(b, s.client, simpleTask)
			for range benchRounds {
				ours.round(1, benchOps, complicated)
				theirs.round(1, benchOps, simple)
			}
			if n := len(model.given()) - before; n != (kind.calls+1)*benchRounds*benchOps {
				b.Fatalf("%s: %d calls for %d pairs of tasks", kind.figure, n, benchRounds*benchOps)
			}
			bar(kind.figure, ours.quantile(0.50), theirs.quantile(0.50), "ms")
		}
	}
}

// The tasks of BenchmarkComplexTurn.
const (
	simpleTask  = "click Add patient"
	complexTask = "Add a patient named Jas Gill and book the first free hour of Monday for her"
	checkedTask = "Add a patient named Jas Gill born 12 March 1984 in room 4, then open the calendar, book the first free hour of Monday for her, " +
		"and send the confirmation to jas@acme.example with the subject Welcome"
)

// firstTurns times the first turn of a new task, again and again.
func firstTurns(b *testing.B, c client, query string) func(worker int) time.Duration {
	b.Helper()
	fill := padding(benchPageBytes)
	return func(int) time.Duration {
		p := newPursuit()
		p.query, p.page.padding = query, fill
		p.request()
		start := time.Now()
		if err := p.step(b.Context(), c); err != nil {
			b.Error(err)
		}
		return time.Since(start)
	}
}

// benchTurn times one worker and eight, and counts what their turns ask of the
// database beyond what an idle server does.
func benchTurn(b *testing.B, s *server, ref *reference, use *databaseUse, idle usePerSecond) {
	b.Helper()
	for _, workers := range []int{1, 8} {
		var ours, theirs samples
		var wal, refWAL float64
		before := use.settled(b)
		for range benchRounds {
			wal += use.walOf(b, func() { ours.round(workers, benchOps, turns(b, s.client)) })
			refWAL += use.walOf(b, func() { theirs.round(workers, benchOps, ref.op) })
		}
		after, n := use.settled(b), float64(benchRounds*benchOps*workers)
		figures(workers, &ours, &theirs)
		made := float64(after.transactions-before.transactions) - refInserts*n - idle.transactions*after.at.Sub(before.at).Seconds()
		bar(figure("transactions", workers), made/n, 10, "tx/turn")
		bar(figure("wal_kb", workers), (wal-idle.wal*ours.lasted())/n/1000, refWAL/n/1000, "kB/turn")
	}
}

// benchCrowd times more workers than the machine can work for at once.
func benchCrowd(b *testing.B, s *server, ref *reference, workers int) {
	b.Helper()
	var ours, theirs samples
	ours.round(workers, crowdOps/workers, turns(b, s.client))
	theirs.round(workers, crowdOps/workers, ref.op)
	figures(workers, &ours, &theirs)
}

func figures(workers int, ours, theirs *samples) {
	bar(figure("rate", workers), ours.rate(), theirs.rate(), "turns/s")
	bar(figure("p50", workers), ours.quantile(0.50), theirs.quantile(0.50), "ms")
	bar(figure("p99", workers), ours.quantile(0.99), theirs.quantile(0.99), "ms")
}

// figure is the name of one of some workers. What the database is asked for by one
// worker, whose turns nothing is batched with, has no number.
func figure(name string, workers int) string {
	if workers == 1 && (name == "transactions" || name == "wal_kb") {
		return "turn." + name
	}
	return fmt.Sprintf("turn.%s_%d", name, workers)
}

func bar(name string, ours, ref float64, unit string) {
	fmt.Printf("BAR %s ours=%.3f ref=%.3f ratio=%.3f unit=%s\n", name, ours, ref, ours/ref, unit)
}

// turns gives each worker a task to walk through, and a new one when it ends.
// Pages are rendered between the turns: the client's work is not ours.
func turns(b *testing.B, c client) func(worker int) time.Duration {
	b.Helper()
	fill := padding(benchPageBytes)
	var mu sync.Mutex
	tasks := map[int]*pursuit{}
	return func(worker int) time.Duration {
		mu.Lock()
		p := tasks[worker]
		if p == nil || p.ended {
			p = newPursuit()
			p.page.padding = fill
			tasks[worker] = p
		}
		mu.Unlock()
		p.request()
		start := time.Now()
		err := p.step(b.Context(), c)
		for errors.Is(err, errBusy) { // told to come again, which counts
			time.Sleep(benchAgain)
			err = p.step(b.Context(), c)
		}
		if err != nil {
			b.Error(err)
		}
		return time.Since(start)
	}
}

// benchAgain is when a client that was refused comes again.
const benchAgain = 2 * time.Second

type reference struct {
	b    *testing.B
	pool *pgxpool.Pool
	page string
}

// referencePayload is about what the two events of a turn take without pages.
const (
	referencePayload = 700
	refInserts       = 2
)

func newReference(b *testing.B, url string) *reference {
	b.Helper()
	pool, err := pgxpool.New(b.Context(), url)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(pool.Close)
	_, err = pool.Exec(b.Context(), `create table if not exists reference (
		id bigint generated always as identity primary key, body bytea not null)`)
	if err != nil {
		b.Fatal(err)
	}
	page := clinic{screen: "list", padding: padding(benchPageBytes)}
	return &reference{b, pool, page.dom()}
}

func (r *reference) op(int) time.Duration {
	start := time.Now()
	if _, err := html.Parse(strings.NewReader(r.page)); err != nil {
		r.b.Error(err)
	}
	for range refInserts {
		_, err := r.pool.Exec(context.Background(), `insert into reference (body) values ($1)`, make([]byte, referencePayload))
		if err != nil {
			r.b.Error(err)
		}
	}
	return time.Since(start)
}

// samples are the durations of rounds.
type samples struct {
	rates []float64
	took  [][]time.Duration
	all   time.Duration
}

func (s *samples) round(workers, ops int, op func(worker int) time.Duration) {
	took := make([][]time.Duration, workers)
	start := time.Now()
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for range ops {
				took[w] = append(took[w], op(w))
			}
		})
	}
	wg.Wait()
	lasted := time.Since(start)
	s.all += lasted
	s.rates = append(s.rates, float64(workers*ops)/lasted.Seconds())
	s.took = append(s.took, slices.Concat(took...))
}

func (s *samples) rate() float64 { return median(s.rates) }

// lasted is how long all rounds took together, in seconds.
func (s *samples) lasted() float64 { return s.all.Seconds() }

// quantile in milliseconds: the median of the rounds' quantiles.
func (s *samples) quantile(q float64) float64 {
	var of []float64
	for _, took := range s.took {
		slices.Sort(took)
		of = append(of, float64(took[int(q*float64(len(took)-1))].Microseconds())/1000)
	}
	return median(of)
}

func median(v []float64) float64 {
	slices.Sort(v)
	return v[len(v)/2]
}
