package history

import (
	"time"

	"github.com/stepledger/stepledger/domain/plan"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/task"
)

// Turn is one request of the client and all that came of it, up to the next request:
// what happens to a task between two requests belongs to the earlier one.
type Turn struct {
	Turn int `json:"turn"`
	// FromRevision and ToRevision are its first and last event.
	FromRevision int64      `json:"fromRevision"`
	ToRevision   int64      `json:"toRevision"`
	Request      string     `json:"requestId"`
	BeganAt      time.Time  `json:"beganAt"`
	EndedAt      *time.Time `json:"endedAt,omitempty"`
	// Status is that of the answer, or open, or abandoned.
	Status string `json:"status"`
	// Before is the page the turn's action was decided on, After that of the next turn,
	// which shows what the action did. After is nil on the last turn.
	Before Snapshot  `json:"before"`
	After  *Snapshot `json:"after,omitempty"`
	// Knowledge is what the turn was shown of what documents say, nil for nothing.
	Knowledge *Knowledge      `json:"knowledge,omitempty"`
	Verdicts  []GivenVerdict  `json:"verdicts"`
	Actions   []DecidedAction `json:"actions"`
	Question  string          `json:"question,omitempty"`
	Reply     string          `json:"reply,omitempty"`
	// Plan and Parts are as they stood at the end of the turn.
	Plan  []StandingStep `json:"plan,omitempty"`
	Parts []StandingPart `json:"parts,omitempty"`
	// Holds say who paused the task, took it over or handed it back, from this turn on
	// until the next.
	Holds []Hold `json:"holds,omitempty"`
	// Ended is how the task ended in this turn, nil if it did not.
	Ended  *Ending     `json:"ended,omitempty"`
	Calls  []ModelCall `json:"calls"`
	Totals CallTotals  `json:"totals"`
	Events []Event     `json:"events"`
}

// Snapshot is a page as a client sent it. Page and Screenshot refer to the content
// store; Page is "" if the client sent the hash of a page nobody knew.
type Snapshot struct {
	Turn        int    `json:"turn"`
	Page        string `json:"page,omitempty"`
	Screenshot  string `json:"screenshot,omitempty"`
	URL         string `json:"url"`
	Title       string `json:"title,omitempty"`
	DOMMode     string `json:"domMode"`
	DOMHash     string `json:"domHash"`
	MeaningHash string `json:"meaningHash"`
	Elements    int    `json:"elements"`
}

// Knowledge is what a turn was shown of what documents say of a site. Revision is that of
// the event that says so, which is an earlier turn's where nothing has changed since.
type Knowledge struct {
	Revision int64 `json:"revision"`
	// Known: the organisation knows anything about the site. Failed: nobody could be asked.
	Known  bool `json:"known"`
	Failed bool `json:"failed,omitempty"`
	// Value is what was missing in the middle of the task, "" if nothing was.
	Value     string               `json:"value,omitempty"`
	Citations []reasoning.Citation `json:"citations" nullable:"false"`
	// Pieces refers to their texts in the content store.
	Pieces string `json:"pieces,omitempty"`
}

// GivenVerdict is a verdict with who gave it: Rule and Tier for the rules, By for a
// model. Of is the action it judges.
type GivenVerdict struct {
	Revision      int64             `json:"revision"`
	StepIndex     int               `json:"stepIndex"`
	Of            *DecidedIn        `json:"of,omitempty"`
	Outcome       reasoning.Outcome `json:"outcome"`
	TaskCompleted bool              `json:"taskCompleted"`
	Confidence    float64           `json:"confidence"`
	Tier          int               `json:"tier"`
	Rule          string            `json:"rule,omitempty"`
	Veto          string            `json:"veto,omitempty"`
	By            string            `json:"by"`
	Missing       reasoning.Missing `json:"missing,omitempty"`
	Reason        string            `json:"reason"`
	Proof         reasoning.Proof   `json:"proof,omitzero"`
	Observations  []string          `json:"observations"`
}

// DecidedIn says where an action was decided.
type DecidedIn struct {
	Turn     int    `json:"turn"`
	Revision int64  `json:"revision"`
	Action   string `json:"action"`
}

