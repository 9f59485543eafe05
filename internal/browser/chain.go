package browser

import (
	"context"

	"github.com/stepledger/stepledger/domain/action"
)

// executePlan executes the actions of an answer in order. The first that fails
// ends the chain, unless it may fail. The report is that of all of them
// together.
func (t *Tab) executePlan(ctx context.Context, items []ChainItem) (Report, *witnessed, error) {
	var all Report
	var executed []string
	lastIndex := -1
	for i, item := range items {
		r, err := t.executeText(ctx, item.Action)
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
			executed, lastIndex = append(executed, t.printableText(item.Action)), i
		}
	}
	w := all.witnessed()
	if all.Status == StatusFailure && len(items) > 1 {
		if lastIndex >= 0 {
			w.LastExecutedIndex = &lastIndex
		}
		w.ChainPartialState = &partialChain{ExecutedActions: append([]string{}, executed...), TotalActionsInChain: len(items)}
	}
	return all, w, nil
}

// executeText executes an action as the server wrote it. One that is not in the
// language fails like one that cannot be done: the server is told.
func (t *Tab) executeText(ctx context.Context, text string) (Report, error) {
	a, err := action.Parse(text)
	if err != nil {
		refused := refuse(CodeInvalidAction, "%v", err)
		refused.Action = text
		return Report{Status: StatusFailure, Error: refused}, nil
	}
	return t.Execute(ctx, a)
}

func (t *Tab) printableText(text string) string {
	a, err := action.Parse(text)
	if err != nil {
		return text
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.printable(a)
}

// join is the report of two executions one after the other.
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

// witnessed is the report in the words of the next request.
func (r Report) witnessed() *witnessed {
	return &witnessed{
		PreviousURL: r.PreviousURL, LastActionStatus: r.Status, LastActionError: r.Error,
		LastActionResult:   actionResult{Success: r.Status == StatusSuccess, ActualState: r.ActualState},
		ClientObservations: observations{r.DidNetworkOccur, r.DidDOMMutate, r.DidURLChange, r.FailedRequests, &r.PendingRequests, &r.ScriptErrors, r.TargetChanged, r.DirectMutations},
		DOMChanges:         r.DOMChanges, RecoveredElement: r.RecoveredID,
	}
}
