package replay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/stepledger/stepledger/commands"
	"github.com/stepledger/stepledger/commands/interact"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/secret"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/eventstore"
)

// Source is where recorded tasks are read.
type Source struct {
	Log     eventstore.Log
	Keys    commands.Keys
	Content Content
}

// Content reads stored pages, screenshots and answers.
type Content interface {
	Get(ctx context.Context, tenant, subject, ref string) ([]byte, error)
}

// Turn is a recorded turn: its claim, what was decided, and the model calls it made.
type Turn struct {
	Tenant, TaskID string
	Number         int
	// Revision is that of its claim, At when it began.
	Revision int64
	At       time.Time
	// Before is the state after the claim; Observed the claim.
	Before   task.State
	Observed task.PageObserved
	// Decided are the recorded events, the end of the turn included. A turn that was
	// abandoned has none.
	Decided []task.Event
	// Calls are the model calls that its request led to, in order, and Answers what came
	// of them as it is kept, by the id of the call; none if it is gone.
	Calls   []usage.Call
	Answers map[string][]byte
	page    []byte
	shot    string
	gone    error
	// pieces are what documents said, by their references; unknown is why they are gone.
	pieces  map[string][]byte
	unknown error
	// Holds say who paused the task or handed it back, up to the next turn.
	Holds []HoldEvent
	// secrets are those of the whole task, which no result shows.
	secrets *secret.Set
	// exported: it was read from an export, which has no secrets.
	exported bool
}

// Task is a recorded task.
type Task struct {
	Tenant, ID string
	Turns      []Turn
	// Final is its state at the end.
	Final task.State
	// Newer is set where an event is of a newer version: then the states after it are not
	// known, and the task is shown but not decided anew.
	Newer error
}

// Load reads a task with its model calls and pages. Pages that are gone make their turns
// impossible to replay, and nothing else.
func (s Source) Load(ctx context.Context, tenant, id string) (Task, error) {
	t, err := s.load(ctx, tenant, id)
	if err != nil {
		return Task{}, fmt.Errorf("load task %s: %w", id, err)
	}
	return t, nil
}

func (s Source) load(ctx context.Context, tenant, id string) (Task, error) {
	recorded, key, err := s.read(ctx, tenant, id)
	if err != nil {
		return Task{}, err
	}
	calls, err := s.calls(ctx, id)
	if err != nil {
		return Task{}, err
	}
	t := Task{Tenant: tenant, ID: id, Final: task.Initial()}
	for _, r := range recorded {
		e, err := task.Codec.Decode(r.Type, r.Data, r.ID, key)
		if domain.IsNewer(err) {
			e, t.Newer, err = task.Unknown{Name: r.Type}, err, nil
		}
		if err != nil {
			return Task{}, err
		}
		t.Final = task.Evolve(t.Final, e)
		t.add(r.Revision, r.RecordedAt, e, calls)
	}
	t.hideSecrets()
	for i := range t.Turns {
		s.loadPage(ctx, &t.Turns[i])
		t.Turns[i].loadPieces(func(ref string) ([]byte, error) { return s.Content.Get(ctx, tenant, id, ref) })
		if err := s.loadAnswers(ctx, &t.Turns[i]); err != nil {
			return Task{}, err
		}
	}
	return t, nil
}

// read reads the events of a tenant's task, and the key to them.
func (s Source) read(ctx context.Context, tenant, id string) ([]eventstore.Recorded, domain.Sealer, error) {
	recorded, err := readAll(ctx, s.Log, task.Stream(id))
	if err != nil {
		return nil, nil, err
	}
	if len(recorded) == 0 || recorded[0].Metadata().Tenant != tenant {
		return nil, nil, domain.Errorf(domain.NotFound, domain.CodeTaskNotFound, "there is no such task").At("taskId")
	}
	key, err := s.Keys.Key(ctx, tenant, id)
	return recorded, key, err
}

func (t *Task) hideSecrets() {
	set := secret.New(t.Final.Secrets...)
	for i := range t.Turns {
		t.Turns[i].secrets = set
	}
}