// DecidedAction is the action of a step, or a correction if it has a strategy.
type DecidedAction struct {
	Revision   int64    `json:"revision"`
	StepIndex  int      `json:"stepIndex"`
	Kind       string   `json:"kind"`
	Action     string   `json:"action"`
	Chain      []string `json:"chain,omitempty"`
	TargetID   string   `json:"target,omitempty"`
	TargetRole string   `json:"targetRole,omitempty"`
	TargetName string   `json:"targetName,omitempty"`
	By         string   `json:"by"`
	Confidence float64  `json:"confidence,omitempty"`
	Thought    string   `json:"thought,omitempty"`
	Expected   string   `json:"expected,omitempty"`
	Note       string   `json:"note,omitempty"`
	PlanStep   int      `json:"planStep,omitempty"`
	Skills     []string `json:"skills"`
	// Documents are the pieces of documents that whoever decided was shown.
	Documents []reasoning.Citation `json:"documents,omitempty" nullable:"false"`
	Strategy  reasoning.Strategy   `json:"strategy,omitempty"`
	Reason    string               `json:"reason,omitempty"`
	Failed    string               `json:"failedAction,omitempty"`
}

// StandingStep is a step of a plan as it stood.
type StandingStep struct {
	Description string      `json:"description"`
	Tool        plan.Tool   `json:"toolType"`
	Status      plan.Status `json:"status"`
	// Contingency names the contingency the step came from.
	Contingency string `json:"contingency,omitempty"`
}

// StandingPart is a part of a large task as it stood.
type StandingPart struct {
	Goal    string      `json:"goal"`
	Status  plan.Status `json:"status"`
	Current bool        `json:"current,omitempty"`
}

// Ending is the end or interruption of a task.
type Ending struct {
	Revision int64       `json:"revision"`
	Status   task.Status `json:"status"`
	Code     string      `json:"code,omitempty"`
	Message  string      `json:"message,omitempty"`
}

// Hold is a pause of the task or its end. Kind is pause, takeover or handed_back, By the
// id of a user.
type Hold struct {
	Revision int64     `json:"revision"`
	Kind     string    `json:"kind" enum:"pause,takeover,handed_back"`
	By       string    `json:"by"`
	At       time.Time `json:"at"`
	Note     string    `json:"note,omitempty"`
}

// HandedBack is the kind of the end of a pause.
const HandedBack = "handed_back"

// Statuses of a turn that has no answer.
const (
	TurnOpen      = "open"
	TurnAbandoned = "abandoned"
)

// timeline folds the events of a task into turns, one at a time: Timeline for all of
// them, turnsOf for a few.
type timeline struct {
	state task.State
	// decided is the newest action of each step.
	decided map[int]DecidedIn
	known   *Knowledge
	turn    *Turn
	done    func(Turn)
}

// Timeline returns the turns of a task, from its events without secrets.
func Timeline(events []Event) []Turn {
	var turns []Turn
	t := newTimeline(func(turn Turn) { turns = append(turns, turn) })
	for _, e := range events {
		t.add(e)
	}
	t.end(nil)
	return turns
}

func newTimeline(done func(Turn)) *timeline {
	return &timeline{state: task.Initial(), decided: map[int]DecidedIn{}, done: done}
}

func (t *timeline) add(e Event) {
	if seen, ok := e.Data.(task.PageObserved); ok {
		now := snapshot(seen)
		t.end(&now)
		t.turn = &Turn{
			Turn: seen.Turn, FromRevision: e.Revision, Request: requestOf(seen), BeganAt: e.RecordedAt, Status: TurnOpen, Before: now,
			Verdicts: []GivenVerdict{}, Actions: []DecidedAction{}, Calls: []ModelCall{}, Events: []Event{},
		}
	}
	t.state = task.Evolve(t.state, e.Data)
	if k, ok := e.Data.(task.KnowledgeFound); ok {
		t.known = &Knowledge{e.Revision, k.Known, k.Failed, k.Value, append([]reasoning.Citation{}, k.Citations...), k.Pieces}
	}
	if t.turn == nil {
		return // the beginning of the stream is not kept any more
	}
	e.Turn = t.turn.Turn
	t.turn.Events = append(t.turn.Events, e)
	t.turn.ToRevision = e.Revision
	t.note(e)
}

// end ends the turn under way, when the next one begins on a page or there is none.
func (t *timeline) end(next *Snapshot) {
	if t.turn == nil {
		return
	}
	if t.turn.Before.Page != "" { // without a page there is no site
		t.turn.Knowledge = t.known
	}
	t.turn.After, t.turn.Plan, t.turn.Parts = next, standingPlan(t.state.Plan), standingParts(t.state.Parts)
	t.done(*t.turn)
	t.turn = nil
}

