package task

import (
	"encoding/json"
	"time"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
)

// Command to a task.
type Command interface{ isTaskCommand() }

// Claim begins a turn. Page carries everything of PageObserved but the turn's
// number. OwnerDead says that the process holding an open claim is known to be
// gone.
type Claim struct {
	Page      PageObserved
	Now       time.Time
	OwnerDead bool
}

// RecordVerdict puts a judgement on record: on the newest action of a step that is
// not decided yet.
type RecordVerdict struct {
	Step         int
	Verdict      reasoning.Verdict
	Observations []string
}

// GenerateAction decides the next step. Generated carries everything of
// ActionGenerated but turn and step index.
type GenerateAction struct {
	Generated ActionGenerated
	Limits    Limits
}

// PredictOutcome puts on record what the pending action should bring about. An
// outcome that cannot be checked is none.
type PredictOutcome struct {
	Kind    page.ActionKind
	Outcome page.Outcome
	By      string
}

// BlockFinish refuses the agent's word that the task is done. Claim is what it
// said.
type BlockFinish struct{ Claim string }

// IssueCorrection retries the last step with another action, in the turn of the
// verdict that it failed. Skills are the ids of those shown to whoever chose it,
// ErrorType is how the last one failed.
type IssueCorrection struct {
	Correction  reasoning.Correction
	Skills      []string
	ErrorType   string
	RetryTarget Target
	MaySubmit   bool
	Before      page.Before
	Limits      Limits
}

// AskUser puts a question to the user. Judges: it asks whether an action worked.
type AskUser struct {
	Question string
	Missing  []string
	Judges   bool
}

// Complete ends the task with its goal reached, which the proof shows. It is refused
// without one, and while something that may submit is not decided.
type Complete struct {
	Message    string
	Confidence float64
	Proof      reasoning.Proof
}

// Fail ends the task without its goal reached.
type Fail struct{ Code, Message string }

// EndTurn closes the claimed turn with the answer as it will be sent.
type EndTurn struct {
	Status string
	Answer json.RawMessage
	// Secret and Text as in TurnEnded.
	Secret, Text string
}

// Interrupt marks a task that is not gone on with. With Before it is one nobody
// has asked for: no claim on it was good at that time or later. Without, it is
// any that has not ended, and a turn under way is given up.
type Interrupt struct {
	Why    string
	Before time.Time
}

func (Claim) isTaskCommand()           {}
func (RecordVerdict) isTaskCommand()   {}
func (GenerateAction) isTaskCommand()  {}
func (PredictOutcome) isTaskCommand()  {}
func (BlockFinish) isTaskCommand()     {}
func (IssueCorrection) isTaskCommand() {}
func (AskUser) isTaskCommand()         {}
func (Complete) isTaskCommand()        {}
func (Fail) isTaskCommand()            {}
func (EndTurn) isTaskCommand()         {}
func (Interrupt) isTaskCommand()       {}

// Decide makes events of a command. Errors are *domain.Error of kind Conflict
// (the task has ended, is claimed by another, or is at a limit).
func Decide(c Command, s State) ([]Event, error) {
	switch c := c.(type) {
	case Claim:
		return claim(c, s)
	case EndTurn:
		if !s.Turn.Open {
			return nil, nil
		}
		return []Event{TurnEnded{s.Turn.Number, c.Status, c.Answer, c.Secret, c.Text}}, nil
	case Interrupt:
		return interrupt(c, s), nil
	}
	if s.Ended() {
		return nil, EndedError(s)
	}
	events, err := decideInTurn(c, s)
	if len(events) > 0 && !s.Turn.Open {
		return nil, domain.Errorf(domain.Conflict, domain.CodeConflict, "no turn of this task is open")
	}
	return events, err
}

