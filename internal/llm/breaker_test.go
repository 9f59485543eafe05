package llm_test

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/internal/llm"
	"github.com/stepledger/stepledger/internal/llm/llmtest"
)

// ask asks another question n times and gives the kinds of the errors.
func (b *bench) ask(t *testing.T, n int) (kinds []string) {
	t.Helper()
	for range n {
		q := question()
		q.Request.User = llm.Text(strconv.Itoa(b.asked))
		b.asked++
		_, err := b.Ask(t.Context(), q)
		kinds = append(kinds, string(llm.KindOf(err)))
	}
	return kinds
}

// down fails until it is told otherwise.
type down struct {
	up   atomic.Bool
	step llmtest.Step
}

func (d *down) script(int) llmtest.Step {
	if d.up.Load() {
		return good
	}
	return d.step
}

func TestClient_leavesAModelAloneThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := &down{step: llmtest.Step{Status: 503}}
		b := newBench(t, d.script)
		b.primary.Calling = nil
		if diff := cmp.Diff([]string{"unavailable", "unavailable", "skipped"}, b.ask(t, 3)); diff != "" || b.primary.Attempts() != 5 {
			t.Fatalf("%d attempts: %s", b.primary.Attempts(), diff)
		}
		if s := b.Status()[0]; s.LeftFor <= 0 || s.LeftFor > 20*time.Second || s.Skipped != 1 || llm.KindOf(s.Last) != llm.Unavailable || b.Reachable() == nil {
			t.Errorf("its status is %+v", s)
		}
		started, completed := b.ledger.Calls()
		if len(started) != 5 || len(completed) != 5 {
			t.Errorf("%d starts and %d ends are noted for 5 attempts", len(started), len(completed))
		}

		time.Sleep(20 * time.Second) // of the bubble's clock
		if diff := cmp.Diff([]string{"unavailable", "skipped"}, b.ask(t, 2)); diff != "" || b.primary.Attempts() != 6 {
			t.Fatalf("it is not tried once: %d attempts: %s", b.primary.Attempts(), diff)
		}

		time.Sleep(20 * time.Second)
		d.up.Store(true)
		if diff := cmp.Diff([]string{"", ""}, b.ask(t, 2)); diff != "" {
			t.Fatalf("it is not trusted again: %s", diff)
		}
		if s := b.Status()[0]; s.LeftFor != 0 || s.Last != nil || !s.Tried || b.Reachable() != nil {
			t.Errorf("its status is %+v", s)
		}
	})
}

func TestClient_whatBreaksAndWhatDoesNot(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		step  llmtest.Step
		tries int
		left  time.Duration
	}{
		{"overload", llmtest.Step{Status: 503}, 2, 20 * time.Second},
		{"silence", llmtest.Step{Hang: true}, 5, 20 * time.Second},
		{"too many requests, for as long as it asks", llmtest.Step{Status: 429, RetryAfter: time.Minute}, 5, time.Minute},
		{"but two minutes at most", llmtest.Step{Status: 429, RetryAfter: time.Hour}, 5, 2 * time.Minute},
		{"a bad request is an answer", llmtest.Step{Status: 400}, 9, 0},
		{"a refusal is one", llmtest.Step{BlockPrompt: true}, 9, 0},
		{"nonsense is one", llmtest.Step{Text: "no"}, 9, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, llmtest.Steps(tt.step))
				b.primary.Calling = nil
				b.ask(t, tt.tries)
				if s := b.Status()[0]; s.LeftFor != tt.left {
					t.Errorf("after %d attempts it is left alone for %s, want %s", b.primary.Attempts(), s.LeftFor, tt.left)
				}
			})
		})
	}
}

func TestClient_aCallerWhoLeavesBreaksNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := &down{step: llmtest.Step{Status: 503}}
		b := newBench(t, d.script)
		b.primary.Calling = nil
		b.ask(t, 2)
		time.Sleep(20 * time.Second)
		d.step = llmtest.Step{Hang: true}
		gone, leave := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, leave)
		if _, err := b.Ask(gone, question()); llm.KindOf(err) != llm.Cancelled {
			t.Fatal(err)
		}
		d.up.Store(true)
		if diff := cmp.Diff([]string{""}, b.ask(t, 1)); diff != "" {
			t.Errorf("the next one was not let through: %s", diff)
		}
	})
}

