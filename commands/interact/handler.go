package interact

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/stepledger/stepledger/commands"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/scope"
	"github.com/stepledger/stepledger/domain/session"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/eventstore"
)

// Deps are the dependencies of a turn.
type Deps struct {
	Log     eventstore.Log
	Keys    commands.Keys
	Content commands.Content
	// Intake stores a request's content in one commit with its claim. nil: they have none
	// in common; content is stored first, and every request reads its stream before.
	Intake   commands.Intake
	Pages    commands.PageReader
	Reasoner commands.Reasoner
	// OneCall: where a model has to judge an action, the same answer decides the next
	// one. It saves calls; the events are the same.
	OneCall bool
	// Planner plans and criticises; nil if nobody can.
	Planner commands.Planner
	// Search is nil if the web cannot be searched, Knowledge if no documents are known.
	Search    commands.Search
	Knowledge commands.Knowledge
	Skills    commands.Skills
	Instances commands.Instances
	Clock     commands.Clock
	IDs       commands.IDs
	Limits    task.Limits
	// Hook is called at named points of a turn, and at every edge of the graph (Edges). It
	// is for crash tests, and for replays to tell which way a turn took.
	Hook func(point string)
}

// Handler runs interact turns. It is safe for concurrent use.
type Handler struct {
	Deps
	states *stateCache
	pages  *pageCache
	here   *running
	// trusts: a request may be decided by what is in memory, since an append that finds it
	// outdated leaves nothing behind.
	trusts bool
}

// New returns a Handler.
func New(d Deps) *Handler {
	if d.Hook == nil {
		d.Hook = func(string) {}
	}
	trusts := d.Intake != nil
	if !trusts {
		d.Intake = commands.Apart{Log: d.Log, Keys: d.Keys, Content: d.Content}
	}
	return &Handler{
		Deps: d, trusts: trusts, states: newStateCache(maxCachedStates, d.Clock), pages: newPageCache(maxCachedPages, d.Clock),
		here: newRunning(),
	}
}

// leaseMargin is how long before the end of its lease a turn stops, so that its owner
// never works on while another may claim the task.
const leaseMargin = 10 * time.Second

type (
	version        = commands.Version[task.State]
	sessionVersion = commands.Version[session.State]
)

// Interact answers a request with the answer stored for it, or by running a turn.
// Errors that a user may see are *domain.Error: TASK_NOT_FOUND, SESSION_NOT_FOUND,
// TASK_COMPLETED, TASK_PAUSED, TASK_STOPPED, RESOURCE_CONFLICT, VALIDATION_ERROR, DATABASE_ERROR, LLM_ERROR, or
// the code the turn ended with.
func (h *Handler) Interact(ctx context.Context, r Request) (Result, error) {
	res, err := h.interact(ctx, r)
	return res, translate(err)
}

func (h *Handler) interact(ctx context.Context, r Request) (Result, error) {
	var seen look
	if in, ok := h.remember(r); ok {
		in.seen = &seen
		res, claimed, err := h.attempt(ctx, in)
		if claimed || err == nil || isOutage(err) || ctx.Err() != nil {
			return res, err
		}
		// Memory refuses nothing: others may have gone on.
	}
	in, err := h.receive(ctx, r)
	if err != nil {
		return Result{}, err
	}
	in.seen = &seen
	res, _, err := h.attempt(ctx, in)
	return res, err
}

// errOutdated: what is in memory of a task cannot answer the request.
var errOutdated = errors.New("what is in memory of the task has to be read again")

