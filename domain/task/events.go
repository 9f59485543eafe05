// Package task is the Task aggregate: one goal of one user, from the first interact
// to finish(), fail() or interruption. events.go has what can happen in it and
// events_end.go how it ends, state.go what is remembered of it, and decide.go which
// events a command leads to. All are plain values and functions without clock,
// randomness or I/O.
//
// A task's events are in the stream "task-<uuid>". The stream exists from the first
// event, but readers see the task only after TaskStarted: the id given to a request
// that ended in a question is provisional.
package task

import (
	"encoding/json"
	"time"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/codec"
	"github.com/stepledger/stepledger/domain/instruction"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/plan"
	"github.com/stepledger/stepledger/domain/reasoning"
)

// Stream returns the name of a task's stream.
func Stream(id string) string { return "task-" + id }

// IDFor is the id of the task that a user's first request begins under an
// Idempotency-Key: the request repeated finds it, and so does whoever sent it.
func IDFor(tenant, user, key string) string { return domain.DeriveUUID("task", tenant, user, key) }

// Event is an event of a task. Fields tagged sealed are personal text: the codec
// encrypts them under the task's data key.
type Event interface{ isTaskEvent() }

// Unknown stands for an event of a newer version where a task is looked at. It is never
// stored, and changes no state: what it changed is not known.
type Unknown struct {
	Name string `json:"unknown"`
}

// Stored names. They never change.
const (
	NamePageObserved       = "task.page_observed.v1"
	NameTurnEnded          = "task.turn_ended.v1"
	NameTurnAbandoned      = "task.turn_abandoned.v1"
	NameTaskStarted        = "task.task_started.v1"
	NameUserInputRequested = "task.user_input_requested.v1"
	NameUserInputProvided  = "task.user_input_provided.v1"
	NameActionGenerated    = "task.action_generated.v1"
	NameOutcomePredicted   = "task.outcome_predicted.v1"
	NameChainFailed        = "task.chain_partially_failed.v1"
	NameActionVerified     = "task.action_verified.v1"
	NameCorrectionIssued   = "task.correction_issued.v1"
	NameFinishBlocked      = "task.finish_blocked.v1"
	NamePlanMade           = "task.plan_made.v1"
	NamePlanChecked        = "task.plan_checked.v1"
	NameActionCriticised   = "task.action_criticised.v1"
	NameContextAnalyzed    = "task.context_analyzed.v1"
	NameWebSearched        = "task.web_searched.v1"
	NameInformationChecked = "task.information_checked.v1"
	NameKnowledgeFound     = "task.knowledge_found.v1"
	NameSubTaskStarted     = "task.sub_task_started.v1"
	NameSubTaskCompleted   = "task.sub_task_completed.v1"
	NameSubTaskFailed      = "task.sub_task_failed.v1"
	NameOutputChecked      = "task.sub_task_output_checked.v1"
	NameSynthesisChecked   = "task.synthesis_checked.v1"
	NameTaskCompleted      = "task.task_completed.v1"
	NameTaskFailed         = "task.task_failed.v1"
	NameTaskInterrupted    = "task.task_interrupted.v1"
	NameTaskResumed        = "task.task_resumed.v1"
	NameTaskPaused         = "task.task_paused.v1"
	NameTaskHandedBack     = "task.task_handed_back.v1"
	NameTaskErased         = "task.task_erased.v1"
)

