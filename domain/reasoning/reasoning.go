// Package reasoning has the questions the interact graph asks and the answers it
// accepts, as values with their validation. Who answers (rules or a model) is not its
// concern. An Undecided answer means that whoever was asked does not know; the next
// one is asked then.
package reasoning

import (
	"time"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/instruction"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/plan"
)

// SuccessThreshold is the confidence from which an action counts as succeeded and a
// completed goal as achieved (spec: 0.70).
const SuccessThreshold = 0.70

// FailureThreshold is the confidence below which an action counts as failed. From it
// up to SuccessThreshold the verdict is undecided.
const FailureThreshold = 0.50

// DegradedThreshold replaces SuccessThreshold if a fallback model gave the verdict
// (spec §4.10.1).
const DegradedThreshold = 0.60

// ByDefault is the By of a verdict that the graph assumed because nothing spoke
// against it. Nothing is learnt from it.
const ByDefault = "default"

// ByRules signs what was decided by rules, without a model.
const ByRules = "rules"

// NoChangeConfidence is the verdict on an action after which nothing changed
// and nobody witnessed anything (spec: 0.2).
const NoChangeConfidence = 0.2

// On identifies the tenant, user, task and turn a question belongs to. Model calls
// are billed to it.
type On struct {
	Tenant, User, Session, Task string
	Turn                        int
	// Request identifies the client request, After the last turn that had ended
	// before it. A turn that runs again after a crash has another number but the same
	// two values; paid answers are found by them.
	Request string
	After   int
	// Secrets are the known secret values. Answers may use them for the client and
	// must not show them to anybody else.
	Secrets []string
}

// Step is an earlier step of the task.
type Step struct {
	Index     int
	Action    action.Action
	Target    string // the element as a person would say it: button "Save"
	Thought   string
	Verified  bool // a verdict was given that is decided
	Succeeded bool
	// Undecided: there was a verdict, and it did not decide whether the action
	// worked. Likely: a model thought that it did, without being sure.
	Undecided, Likely bool
	Reason            string
	// Where is the row or section the element is in, Code the client's word for why it
	// could not do the action.
	Where, Code string
	// Correction is the strategy that led to the action, "" for a first try.
	Correction string
	// Instead is the failing action that a skill avoided.
	Instead Instead
	// LeftOut says which action of several was not done with it, and why.
	LeftOut string
	// For is what the action was for, where the task was read as a program. Key is that
	// of its element.
	For instruction.Progress
	Key string
	// Clears: it only removed what was in the way of the step, or waited.
	Clears bool
}

// Skill is what a successful correction has taught (spec: Skills Library §A). It
// describes elements by role and name, never by id.
type Skill struct {
	ID           string
	Goal         string
	FailedAction string // the action's name: click
	FailedTarget Target
	ErrorType    string // how it failed
	UseAction    string
	UseTarget    Target
	Strategy     string
	Task         string // the one that taught it first
	Successes    int
	Failures     int
}

// Tokens are the model tokens behind an answer; zero for rules.
type Tokens struct{ Prompt, Completion int64 }

// Plus returns the sum.
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
	// Answers are the user's replies in this task, in order.
	Answers []string
	Page    page.Page
	// Screenshot is the image file of a page in mode hybrid, nil if there is none.
	Screenshot []byte
	Steps      []Step
	// LastObservations are those of the action verified in this turn.
	LastObservations []page.Observation
	Skills           []Skill
	// Plan is how the task is gone about, nil if there is no plan. PlanDoubt is why it
	// may not fit the page any more, "" if nothing speaks against it.
	Plan      *plan.Plan
	PlanDoubt string
	// MayReplan: another plan can be asked for.
	MayReplan bool
	// Objections are those to the actions proposed before in this turn.
	Objections []string
	// Client is what the client can do; other actions are not accepted.
	Client action.Abilities
	// MaySearch: googleSearch is possible. Searches are those made for the task.
	MaySearch bool
	Searches  []WebSearch
	Knowledge []Chunk
	// Part is the current part of a task that is done in parts.
	Part *Part
	// Before is the page the last action was decided on, for marking what is new.
	Before page.Skeleton
	// Note is what whoever answered the last turn wrote down for this one.
	Note string
	// Judge is the last action if its verdict is asked for in the same answer.
	Judge *JudgeQuestion
	// LookedUp are the find and more actions this question was already answered with,
	// in order; MaxLookUps of them end the looking up.
	LookedUp []action.Action
	// Simple: a small task, for which less of the page is shown.
	Simple bool
	// Step is the number of the step to be decided, from 1; StepsLeft are those after
	// it.
	Step, StepsLeft int
	// Now is when the question is asked, in the user's time zone or, if that is not
	// known, in UTC. It is no part of the question's identity.
	Now time.Time
}

