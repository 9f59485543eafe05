package llm_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/stepledger/stepledger/internal/llm"
	"github.com/stepledger/stepledger/internal/llm/llmtest"
)

// embedBench is a client that makes vectors by a fake, on a ledger.
type embedBench struct {
	*llm.Client
	ledger *llmtest.Ledger
	fake   *llmtest.Fake
}

func newEmbedBench(t *testing.T, ledger *llmtest.Ledger, change func(*llm.Options), steps ...llmtest.Step) *embedBench {
	t.Helper()
	b := &embedBench{ledger: ledger, fake: llmtest.NewFake(llmtest.Steps(steps...))}
	b.Client = newClientWith(t, ledger, nil, func(o *llm.Options) {
		o.Roles = nil
		o.Embedding = &llm.EmbeddingTarget{Provider: "p", Model: "m", Embedder: b.fake}
		change(o)
	})
	return b
}

func unchanged(*llm.Options) {}

func embedding(texts ...string) llm.Embedding {
	return llm.Embedding{On: llm.On{Tenant: "t", Task: "source"}, Purpose: "EMBEDDING", Key: "version.1", Texts: texts}
}

// vectorsOf are the vectors texts are to become.
func vectorsOf(texts ...string) (out [][]float32) {
	for _, text := range texts {
		out = append(out, llmtest.Vector(text, llmtest.DefaultDimensions))
	}
	return out
}

func sameVectors(t *testing.T, want, got [][]float32) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-6)); diff != "" {
		t.Error(diff)
	}
}

// attempts are how the attempts ended.
func attempts(l *llmtest.Ledger) (out []string) {
	started, completed := l.Calls()
	for i, c := range completed {
		if c.Call != started[i].Call || started[i].Purpose != "EMBEDDING" || c.On != started[i].On {
			out = append(out, "of another call")
		}
		out = append(out, string(c.Outcome))
	}
	return out
}