func TestClient_oneTriesForAll(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := &down{step: llmtest.Step{Status: 503}}
		b := newBench(t, d.script, good)
		b.primary.Calling = nil
		b.ask(t, 2)
		time.Sleep(20 * time.Second)
		before := b.primary.Attempts()
		d.step = llmtest.Step{Hang: true}
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				q := question()
				q.Request.User = llm.Text("at once " + strconv.Itoa(i))
				if a, err := b.Ask(t.Context(), q); err != nil || a.Model != "fallback" || !a.Fallback {
					t.Errorf("answered by %+v, %v", a, err)
				}
			})
		}
		wg.Wait()
		if n := b.primary.Attempts() - before; n != 1 {
			t.Errorf("%d of 8 tried whether it is back", n)
		}
	})
}

// counting counts the calls under way.
type counting struct {
	llm.Generator
	now, most atomic.Int64
}

func (c *counting) Generate(ctx context.Context, r llm.Request) (llm.Response, error) {
	c.most.Store(max(c.most.Load(), c.now.Add(1)))
	defer c.now.Add(-1)
	time.Sleep(time.Second)
	return c.Generator.Generate(ctx, r)
}

func TestClient_asManyCallsAsAreAllowed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ledger := llmtest.NewLedger()
		fake := &counting{Generator: llmtest.NewFake(llmtest.Steps(good))}
		c := newClientWith(t, ledger, []llm.Target{{Provider: "p", Model: "m", Generator: fake}}, func(o *llm.Options) { o.Concurrent = 2 })
		var wg sync.WaitGroup
		var refused atomic.Int64
		for i := range 40 {
			wg.Go(func() {
				q := question()
				q.Request.User = llm.Text(strconv.Itoa(i))
				_, err := c.Ask(t.Context(), q)
				var e *llm.Error
				if errors.As(err, &e) && (e.Kind != llm.Skipped || !e.Unbilled) {
					t.Error(err)
				}
				if err != nil {
					refused.Add(1)
				}
			})
		}
		time.Sleep(500 * time.Millisecond)
		if diff := cmp.Diff([]llm.Load{{Provider: "p", Calls: 2, Waiting: 38, Limit: 2}}, c.Loads()); diff != "" {
			t.Error(diff)
		}
		wg.Wait()
		// Two a second, and nobody waits for more than 15 seconds.
		if fake.most.Load() != 2 || refused.Load() < 8 || refused.Load() > 10 {
			t.Errorf("%d at a time, %d of 40 refused", fake.most.Load(), refused.Load())
		}
		if diff := cmp.Diff([]llm.Load{{Provider: "p", Limit: 2, Refused: refused.Load()}}, c.Loads()); diff != "" {
			t.Error(diff)
		}
		started, completed := ledger.Calls()
		if n := 40 - int(refused.Load()); len(started) != n || len(completed) != n {
			t.Errorf("%d starts, %d ends noted", len(started), len(completed))
		}
	})
}

// A fallback behind another provider is asked when the first is full.
func TestClient_aFullProviderHasAFallback(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ledger := llmtest.NewLedger()
		slow := &counting{Generator: llmtest.NewFake(llmtest.Steps(llmtest.Step{Hang: true}))}
		c := newClientWith(t, ledger, []llm.Target{
			{Provider: "p", Model: "m", Generator: slow}, {Provider: "q", Model: "n", Generator: llmtest.NewFake(llmtest.Steps(good))},
		}, func(o *llm.Options) { o.Concurrent = 1 })
		var wg sync.WaitGroup
		wg.Go(func() { _, _ = c.Ask(t.Context(), question()) })
		synctest.Wait()
		q := question()
		q.Request.User = llm.Text("another")
		if a, err := c.Ask(t.Context(), q); err != nil || a.Model != "n" || !a.Fallback {
			t.Errorf("%+v, %v", a, err)
		}
		wg.Wait()
	})
}

// A check that sees that an answer has no end makes a truncation of it.
func TestClient_aCutAnswerIsNoParseError(t *testing.T) {
	t.Parallel()
	b := newBench(t, llmtest.Steps(llmtest.Step{Text: `{"a":`}))
	q := question()
	q.Check = func(string) error { return errors.Join(errors.New("within the object"), llm.ErrCutOff) }
	_, err := b.Ask(t.Context(), q)
	if diff := cmp.Diff([]string{"truncated"}, b.outcomes(t)); llm.KindOf(err) != llm.Truncated || diff != "" {
		t.Errorf("%v: %s", err, diff)
	}
}
