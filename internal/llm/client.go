package llm

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"
)

// Target is a model of a provider and how it is asked.
type Target struct {
	// Provider is the provider's name in the price book, Model its id of the model.
	Provider, Model string
	// ServiceTier is the service the Generator asks for, "" for the standard one. It
	// is part of the price.
	ServiceTier string
	Generator   Generator
	// Temperature and ThinkingBudget are defaults for requests without them. They
	// belong to the model, since models accept different values.
	Temperature    *float64
	ThinkingBudget *int
	// TextOnly: the model takes no images and is asked without them.
	TextOnly bool
}

// Options of a Client. Durations and counts of zero mean the defaults given. Roles,
// Recorder, NewID and Tokens are required.
type Options struct {
	// Roles has for each role the model asked first and its fallbacks, in order.
	Roles map[Role][]Target
	// Embedding is the model that makes vectors, nil for none.
	Embedding *EmbeddingTarget
	Recorder  Recorder
	// NewID returns call ids (UUIDs). Now is the clock, time.Now by default.
	NewID func() string
	Now   func() time.Time
	// Tokens estimates the tokens of a text, for reservations.
	Tokens func(text string) int
	// Jitter returns random numbers in [0,1) to spread waits, math/rand by default.
	Jitter func() float64

	// AttemptTimeout bounds one attempt (30 s). Total bounds all attempts at one
	// question with the waits between them (50 s: two questions fit into a turn's
	// lease).
	AttemptTimeout, Total time.Duration
	// Attempts is how often one model is tried (3).
	Attempts int
	// MaxWait is the longest wait between attempts (15 s). A provider that asks
	// for a longer one is not asked again.
	MaxWait time.Duration
	// Grace is how long an attempt may continue after its caller has left (10 s),
	// since its answer is billed and worth keeping.
	Grace time.Duration
	// RecordTimeout bounds each call of the Recorder (10 s).
	RecordTimeout time.Duration

	// After BreakAfter failures in a row (5) a model is not asked for BreakFor (20
	// s), or for as long as it asks, up to two minutes.
	BreakAfter int
	BreakFor   time.Duration
	// Concurrent bounds the calls at one provider at a time (32). A question waits up
	// to MaxWait for a free slot.
	Concurrent int
}

// Client asks models on the record. It is safe for concurrent use.
//
// Each provider attempt has one id and gets exactly one bill, wherever the process dies:
//
//   - before Started is recorded: the attempt was not made;
//   - after that, before the answer is stored: its end is unknown, and the ledger settles
//     it by estimate; asking again is another attempt;
//   - after the answer is stored, before Completed is recorded: the same question asked
//     again (same task, request, model and prompt, or Identity) finds the answer, records
//     its Completed and makes no attempt;
//   - after Completed: the same, and recording it twice changes nothing.
type Client struct {
	o Options
	// models are those of all roles, once each; providers their providers.
	models    []*guarded
	providers map[string]*slots
}

// guarded is a model with its breaker and its provider's slots. Roles share it.
type guarded struct {
	provider, model string
	breaker
}

// NewClient returns a Client. It checks the options and fills in defaults.
func NewClient(o Options) (*Client, error) {
	if o.Recorder == nil || o.NewID == nil || o.Tokens == nil {
		return nil, errors.New("llm client: a recorder, a source of ids and an estimate of tokens are needed")
	}
	for role, targets := range o.Roles {
		if len(targets) == 0 {
			return nil, fmt.Errorf("llm client: role %s has no model", role)
		}
		for _, t := range targets {
			if t.Generator == nil || t.Provider == "" || t.Model == "" {
				return nil, fmt.Errorf("llm client: role %s: provider, model and generator are needed", role)
			}
		}
	}
	if t := o.Embedding; t != nil && (t.Embedder == nil || t.Provider == "" || t.Model == "" || t.Dimensions < 0) {
		return nil, errors.New("llm client: vectors: provider, model and embedder are needed, and no negative dimensions")
	}
	c := &Client{o: o.withDefaults(), providers: map[string]*slots{}}
	for _, role := range slices.Sorted(maps.Keys(o.Roles)) {
		for _, t := range o.Roles[role] {
			c.know(t.Provider, t.Model)
		}
	}
	if t := o.Embedding; t != nil {
		c.know(t.Provider, t.Model)
	}
	return c, nil
}

// know makes a guard for a model, and slots for its provider.
func (c *Client) know(provider, model string) {
	if c.guard(provider, model) == nil {
		c.models = append(c.models, &guarded{provider: provider, model: model})
	}
	if c.providers[provider] == nil {
		c.providers[provider] = newSlots(c.o.Concurrent)
	}
}

// guard returns the model's guard, nil if it is not asked here.
func (c *Client) guard(provider, model string) *guarded {
	for _, g := range c.models {
		if g.provider == provider && g.model == model {
			return g
		}
	}
	return nil
}

func (o Options) withDefaults() Options {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Jitter == nil {
		o.Jitter = jitter
	}
	for n, def := range map[*int]int{&o.Attempts: 3, &o.BreakAfter: 5, &o.Concurrent: 32} {
		if *n <= 0 {
			*n = def
		}
	}
	for d, def := range map[*time.Duration]time.Duration{
		&o.AttemptTimeout: 30 * time.Second,
		&o.Total:          50 * time.Second,
		&o.MaxWait:        15 * time.Second,
		&o.Grace:          10 * time.Second,
		&o.RecordTimeout:  10 * time.Second,
		&o.BreakFor:       20 * time.Second,
	} {
		if *d <= 0 {
			*d = def
		}
	}
	return o
}

