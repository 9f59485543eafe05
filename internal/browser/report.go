package browser

import (
	"fmt"
	"time"
)

// Codes of what can go wrong with an action (lastActionError.code).
const (
	CodeNotFound         = "ELEMENT_NOT_FOUND"
	CodeNotVisible       = "ELEMENT_NOT_VISIBLE"
	CodeDisabled         = "ELEMENT_DISABLED"
	CodeOccluded         = "ELEMENT_OCCLUDED"
	CodeNotEditable      = "ELEMENT_NOT_EDITABLE"
	CodeOptionNotFound   = "OPTION_NOT_FOUND"
	CodeValueRefused     = "VALUE_REFUSED"
	CodeNothingToScroll  = "NOTHING_TO_SCROLL"
	CodeInvalidAction    = "INVALID_ACTION"
	CodeInvalidURL       = "INVALID_URL"
	CodeNavigationFailed = "NAVIGATION_FAILED"
	CodeNoHistory        = "NO_HISTORY"
	CodeDialogOpen       = "DIALOG_OPEN"
	CodeNoFile           = "NO_FILE"
)

// ActionError is an action that could not be done, as the interact request reports
// it.
type ActionError struct {
	Message   string `json:"message"`
	Code      string `json:"code"`
	Action    string `json:"action"`
	ElementID string `json:"elementId,omitempty"`
}

// Error implements error.
func (e *ActionError) Error() string { return e.Code + ": " + e.Message }

func refuse(code, format string, args ...any) *ActionError {
	return &ActionError{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Status of an executed action.
const (
	StatusSuccess = "success"
	StatusFailure = "failure"
)

// Report is how an action went and what was observed from its start until the page
// was stable. Success means that it was done, not that it had the intended effect;
// that is for the server to judge.
type Report struct {
	Status string
	Error  *ActionError // nil unless Status is failure
	// DidNetworkOccur, DidDOMMutate and DidURLChange are the client observations
	// (spec: Client Contract 3). A clock that ticks is no mutation.
	DidNetworkOccur, DidDOMMutate, DidURLChange bool
	// FailedRequests are the action's requests that no server accepted.
	FailedRequests []FailedRequest
	// PendingRequests counts the action's document and data requests without an
	// answer when the page was stable or the time was up.
	PendingRequests int
	// ScriptErrors counts uncaught errors of the page's scripts.
	ScriptErrors int
	// TargetChanged: the markup of the action's element, or an attribute of its
	// ancestors, has changed. A class or style may be the only visible sign of a
	// choice. Nil if the element is gone.
	TargetChanged *bool
	// DirectMutations counts the changes of the document that the handlers of the
	// action's own events made at once. Nil if the document was replaced.
	DirectMutations  *int
	PreviousURL, URL string
	RecentEvents     []string
	DOMChanges       DOMChanges
	// RecoveredID is the element used in place of a vanished one.
	RecoveredID string
	// ActualState is a field's content after setValue if it may differ from the
	// value. It is never set for secret fields.
	ActualState string
	Duration    time.Duration
}

// FailedRequest is a document or data request that failed with a status of 400 or
// above, or without an answer (0). Path has neither origin nor query.
type FailedRequest struct {
	Method string `json:"method"`
	Path   string `json:"path"`
	Status int    `json:"status"`
}

// DOMChanges is the request's domChanges (spec: dom-extraction §13).
type DOMChanges struct {
	AddedCount        int      `json:"addedCount"`
	RemovedCount      int      `json:"removedCount"`
	DropdownDetected  bool     `json:"dropdownDetected"`
	DropdownOptions   []string `json:"dropdownOptions,omitempty"`
	StabilizationTime int64    `json:"stabilizationTime"` // milliseconds
	PreviousURL       string   `json:"previousUrl,omitempty"`
	URLChanged        bool     `json:"urlChanged"`
	DidNetworkOccur   bool     `json:"didNetworkOccur"`
}
