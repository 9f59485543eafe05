package api

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/page"
)

// Bounds on a client's report. It goes into an event and is cut rather than refused,
// so that an endless error message does not stop the task.
const (
	maxReports = 50
	maxReport  = 1_000
)

// witness returns the client's report, from whichever field has it.
func (b *InteractBody) witness() page.Witness {
	seen, found, changes := zero(b.ClientObservations), zero(b.ClientVerification), zero(b.DOMChanges)
	return page.Witness{
		NetworkOccurred: either(seen.DidNetworkOccur, changes.DidNetworkOccur),
		DOMMutated:      seen.DidDOMMutate,
		URLChanged:      either(seen.DidURLChange, found.URLChanged, changes.URLChanged),
		Refused:         refused(seen.FailedRequests),
		Pending:         seen.PendingRequests,
		ScriptErrors:    seen.ScriptErrors,
		TargetChanged:   seen.TargetChanged,
		Direct:          seen.DirectMutations,
		ElementFound:    found.ElementFound,
		SentinelPassed:  either(b.VerificationPassed, b.VerificationPassedC),
		SentinelMessage: cut(b.VerificationMessage+b.VerificationMessageC, maxReport),
		ErrorsDetected:  first(append(b.ErrorsDetected, b.ErrorsDetectedC...)),
		SuccessMessages: first(append(b.SuccessMessages, b.SuccessMessagesC...)),
		RecentEvents:    last(append(b.RecentEvents, b.RecentEventsS...)),
		HasErrors:       either(b.HasErrors, b.HasErrorsS),
		HasSuccess:      either(b.HasSuccess, b.HasSuccessS),
		DropdownOpened:  changes.DropdownDetected,
		DropdownOptions: first(changes.DropdownOptions),
		Added:           changes.AddedCount,
		Removed:         changes.RemovedCount,
		Status:          b.status(),
		Result:          cut(zero(b.LastActionResult).ActualState, maxReport),
		Error:           b.actionError(),
		RecoveredID:     cut(string(zero(b.RecoveredElement).RecoveredID), maxReport),
		RecoveredFrom:   cut(string(zero(b.RecoveredElement).OriginalID), maxReport),
		Chain:           b.chain(),
	}
}

// refused returns the failed requests without their queries.
func refused(list []FailedRequest) []page.Refusal {
	var out []page.Refusal
	for _, r := range list[:min(len(list), maxReports)] {
		path, _, _ := strings.Cut(r.Path, "?")
		out = append(out, page.Refusal{Method: cut(r.Method, maxMethod), Path: cut(path, maxReport), Status: r.Status})
	}
	return out
}

// maxMethod bounds the name of an HTTP method.
const maxMethod = 20

// capture returns the page, from whichever field has it.
func (b *InteractBody) capture() page.Capture {
	c := b.Capture
	if c.Mode == "" && slices.Contains(modes, b.ModeS) { // a word others may use for other things
		c.Mode = b.ModeS
	}
	c.Title = cmp.Or(c.Title, b.TitleS)
	c.ScrollPosition = cmp.Or(c.ScrollPosition, b.ScrollPositionS)
	if len(c.Tree) == 0 {
		c.Tree = b.TreeS
	}
	if len(c.Tree) == 0 && c.Mode == page.ModeFiltered {
		c.Tree = b.FilteredTreeS
	}
	if len(c.Containers) == 0 {
		c.Containers = b.ContainersS
	}
	return c
}

// status of the last action: its own field, or else that of its result or error.
func (b *InteractBody) status() string {
	result := zero(b.LastActionResult).Success
	switch {
	case b.LastActionStatus != "":
		return b.LastActionStatus
	case result != nil && *result:
		return "success"
	case result != nil, b.LastActionError != nil, b.ChainActionError != nil:
		return "failure"
	}
	return ""
}

func (b *InteractBody) actionError() *page.ActionError {
	e := b.LastActionError
	if e == nil && b.ChainActionError != nil {
		e = &b.ChainActionError.ActionError
	}
	if e == nil {
		return nil
	}
	return &page.ActionError{
		Message: cut(e.Message, maxReport), Code: cut(e.Code, maxReport),
		Action: cut(e.Action, maxQuery), ElementID: cut(string(e.ElementID), maxReport),
	}
}

// chain returns how far a chain came, nil if none stopped.
func (b *InteractBody) chain() *page.ChainProgress {
	if b.LastExecutedActionIndex == nil && b.ChainPartialState == nil && b.ChainActionError == nil {
		return nil
	}
	c := &page.ChainProgress{LastExecuted: -1}
	if b.LastExecutedActionIndex != nil {
		c.LastExecuted = *b.LastExecutedActionIndex
	}
	if s := b.ChainPartialState; s != nil {
		c.Total = s.TotalActionsInChain
		for _, a := range s.ExecutedActions[:min(len(s.ExecutedActions), maxReports)] {
			c.Executed = append(c.Executed, cut(a, maxQuery)) // whole: they are compared
		}
	}
	return c
}

func (b *InteractBody) previousURL() string {
	if b.PreviousURL != "" {
		return b.PreviousURL
	}
	return zero(b.DOMChanges).PreviousURL
}

// UnmarshalJSON implements json.Unmarshaler: an id alone is the new one.
func (r *Recovered) UnmarshalJSON(data []byte) error {
	if !bytes.HasPrefix(data, []byte("{")) {
		return json.Unmarshal(data, &r.RecoveredID)
	}
	return json.Unmarshal(data, (*recovered)(r))
}

// zero returns *p, or the zero value if p is nil.
func zero[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// either returns the first that is not nil.
func either(said ...*bool) *bool {
	for _, b := range said {
		if b != nil {
			return b
		}
	}
	return nil
}

// first and last bound a list in number and in the length of its texts, keeping
// either end.
func first(texts []string) []string { return bounded(texts[:min(len(texts), maxReports)]) }
func last(texts []string) []string  { return bounded(texts[max(len(texts)-maxReports, 0):]) }

func bounded(texts []string) []string {
	for i := range texts {
		texts[i] = cut(texts[i], maxReport)
	}
	return texts
}
