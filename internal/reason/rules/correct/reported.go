package correct

import (
	"strings"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/internal/reason/rules/text"
)

// reported says whether the client gave this reason.
func (f *failure) reported(code string) bool {
	e := f.q.Witness.Error
	return e != nil && strings.EqualFold(e.Code, code)
}

// intoView scrolls to an element the client could not see.
func (f *failure) intoView() (reasoning.Correction, bool) {
	e, ok := f.same()
	if !ok || e.State.Hidden || !f.reported(page.CodeNotVisible) {
		return no()
	}
	return f.propose(reasoning.ScrollIntoView, action.Action{Name: action.Scroll, Target: e.ID},
		page.Describe(e)+" is out of sight.", "I'll bring "+text.Quoted(e.Label())+" into view.")
}

// refused answers a request of the action that no server accepted. What only
// reads may be asked again after a while; of what may have been done all the same
// the user decides.
func (f *failure) refused() (reasoning.Correction, bool) {
	r, ok := f.q.Witness.RefusedRequest()
	switch {
	case !ok:
		return no()
	case !r.ReadsOnly():
		return gather("The server did not accept it (" + r.String() + "). Should I try again?"), true
	}
	return f.propose(reasoning.RetryWithDelay, action.Action{Name: action.Wait, Seconds: 2},
		r.String()+".", "The server did not answer as it should; I'll wait a moment and try again.")
}

// refresh loads a page again that did not come, once.
func (f *failure) refresh() (reasoning.Correction, bool) {
	url := f.q.Page.URL
	empty := len(f.q.Page.Elements) == 0 && strings.TrimSpace(f.q.Page.Text) == ""
	if !strings.HasPrefix(url, "http") || !empty && !f.reported(page.CodeNavigationFailed) {
		return no()
	}
	if r, ok := f.q.Witness.RefusedRequest(); ok && !r.ReadsOnly() {
		return no()
	}
	return f.propose(reasoning.RefreshPage, action.Action{Name: action.Navigate, Text: url},
		"The page did not load.", "The page did not load; I'll load it again.")
}