func decideInTurn(c Command, s State) ([]Event, error) {
	switch c := c.(type) {
	case RecordVerdict:
		return recordVerdict(c, s)
	case GenerateAction:
		return generateAction(c, s)
	case PredictOutcome:
		return predictOutcome(c, s)
	case BlockFinish:
		return []Event{FinishBlocked{s.Turn.Number, c.Claim}}, nil
	case IssueCorrection:
		return issueCorrection(c, s)
	case AskUser:
		if s.Question == c.Question {
			return nil, nil
		}
		return []Event{UserInputRequested{s.Turn.Number, c.Judges, c.Question, c.Missing}}, nil
	case Complete:
		return complete(c, s)
	case Fail:
		return visible(s, TaskFailed{s.Turn.Number, c.Code, c.Message}), nil
	}
	return nil, nil
}

func claim(c Claim, s State) ([]Event, error) {
	if s.Ended() {
		return nil, EndedError(s)
	}
	var events []Event
	if s.Turn.Open {
		if !c.OwnerDead && c.Now.Before(s.Turn.LeaseUntil) {
			return nil, BusyError()
		}
		events = append(events, TurnAbandoned{s.Turn.Number, abandonedWhy(c)})
	}
	observed := c.Page
	observed.Turn = s.Turn.Number + 1
	if s.Exists() { // who a task belongs to never changes
		observed.Tenant, observed.User, observed.Session = s.Tenant, s.User, s.Session
	}
	events = append(events, observed)
	if s.Status == Interrupted {
		events = append(events, TaskResumed{observed.Turn})
	}
	if s.saysSomethingNew(c.Page.Query) {
		events = append(events, UserInputProvided{observed.Turn, c.Page.Query, c.Page.Secrets})
	}
	return events, nil
}

func interrupt(c Interrupt, s State) []Event {
	atOnce := c.Before.IsZero()
	switch {
	case s.Status != Active || !atOnce && !s.Turn.LeaseUntil.Before(c.Before):
		return nil
	case s.Turn.Open && atOnce:
		return []Event{TurnAbandoned{s.Turn.Number, c.Why}, TaskInterrupted{c.Why}}
	case s.Turn.Open:
		return []Event{TurnAbandoned{s.Turn.Number, "nobody came back to it"}, TaskInterrupted{c.Why}}
	}
	return []Event{TaskInterrupted{c.Why}}
}

func abandonedWhy(c Claim) string {
	if c.OwnerDead {
		return "nobody works on it any more"
	}
	return "its lease is over"
}

// saysSomethingNew: a continuation may repeat the query or leave it out; only
// other words are a new message of the user.
func (s State) saysSomethingNew(query string) bool {
	if !s.Exists() || query == "" || query == s.Query {
		return false
	}
	return len(s.Replies) == 0 || s.Replies[len(s.Replies)-1] != query || s.Question != ""
}

func complete(c Complete, s State) ([]Event, error) {
	switch {
	case c.Proof.Quote == "":
		return nil, domain.Errorf(domain.Conflict, domain.CodeConflict, "nothing shows that the task is done")
	case s.Unsettled:
		return nil, UnsettledError()
	}
	confidence, _ := reasoning.Probability(c.Confidence)
	return visible(s, TaskCompleted{s.Turn.Number, confidence, c.Message, c.Proof}), nil
}

func recordVerdict(c RecordVerdict, s State) ([]Event, error) {
	if _, open := s.attemptOf(c.Step); !open {
		return nil, nil
	}
	v, _ := c.Verdict.Sanitised()
	return []Event{ActionVerified{
		Turn: s.Turn.Number, StepIndex: c.Step,
		Undecided: v.Undecided, Missing: v.Missing, Proof: v.Proof,
		Succeeded: v.ActionSucceeded, TaskCompleted: v.TaskCompleted, Confidence: v.Confidence, Degraded: v.Degraded,
		SubTaskCompleted: v.SubTaskCompleted, NextGoalMet: v.NextGoalMet,
		Tier: v.Tier, TokensSaved: v.TokensSaved, Rule: v.Rule, By: v.By,
		Reason: v.Reason, Observations: c.Observations,
	}}, nil
}

