package rules

import (
	"net/http"
	"strings"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
)

// Codes by which a client says why it could not do an action.
const (
	codeNotVisible       = "ELEMENT_NOT_VISIBLE"
	codeDisabled         = "ELEMENT_DISABLED"
	codeOccluded         = "ELEMENT_OCCLUDED"
	codeNavigationFailed = "NAVIGATION_FAILED"
)

// reported says whether the client gave this reason.
func (m *mishap) reported(code string) bool {
	e := m.q.Witness.Error
	return e != nil && strings.EqualFold(e.Code, code)
}

// intoView scrolls to an element the client could not see.
func (m *mishap) intoView() (reasoning.Correction, bool) {
	e, ok := m.same()
	if !ok || e.State.Hidden || !m.reported(codeNotVisible) {
		return no()
	}
	return m.propose(reasoning.ScrollIntoView, action.Action{Name: action.Scroll, Target: e.ID},
		page.Describe(e)+" is out of sight.", "I'll bring "+quoted(label(e))+" into view.")
}

// refused answers a request of the action that no server accepted. What only
// reads may be asked again after a while; of what may have been done all the same
// the user decides.
func (m *mishap) refused() (reasoning.Correction, bool) {
	r, ok := refusal(m.q.Witness)
	switch {
	case !ok:
		return no()
	case !reads(r):
		return gather("The server did not accept it (" + r.String() + "). Should I try again?"), true
	}
	return m.propose(reasoning.RetryWithDelay, action.Action{Name: action.Wait, Seconds: 2},
		r.String()+".", "The server did not answer as it should; I'll wait a moment and try again.")
}

// refresh loads a page again that did not come, once.
func (m *mishap) refresh() (reasoning.Correction, bool) {
	url := m.q.Page.URL
	empty := len(m.q.Page.Elements) == 0 && strings.TrimSpace(m.q.Page.Text) == ""
	if !strings.HasPrefix(url, "http") || !empty && !m.reported(codeNavigationFailed) {
		return no()
	}
	if r, ok := refusal(m.q.Witness); ok && !reads(r) {
		return no()
	}
	return m.propose(reasoning.RefreshPage, action.Action{Name: action.Navigate, Text: url},
		"The page did not load.", "The page did not load; I'll load it again.")
}

func reads(r page.Refusal) bool { return r.Method == "" || r.Method == http.MethodGet }

// refusal is the request of the action that was refused: of several the one that
// was to change something. What a page tells about its visitors is not the
// action's business.
func refusal(w page.Witness) (refused page.Refusal, ok bool) {
	for _, r := range w.Refused {
		if tells(r.Path) || ok && reads(r) {
			continue
		}
		refused, ok = r, true
	}
	return refused, ok
}

// visitors are path segments of requests that count and measure.
var visitors = set("analytics track tracking tracker telemetry metrics beacon collect log logs event events pixel stats ping rum ads ad gtm matomo piwik sentry errors vitals")

func tells(path string) bool {
	for _, s := range strings.FieldsFunc(strings.ToLower(path), func(r rune) bool { return r == '/' || r == '.' || r == '-' || r == '_' }) {
		if visitors[s] {
			return true
		}
	}
	return false
}
