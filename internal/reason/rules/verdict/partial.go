package verdict

import "github.com/stepledger/stepledger/domain/action"

// partial reports that the client left elements out of the page before or after: then
// nothing follows from what did not come, and on a partial page now from what is not there.
func (e *evidence) partial() bool { return e.q.Before.Skeleton.Partial || e.q.Page.Partial() }

// tells reports something on such a page that speaks for itself: what the client reports, a
// control that is on both pages and holds what it holds, a message, another address, or on
// a whole page that something is gone.
func (e *evidence) tells() bool {
	w := e.q.Witness
	state := e.present && (e.q.Action.Name == action.SetValue || e.target.IsTick())
	said := len(e.alerts)+len(e.errors)+len(e.successes)+len(e.complaints) > 0
	return needsNo.holds(e) || state || said || e.moved || len(e.own)+len(e.gone) > 0 || w.Error != nil || w.Status == "failure"
}

// whole is a fact that rests on what the page now does not show.
func whole(f fact) fact {
	return fact{f.name, func(e *evidence) bool { return !e.q.Page.Partial() && f.holds(e) }}
}
