package api

import (
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/stepledger/stepledger/domain/page"
)

// InteractBody is the body of interact: the task, the page, and the report on the
// last action (spec: API Request Structure). Snake case names are the
// specification's; camel case is accepted too.
type InteractBody struct {
	page.Capture

	Query       string `json:"query,omitempty" maxLength:"10000" doc:"What the user wants. Required on the first request; on a continuation another text is a new message of the user."`
	TaskID      string `json:"taskId,omitempty" format:"uuid" doc:"From the first answer on."`
	SessionID   string `json:"sessionId,omitempty" format:"uuid"`
	RequestID   string `json:"requestId,omitempty" maxLength:"200" pattern:"^[ -~]*$" doc:"As the header Idempotency-Key, which counts first."`
	PreviousURL string `json:"previousUrl,omitempty" maxLength:"8192" doc:"Where the tab was before the last action; absolute, also a page of the browser's own."`
	Timezone    string `json:"timezone,omitempty" maxLength:"64" doc:"The user's time zone by its name in the IANA database, such as Europe/Oslo; the date then is the user's. Kept until another is sent."`
	DOMHash     string `json:"domHash,omitempty" maxLength:"64" doc:"In place of the page, on a continuation, where it has not changed: domHash of the last answer, which for a document is the SHA-256, in hex, of dom in UTF-8. A hash nobody knows is answered with needs_full_dom. Does not count beside a page."`

	ClientCapabilities []string `json:"clientCapabilities,omitempty" doc:"What the client can do beside click, setValue, navigate, goBack, scroll(), scroll(id), wait, finish and fail, by name: press, hover, type, drag, upload; scrollDirection for scroll with up or down, multiSelect for setValue with one option of a list a line, chain for several actions in one answer. Nothing else is asked of it. Unknown names are ignored."`

	LastActionStatus string        `json:"lastActionStatus,omitempty" enum:"success,failure,pending"`
	LastActionError  *ActionError  `json:"lastActionError,omitempty"`
	LastActionResult *ActionResult `json:"lastActionResult,omitempty"`
	RecoveredElement *Recovered    `json:"recoveredElement,omitempty" doc:"The element the client acted on where the id was stale."`

	ClientObservations *ClientObservations `json:"clientObservations,omitempty"`
	ClientVerification *ClientVerification `json:"clientVerification,omitempty"`
	DOMChanges         *DOMChanges         `json:"domChanges,omitempty"`

	VerificationPassed  *bool    `json:"verification_passed,omitempty"`
	VerificationMessage string   `json:"verification_message,omitempty"`
	ErrorsDetected      []string `json:"errors_detected,omitempty"`
	SuccessMessages     []string `json:"success_messages,omitempty"`
	RecentEvents        []string `json:"recentEvents,omitempty" doc:"Newest last."`
	HasErrors           *bool    `json:"hasErrors,omitempty"`
	HasSuccess          *bool    `json:"hasSuccess,omitempty"`
	otherSpelling

	LastExecutedActionIndex *int          `json:"lastExecutedActionIndex,omitempty" minimum:"-1" doc:"Of a chain, also one that was executed as a whole; -1 if none of its actions was executed. Below totalActionsInChain. Without it the first action counts as executed where lastActionStatus is no failure, and others where the page shows their effect."`
	ChainPartialState       *ChainState   `json:"chainPartialState,omitempty"`
	ChainActionError        *ChainFailure `json:"chainActionError,omitempty"`
}

// otherSpelling has the same fields in the other case.
type otherSpelling struct {
	VerificationPassedC  *bool    `json:"verificationPassed,omitempty" hidden:"true"`
	VerificationMessageC string   `json:"verificationMessage,omitempty" hidden:"true"`
	ErrorsDetectedC      []string `json:"errorsDetected,omitempty" hidden:"true"`
	SuccessMessagesC     []string `json:"successMessages,omitempty" hidden:"true"`
	RecentEventsS        []string `json:"recent_events,omitempty" hidden:"true"`
	HasErrorsS           *bool    `json:"has_errors,omitempty" hidden:"true"`
	HasSuccessS          *bool    `json:"has_success,omitempty" hidden:"true"`

	// The minified tree as the client's extractor returns it.
	ModeS           string                 `json:"mode,omitempty" hidden:"true"`
	TitleS          string                 `json:"title,omitempty" hidden:"true"`
	TreeS           []page.NodeV3          `json:"interactive_tree,omitempty" hidden:"true"`
	FilteredTreeS   []page.NodeV3          `json:"tree,omitempty" hidden:"true"` // of mode filtered
	ScrollPositionS page.Scalar            `json:"scroll_position,omitempty" hidden:"true"`
	ContainersS     []page.ScrollContainer `json:"scrollable_containers,omitempty" hidden:"true"`
}

