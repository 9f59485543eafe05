package llm_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/internal/llm"
	"github.com/stepledger/stepledger/internal/llm/llmtest"
)

// bench is a client over a fake primary and a fake fallback, on a ledger.
type bench struct {
	*llm.Client
	ledger            *llmtest.Ledger
	primary, fallback *llmtest.Fake
	asked             int
}

func newBench(t *testing.T, primary llmtest.Script, fallback ...llmtest.Step) *bench {
	t.Helper()
	b := &bench{ledger: llmtest.NewLedger(), primary: llmtest.NewFake(primary)}
	b.primary.Calling = func(n int) {
		started, completed := b.ledger.Calls()
		if len(started) != n+1 || len(completed) != n {
			t.Errorf("attempt %d is made with %d starts and %d ends noted", n, len(started), len(completed))
		}
	}
	targets := []llm.Target{{Provider: "p", Model: "primary", Generator: b.primary}}
	if len(fallback) > 0 {
		b.fallback = llmtest.NewFake(llmtest.Steps(fallback...))
		targets = append(targets, llm.Target{Provider: "q", Model: "fallback", Generator: b.fallback})
	}
	b.Client = newClient(t, b.ledger, targets)
	return b
}

func newClient(t *testing.T, l *llmtest.Ledger, targets []llm.Target) *llm.Client {
	t.Helper()
	return newClientWith(t, l, targets, func(*llm.Options) {})
}

