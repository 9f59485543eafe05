package llmtest

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/stepledger/stepledger/internal/llm"
)

// Fake is a Generator and an Embedder that follows a script.
type Fake struct {
	script   Script
	attempts counter
	mu       sync.Mutex
	requests []llm.Request
	embeds   []llm.EmbedRequest
	// Calling, when set, is told of every attempt before it is answered.
	Calling func(attempt int)
}

// NewFake makes a Fake.
func NewFake(s Script) *Fake { return &Fake{script: s} }

// Attempts made so far.
func (f *Fake) Attempts() int { return f.attempts.count() }

// Requests received so far, in order.
func (f *Fake) Requests() []llm.Request {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]llm.Request(nil), f.requests...)
}

// Generate implements llm.Generator.
func (f *Fake) Generate(ctx context.Context, r llm.Request) (llm.Response, error) {
	r.MaxOutputTokens = r.OutputLimit()
	f.mu.Lock()
	f.requests = append(f.requests, r)
	f.mu.Unlock()
	s, err := f.step(ctx)
	if err != nil {
		return llm.Response{}, err
	}
	return s.response(r.Model), nil
}

// Embedded are the requests for vectors so far, in order.
func (f *Fake) Embedded() []llm.EmbedRequest {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]llm.EmbedRequest(nil), f.embeds...)
}

// Embed implements llm.Embedder.
func (f *Fake) Embed(ctx context.Context, r llm.EmbedRequest) (llm.Vectors, error) {
	f.mu.Lock()
	f.embeds = append(f.embeds, r)
	f.mu.Unlock()
	s, err := f.step(ctx)
	if err != nil {
		return llm.Vectors{}, err
	}
	v := llm.Vectors{List: s.vectors(r), Usage: s.embedUsage(len(r.Texts)), Model: r.Model, ID: "response", ServiceTier: s.ServiceTier}
	if v.Usage != nil {
		v.RawUsage, _ = json.Marshal(v.Usage) // numbers do not fail
	}
	return v, nil
}

// step is the next one of the script, or its error.
func (f *Fake) step(ctx context.Context) (Step, error) {
	n := f.attempts.next()
	if f.Calling != nil {
		f.Calling(n)
	}
	s := f.script(n)
	if s.Hang || s.Stall {
		<-ctx.Done()
	}
	if err := ctx.Err(); err != nil {
		return s, &llm.Error{Kind: ended(err), Cause: err}
	}
	if s.Status != 0 && s.Status != http.StatusOK {
		return s, &llm.Error{
			Kind: kindOf(s.Status), Status: s.Status, RetryAfter: min(s.RetryAfter, 24*time.Hour), Unbilled: true, Msg: s.Message,
		}
	}
	if s.Garbled || s.Cut || s.Reset || s.Huge {
		return s, &llm.Error{Kind: llm.Unavailable, Msg: "the answer cannot be read"}
	}
	return s, nil
}

func (s Step) response(model string) llm.Response {
	resp := llm.Response{Text: s.Text, Finish: s.finish(), Usage: s.usage(), Model: model, ID: "response", ServiceTier: s.ServiceTier}
	if s.BlockPrompt {
		resp.Text = ""
	}
	if resp.Usage != nil {
		resp.RawUsage, _ = json.Marshal(resp.Usage) // numbers do not fail
	}
	if s.Account != nil {
		resp.Usage, resp.RawUsage = nil, s.Account
	}
	return resp
}

func ended(err error) llm.Kind {
	if errors.Is(err, context.Canceled) {
		return llm.Cancelled
	}
	return llm.Timeout
}

func kindOf(status int) llm.Kind {
	switch {
	case status == http.StatusTooManyRequests:
		return llm.RateLimited
	case status == http.StatusRequestTimeout, status >= http.StatusInternalServerError:
		return llm.Unavailable
	}
	return llm.Rejected
}
