package browser

import (
	"context"

	"github.com/stepledger/stepledger/domain/action"
)

// executePlan executes the actions of an answer in order. It stops at the first
// failure of an action that may not fail. The report covers all of them, and says of
// several how far it came.
func executePlan(ctx context.Context, page Page, items []ChainItem) (Report, *lastActionReport, error) {
	var all Report
	var executed []string
	lastIndex := -1
	for i, item := range items {
		r, err := executeText(ctx, page, item.Action)
		if err != nil {
			return all, nil, err
		}
		failed := r.Status == StatusFailure
		if failed && item.CanFail {
			r.Status, r.Error = StatusSuccess, nil
		}
		all = join(all, r, i == 0)
		if failed && !item.CanFail {
			break
		}
		if !failed {
			executed, lastIndex = append(executed, page.Printable(item.Action)), i
		}
	}
	w := all.forRequest()
	if len(items) > 1 {
		w.LastExecutedIndex = &lastIndex
		if len(executed) < len(items) {
			w.ChainPartialState = &partialChain{ExecutedActions: append([]string{}, executed...), TotalActionsInChain: len(items)}
		}
	}
	return all, w, nil
}

// executeText executes an action as the server wrote it. One that is not in the
// language fails like one that cannot be done: the server is told.
func executeText(ctx context.Context, page Page, text string) (Report, error) {
	a, err := action.Parse(text)
	if err != nil {
		refused := refuse(CodeInvalidAction, "%v", err)
		refused.Action = text
		return Report{Status: StatusFailure, Error: refused}, nil
	}
	return page.Execute(ctx, a)
}

// Printable is an action as it may be sent back: what was to be typed into a secret
// field stays here.
func (t *Tab) Printable(text string) string {
	a, err := action.Parse(text)
	if err != nil {
		return text
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.printable(a)
}

// join combines the reports of two consecutive executions.
func join(a, b Report, first bool) Report {
	if first {
		return b
	}
	b.PreviousURL = a.PreviousURL
	b.DidNetworkOccur = a.DidNetworkOccur || b.DidNetworkOccur
	b.DidDOMMutate = a.DidDOMMutate || b.DidDOMMutate
	b.DidURLChange = a.PreviousURL != b.URL && b.URL != "" || a.DidURLChange
	b.FailedRequests = append(a.FailedRequests, b.FailedRequests...)
	b.ScriptErrors += a.ScriptErrors
	b.RecentEvents = append(a.RecentEvents, b.RecentEvents...)
	b.Duration += a.Duration
	c, was := &b.DOMChanges, a.DOMChanges
	c.AddedCount += was.AddedCount
	c.RemovedCount += was.RemovedCount
	c.StabilizationTime += was.StabilizationTime
	c.DropdownDetected = c.DropdownDetected || was.DropdownDetected
	c.DropdownOptions = append(was.DropdownOptions, c.DropdownOptions...)
	c.PreviousURL, c.URLChanged, c.DidNetworkOccur = b.PreviousURL, b.DidURLChange, b.DidNetworkOccur
	if b.RecoveredID == "" {
		b.RecoveredID = a.RecoveredID
	}
	return b
}

// forRequest returns the report as fields of the next request.
func (r Report) forRequest() *lastActionReport {
	return &lastActionReport{
		PreviousURL: r.PreviousURL, LastActionStatus: r.Status, LastActionError: r.Error,
		LastActionResult:   actionResult{Success: r.Status == StatusSuccess, ActualState: r.ActualState},
		ClientObservations: observations{r.DidNetworkOccur, r.DidDOMMutate, r.DidURLChange, r.FailedRequests, &r.PendingRequests, &r.ScriptErrors, r.TargetChanged, r.DirectMutations},
		DOMChanges:         r.DOMChanges, RecoveredElement: r.RecoveredID,
	}
}
