package interact

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/stepledger/stepledger/commands"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/secret"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/domain/weburl"
)

// Statuses of a turn's answer.
const (
	statusAction    = "action"
	statusNeedsUser = "needs_user_input"
	statusNeedsDOM  = "needs_full_dom"
	statusError     = "error"
)

// turn is a claimed turn under way. Nodes put commands to it; the events wait
// until the turn ends and are appended together with its answer.
type turn struct {
	*Handler
	in incoming
	// at is the version the claim left; state is it with the turn's own events.
	at     version
	state  task.State
	events []task.Event

	now page.Page
	// unseen: the client sent the hash of a page nobody knows; now is empty.
	unseen       bool
	observations []page.Observation
	// pending is the action under judgement, or a look at the page where there is
	// none; witness is what the client has reported since it was done.
	pending task.Judgement
	witness page.Witness
	verdict *reasoning.Verdict
	// learnt are the skills shown to whoever decides this turn's action.
	learnt []reasoning.Skill
	// claims counts what was to be shown in this turn; claimed is the newest.
	claims  int
	claimed reasoning.ActAnswer
	tokens  reasoning.Tokens

	status string
	answer Answer
	// secret, or text, is what the answer's action has for the client alone.
	secret, text string
	// failure is the error an answer of status error stands for.
	failure *storedError
}

// do puts a command to the task.
func (t *turn) do(c task.Command) error {
	events, err := task.Decide(c, t.state)
	if err != nil {
		return err
	}
	set := secret.New(t.secrets()...)
	for i, e := range events {
		events[i] = task.Discreet(e, set)
	}
	t.events = append(t.events, events...)
	t.state = commands.Tasks.Fold(t.state, events...)
	return nil
}

// run walks the graph and ends the turn.
func (h *Handler) run(ctx context.Context, t *turn) (Result, error) {
	if err := t.think(ctx); err != nil {
		return Result{}, fmt.Errorf("turn %d of task %s: %w", t.state.Turn.Number, t.in.id, err)
	}
	return h.end(ctx, t)
}

// end appends everything the turn decided together with its answer. A turn
// that was taken over meanwhile fails here and must not answer.
func (h *Handler) end(ctx context.Context, t *turn) (Result, error) {
	stored, err := t.stored()
	if err != nil {
		return Result{}, err
	}
	if err := t.do(task.EndTurn{Status: t.status, Answer: stored, Secret: t.secret, Text: t.text}); err != nil {
		return Result{}, err
	}
	stream, number := task.Stream(t.in.id), t.state.Turn.Number
	h.Hook("turn.decided")
	at, err := commands.Tasks.Append(ctx, h.Log, stream, t.in.key, t.at, h.writing(t.in, number, 2), t.events)
	if isFenced(err) {
		return Result{}, task.BusyError()
	}
	if err != nil {
		return Result{}, err
	}
	h.states.put(stream, at)
	if at.State.Ended() {
		h.pages.forget(t.in.id)
	}
	h.Hook("turn.ended")
	return h.result(t.in, at, at.State.Last, false)
}

// on says for whom and where a question is asked.
func (t *turn) on() reasoning.On {
	return reasoning.On{
		Tenant: t.in.Tenant, User: t.in.User, Session: t.state.Session, Task: t.in.id,
		Turn: t.state.Turn.Number, Request: t.in.cause(), After: t.state.Last.Turn,
		Secrets: t.secrets(),
	}
}

// site is the host of the page, the scope of what is learnt.
func (t *turn) site() string {
	u, err := weburl.Parse(t.now.URL)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// skillsWithin bounds how long a turn waits for what was learnt before: it is a
// help, not a need.
const skillsWithin = 250 * time.Millisecond

// skills are what was learnt for goals like the task's, as far as it is about
// the page as it is now.
func (t *turn) skills(ctx context.Context) []reasoning.Skill {
	ctx, cancel := context.WithTimeout(ctx, skillsWithin)
	defer cancel()
	found, err := t.Skills.Find(ctx, t.in.Tenant, t.site(), conceal(t.state.Query, t.secrets()))
	if err != nil {
		return nil // the decorator around the port logs it
	}
	return reasoning.Fitting(found, t.now)
}

// userMessage is what a person may read of an error.
func userMessage(err error) string {
	var e *domain.Error
	if errors.As(err, &e) {
		return e.Msg
	}
	return "something went wrong while deciding the next step"
}