func newClientWith(t *testing.T, l *llmtest.Ledger, targets []llm.Target, change func(*llm.Options)) *llm.Client {
	t.Helper()
	var ids atomic.Int64
	started, _ := l.Calls()
	ids.Store(int64(len(started)))
	o := llm.Options{
		Roles:    map[llm.Role][]llm.Target{llm.Fast: targets},
		Recorder: l,
		Tokens:   func(s string) int { return len(s) / 4 },
		NewID:    func() string { return fmt.Sprintf("call-%d", ids.Add(1)) },
		Jitter:   func() float64 { return 0 },
	}
	change(&o)
	c, err := llm.NewClient(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func question() llm.Question {
	return llm.Question{
		On:      llm.On{Tenant: "t", User: "u", Session: "s", Task: "k", Turn: 1, Request: "r"},
		Purpose: "VERIFICATION", Role: llm.Fast, PromptName: "verify/1", PromptHash: "h",
		Request: llm.Request{System: "be brief", User: llm.Text("did it work?")},
		Check: func(s string) error {
			if !json.Valid([]byte(s)) {
				return errors.New("it is not JSON")
			}
			return nil
		},
	}
}

var good = llmtest.Step{Text: `{"a":1}`}

func TestClient_Ask(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		primary  []llmtest.Step
		fallback []llmtest.Step
		kind     llm.Kind
		outcomes []string
		model    string
		took     time.Duration
	}{
		{"a good answer is one call", []llmtest.Step{good}, nil, "", []string{"ok"}, "primary", 0},
		{"the wait a provider asks for is kept", []llmtest.Step{{Status: 429, RetryAfter: 7 * time.Second}, good}, nil,
			"", []string{"rate_limited", "ok"}, "primary", 7 * time.Second},
		{"BrowserOS#762: a wait too long is not waited for", []llmtest.Step{{Status: 429, RetryAfter: 16 * time.Second}, good}, nil,
			llm.RateLimited, []string{"rate_limited"}, "", 0},
		{"overload is tried again with growing waits", []llmtest.Step{{Status: 503}, {Status: 500}, good}, nil,
			"", []string{"unavailable", "unavailable", "ok"}, "primary", 750 * time.Millisecond},
		{"but not for ever", []llmtest.Step{{Status: 503}}, nil,
			llm.Unavailable, []string{"unavailable", "unavailable", "unavailable"}, "", 750 * time.Millisecond},
		{"a bad request is not repeated", []llmtest.Step{{Status: 400}, good}, nil, llm.Rejected, []string{"rejected"}, "", 0},
		{"a bad key is not tried again", []llmtest.Step{{Status: 401}, good}, nil, llm.Rejected, []string{"rejected"}, "", 0},
		{"nor a forbidden model", []llmtest.Step{{Status: 403}, good}, nil, llm.Rejected, []string{"rejected"}, "", 0},
		{"a retired model has a fallback", []llmtest.Step{{Status: 404}}, []llmtest.Step{good}, "", []string{"rejected", "ok"}, "fallback", 0},
		{"a silent model has one too", []llmtest.Step{{Hang: true}}, []llmtest.Step{good}, "", []string{"timeout", "ok"}, "fallback", 30 * time.Second},
		{"when both fail the last error counts", []llmtest.Step{{Status: 404}}, []llmtest.Step{{Status: 429, RetryAfter: time.Hour}},
			llm.RateLimited, []string{"rejected", "rate_limited"}, "", 0},
		{"all attempts together have a limit", []llmtest.Step{{Hang: true}}, []llmtest.Step{{Hang: true}},
			llm.Timeout, []string{"timeout", "timeout"}, "", 50 * time.Second},
		{"an answer that breaks off is tried again", []llmtest.Step{{Cut: true}, good}, nil, "", []string{"unavailable", "ok"}, "primary", 250 * time.Millisecond},
		{"a refusal to answer is final and billed", []llmtest.Step{{Finish: llm.Refused}, good}, []llmtest.Step{good}, llm.Blocked, []string{"blocked"}, "", 0},
		{"so is a refused prompt", []llmtest.Step{{BlockPrompt: true}, good}, nil, llm.Blocked, []string{"blocked"}, "", 0},
		{"an answer cut off is no parse error", []llmtest.Step{{Text: `{"a":`, Finish: llm.MaxTokens}}, nil, llm.Truncated, []string{"truncated"}, "", 0},
		{"an unusable answer is billed", []llmtest.Step{{Text: "I'll help"}, good}, nil, llm.Malformed, []string{"schema_invalid"}, "", 0},
		{"an empty answer is unusable", []llmtest.Step{{}}, nil, llm.Malformed, []string{"schema_invalid"}, "", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, llmtest.Steps(tt.primary...), tt.fallback...)
				begin := time.Now()
				a, err := b.Ask(t.Context(), question())
				if llm.KindOf(err) != tt.kind || a.Model != tt.model {
					t.Fatalf("answered by %q, error %v; want %q, %q", a.Model, err, tt.model, tt.kind)
				}
				if took := time.Since(begin); took != tt.took {
					t.Errorf("took %s, want %s", took, tt.took)
				}
				if diff := cmp.Diff(tt.outcomes, b.outcomes(t)); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}

// outcomes checks that every start has exactly one end and gives the ends.
func (b *bench) outcomes(t *testing.T) []string {
	t.Helper()
	started, completed := b.ledger.Calls()
	if len(started) != len(completed) {
		t.Fatalf("%d starts and %d ends are noted", len(started), len(completed))
	}
	var out []string
	for i, c := range completed {
		if c.Call != started[i].Call || started[i].Attempt != i+1 {
			t.Errorf("call %d is %s, attempt %d, and ends as %s", i, started[i].Call, started[i].Attempt, c.Call)
		}
		out = append(out, string(c.Outcome))
	}
	return out
}

func TestClient_notesWhatWasUsed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, llmtest.Steps(llmtest.Step{Status: 503}, good))
		if _, err := b.Ask(t.Context(), question()); err != nil {
			t.Fatal(err)
		}
		started, completed := b.ledger.Calls()
		s := started[1]
		want := llm.CallStarted{
			On: question().On, Call: "call-2", Purpose: "VERIFICATION", Role: llm.Fast, Provider: "p", Model: "primary",
			Attempt: 2, PromptName: "verify/1", PromptHash: "h", PromptRef: s.PromptRef,
			EstimatedInputTokens: 6, EstimatedOutputTokens: llm.DefaultMaxOutputTokens, StartedAt: s.StartedAt,
		}
		if diff := cmp.Diff(want, s); diff != "" || s.StartedAt.IsZero() {
			t.Error(diff)
		}
		if prompt := string(b.ledger.Content(s.PromptRef)); !strings.Contains(prompt, "did it work?") {
			t.Errorf("the kept prompt is %s", prompt)
		}
		usage := llmtest.DefaultUsage()
		if diff := cmp.Diff(&usage, completed[1].Usage); diff != "" {
			t.Error(diff)
		}
		if completed[0].Usage != nil || !completed[0].Unbilled {
			t.Errorf("a refused attempt is noted as %+v", completed[0])
		}
		if kept := string(b.ledger.Content(completed[1].AnswerRef)); !strings.Contains(kept, "call-2") {
			t.Errorf("the kept answer is %s", kept)
		}
	})
}

