package task

import (
	"encoding/json"
	"time"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
)

// Command is a command to a task.
type Command interface{ isTaskCommand() }

// Claim begins a turn. Page is the event to append without its turn number. OwnerDead
// reports that the process holding an open claim is gone.
type Claim struct {
	Page      PageObserved
	Now       time.Time
	OwnerDead bool
}

// RecordVerdict records a verdict on the newest attempt of a step.
type RecordVerdict struct {
	Step         int
	Verdict      reasoning.Verdict
	Observations []string
}

// GenerateAction decides the next step. Generated is the event to append without turn
// and step index.
type GenerateAction struct {
	Generated ActionGenerated
	Limits    Limits
}

// PredictOutcome records the expected outcome of the pending action. It does nothing
// if the outcome cannot be checked.
type PredictOutcome struct {
	Kind    page.ActionKind
	Outcome page.Outcome
	By      string
}

// BlockFinish refuses a finish that is not proved. Claim is the agent's message.
type BlockFinish struct{ Message string }

// AdoptPlan gives the task a plan. Made is the event to append without its turn.
type AdoptPlan struct{ Made PlanMade }

// CheckPlan records what a checkpoint made of a plan. Checked is the event to append
// without its turn.
type CheckPlan struct{ Checked PlanChecked }

// Criticise records an objection to an action, which is then not sent. Criticised is
// the event to append without its turn.
type Criticise struct{ Criticised ActionCriticised }

// IssueCorrection retries the failed step with another action, in the turn of the
// failed verdict. Skills are those shown to whoever chose the action, ErrorType is how
// the last one failed.
type IssueCorrection struct {
	Correction  reasoning.Correction
	Skills      []reasoning.Skill
	ErrorType   string
	RetryTarget Target
	MaySubmit   bool
	Before      page.Before
	LookedUp    []string
	Limits      Limits
}

// AskUser asks the user. Judges: the question is whether an action worked.
type AskUser struct {
	Question string
	Missing  []string
	Judges   bool
	Note     string
}

// Complete ends the task as completed. It is refused without a proof and while a
// submission is undecided.
type Complete struct {
	Message    string
	Confidence float64
	Proof      reasoning.Proof
}

// Fail ends the task as failed.
type Fail struct{ Code, Message string }

// EndTurn closes the claimed turn with its answer.
type EndTurn struct {
	Status string
	Tokens int64
	Answer json.RawMessage
	// Secret and Text as in TurnEnded.
	Secret, Text string
}

// Interrupt interrupts a task. With Before set it does so only if the last claim's
// lease ended before that time. Without, it interrupts any active task and abandons a
// running turn.
type Interrupt struct {
	Why    string
	Before time.Time
}

func (Claim) isTaskCommand()           {}
func (RecordVerdict) isTaskCommand()   {}
func (GenerateAction) isTaskCommand()  {}
func (PredictOutcome) isTaskCommand()  {}
func (BlockFinish) isTaskCommand()     {}
func (AdoptPlan) isTaskCommand()       {}
func (CheckPlan) isTaskCommand()       {}
func (Criticise) isTaskCommand()       {}
func (IssueCorrection) isTaskCommand() {}
func (AskUser) isTaskCommand()         {}
func (Complete) isTaskCommand()        {}
func (Fail) isTaskCommand()            {}
func (EndTurn) isTaskCommand()         {}
func (Interrupt) isTaskCommand()       {}