// Question is a question with its task and purpose.
type Question struct {
	On      On
	Purpose string
	Role    Role
	// PromptName and PromptHash identify the template the request was made from.
	PromptName, PromptHash string
	// Request is what is sent; its Model is set by the role.
	Request Request
	// Identity identifies the user part of the request if that may be worded
	// differently when the same question is asked again after a crash. If it is empty
	// the user part itself does.
	Identity string
	// Check returns an error, the cause of a Malformed Error, if an answer is not
	// what was asked for. It may be called more than once. Nil accepts any answer
	// that is not empty.
	Check func(answer string) error
}

// Answer is a usable answer and where it came from.
type Answer struct {
	Text            string
	Provider, Model string
	// Call is the attempt that was billed for it. Kept reports that it was made
	// earlier and is not paid again.
	Call string
	Kept bool
	// Fallback reports that a fallback answered in place of the role's model.
	Fallback bool
	// Usage is nil if the provider did not report it.
	Usage *Usage
}

// Status returns the condition of each model.
func (c *Client) Status() []Status {
	var out []Status
	for _, g := range c.models {
		s := g.status(time.Now())
		s.Provider, s.Model = g.provider, g.model
		out = append(out, s)
	}
	return out
}

// Loads returns how busy each provider is.
func (c *Client) Loads() []Load {
	var out []Load
	for _, name := range slices.Sorted(maps.Keys(c.providers)) {
		s := c.providers[name]
		out = append(out, Load{name, len(s.free), int(s.waiting.Load()), cap(s.free), s.refused.Load()})
	}
	return out
}

// Reachable returns an error if a role, or who makes vectors, has no model left whose
// last attempt was answered, or which has not been tried. It does not ask a model, since
// that would be billed.
func (c *Client) Reachable() error {
	for _, role := range slices.Sorted(maps.Keys(c.o.Roles)) {
		var last error
		out := 0
		for _, t := range c.o.Roles[role] {
			if s := c.guard(t.Provider, t.Model).status(time.Now()); s.Last != nil {
				last = fmt.Errorf("no model of the role %s answers: %s: %w", role, t.Model, s.Last)
				out++
			}
		}
		if out == len(c.o.Roles[role]) {
			return last
		}
	}
	if t := c.o.Embedding; t != nil {
		if s := c.guard(t.Provider, t.Model).status(time.Now()); s.Last != nil {
			return fmt.Errorf("no vectors are made: %s: %w", t.Model, s.Last)
		}
	}
	return nil
}

// Has reports whether a role has a model.
func (c *Client) Has(r Role) bool { return len(c.o.Roles[r]) > 0 }

// Ask asks the role's models in order until one gives an answer. The error is
// an *Error; of answers that came, Blocked, Truncated and Malformed are final
// (they are billed: asking again is the asker's decision).
//
// A caller who leaves (ctx cancelled) gets no further attempt, but the running
// one is waited for up to Grace and noted in any case. A deadline of ctx
// bounds the attempts themselves.
func (c *Client) Ask(ctx context.Context, q Question) (Answer, error) {
	targets := c.o.Roles[q.Role]
	if len(targets) == 0 {
		return Answer{}, &Error{Kind: Rejected, Unbilled: true, Msg: "no model is configured for the role " + string(q.Role)}
	}
	if ctx.Err() != nil {
		return Answer{}, tooLate(ctx)
	}
	asks := make([]ask, len(targets))
	for i, t := range targets {
		asks[i] = c.ask(q, t)
		asks[i].fallback = i
		if a, found, err := c.findKept(ctx, asks[i]); found || err != nil {
			return a, err
		}
	}
	ref, err := c.keepPrompt(ctx, asks[0])
	if err != nil {
		return Answer{}, err
	}
	run := &askRun{run{client: c, deadline: c.deadline(ctx)}, ref}
	for _, a := range asks {
		answer, err := run.model(ctx, a)
		if err == nil || !mayFallBack(err) {
			return answer, err
		}
		run.last = err
	}
	return Answer{}, run.last
}

// ask is a question to one model.
type ask struct {
	Question
	target   Target
	fallback int // how many models were to be asked before this one
	request  Request
	key      string
}

func (c *Client) ask(q Question, t Target) ask {
	r := q.Request
	r.Model = t.Model
	if t.TextOnly {
		r = r.withoutImages()
	}
	if r.Temperature == nil {
		r.Temperature = t.Temperature
	}
	if r.ThinkingBudget == nil {
		r.ThinkingBudget = t.ThinkingBudget
	}
	r.MaxOutputTokens = r.OutputLimit()
	return ask{Question: q, target: t, request: r, key: questionKey(q, t.Provider, r)}
}

// deadline is when the last attempt must be over.
func (c *Client) deadline(ctx context.Context) time.Time {
	d := time.Now().Add(c.o.Total)
	if at, ok := ctx.Deadline(); ok && at.Before(d) {
		return at
	}
	return d
}
