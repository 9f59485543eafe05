package page

import (
	"cmp"
	"slices"
)

// Witness is what the client saw while the action ran (spec: clientObservations,
// clientVerification, sentinel, domChanges). A nil pointer means that it did not say.
type Witness struct {
	NetworkOccurred *bool `json:"networkOccurred,omitempty"`
	DOMMutated      *bool `json:"domMutated,omitempty"`
	URLChanged      *bool `json:"urlChanged,omitempty"`
	// Refused are the action's requests that the server did not accept.
	Refused []Refusal `json:"refused,omitempty"`
	// Pending is how many of the action's requests had no answer yet.
	Pending *int `json:"pending,omitempty"`
	// ScriptErrors is the number of uncaught errors of the page's scripts.
	ScriptErrors *int `json:"scriptErrors,omitempty"`
	// TargetChanged: the markup of the action's element, or an attribute of its
	// ancestors, has changed.
	TargetChanged *bool `json:"targetChanged,omitempty"`
	// Direct is how many changes of the document the handlers of the action's own
	// events made at once.
	Direct *int `json:"direct,omitempty"`
	// ElementFound is clientVerification.elementFound.
	ElementFound *bool `json:"elementFound,omitempty"`
	// SentinelPassed is verification_passed.
	SentinelPassed  *bool    `json:"sentinelPassed,omitempty"`
	SentinelMessage string   `json:"sentinelMessage,omitempty"`
	ErrorsDetected  []string `json:"errorsDetected,omitempty"`
	SuccessMessages []string `json:"successMessages,omitempty"`
	RecentEvents    []string `json:"recentEvents,omitempty"`
	HasErrors       *bool    `json:"hasErrors,omitempty"`
	HasSuccess      *bool    `json:"hasSuccess,omitempty"`
	DropdownOpened  bool     `json:"dropdownOpened,omitempty"`
	DropdownOptions []string `json:"dropdownOptions,omitempty"`
	Added           int      `json:"added,omitempty"`
	Removed         int      `json:"removed,omitempty"`
	// Status is lastActionStatus: "", "success", "failure", "pending".
	Status string `json:"status,omitempty"`
	// Result is what the client says the action led to
	// (lastActionResult.actualState).
	Result string `json:"result,omitempty"`
	// Error is lastActionError, nil when none was reported.
	Error *ActionError `json:"error,omitempty"`
	// RecoveredID is the element the client acted on instead of a stale id.
	RecoveredID string `json:"recoveredId,omitempty"`
	// RecoveredFrom is the stale id, "" if the client did not say.
	RecoveredFrom string `json:"recoveredFrom,omitempty"`
	// Chain is how far a chain of actions came, nil if none stopped.
	Chain *ChainProgress `json:"chain,omitempty"`
}

// Refusal is a request that failed while the action ran: with a status of 400 or
// above, or 0 if it had no answer.
type Refusal struct {
	Method string `json:"method,omitempty"`
	// Path is the URL's path.
	Path   string `json:"path,omitempty"`
	Status int    `json:"status,omitempty"`
}

// ChainProgress is the client's report on a chain of actions that stopped
// (spec: chainPartialState). LastExecuted is -1 where the first one failed.
type ChainProgress struct {
	LastExecuted int      `json:"lastExecuted"`
	Executed     []string `json:"executed,omitempty"`
	Total        int      `json:"total,omitempty"`
}

// Codes by which a client says why it could not do an action.
const (
	CodeNotFound         = "ELEMENT_NOT_FOUND"
	CodeNotVisible       = "ELEMENT_NOT_VISIBLE"
	CodeDisabled         = "ELEMENT_DISABLED"
	CodeOccluded         = "ELEMENT_OCCLUDED"
	CodeNavigationFailed = "NAVIGATION_FAILED"
)

// ActionError is the client's report that it could not do what it was told.
type ActionError struct {
	Message   string `json:"message,omitempty"`
	Code      string `json:"code,omitempty"`
	Action    string `json:"action,omitempty"`
	ElementID string `json:"elementId,omitempty"`
}

