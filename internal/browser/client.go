package browser

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/action"
)

// Client acts as the extension: it captures, asks the server, executes and reports
// until the task ends. It may run several tasks at once, each on its own tab.
type Client struct {
	// BaseURL of the server, without the path.
	BaseURL string
	// Token is the Bearer token.
	Token string
	// HTTP sends the requests; nil means http.DefaultClient.
	HTTP *http.Client
	// RetryFor bounds how long a request is repeated while the server is unavailable
	// or busy; zero means two minutes.
	RetryFor time.Duration
	// Backoff is the wait before the first repetition, doubled up to 5 s; zero means
	// 200 ms. A Retry-After of the server takes precedence.
	Backoff time.Duration
	// MaxTurns ends a task that does not end by itself; zero means 100.
	MaxTurns int
}

// Turn is one round trip and the execution that followed it.
type Turn struct {
	Number     int
	URL, Title string // of the page the turn began on
	Answer     Answer
	// Report is what was executed; zero if nothing was.
	Report Report
	// Resent is how often the request was repeated.
	Resent int
	// Capturing, Answering and Executing are the durations of the parts.
	Capturing, Answering, Executing time.Duration
}

// Outcome is how a run ended. Status is completed, failed or needs_user_input.
type Outcome struct {
	Status            string
	Message           string // for the user, of finish or fail
	Question          string // of needs_user_input
	Missing           []string
	TaskID, SessionID string
	Turns             int
}

// ErrEndless is a task that outlived MaxTurns.
var ErrEndless = errors.New("the task did not end within the turns allowed")

// Page is what a client acts on: a Tab, or in a test something that behaves like one.
type Page interface {
	// Capture reads the page, CaptureFull with its hidden parts.
	Capture(ctx context.Context) (Capture, error)
	CaptureFull(ctx context.Context) (Capture, error)
	// Execute does one action and waits until the page is stable.
	Execute(ctx context.Context, a action.Action) (Report, error)
	// Printable is an action without what no server may read back.
	Printable(text string) string
	// A page that can upload has Capabilities() []string as well, as a Tab has.
}

// Goal is a task to do, from its beginning or from where an outcome left it.
type Goal struct {
	// Query says what is to be done; to a task that goes on, what the user answers.
	Query string
	// TaskID and SessionID are those of a task that goes on, Turns those it has had.
	TaskID, SessionID string
	Turns             int
	// Key is the Idempotency-Key of the first request; "" draws one, as for all others.
	Key string
	// OnAnswer is called with every answer before it is followed, OnTurn after that.
	// Each may be nil. An error of OnAnswer ends the run: nothing is executed.
	OnAnswer func(Turn) error
	OnTurn   func(Turn)
	// OnPaused is called when somebody holds the task, and again when that changes, with
	// what the server says of it; with "" when the task was handed back. It may be nil.
	OnPaused func(message string)
}

// Run pursues a goal on the page. A task that failed or asks the user is an
// outcome; an error means that the server or the browser could not be used (a
// *ServerError is what the server said). The outcome has the task's id even then,
// if there was an answer.
func (c *Client) Run(ctx context.Context, page Page, g Goal) (Outcome, error) {
	return c.pursue(ctx, &run{client: c, page: page, Goal: g})
}

// run is one task on the client's side.
type run struct {
	Goal
	client *Client
	page   Page
	full   bool              // the server asked for the whole document
	last   *lastActionReport // about the action executed last
}

func (c *Client) pursue(ctx context.Context, r *run) (Outcome, error) {
	for range cmp.Or(c.MaxTurns, 100) {
		r.Turns++
		ended, err := r.turn(ctx)
		if err != nil {
			return Outcome{TaskID: r.TaskID, SessionID: r.SessionID, Turns: r.Turns}, fmt.Errorf("turn %d: %w", r.Turns, err)
		}
		if ended != nil {
			ended.TaskID, ended.SessionID, ended.Turns = r.TaskID, r.SessionID, r.Turns
			return *ended, nil
		}
	}
	return Outcome{TaskID: r.TaskID, SessionID: r.SessionID, Turns: r.Turns}, ErrEndless
}

