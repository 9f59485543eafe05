package interact

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/stepledger/stepledger/commands"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/chain"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/plan"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/secret"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/domain/weburl"
	"github.com/stepledger/stepledger/eventstore"
)

// Statuses of a turn's answer.
const (
	statusAction    = "action"
	statusNeedsUser = "needs_user_input"
	statusNeedsDOM  = "needs_full_dom"
	statusError     = "error"
)

// turn is a claimed turn. Nodes put commands to it; its events are kept until the end
// and are appended together with the answer.
type turn struct {
	*Handler
	in incoming
	// at is the version after the claim; state includes the turn's own events.
	at     version
	state  task.State
	events []task.Event

	now page.Page
	// pageUnknown reports that the client sent the hash of an unknown page; now is
	// empty.
	pageUnknown  bool
	observations []page.Observation
	// pending is the action under judgement, or a look at the page if there is none.
	// witness is what the client has reported since.
	pending task.Judgement
	witness page.Witness
	verdict *reasoning.Verdict
	// deferredBy is the action whose verdict is asked for with the next action.
	deferredBy string
	// skillsShown are the skills given to whoever decides this turn's action.
	skillsShown []reasoning.Skill
	// learnt waits for the skills for the task's goal on this site, nil until somebody
	// looks for them.
	learnt func() []reasoning.Skill
	// proposed is the action to be reviewed before it is sent; objections are those to
	// earlier answers of this turn, critiques counts those to actions.
	proposed   reasoning.ActAnswer
	objections []string
	critiques  int
	// confirmations counts the statements checked in this turn; toConfirm is the
	// newest.
	confirmations int
	toConfirm     reasoning.ActAnswer
	// recovery is how a chain that stopped goes on, nil if none has in this turn.
	recovery *chain.Recovery
	// wanted is the newest wish to search the web; hops counts the searches for the
	// plan, searched those for an action. notSearched are those that could not be made,
	// searchRefused: the agent was told so.
	wanted         wish
	hops, searched int
	notSearched    []reasoning.WebSearch
	searchRefused  bool
	// planUntil is until when this turn may plan. planDoubt is what the check of the plan
	// found, replan why whoever acts wants another.
	planUntil time.Time
	planDoubt plan.Health
	replan    string
	// chunks are the pieces of documents that whoever plans and acts is shown; sought are
	// the values that were looked for in documents.
	chunks []reasoning.Chunk
	sought []string
	// syntheses counts the last messages that were checked in this turn.
	syntheses int
	tokens    reasoning.Tokens
	// note is what the newest answer wrote down for the next turn; lookUps are what it
	// had looked up on the page before.
	note    string
	lookUps []action.Action

	status string
	answer Answer
	// secret, or text, is the action's text for the executing client only.
	secret, text string
	// failure is set if the answer is an error.
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
		events[i] = task.RedactForStorage(e, set)
	}
	t.events = append(t.events, events...)
	t.state = commands.Tasks.Fold(t.state, events...)
	return nil
}

// run walks the graph and ends the turn.
func (h *Handler) run(ctx context.Context, t *turn) (Result, error) {
	if err := t.decideWithinBudget(ctx); err != nil {
		return Result{}, fmt.Errorf("turn %d of task %s: %w", t.state.Turn.Number, t.in.id, err)
	}
	return h.end(ctx, t)
}

// end appends the turn's events together with its answer. It fails if the turn was
// taken over meanwhile, and then nothing is answered.
func (h *Handler) end(ctx context.Context, t *turn) (Result, error) {
	stored, err := t.stored()
	if err != nil {
		return Result{}, err
	}
	if err := t.do(task.EndTurn{Status: t.status, Tokens: t.tokens.Prompt + t.tokens.Completion, Answer: stored, Secret: t.secret, Text: t.text}); err != nil {
		return Result{}, err
	}
	h.Hook("turn.decided")
	at, err := h.appendDecided(ctx, t)
	if isFenced(err) {
		return Result{}, h.fencedBy(ctx, t.in)
	}
	if err != nil {
		return Result{}, err
	}
	h.states.put(t.in.era, task.Stream(t.in.id), at, t.in.session)
	if at.State.Ended() {
		h.pages.forget(t.in.id)
	}
	h.Hook("turn.ended")
	res, err := h.result(t.in, at, at.State.Last, false)
	res.Turn = Ran{Complexity: t.complexity().Class, Outcome: t.status, Shown: reasoning.CitationsOf(t.chunks)}
	return res, err
}