func TestClient_Embed(t *testing.T) {
	t.Parallel()
	nan := float32(math.NaN())
	texts := []string{"fees", "hours"}
	good := llmtest.Step{}
	for _, tt := range []struct {
		name     string
		steps    []llmtest.Step
		kind     llm.Kind
		outcomes []string
		took     time.Duration
	}{
		{"vectors are one call", []llmtest.Step{good}, "", []string{"ok"}, 0},
		{"the wait a provider asks for is kept", []llmtest.Step{{Status: 429, RetryAfter: 7 * time.Second}, good}, "", []string{"rate_limited", "ok"}, 7 * time.Second},
		{"a wait too long is not waited for", []llmtest.Step{{Status: 429, RetryAfter: 16 * time.Second}, good}, llm.RateLimited, []string{"rate_limited"}, 0},
		{"overload is tried again", []llmtest.Step{{Status: 503}, {Status: 500}, good}, "", []string{"unavailable", "unavailable", "ok"}, 750 * time.Millisecond},
		{"but not for ever", []llmtest.Step{{Status: 500}}, llm.Unavailable, []string{"unavailable", "unavailable", "unavailable"}, 750 * time.Millisecond},
		{"a bad request is not repeated", []llmtest.Step{{Status: 400}, good}, llm.Rejected, []string{"rejected"}, 0},
		{"silence is not waited for twice", []llmtest.Step{{Hang: true}, good}, llm.Timeout, []string{"timeout"}, 30 * time.Second},
		{"too few", []llmtest.Step{{Vectors: [][]float32{{1, 0}}}, good}, llm.Malformed, []string{"schema_invalid"}, 0},
		{"too many", []llmtest.Step{{Vectors: [][]float32{{1, 0}, {1, 0}, {1, 0}}}, good}, llm.Malformed, []string{"schema_invalid"}, 0},
		{"of two lengths", []llmtest.Step{{Vectors: [][]float32{{1, 0}, {1}}}, good}, llm.Malformed, []string{"schema_invalid"}, 0},
		{"of no length", []llmtest.Step{{Vectors: [][]float32{{}, {}}}, good}, llm.Malformed, []string{"schema_invalid"}, 0},
		{"not numbers", []llmtest.Step{{Vectors: [][]float32{{1, 0}, {nan, 1}}}, good}, llm.Malformed, []string{"schema_invalid"}, 0},
		{"without end", []llmtest.Step{{Vectors: [][]float32{{1, 0}, {float32(math.Inf(-1)), 1}}}, good}, llm.Malformed, []string{"schema_invalid"}, 0},
		{"of zeros", []llmtest.Step{{Vectors: [][]float32{{1, 0}, {0, 0}}}, good}, llm.Malformed, []string{"schema_invalid"}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := newEmbedBench(t, llmtest.NewLedger(), unchanged, tt.steps...)
				begun := time.Now()
				got, err := b.Embed(t.Context(), embedding(texts...))
				if llm.KindOf(err) != tt.kind || time.Since(begun) != tt.took {
					t.Errorf("error %v, took %s", err, time.Since(begun))
				}
				if err == nil {
					sameVectors(t, vectorsOf(texts...), got)
				}
				if diff := cmp.Diff(tt.outcomes, attempts(b.ledger)); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}

func TestClient_EmbedIsRecorded(t *testing.T) {
	t.Parallel()
	b := newEmbedBench(t, llmtest.NewLedger(), func(o *llm.Options) { o.Embedding.Dimensions = 2 }, llmtest.Step{Vectors: [][]float32{{3, 4}}, ServiceTier: "flex"})
	e := embedding("how much does it cost?")
	e.Questions = true
	got, err := b.Embed(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	sameVectors(t, [][]float32{{0.6, 0.8}}, got)
	if diff := cmp.Diff([]llm.EmbedRequest{{Model: "m", Texts: e.Texts, Dimensions: 2, Questions: true}}, b.fake.Embedded()); diff != "" {
		t.Error(diff)
	}
	started, completed := b.ledger.Calls()
	if s := started[0]; s.Model != "m" || s.Provider != "p" || s.EstimatedInputTokens < 5 || s.EstimatedOutputTokens != 0 || s.PromptRef != "" || s.Attempt != 1 {
		t.Errorf("started as %+v", s)
	}
	if c := completed[0]; c.Usage == nil || c.Usage.InputUncached != 5 || c.RawUsage == nil || c.ServiceTier != "flex" || c.AnswerRef == "" {
		t.Errorf("completed as %+v", c)
	}
}

// TestClient_eachEmbeddingHasOneBill kills the process at every noting of a call: vectors
// that were paid for and kept are not paid again, and no call has two ends.
func TestClient_eachEmbeddingHasOneBill(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		dies          string
		attempts      int // at the provider, both processes together
		started, ends int // on the ledger afterwards
	}{
		{"KeptAnswer", 1, 1, 1},
		{"Started", 1, 1, 1},
		// Nobody saw the first answer: its call is settled, and the second has its own.
		{"KeepAnswer", 2, 2, 1},
		{"Completed", 1, 1, 1},
		{"", 1, 1, 1},
	} {
		t.Run("dies at "+tt.dies, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ledger, dead := llmtest.NewLedger(), false
				ledger.Fail = func(m string) error {
					if dead = dead || m == tt.dies; dead {
						return errors.New("killed")
					}
					return nil
				}
				first := newEmbedBench(t, ledger, unchanged, llmtest.Step{})
				_, err := first.Embed(t.Context(), embedding("fees"))
				if (err != nil) != (tt.dies != "") {
					t.Errorf("the first is told %v", err)
				}
				ledger.Fail = nil
				second := newEmbedBench(t, ledger, unchanged, llmtest.Step{})
				got, err := second.Embed(t.Context(), embedding("fees"))
				if err != nil {
					t.Fatal(err)
				}
				sameVectors(t, vectorsOf("fees"), got)
				started, completed := ledger.Calls()
				if n := first.fake.Attempts() + second.fake.Attempts(); n != tt.attempts || len(started) != tt.started || len(completed) != tt.ends {
					t.Errorf("%d attempts, %d started, %d ended", n, len(started), len(completed))
				}
			})
		})
	}
}

// What was kept belongs to its key, texts, model and dimensions, and to whom it was
// billed.
func TestClient_vectorsBelongToWhatWasAskedFor(t *testing.T) {
	t.Parallel()
	ledger := llmtest.NewLedger()
	ask := func(e llm.Embedding, change func(*llm.Options)) int {
		t.Helper()
		b := newEmbedBench(t, ledger, change, llmtest.Step{})
		if _, err := b.Embed(t.Context(), e); err != nil {
			t.Fatal(err)
		}
		return b.fake.Attempts()
	}
	if n := ask(embedding("fees"), unchanged); n != 1 {
		t.Fatalf("%d attempts", n)
	}
	if n := ask(embedding("fees"), unchanged); n != 0 {
		t.Errorf("kept vectors took %d attempts", n)
	}
	other := embedding("fees")
	for name, e := range map[string]func(*llm.Embedding){
		"another key":    func(e *llm.Embedding) { e.Key = "version.2" },
		"other texts":    func(e *llm.Embedding) { e.Texts = []string{"hours"} },
		"another source": func(e *llm.Embedding) { e.On.Task = "other" },
		"as a question":  func(e *llm.Embedding) { e.Questions = true },
	} {
		e(&other)
		if n := ask(other, unchanged); n != 1 {
			t.Errorf("%s: %d attempts", name, n)
		}
	}
	for name, change := range map[string]func(*llm.Options){
		"another model":    func(o *llm.Options) { o.Embedding.Model = "n" },
		"another provider": func(o *llm.Options) { o.Embedding.Provider = "q" },
		"other dimensions": func(o *llm.Options) { o.Embedding.Dimensions = 3 },
	} {
		if n := ask(embedding("fees"), change); n != 1 {
			t.Errorf("%s: %d attempts", name, n)
		}
	}
}