// turn captures, asks and executes once. It returns the outcome if the task has
// ended.
func (r *run) turn(ctx context.Context) (*Outcome, error) {
	turn, err := r.ask(ctx)
	if err != nil {
		return nil, err
	}
	r.TaskID, r.SessionID = cmp.Or(turn.Answer.TaskID, r.TaskID), cmp.Or(turn.Answer.SessionID, r.SessionID)
	if r.OnAnswer != nil {
		if err := r.OnAnswer(turn); err != nil {
			return nil, err
		}
	}
	start := time.Now()
	outcome, err := r.execute(ctx, &turn)
	if err != nil {
		return nil, err
	}
	turn.Executing = time.Since(start)
	if r.OnTurn != nil {
		r.OnTurn(turn)
	}
	return outcome, nil
}

// ask captures the page and asks what to do. While somebody holds the task, it waits as
// long as that takes, and then captures the page anew: they may have changed it.
func (r *run) ask(ctx context.Context) (Turn, error) {
	key, told := cmp.Or(r.Key, domain.NewUUID()), ""
	r.Key = ""
	for {
		start := time.Now()
		body, page, err := r.request(ctx)
		if err != nil {
			return Turn{}, err
		}
		turn := Turn{Number: r.Turns, URL: page.URL, Title: page.Title, Capturing: time.Since(start)}
		start = time.Now()
		turn.Answer, turn.Resent, err = r.client.send(ctx, key, body)
		turn.Answering = time.Since(start)
		said, refused := errors.AsType[*ServerError](err)
		if !refused || said.Code != domain.CodeTaskPaused {
			if told != "" && err == nil {
				r.paused("")
			}
			return turn, err
		}
		if said.Message != told {
			told = said.Message
			r.paused(told)
		}
		if err := pause(ctx, cmp.Or(said.RetryAfter, r.client.Backoff, maxBackoff)); err != nil {
			return Turn{}, err
		}
		if r.TaskID != "" { // the key of a first request is that of its task
			key = domain.NewUUID()
		}
	}
}

func (r *run) paused(message string) {
	if r.OnPaused != nil {
		r.OnPaused(message)
	}
}

// request captures the page and encodes the body once, so that every repetition has
// the same bytes.
func (r *run) request(ctx context.Context) ([]byte, Capture, error) {
	capture := r.page.Capture
	if r.full {
		capture = r.page.CaptureFull
	}
	page, err := capture(ctx)
	if err != nil {
		return nil, Capture{}, err
	}
	var body bytes.Buffer
	enc := json.NewEncoder(&body)
	enc.SetEscapeHTML(false) // a document is all angle brackets
	err = enc.Encode(request{Capture: page, Query: r.Query, TaskID: r.TaskID, SessionID: r.SessionID, Capabilities: capabilitiesOn(r.page), lastActionReport: r.last})
	return body.Bytes(), page, err
}

// execute does what the answer says.
func (r *run) execute(ctx context.Context, turn *Turn) (*Outcome, error) {
	a := turn.Answer
	switch {
	case a.Status == StatusNeedsUserInput:
		return &Outcome{Status: a.Status, Question: a.UserQuestion, Missing: a.MissingInformation, Message: a.Thought}, nil
	case a.Status == StatusNeedsFullDOM && r.full:
		return nil, fmt.Errorf("the server asked for the whole document and got it: %s", a.NeedsFullDOMReason)
	case a.Status == StatusNeedsFullDOM:
		r.full = true
		return nil, nil
	}
	r.full = false
	if end, ended := a.ending(); ended {
		status := map[action.Name]string{action.Finish: statusCompleted, action.Fail: statusFailed}[end.Name]
		return &Outcome{Status: status, Message: cmp.Or(end.Text, a.Thought)}, nil
	}
	if a.Status == statusCompleted || a.Status == statusFailed {
		return &Outcome{Status: a.Status, Message: a.Thought}, nil
	}
	var err error
	turn.Report, r.last, err = executePlan(ctx, r.page, a.plan())
	return nil, err
}