// Decide returns the events of a command. It returns a *domain.Error of kind Conflict
// if the task has ended, is claimed by another request, is paused or is at a limit.
func Decide(c Command, s State) ([]Event, error) {
	switch c := c.(type) {
	case Erase:
		return erase(c, s)
	case Claim:
		return claim(c, s)
	case EndTurn:
		if !s.Turn.Open {
			return nil, nil
		}
		return []Event{TurnEnded{s.Turn.Number, c.Status, c.Tokens, c.Answer, c.Secret, c.Text}}, nil
	case Interrupt:
		return interrupt(c, s), nil
	case PauseTask:
		return pauseTask(c, s)
	case HandBack:
		return handBack(c, s)
	case Stop:
		return stop(c, s)
	case Cancel:
		return cancel(c, s)
	case Resume:
		return resume(c, s)
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
	case StopChain:
		return stopChain(c, s)
	case BlockFinish:
		return []Event{FinishBlocked{s.Turn.Number, c.Message}}, nil
	case AdoptPlan:
		return adoptPlan(c, s), nil
	case CheckPlan:
		c.Checked.Turn = s.Turn.Number
		return []Event{c.Checked}, nil
	case CompletePart:
		return endPart(s, func(i int) Event { return SubTaskCompleted{s.Turn.Number, i, c.Outputs} }), nil
	case FailPart:
		return endPart(s, func(i int) Event { return SubTaskFailed{s.Turn.Number, i, c.Why} }), nil
	case CheckOutput:
		return checkOutput(c, s), nil
	case CheckSynthesis:
		c.Checked.Turn = s.Turn.Number
		return []Event{c.Checked}, nil
	case AnalyzeContext:
		c.Analyzed.Turn = s.Turn.Number
		return []Event{c.Analyzed}, nil
	case SearchTheWeb:
		c.Searched.Turn = s.Turn.Number
		return []Event{c.Searched}, nil
	case CheckInformation:
		c.Checked.Turn = s.Turn.Number
		return []Event{c.Checked}, nil
	case FindKnowledge:
		return findKnowledge(c, s), nil
	case Criticise:
		c.Criticised.Turn = s.Turn.Number
		return []Event{c.Criticised}, nil
	case IssueCorrection:
		return issueCorrection(c, s)
	case AskUser:
		if s.Question == c.Question {
			return nil, nil
		}
		return []Event{UserInputRequested{s.Turn.Number, c.Judges, c.Question, c.Missing, c.Note}}, nil
	case Complete:
		return complete(c, s)
	case Fail:
		return withTaskStarted(s, TaskFailed{s.Turn.Number, c.Code, c.Message}), nil
	}
	return nil, nil
}