func generateAction(c GenerateAction, s State) ([]Event, error) {
	if _, _, pending := s.Pending(); pending {
		return nil, domain.Errorf(domain.Conflict, domain.CodeConflict, "the last action has no verdict yet")
	}
	if err := s.MayGoOn(c.Limits); err != nil {
		return nil, err
	}
	e := c.Generated
	if e.MaySubmit && s.Unsettled {
		return nil, UnsettledError()
	}
	if a, err := action.Parse(e.Action); err == nil { // nothing repeats what cannot be read
		if err := s.MayDo(a, e.Target, c.Limits); err != nil {
			return nil, err
		}
	}
	e.Turn, e.StepIndex = s.Turn.Number, len(s.Steps)
	e.Confidence, _ = reasoning.Probability(e.Confidence)
	return visible(s, e), nil
}

func predictOutcome(c PredictOutcome, s State) ([]Event, error) {
	step, _, pending := s.Pending()
	switch {
	case !c.Outcome.Checkable():
		return nil, nil
	case !pending:
		return nil, domain.Errorf(domain.Conflict, domain.CodeConflict, "there is no action to expect anything of")
	}
	return []Event{OutcomePredicted{s.Turn.Number, step.Index, c.Kind, c.By, c.Outcome}}, nil
}

// visible puts TaskStarted before the first event a reader should see.
func visible(s State, e Event) []Event {
	if s.Visible {
		return []Event{e}
	}
	return []Event{TaskStarted{s.Tenant, s.User, s.Session, s.URL, s.Query}, e}
}

func issueCorrection(c IssueCorrection, s State) ([]Event, error) {
	if err := s.MayCorrect(c.Limits); err != nil {
		return nil, err
	}
	_, _, pending := s.Pending()
	step, failed, found := s.ToCorrect()
	switch {
	case pending:
		return nil, domain.Errorf(domain.Conflict, domain.CodeConflict, "the last action has no verdict yet")
	case c.MaySubmit && s.Unsettled:
		return nil, UnsettledError()
	case !found:
		return nil, domain.Errorf(domain.Conflict, domain.CodeConflict, "there is no failed action to correct")
	}
	if err := s.MayDo(c.Correction.Action, c.RetryTarget, c.Limits); err != nil {
		return nil, err
	}
	return []Event{CorrectionIssued{
		Turn: s.Turn.Number, StepIndex: step.Index, Attempt: step.Corrections() + 1,
		Strategy: c.Correction.Strategy, Kind: c.Correction.Action.Name, By: c.Correction.By,
		Skills: c.Skills, ErrorType: c.ErrorType, Clears: c.Correction.Clears, MaySubmit: c.MaySubmit, Reason: c.Correction.Reason, Thought: c.Correction.Thought,
		FailedAction: failed.Action, FailedTarget: failed.Target,
		RetryAction: c.Correction.Action.String(), RetryTarget: c.RetryTarget, Before: c.Before,
	}}, nil
}

// UnsettledError refuses what may submit, and the end of the task, while nobody knows
// whether the last submission worked.
func UnsettledError() error {
	return domain.Errorf(domain.Conflict, domain.CodeSubmitUndecided, "it is not known yet whether what was sent before has worked")
}

// EndedError refuses further work on a task that is over.
func EndedError(s State) error {
	return domain.Errorf(domain.Conflict, domain.CodeTaskCompleted,
		"this task is %s; start a new one by leaving taskId out", s.Status).At("taskId")
}

// retryBusyAfter is a guess at how long a turn takes that another is running.
const retryBusyAfter = time.Second

// BusyError refuses a request while another turn of the task runs.
func BusyError() error {
	err := domain.Errorf(domain.Conflict, domain.CodeConflict, "another request of this task is being worked on; try again")
	err.RetryAfter = retryBusyAfter
	return err
}
