package interact

import (
	"encoding/json"
	"time"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/complexity"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
)

// Request is one interact request after authentication and validation.
type Request struct {
	Tenant, User string
	// Key is the Idempotency-Key header or the body's requestId, "" if the client
	// sent neither.
	Key string
	// BodyHash is the SHA-256, in hex, of the body as received.
	BodyHash string
	// ReceivedAt is when the first bytes of the request arrived.
	ReceivedAt time.Time
	// TaskID and SessionID are lower-case UUIDs or "".
	TaskID, SessionID string
	Query             string
	PreviousURL       string
	// Timezone is the name of the user's time zone, "" if the client did not say.
	Timezone string
	Capture  Capture
	// PageHash is the DOMHash of the last turn's page if the client says that it is
	// unchanged. It is used only if Capture holds no page; the other fields of
	// Capture then say what changed beside the document.
	PageHash string
	Witness  Witness
	// Client is what the client can do.
	Client action.Abilities
}

// Result is the answer to a request: this turn's, or a stored one.
type Result struct {
	TaskID string
	// Answer is the JSON of an Answer, as sent the first time.
	Answer json.RawMessage
	// Revision of the task's stream, and its last event's Position in the log,
	// at the moment of answering. Log names the log.
	Revision, Position int64
	Log                string
	// Replayed reports that the answer was stored before and nothing ran.
	Replayed bool
	// Turn is how the turn was that ran; zero if none did.
	Turn Ran
}

// Ran says for figures how a turn was.
type Ran struct {
	// Complexity is that of its task.
	Complexity complexity.Class
	// Outcome is action, needs_user_input, needs_full_dom or error.
	Outcome string
	// Shown are the pieces of documents that whoever planned and acted was shown.
	Shown []reasoning.Citation
}

// Answer is the `data` of a successful interact (spec: NextActionResponse).
type Answer struct {
	TaskID    string `json:"taskId" format:"uuid" doc:"Send it back with every following request of this task."`
	SessionID string `json:"sessionId" format:"uuid"`
	// Status is executing, correcting, completed, failed, needs_user_input or
	// needs_full_dom.
	Status    string `json:"status" enum:"executing,correcting,completed,failed,needs_user_input,needs_full_dom"`
	Thought   string `json:"thought" doc:"What the agent is doing and why, for the user."`
	Action    string `json:"action,omitempty" doc:"What to execute, for example click(\"14\"). Absent when the status asks for something else."`
	StepIndex int    `json:"stepIndex"`

	ActionDetails   *ActionDetails `json:"actionDetails,omitempty"`
	Actions         []ChainAction  `json:"actions,omitempty" doc:"For clients that declare chain: several actions to execute in order, without asking in between; the first of them is action. Stop at the first failure of one that cannot fail, and report lastExecutedActionIndex in any case."`
	ChainMetadata   *ChainMetadata `json:"chainMetadata,omitempty"`
	ExpectedOutcome *page.Outcome  `json:"expectedOutcome,omitempty"`
	Verification    *Verification  `json:"verification,omitempty" doc:"The verdict on the previous action."`
	Correction      *Correction    `json:"correction,omitempty"`

	UserQuestion       string           `json:"userQuestion,omitempty"`
	MissingInformation []string         `json:"missingInformation,omitempty"`
	Context            *QuestionContext `json:"context,omitempty" doc:"With a question: why it is asked."`

	Plan        *Plan `json:"plan,omitempty" doc:"How a task of several parts is gone about."`
	CurrentStep *int  `json:"currentStep,omitempty" doc:"Index of the plan's current step."`
	TotalSteps  *int  `json:"totalSteps,omitempty"`

	NeedsFullDOMReason string `json:"needsFullDomReason,omitempty"`
	RequestedElement   string `json:"requestedElement,omitempty" doc:"What is missing on the page as sent, in words; with needs_full_dom."`

	DOMHash string `json:"domHash,omitempty" doc:"Of the page this answer is about. Where the next request finds the page unchanged, it may send this instead of it."`

	ToolAction *ToolAction `json:"toolAction,omitempty" doc:"The action as the call of a tool."`

	RAGDebug *RAGDebug `json:"ragDebug,omitempty" doc:"For a request with X-Debug: true, where the server is set to answer it: where knowledge was looked for. Absent from an answer that is sent again."`

	HasOrgKnowledge bool     `json:"hasOrgKnowledge"`
	Usage           Usage    `json:"usage"`
	Metrics         *Metrics `json:"metrics,omitempty" doc:"What this turn took. A stored answer that is sent again has those of the first time."`
}

// RAGDebug says where a turn looked for what the organisation knows (spec §4.12). It is
// never stored.
type RAGDebug struct {
	Domain          string `json:"domain"`
	MatchedPattern  string `json:"matchedPattern,omitempty" doc:"The first of the tenant's allowedDomains that stands for the domain."`
	HasOrgKnowledge bool   `json:"hasOrgKnowledge"`
	ChunkCount      int    `json:"chunkCount" doc:"How many pieces of documents the turn was shown."`

	Citations []reasoning.Citation `json:"citations,omitempty" nullable:"false" doc:"Where they stand, best first."`
}

// ToolAction is the action as the call of a tool (spec: step refinement).
type ToolAction struct {
	ToolName   string         `json:"toolName"`
	ToolType   string         `json:"toolType" enum:"DOM,SERVER" doc:"DOM: to be done on the page. SERVER: there is nothing to do there; finish and fail end the task."`
	Parameters ToolParameters `json:"parameters"`
}

