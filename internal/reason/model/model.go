// Package model answers the questions of the interact graph by asking a language
// model: it writes the prompt, reads the answer strictly, and has an unusable answer
// repaired once.
//
// It promises:
//   - Every prompt has a name with a version and a hash and depends on the question
//     alone, so that the same question after a crash finds the paid answer.
//   - Text from pages is bounded, inside fences whose boundary a page cannot know, and
//     without invisible characters. Known secrets are not in prompts; each has a name
//     there that the model can use.
//   - An action is valid, on an operable element of the page, and leads nowhere the
//     user or the page's own links do not. It is never completed by guessing: a
//     truncated answer is an error.
//   - A verdict is asked for with the goal, the action and the observations, a full
//     one also with the expected outcome, and never with a page. Only Confirm shows the
//     page, because there the result has to be visible.
//   - A correction never repeats what its step has tried.
//
// The confidence of a verdict is the model's own, NaN if it gave none; callers sanitise
// it. A verdict with an invalid confidence is never a success.
//
// If a question cannot be answered the error is a *domain.Error with code LLM_ERROR, of
// kind Unavailable while the provider is unreachable and Internal otherwise; callers
// have conservative defaults. A call refused for a used-up budget keeps its own code.
package model

import (
	"context"
	"errors"
	"time"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/internal/llm"
)

// Asker asks a model on the record; *llm.Client is one.
type Asker interface {
	Ask(ctx context.Context, q llm.Question) (llm.Answer, error)
}

// Reasoner answers with a model. It is safe for concurrent use.
type Reasoner struct {
	asker Asker
	// PageTokens is the budget of a page in a prompt; 0 is prompt.MaxTokens.
	PageTokens int
}

// New returns a Reasoner.
func New(a Asker) *Reasoner { return &Reasoner{asker: a} }

// failure returns the error for the user: Unavailable if asking again may help,
// Internal if the model's answer or our configuration is at fault.
func failure(err error) error {
	var refused *domain.Error
	if errors.As(err, &refused) && refused.Kind == domain.Limited {
		return refused
	}
	kind, msg := domain.Unavailable, "The assistant could not be reached. Please try again."
	switch llm.KindOf(err) {
	case llm.RateLimited:
		msg = "The assistant is busy. Please try again in a moment."
	case llm.Unrecorded:
		msg = "The step could not be recorded. Please try again."
	case llm.Blocked:
		kind, msg = domain.Internal, "The assistant declined to work on this page."
	case llm.Malformed, llm.Truncated:
		kind, msg = domain.Internal, "The assistant gave an answer that could not be used."
		err = errors.Join(reasoning.ErrUnusable, err)
	case llm.Rejected:
		kind, msg = domain.Internal, "The assistant is not set up correctly."
	}
	e := domain.Errorf(kind, domain.CodeLLM, "%s", msg).Because(err)
	if kind == domain.Unavailable {
		e.RetryAfter = retryAfter
	}
	var le *llm.Error
	if errors.As(err, &le) && le.RetryAfter > e.RetryAfter {
		e.RetryAfter = le.RetryAfter
	}
	return e
}

// retryAfter is used if the provider did not say when to try again.
const retryAfter = 5 * time.Second

// onOf converts a reasoning.On to the port's.
func onOf(o reasoning.On) llm.On {
	return llm.On{Tenant: o.Tenant, User: o.User, Session: o.Session, Task: o.Task, Turn: o.Turn, Request: o.Request, After: o.After}
}