func TestClient_timedOutUsageIsUnknownNotZero(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, llmtest.Steps(llmtest.Step{Hang: true}))
		_, err := b.Ask(t.Context(), question())
		_, completed := b.ledger.Calls()
		if llm.KindOf(err) != llm.Timeout || completed[0].Unbilled || completed[0].Usage != nil {
			t.Fatalf("error %v, noted %+v", err, completed[0])
		}
	})
}

func TestClient_aDeadlineBoundsTheAttempt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, llmtest.Steps(llmtest.Step{Hang: true}))
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		begin := time.Now()
		_, err := b.Ask(ctx, question())
		if llm.KindOf(err) != llm.Timeout || time.Since(begin) != 3*time.Second {
			t.Fatalf("after %s: %v", time.Since(begin), err)
		}
		if diff := cmp.Diff([]string{"timeout"}, b.outcomes(t)); diff != "" {
			t.Error(diff)
		}
	})
}

// slow answers after a while.
type slow struct {
	after time.Duration
	llm.Generator
}

func (s slow) Generate(ctx context.Context, r llm.Request) (llm.Response, error) {
	select {
	case <-time.After(s.after):
		return s.Generator.Generate(ctx, r)
	case <-ctx.Done():
		return llm.Response{}, &llm.Error{Kind: llm.Cancelled, Cause: ctx.Err()}
	}
}

func TestClient_aCallerWhoLeavesDoesNotLoseTheBill(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		after   time.Duration
		kind    llm.Kind
		outcome string
	}{
		{"an answer within the grace is kept", 9 * time.Second, "", "ok"},
		{"one that takes longer is given up", 25 * time.Second, llm.Cancelled, "cancelled"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ledger := llmtest.NewLedger()
				fake := slow{tt.after, llmtest.NewFake(llmtest.Steps(good))}
				b := &bench{ledger: ledger, Client: newClient(t, ledger, []llm.Target{{Provider: "p", Model: "m", Generator: fake}})}
				ctx, leave := context.WithCancel(t.Context())
				time.AfterFunc(time.Second, leave)
				_, err := b.Ask(ctx, question())
				if llm.KindOf(err) != tt.kind {
					t.Fatal(err)
				}
				if diff := cmp.Diff([]string{tt.outcome}, b.outcomes(t)); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}

func TestClient_noAttemptForACallerWhoHasLeft(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, llmtest.Steps(llmtest.Step{Status: 503}), good)
		ctx, leave := context.WithCancel(t.Context())
		time.AfterFunc(100*time.Millisecond, leave) // within the first wait
		if _, err := b.Ask(ctx, question()); llm.KindOf(err) != llm.Unavailable {
			t.Fatal(err)
		}
		if b.primary.Attempts() != 1 || b.fallback.Attempts() != 0 {
			t.Fatalf("%d and %d attempts", b.primary.Attempts(), b.fallback.Attempts())
		}
	})
}

func TestClient_aQuestionThatComesTooLate(t *testing.T) {
	t.Parallel()
	gone, leave := context.WithCancel(t.Context())
	leave()
	late, cancel := context.WithDeadline(t.Context(), time.Unix(1, 0))
	defer cancel()
	for ctx, want := range map[context.Context]llm.Kind{gone: llm.Cancelled, late: llm.Timeout} {
		b := newBench(t, llmtest.Steps(good))
		if _, err := b.Ask(ctx, question()); llm.KindOf(err) != want || b.primary.Attempts() != 0 {
			t.Errorf("%v after %d attempts, want %s", err, b.primary.Attempts(), want)
		}
	}
}

func TestClient_whatCannotBeNotedIsNotAsked(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"KeptAnswer", "KeepPrompt", "Started"} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, llmtest.Steps(good), good)
			down := errors.New("the store is down")
			b.ledger.Fail = func(m string) error {
				if m == method {
					return down
				}
				return nil
			}
			_, err := b.Ask(t.Context(), question())
			if llm.KindOf(err) != llm.Unrecorded || !errors.Is(err, down) {
				t.Fatal(err)
			}
			if b.primary.Attempts() != 0 || b.fallback.Attempts() != 0 {
				t.Fatal("the model was asked")
			}
		})
	}
}

func TestClient_anEndIsNotedAgainUntilItHolds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, llmtest.Steps(good))
		fails := 2
		b.ledger.Fail = func(m string) error {
			if m == "Completed" && fails > 0 {
				fails--
				return errors.New("busy")
			}
			return nil
		}
		if _, err := b.Ask(t.Context(), question()); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"ok"}, b.outcomes(t)); diff != "" {
			t.Error(diff)
		}
	})
}