func claim(c Claim, s State) ([]Event, error) {
	if s.Ended() {
		return nil, EndedError(s)
	}
	if s.StoppedAtWork(c.Page.Request) {
		return nil, StoppedError()
	}
	var events []Event
	if s.Turn.Open {
		if !c.OwnerDead && c.Now.Before(s.Turn.LeaseUntil) {
			return nil, BusyError()
		}
		events = append(events, TurnAbandoned{s.Turn.Number, abandonedWhy(c)})
	}
	if s.Pause != nil {
		return nil, PausedError(s)
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
	for _, n := range s.Notes {
		events = append(events, UserInputProvided{observed.Turn, true, n.Text, n.Secrets})
		s.Question = "" // the note answers it
	}
	if s.isNewMessage(c.Page.Query) {
		events = append(events, UserInputProvided{observed.Turn, false, c.Page.Query, c.Page.Secrets})
	}
	return events, nil
}

func interrupt(c Interrupt, s State) []Event {
	atOnce := c.Before.IsZero()
	switch {
	case s.Erased || s.Status != Active || !atOnce && !s.Turn.LeaseUntil.Before(c.Before):
		return nil
	case s.Pause != nil && !atOnce: // somebody holds it, so nobody else could continue it
		return nil
	case s.Turn.Open && atOnce:
		return []Event{TurnAbandoned{s.Turn.Number, c.Why}, TaskInterrupted{Why: c.Why}}
	case s.Turn.Open:
		return []Event{TurnAbandoned{s.Turn.Number, "nobody continued it"}, TaskInterrupted{Why: c.Why}}
	}
	return []Event{TaskInterrupted{Why: c.Why}}
}

func abandonedWhy(c Claim) string {
	if c.OwnerDead {
		return "its process is gone"
	}
	return "its lease has expired"
}

// isNewMessage reports whether a query is a new message of the user. A continuation
// may repeat the first query or leave it out.
func (s State) isNewMessage(query string) bool {
	if !s.Exists() || query == "" || query == s.Query {
		return false
	}
	return s.Said != query || s.Question != ""
}

func complete(c Complete, s State) ([]Event, error) {
	switch {
	case c.Proof.Quote == "":
		return nil, domain.Errorf(domain.Conflict, domain.CodeConflict, "nothing shows that the task is done")
	case s.SubmitUndecided:
		return nil, UndecidedSubmitError()
	}
	confidence, _ := reasoning.Probability(c.Confidence)
	return withTaskStarted(s, TaskCompleted{s.Turn.Number, confidence, c.Message, c.Proof}), nil
}

func recordVerdict(c RecordVerdict, s State) ([]Event, error) {
	a, open := s.undecidedAttempt(c.Step)
	if !open {
		return nil, nil
	}
	v, _ := s.WithoutBlame(a, c.Verdict).Sanitised()
	return []Event{ActionVerified{
		Turn: s.Turn.Number, StepIndex: c.Step,
		Undecided: v.Undecided, Missing: v.Missing, Proof: v.Proof,
		Succeeded: v.ActionSucceeded, TaskCompleted: v.TaskCompleted, Confidence: v.Confidence, Degraded: v.Degraded,
		SubTaskCompleted: v.SubTaskCompleted, NextGoalMet: v.NextGoalMet,
		Tier: v.Tier, TokensSaved: v.TokensSaved, Rule: v.Rule, Veto: v.Veto, By: v.By,
		Reason: v.Reason, Observations: c.Observations, Items: v.Items,
	}}, nil
}

func generateAction(c GenerateAction, s State) ([]Event, error) {
	if _, _, pending := s.Pending(); pending {
		return nil, domain.Errorf(domain.Conflict, domain.CodeConflict, "it is not decided yet whether the last action worked")
	}
	if err := s.MayGoOn(c.Limits); err != nil {
		return nil, err
	}
	e := c.Generated
	if err := e.checkChain(); err != nil {
		return nil, err
	}
	if e.MaySubmit && s.SubmitUndecided {
		return nil, UndecidedSubmitError()
	}
	if a, err := action.Parse(e.Action); err == nil { // nothing repeats what cannot be read
		if err := s.mayDo(actionIDOf(a, e.Target).withChain(e.Chain), c.Limits); err != nil {
			return nil, err
		}
	}
	e.Turn, e.StepIndex = s.Turn.Number, len(s.Steps)
	e.Confidence, _ = reasoning.Probability(e.Confidence)
	return withTaskStarted(s, e), nil
}

func predictOutcome(c PredictOutcome, s State) ([]Event, error) {
	step, _, pending := s.Pending()
	switch {
	case !c.Outcome.Checkable():
		return nil, nil
	case !pending:
		return nil, domain.Errorf(domain.Conflict, domain.CodeConflict, "there is no pending action")
	}
	return []Event{OutcomePredicted{s.Turn.Number, step.Index, c.Kind, c.By, c.Outcome}}, nil
}

// withTaskStarted puts TaskStarted before the first event that readers should see.
func withTaskStarted(s State, e Event) []Event {
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
		return nil, domain.Errorf(domain.Conflict, domain.CodeConflict, "it is not decided yet whether the last action worked")
	case c.MaySubmit && s.SubmitUndecided:
		return nil, UndecidedSubmitError()
	case !found:
		return nil, domain.Errorf(domain.Conflict, domain.CodeConflict, "there is no failed action to correct")
	}
	if err := s.MayDo(c.Correction.Action, c.RetryTarget, c.Limits); err != nil {
		return nil, err
	}
	failedAction, failedOn := failed.Culprit()
	return []Event{CorrectionIssued{
		Turn: s.Turn.Number, StepIndex: step.Index, Attempt: step.Corrections() + 1,
		Strategy: c.Correction.Strategy, Kind: c.Correction.Action.Name, By: c.Correction.By,
		Skills: reasoning.IDs(c.Skills), Shown: c.Skills, ErrorType: c.ErrorType, Clears: c.Correction.Clears, MaySubmit: c.MaySubmit, Reason: c.Correction.Reason, Thought: c.Correction.Thought,
		FailedAction: failedAction, FailedTarget: failedOn,
		RetryAction: c.Correction.Action.String(), RetryTarget: c.RetryTarget, Before: c.Before,
		Note: c.Correction.Note, LookedUp: c.LookedUp, For: c.Correction.For,
	}}, nil
}

// UndecidedSubmitError refuses a submission, or the end of the task, while the last
// submission is undecided.
func UndecidedSubmitError() error {
	return domain.Errorf(domain.Conflict, domain.CodeSubmitUndecided, "it is not known yet whether the last submission worked")
}

// EndedError refuses work on a task that has ended.
func EndedError(s State) error {
	if s.Erased {
		return ErasedError()
	}
	return domain.Errorf(domain.Conflict, domain.CodeTaskCompleted,
		"this task is %s; start a new one by leaving taskId out", s.Status).At("taskId")
}

// retryBusyAfter is a guess at the duration of a turn.
const retryBusyAfter = time.Second

// BusyError refuses a request while another turn of the task runs.
func BusyError() error {
	err := domain.Errorf(domain.Conflict, domain.CodeConflict, "another request of this task is being worked on; try again")
	err.RetryAfter = retryBusyAfter
	return err
}
