package page

import (
	"cmp"
	"slices"
)

// Witness is what the client saw while the action ran, beside the two pages
// (spec: clientObservations, clientVerification, sentinel, domChanges). A nil
// pointer is "did not say".
type Witness struct {
	NetworkOccurred *bool `json:"networkOccurred,omitempty"`
	DOMMutated      *bool `json:"domMutated,omitempty"`
	URLChanged      *bool `json:"urlChanged,omitempty"`
	// Refused are requests of the action that the server did not accept.
	Refused []Refusal `json:"refused,omitempty"`
	// Pending is how many requests of the action had no answer yet.
	Pending *int `json:"pending,omitempty"`
	// ScriptErrors is how many errors of the page's scripts nobody caught.
	ScriptErrors *int `json:"scriptErrors,omitempty"`
	// TargetChanged says whether the markup of the action's element, or an attribute
	// of what it stands in, is another than before.
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
	// Result is what the client says came of the action, in its own words
	// (lastActionResult.actualState).
	Result string `json:"result,omitempty"`
	// Error is lastActionError, nil when none was reported.
	Error *ActionError `json:"error,omitempty"`
	// RecoveredID is the element the client acted on instead of a stale id.
	RecoveredID string `json:"recoveredId,omitempty"`
	// RecoveredFrom is that stale id, "" if the client did not say.
	RecoveredFrom string `json:"recoveredFrom,omitempty"`
	// Chain is how far a chain of actions came, nil where none stopped.
	Chain *ChainProgress `json:"chain,omitempty"`
}

// Refusal is a request that failed while the action ran: the server answered it
// with a status of 400 and above, or nobody did (0).
type Refusal struct {
	Method string `json:"method,omitempty"`
	// Path is the address without origin, query and fragment.
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

// ActionError is the client's report that it could not do what it was told.
type ActionError struct {
	Message   string `json:"message,omitempty"`
	Code      string `json:"code,omitempty"`
	Action    string `json:"action,omitempty"`
	ElementID string `json:"elementId,omitempty"`
}

// Since is a witness of an action and of a later turn in which it was still under
// judgement: what either saw has been seen. The report on an action itself (Error,
// Status, Result, the recovered element, the chain) is the first one's; what is
// pending is the later one's.
func (w Witness) Since(later Witness) Witness {
	w.NetworkOccurred = either(w.NetworkOccurred, later.NetworkOccurred)
	w.DOMMutated = either(w.DOMMutated, later.DOMMutated)
	w.URLChanged = either(w.URLChanged, later.URLChanged)
	w.TargetChanged = either(w.TargetChanged, later.TargetChanged)
	w.ElementFound = either(w.ElementFound, later.ElementFound)
	w.SentinelPassed = either(w.SentinelPassed, later.SentinelPassed)
	w.HasErrors, w.HasSuccess = either(w.HasErrors, later.HasErrors), either(w.HasSuccess, later.HasSuccess)
	w.Direct, w.ScriptErrors = sum(w.Direct, later.Direct), sum(w.ScriptErrors, later.ScriptErrors)
	w.Pending = later.Pending
	w.SentinelMessage = cmp.Or(later.SentinelMessage, w.SentinelMessage)
	w.Refused = newest(append(slices.Clip(w.Refused), later.Refused...))
	w.ErrorsDetected = together(w.ErrorsDetected, later.ErrorsDetected)
	w.SuccessMessages = together(w.SuccessMessages, later.SuccessMessages)
	w.RecentEvents = together(w.RecentEvents, later.RecentEvents)
	w.DropdownOpened = w.DropdownOpened || later.DropdownOpened
	w.DropdownOptions = together(w.DropdownOptions, later.DropdownOptions)
	w.Added, w.Removed = w.Added+later.Added, w.Removed+later.Removed
	return w
}

// Saying is the witness with the messages of a page, which may be gone from the
// next one.
func (w Witness) Saying(alerts []Alert) Witness {
	for _, a := range alerts {
		switch a.Kind {
		case AlertError:
			w.ErrorsDetected = together(w.ErrorsDetected, []string{a.Text})
		case AlertSuccess:
			w.SuccessMessages = together(w.SuccessMessages, []string{a.Text})
		default:
			w.RecentEvents = together(w.RecentEvents, []string{a.Text})
		}
	}
	return w
}

// Silent reports that the client says of itself that no request was made, nothing
// on the page moved and no address was opened: the action has reached nobody.
func (w Witness) Silent() bool {
	return isFalse(w.NetworkOccurred) && isFalse(w.DOMMutated) && !isTrue(w.URLChanged) && count(w.Pending) == 0 && len(w.Refused) == 0
}

func isFalse(b *bool) bool { return b != nil && !*b }

// either is what two reports say together: yes if one does, no if both do; where one
// does not say and the other says no, nobody knows.
func either(a, b *bool) *bool {
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

func sum(a, b *int) *int {
	if a == nil || b == nil {
		return cmp.Or(a, b)
	}
	n := *a + *b
	return &n
}

// maxHeard bounds what is kept of the reports of several turns, the newest last.
const maxHeard = 50

// together joins two lists, each text once: a client's stream repeats what it has
// said.
func together(a, b []string) []string {
	out := slices.Clip(a)
	for _, s := range b {
		if !slices.Contains(a, s) {
			out = append(out, s)
		}
	}
	return newest(out)
}

func newest[T any](list []T) []T { return list[max(0, len(list)-maxHeard):] }
