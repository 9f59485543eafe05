package main

import (
	"context"
	"time"

	"github.com/stepledger/stepledger/commands"
	"github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/internal/llm"
)

// hooks are called at named points, for tests; nil in production.
type hooks struct {
	append func(point string)
	turn   func(point string)
	model  func(point string)
	// knowledge is called while sources are worked on.
	knowledge func(point string)
	// attempt bounds an attempt at a model in place of the usual, where it is not 0.
	attempt time.Duration
	// now is the clock in place of the machine's, where it is not nil.
	now func() time.Time
}

// clock is what tells the time.
func (h hooks) clock() func() time.Time {
	if h.now != nil {
		return h.now
	}
	return time.Now
}

// hooked reports to a crash test how far a model call is.
type hooked struct {
	llm.Generator
	at func(point string)
}

// Generate implements llm.Generator.
func (g hooked) Generate(ctx context.Context, r llm.Request) (llm.Response, error) {
	g.at("model.asking")
	res, err := g.Generator.Generate(ctx, r)
	g.at("model.answered")
	return res, err
}

// hookedEmbedder reports to a crash test how far a call for vectors is.
type hookedEmbedder struct {
	llm.Embedder
	at func(point string)
}

// Embed implements llm.Embedder.
func (e hookedEmbedder) Embed(ctx context.Context, r llm.EmbedRequest) (llm.Vectors, error) {
	e.at("model.asking")
	v, err := e.Embedder.Embed(ctx, r)
	e.at("model.answered")
	return v, err
}

// hookedRecorder reports how far the recording of a call is.
type hookedRecorder struct {
	llm.Recorder
	at func(point string)
}

// Started implements llm.Recorder.
func (r hookedRecorder) Started(ctx context.Context, c llm.CallStarted) error {
	r.at("call.start")
	err := r.Recorder.Started(ctx, c)
	r.at("call.started")
	return err
}

// Completed implements llm.Recorder.
func (r hookedRecorder) Completed(ctx context.Context, c llm.CallCompleted) error {
	r.at("bill.note")
	err := r.Recorder.Completed(ctx, c)
	r.at("bill.noted")
	return err
}

// KeepPrompt implements llm.Recorder.
func (r hookedRecorder) KeepPrompt(ctx context.Context, on llm.On, body []byte) (string, error) {
	r.at("prompt.keep")
	ref, err := r.Recorder.KeepPrompt(ctx, on, body)
	r.at("prompt.kept")
	return ref, err
}

// KeepAnswer implements llm.Recorder.
func (r hookedRecorder) KeepAnswer(ctx context.Context, on llm.On, key string, body []byte) (string, error) {
	r.at("answer.keep")
	ref, err := r.Recorder.KeepAnswer(ctx, on, key, body)
	r.at("answer.kept")
	return ref, err
}

// hookedBudget reports how far the booking of a call is.
type hookedBudget struct {
	commands.Budget
	at func(point string)
}

// Reserve implements commands.Budget.
func (b hookedBudget) Reserve(ctx context.Context, r usage.Reservation) (string, error) {
	b.at("budget.reserve")
	month, err := b.Budget.Reserve(ctx, r)
	b.at("budget.reserved")
	return month, err
}

// Charge implements commands.Budget.
func (b hookedBudget) Charge(ctx context.Context, k usage.Booking) error {
	b.at("budget.charge")
	err := b.Budget.Charge(ctx, k)
	b.at("budget.charged")
	return err
}
