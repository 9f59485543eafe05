package action

import (
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/page"
)

// KindOf classifies an action by what it should bring about (spec:
// classifyActionType): navigate and goBack lead to another page, and so does a
// click on a link; a click on what announces a popup opens a list. The target is
// the element as it was before, zero if there is none or it is not known. What
// was observed speaks only where the page did not announce it: the list that a
// plain button opened, the page it led to. Everything else is generic. Two kinds
// of link lead nowhere and are generic too: to a place on the same page, and to
// a script.
func KindOf(a Action, target page.Element, seen []page.Observation) page.ActionKind {
	switch {
	case a.Name == Navigate, a.Name == GoBack:
		return page.KindNavigation
	case a.Name != Click:
		return page.KindGeneric
	case target.State.HasPopup:
		return page.KindDropdown
	case isLink(target):
		return page.KindNavigation
	case moved(seen):
		return page.KindNavigation
	case slices.ContainsFunc(seen, page.Observation.OpensList):
		return page.KindDropdown
	}
	return page.KindGeneric
}

func isLink(e page.Element) bool {
	if e.Href == "" {
		return e.Role == "link" || e.Tag == "a" && e.Role == ""
	}
	href := strings.ToLower(strings.TrimSpace(e.Href))
	if strings.HasPrefix(href, "javascript:") {
		return false
	}
	fragment, ok := strings.CutPrefix(href, "#")
	return !ok || strings.HasPrefix(fragment, "/") || strings.HasPrefix(fragment, "!")
}

func moved(seen []page.Observation) bool {
	return slices.ContainsFunc(seen, func(o page.Observation) bool { return o.Kind == page.URLChangedTo })
}
