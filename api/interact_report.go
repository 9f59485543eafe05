package api

import (
	"fmt"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/weburl"
)

const (
	// maxChain is longer than any chain.
	maxChain = 1_000
	// maxStatus is the highest HTTP status.
	maxStatus = 599
)

// checkReport refuses impossible reports: an unknown status or action, a negative
// number of requests, a chain that came further than its end.
func (b *InteractBody) checkReport() error {
	switch b.LastActionStatus {
	case "", "success", "failure", "pending":
	default:
		return invalid("lastActionStatus", "lastActionStatus is none of success, failure, pending")
	}
	if b.LastActionError != nil {
		if err := checkAction("lastActionError.action", b.LastActionError.Action); err != nil {
			return err
		}
	}
	if r := b.RecoveredElement; r != nil && r.RecoveredID == "" {
		return invalid("recoveredElement.recoveredId", "recoveredId is required: the element that was acted on")
	}
	for _, check := range []func() error{b.checkPrevious, b.checkSeen, b.checkChanges, b.checkChain} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// checkPrevious accepts URLs a tab can have shown, including the browser's own pages.
func (b *InteractBody) checkPrevious() error {
	for _, u := range []struct{ field, text string }{
		{"previousUrl", b.PreviousURL}, {"domChanges.previousUrl", zero(b.DOMChanges).PreviousURL},
	} {
		switch {
		case longerThan(u.text, maxURL):
			return invalid(u.field, "this is longer than %d characters", maxURL)
		case u.text != "" && !weburl.IsTab(u.text):
			return invalid(u.field, "this is not an absolute URL")
		}
	}
	return nil
}

// checkSeen checks clientObservations.
func (b *InteractBody) checkSeen() error {
	seen := zero(b.ClientObservations)
	for _, n := range []struct {
		field string
		count *int
	}{
		{"pendingRequests", seen.PendingRequests}, {"scriptErrors", seen.ScriptErrors}, {"directMutations", seen.DirectMutations},
	} {
		if zero(n.count) < 0 {
			return negative("clientObservations." + n.field)
		}
	}
	for i, r := range seen.FailedRequests {
		if r.Status < 0 || r.Status > maxStatus {
			return invalid(fmt.Sprintf("clientObservations.failedRequests[%d].status", i), "this is neither an HTTP status nor 0")
		}
	}
	return nil
}

// checkChanges checks domChanges.
func (b *InteractBody) checkChanges() error {
	switch changes := zero(b.DOMChanges); {
	case changes.AddedCount < 0:
		return negative("domChanges.addedCount")
	case changes.RemovedCount < 0:
		return negative("domChanges.removedCount")
	}
	return nil
}

func negative(field string) error { return invalid(field, "this is less than 0") }

// checkChain checks how far a chain came; -1 means no action at all.
func (b *InteractBody) checkChain() error {
	if err := b.checkChainActions(); err != nil {
		return err
	}
	last, total := -1, maxChain
	if b.LastExecutedActionIndex != nil {
		last = *b.LastExecutedActionIndex
	}
	if s := b.ChainPartialState; s != nil {
		switch {
		case s.ExecutedActions == nil:
			return invalid("chainPartialState.executedActions", "executedActions is required, empty where none was executed")
		case s.TotalActionsInChain < 1 || s.TotalActionsInChain > maxChain:
			return invalid("chainPartialState.totalActionsInChain", "totalActionsInChain is required, from 1 to %d", maxChain)
		}
		total = s.TotalActionsInChain
	}
	switch executed := len(zero(b.ChainPartialState).ExecutedActions); {
	case last < -1:
		return invalid("lastExecutedActionIndex", "lastExecutedActionIndex is less than -1")
	case last >= total:
		return invalid("lastExecutedActionIndex", "lastExecutedActionIndex is beyond the %d actions of the chain", total)
	case executed > last+1:
		return invalid("chainPartialState.executedActions", "these are %d actions, but lastExecutedActionIndex is %d", executed, last)
	}
	if f := zero(b.ChainActionError).FailedIndex; f != nil && (*f < 0 || *f >= total) {
		return invalid("chainActionError.failedIndex", "failedIndex is not from 0 to %d", total-1)
	}
	return nil
}

// checkChainActions checks the actions of a chain.
func (b *InteractBody) checkChainActions() error {
	if err := checkAction("chainActionError.action", zero(b.ChainActionError).Action); err != nil {
		return err
	}
	for i, a := range zero(b.ChainPartialState).ExecutedActions {
		if err := checkAction(fmt.Sprintf("chainPartialState.executedActions[%d]", i), a); err != nil {
			return err
		}
	}
	return nil
}

func checkAction(field, text string) error {
	if text == "" {
		return nil
	}
	if _, err := action.Parse(text); err != nil {
		return domain.Errorf(domain.Invalid, domain.CodeActionFormat, "this is not an action").At(field).Because(err)
	}
	return nil
}