// Codec reads and writes the stored form of the events.
var Codec = codec.New(map[string]Event{
	NamePageObserved:       PageObserved{},
	NameTurnEnded:          TurnEnded{},
	NameTurnAbandoned:      TurnAbandoned{},
	NameTaskStarted:        TaskStarted{},
	NameUserInputRequested: UserInputRequested{},
	NameUserInputProvided:  UserInputProvided{},
	NameActionGenerated:    ActionGenerated{},
	NameOutcomePredicted:   OutcomePredicted{},
	NameChainFailed:        ChainPartiallyFailed{},
	NameActionVerified:     ActionVerified{},
	NameCorrectionIssued:   CorrectionIssued{},
	NameFinishBlocked:      FinishBlocked{},
	NamePlanMade:           PlanMade{},
	NamePlanChecked:        PlanChecked{},
	NameActionCriticised:   ActionCriticised{},
	NameContextAnalyzed:    ContextAnalyzed{},
	NameWebSearched:        WebSearched{},
	NameInformationChecked: InformationChecked{},
	NameKnowledgeFound:     KnowledgeFound{},
	NameSubTaskStarted:     SubTaskStarted{},
	NameSubTaskCompleted:   SubTaskCompleted{},
	NameSubTaskFailed:      SubTaskFailed{},
	NameOutputChecked:      SubTaskOutputChecked{},
	NameSynthesisChecked:   SynthesisChecked{},
	NameTaskCompleted:      TaskCompleted{},
	NameTaskFailed:         TaskFailed{},
	NameTaskInterrupted:    TaskInterrupted{},
	NameTaskResumed:        TaskResumed{},
	NameTaskPaused:         TaskPaused{},
	NameTaskHandedBack:     TaskHandedBack{},
	NameTaskErased:         TaskErased{},
})

// Request identifies a client request: by the key the client gave it, and by
// the SHA-256 of its body. Key is "" for a client that sent none.
type Request struct {
	Key  string `json:"key,omitempty"`
	Body string `json:"body"`
}

// PageObserved begins a turn. It is the claim on the task (who works on it, for which
// request, until when) and the input of the turn, durable before a token is spent.
type PageObserved struct {
	Tenant     string    `json:"tenant"`
	User       string    `json:"user"`
	Session    string    `json:"session"`
	Turn       int       `json:"turn"`
	Request    Request   `json:"request"`
	Instance   string    `json:"instance"`
	LeaseUntil time.Time `json:"leaseUntil"`

	DOMMode     string `json:"domMode"`
	Page        string `json:"page"`                 // content reference
	Screenshot  string `json:"screenshot,omitempty"` // content reference
	DOMHash     string `json:"domHash"`
	MeaningHash string `json:"meaningHash"`
	// WordsHash is that of the words the page shows, "" in events from before it was
	// recorded.
	WordsHash     string `json:"wordsHash,omitempty"`
	ReaderVersion int    `json:"readerVersion"`
	ElementCount  int    `json:"elementCount"`
	ActiveElement string `json:"activeElement,omitempty"`
	// Client is what the client declared it can do.
	Client []string `json:"client,omitempty"`

	Query       string       `json:"query,omitzero" sealed:"true"`
	URL         string       `json:"url,omitzero" sealed:"true"`
	PreviousURL string       `json:"previousUrl,omitzero" sealed:"true"`
	Title       string       `json:"title,omitzero" sealed:"true"`
	Witness     page.Witness `json:"witness,omitzero" sealed:"true"`
	// Alerts are the messages the page shows.
	Alerts []page.Alert `json:"alerts,omitzero" sealed:"true"`
	Notes  []string     `json:"notes,omitempty"`
	// Timezone is the user's, as the client names it ("Europe/Oslo").
	Timezone string `json:"timezone,omitzero" sealed:"true"`

	// Secrets are the secret values the request revealed, in the user's words, in a
	// URL or in a secret field, and known ones that the query repeats.
	Secrets []string `json:"secrets,omitzero" sealed:"true"`
	// SecretFields are the keys of newly found secret fields.
	SecretFields []string `json:"secretFields,omitzero" sealed:"true"`
}

// TurnEnded holds the turn's answer as sent. Status is action, needs_user_input,
// needs_full_dom or error.
type TurnEnded struct {
	Turn   int    `json:"turn"`
	Status string `json:"status"`
	// Tokens are those its model calls used, prompts and answers.
	Tokens int64           `json:"tokens,omitempty"`
	Answer json.RawMessage `json:"answer,omitzero" sealed:"true"`
	// Secret is the value this answer's action types into a secret field. The answer
	// holds a placeholder; only the executing client gets the value.
	Secret string `json:"secret,omitzero" sealed:"true"`
	// Text is the text of this answer's action for the client if only part of it is
	// secret.
	Text string `json:"text,omitzero" sealed:"true"`
}