func TestClient_vectorsThatCannotBeReadBackAreMadeAgain(t *testing.T) {
	t.Parallel()
	b := newEmbedBench(t, llmtest.NewLedger(), unchanged, llmtest.Step{})
	for range 2 {
		got, err := b.Embed(t.Context(), embedding("fees"))
		if err != nil {
			t.Fatal(err)
		}
		sameVectors(t, vectorsOf("fees"), got)
		_, completed := b.ledger.Calls()
		b.ledger.Corrupt(completed[0].AnswerRef)
	}
	if b.fake.Attempts() != 2 {
		t.Errorf("%d attempts", b.fake.Attempts())
	}
}

// The bill kept with useless vectors is found with them, and nobody pays for the same
// again.
func TestClient_uselessVectorsThatWerePaidForAreJudgedAsBefore(t *testing.T) {
	t.Parallel()
	ledger := llmtest.NewLedger()
	ledger.Fail = func(m string) error {
		if m == "Completed" {
			return errors.New("killed")
		}
		return nil
	}
	synctest.Test(t, func(t *testing.T) {
		first := newEmbedBench(t, ledger, unchanged, llmtest.Step{Vectors: [][]float32{{1, float32(math.NaN())}}})
		if _, err := first.Embed(t.Context(), embedding("fees")); llm.KindOf(err) != llm.Unrecorded {
			t.Errorf("the first is told %v", err)
		}
		ledger.Fail = nil
		second := newEmbedBench(t, ledger, unchanged, llmtest.Step{})
		if _, err := second.Embed(t.Context(), embedding("fees")); llm.KindOf(err) != llm.Malformed || second.fake.Attempts() != 0 {
			t.Errorf("%v after %d attempts", err, second.fake.Attempts())
		}
		started, completed := ledger.Calls()
		if len(started) != 1 || len(completed) != 1 {
			t.Fatalf("%d started, %d ended", len(started), len(completed))
		}
		if bill, ok := llm.CompletedOf(ledger.Content(completed[0].AnswerRef)); !ok || bill.Call != completed[0].Call {
			t.Errorf("the bill kept with them is %+v", bill)
		}
	})
}

