package task

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
)

// Status of a task.
type Status string

// The statuses. A task is new until its first event, and active from then on.
const (
	New         Status = "new"
	Active      Status = "active"
	Completed   Status = "completed"
	Failed      Status = "failed"
	Interrupted Status = "interrupted"
)

// State is what is remembered of a task. Values of it are never changed in
// place: Evolve copies what it alters, so that a state may be kept and folded
// on from by several readers at once.
type State struct {
	Status  Status `json:"status"`
	Tenant  string `json:"tenant"`
	User    string `json:"user"`
	Session string `json:"session"`
	// Query and URL are those of the first request.
	Query string `json:"query"`
	URL   string `json:"url"`
	// Visible: TaskStarted has happened.
	Visible bool `json:"visible"`

	Turn     Turn              `json:"turn"`
	Observed Observed          `json:"observed"`
	Answered map[string]Stored `json:"-"` // by idempotency key
	Last     Stored            `json:"-"` // of the last turn, whoever asked

	// Secrets are the values known to be secret so far: texts that repeat one are
	// not kept as they are. SecretFields are the keys of the fields that were seen
	// as secret: they stay so.
	Secrets      []string `json:"-"`
	SecretFields []string `json:"-"`

	// Question is what the user was asked and has not answered yet.
	Question string `json:"question,omitempty"`
	// Replies are what the user said after the first query, in order.
	Replies []string `json:"replies,omitempty"`

	Steps []Step `json:"steps"`
	// ConsecutiveFailures counts failed verdicts since the last good one,
	// ConsecutiveSuccesses good ones since the last failed.
	ConsecutiveFailures  int `json:"consecutiveFailures"`
	ConsecutiveSuccesses int `json:"consecutiveSuccesses"`
	// Idle counts good verdicts in a row that brought nothing new; Heard the
	// attempts before the user last spoke, which no circle begins with.
	Idle  int `json:"idle,omitempty"`
	Heard int `json:"heard,omitempty"`
	// Doubtful: of the last actions some failed, and nothing has shown since that
	// the task is well: the agent's word that it is done does not suffice.
	Doubtful bool `json:"doubtful,omitempty"`

	Code    string `json:"code,omitempty"`
	Message string `json:"message,omitempty"`
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
	// Screenshot is the newest one: a client does not send one again that is
	// unchanged.
	Screenshot string `json:"screenshot,omitempty"`
}

// Stored is a turn's answer as it was sent.
type Stored struct {
	Body   string // hash of the request it answered
	Turn   int
	Status string
	Answer json.RawMessage
	// Secret, or Text, is the text of the answer's action for the executing client
	// alone.
	Secret, Text string
}

// Step is one generated action, its corrections, and their verdicts.
type Step struct {
	Index    int       `json:"index"`
	Attempts []Attempt `json:"attempts"`
}

// Attempt is one try of a step: the action first generated, or a correction.
type Attempt struct {
	Kind    action.Name `json:"kind"`
	Action  string      `json:"action"`
	Target  Target      `json:"target"`
	Thought string      `json:"thought,omitempty"`
	// Expected is what was predicted of the action, Type what it is for.
	Expected page.Outcome       `json:"expected,omitzero"`
	Type     page.ActionKind    `json:"actionType,omitempty"`
	Final    bool               `json:"final,omitempty"`
	Strategy reasoning.Strategy `json:"strategy,omitempty"`
	By       string             `json:"by"`
	Skills   []string           `json:"skills,omitempty"`
	// Instead is the action that a skill spared the task.
	Instead reasoning.Instead `json:"instead,omitzero"`
	// On is the page the attempt was decided on. Before is more of it, kept until
	// the verdict is given; nothing needs it later.
	On      Place        `json:"on,omitzero"`
	Before  *page.Before `json:"before,omitempty"`
	Verdict *Verdict     `json:"verdict,omitempty"`
}

// Verdict on an attempt.
type Verdict struct {
	Succeeded     bool    `json:"succeeded"`
	TaskCompleted bool    `json:"taskCompleted"`
	Confidence    float64 `json:"confidence"`
	Reason        string  `json:"reason"`
	Tier          int     `json:"tier"`
	// Turn it was given in.
	Turn int `json:"turn"`
}

// Initial is a task before its first event.
func Initial() State { return State{Status: New} }

// Exists reports whether anything was ever recorded of the task.
func (s State) Exists() bool { return s.Status != New }

// Ended reports whether the task is over for good.
func (s State) Ended() bool { return s.Status == Completed || s.Status == Failed }

// Pending is the attempt that waits for its verdict.
func (s State) Pending() (step Step, a Attempt, ok bool) {
	if len(s.Steps) == 0 {
		return Step{}, Attempt{}, false
	}
	step = s.Steps[len(s.Steps)-1]
	a = step.Attempts[len(step.Attempts)-1]
	return step, a, a.Verdict == nil
}

// Corrections counts the corrections of the newest step.
func (s State) Corrections() int {
	if len(s.Steps) == 0 {
		return 0
	}
	return len(s.Steps[len(s.Steps)-1].Attempts) - 1
}

// Standing says what is known of a client request.
type Standing int

const (
	// Fresh: not seen before.
	Fresh Standing = iota
	// Running: its turn is open.
	Running
	// AnsweredBefore: its answer is stored.
	AnsweredBefore
	// KeyReused: its key came with another body before.
	KeyReused
)

