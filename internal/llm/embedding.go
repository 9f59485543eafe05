package llm

import (
	"context"
	"encoding/json"
)

// Embedder turns texts into vectors by one call. Like a Generator it makes one attempt,
// returns a Vectors for every answer of the provider, including unusable ones, since they
// are billed, and an *Error if there was none. It is safe for concurrent use and stops
// when ctx ends.
type Embedder interface {
	Embed(ctx context.Context, r EmbedRequest) (Vectors, error)
}

// EmbedRequest is the texts of one call.
type EmbedRequest struct {
	Model string   `json:"model"`
	Texts []string `json:"texts"`
	// Dimensions is the length of vector that is asked for; 0 leaves it to the model.
	Dimensions int `json:"dimensions,omitempty"`
	// Questions: the texts are what is looked for, not what is found. A model that tells
	// the two apart is told; the vectors of both can be compared.
	Questions bool `json:"questions,omitempty"`
}

// inputTokens is the most the texts may come to.
func (r EmbedRequest) inputTokens(count func(string) int) int64 {
	n := 1
	for _, t := range r.Texts {
		n += count(t) + 1
	}
	return int64(n)
}

// Vectors is one answer of an Embedder.
type Vectors struct {
	// List is what came, in the order of the texts. A vector that cannot be read is nil.
	// Neither their number nor their numbers are checked.
	List [][]float32
	// Usage is nil if the provider did not report it or it cannot be read, RawUsage its
	// account as received, readable or not.
	Usage    *Usage
	RawUsage json.RawMessage
	// Model is the model that answered, ID the provider's id of the answer.
	Model, ID string
	// ServiceTier is the service the provider says it gave, "" if it did not say.
	ServiceTier string
}

// account is the usage if it is plausible: a model that answered has read the texts.
func (v Vectors) account() *Usage {
	if v.Usage != nil && v.Usage.Input() > 0 {
		return v.Usage
	}
	return nil
}

// EmbeddingTarget is the model that makes vectors. There is no fallback: vectors of two
// models cannot be compared.
type EmbeddingTarget struct {
	// Provider is the provider's name in the price book, Model its id of the model.
	Provider, Model string
	// Dimensions is the length of vector that is asked for; 0 leaves it to the model.
	Dimensions int
	Embedder   Embedder
}

// Embedding is texts to become vectors, and whom that is billed to.
type Embedding struct {
	On      On
	Purpose string
	// Key names the texts: the same texts under the same key, asked for again, are not
	// paid again. Without one nothing is kept.
	Key   string
	Texts []string
	// Questions: see EmbedRequest.
	Questions bool
}

// Limits of one call, below those of all providers: Gemini takes 100 texts, OpenAI
// 300,000 tokens, Vertex 20,000. A text that is longer has a call of its own.
const (
	maxEmbedTexts  = 100
	maxEmbedTokens = 20_000
)

// Embeds reports whether there is a model that makes vectors.
func (c *Client) Embeds() bool { return c.o.Embedding != nil }

// Embed makes a vector for each text, in order, all of the same dimensions and of length
// one, so that a product is a cosine. It makes as many calls as the texts need, one after
// the other; each is recorded, bounded, repeated and kept like a question of Ask.
//
// The error is an *Error. If one call of several fails there are no vectors, and those
// that were paid for are found again under the Key. An answer with too few vectors, or
// with vectors of other dimensions, of numbers that are none or of nothing but zeros, is
// Malformed: it is billed and kept, and not asked for again.
func (c *Client) Embed(ctx context.Context, e Embedding) ([][]float32, error) {
	if !c.Embeds() {
		return nil, &Error{Kind: Rejected, Unbilled: true, Msg: "no model is configured that makes vectors"}
	}
	out := make([][]float32, 0, len(e.Texts))
	for _, texts := range c.batches(e.Texts) {
		vectors, err := c.embedBatch(ctx, e, texts)
		if err != nil {
			return nil, err
		}
		if len(out) > 0 && len(vectors[0]) != len(out[0]) {
			return nil, &Error{Kind: Malformed, Cause: errDimensions(len(vectors[0]), len(out[0]))}
		}
		out = append(out, vectors...)
	}
	return out, nil
}

// batches divides texts into those of one call each. It depends on the texts only, so
// that the calls of a repeated request are the same.
func (c *Client) batches(texts []string) (out [][]string) {
	first, tokens := 0, 0
	for i, t := range texts {
		n := c.o.Tokens(t)
		if i > first && (i-first == maxEmbedTexts || tokens+n > maxEmbedTokens) {
			out = append(out, texts[first:i])
			first, tokens = i, 0
		}
		tokens += n
	}
	if first < len(texts) {
		out = append(out, texts[first:])
	}
	return out
}

// embedBatch makes the vectors of one call's texts, unless they are kept.
func (c *Client) embedBatch(ctx context.Context, e Embedding, texts []string) (vectors [][]float32, err error) {
	if ctx.Err() != nil {
		return nil, tooLate(ctx)
	}
	t := *c.o.Embedding
	b := batch{e, t, EmbedRequest{Model: t.Model, Texts: texts, Dimensions: t.Dimensions, Questions: e.Questions}, ""}
	if e.Key != "" {
		b.key = b.keptUnder()
		if vectors, found, err := c.findVectors(ctx, b); found || err != nil {
			return vectors, err
		}
	}
	r := &run{client: c, deadline: c.deadline(ctx)}
	err = r.repeat(ctx, c.guard(t.Provider, t.Model), func() (err error) {
		vectors, err = r.embed(ctx, b)
		return err
	})
	return vectors, err
}

// batch is the texts of one call.
type batch struct {
	Embedding
	target  EmbeddingTarget
	request EmbedRequest
	// key is what the answer is kept under, "" if it is not.
	key string
}

// embed makes one call and records it before and after.
func (r *run) embed(ctx context.Context, b batch) ([][]float32, error) {
	c := r.client
	r.attempts++
	id, started := c.o.NewID(), c.o.Now()
	err := c.start(ctx, CallStarted{
		On: b.On, Call: id, Purpose: b.Purpose, Provider: b.target.Provider, Model: b.target.Model, Attempt: r.attempts,
		EstimatedInputTokens: b.request.inputTokens(c.o.Tokens), StartedAt: started,
	})
	if err != nil {
		return nil, err
	}
	got, done, err := call(ctx, r, b.On, id, started, func(ctx context.Context) (Vectors, error) {
		return b.target.Embedder.Embed(ctx, b.request)
	})
	if err != nil {
		return nil, c.failed(ctx, done, asError(err))
	}
	got.Usage = got.account()
	vectors, bad := b.judge(got.List, got.Usage)
	done.Outcome = outcomeOf(bad)
	done.Usage, done.RawUsage = got.Usage, got.RawUsage
	done.ResponseModel, done.ResponseID, done.ServiceTier = got.Model, got.ID, got.ServiceTier
	done.AnswerRef = c.keepAnswer(ctx, b.On, b.key, vectorRecord{packAll(got.List), done})
	if err := c.complete(ctx, done); err != nil {
		return nil, err
	}
	return vectors, bad
}
