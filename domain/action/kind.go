package action

import (
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/page"
)

// KindOf classifies an action by its expected outcome (spec: classifyActionType).
// navigate, goBack and a click on a link are navigations; a click on an element that
// announces a popup opens a dropdown. The target is the element before the action,
// zero if there is none or it is not known. Observations decide only for what the
// page did not announce: a list that a plain button opened, or a new URL. Everything
// else is generic, including links to a place on the same page or to a script.
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
	case addressChanged(seen):
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

func addressChanged(seen []page.Observation) bool {
	return slices.ContainsFunc(seen, func(o page.Observation) bool { return o.Kind == page.URLChangedTo })
}