// attempt answers a request by what is known of its task. It reports whether the turn was
// claimed.
func (h *Handler) attempt(ctx context.Context, in incoming) (_ Result, claimed bool, _ error) {
	scope.Of(ctx).OnTask(in.id)
	in = in.withoutSecrets().withoutOldEvents(h.Limits.Lease)
	standing, stored := in.at.State.Standing(in.request())
	switch {
	case in.remembered && (standing != task.Fresh || in.at.State.Turn.Open):
		return Result{}, false, errOutdated
	case standing == task.KeyReused:
		return Result{}, false, keyReused()
	case standing == task.AnsweredBefore:
		res, err := h.replay(in, stored)
		return res, false, err
	case h.here.overlapped(in.id, in.ReceivedAt):
		return Result{}, false, task.BusyError()
	}
	if err := in.checkChainReport(); err != nil {
		return Result{}, false, err
	}
	// From here on the turn runs to its end even if the client hangs up.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), h.Limits.Lease-leaseMargin)
	defer cancel()
	defer h.here.enter(in.id, in.at.State.Turn.Number+1)()
	t, err := h.claimInTime(ctx, in)
	if commands.LostRace(err) && !in.remembered {
		res, err := h.resolveLostClaim(ctx, in)
		return res, false, err
	}
	if err != nil {
		return Result{}, false, err
	}
	defer h.here.ended(in.id, h.Clock)
	h.Hook("turn.claimed")
	res, err := h.run(ctx, t)
	return res, true, err
}

// claimWithin bounds what happens before the graph: reading and storing the page and
// appending the claim. A database that hangs must not hold the client for a whole
// lease.
const claimWithin = 15 * time.Second

func (h *Handler) claimInTime(ctx context.Context, in incoming) (*turn, error) {
	limited, cancel := context.WithTimeout(ctx, claimWithin)
	defer cancel()
	t, err := h.claim(limited, in)
	if err != nil && limited.Err() != nil {
		return nil, unavailable("note the request in time", err)
	}
	return t, err
}

// incoming is a request with what is known of its task.
type incoming struct {
	Request
	id     string
	sealer domain.Sealer
	at     version
	// session is that of the task, as far as it is known. remembered: it and at are what
	// was in memory, and nothing was read.
	session    sessionVersion
	remembered bool
	// era is that of the cache of states from before anything was known.
	era int
	// seen is what an earlier attempt at the request saw of its page.
	seen *look
	// secrets are the new or repeated secret values of the request, secretFields the
	// keys of its new secret fields.
	secrets, secretFields []string
	// address is the page's URL as the client sent it.
	address string
}

func (in incoming) request() task.Request { return task.Request{Key: in.Key, Body: in.BodyHash} }

// remember is the request with its task as it is in memory, where it may go on with that:
// a task that is the user's, or one that is new as far as anybody here knows.
func (h *Handler) remember(r Request) (incoming, bool) {
	in := incoming{Request: r, id: r.TaskID, remembered: true, era: h.states.present()}
	switch {
	case !h.trusts:
		return in, false
	case r.TaskID == "" && r.Key == "":
		in.id, in.at = h.IDs(), commands.Tasks.Start()
		return in, true
	case r.TaskID == "":
		in.id = task.IDFor(r.Tenant, r.User, r.Key)
	}
	k := h.states.get(task.Stream(in.id))
	in.at, in.session = k.version, k.session
	if !k.State.Exists() {
		return in, r.TaskID == "" && !k.ended
	}
	return in, k.State.Tenant == r.Tenant && k.State.User == r.User
}

func (h *Handler) receive(ctx context.Context, r Request) (incoming, error) {
	in := incoming{Request: r, id: r.TaskID, at: commands.Tasks.Start(), era: h.states.present()}
	switch {
	case r.TaskID != "":
		return h.loadOwned(ctx, in)
	case r.Key == "":
		in.id = h.IDs() // a fresh random id has no stream to read
		return in, nil
	}
	in.id = task.IDFor(r.Tenant, r.User, r.Key)
	return h.loadIfExists(ctx, in)
}

// loadIfExists loads the task of a request, which may be new.
func (h *Handler) loadIfExists(ctx context.Context, in incoming) (incoming, error) {
	var err error
	if in.sealer, err = h.Keys.Key(ctx, in.Tenant, in.id); err != nil {
		return in, err
	}
	in.at, err = h.load(ctx, in)
	return in, err
}

// loadOwned loads a task that must exist and belong to this user.
func (h *Handler) loadOwned(ctx context.Context, in incoming) (incoming, error) {
	in, err := h.loadIfExists(ctx, in)
	if err != nil {
		return in, err
	}
	if !in.at.State.Exists() || in.at.State.User != in.User {
		return in, notFound()
	}
	return in, nil
}