// TurnAbandoned ends a turn whose owner is gone.
type TurnAbandoned struct {
	Turn int    `json:"turn"`
	Why  string `json:"why"`
}

// TaskStarted makes the task visible to readers.
type TaskStarted struct {
	Tenant  string `json:"tenant"`
	User    string `json:"user"`
	Session string `json:"session"`
	URL     string `json:"url,omitzero" sealed:"true"`
	Query   string `json:"query,omitzero" sealed:"true"`
}

// UserInputRequested: the agent asked the user. Judges: it asked whether the action
// under judgement worked, so the reply is its verdict.
type UserInputRequested struct {
	Turn     int      `json:"turn"`
	Judges   bool     `json:"judges,omitempty"`
	Question string   `json:"question,omitzero" sealed:"true"`
	Missing  []string `json:"missing,omitzero" sealed:"true"`
	// Note as in ActionGenerated.
	Note string `json:"note,omitzero" sealed:"true"`
}

// UserInputProvided: the user sent a new message within the task.
type UserInputProvided struct {
	Turn int `json:"turn"`
	// HandedBack: the text is the note of a TaskHandedBack before the turn. It counts as
	// the user's words.
	HandedBack bool   `json:"handedBack,omitempty"`
	Text       string `json:"text,omitzero" sealed:"true"`
	// Secrets are those of its turn's PageObserved, or of its TaskHandedBack.
	Secrets []string `json:"secrets,omitzero" sealed:"true"`
}

// Target is an action's element when the action was decided.
type Target struct {
	reasoning.Target
	ID     string `json:"id,omitempty"`
	Key    string `json:"key,omitempty"`
	Secret bool   `json:"secret,omitempty"`
	// Row is the text of the row or card the element is in.
	Row string `json:"row,omitempty"`
}

// ActionGenerated: a step's action was decided. Skills are those its reasoner was
// shown, followed or not.
type ActionGenerated struct {
	Turn       int         `json:"turn"`
	StepIndex  int         `json:"stepIndex"`
	Kind       action.Name `json:"kind"`
	Confidence float64     `json:"confidence"`
	By         string      `json:"by"`
	// Final: the task should be complete once the action has worked.
	Final bool `json:"final,omitempty"`
	// MaySubmit: repeating it may do harm.
	MaySubmit bool     `json:"maySubmit,omitempty"`
	Skills    []string `json:"skills,omitempty"`
	// PlanStep is the step of the plan the action belongs to, from 1; 0 if none was
	// named.
	PlanStep int `json:"planStep,omitempty"`
	// For is the step of the task, read as a program, that the action belongs to.
	For instruction.Progress `json:"for,omitzero"`
	// Recovery is how a chain that stopped goes on with this action or chain: retry
	// or skip.
	Recovery string `json:"recovery,omitempty"`

	Thought  string      `json:"thought,omitzero" sealed:"true"`
	Action   string      `json:"action,omitzero" sealed:"true"`
	Target   Target      `json:"target,omitzero" sealed:"true"`
	Expected string      `json:"expected,omitzero" sealed:"true"`
	Before   page.Before `json:"before,omitzero" sealed:"apart"`
	// Instead is the failing action that a skill avoided.
	Instead reasoning.Instead `json:"instead,omitzero" sealed:"true"`
	// Chain are all actions of a chain, at least two; Kind, Action and Target are
	// those of the first.
	Chain []ChainItem `json:"chain,omitzero" sealed:"true"`
	// Shown are the skills of Skills as they were.
	Shown []reasoning.Skill `json:"shown,omitzero" sealed:"true"`
	// LeftOut says which action of several was not done with it, and why.
	LeftOut string `json:"leftOut,omitzero" sealed:"true"`
	// Note is what whoever decided wrote down for the next turn, LookedUp what was
	// looked up on the page before.
	Note     string   `json:"note,omitzero" sealed:"true"`
	LookedUp []string `json:"lookedUp,omitzero" sealed:"true"`
}

