package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/weburl"
	"github.com/stepledger/stepledger/internal/browser"
)

// Options of a run.
type Options struct {
	// Server is the base URL, without the path; Token the Bearer token (see Login).
	Server, Token string
	// HTTP sends the requests; nil means http.DefaultClient.
	HTTP *http.Client
	// Query is the task in words. To a task that goes on (TaskID) it is what the user
	// says now, and may be empty.
	Query  string
	TaskID string
	// URL is opened first; with a Page it may be empty, and the page is taken as it is.
	URL string
	// Page is acted on and stays open. Nil starts a Chromium by Browser, which ends
	// with the run.
	Page    Page
	Browser browser.Options
	// Answers are given to the server's questions in their order. After them Ask is
	// asked, which returns ErrNoAnswer when nobody is there; nil is nobody.
	Answers []string
	Ask     func(context.Context, Question) (string, error)
	// MaxSteps stops the run before one more step; zero is no limit but the server's.
	MaxSteps int
	// Timeout stops the run; zero is none.
	Timeout time.Duration
	// RetryFor and Backoff are the client's: how long a request is sent again.
	RetryFor, Backoff time.Duration
	// OnEvent is told what happens, OnTurn of every round trip after its execution.
	// Each may be nil.
	OnEvent func(Event)
	OnTurn  func(browser.Turn)
}

// Page is what a run acts on: a tab of internal/browser.
type Page interface {
	browser.Page
	// Open goes to an address and waits until the page is stable.
	Open(ctx context.Context, address string) error
}

// ErrNoAnswer says that nobody answers a question.
var ErrNoAnswer = errors.New("nobody answered")

// Reasons why a run is stopped from within.
var (
	errTime  = errors.New("the time was used up")
	errSteps = errors.New("the steps allowed were used up")
)

// Run does the task. The error says why Status is broken_off or not_started; with
// every other status it is nil. An option that is wrong is a *domain.Error that names
// its field, and the run has not started.
func Run(ctx context.Context, o Options) (Result, error) {
	began := time.Now()
	r := &run{Options: o, result: Result{TaskID: o.TaskID, Cost: Cost{USD: "0"}}}
	if o.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, o.Timeout, errTime)
		defer cancel()
	}
	err := r.conclude(ctx, r.do(ctx))
	r.result.Steps = r.steps
	switch {
	case r.started:
		_ = r.readCost(ctx) // the cost says itself that it is not known
	case r.result.Status == Stopped && r.result.TaskID == "" && r.asked:
		r.findTask(ctx)
	}
	r.result.Seconds = seconds(time.Since(began))
	end := End{Result: r.result, ExitCode: r.result.Status.ExitCode()}
	if err != nil {
		end.Error = err.Error()
	}
	r.emit(end)
	return r.result, err
}

// run is one run under way.
type run struct {
	Options
	page    Page
	result  Result
	who     identity
	key     string // of the first request
	asked   bool   // that request may have been sent
	started bool   // the server has answered
	steps   int
	judged  bool // there is a verdict on the last step
	refused *Refused
}

// do runs until the task ends, nobody answers, or something is in the way. The first
// two are in the result.
func (r *run) do(ctx context.Context) error {
	if err := errors.Join(r.Check(), r.checkServer()); err != nil {
		return err
	}
	if err := r.authenticate(ctx); err != nil {
		return err
	}
	closePage, err := r.open(ctx)
	if err != nil {
		return err
	}
	defer closePage()
	for query := r.Query; ; {
		out, err := r.pursue(ctx, query)
		if err != nil {
			return err
		}
		if out.Status != browser.StatusNeedsUserInput {
			r.result.Status, r.result.Message = Status(out.Status), out.Message
			return nil
		}
		if query, err = r.answer(ctx, out); err != nil {
			return err
		}
	}
}

// Check finds what is wrong with the options, the server's address and token aside.
func (o Options) Check() error {
	switch {
	case strings.TrimSpace(o.Query) == "" && o.TaskID == "":
		return wrong("task", "it is not said what is to be done")
	case o.TaskID != "" && !domain.ValidUUID(o.TaskID):
		return wrong("resume", "this is no id of a task")
	case (o.URL != "" || o.Page == nil) && !weburl.IsWeb(o.URL):
		return wrong("url", "the page to begin on is no http or https URL")
	case o.MaxSteps < 0:
		return wrong("max-steps", "the number of steps is negative")
	case o.Timeout < 0:
		return wrong("timeout", "the time is negative")
	case slices.ContainsFunc(o.Answers, func(a string) bool { return strings.TrimSpace(a) == "" }):
		return wrong("answer", "an answer is empty")
	}
	return nil
}

