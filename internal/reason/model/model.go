// Package model answers the questions of the interact graph by asking a
// language model: it writes the prompt, reads the answer strictly, and has one
// answer repaired where it cannot be used.
//
// What it promises:
//   - Every prompt has a name with a version and a hash, and is a function of
//     the question alone, so that the same question asked after a crash finds
//     the answer that was paid for.
//   - Text from pages stands in fences whose boundary a page cannot know, is
//     bounded, and loses its invisible characters. Values of secret fields are
//     not in prompts.
//   - An action is in the language, on an element that is on the page and can
//     be acted on, and leads nowhere the user or the page's own links do not.
//     It is never completed by guessing: a cut answer is an error.
//   - A verdict sees the goal, the action and the observations; never a page.
//
// What cannot be answered is a *domain.Error with code LLM_ERROR; whoever asks
// has a conservative default. Corrections are the rules' business.
package model

import (
	"context"
	"errors"

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

// Correct leaves corrections to the rules.
func (*Reasoner) Correct(context.Context, reasoning.CorrectQuestion) (reasoning.Correction, error) {
	return reasoning.Correction{Undecided: true, Reason: "corrections are not asked of the model"}, nil
}

// failure is the error for a question the model could not answer, in words for
// the user. Trouble of the caller's own (it left, its time was up) stays what
// it is underneath.
func failure(err error) error {
	msg := "The assistant could not be reached. Please try again."
	switch llm.KindOf(err) {
	case llm.RateLimited:
		msg = "The assistant is busy. Please try again in a moment."
	case llm.Blocked:
		msg = "The assistant declined to work on this page."
	case llm.Malformed, llm.Truncated:
		msg = "The assistant gave an answer that could not be used."
	case llm.Unrecorded:
		msg = "The step could not be recorded. Please try again."
	}
	e := domain.Errorf(domain.Unavailable, Code, "%s", msg).Because(err)
	var le *llm.Error
	if errors.As(err, &le) {
		e.RetryAfter = le.RetryAfter
	}
	return e
}

// Code of every error of this package.
const Code = "LLM_ERROR"

// on is where a question is asked, in the words of the port.
func on(o reasoning.On) llm.On {
	return llm.On{Tenant: o.Tenant, User: o.User, Session: o.Session, Task: o.Task, Turn: o.Turn, Request: o.Request}
}
