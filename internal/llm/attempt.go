package llm

import (
	"context"
	"errors"
	"time"
)

// run is the state of one question over all its attempts.
type run struct {
	client   *Client
	deadline time.Time
	attempts int
	last     error
}

// askRun is the state of one Ask over all models.
type askRun struct {
	run
	promptRef string
}

// model asks one model.
func (r *askRun) model(ctx context.Context, a ask) (answer Answer, err error) {
	err = r.repeat(ctx, r.client.guard(a.target.Provider, a.target.Model), func() (err error) {
		answer, err = r.attempt(ctx, a)
		return err
	})
	return answer, err
}

// repeat makes attempts at one model until it answers, must not be tried again, or time
// or attempts are used up. It returns the error of the last attempt.
func (r *run) repeat(ctx context.Context, model *guarded, attempt func() error) error {
	for try := 1; ; try++ {
		if err := r.mayTry(ctx); err != nil {
			return err
		}
		err := r.tryGuarded(ctx, model, attempt)
		if err == nil {
			return nil
		}
		r.last = err
		wait, again := r.client.waitBefore(err, try)
		again = again && model.status(time.Now()).LeftFor == 0
		if !again || time.Now().Add(wait).After(r.deadline) || !sleep(ctx, wait) {
			return err
		}
	}
}

// mayTry returns an error if nobody waits for an attempt any more.
func (r *run) mayTry(ctx context.Context) error {
	switch {
	case ctx.Err() == nil && time.Now().Before(r.deadline):
		return nil
	case r.last != nil:
		return r.last
	}
	return tooLate(ctx)
}

// tooLate is the error of a question nobody waits for.
func tooLate(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return &Error{Kind: Cancelled, Unbilled: true, Cause: ctx.Err()}
	}
	return &Error{Kind: Timeout, Unbilled: true, Msg: "no time for an attempt", Cause: ctx.Err()}
}

// tryGuarded makes an attempt unless the model's breaker is open or its provider is
// full. An attempt that is not made is not on the ledger.
func (r *run) tryGuarded(ctx context.Context, model *guarded, attempt func() error) error {
	if wait, ok := model.closed(time.Now()); !ok {
		return &Error{Kind: Skipped, Unbilled: true, Msg: "it has not answered of late", RetryAfter: wait}
	}
	err := r.trySlotted(ctx, model, attempt)
	model.done(time.Now(), err, r.client.o)
	return err
}

// trySlotted makes an attempt when its provider has a free slot.
func (r *run) trySlotted(ctx context.Context, model *guarded, attempt func() error) error {
	provider := r.client.providers[model.provider]
	if !provider.take(ctx, min(r.client.o.MaxWait, time.Until(r.deadline))) {
		return &Error{Kind: Skipped, Unbilled: true, Msg: "as many calls as are allowed are under way"}
	}
	defer provider.give()
	return attempt()
}

// attempt makes one call and records it before and after.
func (r *askRun) attempt(ctx context.Context, a ask) (Answer, error) {
	c := r.client
	r.attempts++
	id, started := c.o.NewID(), c.o.Now()
	if err := c.start(ctx, a.started(id, r, started)); err != nil {
		return Answer{}, err
	}
	resp, done, err := call(ctx, &r.run, a.On, id, started, func(ctx context.Context) (Response, error) {
		return a.target.Generator.Generate(ctx, a.request)
	})
	if err != nil {
		return Answer{}, c.failed(ctx, done, asError(err))
	}
	resp.Usage = resp.account()
	answer, bad := a.judge(resp, id)
	done.Outcome = outcomeOf(bad)
	done.Usage, done.RawUsage = resp.Usage, resp.RawUsage
	done.ResponseModel, done.ResponseID, done.ServiceTier = resp.Model, resp.ID, resp.ServiceTier
	done.AnswerRef = c.keepAnswer(ctx, a.On, a.key, record{resp, done})
	if err := c.complete(ctx, done); err != nil {
		return Answer{}, err
	}
	return answer, bad
}