func wrong(field, reason string) error {
	return domain.Errorf(domain.Invalid, domain.CodeValidation, "%s", reason).At(field)
}

func (r *run) checkServer() error {
	switch {
	case !weburl.IsWeb(r.Server):
		return wrong("server", "the server's address is no http or https URL")
	case r.Token == "":
		return wrong("token", "there is no token for the server")
	}
	return nil
}

// open gives the page to act on and how to close it.
func (r *run) open(ctx context.Context) (closePage func(), err error) {
	closePage = func() {}
	if r.page = r.Page; r.page == nil {
		chromium, err := browser.Start(ctx, r.Browser)
		if err != nil {
			return nil, err
		}
		closePage = func() { _ = chromium.Close() } // the run is over, whatever it says
		if r.page, err = chromium.NewTab(ctx); err != nil {
			closePage()
			return nil, err
		}
	}
	if r.URL == "" {
		return closePage, nil
	}
	if err := r.page.Open(ctx, r.URL); err != nil {
		closePage()
		return nil, err
	}
	return closePage, nil
}

// pursue runs the client until the task ends or asks.
func (r *run) pursue(ctx context.Context, query string) (browser.Outcome, error) {
	client := browser.Client{
		BaseURL: r.Server, Token: r.Token, HTTP: r.HTTP, RetryFor: r.RetryFor, Backoff: r.Backoff,
		MaxTurns: manyTurns,
	}
	key := ""
	if !r.asked {
		r.asked, r.key = true, domain.NewUUID()
		key = r.key
	}
	out, err := client.Run(ctx, r.page, browser.Goal{
		Query: query, Key: key, TaskID: r.result.TaskID, SessionID: r.result.SessionID, Turns: r.result.Turns,
		OnAnswer: func(t browser.Turn) error { return r.answered(ctx, t) }, OnTurn: r.executed,
		OnPaused: func(message string) {
			r.emit(Pause{TaskID: r.result.TaskID, Message: message, Over: message == ""})
		},
	})
	r.result.TaskID, r.result.SessionID, r.result.Turns = cmp.Or(out.TaskID, r.result.TaskID), out.SessionID, out.Turns
	return out, err
}

// manyTurns guards against a server that never ends; its own limits come first.
const manyTurns = 2_000

// answer gives the next reply to a question.
func (r *run) answer(ctx context.Context, asked browser.Outcome) (string, error) {
	q := Question{r.result.TaskID, asked.Question, asked.Missing}
	r.emit(q)
	reply, err := "", ErrNoAnswer
	switch {
	case len(r.Answers) > 0:
		reply, r.Answers, err = r.Answers[0], r.Answers[1:], nil
	case r.Ask != nil:
		reply, err = r.Ask(ctx, q)
	}
	if errors.Is(err, ErrNoAnswer) {
		r.result.Question, r.result.Missing = q.Question, q.Missing
	}
	return reply, err
}

// conclude finds the status of a run that ended with an error. It returns the error
// where the status does not say it all.
func (r *run) conclude(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	stopped := r.stopped(ctx, err)
	switch {
	case limitReached(err):
		r.result.Status, r.result.Message = Failed, messageOf(err)
	case errors.Is(err, ErrNoAnswer):
		r.result.Status, r.result.Message = Asked, ErrNoAnswer.Error()
	case stopped != nil:
		r.result.Status, r.result.Message = Stopped, stopped.Error()
	case r.started:
		r.result.Status = BrokenOff
		return err
	default:
		r.result.Status = NotStarted
		return err
	}
	return nil
}

// stopped is why the run was stopped, or nil if it was not.
func (r *run) stopped(ctx context.Context, err error) error {
	for _, own := range []error{errSteps, browser.ErrEndless} {
		if errors.Is(err, own) {
			return own
		}
	}
	if _, said := errors.AsType[*browser.ServerError](err); !said && r.started {
		endsTogether(ctx)
	}
	switch {
	case ctx.Err() == nil:
		return nil
	case errors.Is(context.Cause(ctx), errTime):
		return fmt.Errorf("%w (%v)", errTime, r.Timeout)
	}
	return errInterrupted
}

// endsTogether gives the context of a run that has just lost its browser a moment to
// end: a Ctrl-C on the terminal reaches the browser and this process at once.
func endsTogether(ctx context.Context) {
	timer := time.NewTimer(time.Second)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

var errInterrupted = errors.New("it was interrupted")

func (r *run) emit(e Event) {
	if r.OnEvent != nil {
		r.OnEvent(e)
	}
}