// load folds the task's stream. It returns TASK_NOT_FOUND for another tenant's task:
// without the key its text would read as erased, and must not be cached like that.
func (h *Handler) load(ctx context.Context, in incoming) (version, error) {
	stream, era := task.Stream(in.id), h.states.present()
	v, err := commands.Tasks.Load(ctx, h.Log, stream, in.sealer, h.states.get(stream).version)
	if err != nil {
		return v, err
	}
	if v.State.Exists() && v.State.Tenant != in.Tenant {
		return v, notFound()
	}
	h.states.put(era, stream, v, sessionVersion{})
	return v, nil
}

// resolveLostClaim answers a request whose claim lost a race, possibly to the same
// request.
func (h *Handler) resolveLostClaim(ctx context.Context, in incoming) (Result, error) {
	in, err := h.loadIfExists(ctx, in)
	if err != nil {
		return Result{}, err
	}
	standing, stored := in.at.State.Standing(in.request())
	switch standing {
	case task.AnsweredBefore:
		return h.replay(in, stored)
	case task.KeyReused:
		return Result{}, keyReused()
	}
	switch s := in.at.State; {
	case s.Ended():
		return Result{}, task.EndedError(s)
	case s.StoppedBy != "":
		return Result{}, task.StoppedError()
	case s.Pause != nil && !s.Turn.Open:
		return Result{}, task.PausedError(s)
	}
	return Result{}, task.BusyError()
}

// writing returns the envelope and event ids of a turn's n-th append.
func (h *Handler) writing(in incoming, turn, n int) commands.Writing {
	return commands.Writing{
		Meta: in.meta(),
		ID: func(i int) string {
			return domain.DeriveUUID(in.id, strconv.Itoa(turn), strconv.Itoa(n), strconv.Itoa(i))
		},
	}
}

// meta is the envelope of every event the request causes.
func (in incoming) meta() eventstore.Metadata {
	return eventstore.Metadata{
		Tenant: in.Tenant, Actor: in.User, Correlation: in.id, Causation: in.cause(), Schema: 1,
	}
}

// cause is the request's id for the causation chain.
func (in incoming) cause() string {
	if in.Key != "" {
		return in.Key
	}
	return in.BodyHash
}

func notFound() error {
	return domain.Errorf(domain.NotFound, domain.CodeTaskNotFound, "there is no such task").At("taskId")
}

func keyReused() error {
	err := domain.Errorf(domain.Conflict, domain.CodeConflict, "this Idempotency-Key was used with another body")
	err.Details = map[string]any{"reason": "the key's first request had another body; use a new key for a new request"}
	return err
}

// ownerDead reports whether the process that holds an open claim is gone. A claim of
// this process is dead if no turn of it is running here.
func (h *Handler) ownerDead(ctx context.Context, in incoming) (bool, error) {
	turn := in.at.State.Turn
	if !turn.Open {
		return false, nil
	}
	if turn.Instance == h.Instances.Own() {
		return !h.here.isRunning(in.id, turn.Number), nil
	}
	alive, err := h.Instances.Alive(ctx, turn.Instance)
	if err != nil {
		return false, unavailable("find out who works on the task", err)
	}
	return !alive, nil
}

func unavailable(doing string, err error) error {
	e := domain.Errorf(domain.Unavailable, domain.CodeDatabase, "could not %s; try again", doing).Because(err)
	e.RetryAfter = time.Second
	return e
}

// translate turns errors of the log into errors a user may see.
func translate(err error) error {
	var down *eventstore.UnavailableError
	if errors.As(err, &down) {
		return unavailable("reach the event store", err)
	}
	return err
}

// isOutage reports whether a store could not be reached: to ask it again would only take
// longer.
func isOutage(err error) bool {
	var down *eventstore.UnavailableError
	return errors.As(err, &down) || domain.KindOf(err) == domain.Unavailable
}

// isFenced reports whether an append failed because another request took the turn
// over.
func isFenced(err error) bool {
	var gone *eventstore.DeletedError
	return commands.LostRace(err) || errors.As(err, &gone) || errors.Is(err, errClaimLost)
}
