package task

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/plan"
	"github.com/stepledger/stepledger/domain/reasoning"
)

// Status is the status of a task.
type Status string

// The statuses. A task is new until its first event, and active from then on.
const (
	New         Status = "new"
	Active      Status = "active"
	Completed   Status = "completed"
	Failed      Status = "failed"
	Interrupted Status = "interrupted"
)

// State is what is remembered of a task. States are never changed in place: Evolve
// copies what it alters, so several readers may keep and fold on from the same state.
type State struct {
	Status  Status `json:"status"`
	Tenant  string `json:"tenant"`
	User    string `json:"user"`
	Session string `json:"session"`
	// Query and URL are those of the first request.
	Query string `json:"query"`
	URL   string `json:"url"`
	// Visible reports that TaskStarted has happened.
	Visible bool `json:"visible"`

	Turn     Turn              `json:"turn"`
	Observed Observed          `json:"observed"`
	Answered map[string]Stored `json:"-"` // by idempotency key
	Last     Stored            `json:"-"` // of the last turn, whoever asked

	// Secrets are the secret values known so far; they are removed from stored texts.
	// SecretFields are the keys of fields that were secret once; they stay so.
	Secrets      []string `json:"-"`
	SecretFields []string `json:"-"`

	// Question is the question the user has not answered yet. Judging: it asks
	// whether the action under judgement worked. RepliedNow: the user has answered
	// that question in this turn.
	Question   string `json:"question,omitempty"`
	Judging    bool   `json:"judging,omitempty"`
	RepliedNow bool   `json:"-"`
	// Waiting counts the turns in a row that ended with a question.
	Waiting int `json:"waiting,omitempty"`
	// Replies are the user's messages after the first query, in order. Said is the
	// newest that the client sent, which it may repeat with every request.
	Replies []string `json:"replies,omitempty"`
	Said    string   `json:"-"`
	// Note is what the newest decision wrote down for the next one.
	Note string `json:"note,omitempty"`
	// Timezone is the user's, "" if the client never said.
	Timezone string `json:"-"`

	Steps []Step `json:"steps"`
	// ConsecutiveFailures counts the failures since the last success,
	// ConsecutiveSuccesses the successes since the last failure.
	ConsecutiveFailures  int `json:"consecutiveFailures"`
	ConsecutiveSuccesses int `json:"consecutiveSuccesses"`
	// Idle counts successes in a row that found nothing new. AttemptsBeforeReply
	// counts the attempts before the user's last message; circles are looked for
	// after them.
	Idle                int `json:"idle,omitempty"`
	AttemptsBeforeReply int `json:"heard,omitempty"`
	// FinishNeedsProof: recent actions failed, so a finish has to be confirmed first.
	FinishNeedsProof bool `json:"doubtful,omitempty"`
	// SubmitUndecided: something may have been submitted, and it is not known whether
	// it worked. Nothing else may be submitted until that is decided.
	SubmitUndecided bool `json:"unsettled,omitempty"`

	// Plan is how the task is gone about, nil if there is no plan.
	Plan *plan.Plan `json:"plan,omitempty"`
	// Parts are those of a task that is done in parts; the plan is for the current one.
	// PartFrom is the index of its first step, OutputRetries how often its output was
	// sent back.
	Parts         *plan.Hierarchy `json:"parts,omitempty"`
	PartFrom      int             `json:"partFrom,omitempty"`
	OutputRetries int             `json:"outputRetries,omitempty"`
	// Searches are the newest searches of the web and what they found.
	Searches []reasoning.WebSearch `json:"searches,omitempty"`
	// Knowledge is what the task was last shown of what is known about its site.
	Knowledge Knowledge `json:"knowledge,omitzero"`
	// Tokens are those all turns have used.
	Tokens int64 `json:"tokens,omitempty"`

	// StoppedBy is the user who interrupted the task, "" if it is not interrupted or nobody
	// continued it.
	StoppedBy string `json:"stoppedBy,omitempty"`

	// Pause is who holds the task, nil while nobody does.
	Pause *Pause `json:"paused,omitempty"`
	// TakenOverIn is the newest turn at the time of the last takeover: of what was
	// decided in it or before, the page may show what a person did since.
	TakenOverIn int `json:"takenOverIn,omitempty"`
	// Notes are those of hand-backs that no turn has been told yet.
	Notes []Note `json:"notes,omitempty"`

	Code    string `json:"code,omitempty"`
	Message string `json:"message,omitempty"`

	// Erased: the task's personal text is gone. Nothing is remembered of such a task but
	// whose it was, how it ended and how many turns it had.
	Erased bool `json:"erased,omitempty"`
}