// FollowedBy combines the report on an action with that of a later turn in which the
// action was still under judgement. The report on the action itself (Error, Status,
// Result, the recovered element, the chain) is the first one's; Pending is the later
// one's; everything else is what either saw.
func (w Witness) FollowedBy(later Witness) Witness {
	w.NetworkOccurred = mergeAnswers(w.NetworkOccurred, later.NetworkOccurred)
	w.DOMMutated = mergeAnswers(w.DOMMutated, later.DOMMutated)
	w.URLChanged = mergeAnswers(w.URLChanged, later.URLChanged)
	w.TargetChanged = mergeAnswers(w.TargetChanged, later.TargetChanged)
	w.ElementFound = mergeAnswers(w.ElementFound, later.ElementFound)
	w.SentinelPassed = mergeAnswers(w.SentinelPassed, later.SentinelPassed)
	w.HasErrors, w.HasSuccess = mergeAnswers(w.HasErrors, later.HasErrors), mergeAnswers(w.HasSuccess, later.HasSuccess)
	w.Direct, w.ScriptErrors = addCounts(w.Direct, later.Direct), addCounts(w.ScriptErrors, later.ScriptErrors)
	w.Pending = later.Pending
	w.SentinelMessage = cmp.Or(later.SentinelMessage, w.SentinelMessage)
	w.Refused = lastReported(append(slices.Clip(w.Refused), later.Refused...))
	w.ErrorsDetected = appendMissing(w.ErrorsDetected, later.ErrorsDetected)
	w.SuccessMessages = appendMissing(w.SuccessMessages, later.SuccessMessages)
	w.RecentEvents = appendMissing(w.RecentEvents, later.RecentEvents)
	w.DropdownOpened = w.DropdownOpened || later.DropdownOpened
	w.DropdownOptions = appendMissing(w.DropdownOptions, later.DropdownOptions)
	w.Added, w.Removed = w.Added+later.Added, w.Removed+later.Removed
	return w
}

// WithAlerts adds the messages of a page, which may be gone from the next one.
func (w Witness) WithAlerts(alerts []Alert) Witness {
	for _, a := range alerts {
		switch a.Kind {
		case AlertError:
			w.ErrorsDetected = appendMissing(w.ErrorsDetected, []string{a.Text})
		case AlertSuccess:
			w.SuccessMessages = appendMissing(w.SuccessMessages, []string{a.Text})
		default:
			w.RecentEvents = appendMissing(w.RecentEvents, []string{a.Text})
		}
	}
	return w
}

// SawNoEffect reports that the client saw no request, no change of the document and
// no new URL.
func (w Witness) SawNoEffect() bool {
	return isFalse(w.NetworkOccurred) && isFalse(w.DOMMutated) && !isTrue(w.URLChanged) && count(w.Pending) == 0 && len(w.Refused) == 0
}

func isFalse(b *bool) bool { return b != nil && !*b }

// mergeAnswers is true if one report says yes, false if both say no, and nil
// otherwise.
func mergeAnswers(a, b *bool) *bool {
	switch {
	case isTrue(a):
		return a
	case isTrue(b):
		return b
	case a == nil || b == nil:
		return nil
	}
	return a
}

func addCounts(a, b *int) *int {
	if a == nil || b == nil {
		return cmp.Or(a, b)
	}
	n := *a + *b
	return &n
}

// maxReported bounds the texts kept of several turns' reports.
const maxReported = 50

// appendMissing appends the texts of b that a lacks: clients repeat what they have
// reported.
func appendMissing(a, b []string) []string {
	out := slices.Clip(a)
	for _, s := range b {
		if !slices.Contains(a, s) {
			out = append(out, s)
		}
	}
	return lastReported(out)
}

func lastReported[T any](list []T) []T { return list[max(0, len(list)-maxReported):] }
