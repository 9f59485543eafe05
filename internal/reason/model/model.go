// Package model answers the questions of the interact graph by asking a
// language model: it writes the prompt, reads the answer strictly, and has one
// answer repaired where it cannot be used.
//
// What it promises:
//   - Every prompt has a name with a version and a hash, and is a function of
//     the question alone, so that the same question asked after a crash finds
//     the answer that was paid for.
//   - Text from pages stands in fences whose boundary a page cannot know, is
//     bounded, and loses its invisible characters. What is known to be secret is
//     not in prompts: it has a name there, which the model can hand on.
//   - An action is in the language, on an element that is on the page and can
//     be acted on, and leads nowhere the user or the page's own links do not.
//     It is never completed by guessing: a cut answer is an error.
//   - A verdict sees the goal, the action and the observations, a full one also
//     what was expected; never a page. Only Confirm looks at the page, because
//     there the result has to be shown.
//   - A correction never repeats what its step has tried.
//
// The confidence of a verdict is the model's own, NaN where it gave none:
// whoever asks sanitises it, so that it is seen to be unsound. A verdict whose
// confidence is no probability is never a success.
//
// What cannot be answered is a *domain.Error with code LLM_ERROR: Unavailable
// while the provider is out of reach, else of kind Internal, and whoever asks
// has a conservative default for that. A call that was refused because a budget
// is used up keeps its own code.
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

// Reasoner answers by a model. It is safe for concurrent use.
type Reasoner struct{ asker Asker }

// New makes a Reasoner that asks.
func New(a Asker) *Reasoner { return &Reasoner{a} }

// failure is the error for a question the model could not answer, in words for
// the user: Unavailable where asking again may help, Internal where the model's
// answer, or our set-up, is at fault.
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

// retryAfter is how soon asking again makes sense when the provider did not say.
const retryAfter = 5 * time.Second

// on is where a question is asked, in the words of the port.
func on(o reasoning.On) llm.On {
	return llm.On{Tenant: o.Tenant, User: o.User, Session: o.Session, Task: o.Task, Turn: o.Turn, Request: o.Request, After: o.After}
}