// Turn is the newest claim on the task.
type Turn struct {
	Number     int       `json:"number"`
	Open       bool      `json:"open"`
	Request    Request   `json:"request"`
	Instance   string    `json:"instance"`
	LeaseUntil time.Time `json:"leaseUntil"`
}

// Observed is the page of the newest turn.
type Observed struct {
	Page        string `json:"page"`
	URL         string `json:"url"`
	Title       string `json:"title,omitempty"`
	DOMMode     string `json:"domMode"`
	DOMHash     string `json:"domHash"`
	MeaningHash string `json:"meaningHash"`
	WordsHash   string `json:"wordsHash,omitempty"`
	// Screenshot is the newest one; a client does not repeat an unchanged one.
	Screenshot string `json:"screenshot,omitempty"`
	// Alerts and Witness are what the page and the client reported in that turn.
	Alerts  []page.Alert `json:"-"`
	Witness page.Witness `json:"-"`
}

// Stored is a turn's answer as it was sent.
type Stored struct {
	Body   string // hash of the request it answered
	Turn   int
	Status string
	Answer json.RawMessage
	// Secret, or Text, is the action's text for the executing client only.
	Secret, Text string
}

// Step is one generated action, its corrections, and their verdicts.
type Step struct {
	Index    int       `json:"index"`
	Attempts []Attempt `json:"attempts"`
}

// Initial returns a task before its first event.
func Initial() State { return State{Status: New} }

// Exists reports whether the task has any event.
func (s State) Exists() bool { return s.Status != New }

// Ended reports whether the task is completed, failed or erased: nothing more can happen
// to it.
func (s State) Ended() bool { return s.Status == Completed || s.Status == Failed || s.Erased }

// Evolve folds an event into a state. It accepts every event in every state.
func Evolve(s State, e Event) State {
	if s.Status == New {
		s.Status = Active
	}
	switch e := e.(type) {
	case PageObserved:
		return observed(s, e)
	case TurnEnded:
		return ended(s, e)
	case TurnAbandoned:
		s.Turn.Open = false
	case TaskStarted:
		s.Visible = true
	case UserInputRequested:
		s.Question, s.Judging = e.Question, e.Judges
		s.Note = cmp.Or(e.Note, s.Note)
	case UserInputProvided:
		return replied(s, e)
	case ActionGenerated:
		s = s.supersede(e.Kind, e.MaySubmit).atPlanStep(e.PlanStep)
		s.Note = cmp.Or(e.Note, s.Note)
		s.Steps = append(slices.Clip(s.Steps), Step{Index: e.StepIndex, Attempts: []Attempt{s.generated(e)}})
	case OutcomePredicted:
		return predicted(s, e)
	case PlanMade:
		s.Plan = &e.Plan
		if len(e.SubTasks) > 0 {
			s = s.withParts(e.SubTasks)
		}
	case SubTaskCompleted:
		return s.leavePart(func(h plan.Hierarchy) plan.Hierarchy { return h.Completed(e.Outputs) })
	case SubTaskFailed:
		return s.leavePart(func(h plan.Hierarchy) plan.Hierarchy { return h.Failed(e.Why) })
	case SubTaskOutputChecked:
		if e.Verdict == plan.Retry {
			s.OutputRetries = e.Attempt
		}
	case WebSearched:
		return searched(s, e)
	case KnowledgeFound:
		s.Knowledge = Knowledge{e.Known, e.Failed, e.Citations, e.Pieces}
	case ChainPartiallyFailed:
		return chainStopped(s, e)
	case CorrectionIssued:
		return corrected(s, e)
	case ActionVerified:
		return verified(s, e)
	case TaskCompleted:
		s.Status, s.Message, s.Pause = Completed, e.Message, nil
	case TaskFailed:
		s.Status, s.Code, s.Message, s.Pause = Failed, e.Code, e.Message, nil
	case TaskInterrupted:
		s.Status, s.Turn.Open, s.StoppedBy = Interrupted, false, e.By
	case TaskResumed:
		s.Status, s.StoppedBy = Active, ""
	case TaskPaused:
		return paused(s, e)
	case TaskHandedBack:
		return handedBack(s, e)
	case TaskErased:
		return erased(s)
	}
	return s
}