func TestClient_vectorsOfAQuestionAreNotKept(t *testing.T) {
	t.Parallel()
	ledger := llmtest.NewLedger()
	ledger.Fail = func(m string) error {
		if m != "Started" && m != "Completed" {
			return errors.New("nothing is to be kept or looked for")
		}
		return nil
	}
	b := newEmbedBench(t, ledger, unchanged, llmtest.Step{})
	e := embedding("fees")
	e.Key = ""
	for range 2 {
		if _, err := b.Embed(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	_, completed := ledger.Calls()
	if len(completed) != 2 || completed[0].AnswerRef != "" {
		t.Errorf("%+v", completed)
	}
}

func TestClient_manyTextsAreSeveralCalls(t *testing.T) {
	t.Parallel()
	var texts []string
	for i := range 230 {
		texts = append(texts, fmt.Sprint("text ", i))
	}
	long := strings.Repeat("long ", 12_000) // 15,000 tokens
	texts = append(texts, long, long, strings.Repeat(long, 2), "short")
	ledger := llmtest.NewLedger()
	first := newEmbedBench(t, ledger, unchanged, llmtest.Step{}, llmtest.Step{}, llmtest.Step{Status: 400})
	if _, err := first.Embed(t.Context(), embedding(texts...)); llm.KindOf(err) != llm.Rejected {
		t.Fatal(err)
	}
	second := newEmbedBench(t, ledger, unchanged, llmtest.Step{})
	got, err := second.Embed(t.Context(), embedding(texts...))
	if err != nil {
		t.Fatal(err)
	}
	sameVectors(t, vectorsOf(texts...), got)
	var sizes []int
	for _, r := range slices.Concat(first.fake.Embedded(), second.fake.Embedded()) {
		sizes = append(sizes, len(r.Texts))
	}
	// The first two calls are not made again.
	if diff := cmp.Diff([]int{100, 100, 31, 31, 1, 1, 1}, sizes); diff != "" {
		t.Error(diff)
	}
	none, err := second.Embed(t.Context(), embedding())
	if err != nil || len(none) != 0 {
		t.Errorf("no texts give %v, %v", none, err)
	}
}

// A model that changes the length of its vectors between two calls is of no use.
func TestClient_allVectorsHaveOneLength(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("long ", 12_000)
	b := newEmbedBench(t, llmtest.NewLedger(), unchanged, llmtest.Step{Vectors: [][]float32{{1, 0}}}, llmtest.Step{Vectors: [][]float32{{1, 0, 0}}})
	if _, err := b.Embed(t.Context(), embedding(long, "another "+long)); llm.KindOf(err) != llm.Malformed {
		t.Error(err)
	}
	asked := newEmbedBench(t, llmtest.NewLedger(), func(o *llm.Options) { o.Embedding.Dimensions = 3 }, llmtest.Step{Vectors: [][]float32{{1, 0}}})
	if _, err := asked.Embed(t.Context(), embedding("fees")); llm.KindOf(err) != llm.Malformed {
		t.Error(err)
	}
}

func TestClient_anEmbeddingThatMayNotBeBilledIsNotMade(t *testing.T) {
	t.Parallel()
	full := errors.New("the budget has no room")
	b := newEmbedBench(t, llmtest.NewLedger(), unchanged, llmtest.Step{})
	b.ledger.Fail = func(m string) error {
		if m == "Started" {
			return full
		}
		return nil
	}
	if _, err := b.Embed(t.Context(), embedding("fees")); !errors.Is(err, full) || b.fake.Attempts() != 0 {
		t.Errorf("%v after %d attempts", err, b.fake.Attempts())
	}
	if s := b.Status(); len(s) != 1 || s[0].Tried {
		t.Errorf("the model is blamed: %+v", s)
	}
}

func TestClient_aModelThatMakesNoVectorsIsLeftAlone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newEmbedBench(t, llmtest.NewLedger(), unchanged, slices.Concat(slices.Repeat([]llmtest.Step{{Status: 503}}, 5), []llmtest.Step{{}})...)
		for _, want := range []llm.Kind{llm.Unavailable, llm.Unavailable, llm.Skipped} {
			if _, err := b.Embed(t.Context(), embedding("fees")); llm.KindOf(err) != want {
				t.Errorf("%v, want %s", err, want)
			}
		}
		if err := b.Reachable(); err == nil || b.fake.Attempts() != 5 {
			t.Errorf("after %d attempts it is said to be reachable", b.fake.Attempts())
		}
		time.Sleep(20 * time.Second)
		if _, err := b.Embed(t.Context(), embedding("fees")); err != nil || b.Reachable() != nil {
			t.Errorf("%v, %v", err, b.Reachable())
		}
	})
}

// The attempt of a caller who leaves is waited for and billed; it is not made for one who
// has left.
func TestClient_whoLeavesPaysForTheRunningEmbedding(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newEmbedBench(t, llmtest.NewLedger(), unchanged, llmtest.Step{Hang: true})
		ctx, leave := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, leave)
		begun := time.Now()
		if _, err := b.Embed(ctx, embedding("fees")); llm.KindOf(err) != llm.Cancelled || time.Since(begun) != 11*time.Second {
			t.Errorf("%v after %s", err, time.Since(begun))
		}
		if _, err := b.Embed(ctx, embedding("fees")); llm.KindOf(err) != llm.Cancelled {
			t.Error(err)
		}
		if diff := cmp.Diff([]string{"cancelled"}, attempts(b.ledger)); diff != "" {
			t.Error(diff)
		}
	})
}

func TestNewClient_vectors(t *testing.T) {
	t.Parallel()
	fake := llmtest.NewFake(llmtest.Steps(llmtest.Step{}))
	for name, target := range map[string]*llm.EmbeddingTarget{
		"no provider": {Model: "m", Embedder: fake}, "no model": {Provider: "p", Embedder: fake}, "no embedder": {Provider: "p", Model: "m"},
		"dimensions": {Provider: "p", Model: "m", Embedder: fake, Dimensions: -1},
	} {
		o := llm.Options{Embedding: target, Recorder: llmtest.NewLedger(), NewID: func() string { return "" }, Tokens: func(string) int { return 0 }}
		if _, err := llm.NewClient(o); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
	c := newClient(t, llmtest.NewLedger(), []llm.Target{{Provider: "p", Model: "m", Generator: fake}})
	if _, err := c.Embed(t.Context(), embedding("fees")); llm.KindOf(err) != llm.Rejected || c.Embeds() {
		t.Errorf("without a model: %v", err)
	}
}
