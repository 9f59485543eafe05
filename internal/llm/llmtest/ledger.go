package llmtest

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"

	"github.com/stepledger/stepledger/internal/llm"
)

// Ledger is a Recorder in memory. It refuses what must not happen: an end
// without a start, a second story about the same call, a prompt or an answer
// referred to before it is kept.
type Ledger struct {
	mu        sync.Mutex
	started   []llm.CallStarted
	completed []llm.CallCompleted
	content   map[string][]byte
	answers   map[string]string
	// Fail, when set, is asked before every method by name; its error is
	// returned and nothing is noted.
	Fail func(method string) error
}

// NewLedger makes an empty one.
func NewLedger() *Ledger {
	return &Ledger{content: map[string][]byte{}, answers: map[string]string{}}
}

// Calls noted so far: those started and those completed, in order.
func (l *Ledger) Calls() (started []llm.CallStarted, completed []llm.CallCompleted) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.started), slices.Clone(l.completed)
}

// Content kept under a reference.
func (l *Ledger) Content(ref string) []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.content[ref]
}

func (l *Ledger) enter(ctx context.Context, method string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if l.Fail != nil {
		return l.Fail(method)
	}
	return nil
}

// Started implements llm.Recorder.
func (l *Ledger) Started(ctx context.Context, c llm.CallStarted) error {
	if err := l.enter(ctx, "Started"); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if c.PromptRef != "" && l.content[c.PromptRef] == nil {
		return fmt.Errorf("call %s refers to a prompt that is not kept", c.Call)
	}
	if slices.ContainsFunc(l.started, func(s llm.CallStarted) bool { return s.Call == c.Call }) {
		return fmt.Errorf("call %s is started twice", c.Call)
	}
	l.started = append(l.started, c)
	return nil
}

// Completed implements llm.Recorder.
func (l *Ledger) Completed(ctx context.Context, c llm.CallCompleted) error {
	if err := l.enter(ctx, "Completed"); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if !slices.ContainsFunc(l.started, func(s llm.CallStarted) bool { return s.Call == c.Call }) {
		return fmt.Errorf("call %s ends without a start", c.Call)
	}
	if c.AnswerRef != "" && l.content[c.AnswerRef] == nil {
		return fmt.Errorf("call %s refers to an answer that is not kept", c.Call)
	}
	c.CompletedAt = c.CompletedAt.UTC().Round(0)
	for _, known := range l.completed {
		if known.Call == c.Call && !reflect.DeepEqual(known, c) {
			return fmt.Errorf("call %s ends in two ways: %+v and %+v", c.Call, known, c)
		}
		if known.Call == c.Call {
			return nil
		}
	}
	l.completed = append(l.completed, c)
	return nil
}

// KeepPrompt implements llm.Recorder.
func (l *Ledger) KeepPrompt(ctx context.Context, on llm.On, body []byte) (string, error) {
	if err := l.enter(ctx, "KeepPrompt"); err != nil {
		return "", err
	}
	return l.keep(on, "prompt", body), nil
}

// KeepAnswer implements llm.Recorder.
func (l *Ledger) KeepAnswer(ctx context.Context, on llm.On, key string, body []byte) (string, error) {
	if err := l.enter(ctx, "KeepAnswer"); err != nil {
		return "", err
	}
	if key == "" {
		return "", errors.New("an answer without a key")
	}
	ref := l.keep(on, "answer", body)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.answers[on.Task+"/"+key] = ref
	return ref, nil
}

// KeptAnswer implements llm.Recorder.
func (l *Ledger) KeptAnswer(ctx context.Context, on llm.On, key string) ([]byte, string, bool, error) {
	if err := l.enter(ctx, "KeptAnswer"); err != nil {
		return nil, "", false, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	ref, ok := l.answers[on.Task+"/"+key]
	return l.content[ref], ref, ok, nil
}

func (l *Ledger) keep(on llm.On, kind string, body []byte) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	ref := fmt.Sprintf("%s/%s/%d", on.Task, kind, len(l.content))
	l.content[ref] = slices.Clone(body)
	return ref
}

// Corrupt replaces what is kept under a reference by something unreadable, as
// when its key was dropped.
func (l *Ledger) Corrupt(ref string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.content[ref] = []byte("[erased]")
}