func (s Source) loadAnswers(ctx context.Context, t *Turn) error {
	t.Answers = map[string][]byte{}
	for _, c := range t.Calls {
		if c.Report == nil || c.Report.AnswerRef == "" {
			continue
		}
		body, err := s.Content.Get(ctx, t.Tenant, t.TaskID, c.Report.AnswerRef)
		switch {
		case err == nil:
			t.Answers[c.Started.Call] = body
		case domain.KindOf(err) != domain.NotFound && !errors.Is(err, domain.ErrErased):
			return err
		}
	}
	return nil
}

// add puts an event to the turn it belongs to. What a claim brings with it is part of
// the state the turn is decided on.
func (t *Task) add(revision int64, at time.Time, e task.Event, calls []usage.Call) {
	if claim, ok := e.(task.PageObserved); ok {
		t.Turns = append(t.Turns, Turn{
			Tenant: t.Tenant, TaskID: t.ID, Number: claim.Turn, Revision: revision, At: at,
			Before: t.Final, Observed: claim, Calls: t.callsOf(calls, claim),
		})
		return
	}
	if len(t.Turns) == 0 {
		return
	}
	now := &t.Turns[len(t.Turns)-1]
	_, ends := e.(task.TurnEnded)
	switch e.(type) {
	case task.TaskResumed, task.UserInputProvided:
		if !t.Final.Turn.Open {
			return // its user said so, after the turn
		}
		now.Before = t.Final
	case task.TurnAbandoned, task.TaskInterrupted, task.TaskErased:
	case task.TaskPaused, task.TaskHandedBack: // the turn was decided without knowing of it
		now.Holds = append(now.Holds, holdOf(revision, e))
	default:
		if !t.Final.Turn.Open && !ends {
			return // no turn decided it: its user cancelled the task
		}
		now.Decided = append(now.Decided, e)
	}
}

// callsOf are the calls of a turn, after the answers of earlier runs of the same request
// that were abandoned: those were paid, and are used again.
func (t *Task) callsOf(calls []usage.Call, claim task.PageObserved) (out []usage.Call) {
	first := claim.Turn
	for i := len(t.Turns) - 1; i >= 0 && len(t.Turns[i].Decided) == 0 && t.Turns[i].Observed.Request == claim.Request; i-- {
		first = t.Turns[i].Number
	}
	for _, c := range calls {
		answered := c.Report != nil && c.Report.AnswerRef != ""
		if n := c.Started.Turn; n == claim.Turn || n >= first && n < claim.Turn && answered {
			out = append(out, c)
		}
	}
	return out
}

func (s Source) calls(ctx context.Context, id string) ([]usage.Call, error) {
	v, err := commands.Ledgers.PassingOver().Load(ctx, s.Log, usage.Stream(id), nil, commands.Ledgers.Start())
	if err != nil {
		return nil, err
	}
	return v.State.InOrder(), nil
}

func (s Source) loadPage(ctx context.Context, t *Turn) {
	get := func(ref string) []byte {
		if ref == "" || t.gone != nil {
			return nil
		}
		body, err := s.Content.Get(ctx, t.Tenant, t.TaskID, ref)
		if err != nil {
			t.gone = fmt.Errorf("%w: %w", interact.ErrNoPage, err)
		}
		return body
	}
	t.page, t.shot = get(t.Observed.Page), string(get(t.Observed.Screenshot))
}

func readAll(ctx context.Context, log eventstore.Log, stream string) (all []eventstore.Recorded, err error) {
	for more := true; more; {
		from := int64(0)
		if n := len(all); n > 0 {
			from = all[n-1].Revision + 1
		}
		slice, err := log.ReadStream(ctx, stream, eventstore.ReadOptions{From: from})
		if err != nil {
			return nil, err
		}
		all, more = append(all, slice.Events...), slice.More && len(slice.Events) > 0
	}
	return all, nil
}

// Mind decides a turn anew: a handler, what its reasoner was asked that nothing is
// recorded of, and the edges of the graph the handler went along.
type Mind struct {
	Handler *interact.Handler
	Missed  func() []Question
	Way     func() []string
}