func replied(s State, e UserInputProvided) State {
	s.Question, s.FinishNeedsProof = "", false // the user has seen how things stand
	// A turn may be told a note and a message: the first answers the question.
	s.RepliedNow, s.Judging = s.RepliedNow || s.Judging, false
	s.Idle, s.AttemptsBeforeReply = 0, s.countAttempts()
	s.Replies = append(slices.Clip(s.Replies), e.Text)
	if !e.HandedBack {
		s.Said = e.Text
	} else if len(s.Notes) > 0 {
		s.Notes = s.Notes[1:]
	}
	return s
}

// atPlanStep moves the plan to the step an action was said to belong to, from 1.
func (s State) atPlanStep(n int) State {
	if s.Plan != nil && n > 0 {
		p := s.Plan.At(n - 1)
		s.Plan = &p
	}
	return s
}

func observed(s State, e PageObserved) State {
	s.Timezone = cmp.Or(e.Timezone, s.Timezone)
	if s.Turn.Number == 0 {
		s.Tenant, s.User, s.Session = e.Tenant, e.User, e.Session
		s.Query, s.URL = e.Query, e.URL
	}
	if s.Turn.Number > s.Last.Turn && e.Request != s.Turn.Request {
		s = s.withReport(s.Turn.Number) // that turn was abandoned, and what it was told is not told again
	}
	s.Turn = Turn{e.Turn, true, e.Request, e.Instance, e.LeaseUntil}
	shot := cmp.Or(e.Screenshot, s.Observed.Screenshot)
	s = s.withSecrets(e.Secrets)
	s.SecretFields = append(slices.Clip(s.SecretFields), e.SecretFields...)
	s.Observed = Observed{e.Page, e.URL, e.Title, e.DOMMode, e.DOMHash, e.MeaningHash, e.WordsHash, shot, e.Alerts, e.Witness}
	return s
}

func ended(s State, e TurnEnded) State {
	stored := Stored{s.Turn.Request.Body, e.Turn, e.Status, e.Answer, e.Secret, e.Text}
	if key := s.Turn.Request.Key; key != "" {
		s.Answered = maps.Clone(s.Answered)
		if s.Answered == nil {
			s.Answered = map[string]Stored{}
		}
		s.Answered[key] = stored
	}
	s = s.withSecrets(SecretsOf(e))
	s.Tokens += e.Tokens
	s.Last, s.Turn.Open, s.RepliedNow = stored, false, false
	if s.Waiting++; e.Status == "action" {
		s.Waiting = 0
	}
	return s.withReport(e.Turn)
}

func (s State) generated(e ActionGenerated) Attempt {
	return Attempt{
		Kind: e.Kind, Action: e.Action, Target: e.Target, Thought: e.Thought, On: s.Observed.place(), Turn: e.Turn, MaySubmit: e.MaySubmit,
		LeaseUntil: s.Turn.LeaseUntil,
		Expected:   page.Outcome{Description: e.Expected}, Final: e.Final, By: e.By, Skills: e.Skills, Instead: e.Instead, Before: &e.Before,
		Chain: links(e.Chain), LeftOut: e.LeftOut, For: e.For,
	}
}

func corrected(s State, e CorrectionIssued) State {
	s.Note = cmp.Or(e.Note, s.Note)
	s = s.supersede(e.Kind, e.MaySubmit)
	retry := Attempt{
		Kind: e.Kind, Action: e.RetryAction, Target: e.RetryTarget, Thought: e.Thought,
		Strategy: e.Strategy, By: e.By, Skills: e.Skills, Before: &e.Before,
		On: s.Observed.place(), Turn: e.Turn, MaySubmit: e.MaySubmit, Clears: e.Clears, LeaseUntil: s.Turn.LeaseUntil,
	}
	// The corrected step becomes the newest again; looks may have come after it.
	at := s.stepAt(e.StepIndex)
	if at < 0 {
		s.Steps = append(slices.Clip(s.Steps), Step{Index: e.StepIndex, Attempts: []Attempt{retry}})
		return s
	}
	step := s.Steps[at]
	switch {
	case e.For.Step != 0:
		retry.For = e.For
	case !e.Clears && len(step.Attempts) > 0:
		retry.For = step.Attempts[0].For
	}
	step.Attempts = append(slices.Clip(step.Attempts), retry)
	s.Steps = append(slices.Delete(slices.Clone(s.Steps), at, at+1), step)
	return s
}

func predicted(s State, e OutcomePredicted) State {
	return s.withAttempt(e.StepIndex, func(a *Attempt) { a.Expected, a.Type = e.Outcome, e.Kind })
}
