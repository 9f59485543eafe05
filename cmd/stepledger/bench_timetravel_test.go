package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/stepledger/stepledger/commands/interact"
	"github.com/stepledger/stepledger/commands/replay"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/internal/content"
	"github.com/stepledger/stepledger/projections/history"
)

// The benchmarks of looking back, over HTTP and by the commands, on what the server has
// recorded itself.
const (
	lookedSteps   = 50
	lookedRounds  = 400
	lookedPage    = 20_000 // bytes of markup
	batchedTasks  = 1000
	batchedCopies = 8 // at a time
)

// BenchmarkTimeTravel measures a state of a task of 50 steps over HTTP against one bare
// read of its stream from the same Postgres, both in turn, and the same without HTTP by a
// reader that holds nothing from the question before; what a turn takes on disk; and
// a thousand recorded tasks decided anew, and searched for a first revision.
//
//	BAR timetravel.state_at_vs_floor ours=.. ref=.. ratio=.. unit=ms
//	BAR timetravel.batch_1000_s ours=.. ref=.. ratio=.. unit=s
func BenchmarkTimeTravel(b *testing.B) {
	for range b.N {
		model := newFakeGemini(b)
		s := newServerWith(b, model.env(), hooks{})
		id := recordSteps(b, s, model)
		benchStateAt(b, s, id)
		benchTurnBytes(b, s, id)
		benchBatch(b, s, model)
	}
}

// recordSteps records a task of 50 steps, each to a page of its own.
func recordSteps(b *testing.B, s *server, model *fakeGemini) (id string) {
	b.Helper()
	model.set(func(f *fakeGemini) {
		f.says = `{"thought":"The next page is what I need.","action":"click(\"1\")","expected":"the next page","confidence":0.95}`
	})
	defer model.set(func(f *fakeGemini) { f.says = "" })
	fill, session := padding(lookedPage), ""
	for step := range lookedSteps {
		body := map[string]any{
			"url":   fmt.Sprintf("https://clinic.example/record/%d", step),
			"query": "open the next page", "clientCapabilities": abilities,
			"dom": fmt.Sprintf(`<html><body><h1>Record %d</h1><p>Of patient %[1]d</p><a href="/record/%[2]d" data-llm-id="1">Next page</a>%[3]s</body></html>`, step, step+1, fill),
		}
		if id != "" {
			body["taskId"], body["sessionId"] = id, session
		}
		a := data[interact.Answer](b, s.post(b, "/api/agent/interact", body, nil))
		if a.Status != "executing" {
			b.Fatalf("step %d: %+v", step, a)
		}
		id, session = a.TaskID, a.SessionID
	}
	return id
}

func benchStateAt(b *testing.B, s *server, id string) {
	b.Helper()
	pool, err := pgxpool.New(b.Context(), s.url)
	if err != nil {
		b.Fatal(err)
	}
	defer pool.Close()
	newest := data[history.State](b, s.get(b, "/api/debug/tasks/"+id+"/state"))
	rng := rand.New(rand.NewPCG(1, 2))
	var ours, ref, first []float64
	tenant, err := s.tenantOf(b.Context(), id)
	if err != nil {
		b.Fatal(err)
	}
	for range lookedRounds {
		ref = append(ref, milliseconds(func() { bareRead(b, pool, task.Stream(id)) }))
		path := fmt.Sprintf("/api/debug/tasks/%s/state?revision=%d", id, rng.Int64N(newest.Head+1))
		ours = append(ours, milliseconds(func() {
			if r := s.get(b, path); r.status != http.StatusOK {
				b.Fatalf("%d %s", r.status, r.body)
			}
		}))
		first = append(first, milliseconds(func() { // by a reader that holds nothing
			if _, err := s.history().StateAt(b.Context(), tenant, id, rng.Int64N(newest.Head+1)); err != nil {
				b.Fatal(err)
			}
		}))
	}
	fmt.Printf("timetravel: %d events in the stream\n", newest.Head+1)
	bar("timetravel.state_at_vs_floor", median(ours), median(ref), "ms")
	bar("timetravel.first_look_vs_floor", median(first), median(ref), "ms")
}

func milliseconds(do func()) float64 {
	began := time.Now()
	do()
	return float64(time.Since(began).Nanoseconds()) / 1e6
}

// bareRead reads a stream and does nothing with it.
func bareRead(b *testing.B, pool *pgxpool.Pool, stream string) {
	b.Helper()
	rows, err := pool.Query(b.Context(), `select id, type, revision, position, recorded_at, data, meta from log.events where stream = $1 order by revision`, stream)
	if err != nil {
		b.Fatal(err)
	}
	defer rows.Close()
	n := 0
	for rows.Next() {
		n += len(rows.RawValues())
	}
	if err := rows.Err(); err != nil || n == 0 {
		b.Fatalf("%d columns: %v", n, err)
	}
}

// benchTurnBytes prints what a turn takes: in the log, and of pages, prompts and answers.
func benchTurnBytes(b *testing.B, s *server, id string) {
	b.Helper()
	var log, ledger, kept, raw float64
	err := s.db.QueryRow(b.Context(), `
		select (select sum(length(data::text) + length(meta::text)) from log.events where stream = 'task-' || $1),
			(select coalesce(sum(length(data::text) + length(meta::text)), 0) from log.events where stream = 'usage-' || $1),
			(select sum(length(body)) from content.blobs where subject = $1), (select sum(size) from content.blobs where subject = $1)`, id).Scan(&log, &ledger, &kept, &raw)
	if err != nil {
		b.Fatal(err)
	}
	fmt.Printf("timetravel: bytes per turn: %.0f of task events, %.0f of ledger events, %.0f of content (%.0f before compression)\n",
		log/lookedSteps, ledger/lookedSteps, kept/lookedSteps, raw/lookedSteps)
}