// Question is one that nothing is recorded of: for what, which of the two models it is
// for, the tokens it would read, by estimate, and the most it may write.
type Question struct {
	Purpose         string `json:"purpose"`
	Role            string `json:"role"`
	InputTokens     int64  `json:"inputTokens"`
	MaxOutputTokens int64  `json:"maxOutputTokens"`
}

// Minds returns who decides a turn.
type Minds func(Turn) (Mind, error)

// Result is what became of a turn.
type Result struct {
	Turn     int   `json:"turn"`
	Revision int64 `json:"revision"`
	// Same: the same events, field by field.
	Same bool `json:"same"`
	// Skipped says why the turn was not replayed.
	Skipped string `json:"skipped,omitempty"`
	// Difference is the first one.
	Difference *Difference `json:"difference,omitempty"`
	// Missed are questions that nothing is recorded of.
	Missed []Question `json:"missed,omitempty"`
	// Way are the edges of the graph the turn went along now, in order.
	Way []string `json:"way,omitempty"`
	// Verdict, Action and Status are what was recorded and what was decided now.
	Verdict Pair `json:"verdict,omitzero"`
	Action  Pair `json:"action,omitzero"`
	Status  Pair `json:"status,omitzero"`
	// Holds say who paused the task or handed it back before the next turn. They are
	// recorded, not decided.
	Holds []HoldEvent `json:"holds,omitempty"`
}

// HoldEvent is a pause of the task or its end. Kind is pause, takeover or handed_back.
type HoldEvent struct {
	Revision int64  `json:"revision"`
	Kind     string `json:"kind"`
	By       string `json:"by"`
}

// HandedBack is the kind of the end of a pause.
const HandedBack = "handed_back"

func holdOf(revision int64, e task.Event) HoldEvent {
	switch e := e.(type) {
	case task.TaskPaused:
		return HoldEvent{revision, string(e.Kind), e.By}
	case task.TaskHandedBack:
		return HoldEvent{revision, HandedBack, e.By}
	}
	return HoldEvent{}
}

// Flips reports whether the turn's verdict, action or status is another now.
func (r Result) Flips() bool {
	return r.Skipped == "" && (r.Verdict.flips() || r.Action.flips() || r.Status.flips())
}

// Pair is the same fact as recorded and as decided now.
type Pair struct {
	Was string `json:"was,omitempty"`
	Now string `json:"now,omitempty"`
}

func (p Pair) flips() bool { return p.Was != p.Now }

// without returns a result without secrets.
func (r Result) without(secrets *secret.Set) Result {
	for _, p := range []*Pair{&r.Verdict, &r.Action, &r.Status} {
		differ := p.flips()
		if *p = (Pair{secrets.Cut(p.Was), secrets.Cut(p.Now)}); differ && !p.flips() {
			p.Now += " (with another secret)"
		}
	}
	if d := r.Difference; d != nil {
		cut := *d
		cut.Was, cut.Now = secrets.CutJSON(d.Was), secrets.CutJSON(d.Now)
		r.Difference = &cut
	}
	return r
}

// Report is what became of a task.
type Report struct {
	TaskID string   `json:"taskId"`
	Turns  []Result `json:"turns"`
}

// First is the first turn that differs.
func (r Report) First() (Result, bool) {
	for _, t := range r.Turns {
		if !t.Same && t.Skipped == "" {
			return t, true
		}
	}
	return Result{}, false
}

// Run decides every turn of a task anew. A turn that cannot be decided is a difference of
// that turn, and the others are decided all the same.
func Run(ctx context.Context, t Task, minds Minds) (Report, error) {
	out := Report{TaskID: t.ID, Turns: []Result{}}
	if t.Newer != nil {
		return out, fmt.Errorf("replay task %s: %w", t.ID, t.Newer)
	}
	for _, turn := range t.Turns {
		r, err := runTurn(ctx, turn, minds)
		if err != nil {
			return out, fmt.Errorf("replay turn %d of task %s: %w", turn.Number, t.ID, err)
		}
		r.Holds = turn.Holds
		out.Turns = append(out.Turns, r)
	}
	return out, nil
}

