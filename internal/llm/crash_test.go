package llm_test

import (
	"errors"
	"testing"
	"testing/synctest"

	"github.com/stepledger/stepledger/internal/llm"
	"github.com/stepledger/stepledger/internal/llm/llmtest"
)

// again is the turn run again after a crash: a new process, the same ledger
// and content, another turn number, the same request.
func (b *bench) again(t *testing.T, next ...llmtest.Step) (llm.Answer, error) {
	t.Helper()
	b.ledger.Fail = nil
	b.primary = llmtest.NewFake(llmtest.Steps(next...))
	targets := []llm.Target{{Provider: "p", Model: "primary", Generator: b.primary}}
	if b.fallback != nil {
		targets = append(targets, llm.Target{Provider: "q", Model: "fallback", Generator: b.fallback})
	}
	q := question()
	q.On.Turn = 2
	return newClient(t, b.ledger, targets).Ask(t.Context(), q)
}

// TestClient_eachCallHasOneBill kills the process at every noting of a call.
// Whatever was paid for and kept is not paid again, and no call has two ends.
func TestClient_eachCallHasOneBill(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		dies          string
		attempts      int // at the provider, both processes together
		started, ends int // on the ledger afterwards
		kept          bool
	}{
		{dies: "KeepPrompt", attempts: 1, started: 1, ends: 1},
		{dies: "Started", attempts: 1, started: 1, ends: 1},
		// Nobody saw the first answer: the ledger has a start without an end, to
		// be settled, and a call of its own for the second.
		{dies: "KeepAnswer", attempts: 2, started: 2, ends: 1},
		{dies: "Completed", attempts: 1, started: 1, ends: 1, kept: true},
		{dies: "", attempts: 1, started: 1, ends: 1, kept: true},
	} {
		t.Run("dies at "+tt.dies, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, llmtest.Steps(good))
				dead := false
				b.ledger.Fail = func(m string) error {
					dead = dead || m == tt.dies
					if dead {
						return errors.New("killed")
					}
					return nil
				}
				_, _ = b.Ask(t.Context(), question())
				before := b.primary.Attempts()
				a, err := b.again(t, good)
				if err != nil || a.Text != good.Text || a.Kept != tt.kept {
					t.Fatalf("answer %+v, %v", a, err)
				}
				started, completed := b.ledger.Calls()
				if n := before + b.primary.Attempts(); n != tt.attempts || len(started) != tt.started || len(completed) != tt.ends {
					t.Errorf("%d attempts, %d started, %d ended; want %d, %d, %d", n, len(started), len(completed), tt.attempts, tt.started, tt.ends)
				}
			})
		})
	}
}

func TestClient_keptAnswers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, llmtest.Steps(llmtest.Step{Text: "no JSON"}))
		_, _ = b.Ask(t.Context(), question())
		_, err := b.again(t, good)
		if llm.KindOf(err) != llm.Malformed || b.primary.Attempts() != 0 {
			t.Errorf("an unusable answer that was paid for is judged as before: %v, %d attempts", err, b.primary.Attempts())
		}
	})
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, llmtest.Steps(llmtest.Step{Status: 404}), good)
		_, _ = b.Ask(t.Context(), question())
		a, err := b.again(t, good)
		if err != nil || a.Model != "fallback" || b.primary.Attempts() != 0 {
			t.Errorf("a fallback's answer that was paid for was not used: %+v, %v", a, err)
		}
	})
}

func TestClient_anAnswerBelongsToItsQuestion(t *testing.T) {
	t.Parallel()
	b := newBench(t, llmtest.Steps(good))
	if _, err := b.Ask(t.Context(), question()); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*llm.Question){
		"another request":   func(q *llm.Question) { q.On.Request = "other" },
		"another task":      func(q *llm.Question) { q.On.Task = "other" },
		"a later turn":      func(q *llm.Question) { q.On.After = 1 },
		"another warmth":    func(q *llm.Question) { warm := 0.9; q.Request.Temperature = &warm },
		"another prompt":    func(q *llm.Question) { q.Request.User = llm.Text("other") },
		"another schema":    func(q *llm.Question) { q.Request.Schema = []byte(`{}`) },
		"a longer question": func(q *llm.Question) { q.Request.MaxOutputTokens = 1 },
	} {
		q := question()
		change(&q)
		a, err := b.Ask(t.Context(), q)
		if err != nil || a.Kept {
			t.Errorf("%s was given a kept answer (%v)", name, err)
		}
	}
}

func TestClient_anAnswerThatCannotBeReadBackIsAskedForAgain(t *testing.T) {
	t.Parallel()
	b := newBench(t, llmtest.Steps(good))
	if _, err := b.Ask(t.Context(), question()); err != nil {
		t.Fatal(err)
	}
	_, completed := b.ledger.Calls()
	b.ledger.Corrupt(completed[0].AnswerRef)
	if a, err := b.again(t, good); err != nil || a.Kept || b.primary.Attempts() != 1 {
		t.Fatalf("%+v, %v", a, err)
	}
}

// An answer is one model's: a role that has another model now asks it.
func TestClient_anAnswerBelongsToItsModel(t *testing.T) {
	t.Parallel()
	ledger := llmtest.NewLedger()
	for i, model := range []string{"one", "two", "two", "one"} {
		fake := llmtest.NewFake(llmtest.Steps(good))
		c := newClient(t, ledger, []llm.Target{{Provider: "p", Model: model, Generator: fake}})
		a, err := c.Ask(t.Context(), question())
		if err != nil || a.Model != model || a.Kept != (i > 1) || fake.Attempts() != 1-i/2 {
			t.Errorf("%s is answered by %+v, %v, after %d attempts", model, a, err, fake.Attempts())
		}
	}
}