// ToolParameters are those of a tool; which are there depends on the tool.
type ToolParameters struct {
	ElementID string  `json:"elementId,omitempty"`
	Text      string  `json:"text,omitempty"`
	Seconds   float64 `json:"seconds,omitempty"`
}

// Types of tools.
const (
	toolDOM    = "DOM"
	toolServer = "SERVER"
)

// toolAction is the call of a tool for an action, nil for none.
func toolAction(d *ActionDetails) *ToolAction {
	if d == nil {
		return nil
	}
	call := ToolAction{ToolName: d.Name, ToolType: toolDOM, Parameters: ToolParameters{d.ElementID, d.Text, d.Seconds}}
	if d.Name == string(action.Finish) || d.Name == string(action.Fail) {
		call.ToolType = toolServer
	}
	return &call
}

// Metrics are what a turn took. They say nothing of what was decided, and no replay compares
// them.
type Metrics struct {
	Turn             int   `json:"turn" doc:"Number of the turn, from 1."`
	StepCount        int   `json:"stepCount" doc:"Steps of the task so far."`
	DurationMS       int64 `json:"durationMs" doc:"From the arrival of the request to its answer."`
	PromptTokens     int64 `json:"promptTokens"`
	CompletionTokens int64 `json:"completionTokens"`
	TotalTokens      int64 `json:"totalTokens" doc:"Of all turns of the task so far."`
}

// ActionDetails is the action in parts, for clients that do not parse it.
type ActionDetails struct {
	Name      string  `json:"name"`
	ElementID string  `json:"elementId,omitempty"`
	Text      string  `json:"text,omitempty"`
	Seconds   float64 `json:"seconds,omitempty"`
	// Element describes the target as a person would: button "Save".
	Element string `json:"element,omitempty"`
}

// QuestionContext says why the user is asked (spec: needs_user_input).
type QuestionContext struct {
	SearchPerformed bool   `json:"searchPerformed"`
	SearchSummary   string `json:"searchSummary,omitempty" doc:"Titles of the pages that were found."`
	Reasoning       string `json:"reasoning"`
}

// Plan is the plan of a task.
type Plan struct {
	Steps            []PlanStep `json:"steps"`
	CurrentStepIndex int        `json:"currentStepIndex"`
	SubTasks         []SubTask  `json:"subTasks,omitempty" doc:"The parts of a large task; the steps are those of the active one."`
}

// SubTask is a part of a large task.
type SubTask struct {
	Index  int    `json:"index"`
	Goal   string `json:"goal"`
	Status string `json:"status" enum:"pending,active,completed,failed,skipped"`
}

// PlanStep is a step of a plan.
type PlanStep struct {
	Index       int    `json:"index"`
	Description string `json:"description"`
	Status      string `json:"status" enum:"pending,active,completed,failed,skipped"`
	ToolType    string `json:"toolType" enum:"DOM,SERVER"`
}

// ChainAction is one action of a chain.
type ChainAction struct {
	Action      string `json:"action"`
	Description string `json:"description" doc:"What it does, for the user."`
	Index       int    `json:"index" minimum:"0"`
	CanFail     bool   `json:"canFail" doc:"If it fails, the chain goes on."`
}

// ChainMetadata is about a chain as a whole.
type ChainMetadata struct {
	TotalActions      int  `json:"totalActions" minimum:"2"`
	EstimatedDuration int  `json:"estimatedDuration" doc:"Milliseconds."`
	SafeToChain       bool `json:"safeToChain"`
}

// Verification is the verdict on the previous action.
type Verification struct {
	Outcome          string   `json:"outcome" enum:"succeeded,failed,undecided" doc:"Undecided: nobody can tell yet; the action stays under judgement."`
	Missing          string   `json:"missing,omitempty" doc:"What an undecided verdict waits for."`
	Evidence         string   `json:"evidence,omitempty" doc:"What shows it, in the words of the page or of the observations."`
	Rule             string   `json:"rule,omitempty" doc:"The id of the rule that spoke."`
	Veto             string   `json:"veto,omitempty" doc:"The id of the veto that held a success back."`
	Success          bool     `json:"success"`
	ActionSucceeded  bool     `json:"actionSucceeded"`
	TaskCompleted    bool     `json:"taskCompleted"`
	SubTaskCompleted *bool    `json:"subTaskCompleted,omitempty" doc:"Absent where the task has no parts."`
	NextGoalMet      *bool    `json:"nextGoalMet,omitempty" doc:"Whether what the next step needs is on the page. Absent where nothing was predicted."`
	Confidence       float64  `json:"confidence"`
	Reason           string   `json:"reason"`
	Observations     []string `json:"observations"`
	Tier             int      `json:"tier"`
	TokensSaved      int      `json:"tokensSaved"`

	Items []reasoning.ItemVerdict `json:"items,omitempty" doc:"The verdicts on the actions of a chain, where they can be told."`
}

// Correction says how a failed action is being retried.
type Correction struct {
	Strategy     string `json:"strategy"`
	Reason       string `json:"reason"`
	Attempt      int    `json:"attempt"`
	FailedAction string `json:"failedAction"`
	RetryAction  string `json:"retryAction"`
}

// Usage is what this turn's model calls used.
type Usage struct {
	PromptTokens     int64 `json:"promptTokens"`
	CompletionTokens int64 `json:"completionTokens"`
}