// JudgeQuestion asks with the next action whether the last one worked; the observations
// are those of the question it is part of.
type JudgeQuestion struct {
	Action   action.Action
	Target   page.Element // as it was when the action was decided; zero if none
	Expected string
}

// MaxLookUps bounds how often one turn looks something up on the page.
const MaxLookUps = 3

// MaxNote bounds a note, in characters.
const MaxNote = 400

// ActAnswer is the next action, a question to the user, or neither.
type ActAnswer struct {
	// Undecided: the reasoner does not know. Reason says what it is missing, in
	// words for the user.
	Undecided bool
	Reason    string
	// Seeks is the element that is missing, if that is why the answer is Undecided:
	// the client may have left it out of the page.
	Seeks string
	// UserQuestion, if set, is asked instead of acting.
	UserQuestion string
	Missing      []string
	// Lacks is a value that is missing to go on, by its name: it is looked up or asked
	// for instead of acting.
	Lacks  string
	Action action.Action
	// Replan says why the plan does not lead on from here: another is made first.
	Replan string
	// Last is the verdict on the last action, if it was asked for; nil without one.
	Last *Verdict
	// Outputs, with finish in a part of a task, are the values it found.
	Outputs map[string]string
	// Description is for the user what the action does, "" if only Thought says it;
	// CanFail: the actions of Next are worth doing even if it fails.
	Description string
	CanFail     bool
	// Next are further actions for a client that takes chains. Expected and Final
	// are about all of them together.
	Next       []ActStep
	Thought    string // for the user, not technical
	Confidence float64
	// Note is for whoever decides the next step: what was learnt, what comes next.
	Note string
	// Expected is the expected outcome of the action and what the next step needs.
	Expected page.Outcome
	// Proof, with finish, quotes the text of the page that shows that the task is
	// done.
	Proof string
	// Final: the task should be complete once the action has worked.
	Final bool
	// PlanStep is the step of the plan the action belongs to, from 1; 0 if none.
	PlanStep int
	// For is the step of the task, read as a program, that the action belongs to.
	For        instruction.Progress
	SkillsUsed []string // those it follows
	By         string   // "rules" or the model's name
	Tokens     Tokens
}

// VerifyQuestion asks whether the last action worked.
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
	// MaySubmit: repeating the action may do harm. Looks is how often the page was
	// looked at since; Witness and Observations cover all that time.
	MaySubmit bool
	Looks     int
	MayLook   bool // looking once more is possible
	// ModelAsked: a model was asked whether this action worked, and could not tell.
	ModelAsked bool
	// SubTask is the objective of the action's part of the task, "" if the task has
	// no parts.
	SubTask string
	// ActionOnly: whether the task is done is not asked; somebody else decides that.
	ActionOnly bool
	// Chain are the executed actions, at least two, if the action was a chain; Action
	// and Target are those of the first.
	Chain []ChainStep
	// MayDefer: where a model has to judge, the same answer may hold the next action.
	MayDefer bool
}

// ConfirmQuestion asks whether the page shows that the task is done (spec:
// verifySuccess). Unlike a verdict it looks at the page itself, and it needs a proof.
type ConfirmQuestion struct {
	On      On
	Query   string
	Answers []string
	// SubTask is the part of the task that is said to be done, "" for all of it.
	SubTask string
	// Statement is what the agent says is done.
	Statement string
	Page      page.Page
	Steps     []Step
	// Observations are those of the action verified in this turn.
	Observations []page.Observation
	// LastUndecided: it is not known whether the last action worked.
	LastUndecided bool
}

// Strategy is the strategy of a correction (spec: self-correction).
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
	// Kind is the kind of the failed action; Unmet are the checks of its expected
	// outcome that did not hold.
	Kind  page.ActionKind
	Unmet []page.Check
	// Attempt counts the corrections of this step from 1. Tried are the actions tried
	// in the step, including the first.
	Attempt int
	Tried   []action.Action
	Skills  []Skill
	// Harmless: only a correction that needs no judgement is asked for: the same action
	// on the same element where it is now, or after a wait.
	Harmless bool
	// Client is what the client can do.
	Client action.Abilities
	// Note and LookedUp as in ActQuestion.
	Note     string
	LookedUp []action.Action
}

// Correction is a strategy and the action to try, or to look something up on the page
// with before.
type Correction struct {
	Undecided  bool
	Strategy   Strategy
	Action     action.Action
	Reason     string
	Thought    string
	Expected   page.Outcome
	SkillsUsed []string
	// For as in ActAnswer, where the action is for something else than the failed one.
	For instruction.Progress
	// Clears: the action only removes what is in the way, or waits; the step's own
	// action is still to be done.
	Clears bool
	// Note is for whoever decides the next step.
	Note   string
	By     string
	Tokens Tokens
}
