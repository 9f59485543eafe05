package browser

import (
	"slices"

	"github.com/stepledger/stepledger/domain/action"
)

// request is the body of POST /api/agent/interact (spec: dom-extraction §13,
// interact-flow Client Contract 5).
type request struct {
	Capture
	Query     string `json:"query"`
	TaskID    string `json:"taskId,omitempty"`
	SessionID string `json:"sessionId,omitempty"`
	// Capabilities are what this client can do beside what every client can.
	Capabilities []string `json:"clientCapabilities"`
	*lastActionReport
}

// capabilities of this client beside upload, which needs files.
var capabilities = []string{
	string(action.Press), string(action.Hover), string(action.Type), string(action.Drag),
	string(action.CanScrollTo), string(action.CanChooseSeveral), string(action.CanChain),
}

// Capabilities are what the client can do on this tab beside what every client can.
func (t *Tab) Capabilities() []string {
	if t.opts.Files == nil {
		return capabilities
	}
	return append(slices.Clone(capabilities), string(action.Upload))
}

// capabilitiesOn are those of the client on a page, which may say its own.
func capabilitiesOn(p Page) []string {
	if able, ok := p.(interface{ Capabilities() []string }); ok {
		return able.Capabilities()
	}
	return capabilities
}

// lastActionReport is the part of a request about the previous action.
type lastActionReport struct {
	PreviousURL        string        `json:"previousUrl,omitempty"`
	LastActionStatus   string        `json:"lastActionStatus"`
	LastActionError    *ActionError  `json:"lastActionError,omitempty"`
	LastActionResult   actionResult  `json:"lastActionResult"`
	ClientObservations observations  `json:"clientObservations"`
	DOMChanges         DOMChanges    `json:"domChanges"`
	RecoveredElement   string        `json:"recoveredElement,omitempty"`
	LastExecutedIndex  *int          `json:"lastExecutedActionIndex,omitempty"`
	ChainPartialState  *partialChain `json:"chainPartialState,omitempty"`
}

type actionResult struct {
	Success     bool   `json:"success"`
	ActualState string `json:"actualState,omitempty"`
}

type observations struct {
	DidNetworkOccur bool `json:"didNetworkOccur"`
	DidDOMMutate    bool `json:"didDomMutate"`
	DidURLChange    bool `json:"didUrlChange"`

	FailedRequests  []FailedRequest `json:"failedRequests,omitempty"`
	PendingRequests *int            `json:"pendingRequests,omitempty"`
	ScriptErrors    *int            `json:"scriptErrors,omitempty"`
	TargetChanged   *bool           `json:"targetChanged,omitempty"`
	DirectMutations *int            `json:"directMutations,omitempty"`
}

type partialChain struct {
	ExecutedActions     []string `json:"executedActions"`
	TotalActionsInChain int      `json:"totalActionsInChain"`
}

// Answer is the data of a successful interact: the next action and the verdict on the
// previous one.
type Answer struct {
	TaskID             string        `json:"taskId"`
	SessionID          string        `json:"sessionId"`
	Status             string        `json:"status"`
	Thought            string        `json:"thought"`
	Action             string        `json:"action"`
	Actions            []ChainItem   `json:"actions"`
	StepIndex          int           `json:"stepIndex"`
	Verification       *Verification `json:"verification"`
	Correction         *Correction   `json:"correction"`
	ExpectedOutcome    *Expected     `json:"expectedOutcome"`
	ActionDetails      *Details      `json:"actionDetails"`
	UserQuestion       string        `json:"userQuestion"`
	MissingInformation []string      `json:"missingInformation"`
	NeedsFullDOMReason string        `json:"needsFullDomReason"`
	Usage              Usage         `json:"usage"`
}

// Statuses of an answer without an action.
const (
	StatusNeedsUserInput = "needs_user_input"
	StatusNeedsFullDOM   = "needs_full_dom"
	statusCompleted      = "completed"
	statusFailed         = "failed"
)

// ChainItem is one action of a chain.
type ChainItem struct {
	Action      string `json:"action"`
	Description string `json:"description"`
	Index       int    `json:"index"`
	CanFail     bool   `json:"canFail"`
}

// Verification is the server's verdict on the previous action.
type Verification struct {
	// Outcome is succeeded, failed or undecided; a server that does not send it has
	// ActionSucceeded alone.
	Outcome         string   `json:"outcome"`
	Rule            string   `json:"rule"`
	ActionSucceeded bool     `json:"actionSucceeded"`
	TaskCompleted   bool     `json:"taskCompleted"`
	Confidence      float64  `json:"confidence"`
	Reason          string   `json:"reason"`
	Observations    []string `json:"observations"`
	Tier            int      `json:"tier"`
	TokensSaved     int      `json:"tokensSaved"`
}

// Correction says how a failed action is being retried.
type Correction struct {
	Strategy     string `json:"strategy"`
	Reason       string `json:"reason"`
	Attempt      int    `json:"attempt"`
	FailedAction string `json:"failedAction"`
	RetryAction  string `json:"retryAction"`
}

// Expected is what should be seen when the action worked.
type Expected struct {
	Description string `json:"description"`
}

// Details describe the target of an action: button "Save".
type Details struct {
	Element string `json:"element"`
}

// Usage is what the turn's model calls used.
type Usage struct {
	PromptTokens     int64 `json:"promptTokens"`
	CompletionTokens int64 `json:"completionTokens"`
}

// plan returns the actions of an answer in order: its chain, or its one action.
func (a Answer) plan() []ChainItem {
	if len(a.Actions) > 0 {
		return a.Actions
	}
	return []ChainItem{{Action: a.Action}}
}

// ToExecute lists the actions a client does for an answer, in order: none where it
// ends the task or asks for something else.
func (a Answer) ToExecute() []string {
	switch a.Status {
	case StatusNeedsUserInput, StatusNeedsFullDOM, statusCompleted, statusFailed:
		return nil
	}
	if _, ended := a.ending(); ended {
		return nil
	}
	var all []string
	for _, item := range a.plan() {
		all = append(all, item.Action)
	}
	return all
}

// ending is the last action of an answer if that ends the task.
func (a Answer) ending() (action.Action, bool) {
	items := a.plan()
	last, err := action.Parse(items[len(items)-1].Action)
	return last, err == nil && last.EndsTask()
}