func (t *timeline) note(e Event) {
	switch d := e.Data.(type) {
	case task.TurnEnded:
		at := e.RecordedAt
		t.turn.Status, t.turn.EndedAt = d.Status, &at
	case task.TurnAbandoned:
		t.turn.Status = TurnAbandoned
	case task.UserInputRequested:
		t.turn.Question = d.Question
	case task.UserInputProvided:
		if t.turn.Reply != "" { // a note and what the client said
			d.Text = t.turn.Reply + "\n" + d.Text
		}
		t.turn.Reply = d.Text
	case task.TaskPaused:
		t.turn.Holds = append(t.turn.Holds, Hold{e.Revision, string(d.Kind), d.By, e.RecordedAt, d.Note})
	case task.TaskHandedBack:
		t.turn.Holds = append(t.turn.Holds, Hold{e.Revision, HandedBack, d.By, e.RecordedAt, d.Note})
	case task.ActionVerified:
		t.turn.Verdicts = append(t.turn.Verdicts, t.verdict(e.Revision, d))
	case task.ActionGenerated:
		a := generated(e.Revision, d)
		if readsDocuments(d.By) {
			a.Documents = t.state.Knowledge.Citations
		}
		t.decide(a)
	case task.CorrectionIssued:
		t.decide(corrected(e.Revision, d))
	case task.TaskCompleted:
		t.turn.Ended = &Ending{e.Revision, task.Completed, "", d.Message}
	case task.TaskFailed:
		t.turn.Ended = &Ending{e.Revision, task.Failed, d.Code, d.Message}
	case task.TaskInterrupted:
		t.turn.Ended = &Ending{e.Revision, task.Interrupted, "", d.Why}
	}
}

// readsDocuments reports whether whoever decided is one that reads: a model.
func readsDocuments(by string) bool {
	return by != "" && by != reasoning.ByRules && by != reasoning.ByDefault && by != reasoning.ByUserWord
}

func (t *timeline) decide(a DecidedAction) {
	t.decided[a.StepIndex] = DecidedIn{t.turn.Turn, a.Revision, a.Action}
	t.turn.Actions = append(t.turn.Actions, a)
}

func (t *timeline) verdict(revision int64, d task.ActionVerified) GivenVerdict {
	v := GivenVerdict{
		Revision: revision, StepIndex: d.StepIndex, Outcome: d.Outcome(), TaskCompleted: d.TaskCompleted, Confidence: d.Confidence,
		Tier: d.Tier, Rule: d.Rule, Veto: d.Veto, By: d.By, Missing: d.Missing, Reason: d.Reason, Proof: d.Proof,
		Observations: append([]string{}, d.Observations...),
	}
	if of, ok := t.decided[d.StepIndex]; ok {
		v.Of = &of
	}
	return v
}

func generated(revision int64, d task.ActionGenerated) DecidedAction {
	a := DecidedAction{
		Revision: revision, StepIndex: d.StepIndex, Kind: string(d.Kind), Action: d.Action,
		TargetID: d.Target.ID, TargetRole: d.Target.Role, TargetName: d.Target.Name, By: d.By, Confidence: d.Confidence,
		Thought: d.Thought, Expected: d.Expected, Note: d.Note, PlanStep: d.PlanStep, Skills: append([]string{}, d.Skills...),
	}
	for _, item := range d.Chain {
		a.Chain = append(a.Chain, item.Action)
	}
	return a
}

func corrected(revision int64, d task.CorrectionIssued) DecidedAction {
	return DecidedAction{
		Revision: revision, StepIndex: d.StepIndex, Kind: string(d.Kind), Action: d.RetryAction,
		TargetID: d.RetryTarget.ID, TargetRole: d.RetryTarget.Role, TargetName: d.RetryTarget.Name, By: d.By,
		Thought: d.Thought, Note: d.Note, Skills: append([]string{}, d.Skills...),
		Strategy: d.Strategy, Reason: d.Reason, Failed: d.FailedAction,
	}
}

func standingPlan(p *plan.Plan) (steps []StandingStep) {
	if p == nil {
		return nil
	}
	for _, s := range p.Steps {
		steps = append(steps, StandingStep{s.Description, s.Tool, s.Status, s.Contingency})
	}
	return steps
}

func standingParts(h *plan.Hierarchy) (parts []StandingPart) {
	if h == nil {
		return nil
	}
	for i, p := range h.SubTasks {
		parts = append(parts, StandingPart{p.Goal, p.Status, i == h.Current})
	}
	return parts
}

func snapshot(d task.PageObserved) Snapshot {
	return Snapshot{
		Turn: d.Turn, Page: d.Page, Screenshot: d.Screenshot, URL: d.URL, Title: d.Title,
		DOMMode: d.DOMMode, DOMHash: d.DOMHash, MeaningHash: d.MeaningHash, Elements: d.ElementCount,
	}
}

// requestOf is the id of the request that began a turn, as the metadata of the events
// it caused has it.
func requestOf(d task.PageObserved) string {
	if d.Request.Key != "" {
		return d.Request.Key
	}
	return d.Request.Body
}