func benchBatch(b *testing.B, s *server, model *fakeGemini) {
	b.Helper()
	model.set(func(f *fakeGemini) { f.says = "" })
	var recorded []string
	for i := range 4 {
		p := newModelPursuit()
		p.page.padding, p.page.dead = padding(lookedPage*(i+1)/2), i == 3
		for !p.ended {
			if err := p.step(b.Context(), s.client); err != nil {
				b.Fatal(err)
			}
		}
		recorded = append(recorded, p.task)
	}
	tenant, err := s.tenantOf(b.Context(), recorded[0])
	if err != nil {
		b.Fatal(err)
	}
	refs := copies(b, s.system, tenant, recorded)
	var batch pricedBatch
	took := milliseconds(func() { batch, err = s.replayAll(b.Context(), refs) })
	if err != nil || batch.Turns == 0 || batch.Same != batch.Turns {
		b.Fatalf("of %d turns %d are the same, %d skipped: %v, %v, %+v", batch.Turns, batch.Same, batch.Skipped, batch.Unreadable, err, batch.Flips[:min(1, len(batch.Flips))])
	}
	fmt.Printf("timetravel: %d tasks with %d turns on %d cores\n", batch.Tasks, batch.Turns, runtime.NumCPU())
	bar("timetravel.batch_1000_s", took/1000, thousandLimit, "s")
	condition, err := replay.ParsePredicate("/status = completed")
	if err != nil {
		b.Fatal(err)
	}
	found := 0
	took = milliseconds(func() {
		for _, r := range refs {
			f, err := s.source().Bisect(b.Context(), r.Tenant, r.ID, condition)
			if err != nil {
				b.Fatal(err)
			}
			if f.Holds {
				found++
			}
		}
	})
	if found != len(refs) {
		b.Fatalf("%d of %d tasks were completed", found, len(refs))
	}
	bar("timetravel.bisect_1000_s", took/1000, thousandLimit, "s")
}

// thousandLimit is the seconds a thousand tasks may take.
const thousandLimit = 60

// copies makes a thousand tasks of a few, each with a key, streams and content of its own.
func copies(b *testing.B, s *system, tenant string, recorded []string) []replay.Ref {
	b.Helper()
	refs := make([]replay.Ref, batchedTasks)
	next := make(chan int)
	var wg sync.WaitGroup
	for range batchedCopies {
		wg.Go(func() {
			for i := range next {
				refs[i] = replay.Ref{Tenant: tenant, ID: domain.NewUUID()}
				if err := copyTask(b.Context(), s, tenant, recorded[i%len(recorded)], refs[i].ID); err != nil {
					b.Error(err)
				}
			}
		})
	}
	for i := range refs {
		next <- i
	}
	close(next)
	wg.Wait()
	return refs
}

// copyTask seals a task anew for another id.
func copyTask(ctx context.Context, s *system, tenant, from, to string) error {
	old, err := s.content.Key(ctx, tenant, from)
	if err != nil {
		return err
	}
	key, err := s.content.NewKey(ctx, tenant, to)
	if err != nil {
		return err
	}
	put := func(kind, ref string) error {
		if ref == "" {
			return nil
		}
		body, err := s.content.Get(ctx, tenant, from, ref)
		if err != nil {
			return err
		}
		return s.content.PutAs(ctx, tenant, to, kind, ref, body)
	}
	for _, stream := range []func(string) string{task.Stream, usage.Stream} {
		slice, err := s.events.ReadStream(ctx, stream(from), eventstore.ReadOptions{})
		if err != nil {
			return err
		}
		var out []eventstore.Proposed
		for _, r := range slice.Events {
			m := r.Metadata()
			m.Correlation = to
			p := eventstore.Proposed{ID: domain.NewUUID(), Meta: m.Encode()}
			if p.Type, p.Data, err = copyEvent(r, p.ID, from, to, old, key, put); err != nil {
				return err
			}
			out = append(out, p)
		}
		if _, err := s.events.Append(ctx, stream(to), eventstore.NoStream, out); err != nil {
			return err
		}
	}
	return nil
}

func copyEvent(r eventstore.Recorded, id, from, to string, old, key domain.Sealer, put func(kind, ref string) error) (string, json.RawMessage, error) {
	if eventstore.Category(r.Stream) == "task" {
		e, err := task.Codec.Decode(r.Type, r.Data, r.ID, old)
		if err != nil {
			return "", nil, err
		}
		switch t := e.(type) {
		case task.PageObserved:
			if err := put(content.KindPage, t.Page); err != nil {
				return "", nil, err
			}
		case task.TurnEnded: // the answer names the task
			t.Answer = bytes.ReplaceAll(t.Answer, []byte(from), []byte(to))
			e = t
		}
		return task.Codec.Encode(e, id, key)
	}
	e, err := usage.Codec.Decode(r.Type, r.Data, r.ID, nil)
	if err != nil {
		return "", nil, err
	}
	switch u := e.(type) {
	case usage.LLMCallStarted:
		err = put(content.KindPrompt, u.PromptRef)
		u.Task, u.Call = to, domain.DeriveUUID(u.Call, to)
		e = u
	case usage.LLMCallCompleted:
		u.Call = domain.DeriveUUID(u.Call, to)
		e = u
		err = put(content.KindAnswer, u.AnswerRef)
	}
	if err != nil {
		return "", nil, err
	}
	return usage.Codec.Encode(e, id, nil)
}