func (a ask) started(id string, r *askRun, at time.Time) CallStarted {
	return CallStarted{
		On: a.On, Call: id, Purpose: a.Purpose, Role: a.Role,
		Provider: a.target.Provider, Model: a.target.Model, ServiceTier: a.target.ServiceTier,
		Attempt: r.attempts, Fallback: a.fallback,
		PromptName: a.PromptName, PromptHash: a.PromptHash, PromptRef: r.promptRef,
		EstimatedInputTokens:  a.request.inputTokens(r.client.o.Tokens),
		EstimatedOutputTokens: int64(a.request.OutputLimit()),
		StartedAt:             at,
	}
}

// start records an attempt. It does not end with the caller: a half-written record
// would leave a call on the ledger that was never made.
func (c *Client) start(ctx context.Context, s CallStarted) error {
	ctx, cancel := c.detached(ctx)
	defer cancel()
	if err := c.o.Recorder.Started(ctx, s); err != nil {
		return &Error{Kind: Unrecorded, Unbilled: true, Msg: "note the start of a call", Cause: err}
	}
	return nil
}

// call makes a recorded call, within its time and at most Grace after the caller has
// left, and returns what is known of its end.
func call[R any](ctx context.Context, r *run, on On, id string, started time.Time, ask func(context.Context) (R, error)) (R, CallCompleted, error) {
	limit := min(r.client.o.AttemptTimeout, time.Until(r.deadline))
	attempt, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	defer cancel()
	stop := context.AfterFunc(ctx, func() {
		grace := time.AfterFunc(r.client.o.Grace, cancel)
		context.AfterFunc(attempt, func() { grace.Stop() })
	})
	defer stop()
	begun := time.Now()
	answer, err := ask(attempt)
	done := CallCompleted{On: on, Call: id, Duration: time.Since(begun)}
	done.CompletedAt = started.Add(done.Duration)
	return answer, done, err
}

// failed records an attempt without an answer and returns its error.
func (c *Client) failed(ctx context.Context, done CallCompleted, e *Error) error {
	done.Outcome, done.Unbilled = Outcome(e.Kind), e.Unbilled
	done.Usage, done.RawUsage = e.Usage, e.RawUsage
	if err := c.complete(ctx, done); err != nil {
		return err
	}
	return e
}

// complete records the end of an attempt, even if the caller has left. If that fails
// the answer is not used: the error is Unrecorded, and asking the same question again
// finds the stored answer.
func (c *Client) complete(ctx context.Context, done CallCompleted) error {
	ctx, cancel := c.detached(ctx)
	defer cancel()
	for try := 1; ; try++ {
		err := c.o.Recorder.Completed(ctx, done)
		if err == nil {
			return nil
		}
		if try == completeTries || !sleep(ctx, c.backoff(try)) {
			return &Error{Kind: Unrecorded, Msg: "note the end of call " + done.Call, Cause: err}
		}
	}
}

const completeTries = 3

// judge returns a usable answer, or the error that says why it is not usable.
func (a ask) judge(r Response, call string) (Answer, error) {
	switch r.Finish {
	case Refused:
		return Answer{}, &Error{Kind: Blocked, Msg: "the provider refused to answer", Usage: r.Usage}
	case MaxTokens:
		return Answer{}, &Error{Kind: Truncated, Msg: "the answer was cut off at its limit", Answer: r.Text, Usage: r.Usage}
	}
	if err := a.check(r.Text); err != nil {
		kind := Malformed
		if errors.Is(err, ErrCutOff) {
			kind = Truncated
		}
		return Answer{}, &Error{Kind: kind, Answer: r.Text, Usage: r.Usage, Cause: err}
	}
	return Answer{
		Text: r.Text, Provider: a.target.Provider, Model: a.target.Model, Fallback: a.fallback > 0, Call: call, Usage: r.Usage,
	}, nil
}

// ErrCutOff is returned by a Check for an answer that is cut off although the
// provider did not say so. The answer is then Truncated, not Malformed.
var ErrCutOff = errors.New("it is cut off")

func (a ask) check(text string) error {
	if text == "" {
		return errors.New("the answer is empty")
	}
	if a.Check == nil {
		return nil
	}
	return a.Check(text)
}

func outcomeOf(bad error) Outcome {
	switch KindOf(bad) {
	case "":
		return OutcomeOK
	case Blocked:
		return OutcomeBlocked
	case Truncated:
		return OutcomeTruncated
	default:
		return OutcomeSchemaInvalid
	}
}