func runTurn(ctx context.Context, turn Turn, minds Minds) (Result, error) {
	r := Result{Turn: turn.Number, Revision: turn.Revision}
	if r.Skipped = turn.unplayable(); r.Skipped != "" {
		return r, nil
	}
	mind, err := minds(turn)
	if err != nil {
		return r, err
	}
	r, _, err = decide(ctx, turn, mind)
	if err != nil && ctx.Err() == nil {
		r.Status, err = Pair{statusOf(turn.Decided), turn.secrets.Cut("error: " + err.Error())}, nil
		r.Same = false
	}
	return r, err
}

// unplayable says why a turn cannot be decided anew, "" if it can.
func (t Turn) unplayable() string {
	switch {
	case len(t.Decided) == 0:
		return "it was abandoned"
	case t.gone != nil:
		return t.gone.Error()
	case t.unknown != nil:
		return t.unknown.Error()
	case t.lost() > 0:
		return fmt.Sprintf("the answers of %d of its model calls are gone", t.lost())
	}
	return ""
}

// lost is how many model calls had an answer that is kept no more.
func (t Turn) lost() (n int) {
	for _, c := range t.Calls {
		if c.Report != nil && c.Report.AnswerRef != "" && t.Answers[c.Started.Call] == nil {
			n++
		}
	}
	return n
}

// decide decides a turn by a mind, and returns the events too.
func decide(ctx context.Context, turn Turn, mind Mind) (Result, []task.Event, error) {
	r := Result{Turn: turn.Number, Revision: turn.Revision}
	got, err := mind.Handler.Replay(ctx, interact.Recorded{
		TaskID: turn.TaskID, State: turn.Before, Observed: turn.Observed, Page: turn.page, Screenshot: turn.shot,
	})
	if mind.Missed != nil {
		r.Missed = mind.Missed()
	}
	if mind.Way != nil {
		r.Way = mind.Way()
	}
	var refused *domain.Error
	switch {
	case errors.As(err, &refused): // the turn would have stayed open
		r.Difference = &Difference{Event: "task.turn_ended.v1", Now: text(refused.Code)}
		r.Status = Pair{statusOf(turn.Decided), "error " + refused.Code}
		return r.without(turn.secrets), nil, nil
	case err != nil:
		return r, nil, err
	}
	r.Verdict = Pair{verdictOf(turn.Decided), verdictOf(got)}
	r.Action = Pair{actionOf(turn.Decided), actionOf(got)}
	r.Status = Pair{statusOf(turn.Decided), statusOf(got)}
	r.Difference, err = compare(turn.Decided, turn.asRecorded(got))
	r.Same = r.Difference == nil && err == nil
	return r.without(turn.secrets), got, err
}

// asRecorded is what was decided, without secrets where what is recorded has none: an
// action types the name of a secret there, in place of its value.
func (t Turn) asRecorded(decided []task.Event) []task.Event {
	if !t.exported {
		return decided
	}
	out := make([]task.Event, len(decided))
	for i, e := range decided {
		out[i] = task.RedactForReaders(e, secret.New())
	}
	return out
}

func text(s string) json.RawMessage {
	b, _ := json.Marshal(s) //nolint:errchkjson // a string
	return b
}

func verdictOf(events []task.Event) (out string) {
	for _, e := range events {
		if v, ok := e.(task.ActionVerified); ok {
			out = string(v.Outcome())
		}
	}
	return out
}

func actionOf(events []task.Event) (out string) {
	for _, e := range events {
		switch e := e.(type) {
		case task.ActionGenerated:
			out = e.Action
		case task.CorrectionIssued:
			out = e.RetryAction
		case task.TaskCompleted:
			out = "finish"
		case task.TaskFailed:
			out = "fail " + e.Code
		}
	}
	return out
}

func statusOf(events []task.Event) (out string) {
	for _, e := range events {
		if end, ok := e.(task.TurnEnded); ok {
			out = end.Status
		}
	}
	return out
}
