package llmtest_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stepledger/stepledger/internal/llm"
	"github.com/stepledger/stepledger/internal/llm/llmtest"
)

func TestFake(t *testing.T) {
	t.Parallel()
	llmtest.Contract(t, func(_ *testing.T, s llmtest.Script) llmtest.Provider {
		f := llmtest.NewFake(s)
		return llmtest.Provider{Generator: f, Requests: f.Requests}
	})
}

func TestLedger_refusesWhatMustNotHappen(t *testing.T) {
	t.Parallel()
	ctx, on := t.Context(), llm.On{Task: "k"}
	l := llmtest.NewLedger()
	ref, err := l.KeepPrompt(ctx, on, []byte("prompt"))
	if err != nil {
		t.Fatal(err)
	}
	end := llm.CallCompleted{Call: "1", Outcome: llm.OutcomeOK, CompletedAt: time.Unix(1, 0)}
	other := end
	other.Outcome = llm.OutcomeBlocked
	for _, step := range []struct {
		name    string
		do      func() error
		refused bool
	}{
		{"an end without a start", func() error { return l.Completed(ctx, end) }, true},
		{"a start whose prompt is not kept", func() error { return l.Started(ctx, llm.CallStarted{Call: "1", PromptRef: "?"}) }, true},
		{"a start", func() error { return l.Started(ctx, llm.CallStarted{Call: "1", PromptRef: ref}) }, false},
		{"a second start", func() error { return l.Started(ctx, llm.CallStarted{Call: "1", PromptRef: ref}) }, true},
		{"an end", func() error { return l.Completed(ctx, end) }, false},
		{"the same end", func() error { return l.Completed(ctx, end) }, false},
		{"another end", func() error { return l.Completed(ctx, other) }, true},
		{"an answer that is not kept", func() error {
			return errors.Join(l.Started(ctx, llm.CallStarted{Call: "2", PromptRef: ref}),
				l.Completed(ctx, llm.CallCompleted{Call: "2", AnswerRef: "?"}))
		}, true},
	} {
		if err := step.do(); (err != nil) != step.refused {
			t.Errorf("%s: %v", step.name, err)
		}
	}
}