// fencedBy is why a turn comes to nothing: its user stopped or cancelled the task, or
// another request took it over.
func (h *Handler) fencedBy(ctx context.Context, in incoming) error {
	at, err := h.load(ctx, in)
	switch {
	case err != nil:
		return task.BusyError()
	case at.State.Ended():
		return task.EndedError(at.State)
	case at.State.StoppedBy != "":
		return task.StoppedError()
	}
	return task.BusyError()
}

// maxGrown bounds how often an append follows a stream that grew under it.
const maxGrown = 8

// errClaimLost: the log was put back to before the turn's claim.
var errClaimLost = errors.New("the turn's claim is not in the log any more")

// stillClaimed returns the version the turn's events are appended at. If the log was put
// back to an earlier state since the claim, the claim has to be found in what is left:
// revisions alone would take another one for it.
func (h *Handler) stillClaimed(ctx context.Context, t *turn) (version, error) {
	if h.states.present() == t.in.era {
		return t.at, nil
	}
	now, err := commands.Tasks.Load(ctx, h.Log, task.Stream(t.in.id), t.in.sealer, commands.Tasks.Start())
	if err != nil {
		return t.at, err
	}
	is, was := now.State.Turn, t.at.State.Turn // a lease ends at a moment of its own
	if !is.Open || is.Number != was.Number || is.Request != was.Request || !is.LeaseUntil.Equal(was.LeaseUntil) {
		return t.at, errClaimLost
	}
	return now, nil
}

// appendDecided appends the turn's events. Somebody may have paused the task or handed
// it back since the claim, which changes nothing of what the turn decides on: as long as
// the claim stands, the events go behind it. Anything else that made the stream grow has
// closed the turn.
func (h *Handler) appendDecided(ctx context.Context, t *turn) (version, error) {
	stream, number := task.Stream(t.in.id), t.state.Turn.Number
	at, err := h.stillClaimed(ctx, t)
	if err != nil {
		return at, err
	}
	for try := 0; ; try++ {
		after, err := commands.Tasks.Append(ctx, h.Log, stream, t.in.sealer, at, h.writing(t.in, number, 2), t.events)
		if !eventstore.IsWrongRevision(err) || try == maxGrown {
			return after, err
		}
		grown, loadErr := commands.Tasks.Load(ctx, h.Log, stream, t.in.sealer, at)
		if loadErr != nil {
			return after, loadErr
		}
		if turn := grown.State.Turn; !turn.Open || turn.Number != number || grown.Revision == at.Revision {
			return after, err
		}
		at = grown
	}
}

// on identifies the turn for the reasoner.
func (t *turn) on() reasoning.On {
	return reasoning.On{
		Tenant: t.in.Tenant, User: t.in.User, Session: t.state.Session, Task: t.in.id,
		Turn: t.state.Turn.Number, Request: t.in.cause(), After: t.state.Last.Turn,
		Secrets: t.secrets(),
	}
}

// site is the host of the page, the scope of skills.
func (t *turn) site() string {
	u, err := weburl.Parse(t.now.URL)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// skillsWithin bounds the wait for skills, which help but are not needed.
const skillsWithin = 250 * time.Millisecond

// skills returns the skills for the task's goal that fit the page. They are the same for
// all of a turn.
func (t *turn) skills(ctx context.Context) []reasoning.Skill {
	if t.learnt == nil {
		t.learnt = t.findSkills(ctx)
	}
	return reasoning.Fitting(t.learnt(), t.now, t.in.id)
}

// findSkills begins to look for skills, and returns what waits for them.
func (t *turn) findSkills(ctx context.Context) func() []reasoning.Skill {
	site, goal := t.site(), conceal(t.state.Query, t.secrets())
	found := make(chan []reasoning.Skill, 1)
	go func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), skillsWithin)
		defer cancel()
		skills, err := t.Skills.Find(ctx, t.in.Tenant, site, goal)
		if err != nil {
			skills = nil // the decorator around the port logs it
		}
		found <- skills
	}()
	return sync.OnceValue(func() []reasoning.Skill { return <-found })
}

// userMessage is the part of an error that a user may see.
func userMessage(err error) string {
	var e *domain.Error
	if errors.As(err, &e) {
		return e.Msg
	}
	return "something went wrong while deciding the next step"
}