// Standing looks a request up. With a key, the key decides, for as long as the
// task lives. Without one, a body equal byte for byte to the last turn's is
// that request again while its turn is open, or answered and not yet followed.
func (s State) Standing(r Request) (Standing, Stored) {
	if s.Turn.Open && sameRequest(s.Turn.Request, r) {
		if s.Turn.Request.Body != r.Body {
			return KeyReused, Stored{}
		}
		return Running, Stored{}
	}
	if r.Key == "" {
		if !s.Turn.Open && s.Last.Turn == s.Turn.Number && s.Last.Turn > 0 && s.Last.Body == r.Body {
			return AnsweredBefore, s.Last
		}
		return Fresh, Stored{}
	}
	stored, ok := s.Answered[r.Key]
	switch {
	case !ok:
		return Fresh, Stored{}
	case stored.Body != r.Body:
		return KeyReused, Stored{}
	}
	return AnsweredBefore, stored
}

func sameRequest(open, r Request) bool {
	if r.Key == "" {
		return open.Body == r.Body
	}
	return open.Key == r.Key
}

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
		s.Question = e.Question
	case UserInputProvided:
		s.Question, s.Doubtful = "", false // the user has seen how things stand
		s.Idle, s.Heard = 0, s.attempts()
		s.Replies = append(slices.Clip(s.Replies), e.Text)
	case ActionGenerated:
		s.Steps = append(slices.Clip(s.Steps), Step{Index: e.StepIndex, Attempts: []Attempt{s.generated(e)}})
	case OutcomePredicted:
		return predicted(s, e)
	case CorrectionIssued:
		return corrected(s, e)
	case ActionVerified:
		return verified(s, e)
	case TaskCompleted:
		s.Status, s.Message = Completed, e.Message
	case TaskFailed:
		s.Status, s.Code, s.Message = Failed, e.Code, e.Message
	case TaskInterrupted:
		s.Status, s.Turn.Open = Interrupted, false
	case TaskResumed:
		s.Status = Active
	}
	return s
}

func observed(s State, e PageObserved) State {
	if s.Turn.Number == 0 {
		s.Tenant, s.User, s.Session = e.Tenant, e.User, e.Session
		s.Query, s.URL = e.Query, e.URL
	}
	s.Turn = Turn{e.Turn, true, e.Request, e.Instance, e.LeaseUntil}
	shot := cmp.Or(e.Screenshot, s.Observed.Screenshot)
	s = s.learn(e.Secrets)
	s.SecretFields = append(slices.Clip(s.SecretFields), e.SecretFields...)
	s.Observed = Observed{e.Page, e.URL, e.Title, e.DOMMode, e.DOMHash, e.MeaningHash, shot}
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
	s = s.learn(SecretsOf(e))
	s.Last, s.Turn.Open = stored, false
	return s
}

func (s State) generated(e ActionGenerated) Attempt {
	return Attempt{
		Kind: e.Kind, Action: e.Action, Target: e.Target, Thought: e.Thought, On: s.Observed.place(),
		Expected: page.Outcome{Description: e.Expected}, Final: e.Final, By: e.By, Skills: e.Skills, Instead: e.Instead, Before: &e.Before,
	}
}

func corrected(s State, e CorrectionIssued) State {
	retry := Attempt{
		Kind: e.Kind, Action: e.RetryAction, Target: e.RetryTarget, Thought: e.Thought,
		Strategy: e.Strategy, By: e.By, Skills: e.Skills, Before: &e.Before,
		On: s.Observed.place(),
	}
	if len(s.Steps) == 0 {
		s.Steps = []Step{{Index: e.StepIndex, Attempts: []Attempt{retry}}}
		return s
	}
	return s.withLastStep(func(step *Step) {
		step.Attempts = append(slices.Clip(step.Attempts), retry)
	})
}

func predicted(s State, e OutcomePredicted) State {
	if len(s.Steps) == 0 {
		return s
	}
	return s.withLastStep(func(step *Step) {
		step.Attempts = slices.Clone(step.Attempts)
		a := &step.Attempts[len(step.Attempts)-1]
		a.Expected, a.Type = e.Outcome, e.Kind
	})
}

// trusted is how many good verdicts in a row make up for a failed one.
const trusted = 3

func verified(s State, e ActionVerified) State {
	s.Idle = s.idleAfter(e)
	if e.Succeeded {
		s.ConsecutiveFailures = 0
		s.ConsecutiveSuccesses++
		s.Doubtful = s.Doubtful && s.ConsecutiveSuccesses < trusted
	} else {
		s.ConsecutiveFailures++
		s.ConsecutiveSuccesses, s.Doubtful = 0, true
	}
	_, a, pending := s.Pending()
	if !pending {
		return s
	}
	if a.Kind == action.VerifySuccess && e.Succeeded {
		s.Doubtful = false
	}
	return s.withLastStep(func(step *Step) {
		step.Attempts = slices.Clone(step.Attempts)
		a := &step.Attempts[len(step.Attempts)-1]
		a.Verdict = &Verdict{e.Succeeded, e.TaskCompleted, e.Confidence, e.Reason, e.Tier, e.Turn}
		a.Before = nil
	})
}

// withLastStep is s with a changed copy of its newest step.
func (s State) withLastStep(change func(*Step)) State {
	s.Steps = slices.Clone(s.Steps)
	change(&s.Steps[len(s.Steps)-1])
	return s
}
