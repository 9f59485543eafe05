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
)

// ActionError is an action that could not be done, in the words of the
// interact request.
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

// Report says how an action went and what was witnessed from its start until
// the page was stable. Success means that it was done, not that it had the
// wished effect: to find that out is the server's business.
type Report struct {
	Status string
	Error  *ActionError // nil unless Status is failure
	// DidNetworkOccur, DidDOMMutate and DidURLChange are the client
	// observations (spec: Client Contract 3). A clock that ticks by itself is no
	// mutation.
	DidNetworkOccur, DidDOMMutate, DidURLChange bool
	// FailedRequests are those the action caused that no server accepted.
	FailedRequests []FailedRequest
	// PendingRequests is how many document and data requests the action caused that
	// were not answered when the page was stable, or its time was up.
	PendingRequests int
	// ScriptErrors is how many errors of the page's scripts nobody caught.
	ScriptErrors int
	// TargetChanged says whether the markup of the action's element, or an attribute
	// of what it stands in, is another than before: a class or a style may be all
	// there is to see of a choice. Nil where the element is gone.
	TargetChanged *bool
	// DirectMutations is how many changes of the document the handlers of the
	// action's own events made, at once. Nil where another document came.
	DirectMutations  *int
	PreviousURL, URL string
	RecentEvents     []string
	DOMChanges       DOMChanges
	// RecoveredID is the element that was used in place of a vanished one.
	RecoveredID string
	// ActualState is what a field holds after setValue, where that may differ
	// from what was asked for. Never set for secret fields.
	ActualState string
	Duration    time.Duration
}

// FailedRequest is a document or data request that was answered with a status of
// 400 or above, or (0) not at all. Path has neither origin nor query.
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