// ChainPartiallyFailed: the client did not execute all of a chain, or did not say that
// it had. The verdict that follows is on what was executed.
type ChainPartiallyFailed struct {
	Turn      int `json:"turn"`
	StepIndex int `json:"stepIndex"`
	Total     int `json:"total"`
	// Executed are the indices of the executed actions, in order. They are never
	// executed again. Failed is the one that failed, -1 if it is not known.
	Executed []int `json:"executed,omitempty"`
	Failed   int   `json:"failed"`
	// Recovery is how the task goes on: retry, skip, regenerate, or nothing if nothing
	// is left. From is the first action that is neither executed nor left out.
	Recovery string `json:"recovery"`
	From     int    `json:"from"`
	// Code is the client's.
	Code string `json:"code,omitempty"`

	FailedAction string `json:"failedAction,omitzero" sealed:"true"`
	Error        string `json:"error,omitzero" sealed:"true"`
	Reason       string `json:"reason,omitzero" sealed:"true"`
}

// OutcomePredicted is the expected outcome of the pending action and what the next
// step needs.
type OutcomePredicted struct {
	Turn      int `json:"turn"`
	StepIndex int `json:"stepIndex"`
	// Kind is what the action is for: dropdown, navigation or generic.
	Kind    page.ActionKind `json:"kind"`
	By      string          `json:"by"`
	Outcome page.Outcome    `json:"outcome,omitzero" sealed:"true"`
}

// ActionVerified is a verdict on the action of a step. If it is undecided, another
// verdict may follow.
type ActionVerified struct {
	Turn      int  `json:"turn"`
	StepIndex int  `json:"stepIndex"`
	Succeeded bool `json:"succeeded"`
	// Undecided: it is not known whether it worked. Missing says what evidence is
	// missing.
	Undecided     bool              `json:"undecided,omitempty"`
	Missing       reasoning.Missing `json:"missing,omitempty"`
	TaskCompleted bool              `json:"taskCompleted"`
	// SubTaskCompleted is nil if the task has no parts, NextGoalMet if nothing was
	// predicted of the next step.
	SubTaskCompleted *bool   `json:"subTaskCompleted,omitempty"`
	NextGoalMet      *bool   `json:"nextGoalMet,omitempty"`
	Confidence       float64 `json:"confidence"`
	// Degraded: a fallback model gave the verdict, for which less confidence is
	// enough.
	Degraded    bool   `json:"degraded,omitempty"`
	Tier        int    `json:"tier"`
	TokensSaved int    `json:"tokensSaved"`
	Rule        string `json:"rule,omitempty"`
	Veto        string `json:"veto,omitempty"`
	By          string `json:"by"`

	Reason       string          `json:"reason,omitzero" sealed:"true"`
	Proof        reasoning.Proof `json:"proof,omitzero" sealed:"true"`
	Observations []string        `json:"observations,omitzero" sealed:"true"`
	// Items are the verdicts on the actions of a chain, where they can be told.
	Items []reasoning.ItemVerdict `json:"items,omitzero" sealed:"true"`
}

// Outcome returns the outcome of the verdict.
func (e ActionVerified) Outcome() reasoning.Outcome {
	switch {
	case e.Undecided:
		return reasoning.Undecided
	case e.Succeeded:
		return reasoning.Succeeded
	}
	return reasoning.Failed
}