// ActionError is why the client could not do the action.
type ActionError struct {
	Message   string      `json:"message,omitempty"`
	Code      string      `json:"code,omitempty"`
	Action    string      `json:"action,omitempty" doc:"The action, as it was received."`
	ElementID page.Scalar `json:"elementId,omitempty" doc:"A number or a string."`
}

// ActionResult is the client's result of the last action.
type ActionResult struct {
	Success     *bool  `json:"success,omitempty"`
	ActualState string `json:"actualState,omitempty"`
}

// Recovered is an element found again by role, name and place. A plain id is its new
// id.
type Recovered struct {
	OriginalID  page.Scalar `json:"originalId,omitempty"`
	RecoveredID page.Scalar `json:"recoveredId"`
}

// recovered is a Recovered that is an object.
type recovered Recovered

// Schema implements huma.SchemaProvider.
func (Recovered) Schema(r huma.Registry) *huma.Schema {
	id := scalar("").Schema(r)
	return &huma.Schema{AnyOf: append(id.AnyOf, r.Schema(reflect.TypeFor[recovered](), true, ""))}
}

// ClientObservations is what the client saw happen.
type ClientObservations struct {
	DidNetworkOccur *bool `json:"didNetworkOccur,omitempty"`
	DidDOMMutate    *bool `json:"didDomMutate,omitempty"`
	DidURLChange    *bool `json:"didUrlChange,omitempty"`
	// FailedRequests are the action's requests that a server refused, as resource
	// timings show them.
	FailedRequests []FailedRequest `json:"failedRequests,omitempty" doc:"Requests the action caused that were answered with a status of 400 or above, or not at all (status 0)."`
	// PendingRequests counts those without an answer.
	PendingRequests *int `json:"pendingRequests,omitempty" minimum:"0" doc:"How many requests the action caused had no answer yet when the page was captured."`
	// ScriptErrors counts what window.onerror and unhandledrejection report.
	ScriptErrors *int `json:"scriptErrors,omitempty" minimum:"0" doc:"How many errors of the page's scripts nobody caught while the action ran."`
	// TargetChanged compares markup, so that a choice shown by a class is noticed.
	TargetChanged *bool `json:"targetChanged,omitempty" doc:"Whether the markup of the action's element, or an attribute of one it stands in, is another than before the action. Left out where the element is gone."`
	// DirectMutations separates what the action did from what the page does by
	// itself.
	DirectMutations *int `json:"directMutations,omitempty" minimum:"0" doc:"How many changes of the document the handlers of the action's own events made at once: those seen within the event's task and 30 ms of it. Left out where another document was loaded."`
}

// FailedRequest is a failed request, by its path without query.
type FailedRequest struct {
	Method string `json:"method,omitempty"`
	Path   string `json:"path,omitempty"`
	Status int    `json:"status,omitempty" minimum:"0" maximum:"599"`
}

// ClientVerification is what the client found when it looked for the expected
// outcome.
type ClientVerification struct {
	ElementFound *bool  `json:"elementFound,omitempty"`
	Selector     string `json:"selector,omitempty"`
	URLChanged   *bool  `json:"urlChanged,omitempty"`
}

// DOMChanges is what changed in the document while the action ran.
type DOMChanges struct {
	AddedCount       int      `json:"addedCount,omitempty" minimum:"0"`
	RemovedCount     int      `json:"removedCount,omitempty" minimum:"0"`
	DropdownDetected bool     `json:"dropdownDetected,omitempty"`
	DropdownOptions  []string `json:"dropdownOptions,omitempty"`
	PreviousURL      string   `json:"previousUrl,omitempty"`
	URLChanged       *bool    `json:"urlChanged,omitempty"`
	DidNetworkOccur  *bool    `json:"didNetworkOccur,omitempty"`
}

// ChainState is how far a chain of actions came.
type ChainState struct {
	ExecutedActions     []string `json:"executedActions" nullable:"false" doc:"Those that succeeded, none of them after lastExecutedActionIndex; empty where none did."`
	TotalActionsInChain int      `json:"totalActionsInChain" minimum:"1" maximum:"1000"`
}

// ChainFailure is why a chain stopped.
type ChainFailure struct {
	ActionError
	FailedIndex *int `json:"failedIndex,omitempty" minimum:"0"`
}
