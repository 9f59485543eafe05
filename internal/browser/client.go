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

// errEndless is returned for a task that exceeds MaxTurns.
var errEndless = errors.New("the task did not end within the turns allowed")

// Run works towards a goal on the tab's page. onTurn, which may be nil, is called
// after every turn. A task that failed or asks the user is an Outcome; an error means
// that the server or the browser is unusable (*ServerError if the server sent one).
func (c *Client) Run(ctx context.Context, tab *Tab, query string, onTurn func(Turn)) (Outcome, error) {
	return c.pursue(ctx, &run{client: c, tab: tab, query: query, onTurn: onTurn})
}

// Continue answers the question an outcome ended with and continues its task.
func (c *Client) Continue(ctx context.Context, tab *Tab, asked Outcome, reply string, onTurn func(Turn)) (Outcome, error) {
	return c.pursue(ctx, &run{
		client: c, tab: tab, query: reply, onTurn: onTurn, taskID: asked.TaskID, sessionID: asked.SessionID, turns: asked.Turns,
	})
}

// run is one task on the client's side.
type run struct {
	client            *Client
	tab               *Tab
	query             string
	onTurn            func(Turn)
	taskID, sessionID string
	turns             int
	full              bool              // the server asked for the whole document
	last              *lastActionReport // about the action executed last
}

func (c *Client) pursue(ctx context.Context, r *run) (Outcome, error) {
	for range cmp.Or(c.MaxTurns, 100) {
		r.turns++
		ended, err := r.turn(ctx)
		if err != nil {
			return Outcome{TaskID: r.taskID, SessionID: r.sessionID, Turns: r.turns}, fmt.Errorf("turn %d: %w", r.turns, err)
		}
		if ended != nil {
			ended.TaskID, ended.SessionID, ended.Turns = r.taskID, r.sessionID, r.turns
			return *ended, nil
		}
	}
	return Outcome{TaskID: r.taskID, SessionID: r.sessionID, Turns: r.turns}, errEndless
}

// turn captures, asks and executes once. It returns the outcome if the task has
// ended.
func (r *run) turn(ctx context.Context) (*Outcome, error) {
	start := time.Now()
	body, page, err := r.request(ctx)
	if err != nil {
		return nil, err
	}
	turn := Turn{Number: r.turns, URL: page.URL, Title: page.Title, Capturing: time.Since(start)}
	start = time.Now()
	turn.Answer, turn.Resent, err = r.client.send(ctx, body)
	if err != nil {
		return nil, err
	}
	turn.Answering = time.Since(start)
	start = time.Now()
	outcome, err := r.execute(ctx, &turn)
	if err != nil {
		return nil, err
	}
	turn.Executing = time.Since(start)
	if r.onTurn != nil {
		r.onTurn(turn)
	}
	return outcome, nil
}

// request captures the page and encodes the body once, so that every repetition has
// the same bytes.
func (r *run) request(ctx context.Context) ([]byte, Capture, error) {
	capture := r.tab.Capture
	if r.full {
		capture = r.tab.CaptureFull
	}
	page, err := capture(ctx)
	if err != nil {
		return nil, Capture{}, err
	}
	var body bytes.Buffer
	enc := json.NewEncoder(&body)
	enc.SetEscapeHTML(false) // a document is all angle brackets
	err = enc.Encode(request{Capture: page, Query: r.query, TaskID: r.taskID, SessionID: r.sessionID, lastActionReport: r.last})
	return body.Bytes(), page, err
}

// execute does what the answer says.
func (r *run) execute(ctx context.Context, turn *Turn) (*Outcome, error) {
	a := turn.Answer
	r.taskID, r.sessionID = cmp.Or(a.TaskID, r.taskID), cmp.Or(a.SessionID, r.sessionID)
	switch {
	case a.Status == statusNeedsUserInput:
		return &Outcome{Status: a.Status, Question: a.UserQuestion, Missing: a.MissingInformation, Message: a.Thought}, nil
	case a.Status == statusNeedsFullDOM && r.full:
		return nil, fmt.Errorf("the server asked for the whole document and got it: %s", a.NeedsFullDOMReason)
	case a.Status == statusNeedsFullDOM:
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
	turn.Report, r.last, err = r.tab.executePlan(ctx, a.plan())
	return nil, err
}
