// Package reasoning has the questions the interact graph asks and the answers
// it accepts, as values with their validation. Who answers (rules, a model) is
// not its business. An answer that is Undecided says honestly that the one
// asked does not know; the next one is asked then.
package reasoning

import (
	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
)

// SuccessThreshold is the confidence at and above which an action counts as
// succeeded and a completed goal as achieved (spec: 0.70).
const SuccessThreshold = 0.70

// FailureThreshold is the confidence under which an action counts as failed. From
// it up to SuccessThreshold the verdict is undecided.
const FailureThreshold = 0.50

// DegradedThreshold holds in its place where the model that should have judged was
// out of reach and another stood in for it (spec §4.10.1).
const DegradedThreshold = 0.60

// ByDefault signs a verdict nobody gave: the graph went on because nothing spoke
// against it. Nothing is learnt from it.
const ByDefault = "default"

// NoChangeConfidence is the verdict on an action after which nothing changed
// and nobody witnessed anything (spec: 0.2).
const NoChangeConfidence = 0.2

// On says for whom and where in a task a question is asked. Model calls are
// billed to it.
type On struct {
	Tenant, User, Session, Task string
	Turn                        int
	// Request identifies the client request, After the last turn that had ended
	// before it. A turn run again after a crash has another number but the same
	// two, and paid answers are found by them.
	Request string
	After   int
	// Secrets are the values known to be secret. Who answers may hand them on, and
	// shows them to nobody.
	Secrets []string
}

// Step is an earlier step of the task, for context.
type Step struct {
	Index     int
	Action    action.Action
	Target    string // the element as a person would say it: button "Save"
	Thought   string
	Verified  bool // a verdict was given that is decided
	Succeeded bool
	// Undecided: a verdict was given, and nobody could tell whether it worked.
	Undecided bool
	Reason    string
	// Correction is the strategy that produced the action, "" for a first try.
	Correction string
	// Instead is what a skill spared the task: the action that would have failed.
	Instead Instead
}

// Skill is what a correction that worked has taught (spec: Skills Library §A).
// Elements are described by role and name, never by id.
type Skill struct {
	ID           string
	Goal         string
	FailedAction string // the action's name: click
	FailedTarget Target
	ErrorType    string // how it failed
	UseAction    string
	UseTarget    Target
	Strategy     string
	Successes    int
	Failures     int
}

// Tokens are what the model calls behind an answer used; zero for rules.
type Tokens struct{ Prompt, Completion int64 }

// Plus adds two counts.
func (t Tokens) Plus(u Tokens) Tokens {
	return Tokens{t.Prompt + u.Prompt, t.Completion + u.Completion}
}

// Target describes an element by what a person sees.
type Target struct {
	Role  string `json:"role,omitempty"`
	Name  string `json:"name,omitempty"`
	Group string `json:"group,omitempty"`
}

// ActQuestion asks for the next action.
type ActQuestion struct {
	On    On
	Query string
	// Answers are what the user replied to questions of this task, in order.
	Answers []string
	Page    page.Page
	// Screenshot is the picture that came with a page of mode hybrid, as bytes of
	// an image file; empty if there is none.
	Screenshot []byte
	Steps      []Step
	// LastObservations are those of the action verified in this turn.
	LastObservations []page.Observation
	Skills           []Skill
}

// ActAnswer is the next action, or a question to the user, or neither.
type ActAnswer struct {
	// Undecided: the reasoner does not know. Reason says what it is missing, in
	// words for the user.
	Undecided bool
	Reason    string
	// Seeks is the element the reasoner is missing, if that is why it is
	// Undecided: the page may have one that the client left out.
	Seeks string
	// UserQuestion, when set, is put to the user instead of acting.
	UserQuestion string
	Missing      []string
	Action       action.Action
	Thought      string // for the user, not technical
	Confidence   float64
	// Expected is what should be seen when it worked, and what the step after it
	// needs.
	Expected page.Outcome
	// Proof, with finish, is what on the page shows that the task is done: a text
	// that stands there, word by word.
	Proof string
	// Final: the task should be complete once the action has worked.
	Final      bool
	SkillsUsed []string // those it follows
	By         string   // "rules" or the model's name
	Tokens     Tokens
}

// VerifyQuestion asks whether the last action did what it was for.
type VerifyQuestion struct {
	On           On
	Query        string
	Answers      []string
	Action       action.Action
	Target       page.Element // as it was when the action was decided; zero if none
	Thought      string
	Expected     page.Outcome
	Before       page.Before
	Page         page.Page
	Witness      page.Witness
	Observations []page.Observation
	Steps        []Step
	// Final: the task should be complete once the action has worked.
	Final bool
	// MaySubmit: doing the action twice may do harm. Looks is how often was looked at
	// the page since; Witness and Observations are of all that time.
	MaySubmit bool
	Looks     int
	MayLook   bool // looking once more is possible
	// SubTask is the objective of the part of the task the action is for, "" where
	// the task has no parts.
	SubTask string
}

// ConfirmQuestion asks whether what a task was for is there to see on the page
// (spec: verifySuccess). Unlike a verdict it looks at the page itself: it stands
// before the end of a task, and what is claimed has to be shown.
type ConfirmQuestion struct {
	On      On
	Query   string
	Answers []string
	// Claim is what is said to be so, in words.
	Claim string
	Page  page.Page
	Steps []Step
	// Observations are those of the action verified in this turn.
	Observations []page.Observation
	// Unsettled: nobody could tell whether the last action worked.
	Unsettled bool
}

// Strategy of a correction (spec: self-correction).
type Strategy string

// The strategies.
const (
	AlternativeSelector Strategy = "ALTERNATIVE_SELECTOR"
	AlternativeTool     Strategy = "ALTERNATIVE_TOOL"
	GatherInformation   Strategy = "GATHER_INFORMATION"
	UpdatePlan          Strategy = "UPDATE_PLAN"
	RetryWithDelay      Strategy = "RETRY_WITH_DELAY"
	ScrollIntoView      Strategy = "SCROLL_INTO_VIEW"
	RefreshPage         Strategy = "REFRESH_PAGE"
	GiveUp              Strategy = "FAIL"
)

// CorrectQuestion asks what to do after a failed verdict.
type CorrectQuestion struct {
	On           On
	Query        string
	Answers      []string
	Failed       action.Action
	Target       page.Element
	Before       page.Before // the page the failed action was decided on; zero if erased
	Verdict      Verdict
	Observations []page.Observation
	Witness      page.Witness
	Page         page.Page
	Steps        []Step
	// Kind is what the failed action should have brought about; Unmet are the
	// checks of its expected outcome that did not hold.
	Kind  page.ActionKind
	Unmet []page.Check
	// Attempt counts corrections of this step from 1; Tried are the actions
	// already tried in it, the first one included.
	Attempt int
	Tried   []action.Action
	Skills  []Skill
}

// Correction is the recovery: a strategy and the action to try.
type Correction struct {
	Undecided  bool
	Strategy   Strategy
	Action     action.Action
	Reason     string
	Thought    string
	Expected   page.Outcome
	SkillsUsed []string
	// Clears: the action only takes away what is in the way, or waits; what the step
	// is for is still to be done.
	Clears bool
	By     string
	Tokens Tokens
}