// CorrectionIssued: another action is tried in the same step after a failed verdict.
// It is the new pending action, with its own before state.
type CorrectionIssued struct {
	Turn      int                `json:"turn"`
	StepIndex int                `json:"stepIndex"`
	Attempt   int                `json:"attempt"`
	Strategy  reasoning.Strategy `json:"strategy"`
	Kind      action.Name        `json:"kind"`
	By        string             `json:"by"`
	Skills    []string           `json:"skills,omitempty"`
	ErrorType string             `json:"errorType,omitempty"`
	// Clears: the retry only removes what is in the way. MaySubmit as in
	// ActionGenerated.
	Clears    bool `json:"clears,omitempty"`
	MaySubmit bool `json:"maySubmit,omitempty"`
	// For is what the retry is for, where that is not what the failed action was for.
	For instruction.Progress `json:"for,omitzero"`

	Reason       string      `json:"reason,omitzero" sealed:"true"`
	Thought      string      `json:"thought,omitzero" sealed:"true"`
	FailedAction string      `json:"failedAction,omitzero" sealed:"true"`
	FailedTarget Target      `json:"failedTarget,omitzero" sealed:"true"`
	RetryAction  string      `json:"retryAction,omitzero" sealed:"true"`
	RetryTarget  Target      `json:"retryTarget,omitzero" sealed:"true"`
	Before       page.Before `json:"before,omitzero" sealed:"apart"`
	// Shown, Note and LookedUp as in ActionGenerated.
	Shown    []reasoning.Skill `json:"shown,omitzero" sealed:"true"`
	Note     string            `json:"note,omitzero" sealed:"true"`
	LookedUp []string          `json:"lookedUp,omitzero" sealed:"true"`
}

// PlanMade: the task has a plan, or another one. Cause is why: first, or what a check of
// the plan before found.
type PlanMade struct {
	Turn       int                `json:"turn"`
	Cause      string             `json:"cause"`
	By         string             `json:"by"`
	Confidence float64            `json:"confidence"`
	Sources    []reasoning.Source `json:"sources,omitempty"`

	Reason   string    `json:"reason,omitzero" sealed:"true"`
	Evidence string    `json:"evidence,omitzero" sealed:"true"`
	Plan     plan.Plan `json:"plan,omitzero" sealed:"true"`
	// SubTasks are the parts of a task that is done in parts; the plan is for the first.
	SubTasks []plan.SubTask `json:"subTasks,omitzero" sealed:"true"`
}

// PlanChecked: a plan passed its checkpoint or did not (spec: Verification Checkpoint
// Logic). Option says who judged: whoever made the plan (self), or somebody asked to find
// fault with it (adversarial). Attempt counts from 1.
type PlanChecked struct {
	Turn    int               `json:"turn"`
	Attempt int               `json:"attempt"`
	Option  string            `json:"option"`
	Scores  plan.Scores       `json:"scores"`
	Overall float64           `json:"overall"`
	Verdict plan.CheckVerdict `json:"verdict"`
	By      string            `json:"by"`

	Issues []string `json:"issues,omitzero" sealed:"true"`
}

// ActionCriticised: an action was not sent, because somebody objected. Rule is the rule
// that did, "" for a model.
type ActionCriticised struct {
	Turn    int         `json:"turn"`
	Kind    action.Name `json:"kind"`
	Attempt int         `json:"attempt"`
	Why     string      `json:"why"`
	Rule    string      `json:"rule,omitempty"`
	By      string      `json:"by"`

	Action    string `json:"action,omitzero" sealed:"true"`
	Objection string `json:"objection,omitzero" sealed:"true"`
}

func (Unknown) isTaskEvent()              {}
func (PageObserved) isTaskEvent()         {}
func (TurnEnded) isTaskEvent()            {}
func (TurnAbandoned) isTaskEvent()        {}
func (TaskStarted) isTaskEvent()          {}
func (UserInputRequested) isTaskEvent()   {}
func (UserInputProvided) isTaskEvent()    {}
func (ActionGenerated) isTaskEvent()      {}
func (OutcomePredicted) isTaskEvent()     {}
func (ChainPartiallyFailed) isTaskEvent() {}
func (ActionVerified) isTaskEvent()       {}
func (CorrectionIssued) isTaskEvent()     {}
func (PlanMade) isTaskEvent()             {}
func (PlanChecked) isTaskEvent()          {}
func (ActionCriticised) isTaskEvent()     {}

// Decider is the aggregate.
var Decider = domain.Decider[State, Command, Event]{Initial: Initial, Decide: Decide, Evolve: Evolve}
